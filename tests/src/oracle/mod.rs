//! The mask oracle: which tokens may follow, found by trying each of them on the grammar itself.
//!
//! It knows the grammar IR and a list of tokens and nothing else of the compiler: no network, no automata, no trie, no
//! masks. A grammar becomes plain productions over bytes and whole tokens (`productions`); what cannot be finished is
//! dropped; and an Earley chart (`chart`) is extended by one token at a time. A token may be read in two ways at
//! once: byte by byte, and as a whole where the grammar asks for a token by id.
//!
//! Since nothing in the productions is without a string, a chart that is not empty after a token can be continued to
//! a whole text. So a token is allowed exactly where the chart after it is not empty ([`Oracle::viable`]). There is a
//! second, stricter chart where the vocabulary cannot spell every byte of the grammar: the readings that, after every
//! token, single-byte tokens and token references alone can finish ([`Oracle::spelled`]). The mask must lie between the
//! two.
//!
//! Cost: cubic in the length of a text, as Earley's algorithm is; meant for texts of some hundred bytes.

mod chart;
mod productions;
mod token;

pub use chart::Chart;
use grammarc_compiler::ir::{ByteSet, Grammar};
use productions::Productions;
pub use token::Token;

/// Judges one grammar under one vocabulary.
pub struct Oracle {
    productions: Productions,
    tokens: Vec<Token>,
}

impl Oracle {
    /// The judge of `grammar` for `tokens`, by id. `end_tokens` are those that a negated token set leaves out.
    ///
    /// Intersections and complements are not understood.
    pub fn new(grammar: &Grammar, tokens: &[Token], end_tokens: &[u32]) -> Self {
        let single = |token: &Token| match token {
            Token::Text(bytes) => <[u8; 1]>::try_from(&bytes[..]).ok().map(|[byte]| byte),
            _ => None,
        };
        let spelled: ByteSet = tokens.iter().filter_map(single).collect();
        Self {
            productions: Productions::new(grammar, tokens, end_tokens, spelled),
            tokens: tokens.to_vec(),
        }
    }

    /// Whether no text at all belongs to the grammar.
    pub fn is_empty(&self) -> bool {
        self.productions.is_empty()
    }

    /// Whether every byte that the grammar uses is a token by itself.
    pub fn is_spelled(&self) -> bool {
        self.productions.is_spelled()
    }

    /// The chart before any token.
    pub fn start(&self) -> Chart {
        Chart::start(&self.productions)
    }

    /// The chart after one more token, or `None` where no text of the grammar goes on with it.
    pub fn after(&self, chart: &Chart, token: u32) -> Option<Chart> {
        let bytes = match self.tokens.get(token as usize)? {
            Token::Text(bytes) => &bytes[..],
            Token::Special(_) => &[],
            Token::Unused => return None,
        };
        chart.after(&self.productions, token, bytes)
    }

    /// Whether some text of the grammar goes on with the token.
    pub fn viable(&self, chart: &Chart, token: u32) -> bool {
        self.after(chart, token).is_some()
    }

    /// The chart with only those readings that token references and tokens of a single byte can finish, or `None`
    /// where there are none.
    pub fn spelled(&self, chart: Chart) -> Option<Chart> {
        chart.spelled(&self.productions)
    }

    /// Whether the last token brought something that can be read in two ways, so that some text has two parses.
    pub fn ambiguous(&self, chart: &Chart) -> bool {
        chart.ambiguous()
    }

    /// Whether the text so far is a whole one.
    pub fn complete(&self, chart: &Chart) -> bool {
        chart.complete(&self.productions)
    }
}
