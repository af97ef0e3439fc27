//! Networks as unmasked grammars: grammars whose tables have no masks of their own.

use grammarc_artifacts::{EarlyArtifact, GrammarData, GrammarMeta, NONE, row_words};

use super::network::Network;
use super::{masks, of_tables, packed_strings};
use crate::Grammar;

/// Returns the unmasked grammar of a network, and the complete grammar.
pub(crate) fn both(network: &Network, tokens: &masks::Tokens, ends: &[u32]) -> [Grammar; 2] {
    let mut halves = network.tables(row_words(tokens.len() as u32 + 3));
    masks::build(network, tokens, &mut halves);
    let complete = of_tables(network, tokens, ends, halves.clone());
    let [_, own] = &mut halves;
    let nothing = packed_strings::add_nothing(own);
    let (sentinel, states) = own.states.split_last_mut().unwrap();
    for state in states {
        (state.base, state.exits, state.follows) = (nothing, NONE, 0);
    }
    sentinel.follows = 0;
    (own.follows, own.classes, own.class_nodes) = (Vec::new(), Vec::new(), Vec::new());
    let [_, own] = halves;
    let vocabulary = complete.artifact().vocabulary();
    let data = GrammarData {
        meta: GrammarMeta::default(),
        start_rule: network.start() as u32,
        tables: own,
        places: None,
    };
    [Grammar::early(EarlyArtifact::new(&data, vocabulary).unwrap()), complete]
}
