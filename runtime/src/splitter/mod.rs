//! Splits an output into its parts: reasoning, text, and calls of tools with their names and arguments.
//!
//! ```text
//! tokens or bytes -> threads: the parses of the output, each in the scope of a region
//!                 -> pending: a layer is decided once all parses agree on it
//!                 -> cut:     pieces of markup, content, and free text up to its markers
//! ```
//!
//! The grammar that constrains an output also splits it. Its [regions](Region), the parts of the output, are rules, so
//! the text is not searched. If a grammar has several parses of an output, a piece is returned once the remaining
//! parses agree on it. If they never agree, the first parse counts.
//!
//! | file | content |
//! | --- | --- |
//! | `threads` | all parses of the output so far |
//! | `scopes` | scopes: calls of regions in progress |
//! | `pending` | input that is not decided yet |
//! | `markers` | the automaton of the markers of free text |
//! | `cut` | pieces, from decided input |
//!
//! Cost: O(configurations) for each byte; linear in the output if the grammar has one parse of it. No tables besides
//! the artifact's.
//!
//! Tests: `tests/tests/suite/splitter.rs`.

mod cut;
pub(crate) mod markers;
mod pending;
mod scopes;
mod threads;

use grammarc_artifacts::Region;

use crate::error::{AcceptError, BytesError, LimitError};
use crate::grammar::Grammar;
use crate::options::Settings;
use crate::sort::sort;

pub use self::cut::Piece;
use self::cut::{Cutter, Regions};
use self::threads::Threads;

/// Number of bytes of one call after which decided input becomes pieces. A longer text is cut in steps, which bounds
/// the memory of undecided input.
const BLOCK: usize = 256;

/// Splits one output of a grammar while it is generated.
///
/// A piece is returned once it is certain. So text that may be the beginning of a tag is held back. The concatenated
/// pieces are the output, with the texts of special tokens. The division into tokens, or into calls of
/// [`push_bytes`](Self::push_bytes), only changes where pieces of one part end.
#[derive(Debug)]
pub struct Splitter {
    grammar: Grammar,
    settings: Settings,
    threads: Threads,
    cutter: Cutter,
    /// The special tokens that the grammar reads, each with the first byte of its text, ascending. Found when text is
    /// first read.
    names: Option<Box<[(u8, u32)]>>,
    is_finished: bool,
}

impl Splitter {
    /// Returns a splitter at the start of an output.
    pub fn new(grammar: &Grammar) -> Self {
        let settings = Settings::default_for(grammar);
        let threads = Threads::new(grammar, settings.limits);
        let grammar = grammar.clone();
        Self { grammar, settings, threads, cutter: Cutter::new(), names: None, is_finished: false }
    }

    /// Reads a token and returns the pieces that are certain now. An end token that the grammar does not take finishes
    /// the output, if the output may end here.
    ///
    /// # Errors
    ///
    /// The token is not allowed here, or a limit was met. The splitter does not change.
    pub fn push(&mut self, token: u32) -> Result<Vec<Piece>, AcceptError> {
        let width = self.settings.width;
        if token >= width {
            return Err(AcceptError::OutOfRange { token, width });
        }
        if self.is_finished {
            return Err(AcceptError::Finished { token });
        }
        let vocabulary = self.grammar.vocabulary();
        let text = vocabulary.text(token);
        let bytes = text.bytes(vocabulary.artifact(), token);
        if self.threads.read_token(&self.grammar, token, bytes)? {
            self.decide();
            return Ok(self.take());
        }
        let ends = self.settings.end_tokens.binary_search(&token).is_ok();
        if ends && self.is_accepting() {
            return Ok(self.finish());
        }
        Err(AcceptError::Refused { token })
    }

    /// Reads bytes and returns the pieces that are certain now. Special tokens have no bytes: give them to
    /// [`push`](Self::push).
    ///
    /// # Errors
    ///
    /// A byte is not allowed, a limit was met, or the output is finished. The bytes before it were read, and the next
    /// call returns their pieces.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, BytesError> {
        self.push_each(bytes, |threads, grammar, byte| threads.read_byte(grammar, byte))
    }

    /// Reads text in which special tokens are spelled, for hosts that have no tokens, and returns the pieces that are
    /// certain now. Where the grammar reads a special token, its text may be that token, or bytes that the grammar takes
    /// there. Both are parses, and the former counts if they never agree. The text may be cut anywhere, within a special
    /// token too.
    ///
    /// For text without the texts of special tokens, or where the grammar takes these as tokens only, the pieces are
    /// those that [`push`](Self::push) returns for the tokens. The text of an end token that the grammar does not take
    /// is not allowed.
    ///
    /// # Errors
    ///
    /// The errors of [`push_bytes`](Self::push_bytes).
    pub fn push_text(&mut self, text: &[u8]) -> Result<Vec<Piece>, BytesError> {
        let names = self.names.take().unwrap_or_else(|| names(&self.grammar));
        let read = self
            .push_each(text, |threads, grammar, byte| threads.read_spelled(grammar, &names, byte));
        self.names = Some(names);
        read
    }

    /// Reads the bytes of an input one by one with `read`, and returns the pieces that are certain now.
    fn push_each(
        &mut self,
        bytes: &[u8],
        read: impl Fn(&mut Threads, &Grammar, u8) -> Result<bool, LimitError>,
    ) -> Result<Vec<Piece>, BytesError> {
        if self.is_finished && !bytes.is_empty() {
            return Err(BytesError::Refused { at: 0 });
        }
        for (at, &byte) in bytes.iter().enumerate() {
            match read(&mut self.threads, &self.grammar, byte) {
                Ok(true) => {}
                Ok(false) => return Err(BytesError::Refused { at }),
                Err(limit) => return Err(BytesError::Limit { at, limit }),
            }
            if at % BLOCK == BLOCK - 1 {
                self.decide();
            }
        }
        self.decide();
        Ok(self.take())
    }

    /// Ends the output and returns the last pieces. If the output was cut off, text that was held back becomes a piece
    /// of the current part. A second call returns no pieces.
    pub fn finish(&mut self) -> Vec<Piece> {
        if !self.is_finished {
            self.threads.keep_one(&self.grammar);
            self.decide();
            self.cutter.finish(regions(&self.grammar), &mut self.threads.scopes);
            self.is_finished = true;
        }
        self.take()
    }

    /// Ends an output that was cut off. Works as [`finish`](Self::finish), but drops text at the end that may begin a
    /// tag. Returns the last pieces, and the index of the incomplete call of a tool. The index is `None` outside calls,
    /// and if the name of the called tool is not certain yet.
    pub fn cut(&mut self) -> (Vec<Piece>, Option<u32>) {
        self.threads.drop_spelling();
        self.decide();
        if !self.is_in_call() || self.is_finished || self.is_accepting() {
            // Input that was not decided yet stands behind what is held back.
            self.threads.keep_one(&self.grammar);
            self.decide();
            self.cutter.drop_held();
            return (self.finish(), None);
        }
        self.is_finished = true;
        (self.take(), self.open_call())
    }

    /// Keeps one of the parses, as [`finish`](Self::finish) does, without ending the output.
    pub fn settle(&mut self) {
        self.threads.keep_one(&self.grammar);
        self.decide();
    }

    /// Returns the index of the call within which the output is. `None` outside calls, if parses differ, and if no piece
    /// of the call is certain yet.
    pub fn open_call(&self) -> Option<u32> {
        let Threads { all, scopes, .. } = &self.threads;
        let mut calls = all.iter().map(|thread| scopes.known_call(thread.scope));
        let first = calls.next().flatten();
        first.filter(|_| calls.all(|call| call == first))
    }

    /// Whether the output is within a call of a tool, in each of its parses.
    fn is_in_call(&self) -> bool {
        let Threads { all, scopes, .. } = &self.threads;
        all.iter().all(|thread| scopes.is_in_call(thread.scope))
    }

    /// Whether the output may end here. `false` once it has ended.
    pub fn is_accepting(&self) -> bool {
        !self.is_finished && self.threads.ending(&self.grammar).is_some()
    }

    /// Whether the output has ended, by an end token, [`finish`](Self::finish) or [`cut`](Self::cut).
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns the grammar of the output.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Returns the regions of the grammar, indexed by region number. Empty if the grammar has no distinguished parts:
    /// the whole output is markup then.
    pub fn regions(&self) -> &[Region] {
        &self.grammar.artifact().meta().regions
    }

    /// Returns the name of the tool of the call with this index. `None` if there is no such call yet.
    pub fn call_name(&self, call: u32) -> Option<&str> {
        let region = *self.threads.scopes.calls().get(call as usize)?;
        Some(&self.regions()[region as usize].label)
    }

    /// Returns the name of the called tool for each call so far, in the order of the calls.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = &str> {
        let calls = self.threads.scopes.calls().iter();
        calls.map(|&region| &*self.regions()[region as usize].label)
    }

    /// Cuts the input on which all parses agree into pieces.
    fn decide(&mut self) {
        let Self { grammar, threads, cutter, .. } = self;
        let regions = regions(grammar);
        threads.decide(|scopes, node, bytes| {
            cutter.read(regions, scopes, node.scope, node.symbol, bytes);
        });
        threads.collect([&mut cutter.scope, &mut cutter.last]);
    }

    /// Removes and returns the pieces that were not returned yet.
    fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.cutter.pieces)
    }
}

/// Returns the regions of a grammar, with the markers of each.
fn regions(grammar: &Grammar) -> Regions<'_> {
    Regions { regions: &grammar.artifact().meta().regions, markers: grammar.markers() }
}

/// Returns the special tokens on which a grammar has edges, each with the first byte of its text, ascending. Tokens
/// without a text are left out.
fn names(grammar: &Grammar) -> Box<[(u8, u32)]> {
    let artifact = grammar.vocabulary().artifact();
    let read = artifact.special_tokens().iter().filter(|&&token| grammar.has_edge_on(token));
    // Pairs of a byte and a token, as one number each.
    let first = |&token: &u32| {
        let byte = *artifact.token_bytes(token).first()?;
        Some(u64::from(byte) << 32 | u64::from(token))
    };
    let mut names: Vec<u64> = read.filter_map(first).collect();
    sort(&mut names);
    names.into_iter().map(|name| ((name >> 32) as u8, name as u32)).collect()
}
