//! The pipeline of a compilation. One part leads from a lowered grammar and a vocabulary to a grammar artifact. The
//! other leads from an imported vocabulary to a vocabulary artifact with its shared rules.

use std::hash::{Hash, Hasher};
use std::num::NonZero;

use grammarc_artifacts::{
    Bases, Buffer, EarlyArtifact, GrammarArtifact, GrammarData, TablesData, TokenKind, TrieData,
    VocabularyArtifact, VocabularyData,
};

use crate::budget::{Budget, BudgetError, Phase};
use crate::controls;
use crate::costly;
use crate::diagnostics::Diagnostic;
use crate::early_ends;
use crate::emit;
use crate::ir::{Grammar, Lowered, Origin};
use crate::masks::fixpoint::token_liveness;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::{self, Inputs, MaskError, MaskLimits, Shortcut, ShortcutCounts, Shortcuts};
use crate::network::{
    self, Network, NetworkError, NetworkErrorKind, NetworkLimits, Roots, ambiguity,
};
use crate::threads::{Context, Threads};
use crate::vocabulary::{TokenTable, VocabularyLexicon};

/// The least number of states for which the bound on configurations is computed on a second thread, beside the masks.
const WORTH_A_THREAD: usize = 1024;

/// The options of a compilation. Unset options have the documented defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// The limits on the network; `None` for the defaults.
    network: Option<NetworkLimits>,
    /// The limits on the masks; `None` for the defaults.
    masks: Option<MaskLimits>,
    /// The shortcuts of the computation of masks. They affect its time and no mask.
    shortcuts: Shortcuts,
    /// The front-end options that the artifact records, as names and values.
    record: Vec<(String, String)>,
    /// Whether the artifact lacks the places of its states.
    without_places: bool,
}

impl CompileOptions {
    /// Sets the limits on the network: its rules, states and sizes.
    #[must_use]
    pub fn network_limits(mut self, limits: NetworkLimits) -> Self {
        self.network = Some(limits);
        self
    }

    /// Sets the limits on the masks.
    #[must_use]
    pub fn mask_limits(mut self, limits: MaskLimits) -> Self {
        self.masks = Some(limits);
        self
    }

    /// Leaves out a shortcut of the computation of masks, to measure it or to rule it out as the cause of an error.
    #[doc(hidden)]
    #[must_use]
    pub fn without_shortcut(mut self, shortcut: Shortcut) -> Self {
        self.shortcuts = self.shortcuts.without(shortcut);
        self
    }

    /// Sets whether the artifact has, for each state, the places in the source that say what may come next. Explanations
    /// of refused tokens name them. The default is that it has them.
    #[must_use]
    pub fn places(mut self, places: bool) -> Self {
        self.without_places = !places;
        self
    }

    /// Adds an option of the front end that the artifact records, by name and value.
    #[must_use]
    pub fn record(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.record.push((key.into(), value.into()));
        self
    }

    /// Feeds everything that affects an artifact's bytes or its existence to a hasher.
    pub(crate) fn identify(&self, state: &mut impl Hasher) {
        let Self { network, masks, shortcuts, record, without_places } = self;
        let NetworkLimits {
            rule_states,
            states,
            rules,
            packed_texts,
            count_dependent_states,
            deterministic_states,
        } = network.unwrap_or_default();
        let MaskLimits { pairs, rows } = masks.unwrap_or_default();
        (rule_states, states, rules, pairs, rows).hash(state);
        (packed_texts, count_dependent_states, deterministic_states).hash(state);
        (record, shortcuts, without_places).hash(state);
    }
}

/// Why a grammar was not compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The budget is spent.
    #[error("{error}, at rule {rule}")]
    Budget {
        /// The limit that was exceeded, and the phase of the compilation.
        error: BudgetError,
        /// The name of the rule that was being compiled.
        rule: String,
        /// The place of that rule in the source.
        origin: Box<Origin>,
    },
    /// The network of the grammar was not built.
    #[error(transparent)]
    Network(NetworkError),
    /// The masks were not computed.
    #[error("rule {rule}: {error}")]
    Masks {
        /// The limit that was exceeded.
        error: MaskError,
        /// The name of the rule whose masks were being computed.
        rule: String,
    },
    /// No sequence of tokens spells a text of the grammar.
    #[error(
        "no sequence of tokens of the vocabulary spells a text of the grammar: a byte it needs is no token"
    )]
    /// No sequence of tokens spells a string of the grammar.
    Unspellable,
    /// The artifact could not be assembled, for example because a table is too long for the format.
    #[error(transparent)]
    Artifact(#[from] grammarc_artifacts::Error),
}

impl From<NetworkError> for CompileError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError { kind: NetworkErrorKind::Budget(error), rule, origin } => {
                Self::Budget { error, rule, origin }
            }
            other => Self::Network(other),
        }
    }
}

impl CompileError {
    /// Whether the error is that a rule has too many sets of required keys. `FrontEnd::with_fewer_sets` reduces that
    /// number: more keys keep their order.
    pub(crate) fn is_of_sets(&self) -> bool {
        let Self::Network(error) = self else { return false };
        matches!(error.kind, NetworkErrorKind::Sets { .. })
    }

    /// Returns the error as a diagnostic about the source.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let (code, help) = match self {
            Self::Budget { error, .. } => (error.code(), error.help()),
            Self::Network(error) => match &error.kind {
                NetworkErrorKind::Limit { what, .. } => ("compile::limit", Some(raise(what))),
                NetworkErrorKind::Sets { .. } => (
                    "compile::limit",
                    Some("have keys in the order of the schema, or require fewer"),
                ),
                NetworkErrorKind::Budget(error) => (error.code(), error.help()),
                NetworkErrorKind::Empty => ("compile::empty", None),
                NetworkErrorKind::UnknownToken { .. } => {
                    ("compile::unknown-token", Some("name a token of this vocabulary"))
                }
                NetworkErrorKind::Regular(_) => ("compile::not-regular", None),
            },
            Self::Masks { error: MaskError::Limit { what, .. }, .. } => {
                ("compile::limit", Some(raise(what)))
            }
            Self::Masks { error: MaskError::Spent { .. }, .. } => ("compile::limit", None),
            Self::Unspellable => ("compile::unspellable", None),
            Self::Artifact(_) => ("compile::artifact", None),
        };
        let mut diagnostic = Diagnostic::error(code, self.to_string());
        diagnostic.help = help.map(str::to_owned);
        if let Self::Budget { rule, origin, .. } = self {
            if let Some(span) = origin.span.clone() {
                diagnostic = diagnostic.with_label(span, format!("in rule {rule}"));
            }
            diagnostic.pointer.clone_from(&origin.pointer);
        }
        if let Self::Network(error) = self {
            let span = match &error.kind {
                NetworkErrorKind::UnknownToken { span, .. } => span.clone(),
                _ => None,
            };
            if let Some(span) = span.or_else(|| error.origin.span.clone()) {
                diagnostic = diagnostic.with_label(span, format!("in rule {}", error.rule));
            }
            diagnostic.pointer.clone_from(&error.origin.pointer);
        }
        diagnostic
    }
}

/// Returns the help for an exceeded limit: the option that raises it. `what` is the name of the counted quantity.
fn raise(what: &str) -> &'static str {
    match what {
        "states" => "simplify this rule, or raise `--max-states`",
        "rules" | "rules of a repetition" => "simplify this rule, or raise `--max-rules`",
        "dense rows" => "simplify this rule, or raise `--max-rows`",
        "pairs of return state and exit class" => "simplify this rule, or raise `--max-pairs`",
        "bytes of a packed string set" => "take fewer or shorter texts",
        _ => "simplify this rule, or raise `--max-rule-states`",
    }
}

/// A compiled grammar, ready to be written or used in this process.
#[derive(Debug)]
pub struct Compiled {
    /// The data of the artifact.
    pub data: GrammarData,
    /// Findings about the grammar that did not stop the compilation.
    pub findings: Vec<Diagnostic>,
    /// The number of times that each shortcut of the mask computation took effect.
    #[doc(hidden)]
    pub shortcuts: ShortcutCounts,
}

impl Compiled {
    /// Makes the artifact for use in this process. [`GrammarData::to_artifact`] says what is not checked.
    ///
    /// # Errors
    ///
    /// If a table is too long for the format.
    pub fn to_artifact(&self, compiler: &Compiler) -> Result<GrammarArtifact, CompileError> {
        Ok(self.data.to_artifact(compiler.vocabulary())?)
    }

    /// Makes the artifact for use in this process and for writing it to a file.
    ///
    /// # Errors
    ///
    /// If a table is too long for the format.
    pub fn to_sealed_artifact(&self, compiler: &Compiler) -> Result<GrammarArtifact, CompileError> {
        Ok(self.data.to_sealed_artifact(compiler.vocabulary())?)
    }

    /// Returns the artifact's bytes, for `GrammarArtifact::from_buffer` or a file.
    ///
    /// # Errors
    ///
    /// If a table is too long for the format.
    pub fn to_buffer(&self, compiler: &Compiler) -> Result<Buffer, CompileError> {
        Ok(self.data.to_bytes(compiler.vocabulary())?)
    }
}

/// A compilation up to the masks.
#[derive(Debug)]
pub struct Begun {
    /// The recursive transition network of the grammar.
    network: Network,
    /// Findings about the grammar that did not stop the compilation.
    findings: Vec<Diagnostic>,
    /// The name of the source's language.
    kind: String,
    /// The options of the compilation.
    options: CompileOptions,
}

impl Begun {
    /// Returns findings about the grammar that did not stop the compilation.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Returns the network whose masks are to be computed.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Makes the grammar without masks, for a host that begins while they are computed. The runtime walks the token
    /// trie in place of the masks. O(length of the tables).
    ///
    /// # Errors
    ///
    /// If a table is too long for the format.
    pub fn early(
        &self,
        lowered: &Lowered,
        compiler: &Compiler,
    ) -> Result<EarlyArtifact, CompileError> {
        let vocabulary = compiler.vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let network = &self.network;
        let unmasked = masks::without_masks(network, shared, &compiler.known, trie);
        let data = emit::early_data(lowered, &self.kind, network, unmasked, &compiler.lexicon);
        Ok(EarlyArtifact::new(&data, vocabulary)?)
    }
}

/// Compiles grammars for one vocabulary. Keep it as long as there are grammars to compile: indexes over the vocabulary
/// are computed once. `Send` and `Sync`.
pub struct Compiler {
    /// The vocabulary, with its tokens by text.
    lexicon: VocabularyLexicon,
    /// Indexes over the vocabulary's trie, shared rules and masks.
    known: VocabularyFacts,
    /// The threads of compilations.
    threads: Threads,
}

impl Compiler {
    /// Creates a compiler for a vocabulary, on as many threads as there are processors.
    pub fn new(vocabulary: VocabularyArtifact) -> Self {
        Self::on_threads(vocabulary, None)
    }

    /// Creates a compiler with this number of threads, including the calling one. `None` uses one thread for each
    /// processor.
    ///
    /// The other threads start with the first compilation that needs them, and end with the compiler, to which they
    /// belong. Artifacts do not depend on the number.
    pub fn on_threads(vocabulary: VocabularyArtifact, threads: Option<NonZero<usize>>) -> Self {
        let known = VocabularyFacts::new(&vocabulary);
        let threads = Threads::new(threads);
        Self { lexicon: VocabularyLexicon::new(vocabulary), known, threads }
    }

    /// Returns the vocabulary that grammars are compiled for.
    pub fn vocabulary(&self) -> &VocabularyArtifact {
        self.lexicon.vocabulary()
    }

    /// Builds the network of a grammar, without masks.
    ///
    /// # Errors
    ///
    /// See [`NetworkError`].
    pub fn network(
        &self,
        grammar: &Grammar,
        limits: NetworkLimits,
        budget: &Budget,
    ) -> Result<Network, NetworkError> {
        let (shared, facts) = (self.vocabulary().tables(), self.known.rules());
        let vocabulary = network::Vocabulary { lexicon: &self.lexicon, shared, facts };
        let context = Context { budget, threads: &self.threads };
        network::build_network(grammar, vocabulary, Roots::Start, limits, context)
    }

    /// Compiles a grammar with all its masks, within the rest of the budget that it was lowered with. `kind` is the
    /// name of the source's language in the artifact.
    ///
    /// # Errors
    ///
    /// If the grammar accepts nothing, names unknown tokens, cannot be spelled by tokens, or exceeds a limit; soon
    /// after the budget is spent.
    pub fn compile(
        &self,
        lowered: &Lowered,
        kind: &str,
        options: &CompileOptions,
        budget: &Budget,
    ) -> Result<Compiled, CompileError> {
        let begun = self.begin(lowered, kind, options, budget)?;
        self.finish(begun, lowered, budget)
    }

    /// Builds the network, which precedes the masks and with which a host can begin ([`Begun::early`]).
    /// [`Compiler::finish`] does the rest, with the same result as [`Compiler::compile`].
    ///
    /// # Errors
    ///
    /// The errors of [`Compiler::compile`], except limits of the masks.
    pub fn begin(
        &self,
        lowered: &Lowered,
        kind: &str,
        options: &CompileOptions,
        budget: &Budget,
    ) -> Result<Begun, CompileError> {
        let vocabulary = self.vocabulary();
        let limits = options.network.unwrap_or_default();
        let mut network = self.network(&lowered.grammar, limits, budget)?;
        let mut findings = controls::warnings(&lowered.literals, vocabulary);
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let stuck = token_liveness::mark(&mut network, shared, &self.known, trie);
        if stuck.contains(&network.start(0)) {
            return Err(CompileError::Unspellable);
        }
        findings.extend(unspelled(&network, &stuck));
        findings.extend(early_ends::warnings(&network, shared, self.known.rules(), vocabulary));
        findings.extend(costly::warning(&network, &lowered.report));
        Ok(Begun { network, findings, kind: kind.to_owned(), options: options.clone() })
    }

    /// Computes the masks of a compilation that has begun, for the same grammar and within the rest of the same
    /// budget.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded; soon after the budget is spent.
    pub fn finish(
        &self,
        begun: Begun,
        lowered: &Lowered,
        budget: &Budget,
    ) -> Result<Compiled, CompileError> {
        let Begun { network, findings, kind, options } = begun;
        let vocabulary = self.vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let context = Context { budget, threads: &self.threads };
        budget.begin(Phase::Masks);
        let mut held = budget.hold();
        let spent = |network: &Network, state: u32| {
            let error = budget.error().cloned().expect("whoever finds it spent has met a limit");
            let (rule, origin) = network.rules[network.rule_of(state)].clone();
            CompileError::Budget { error, rule, origin: Box::new(origin) }
        };
        held.set(network.tables.bytes()).map_err(|_| spent(&network, network.start(0)))?;
        let limits = options.masks.unwrap_or_default();
        let is_text = |token| vocabulary.token_kind(token) == TokenKind::Text;
        let follow = network.follow(shared, self.known.rules());
        let inputs =
            Inputs { network: &network, shared, facts: &self.known, trie, follow: &follow };
        let masks = || masks::compute(inputs, limits, options.shortcuts, context);
        let configurations = || ambiguity::most_configurations(&network, &follow, &is_text, budget);
        // The masks and the bound on configurations are independent.
        let worth = network.tables.states.len() >= WORTH_A_THREAD;
        let (masks, configurations) = self.threads.both(worth, masks, configurations);
        let masks = masks.map_err(|error| match error {
            MaskError::Limit { state, .. } => {
                let rule = network.rules[network.rule_of(state)].0.clone();
                CompileError::Masks { error, rule }
            }
            MaskError::Spent { state, .. } => spent(&network, state),
        })?;
        let shortcuts = masks.counts;
        budget.begin(Phase::Emitting);
        budget.check().map_err(|_| spent(&network, network.start(0)))?;
        let parts = emit::Parts {
            lowered,
            kind: &kind,
            options: options.record,
            network: &network,
            masks,
            configurations,
            places: !options.without_places,
        };
        let data = emit::grammar_data(parts, &self.lexicon);
        budget.check().map_err(|_| spent(&network, network.start(0)))?;
        Ok(Compiled { data, findings, shortcuts })
    }
}

/// Returns one warning for each rule with states whose next bytes no tokens of the vocabulary spell. `stuck` has these
/// states, ascending.
fn unspelled(network: &Network, stuck: &[u32]) -> Vec<Diagnostic> {
    let mut rules: Vec<usize> = stuck.iter().map(|&state| network.rule_of(state)).collect();
    rules.dedup();
    let own = network.tables.as_tables();
    let warnings = rules.into_iter().map(|rule| {
        let record = own.rules[rule];
        let states = record.first_state..record.first_state + record.state_count;
        let mut bytes: Vec<u8> = stuck
            .iter()
            .filter(|state| states.contains(state))
            .flat_map(|state| own.byte_edges_of((state - own.bases.states) as usize))
            .map(|edge| edge.lo())
            .collect();
        bytes.sort_unstable();
        bytes.dedup();
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02X}")).collect();
        let name = &network.rules[rule].0;
        Diagnostic::warning(
            "compile::unspellable-byte",
            format!(
                "part of rule {name} is left out: no token of the vocabulary spells byte {} where it needs it",
                bytes.join(" or ")
            ),
        )
    });
    warnings.collect()
}

/// Builds the data of a vocabulary artifact: the trie, and the network and masks of the rules that all grammars share.
/// `shared` has these rules.
///
/// `source` is the origin of the vocabulary, as the artifact records it. `threads` is the number of threads, as for
/// [`Compiler::on_threads`].
///
/// # Errors
///
/// If the tables are too large for the format, or the shared rules do not compile.
pub fn build_vocabulary(
    table: &TokenTable,
    source: &str,
    shared: &Grammar,
    threads: Option<NonZero<usize>>,
) -> Result<VocabularyData, CompileError> {
    // No grammar of a user is compiled here, and a vocabulary has many tokens.
    let context = Context { budget: &Budget::unlimited(), threads: &Threads::new(threads) };
    let tokens: Vec<_> = table.tokens.iter().map(|t| (t.bytes.clone(), t.kind)).collect();
    let trie = TrieData::build(&tokens)?;
    let row_words = grammarc_artifacts::vocabulary::row_words(table.logit_width);
    let none = TablesData::empty(Bases::default(), row_words);
    // The shared rules are compiled against the same vocabulary without shared rules.
    let bare =
        emit::vocabulary_data(table, source, trie.clone(), none.clone(), Vec::new(), Vec::new());
    let bare = VocabularyArtifact::from_buffer(bare.to_bytes()?)?;
    let known = VocabularyFacts::new(&bare);
    let lexicon = VocabularyLexicon::new(bare);
    let tables = none.as_tables();
    let vocabulary =
        network::Vocabulary { lexicon: &lexicon, shared: tables, facts: known.rules() };
    let limits = NetworkLimits::default();
    let mut network = network::build_network(shared, vocabulary, Roots::Kept, limits, context)?;
    token_liveness::mark(&mut network, tables, &known, trie.as_trie());
    let follow = network.follow(tables, known.rules());
    let inputs = Inputs {
        network: &network,
        shared: tables,
        facts: &known,
        trie: trie.as_trie(),
        follow: &follow,
    };
    let masks = masks::compute(inputs, MaskLimits::default(), Shortcuts::default(), context);
    let masks = masks.map_err(|error| CompileError::Masks { error, rule: "shared".to_owned() })?;
    let names = network.rules.iter().map(|(name, _)| name.clone()).collect();
    Ok(emit::vocabulary_data(table, source, trie, masks.tables, names, network.expressions))
}
