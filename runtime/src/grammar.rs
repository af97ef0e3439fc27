//! Opened artifacts: what all matchers share.
//!
//! Both types are handles: a clone shares the mapped bytes, and so does another that is made of the same artifact handle.
//! Everything a matcher trusts was checked when the artifact was opened, by [`grammarc_artifacts`].
//!
//! # What is derived
//!
//! The large tables, mask rows and token lists, are read where they lie in the file. The other tables of a step,
//! [`Moves`], [`Chains`] and [`Texts`], are derived and kept on the heap in the form in which a step wants them. For a
//! vocabulary that is a megabyte or two; for a grammar, 28 bytes a state and some two hundred for each of a few rows; in
//! either case once for all that is made of the same artifact handle.
//!
//! The moves of a grammar are derived when a matcher first reads a token, and all else when the artifact is opened: the
//! first mask, for which the host waits with its first step, needs no moves. The costs of ways to an end are derived when
//! one is first asked for.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use grammarc_artifacts::catalogue::RootChildren;
use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::tables::{Joined, TablesData};
use grammarc_artifacts::{EarlyArtifact, Error, GrammarArtifact, MaskPool, VocabularyArtifact};

use crate::chains::{Chains, MaskChains};
use crate::distinct::DistinctRules;
use crate::distinct::nodes::InnerNodes;
use crate::ending::costs::Costs;
use crate::error::NotCompletion;
use crate::moves::Moves;
use crate::pool;
use crate::position::Configuration;
use crate::run::Runner;
use crate::splitter::markers::Markers;
use crate::stack::BOTTOM;
use crate::state_ranges::StateRanges;
use crate::step::{Limits, Machine};
use crate::texts::{Text, Texts};

/// A vocabulary: the tokens of one tokenizer, and the masks that all its grammars share.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    artifact: VocabularyArtifact,
    derived: Arc<Derived>,
}

/// Data that is derived from a vocabulary artifact.
#[derive(Debug)]
struct Derived {
    texts: Texts,
    /// Of its rules.
    monotone: StateRanges,
    moves: Moves,
    chains: Chains,
    /// Found when a grammar with distinct rules first asks for them.
    inner_nodes: OnceLock<InnerNodes>,
    /// Found when a position within a catalogue first asks for them.
    root_children: OnceLock<RootChildren>,
}

impl Derived {
    fn new(artifact: &VocabularyArtifact) -> Self {
        let shared = artifact.tables();
        let none = TablesData::empty(shared.totals(), shared.row_words);
        let joined = Joined { shared, own: none.as_tables() };
        Self {
            texts: Texts::new(artifact),
            monotone: StateRanges::of_rules(shared.rules, rule_flags::MONOTONE),
            moves: Moves::new(&joined, &shared),
            chains: Chains::new(&joined, &shared),
            inner_nodes: OnceLock::new(),
            root_children: OnceLock::new(),
        }
    }
}

impl Vocabulary {
    /// Maps a vocabulary artifact. The file may be replaced by a rename while it is mapped, but must not be written in
    /// place or truncated; use [`Vocabulary::read`] where that cannot be promised.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a whole and valid vocabulary artifact.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        VocabularyArtifact::open(path.as_ref()).map(Self::from)
    }

    /// Reads a vocabulary artifact into memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a whole and valid vocabulary artifact.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        VocabularyArtifact::read(path.as_ref()).map(Self::from)
    }

    /// The artifact.
    pub fn artifact(&self) -> &VocabularyArtifact {
        &self.artifact
    }

    /// The name that users know the vocabulary by.
    pub fn name(&self) -> &str {
        self.artifact.name()
    }

    /// Length of the model's logit row.
    pub fn logit_width(&self) -> u32 {
        self.artifact.logit_width()
    }

    /// The tokens that end a sequence unless the host says otherwise.
    pub fn end_tokens(&self) -> &[u32] {
        self.artifact.end_tokens()
    }

    /// Bytes of a token; for a special token, its name. Empty for an id that is no token.
    pub fn token_bytes(&self, token: u32) -> &[u8] {
        self.artifact.token_bytes(token)
    }

    /// The nodes of the token trie that have children, by byte.
    pub(crate) fn inner_nodes(&self) -> &InnerNodes {
        self.derived.inner_nodes.get_or_init(|| InnerNodes::new(&self.artifact.trie()))
    }

    /// The children of the trie's root by byte.
    pub(crate) fn root_children(&self) -> &RootChildren {
        self.derived.root_children.get_or_init(|| RootChildren::new(&self.artifact.trie()))
    }

    /// The text that a token adds.
    #[inline]
    pub(crate) fn text(&self, token: u32) -> Text {
        self.derived.texts.get(token)
    }
}

impl From<VocabularyArtifact> for Vocabulary {
    fn from(artifact: VocabularyArtifact) -> Self {
        let derive = || Arc::new(Derived::new(&artifact));
        let derived = artifact.attachment(derive).cloned().unwrap_or_else(derive);
        Self { artifact, derived }
    }
}

/// A compiled grammar, shared by any number of matchers on any number of threads.
#[derive(Clone, Debug)]
pub struct Grammar {
    artifact: GrammarArtifact,
    derived: Arc<Shared>,
    /// The digest of the early grammar that it completes, under which positions may have been exported.
    before: Option<[u8; 32]>,
}

/// Data that is derived from a grammar artifact. It does not hold the artifact, which holds it.
#[derive(Debug)]
struct Shared {
    vocabulary: Vocabulary,
    /// Of the vocabulary's rules and its own.
    monotone: StateRanges,
    distinct: DistinctRules,
    /// Of the rules that are catalogues.
    catalogues: StateRanges,
    /// Mask words with the tokens that token edges carry; empty where there are no token edges.
    edge_tokens: Vec<u32>,
    /// Derived when a token is first read.
    moves: OnceLock<Moves>,
    /// Derived when a way to an end is first asked for.
    costs: OnceLock<Costs>,
    /// Of its regions; derived when an output is first split.
    markers: OnceLock<Vec<Option<Markers>>>,
    chains: Chains,
    /// Id of the first own state.
    first_own: u32,
    start_state: u32,
    /// Of a grammar whose masks are still computed.
    early: Option<Early>,
    /// Whether some positions have tokens that no stored mask has: asked for with each mask.
    has_listed: bool,
}

/// The grammar that an early one becomes.
#[derive(Debug, Default)]
struct Early {
    complete: OnceLock<Grammar>,
}

impl Shared {
    fn new(artifact: &GrammarArtifact, early: Option<Early>) -> Self {
        let joined = artifact.joined();
        let vocabulary = Vocabulary::from(artifact.vocabulary().clone());
        let monotone = StateRanges::of_rules(joined.own.rules, rule_flags::MONOTONE);
        let catalogues = StateRanges::of_rules(joined.own.rules, rule_flags::CATALOGUE);
        Self {
            has_listed: early.is_some() || !catalogues.is_empty(),
            monotone: vocabulary.derived.monotone.followed_by(&monotone),
            distinct: DistinctRules::new(&joined),
            catalogues,
            edge_tokens: edge_tokens(&joined),
            moves: OnceLock::new(),
            costs: OnceLock::new(),
            markers: OnceLock::new(),
            chains: Chains::new(&joined, &joined.own),
            first_own: joined.own.bases.states,
            start_state: artifact.start_state(),
            early,
            vocabulary,
        }
    }
}

impl Grammar {
    /// Maps a grammar artifact. The promise about the file is that of [`Vocabulary::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or was compiled for another vocabulary.
    pub fn open(path: impl AsRef<Path>, vocabulary: &Vocabulary) -> Result<Self, Error> {
        GrammarArtifact::open(path.as_ref(), &vocabulary.artifact).map(Self::from)
    }

    /// Reads a grammar artifact into memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or was compiled for another vocabulary.
    pub fn read(path: impl AsRef<Path>, vocabulary: &Vocabulary) -> Result<Self, Error> {
        GrammarArtifact::read(path.as_ref(), &vocabulary.artifact).map(Self::from)
    }

    /// Maps a grammar artifact that stands alone, with the vocabulary that is embedded in it, which is then open once for
    /// each such grammar: where several are served, open their vocabulary once and use [`Grammar::open`]. The promise
    /// about the file is that of [`Vocabulary::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a whole and valid grammar artifact, or has no vocabulary in it.
    pub fn open_standalone(path: impl AsRef<Path>) -> Result<Self, Error> {
        GrammarArtifact::open_standalone(path.as_ref()).map(Self::from)
    }

    /// A grammar from an opened artifact, such as one that was compiled in this process. All that come from one handle or its
    /// clones share what is derived.
    pub fn from_artifact(artifact: GrammarArtifact) -> Self {
        let derive = || Arc::new(Shared::new(&artifact, None));
        let derived = artifact.attachment(derive).cloned().unwrap_or_else(derive);
        Self { artifact, derived, before: None }
    }

    /// A grammar whose masks are still computed: it allows the same tokens as the complete one, found by a walk for each mask
    /// that is asked for, in microseconds to some tens of milliseconds. Its matchers go over to the complete grammar with
    /// the first mask that they are asked for after [`Grammar::complete`].
    pub fn early(artifact: EarlyArtifact) -> Self {
        let artifact = artifact.into_artifact();
        let derived = Arc::new(Shared::new(&artifact, Some(Early::default())));
        Self { artifact, derived, before: None }
    }

    /// Gives an early grammar its masks: all its clones and matchers have them from now on. Nothing where it has them, or was
    /// never early.
    ///
    /// # Errors
    ///
    /// The other is not the same network: it is another source's, or another vocabulary's.
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
        if let Some(early) = &self.derived.early {
            // A second thread that completes it brings the same masks.
            let complete = Self { before: Some(self.digest()), ..complete.clone() };
            early.complete.set(complete).ok();
        }
        Ok(())
    }

    /// Whether it is an early grammar. It stays one when it is completed: see [`Grammar::completed`].
    #[inline]
    pub fn is_early(&self) -> bool {
        self.derived.early.is_some()
    }

    /// The complete grammar of an early one, once it is there.
    #[inline]
    pub fn completed(&self) -> Option<&Self> {
        self.derived.early.as_ref()?.complete.get()
    }

    /// The artifact. That of an early grammar has no masks and is of no use to others.
    pub fn artifact(&self) -> &GrammarArtifact {
        &self.artifact
    }

    /// The vocabulary that the grammar was compiled for.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.derived.vocabulary
    }

    /// Identifies the grammar: the checksum of its artifact.
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.artifact.checksum()
    }

    /// The digest of the early grammar that it completes.
    pub(crate) fn digest_before(&self) -> Option<[u8; 32]> {
        self.before
    }

    /// Whether two grammars share their derived data.
    #[cfg(test)]
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.derived, &other.derived)
    }

    /// The position before any input: the first state of the start rule on an empty stack.
    pub(crate) fn initial(&self) -> Configuration {
        Configuration { state: self.derived.start_state, count: 0, frame: BOTTOM }
    }

    /// A bit for each token that a token edge carries; no words where there is none.
    pub(crate) fn edge_tokens(&self) -> &[u32] {
        &self.derived.edge_tokens
    }

    /// Whether a token edge carries a token.
    #[inline]
    pub(crate) fn has_edge_on(&self, token: u32) -> bool {
        let word = self.derived.edge_tokens.get((token / u32::BITS) as usize);
        word.is_some_and(|word| word >> (token % u32::BITS) & 1 != 0)
    }

    /// The moves of all states. The first call derives the grammar's own, in some hundred nanoseconds a state.
    #[inline]
    pub(crate) fn runner(&self) -> Runner<'_> {
        Runner {
            shared: &self.derived.vocabulary.derived.moves,
            own: self.derived.moves.get().unwrap_or_else(|| self.derive_moves()),
            first_own: self.derived.first_own,
        }
    }

    #[cold]
    #[inline(never)]
    fn derive_moves(&self) -> &Moves {
        let joined = self.tables();
        self.derived.moves.get_or_init(|| Moves::new(&joined, &joined.own))
    }

    /// The cost of the shortest way from each state to the end of its rule. The first call derives it, in O(states).
    pub(crate) fn costs(&self) -> &Costs {
        self.derived.costs.get_or_init(|| Costs::new(self.tables()))
    }

    /// The markers of its regions. The first call derives them, in O(their length).
    pub(crate) fn markers(&self) -> &[Option<Markers>] {
        let derive = || Markers::of_regions(&self.artifact.meta().regions);
        self.derived.markers.get_or_init(derive)
    }

    /// The mask chains of all states.
    #[inline]
    pub(crate) fn chains(&self) -> MaskChains<'_> {
        MaskChains {
            shared: &self.derived.vocabulary.derived.chains,
            own: &self.derived.chains,
            first_own: self.derived.first_own,
        }
    }

    /// All masks, as they lie in the artifacts.
    #[inline]
    pub(crate) fn pool(&self) -> MaskPool<'_> {
        self.artifact.pool()
    }

    /// The tables as they lie in the artifacts. Takes the addresses of some twenty tables, so it is for what
    /// [`run`](crate::run) leaves open.
    pub(crate) fn tables(&self) -> Joined<'_> {
        self.artifact.joined()
    }

    /// The machine, which makes the steps that [`run`](crate::run) does not handle.
    pub(crate) fn machine(&self, limits: Limits) -> Machine<'_> {
        let Shared { monotone, catalogues, distinct, .. } = &*self.derived;
        Machine { tables: self.tables(), monotone, catalogues, distinct, limits }
    }

    /// The same machine, which allows equal items in distinct rules.
    pub(crate) fn lenient_machine(&self, limits: Limits) -> Machine<'_> {
        static NONE: DistinctRules = DistinctRules::none();
        Machine { distinct: &NONE, ..self.machine(limits) }
    }

    /// Whether some positions have tokens that no stored mask has: the grammar is early, or has catalogues.
    #[inline]
    pub(crate) fn has_listed(&self) -> bool {
        self.derived.has_listed
    }

    /// The states of rules that are catalogues.
    #[inline]
    pub(crate) fn catalogues(&self) -> &StateRanges {
        &self.derived.catalogues
    }

    /// The rules whose items differ.
    #[inline]
    pub(crate) fn distinct(&self) -> &DistinctRules {
        &self.derived.distinct
    }
}

/// The union of the tokens that token edges carry, as mask words.
fn edge_tokens(joined: &Joined<'_>) -> Vec<u32> {
    let edges = joined.shared.token_edges.iter().chain(joined.own.token_edges);
    let mut masks: Vec<u32> = edges.map(|edge| edge.tokens).collect();
    masks.sort_unstable();
    masks.dedup();
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
