//! The last pass: rules become contiguous ranges of numbered states in flat records, with all that follows from their
//! shape: tail calls, states that only return, absorbing states, first bytes.
//!
//! The records are those of the artifact (plain data, see `grammarc_artifacts::sections::network`), with the fields
//! that belong to the masks still empty. Numbers continue those of the vocabulary's shared rules.

use std::sync::Arc;

use grammarc_artifacts::ExpressionRecord;
use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, TokenEdge, rule_flags, state_flags,
};
use grammarc_artifacts::tables::{Bases, Joined, Tables, TablesData};

use rustc_hash::FxHashSet;

use super::catalogue::Catalogue;
use super::follow::{Follow, OwnCalls};
use super::merge::{Merged, MergedLabel};
use super::rule::{Graded, Lowered, NetworkRule};
use super::{Roots, SharedRules};
use crate::automata::Table;
use crate::budget::{Budget, Spent};
use crate::ir::{ByteSet, Origin, RuleKind};

/// A network in normal form.
#[derive(Clone, Debug)]
pub struct Network {
    /// Rules, states and edges, with the masks' fields empty: every base mask is [`NONE`], and the token field of a
    /// token edge is an index into [`token_sets`](Self::token_sets) instead of a mask id.
    pub tables: TablesData,
    /// Name and origin of each own rule.
    pub rules: Vec<(String, Origin)>,
    /// The sets that token edges match, ascending ids each.
    pub token_sets: Vec<Vec<u32>>,
    /// Ids of the rules to start from.
    pub roots: Vec<u32>,
    /// Ids of the rules after which anything may come, because other networks may call them.
    pub open: Vec<u32>,
    /// Indices of own rules that are catalogues, ascending, with these.
    pub catalogues: Vec<(usize, Arc<Catalogue>)>,
    /// Own states whose masks depend on a field of the register.
    pub graded: Vec<Graded>,
    /// The calls of its own states.
    pub(super) own_calls: OwnCalls,
    /// Expressions that the rules of a vocabulary were compiled from; none for a grammar.
    pub expressions: Vec<ExpressionRecord>,
}

impl Network {
    /// This network and the vocabulary's shared rules as one numbering.
    pub fn joined<'a>(&'a self, shared: Tables<'a>) -> Joined<'a> {
        Joined { shared, own: self.tables.as_tables() }
    }

    /// The FOLLOW sets of its rules, joined with the vocabulary's of which `facts` are known.
    pub fn follow<'a>(&'a self, shared: Tables<'a>, facts: &'a SharedRules) -> Follow<'a> {
        Follow::known(self.joined(shared), facts, &self.own_calls)
    }

    /// The same network with what its own calls say, and the bytes that may come after each own rule.
    #[must_use]
    pub(super) fn with_calls(mut self, own_calls: OwnCalls, after: Vec<ByteSet>) -> Self {
        self.own_calls = own_calls;
        for (rule, after) in self.tables.rules.iter_mut().zip(after) {
            rule.after_bytes = after.to_words();
        }
        self
    }

    /// Id of the initial state of a root.
    pub fn start(&self, root: usize) -> u32 {
        let bases = self.tables.bases;
        self.tables.rules[(self.roots[root] - bases.rules) as usize].first_state
    }

    /// Index of the own rule that an own state belongs to.
    pub fn rule_of(&self, state: u32) -> usize {
        self.tables.rules.partition_point(|rule| rule.first_state <= state) - 1
    }
}

pub(super) fn lay_out(
    merged: Merged<'_>,
    shared: Tables<'_>,
    kind: Roots,
    budget: &Budget,
) -> Result<Network, Spent> {
    let bases = Bases {
        rules: shared.rules.len() as u32,
        states: shared.state_count(),
        masks: shared.masks.len() as u32,
        rows: shared.rows.len().checked_div(shared.row_words as usize).unwrap_or(0) as u32,
        classes: shared.classes.len() as u32,
    };
    let automata = || merged.rules.iter().map(|(rule, _)| &rule.dfa);
    let mut tables = TablesData {
        bases,
        row_words: shared.row_words,
        states: Vec::with_capacity(automata().map(Table::len).sum::<usize>() + 1),
        byte_edges: Vec::with_capacity(automata().map(Table::edge_count).sum()),
        call_edges: Vec::with_capacity(automata().map(|dfa| dfa.beyond_bytes().count()).sum()),
        ..TablesData::default()
    };
    let mut token_sets = Vec::new();
    let mut graded = Vec::new();
    let set_of_label: Vec<u32> = merged
        .labels
        .iter()
        .map(|label| match label {
            MergedLabel::Tokens(ids) => {
                token_sets.push(ids.clone());
                token_sets.len() as u32 - 1
            }
            _ => NONE,
        })
        .collect();
    for (rule, name) in &merged.rules {
        // Grammars find a vocabulary's rules by it.
        let hash = match kind {
            Roots::Start => [0; 4],
            Roots::Kept => name.content().unwrap_or_default(),
        };
        let first = bases.states + tables.states.len() as u32;
        let counted = rule.counted.as_ref();
        let mut flags = match rule.kind {
            RuleKind::Plain | RuleKind::Kept => 0,
            RuleKind::Distinct => rule_flags::DISTINCT,
            RuleKind::Item => rule_flags::ITEM,
            RuleKind::Region(number) => (number + 1) << rule_flags::REGION,
        };
        if let Some(counted) = counted {
            flags |= rule_flags::COUNTED;
            flags |= if counted.monotone { rule_flags::MONOTONE } else { 0 };
        }
        tables.rules.push(RuleRecord {
            first_state: first,
            state_count: rule.dfa.len() as u32,
            flags,
            first_bytes: [0; 8],
            first_tokens: 0,
            hash,
            after_bytes: [0; 8],
        });
        // A callee of a region is in it, which its frame says.
        let is_region = matches!(rule.kind, RuleKind::Region(_));
        let absorbing = absorbing(rule);
        let grades = counted.map_or(&[][..], |counted| &counted.graded);
        let in_grades: FxHashSet<u32> = grades.iter().flat_map(Graded::all).collect();
        graded.extend(grades.iter().map(|grades| grades.moved_to(first)));
        for state in 0..rule.dfa.len() as u32 {
            let (bytes, beyond) = rule.dfa.split(state);
            budget.spend(4 + bytes.len() + beyond.len())?;
            let mut record = StateRecord {
                byte_edges: tables.byte_edges.len() as u32,
                call_edges: tables.call_edges.len() as u32,
                token_edges: tables.token_edges.len() as u32,
                follows: 0,
                base: NONE,
                exits: NONE,
                count_exit: NONE,
                flags: state_flags::RESTS,
            };
            if rule.dfa.accepts(state) {
                record.flags |= state_flags::FINAL;
                if rule.dfa.edges(state).is_empty() {
                    record.flags |= state_flags::POP_ONLY;
                }
            }
            if absorbing[state as usize] {
                record.flags |= state_flags::ABSORBING;
            }
            if in_grades.contains(&state) {
                record.flags |= state_flags::COUNT_DEPENDENT;
            }
            if let Some(arrival) = counted.and_then(|counted| counted.arrival(state)) {
                record.flags |= arrival.lowered.flags();
                record.count_exit = match arrival.lowered {
                    Lowered::Set { to, .. } => to,
                    _ => first + arrival.exit,
                };
            }
            tables.states.push(record);
            tables.byte_edges.extend(bytes.iter().map(|edge| {
                ByteEdge::new(edge.lo as u8, edge.hi.min(255) as u8, first + edge.target)
            }));
            for edge in beyond {
                let target = first + edge.target;
                let ends = rule.dfa.accepts(edge.target) && rule.dfa.edges(edge.target).is_empty();
                let ret = if ends && !is_region { NONE } else { target };
                for symbol in edge.lo.max(256)..=edge.hi {
                    let label = symbol as usize - 256;
                    match &merged.labels[label] {
                        &MergedLabel::Own(callee, count) => {
                            let callee = bases.rules + callee as u32;
                            tables.call_edges.push(CallEdge { callee, ret, count });
                        }
                        &MergedLabel::Shared(callee, count) => {
                            tables.call_edges.push(CallEdge { callee, ret, count });
                        }
                        MergedLabel::Tokens(_) => {
                            let tokens = set_of_label[label];
                            tables.token_edges.push(TokenEdge { tokens, target });
                        }
                    }
                }
            }
        }
    }
    tables.states.push(StateRecord {
        byte_edges: tables.byte_edges.len() as u32,
        call_edges: tables.call_edges.len() as u32,
        token_edges: tables.token_edges.len() as u32,
        follows: 0,
        base: NONE,
        exits: NONE,
        count_exit: NONE,
        flags: 0,
    });
    fill_firsts(&mut tables, shared);
    let catalogues = merged.rules.iter().enumerate();
    let catalogues = catalogues
        .filter_map(|(index, (rule, _))| Some((index, rule.catalogue.clone()?)))
        .collect();
    let rules = merged.rules.into_iter();
    let rules = rules.map(|(rule, _)| (rule.name.clone(), rule.origin.clone())).collect();
    let roots: Vec<u32> = merged.roots.iter().map(|&root| bases.rules + root as u32).collect();
    let open = match kind {
        Roots::Start => Vec::new(),
        Roots::Kept => roots.clone(),
    };
    Ok(Network {
        tables,
        rules,
        token_sets,
        roots,
        open,
        catalogues,
        graded,
        own_calls: OwnCalls::default(),
        expressions: Vec::new(),
    })
}

/// The bytes that may come after each own rule.
pub(super) fn after_bytes(follow: &Follow<'_>) -> Vec<ByteSet> {
    follow.network().own.rule_ids().map(|rule| follow.bytes(rule)).collect()
}

/// Vocabulary rules that the network calls and goes on from with a byte that their exit classes do not know of.
pub(super) fn misused(follow: &Follow<'_>) -> Vec<u32> {
    let shared = follow.network().shared;
    let knows = |rule: u32| ByteSet::from_words(shared.rules[rule as usize].after_bytes);
    let widened = follow.widened().iter().copied();
    widened.filter(|&rule| !follow.bytes(rule).minus(knows(rule)).is_empty()).collect()
}

/// For each state, whether its language within the rule is closed under concatenation with itself: it accepts, and no
/// other state that it leads to does, so that its strings are the paths from itself to itself.
///
/// Counted rules have none, for two activations differ in more than their state; nor have regions, whose frames count.
fn absorbing(rule: &NetworkRule) -> Vec<bool> {
    let dfa = &rule.dfa;
    let alone = |root: u32| {
        let mut seen = vec![false; dfa.len()];
        let mut stack = vec![root];
        seen[root as usize] = true;
        while let Some(state) = stack.pop() {
            for edge in dfa.edges(state) {
                if !std::mem::replace(&mut seen[edge.target as usize], true) {
                    if dfa.accepts(edge.target) {
                        return false;
                    }
                    stack.push(edge.target);
                }
            }
        }
        true
    };
    let (mut absorbing, mut returns) = (vec![false; dfa.len()], vec![false; dfa.len()]);
    if rule.counted.is_none() && !matches!(rule.kind, RuleKind::Region(_)) {
        // Only states that calls return to are ever pushed.
        for target in dfa.beyond_bytes().map(|edge| edge.target) {
            if !std::mem::replace(&mut returns[target as usize], true) {
                absorbing[target as usize] = dfa.accepts(target) && alone(target);
            }
        }
    }
    absorbing
}

/// First bytes and first tokens of every own rule. Left calls have no cycles, so a depth-first walk settles each rule
/// once.
fn fill_firsts(tables: &mut TablesData, shared: Tables<'_>) {
    let base = tables.bases.rules;
    let mut done = vec![false; tables.rules.len()];
    for root in 0..tables.rules.len() {
        let mut stack = vec![root];
        while let Some(&rule) = stack.last() {
            if done[rule] {
                stack.pop();
                continue;
            }
            let own = tables.as_tables();
            let initial = (own.rules[rule].first_state - own.bases.states) as usize;
            let calls = own.call_edges_of(initial);
            let pending: Vec<usize> = calls
                .iter()
                .filter_map(|call| call.callee.checked_sub(base).map(|callee| callee as usize))
                .filter(|&callee| !done[callee])
                .collect();
            if !pending.is_empty() {
                stack.extend(pending);
                continue;
            }
            let mut bytes = [0u32; 8];
            let mut tokens = u32::from(!own.token_edges_of(initial).is_empty());
            for edge in own.byte_edges_of(initial) {
                for byte in edge.lo()..=edge.hi() {
                    bytes[usize::from(byte) / 32] |= 1 << (byte % 32);
                }
            }
            for call in calls {
                let callee = match call.callee.checked_sub(base) {
                    Some(index) => &own.rules[index as usize],
                    None => &shared.rules[call.callee as usize],
                };
                bytes.iter_mut().zip(callee.first_bytes).for_each(|(word, more)| *word |= more);
                tokens |= callee.first_tokens;
            }
            tables.rules[rule].first_bytes = bytes;
            tables.rules[rule].first_tokens = tokens;
            done[rule] = true;
            stack.pop();
        }
    }
}
