//! Regular languages of texts: shared minimal automata with the facts that sets ask for.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHasher;

use super::lengths;
use super::product::{self, Operation};
use crate::automata::{Dfa, StateLimit};
use crate::frontend::class::all_texts;

/// A language that is not empty. Clones share the automaton, and equality is that of the language.
#[derive(Clone, Debug)]
pub(super) struct Language(Arc<Facts>);

#[derive(Debug)]
struct Facts {
    /// Minimal, in canonical numbering, over UTF-8.
    dfa: Dfa,
    hash: u64,
    /// Length in characters of the shortest text.
    shortest: u32,
    /// Length of the longest, if there is one.
    longest: Option<u32>,
    /// The state from which every text is accepted.
    universal: Option<u32>,
    /// The format that these are the texts of, where they come from one.
    format: Option<&'static str>,
}

impl Language {
    /// The language of an automaton that is minimal, canonical and accepts nothing but UTF-8; none where it is empty.
    pub(super) fn new(dfa: Dfa) -> Option<Self> {
        Self::named(dfa, None)
    }

    /// The same where these are the texts of a format.
    pub(super) fn named(dfa: Dfa, format: Option<&'static str>) -> Option<Self> {
        if dfa.is_never() {
            return None;
        }
        let mut hasher = FxHasher::default();
        dfa.hash(&mut hasher);
        let (shortest, longest) = lengths::of_states(&dfa)[0];
        let universal = product::universal(&dfa);
        let hash = hasher.finish();
        Some(Self(Arc::new(Facts { hash, shortest, longest, universal, format, dfa })))
    }

    /// All texts.
    pub(super) fn all() -> Self {
        static ALL: OnceLock<Language> = OnceLock::new();
        ALL.get_or_init(|| Self::new(all_texts().clone()).expect("there are texts")).clone()
    }

    /// Whether these are all texts.
    pub(super) fn is_all(&self) -> bool {
        self.0.universal == Some(0)
    }

    /// The automaton.
    pub(super) fn dfa(&self) -> &Dfa {
        &self.0.dfa
    }

    /// The state from which every text is accepted.
    pub(super) fn universal(&self) -> Option<u32> {
        self.0.universal
    }

    /// The format that these are the texts of, where they come from one.
    pub(super) fn format(&self) -> Option<&'static str> {
        self.0.format
    }

    /// Length in characters of the shortest text.
    pub(super) fn shortest(&self) -> u32 {
        self.0.shortest
    }

    /// Length in characters of the longest text, if there is one.
    pub(super) fn longest(&self) -> Option<u32> {
        self.0.longest
    }

    /// The texts that the operation takes from both; none where there are none.
    pub(super) fn combine(
        &self,
        other: &Self,
        operation: Operation,
        limit: usize,
    ) -> Result<Option<Self>, StateLimit> {
        let same = self == other;
        match operation {
            Operation::And if same || other.is_all() => return Ok(Some(self.clone())),
            Operation::And if self.is_all() => return Ok(Some(other.clone())),
            Operation::Or if same || self.is_all() => return Ok(Some(self.clone())),
            Operation::Or if other.is_all() => return Ok(Some(other.clone())),
            Operation::Minus if same || other.is_all() => return Ok(None),
            _ => {}
        }
        let operands = [self, other].map(|one| (one.dfa(), one.universal()));
        Ok(Self::new(match operation {
            Operation::Minus if self.is_all() => product::complement(operands[1], limit)?,
            _ => product::combine(operands, operation, limit)?,
        }))
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.hash == other.0.hash && self.0.dfa == other.0.dfa
    }
}

impl Eq for Language {}

impl Hash for Language {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
