//! What the vocabulary's stored masks say about walks, so that a grammar's own states do not walk the same subtrees
//! again.
//!
//! Where a shared state `s` goes to `q` on byte `b`, and nowhere else, the part of `s`'s base mask and exit class that
//! lies below the trie's node for `b` is the outcome of `q` at that node. Walks meet wide subtrees just there: one byte
//! into a token, inside a string. So the outcome is cut from what is stored, which for a JSON string is the difference
//! between a walk over the whole vocabulary and a binary search.
//!
//! A state's base mask is turned from token ids into ranks when it is first asked for, about 0.2 ms for a wide one, and
//! kept for as long as the compiler lives.

use std::ops::Range;
use std::sync::OnceLock;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::FxHashMap;

use super::chain::{Link, links};
use super::walk::Outcome;
use crate::network::SharedRules;

/// Outcomes that follow from the shared rules' masks.
#[derive(Default)]
pub struct SharedOutcomes {
    /// For a state and a child of the trie's root, a state that goes to it on the child's byte and nowhere else.
    sources: FxHashMap<(u32, u32), u32>,
    rules: SharedRules,
    links: Vec<Link>,
    /// By state, the ranks of its base mask.
    spans: Vec<OnceLock<Box<[Range<u32>]>>>,
}

impl SharedOutcomes {
    /// The outcomes of a vocabulary's shared rules, none of them worked out yet. O(byte edges).
    pub fn new(shared: Tables<'_>, trie: Trie<'_>) -> Self {
        let network = Joined { shared, own: shared };
        let mut child_of = [NONE; 256];
        trie.children(0).for_each(|child| child_of[usize::from(trie.byte[child as usize])] = child);
        let mut sources = FxHashMap::default();
        for state in 0..shared.state_count() {
            let index = state as usize;
            let mut callees =
                shared.call_edges_of(index).iter().map(|call| network.rule(call.callee));
            let tokens = callees.any(|callee| callee.first_tokens != 0);
            if tokens || !shared.token_edges_of(index).is_empty() {
                // A base mask with tokens matched by id says nothing about bytes.
                continue;
            }
            for edge in shared.byte_edges_of(index) {
                let target = shared.states[edge.target as usize];
                if target.flags & state_flags::POP_ONLY != 0
                    || target.flags & state_flags::RESTS == 0
                {
                    continue;
                }
                for byte in edge.lo()..=edge.hi() {
                    let called = shared.call_edges_of(index).iter().any(|call| {
                        let first = network.rule(call.callee).first_bytes;
                        first[usize::from(byte) / 32] >> (byte % 32) & 1 == 1
                    });
                    let child = child_of[usize::from(byte)];
                    if !called && child != NONE {
                        sources.entry((edge.target, child)).or_insert(state);
                    }
                }
            }
        }
        let spans = (0..shared.state_count()).map(|_| OnceLock::new()).collect();
        Self { sources, rules: SharedRules::new(shared), links: links(shared), spans }
    }

    /// What the shared rules say of each other.
    pub fn rules(&self) -> &SharedRules {
        &self.rules
    }

    /// Their follow entries that go on.
    pub(super) fn links(&self) -> &[Link] {
        &self.links
    }

    /// The outcome of `state` at `node`, where the stored masks tell it: at children of the root, below which
    /// they speak of the same texts.
    pub fn outcome(
        &self,
        shared: Tables<'_>,
        trie: Trie<'_>,
        state: u32,
        node: u32,
    ) -> Option<Outcome> {
        let source = *self.sources.get(&(state, node))?;
        let record = shared.states[source as usize];
        let spans =
            self.spans[source as usize].get_or_init(|| base_spans(shared, trie, record.base));
        let below = trie.tokens_at(node).end..trie.tokens_below(node).end;
        let from = spans.partition_point(|span| span.end <= below.start);
        let cut = spans[from..].iter().take_while(|span| span.start < below.end);
        let spans = cut.map(|span| span.start.max(below.start)..span.end.min(below.end)).collect();
        let exits = match record.exits {
            NONE => Vec::new(),
            class => {
                let class = shared.classes[class as usize];
                let nodes = &shared.class_nodes[class.first as usize..][..class.len as usize];
                let from = nodes.partition_point(|&exit| exit < node);
                let to = nodes.partition_point(|&exit| exit < trie.end[node as usize]);
                nodes[from..to].to_vec()
            }
        };
        Some(Outcome { spans, exits })
    }
}

/// Ranks of a shared mask's tokens, as spans.
fn base_spans(shared: Tables<'_>, trie: Trie<'_>, mask: u32) -> Box<[Range<u32>]> {
    let record = &shared.masks[mask as usize];
    let words = shared.row_words as usize;
    let mut row = match record.row {
        NONE => vec![0; words],
        row => shared.rows[row as usize * words..][..words].to_vec(),
    };
    shared.minus(record).iter().for_each(|&id| row[id as usize / 32] &= !(1 << (id % 32)));
    shared.plus(record).iter().for_each(|&id| row[id as usize / 32] |= 1 << (id % 32));
    let mut spans: Vec<Range<u32>> = Vec::new();
    for (rank, &id) in (0..).zip(trie.token_of_rank) {
        if row[id as usize / 32] >> (id % 32) & 1 == 1 {
            match spans.last_mut() {
                Some(last) if last.end == rank => last.end = rank + 1,
                _ => spans.push(rank..rank + 1),
            }
        }
    }
    spans.into()
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TablesData, TokenKind, VocabularyArtifact};

    use super::*;
    use crate::compile::build_vocabulary;
    use crate::frontend::json_schema::{TextForm, prelude_grammar};
    use crate::masks::walk::Walker;
    use crate::network::follow::Follow;
    use crate::vocabulary::{TokenEntry, TokenTable};

    /// All bytes, and all texts of up to three of some characters that mean something to JSON.
    fn vocabulary() -> VocabularyArtifact {
        let marks = br#""\),0u-"#;
        let pairs = marks.iter().flat_map(|&a| marks.map(|b| vec![a, b]));
        let triples: Vec<_> =
            pairs.clone().flat_map(|pair| marks.map(|c| [&pair[..], &[c]].concat())).collect();
        let texts = (0..=255).map(|byte| vec![byte]).chain(pairs).chain(triples);
        let tokens = texts.map(|bytes| TokenEntry { bytes, kind: TokenKind::Text });
        let tokens: Vec<TokenEntry> = tokens.collect();
        let table = TokenTable {
            name: "test".to_owned(),
            logit_width: tokens.len() as u32,
            tokens,
            end_tokens: Vec::new(),
            findings: Vec::new(),
        };
        let data = build_vocabulary(&table, "test", &prelude_grammar(TextForm::default()));
        let bytes = data.expect("builds").to_bytes().expect("fits");
        VocabularyArtifact::from_buffer(bytes).expect("valid")
    }

    #[test]
    fn stored_outcomes_are_those_of_walks() {
        let vocabulary = vocabulary();
        let (shared, trie) = (vocabulary.tables(), vocabulary.trie());
        let none = TablesData::empty(shared.totals(), shared.row_words);
        let network = Joined { shared, own: none.as_tables() };
        let open: Vec<u32> = (0..shared.rules.len() as u32).collect();
        let (known, nothing) = (SharedOutcomes::new(shared, trie), SharedOutcomes::default());
        let follow = Follow::new(network, known.rules(), &open);
        let mut walker = Walker::new(&follow, &nothing, trie);
        let mut told = 0;
        for state in 0..shared.state_count() {
            for node in (1..trie.len() as u32).filter(|&node| !trie.is_leaf(node)) {
                if let Some(outcome) = known.outcome(shared, trie, state, node) {
                    told += 1;
                    assert_eq!(
                        outcome,
                        walker.follow(state, &[node]),
                        "state {state}, node {node}"
                    );
                }
            }
        }
        assert!(told > 100, "{told}");
    }
}
