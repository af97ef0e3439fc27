//! Networks with one rule for a finite set of texts, in two forms: with a state for each node, and as a packed string
//! set.

use std::collections::BTreeSet;

use grammarc_artifacts::packed_strings::{
    PackedRule, PackedStrings, PackedStringsBuilder, RootChildren, TrieWalk, WALKED, pack,
};
use grammarc_artifacts::sections::masks::{HighFanoutRecord, MaskRecord};
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::{TablesData, row_words};

use super::masks::{self, Tokens};
use super::network::{Network, Rule, State};
use super::of_tables;
use crate::Grammar;
use grammarc_test_data::Rng;

/// Returns the grammar of a network in which `rule` accepts `texts`, first as states and then as a packed string set.
/// One node in `stored` has a stored mask, besides the nodes whose walks take long. No text is empty.
pub(crate) fn both(
    network: &Network,
    rule: usize,
    texts: &BTreeSet<Vec<u8>>,
    (tokens, ends): (&Tokens, &[u32]),
    (random, stored): (&mut Rng, usize),
) -> [Grammar; 2] {
    let mut builder = PackedStringsBuilder::new(1, 0);
    texts.iter().for_each(|text| builder.add(text).unwrap());
    builder.finish_root().unwrap();
    let built = builder.finish();
    let strings = PackedStrings::new(&built.bytes);
    let mut nodes = vec![built.roots[0]];
    let mut states: Vec<State> = Vec::new();
    while let Some(&at) = nodes.get(states.len()) {
        let node = strings.node(at);
        let mut state = State { is_final: node.is_final(), ..State::default() };
        for (index, &byte) in node.labels().iter().enumerate() {
            let target = node.target(index);
            let known = nodes.iter().position(|&node| node == target);
            state = state.on(&[byte], known.unwrap_or(nodes.len()));
            if known.is_none() {
                nodes.push(target);
            }
        }
        states.push(state);
    }
    let mut network = network.clone();
    network.shared = if network.shared > rule { 0 } else { network.shared };
    network.rules[rule] = Rule::new(states).with(network.rules[rule].flags);
    let mut halves = network.tables(row_words(tokens.len() as u32 + 3));
    masks::build(&network, tokens, &mut halves);
    let plain = of_tables(&network, tokens, ends, halves.clone());

    let [_, own] = &mut halves;
    let index = rule - own.bases.rules as usize;
    let first = own.rules[index].first_state - own.bases.states;
    let mut high_fanout: Vec<HighFanoutRecord> = Vec::new();
    for (at, &node) in nodes.iter().enumerate() {
        let is_long = walks_far(strings, node, tokens);
        if is_long || random.one_in(stored) {
            let state = &own.states[first as usize + at];
            high_fanout.push(HighFanoutRecord { node, base: state.base, exits: state.exits });
        }
    }
    high_fanout.sort_unstable_by_key(|record| record.node);
    let nothing = add_nothing(own);
    let mut bytes = [0; 8];
    texts.iter().flatten().for_each(|byte| bytes[usize::from(byte / 32)] |= 1 << (byte % 32));
    pack(own, &[PackedRule { rule: index, root: built.roots[0], bytes }], nothing);
    (own.packed_strings, own.high_fanout) = (built.bytes.clone(), high_fanout);
    [plain, of_tables(&network, tokens, ends, halves)]
}

fn walks_far(strings: PackedStrings<'_>, node: u32, tokens: &Tokens) -> bool {
    let trie = grammarc_artifacts::TrieData::build(tokens).unwrap();
    let roots = &RootChildren::new(&trie.as_trie());
    let walk = TrieWalk { strings, trie: trie.as_trie(), roots };
    walk.visit(node, &mut Vec::new(), WALKED, |_, _| {}).is_none()
}

/// Adds a mask without tokens to the tables, and returns its id.
pub(super) fn add_nothing(tables: &mut TablesData) -> u32 {
    let at = tables.lists.len() as u32;
    let (minus, plus, minus_len, plus_len) = (at, at, 0, 0);
    tables.masks.push(MaskRecord { row: NONE, minus, minus_len, plus, plus_len, count: 0 });
    tables.bases.masks + tables.masks.len() as u32 - 1
}
