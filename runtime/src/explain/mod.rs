//! Explains why a token or a text is refused: the byte at fault, the bytes allowed instead, and the schemas that
//! require them.
//!
//! | file | content |
//! | --- | --- |
//! | `mod` | explanations of tokens and texts |
//! | `places` | the rules and the places in the source of a position |
//!
//! Places come from the artifact's section PLACES; an artifact without it has rules alone.
//!
//! Cost: O(bytes of the token), the closure of the position, and O(own call edges) for a position within a shared rule.
//! The first completion of a grammar computes the costs of its states.
//!
//! Tests: `tests/tests/suite/places.rs`, `bindings/python/tests/test_matcher.py`.

mod places;

use grammarc_artifacts::TokenKind;

use crate::bytes::ByteMatcher;
use crate::ending::{Unit, shortest};
use crate::grammar::Grammar;
use crate::matcher::Matcher;
use crate::step::input::Input;
use crate::step::machine::Limits;
use crate::step::sequence::{Scratch, Sequence};

/// Longest completion of an output, in bytes. Longer completions are not reported.
const LONGEST_COMPLETION: usize = 1 << 10;

/// The explanation of a position in a text: the bytes allowed there, and the schemas and rules that apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Whether the token or text is allowed. `places` to `completion` describe the position after its accepted bytes.
    pub is_allowed: bool,
    /// Number of bytes of the token or text that are allowed.
    pub accepted: usize,
    /// The first refused byte. `None` if all bytes are accepted, or if the token is special. A token may still be
    /// refused if no token may end there.
    pub byte: Option<u8>,
    /// JSON pointers to the schemas that apply at the position. Empty if the artifact has no section PLACES.
    pub places: Vec<String>,
    /// Names of the grammar's rules at the position, the innermost first.
    pub rules: Vec<String>,
    /// The bytes that may follow, ascending.
    pub next: Vec<u8>,
    /// Whether the text may end at the position.
    pub may_end: bool,
    /// The shortest bytes from the position to an end of the text. `None` if the shortest end needs 1,024 bytes or
    /// more, or special tokens.
    pub completion: Option<Vec<u8>>,
}

/// A copy of a matcher's sequence that is advanced byte by byte.
struct Probe<'g> {
    grammar: &'g Grammar,
    limits: Limits,
    sequence: Sequence,
    scratch: Scratch,
}

impl Probe<'_> {
    /// Advances over bytes up to the first one that is refused or exceeds a limit. Returns the number of bytes before
    /// it.
    fn advance(&mut self, bytes: &[u8]) -> usize {
        let mut accepts = |byte: u8| {
            let input = Input::Byte(&[byte]);
            self.sequence.advance(self.grammar, self.limits, &mut self.scratch, input) == Ok(true)
        };
        bytes.iter().take_while(|&&byte| accepts(byte)).count()
    }

    /// Describes the current position: what may follow, and the schemas and rules that say so.
    fn explanation(mut self) -> Explanation {
        let Self { grammar, limits, sequence, scratch } = &mut self;
        let next = sequence.first_bytes(grammar, *limits, scratch);
        let next = next.map(|first| first.bytes.iter().collect()).unwrap_or_default();
        let may_end = sequence.is_accepting(grammar, &scratch.position);
        let (tables, costs) = (grammar.tables(), grammar.costs());
        let frames = &sequence.frames;
        let route = shortest(tables, costs, frames, &scratch.position, LONGEST_COMPLETION);
        let route = route.filter(|units| units.len() < LONGEST_COMPLETION);
        let bytes = route.map(|units| {
            units.into_iter().map(|unit| match unit {
                Unit::Byte(byte) => Some(byte),
                Unit::Token(_) => None,
            })
        });
        let completion = bytes.and_then(Iterator::collect);
        let (places, rules) = places::of(grammar, frames, &scratch.position);
        Explanation { next, may_end, completion, places, rules, ..Explanation::default() }
    }
}

impl Matcher {
    /// Explains whether a token is allowed at the current position. If not, reports its first refused byte and the
    /// bytes allowed instead. The matcher does not move. Tokens outside the vocabulary are explained as tokens without
    /// bytes.
    ///
    /// Explanations have bytes of the grammar and names of its source. They never contain text of the output.
    pub fn explain(&self, token: u32) -> Explanation {
        let grammar = self.grammar();
        let vocabulary = grammar.vocabulary().artifact();
        let is_text =
            token < vocabulary.token_count() && vocabulary.token_kind(token) == TokenKind::Text;
        let bytes = if is_text { grammar.vocabulary().token_bytes(token) } else { &[] };
        let is_allowed = self.fork().accept(token).is_ok();
        let mut probe = Probe {
            grammar,
            limits: self.limits(),
            sequence: self.sequence().clone(),
            scratch: Scratch::default(),
        };
        probe.sequence.load(&mut probe.scratch);
        let accepted = probe.advance(bytes);
        let byte = bytes.get(accepted).copied();
        Explanation { is_allowed, accepted, byte, ..probe.explanation() }
    }
}

impl ByteMatcher {
    /// Explains whether bytes are allowed at the current position. If not, reports the first refused byte and the bytes
    /// allowed instead. The matcher does not move. Without bytes, describes the current position.
    pub fn explain(&self, bytes: &[u8]) -> Explanation {
        let (grammar, limits, sequence, position) = self.parts();
        let mut scratch = Scratch::default();
        scratch.position.clone_from(position);
        let mut probe = Probe { grammar, limits, sequence: sequence.clone(), scratch };
        let accepted = probe.advance(bytes);
        let byte = bytes.get(accepted).copied();
        Explanation { is_allowed: byte.is_none(), accepted, byte, ..probe.explanation() }
    }
}
