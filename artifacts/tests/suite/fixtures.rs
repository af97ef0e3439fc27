//! Artifacts to test with: a small pair that holds at least one of everything, and large ones from a seed.
//!
//! The tables keep all invariants of the format, which is what these tests are about; their masks are not the true
//! masks of their networks.

use grammarc_artifacts::container::header::{CHECKED_FROM, checksum};
use grammarc_artifacts::sections::kinds::SectionKind;
use grammarc_artifacts::sections::masks::{ClassRecord, FollowEntry, MaskRecord};
use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, TokenEdge, rule_flags, state_flags,
};
use grammarc_artifacts::tables::row_words;
use grammarc_artifacts::{
    Buffer, ExpressionRecord, GrammarArtifact, GrammarData, GrammarMeta, MarkerPart, Region,
    RegionKind, Report, Tables, TablesData, TokenKind, TrieData, Verdict, VocabularyArtifact,
    VocabularyData, VocabularyMeta, WorkBound,
};
use grammarc_test_data::Rng;

/// One state, with targets as indices within its rule.
#[derive(Clone, Default)]
pub(crate) struct State {
    /// Lowest byte, highest byte, target.
    pub(crate) bytes: Vec<(u8, u8, u32)>,
    /// Callee, return state, countdown.
    pub(crate) calls: Vec<(u32, Option<u32>, u32)>,
    /// Mask, target.
    pub(crate) tokens: Vec<(u32, u32)>,
    /// Class, mask, next class.
    pub(crate) follows: Vec<(u32, u32, u32)>,
    /// Base mask.
    pub(crate) base: u32,
    /// Exit class.
    pub(crate) exits: Option<u32>,
    /// Count exit, within the rule.
    pub(crate) count_exit: Option<u32>,
    /// Whether the rule may return here.
    pub(crate) is_final: bool,
}

/// Fills the tables of the network from rules given as flags and states. First sets and pop-only flags are derived.
pub(crate) fn add_rules(
    tables: &mut TablesData,
    shared: Option<Tables<'_>>,
    rules: &[(u32, Vec<State>)],
) {
    let mut first_state = tables.bases.states;
    for (flags, states) in rules {
        let global = |target: u32| first_state + target;
        for state in states {
            let only_returns = state.is_final
                && state.bytes.is_empty()
                && state.calls.is_empty()
                && state.tokens.is_empty()
                && state.count_exit.is_none();
            let mut bits = state_flags::RESTS;
            bits |= if state.is_final { state_flags::FINAL } else { 0 };
            bits |= if only_returns { state_flags::POP_ONLY } else { 0 };
            tables.states.push(StateRecord {
                base: state.base,
                exits: state.exits.unwrap_or(NONE),
                count_exit: state.count_exit.map_or(NONE, global),
                flags: bits,
                ..ends(tables)
            });
            for &(lo, hi, target) in &state.bytes {
                tables.byte_edges.push(ByteEdge::new(lo, hi, global(target)));
            }
            for &(callee, ret, count) in &state.calls {
                tables.call_edges.push(CallEdge { callee, ret: ret.map_or(NONE, global), count });
            }
            for &(mask, target) in &state.tokens {
                tables.token_edges.push(TokenEdge { tokens: mask, target: global(target) });
            }
            for &(class, mask, next) in &state.follows {
                tables.follows.push(FollowEntry { class, mask, next });
            }
        }
        tables.rules.push(RuleRecord {
            first_state,
            state_count: states.len() as u32,
            flags: *flags,
            first_bytes: [0; 8],
            first_tokens: 0,
            after_bytes: [u32::MAX; 8],
            hash: [first_state, 1, 2, 3],
        });
        first_state += states.len() as u32;
    }
    let last = ends(tables);
    tables.states.push(last);
    // As often as there are rules, so that what the last rule begins with reaches a first that begins with it.
    for _ in 0..tables.rules.len() {
        first_sets(tables, shared);
    }
}

fn ends(tables: &TablesData) -> StateRecord {
    StateRecord::sentinel([
        tables.byte_edges.len() as u32,
        tables.call_edges.len() as u32,
        tables.token_edges.len() as u32,
        tables.follows.len() as u32,
    ])
}

fn first_sets(tables: &mut TablesData, shared: Option<Tables<'_>>) {
    for index in 0..tables.rules.len() {
        let state = (tables.rules[index].first_state - tables.bases.states) as usize;
        let view = tables.as_tables();
        let mut bytes = [0u32; 8];
        let mut tokens = u32::from(!view.token_edges_of(state).is_empty());
        for edge in view.byte_edges_of(state) {
            for byte in edge.lo()..=edge.hi() {
                bytes[usize::from(byte / 32)] |= 1 << (byte % 32);
            }
        }
        for edge in view.call_edges_of(state) {
            let callee = match edge.callee.checked_sub(tables.bases.rules) {
                Some(own) => view.rules[own as usize],
                None => shared.expect("a vocabulary").rules[edge.callee as usize],
            };
            for (word, callee) in bytes.iter_mut().zip(callee.first_bytes) {
                *word |= callee;
            }
            tokens |= callee.first_tokens;
        }
        tables.rules[index].first_bytes = bytes;
        tables.rules[index].first_tokens = tokens;
    }
}

/// Appends a mask.
pub(crate) fn add_mask(
    tables: &mut TablesData,
    row: Option<(u32, u32)>,
    minus: &[u32],
    plus: &[u32],
) {
    let lists = tables.lists.len() as u32;
    let (minus_len, plus_len) = (minus.len() as u32, plus.len() as u32);
    tables.lists.extend(minus);
    tables.lists.extend(plus);
    let (row, in_row) = row.unwrap_or((NONE, 0));
    let count = in_row - minus_len + plus_len;
    let plus = lists + minus_len;
    tables.masks.push(MaskRecord { row, minus: lists, minus_len, plus, plus_len, count });
}

/// Appends an exit class.
pub(crate) fn add_class(tables: &mut TablesData, nodes: &[u32]) {
    let first = tables.class_nodes.len() as u32;
    tables.classes.push(ClassRecord { first, len: nodes.len() as u32 });
    tables.class_nodes.extend(nodes);
}

/// A vocabulary of 13 tokens with two shared rules, one of them counted.
pub(crate) fn small_vocabulary() -> VocabularyData {
    use TokenKind::{Special, Text, Unused};
    let tokens: Vec<(Vec<u8>, TokenKind)> = [
        ("a", Text),
        ("b", Text),
        ("ab", Text),
        ("{", Text),
        ("}", Text),
        ("{}", Text),
        ("}}", Text),
        ("a", Text),
        ("", Unused),
        ("<eos>", Special),
        ("<tool>", Special),
        ("1", Text),
        ("}}a", Text),
    ]
    .into_iter()
    .map(|(bytes, kind)| (bytes.as_bytes().to_vec(), kind))
    .collect();
    let logit_width = 16;
    let mut tables = TablesData { row_words: row_words(logit_width), ..TablesData::default() };
    tables.rows = vec![0; 16];
    tables.rows[0] = 0b1_0000_1111_1111;
    add_mask(&mut tables, None, &[], &[0, 1, 2, 7]);
    add_mask(&mut tables, Some((0, 9)), &[3, 12], &[11]);
    add_class(&mut tables, &[1, 2]);
    let word = |target| vec![(b'a', b'b', target)];
    let digits = |target| vec![(b'1', b'1', target)];
    let rules = [
        (
            0,
            vec![
                State { bytes: word(1), ..State::default() },
                State { bytes: word(1), is_final: true, exits: Some(0), ..State::default() },
            ],
        ),
        (
            rule_flags::COUNTED | rule_flags::MONOTONE,
            vec![
                State { bytes: digits(1), base: 1, ..State::default() },
                State { bytes: digits(1), is_final: true, count_exit: Some(2), ..State::default() },
                State { is_final: true, ..State::default() },
            ],
        ),
    ];
    add_rules(&mut tables, None, &rules);
    VocabularyData {
        meta: VocabularyMeta {
            name: "small".to_owned(),
            source: "written by hand".to_owned(),
            compiler: "grammarc-artifacts tests".to_owned(),
            properties: vec![("type".to_owned(), "BPE".to_owned())],
            warnings: vec!["no token spells byte 0xff".to_owned()],
            rule_names: vec!["word".to_owned(), "digits".to_owned()],
        },
        trie: TrieData::build(&tokens).expect("a small trie"),
        tokens,
        end_tokens: vec![9],
        logit_width,
        expressions: vec![
            ExpressionRecord { digest: [1, 0, 0, 9], rule: 1 },
            ExpressionRecord { digest: [1, 2, 0, 0], rule: 0 },
        ],
        tables,
    }
}

/// A grammar of two rules over the small vocabulary.
pub(crate) fn small_grammar(vocabulary: &VocabularyArtifact) -> GrammarData {
    let shared = vocabulary.tables();
    let bases = shared.totals();
    let mut tables =
        TablesData { bases, row_words: vocabulary.row_words(), ..TablesData::default() };
    let (mask, class, rule) = (bases.masks, bases.classes, bases.rules);
    tables.rows = vec![0; 16];
    tables.rows[0] = 0b1110_0000_0001;
    add_mask(&mut tables, None, &[], &[10]);
    add_mask(&mut tables, Some((0, 9)), &[0], &[]);
    add_mask(&mut tables, Some((bases.rows, 4)), &[10], &[3, 5]);
    add_class(&mut tables, &[0]);
    add_class(&mut tables, &[3, 4]);
    let rules = [
        (
            0,
            vec![
                State {
                    bytes: vec![(b'{', b'{', 1)],
                    tokens: vec![(mask, 2)],
                    calls: vec![(1, Some(2), 3)],
                    base: mask + 1,
                    ..State::default()
                },
                State {
                    calls: vec![(0, Some(2), 0), (rule + 1, Some(2), 0)],
                    base: mask + 2,
                    ..State::default()
                },
                State {
                    bytes: vec![(b'}', b'}', 3)],
                    follows: vec![(0, mask, class), (class + 1, mask + 1, NONE)],
                    exits: Some(class),
                    ..State::default()
                },
                State { is_final: true, base: mask, ..State::default() },
            ],
        ),
        (
            0,
            vec![
                State { bytes: vec![(b'b', b'b', 1)], base: 1, ..State::default() },
                State {
                    bytes: vec![(b'a', b'a', 2), (b'x', b'z', 1)],
                    calls: vec![(rule, None, 0)],
                    exits: Some(class + 1),
                    ..State::default()
                },
                State { is_final: true, ..State::default() },
            ],
        ),
    ];
    add_rules(&mut tables, Some(shared), &rules);
    GrammarData { meta: grammar_meta(), start_rule: rule, tables, places: None }
}

fn report() -> Report {
    let mut report = Report::default();
    let (format, unknown) = ("/properties/name/format", "the format is not known".into());
    report.add(|text| text.push_str(format), "format", Verdict::Approximate, unknown);
    report.add(|text| text.push_str("/properties/name/type"), "type", Verdict::Exact, "".into());
    report
}

fn grammar_meta() -> GrammarMeta {
    GrammarMeta {
        source_name: "person.json".to_owned(),
        source_kind: "json-schema".to_owned(),
        source_hash: [7; 32],
        compiler: "grammarc-artifacts tests".to_owned(),
        vocabulary_name: "small".to_owned(),
        options: vec![("whitespace".to_owned(), "compact".to_owned())],
        report: report(),
        statistics: vec![("states".to_owned(), 7)],
        work: WorkBound {
            longest_chain: 2,
            chain_rules: vec!["inner".to_owned()],
            most_configurations: WorkBound::UNBOUNDED,
            configuration_rules: vec!["start".to_owned()],
            state_bytes: 64,
        },
        rule_names: vec!["start".to_owned(), "inner".to_owned()],
        regions: Vec::new(),
    }
}

/// A region with a marker.
pub(crate) fn region() -> Region {
    let marker = vec![MarkerPart::Bytes(b"<t>".to_vec()), MarkerPart::Token(13)];
    Region { kind: RegionKind::Text, label: "text".to_owned(), markers: vec![marker] }
}

/// Opens a vocabulary that is meant to be right.
pub(crate) fn open_vocabulary(data: &VocabularyData) -> VocabularyArtifact {
    let bytes = data.to_bytes().expect("bytes");
    VocabularyArtifact::from_buffer(bytes).expect("a valid vocabulary artifact")
}

/// Opens a grammar that is meant to be right.
pub(crate) fn open_grammar(data: &GrammarData, vocabulary: &VocabularyArtifact) -> GrammarArtifact {
    let bytes = data.to_bytes(vocabulary).expect("bytes");
    GrammarArtifact::from_buffer(bytes, vocabulary).expect("a valid grammar artifact")
}

/// The small pair, opened.
pub(crate) fn small_pair() -> (VocabularyArtifact, GrammarArtifact) {
    let vocabulary = open_vocabulary(&small_vocabulary());
    let grammar = open_grammar(&small_grammar(&vocabulary), &vocabulary);
    (vocabulary, grammar)
}

/// A number below `limit`.
fn below(rng: &mut Rng, limit: u32) -> u32 {
    rng.below(limit as usize) as u32
}

/// Up to `len` numbers below `limit`, ascending and distinct, at least one.
fn ascending(rng: &mut Rng, len: u32, limit: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..len.max(1)).map(|_| below(rng, limit)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// A vocabulary of `count` text tokens of random letters, about two trie nodes per token, with one shared rule and
/// `rows` dense rows.
pub(crate) fn large_vocabulary(count: u32, rows: u32) -> VocabularyData {
    let rng = &mut Rng::new(0x5eed);
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut tokens: Vec<(Vec<u8>, TokenKind)> = Vec::new();
    for id in 0..count {
        // Half of the tokens extend an earlier one, as the merges of a real vocabulary do.
        let mut bytes = match id % 2 {
            0 if id > 0 => words[below(rng, id) as usize].clone(),
            _ => vec![below(rng, 256) as u8],
        };
        for _ in 0..=below(rng, 4) {
            bytes.push(b'a' + below(rng, 26) as u8);
        }
        words.push(bytes.clone());
        tokens.push((bytes, TokenKind::Text));
    }
    let mut tables = TablesData { row_words: row_words(count), ..TablesData::default() };
    for row in 0..rows {
        let words: Vec<u32> = (0..tables.row_words)
            .map(|word| match count.saturating_sub(word * 32) {
                0 => 0,
                left if left < 32 => (1 << left) - 1,
                _ => below(rng, u32::MAX),
            })
            .collect();
        let in_row = words.iter().map(|word| word.count_ones()).sum();
        tables.rows.extend(words);
        add_mask(&mut tables, Some((row, in_row)), &[], &[]);
    }
    add_mask(&mut tables, None, &[], &[0]);
    let letters = |target| vec![(b'a', b'z', target)];
    let rules = [(
        0,
        vec![
            State { bytes: letters(1), ..State::default() },
            State { bytes: letters(1), is_final: true, ..State::default() },
        ],
    )];
    add_rules(&mut tables, None, &rules);
    VocabularyData {
        meta: VocabularyMeta { name: format!("large {count}"), ..VocabularyMeta::default() },
        trie: TrieData::build(&tokens).expect("a trie"),
        tokens,
        end_tokens: vec![],
        logit_width: count,
        tables,
        expressions: vec![],
    }
}

/// A grammar of `states` states in rules of ten, for any vocabulary with a shared rule and a mask.
pub(crate) fn large_grammar(vocabulary: &VocabularyArtifact, states: u32) -> GrammarData {
    let rng = &mut Rng::new(0x9ea7);
    let shared = vocabulary.tables();
    let bases = shared.totals();
    let tokens = vocabulary.token_count();
    let nodes = vocabulary.trie().len() as u32;
    let mut tables =
        TablesData { bases, row_words: vocabulary.row_words(), ..TablesData::default() };
    for _ in 0..states / 2 {
        let len = below(rng, 40);
        let plus = ascending(rng, len, tokens);
        add_mask(&mut tables, None, &[], &plus);
    }
    for _ in 0..=states / 20 {
        let len = below(rng, 12);
        let class = ascending(rng, len, nodes);
        add_class(&mut tables, &class);
    }
    let masks = bases.masks + tables.masks.len() as u32;
    let classes = bases.classes + tables.classes.len() as u32;
    let rules: Vec<(u32, Vec<State>)> = (0..states.div_ceil(10))
        .map(|rule| {
            let state = |index: u32| State {
                bytes: vec![(b'"', b'"', (index + 1).min(9)), (b'a', b'z', index)],
                calls: match index {
                    0 | 9 => vec![],
                    _ => vec![
                        (below(rng, bases.rules), Some(index), 0),
                        (bases.rules + below(rng, rule + 1), Some(index - 1), 0),
                    ],
                },
                follows: match index {
                    9 => vec![],
                    _ => ascending(rng, 3, classes)
                        .into_iter()
                        .map(|class| (class, below(rng, masks), NONE))
                        .collect(),
                },
                base: below(rng, masks),
                exits: Some(below(rng, classes)),
                is_final: index == 9,
                ..State::default()
            };
            (0, (0..10).map(state).collect())
        })
        .collect();
    add_rules(&mut tables, Some(shared), &rules);
    let start_rule = bases.rules;
    GrammarData { meta: GrammarMeta::default(), start_rule, tables, places: None }
}

/// The bytes of an artifact with a change made to one section, and the checksum made right again.
pub(crate) fn patched(
    buffer: &Buffer,
    section: SectionKind,
    change: impl FnOnce(&mut [u8]),
) -> Buffer {
    let container =
        grammarc_artifacts::container::Container::parse(buffer.clone()).expect("a valid frame");
    let range = container.directory().get(section).expect("the section").range.clone();
    let mut bytes = buffer.to_vec();
    change(&mut bytes[range]);
    sealed(bytes)
}

/// Bytes with the checksum made right. Too short for a header, they are left alone.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Buffer {
    if bytes.len() > CHECKED_FROM {
        let checksum = checksum(&bytes);
        bytes[CHECKED_FROM - checksum.len()..CHECKED_FROM].copy_from_slice(&checksum);
    }
    Buffer::from_bytes(&bytes)
}
