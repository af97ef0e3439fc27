//! Opened grammars, with the tables that are derived from them.
//!
//! A [`Grammar`] is a handle. A clone shares the mapped bytes, and so does another handle made of the same artifact
//! handle. [`grammarc_artifacts`] checked everything that a matcher relies on when the artifact was opened.
//!
//! # Derived data
//!
//! Mask rows and token lists, the large tables, are read in place in the file. The other tables of a step are derived
//! and kept on the heap, once for all handles of an artifact: [`Moves`], [`Chains`] and the texts of tokens. A
//! vocabulary takes a megabyte or two. A grammar takes 28 bytes for each state, and some two hundred for each of a few
//! rows of moves.
//!
//! The moves of a grammar are derived when a matcher first reads a token. The first mask, for which the host waits,
//! needs no moves. The costs of endings and the markers of regions are derived on first use. All else is derived on
//! opening.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::tables::Joined;
use grammarc_artifacts::{EarlyArtifact, Error, GrammarArtifact, MaskPool};

use crate::distinct::rules::DistinctRules;
use crate::ending::costs::Costs;
use crate::error::NotCompletion;
use crate::mask::chains::{Chains, MaskChains};
use crate::mask::pool;
use crate::position::Configuration;
use crate::position::stack::BOTTOM;
use crate::position::state_ranges::StateRanges;
use crate::sort::sort_and_dedup;
use crate::splitter::markers::Markers;
use crate::step::machine::{Limits, Machine};
use crate::step::moves::Moves;
use crate::step::run::Runner;
use crate::vocabulary::Vocabulary;

/// A compiled grammar, shared by any number of matchers on any number of threads.
#[derive(Clone, Debug)]
pub struct Grammar {
    artifact: GrammarArtifact,
    derived: Arc<Derived>,
    /// Digest of the unmasked grammar that this grammar completes. An imported position may carry this digest instead
    /// of the grammar's own. `None` if the grammar completes none.
    unmasked_digest: Option<[u8; 32]>,
}

/// Data that is derived from a grammar artifact. The artifact holds a reference to this data, so the data does not hold
/// one to the artifact.
#[derive(Debug)]
struct Derived {
    vocabulary: Vocabulary,
    /// States of all rules with a monotone countdown: of the vocabulary's shared rules and of the grammar's own rules.
    monotone: StateRanges,
    distinct: DistinctRules,
    /// States of the grammar's rules that are packed string sets (finite sets of many strings, each stored as an
    /// automaton).
    packed: StateRanges,
    /// Bitmask with the tokens of all token edges, 32 tokens in a word. Empty if the grammar has no token edges.
    edge_tokens: Vec<u32>,
    deferred: Deferred,
    chains: Chains,
    /// Id of the first state of the grammar itself. Smaller ids are states of the vocabulary's shared rules.
    first_own: u32,
    start_state: u32,
    /// Completion of an unmasked grammar. `None` for a grammar that was opened with its masks.
    completion: Option<Completion>,
    /// Whether some positions allow tokens that no stored mask has. Cached, since every mask asks.
    has_unstored: bool,
}

/// Tables that are derived on first use, not on opening.
#[derive(Debug, Default)]
struct Deferred {
    moves: OnceLock<Moves>,
    costs: OnceLock<Costs>,
    markers: OnceLock<Vec<Option<Markers>>>,
}

/// Holds the complete grammar that replaces an unmasked grammar, once its masks are computed.
#[derive(Debug, Default)]
struct Completion {
    grammar: OnceLock<Grammar>,
}

impl Derived {
    /// Derives the tables that a mask needs. O(states, edges and follow entries).
    fn new(artifact: &GrammarArtifact, completion: Option<Completion>) -> Self {
        let joined = artifact.joined();
        let vocabulary = Vocabulary::from(artifact.vocabulary().clone());
        let monotone = StateRanges::of_rules(joined.own.rules, rule_flags::MONOTONE);
        let packed = StateRanges::of_rules(joined.own.rules, rule_flags::PACKED_STRINGS);
        Self {
            has_unstored: completion.is_some() || !packed.is_empty(),
            monotone: vocabulary.monotone().followed_by(&monotone),
            distinct: DistinctRules::new(&joined),
            packed,
            edge_tokens: edge_tokens(&joined),
            deferred: Deferred::default(),
            chains: Chains::new(&joined, &joined.own),
            first_own: joined.own.bases.states,
            start_state: artifact.start_state(),
            completion,
            vocabulary,
        }
    }
}

impl Grammar {
    /// Maps a grammar artifact. The file must not change, as with [`Vocabulary::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or was compiled for another vocabulary.
    pub fn open(path: impl AsRef<Path>, vocabulary: &Vocabulary) -> Result<Self, Error> {
        GrammarArtifact::open(path.as_ref(), vocabulary.artifact()).map(Self::from)
    }

    /// Reads a grammar artifact into memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or was compiled for another vocabulary.
    pub fn read(path: impl AsRef<Path>, vocabulary: &Vocabulary) -> Result<Self, Error> {
        GrammarArtifact::read(path.as_ref(), vocabulary.artifact()).map(Self::from)
    }

    /// Maps a standalone grammar artifact, with the vocabulary that is embedded in it. The file must not change, as
    /// with
    /// [`Vocabulary::open`].
    ///
    /// Each such grammar opens its own vocabulary. To serve several grammars, open their vocabulary once and use
    /// [`Grammar::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or has no vocabulary in it.
    pub fn open_standalone(path: impl AsRef<Path>) -> Result<Self, Error> {
        GrammarArtifact::open_standalone(path.as_ref()).map(Self::from)
    }

    /// Returns the grammar of an opened artifact, such as an artifact compiled in this process. All grammars made of
    /// one artifact handle or its clones share their derived data.
    pub fn from_artifact(artifact: GrammarArtifact) -> Self {
        let derive = || Arc::new(Derived::new(&artifact, None));
        let derived = artifact.attachment(derive).cloned().unwrap_or_else(derive);
        Self { artifact, derived, unmasked_digest: None }
    }

    /// Returns an *unmasked* grammar: a grammar whose masks are still being computed. It allows the tokens that the
    /// complete grammar allows. Each mask is found by a walk along the token trie, in microseconds to some tens of
    /// milliseconds.
    ///
    /// A matcher switches to the complete grammar at its first mask after [`Grammar::complete`].
    pub fn early(artifact: EarlyArtifact) -> Self {
        let artifact = artifact.into_artifact();
        let derived = Arc::new(Derived::new(&artifact, Some(Completion::default())));
        Self { artifact, derived, unmasked_digest: None }
    }

    /// Gives the masks of `complete` to this unmasked grammar, its clones and their matchers. Has no effect on a
    /// grammar that has masks.
    ///
    /// # Errors
    ///
    /// `complete` has another network of rules or another vocabulary, or is itself unmasked.
    pub fn complete(&self, complete: &Self) -> Result<(), NotCompletion> {
        let (own, other) = (self.tables().own, complete.tables().own);
        let vocabulary = |grammar: &Self| {
            let vocabulary = grammar.artifact.vocabulary();
            (vocabulary.fingerprint(), vocabulary.shared_digest())
        };
        let same_vocabulary = vocabulary(self) == vocabulary(complete);
        let start = |grammar: &Self| grammar.derived.start_state;
        let is_same = own.has_network_of(&other) && start(self) == start(complete);
        if !same_vocabulary || !is_same || complete.is_early() {
            return Err(NotCompletion);
        }
        if let Some(completion) = &self.derived.completion {
            // A second thread that completes the grammar brings the same masks.
            let complete = Self { unmasked_digest: Some(self.digest()), ..complete.clone() };
            completion.grammar.set(complete).ok();
        }
        Ok(())
    }

    /// Whether the grammar was created without masks, by [`Grammar::early`]. Still true after completion: see
    /// [`Grammar::completed`].
    #[inline]
    pub fn is_early(&self) -> bool {
        self.derived.completion.is_some()
    }

    /// Returns the complete grammar of an unmasked one. `None` before [`Grammar::complete`], and for a grammar with
    /// masks.
    #[inline]
    pub fn completed(&self) -> Option<&Self> {
        self.derived.completion.as_ref()?.grammar.get()
    }

    /// Returns the grammar artifact. The artifact of an unmasked grammar has no masks, so do not write it to disk.
    pub fn artifact(&self) -> &GrammarArtifact {
        &self.artifact
    }

    /// Returns the vocabulary for which the grammar was compiled.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.derived.vocabulary
    }

    /// Returns the checksum of the grammar artifact, which identifies the grammar.
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.artifact.checksum()
    }

    /// Returns the digest of the unmasked grammar that this grammar completes. `None` if it completes none.
    pub(crate) fn unmasked_digest(&self) -> Option<[u8; 32]> {
        self.unmasked_digest
    }

    /// Whether two grammars share their derived data.
    #[cfg(test)]
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.derived, &other.derived)
    }

    /// Returns the configuration before any input: the start state, register 0 and an empty stack.
    pub(crate) fn initial(&self) -> Configuration {
        Configuration { state: self.derived.start_state, count: 0, frame: BOTTOM }
    }

    /// Returns a bitmask with the tokens of all token edges, 32 tokens in a word. Empty if the grammar has no token
    /// edges.
    pub(crate) fn edge_tokens(&self) -> &[u32] {
        &self.derived.edge_tokens
    }

    /// Whether the label of some token edge contains this token.
    #[inline]
    pub(crate) fn has_edge_on(&self, token: u32) -> bool {
        let word = self.derived.edge_tokens.get((token / u32::BITS) as usize);
        word.is_some_and(|word| word >> (token % u32::BITS) & 1 != 0)
    }

    /// Returns the moves of all states, for a [run](crate::step::run). The first call derives the moves of the
    /// grammar's own rules, in some hundred nanoseconds a state.
    #[inline]
    pub(crate) fn runner(&self) -> Runner<'_> {
        Runner {
            shared: self.derived.vocabulary.moves(),
            own: self.derived.deferred.moves.get().unwrap_or_else(|| self.derive_moves()),
            first_own: self.derived.first_own,
        }
    }

    /// Derives the moves of the grammar's own rules.
    #[cold]
    #[inline(never)]
    fn derive_moves(&self) -> &Moves {
        let joined = self.tables();
        self.derived.deferred.moves.get_or_init(|| Moves::new(&joined, &joined.own))
    }

    /// Returns the least cost, in tokens or bytes, from each state to the end of its rule. The first call derives the
    /// costs, in O(states).
    pub(crate) fn costs(&self) -> &Costs {
        self.derived.deferred.costs.get_or_init(|| Costs::new(self.tables()))
    }

    /// Returns the markers of each region, for the splitter: the byte strings that begin and end the region. The first
    /// call derives them, in O(bytes of the markers).
    pub(crate) fn markers(&self) -> &[Option<Markers>] {
        let derive = || Markers::of_regions(&self.artifact.meta().regions);
        self.derived.deferred.markers.get_or_init(derive)
    }

    /// Returns the tables that lead from a state to its stored masks, for the shared rules and the grammar's own.
    #[inline]
    pub(crate) fn chains(&self) -> MaskChains<'_> {
        MaskChains {
            shared: self.derived.vocabulary.chains(),
            own: &self.derived.chains,
            first_own: self.derived.first_own,
        }
    }

    /// Returns all stored masks of the grammar and its vocabulary, read in place.
    #[inline]
    pub(crate) fn pool(&self) -> MaskPool<'_> {
        self.artifact.pool()
    }

    /// Returns the tables of the vocabulary and of the grammar, read in place. The call takes the addresses of some
    /// twenty tables, so a [run](crate::step::run) avoids it.
    pub(crate) fn tables(&self) -> Joined<'_> {
        self.artifact.joined()
    }

    /// Returns the [machine](crate::step::machine), which makes the steps with several possible moves.
    pub(crate) fn machine(&self, limits: Limits) -> Machine<'_> {
        let Derived { monotone, packed, distinct, .. } = &*self.derived;
        Machine { tables: self.tables(), monotone, packed, distinct, limits }
    }

    /// Returns a machine that accepts items equal to earlier ones, also in rules whose items must differ.
    pub(crate) fn lenient_machine(&self, limits: Limits) -> Machine<'_> {
        static NONE: DistinctRules = DistinctRules::none();
        Machine { distinct: &NONE, ..self.machine(limits) }
    }

    /// Whether some positions allow tokens that no stored mask has. True for an unmasked grammar, and for a grammar
    /// with packed string sets.
    #[inline]
    pub(crate) fn has_unstored(&self) -> bool {
        self.derived.has_unstored
    }

    /// Returns the states of the rules that are packed string sets (finite sets of many strings).
    #[inline]
    pub(crate) fn packed(&self) -> &StateRanges {
        &self.derived.packed
    }

    /// Returns the distinct rules: rules whose items must differ, such as `uniqueItems`.
    #[inline]
    pub(crate) fn distinct(&self) -> &DistinctRules {
        &self.derived.distinct
    }
}

/// Returns the union of the token sets of all token edges, as a bitmask with 32 tokens in a word. Empty without token
/// edges.
fn edge_tokens(joined: &Joined<'_>) -> Vec<u32> {
    let edges = joined.shared.token_edges.iter().chain(joined.own.token_edges);
    let mut masks: Vec<u32> = edges.map(|edge| edge.tokens).collect();
    sort_and_dedup(&mut masks);
    let words = if masks.is_empty() { 0 } else { joined.own.row_words as usize };
    let mut union = vec![0; words];
    let pool = MaskPool::from(joined);
    masks.iter().for_each(|&mask| pool::or_into(pool.mask(mask), 0, &mut union));
    union
}

impl From<GrammarArtifact> for Grammar {
    fn from(artifact: GrammarArtifact) -> Self {
        Self::from_artifact(artifact)
    }
}
