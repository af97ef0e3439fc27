//! Explains why a token or a text is refused: the byte at fault, what may come in its place, and where in the source that
//! is said.
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

/// Most bytes of the text that completes an output.
const LONGEST_COMPLETION: usize = 1 << 10;

/// What may come at a place in a text, and where that is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Whether the token or text is allowed. The rest describes the place behind it then.
    pub is_allowed: bool,
    /// Number of bytes of the token or text that are allowed.
    pub accepted: usize,
    /// The byte that is refused. `None` if the token is special, if it is allowed, or if no token may end behind its
    /// bytes.
    pub byte: Option<u8>,
    /// JSON pointers to the schemas that say what comes at that place. Empty if the artifact has no places.
    pub places: Vec<String>,
    /// Names of the grammar's rules at that place, the innermost first.
    pub rules: Vec<String>,
    /// The bytes that may come there, ascending.
    pub next: Vec<u8>,
    /// Whether the text may end there.
    pub may_end: bool,
    /// The shortest bytes from there to an end of the text. `None` if there are none within 1,024 bytes, or they need
    /// special tokens.
    pub completion: Option<Vec<u8>>,
}

/// A sequence that is advanced byte by byte, apart from its matcher.
struct Probe<'g> {
    grammar: &'g Grammar,
    limits: Limits,
    sequence: Sequence,
    scratch: Scratch,
}

impl Probe<'_> {
    /// Advances over bytes up to the first that is refused, or that meets a limit. Returns the number of bytes before it.
    fn advance(&mut self, bytes: &[u8]) -> usize {
        let mut accepts = |byte: u8| {
            let input = Input::Byte(&[byte]);
            self.sequence.advance(self.grammar, self.limits, &mut self.scratch, input) == Ok(true)
        };
        bytes.iter().take_while(|&&byte| accepts(byte)).count()
    }

    /// Returns what may come behind the bytes so far.
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
    /// Explains whether a token is allowed here, and otherwise which of its bytes is refused and what may come in its
    /// place. The matcher does not move. Works for tokens outside the vocabulary too, which have no bytes.
    ///
    /// Explanations have bytes of the grammar and names of its source, and no text of the output.
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
    /// Explains whether bytes are allowed here, and otherwise which of them is refused and what may come in its place. The
    /// matcher does not move. With no bytes, describes the current position.
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
