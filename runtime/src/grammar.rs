//! Provisional.
use crate::position::MonotoneStates;
use crate::step::{Limits, Machine};
use grammarc_artifacts::sections::network::rule_flags;
use grammarc_artifacts::sections::vocabulary::TokenKind;
use grammarc_artifacts::tables::{Joined, TablesData};
use std::sync::Arc;

/// V.
#[derive(Clone, Debug)]
pub struct Vocabulary(pub(crate) Arc<Voc>);
#[derive(Debug)]
pub(crate) struct Voc {
    pub(crate) tokens: Vec<(Vec<u8>, TokenKind)>,
    pub(crate) ends: Vec<u32>,
    pub(crate) width: u32,
    pub(crate) tables: TablesData,
}
impl Vocabulary {
    /// W.
    pub fn logit_width(&self) -> u32 {
        self.0.width
    }
    /// E.
    pub fn end_tokens(&self) -> &[u32] {
        &self.0.ends
    }
    pub(crate) fn text(&self, token: u32) -> &[u8] {
        match self.0.tokens.get(token as usize) {
            Some((bytes, TokenKind::Text)) => bytes,
            _ => &[],
        }
    }
}
/// G.
#[derive(Clone, Debug)]
pub struct Grammar(pub(crate) Arc<Parts>);
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) tables: TablesData,
    pub(crate) start: u32,
    pub(crate) digest: [u8; 32],
    pub(crate) monotone: MonotoneStates,
    pub(crate) has_token_edges: bool,
}
impl Grammar {
    pub(crate) fn from_tables(vocabulary: &Vocabulary, tables: TablesData, start: u32) -> Self {
        let mut ranges = Vec::new();
        for t in [&vocabulary.0.tables, &tables] {
            for r in &t.rules {
                if r.flags & rule_flags::MONOTONE != 0 {
                    ranges.push(r.first_state..r.first_state + r.state_count);
                }
            }
        }
        let has_token_edges =
            !tables.token_edges.is_empty() || !vocabulary.0.tables.token_edges.is_empty();
        Self(Arc::new(Parts {
            vocabulary: vocabulary.clone(),
            tables,
            start,
            digest: [7; 32],
            monotone: MonotoneStates::new(ranges),
            has_token_edges,
        }))
    }
    /// V.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }
    pub(crate) fn start_rule(&self) -> u32 {
        self.0.start
    }
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.0.digest
    }
    pub(crate) fn state_count(&self) -> u32 {
        self.0.tables.bases.states + self.0.tables.as_tables().state_count()
    }
    pub(crate) fn machine(&self, limits: Limits) -> Machine<'_> {
        Machine {
            tables: Joined {
                shared: self.0.vocabulary.0.tables.as_tables(),
                own: self.0.tables.as_tables(),
            },
            monotone: &self.0.monotone,
            has_token_edges: self.0.has_token_edges,
            limits,
        }
    }
}
