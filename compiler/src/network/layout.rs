//! The last pass: writes the rules as contiguous ranges of numbered states in flat records. Tail
//! calls, states that can only return, absorbing states and first bytes are found from the shape of
//! the automata.
//!
//! Cost: O(states and edges). A rule whose calls return to many accepting states costs O(states
//! times edges).

use grammarc_artifacts::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, TokenEdge, rule_flags, state_flags,
};
use grammarc_artifacts::tables::{Bases, Tables, TablesData};
use rustc_hash::FxHashSet;

use super::first_sets::fill_firsts;
use super::follow::OwnCalls;
use super::merge::{Merged, MergedLabel};
use super::normal_form::Network;
use super::request::Roots;
use super::rule::{CountDependent, NetworkRule, RegisterUpdate};
use crate::automata::{Edge, Table};
use crate::budget::{Budget, Spent};
use crate::ir::RuleKind;

/// Steps of a budget that a state costs besides its edges, about.
const STEPS_A_STATE: usize = 1 << 2;

/// Writes the records of merged rules. Their numbers continue those of the vocabulary's rules.
///
/// # Errors
///
/// [`Spent`] if the budget is spent.
pub(super) fn lay_out(
    merged: Merged<'_>,
    shared: Tables<'_>,
    kind: Roots,
    budget: &Budget,
) -> Result<Network, Spent> {
    let mut layout = Layout::new(&merged, shared);
    for (rule, name) in &merged.rules {
        // Grammars find a vocabulary's rules by their hashes.
        let hash = match kind {
            Roots::Start => [0; 4],
            Roots::Kept => name.content().unwrap_or_default(),
        };
        layout.add_rule(rule, hash, budget)?;
    }
    let end = layout.record(0);
    layout.tables.states.push(end);
    fill_firsts(&mut layout.tables, shared);
    let Layout { tables, token_sets, count_dependent, .. } = layout;
    let first = tables.bases.rules;
    let roots: Vec<u32> = merged.roots.iter().map(|&root| first + root as u32).collect();
    let open = match kind {
        Roots::Start => Vec::new(),
        Roots::Kept => roots.clone(),
    };
    let rules = || merged.rules.iter().map(|(rule, _)| rule);
    let packed_sets = rules().enumerate();
    let packed_sets = packed_sets.filter_map(|(index, rule)| Some((index, rule.packed.clone()?)));
    Ok(Network {
        tables,
        rules: rules().map(|rule| (rule.name.clone(), rule.origin.clone())).collect(),
        token_sets,
        roots,
        open,
        packed_sets: packed_sets.collect(),
        count_dependent,
        own_calls: OwnCalls::default(),
        expressions: Vec::new(),
    })
}

/// The records written so far.
struct Layout<'m> {
    /// The labels (calls or token sets) of the merged rules, by symbol minus 256.
    labels: &'m [MergedLabel],
    /// For each label, the index of its token set in `token_sets`. `NONE` for a call.
    set_of_label: Vec<u32>,
    /// The rules, states and edges.
    tables: TablesData,
    /// The token sets, each as token ids in ascending order.
    token_sets: Vec<Vec<u32>>,
    /// The states whose masks depend on a counter, by rule and counter.
    count_dependent: Vec<CountDependent>,
}

impl<'m> Layout<'m> {
    /// Returns empty records with memory for all rules, and the token sets of all labels.
    fn new(merged: &'m Merged<'_>, shared: Tables<'_>) -> Self {
        let bases = Bases {
            rules: shared.rules.len() as u32,
            states: shared.state_count(),
            masks: shared.masks.len() as u32,
            rows: shared.rows.len().checked_div(shared.row_words as usize).unwrap_or(0) as u32,
            classes: shared.classes.len() as u32,
        };
        let automata = || merged.rules.iter().map(|(rule, _)| &rule.dfa);
        let tables = TablesData {
            bases,
            row_words: shared.row_words,
            states: Vec::with_capacity(automata().map(Table::len).sum::<usize>() + 1),
            byte_edges: Vec::with_capacity(automata().map(Table::edge_count).sum()),
            call_edges: Vec::with_capacity(automata().map(|dfa| dfa.beyond_bytes().count()).sum()),
            ..TablesData::default()
        };
        let mut token_sets = Vec::new();
        let set_of_label = merged.labels.iter().map(|label| match label {
            MergedLabel::Tokens(ids) => {
                token_sets.push(ids.clone());
                token_sets.len() as u32 - 1
            }
            _ => NONE,
        });
        let set_of_label = set_of_label.collect();
        Self {
            labels: &merged.labels,
            set_of_label,
            tables,
            token_sets,
            count_dependent: Vec::new(),
        }
    }

    /// Adds the records of a rule and its states. `hash` is the rule's content hash, zero in a
    /// grammar.
    fn add_rule(
        &mut self,
        rule: &NetworkRule,
        hash: [u32; 4],
        budget: &Budget,
    ) -> Result<(), Spent> {
        let first = self.tables.bases.states + self.tables.states.len() as u32;
        self.tables.rules.push(RuleRecord {
            first_state: first,
            state_count: rule.dfa.len() as u32,
            flags: flags_of(rule),
            first_bytes: [0; 8],
            first_tokens: 0,
            hash,
            after_bytes: [0; 8],
        });
        let absorbing = absorbing(rule);
        let count_dependent =
            rule.counted.as_ref().map_or(&[][..], |counted| &counted.count_dependent);
        let is_count_dependent: FxHashSet<u32> =
            count_dependent.iter().flat_map(CountDependent::all).collect();
        self.count_dependent
            .extend(count_dependent.iter().map(|count_dependent| count_dependent.moved_to(first)));
        for state in 0..rule.dfa.len() as u32 {
            let (bytes, beyond) = rule.dfa.split(state);
            budget.spend(STEPS_A_STATE + bytes.len() + beyond.len())?;
            let mut flags = 0;
            if absorbing[state as usize] {
                flags |= state_flags::ABSORBING;
            }
            if is_count_dependent.contains(&state) {
                flags |= state_flags::COUNT_DEPENDENT;
            }
            self.add_state(rule, state, first, flags);
            self.tables.byte_edges.extend(bytes.iter().map(|edge| {
                ByteEdge::new(edge.lo as u8, edge.hi.min(255) as u8, first + edge.target)
            }));
            for edge in beyond {
                self.add_labels(rule, edge, first);
            }
        }
        Ok(())
    }

    /// Adds the record of a state. `first` is the id of the rule's initial state. `flags` are set
    /// besides those found here.
    fn add_state(&mut self, rule: &NetworkRule, state: u32, first: u32, flags: u32) {
        let mut record = self.record(state_flags::RESTS | flags);
        if rule.dfa.accepts(state) {
            record.flags |= state_flags::FINAL;
            if rule.dfa.edges(state).is_empty() {
                record.flags |= state_flags::POP_ONLY;
            }
        }
        if let Some(arrival) = rule.counted.as_ref().and_then(|counted| counted.arrival(state)) {
            record.flags |= arrival.update.flags();
            record.count_exit = match arrival.update {
                RegisterUpdate::Set { to, .. } => to,
                _ => first + arrival.exit,
            };
        }
        self.tables.states.push(record);
    }

    /// Adds the calls and token transitions of an edge. A call in tail position gets no return
    /// state, except in a region. A region is a part of the output that one source constrains. Its
    /// frame has to stay on the stack as long as a callee is inside.
    fn add_labels(&mut self, rule: &NetworkRule, edge: &Edge, first: u32) {
        let target = first + edge.target;
        let is_region = matches!(rule.kind, RuleKind::Region(_));
        let ends = rule.dfa.accepts(edge.target) && rule.dfa.edges(edge.target).is_empty();
        let ret = if ends && !is_region { NONE } else { target };
        for symbol in edge.lo.max(256)..=edge.hi {
            let label = symbol as usize - 256;
            match self.labels[label] {
                MergedLabel::Own(callee, count) => {
                    let callee = self.tables.bases.rules + callee as u32;
                    self.tables.call_edges.push(CallEdge { callee, ret, count });
                }
                MergedLabel::Shared(callee, count) => {
                    self.tables.call_edges.push(CallEdge { callee, ret, count });
                }
                MergedLabel::Tokens(_) => {
                    let tokens = self.set_of_label[label];
                    self.tables.token_edges.push(TokenEdge { tokens, target });
                }
            }
        }
    }

    /// Returns the record of a state without a mask, whose edges begin at the present ends of the
    /// edge lists.
    fn record(&self, flags: u32) -> StateRecord {
        StateRecord {
            byte_edges: self.tables.byte_edges.len() as u32,
            call_edges: self.tables.call_edges.len() as u32,
            token_edges: self.tables.token_edges.len() as u32,
            follows: 0,
            base: NONE,
            exits: NONE,
            count_exit: NONE,
            flags,
        }
    }
}

/// Returns the flags of a rule's record: its kind, and the form of its register.
fn flags_of(rule: &NetworkRule) -> u32 {
    let kind = match rule.kind {
        RuleKind::Plain | RuleKind::Kept => 0,
        RuleKind::Distinct => rule_flags::DISTINCT,
        RuleKind::Item => rule_flags::ITEM,
        RuleKind::Region(number) => (number + 1) << rule_flags::REGION,
    };
    let register = match &rule.counted {
        None => 0,
        Some(counted) if counted.monotone => rule_flags::COUNTED | rule_flags::MONOTONE,
        Some(_) => rule_flags::COUNTED,
    };
    kind | register
}

/// For each state, returns whether it is absorbing: it accepts, and no other state reachable from
/// it accepts. The strings from such a state are the paths back to it, so concatenating two of them
/// gives such a string again. Pushing such a return state twice changes nothing.
///
/// A rule with a register has no absorbing state, because two of its activations (calls in
/// progress) also differ in their registers. A region has none, because the number of its frames
/// matters.
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
