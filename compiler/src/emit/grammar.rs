//! Assembles the data of a grammar artifact from the results of a compilation.

use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::tables::Joined;
use grammarc_artifacts::{GrammarData, GrammarMeta, WorkBound};

use crate::ir::Lowered;
use crate::masks::{Masks, UnmaskedTables};
use crate::network::Network;
use crate::places;
use crate::vocabulary::VocabularyLexicon;

use super::{packed_string_sets, regions};

/// The results of a compilation, from which an artifact is assembled.
pub(crate) struct Parts<'a> {
    /// The grammar as the front end lowered it, with its source and report.
    pub(crate) lowered: &'a Lowered,
    /// The name of the source's language, such as the one for JSON Schema.
    pub(crate) kind: &'a str,
    /// The options that the artifact records, as names and values.
    pub(crate) options: Vec<(String, String)>,
    /// The recursive transition network of the grammar.
    pub(crate) network: &'a Network,
    /// The masks of the network, in its tables.
    pub(crate) masks: Masks,
    /// The greatest number of configurations (parses in progress) that one position of a sequence can have. An error is
    /// a state at which the number is unbounded.
    pub(crate) configurations: Result<u32, u32>,
    /// Whether the artifact has the places of its states.
    pub(crate) places: bool,
}

/// Assembles the data of a grammar artifact.
pub(crate) fn grammar_data(parts: Parts<'_>, lexicon: &VocabularyLexicon) -> GrammarData {
    let Parts { lowered, kind, options, network, masks, configurations, places } = parts;
    let mut tables = masks.tables;
    let packed = packed_string_sets::add(&mut tables, network, &masks.high_fanout);
    let wide = tables.masks.iter().filter(|mask| mask.row != grammarc_artifacts::NONE).count();
    let statistics = [
        ("rules", tables.rules.len()),
        ("states", tables.states.len() - 1),
        ("edges", tables.byte_edges.len() + tables.call_edges.len() + tables.token_edges.len()),
        ("masks", tables.masks.len()),
        ("wide masks", wide),
        ("dense rows", tables.rows.len() / (tables.row_words as usize).max(1)),
        ("exit classes", tables.classes.len()),
        ("follow entries", tables.follows.len()),
        ("return and class pairs", masks.pairs),
    ]
    .into_iter();
    // Only present if nonzero. Hosts may want to know, because masks of arrays with distinct items take more than table
    // reads.
    let distinct =
        tables.rules.iter().filter(|rule| rule.flags & rule_flags::DISTINCT != 0).count();
    let distinct = Some(("distinct rules", distinct)).filter(|(_, count)| *count > 0);
    let packed = packed.into_iter().flat_map(|packed| {
        let packed_string_sets::Counts { bytes, texts, high_fanout } = packed;
        [("packed bytes", bytes), ("packed texts", texts), ("high-fanout nodes", high_fanout)]
    });
    let rule_name = |state: u32| {
        let own = state.checked_sub(network.tables.bases.states);
        own.map(|_| network.rules[network.rule_of(state)].0.clone()).into_iter().collect()
    };
    let bound = |found: Result<u32, u32>| match found {
        Ok(bound) => (bound, Vec::new()),
        Err(state) => (WorkBound::UNBOUNDED, rule_name(state)),
    };
    let (longest_chain, chain_rules) = bound(masks.longest_chain);
    let (most_configurations, configuration_rules) = bound(configurations);
    // Each configuration takes 12 bytes: state, countdown and frame. The frames themselves grow with the nesting and
    // are not counted.
    let state_bytes = u64::from(if configurations.is_ok() { most_configurations } else { 1 }) * 12;
    let meta = GrammarMeta {
        source_name: lowered.source.name.to_string(),
        source_kind: kind.to_owned(),
        source_hash: *blake3::hash(lowered.source.text.as_bytes()).as_bytes(),
        compiler: super::program(),
        vocabulary_name: lexicon.vocabulary().name().to_owned(),
        options,
        report: lowered.report.clone(),
        statistics: statistics
            .chain(distinct)
            .chain(packed)
            .map(|(name, count)| (name.to_owned(), count as u64))
            .collect(),
        work: WorkBound {
            longest_chain,
            chain_rules,
            most_configurations,
            configuration_rules,
            state_bytes,
        },
        rule_names: network.rules.iter().map(|(name, _)| name.clone()).collect(),
        regions: regions::of(&lowered.grammar.regions, lexicon),
    };
    let start_rule = network.roots[0];
    let places = places.then(|| {
        let joined = Joined { shared: lexicon.vocabulary().tables(), own: tables.as_tables() };
        let start = joined.rule(start_rule).first_state;
        places::places(joined, start, &network.rules, lowered.grammar.places.as_deref())
    });
    GrammarData { meta, start_rule, tables, places }
}

/// Assembles the data of a grammar artifact without masks, for use while the masks are computed. It has only the parts
/// that a runtime reads; both work bounds are unbounded.
pub(crate) fn early_data(
    lowered: &Lowered,
    kind: &str,
    network: &Network,
    unmasked: UnmaskedTables,
    lexicon: &VocabularyLexicon,
) -> GrammarData {
    let UnmaskedTables { mut tables, high_fanout } = unmasked;
    packed_string_sets::add(&mut tables, network, &high_fanout);
    let unknown = WorkBound::UNBOUNDED;
    let meta = GrammarMeta {
        source_name: lowered.source.name.to_string(),
        source_kind: kind.to_owned(),
        compiler: super::program(),
        vocabulary_name: lexicon.vocabulary().name().to_owned(),
        report: lowered.report.clone(),
        work: WorkBound {
            longest_chain: unknown,
            most_configurations: unknown,
            ..WorkBound::default()
        },
        rule_names: network.rules.iter().map(|(name, _)| name.clone()).collect(),
        regions: regions::of(&lowered.grammar.regions, lexicon),
        ..GrammarMeta::default()
    };
    GrammarData { meta, start_rule: network.roots[0], tables, places: None }
}
