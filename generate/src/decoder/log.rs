//! The log of an output: its tokens and their text.

use grammarc_artifacts::TokenKind;
use grammarc_runtime::Vocabulary;

/// A position in an output: the number of text bytes and the number of special tokens before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) bytes: usize,
    pub(super) specials: usize,
}

/// A token of the output.
#[derive(Clone, Copy, Debug)]
struct Written {
    token: u32,
    /// The position after the token.
    end: Place,
}

/// The tokens and the text of an output so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    bytes: Vec<u8>,
    tokens: Vec<Written>,
    /// For each special token, the number of text bytes before it, and its id.
    specials: Vec<(usize, u32)>,
}

impl Log {
    pub(super) fn push(&mut self, token: u32, vocabulary: &Vocabulary) {
        match vocabulary.artifact().token_kind(token) {
            TokenKind::Text => self.bytes.extend_from_slice(vocabulary.token_bytes(token)),
            TokenKind::Special => self.specials.push((self.bytes.len(), token)),
            // An unused id has no text.
            TokenKind::Unused => {}
        }
        let end = self.end();
        self.tokens.push(Written { token, end });
    }

    /// Removes all tokens after the first `tokens`, with their text.
    pub(super) fn truncate(&mut self, tokens: usize) {
        let end = self.end_of(tokens);
        self.tokens.truncate(tokens);
        self.bytes.truncate(end.bytes);
        self.specials.truncate(end.specials);
    }

    /// Returns the position after the first `tokens` tokens.
    pub(super) fn end_of(&self, tokens: usize) -> Place {
        tokens
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map_or_else(Place::default, |last| last.end)
    }

    pub(super) fn end(&self) -> Place {
        Place { bytes: self.bytes.len(), specials: self.specials.len() }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn token(&self, at: usize) -> u32 {
        self.tokens[at].token
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the special tokens from index `from` on, each with the number of text bytes before
    /// it.
    pub(super) fn specials_from(&self, from: usize) -> &[(usize, u32)] {
        &self.specials[from.min(self.specials.len())..]
    }

    /// Returns the first index of the last tokens that together have at least `bytes` bytes. These
    /// tokens are text and start with a whole character. They have fewer bytes only after a special
    /// token or at the start of the output.
    pub(super) fn tail(&self, bytes: usize) -> usize {
        let mut from = self.tokens.len();
        while let Some(at) = from.checked_sub(1) {
            let (start, end) = (self.end_of(at), self.tokens[at].end);
            let is_text = start.specials == end.specials;
            let enough = self.bytes.len() - self.end_of(from).bytes >= bytes;
            if !is_text || (enough && self.begins_character(self.end_of(from).bytes)) {
                break;
            }
            from = at;
        }
        while from < self.tokens.len() && !self.begins_character(self.end_of(from).bytes) {
            from += 1;
        }
        from
    }

    /// Whether the byte at an offset starts a character. True at the end of the text.
    fn begins_character(&self, at: usize) -> bool {
        self.bytes.get(at).is_none_or(|byte| byte & 0xC0 != 0x80)
    }
}
