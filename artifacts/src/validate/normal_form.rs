//! Checks of the normal form, by which every loop of the runtime ends.
//!
//! Expanding the calls of a configuration terminates because no rule is left recursive. No rule accepts the empty
//! string, so left recursion is visible in the initial states alone. No configuration is a dead end because every state
//! reaches a final one.
//!
//! The vocabulary's rules call each other only, and are checked before any grammar. So the check of a grammar assumes
//! that a shared rule returns.

use super::context::{Context, rules_of};
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::network::{NONE, rule_flags, state_flags};

pub(super) fn check(context: &Context<'_>) -> Check {
    start_rule(context)?;
    empty_rules(context)?;
    left_recursion(context)?;
    first_sets(context)?;
    dead_states(context)
}

/// Checks that the start rule exists and has no counter, since only a call could set a counter.
fn start_rule(context: &Context<'_>) -> Check {
    let Some(start) = context.start_rule else { return Ok(()) };
    let place = at(SectionKind::Grammar, 0);
    place.below(Invariant::StartRule, start, context.totals.rules)?;
    let flags = context.joined.rule(start).flags;
    place.require(Invariant::StartRule, flags & rule_flags::COUNTED == 0, start)
}

/// Checks that no initial state is final, except that of a start rule that no edge calls.
fn empty_rules(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let accepts_empty = |rule: u32| {
        let initial = context.joined.state(context.joined.rule(rule).first_state);
        initial.flags & state_flags::FINAL != 0
    };
    for index in 0..own.rules.len() {
        let rule = own.bases.rules + index as u32;
        let holds = !accepts_empty(rule) || context.start_rule == Some(rule);
        at(SectionKind::Rules, index).require(Invariant::EmptyRule, holds, rule)?;
    }
    for (index, edge) in own.call_edges.iter().enumerate() {
        let place = at(SectionKind::CallEdges, index);
        place.require(Invariant::EmptyRule, !accepts_empty(edge.callee), edge.callee)?;
    }
    Ok(())
}

/// Checks that the calls of initial states form no cycle. A depth-first search with its own stack.
fn left_recursion(context: &Context<'_>) -> Check {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let own = &context.joined.own;
    let initial = |rule: usize| (own.rules[rule].first_state - own.bases.states) as usize;
    // For a rule, the indices of its initial state's call edges.
    let calls = |rule: usize| {
        let state = initial(rule);
        own.states[state].call_edges..own.states[state + 1].call_edges
    };
    let mut seen = vec![Seen::No; own.rules.len()];
    let mut open = Vec::new();
    for root in 0..own.rules.len() {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::Open;
        open.push((root, calls(root)));
        while let Some((rule, edges)) = open.last_mut() {
            let Some(edge) = edges.next() else {
                seen[*rule] = Seen::Done;
                open.pop();
                continue;
            };
            let callee = own.call_edges[edge as usize].callee;
            let Some(callee) = callee.checked_sub(own.bases.rules) else { continue };
            let callee = callee as usize;
            let place = at(SectionKind::CallEdges, edge as usize);
            let closed = seen[callee] != Seen::Open;
            place.require(
                Invariant::LeftRecursion,
                closed,
                own.call_edges[edge as usize].callee,
            )?;
            if seen[callee] == Seen::No {
                seen[callee] = Seen::Open;
                open.push((callee, calls(callee)));
            }
        }
    }
    Ok(())
}

/// Checks the first set of each rule: the union of the initial state's edges and of the first sets of the called rules.
/// Without left recursion these equations have one solution.
fn first_sets(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    for (index, first, _) in rules_of(own) {
        let mut bytes = [0u32; 8];
        let mut tokens = !own.token_edges_of(first).is_empty();
        for edge in own.byte_edges_of(first) {
            for byte in edge.lo()..=edge.hi() {
                bytes[usize::from(byte / 32)] |= 1 << (byte % 32);
            }
        }
        for edge in own.call_edges_of(first) {
            let callee = context.joined.rule(edge.callee);
            for (word, callee) in bytes.iter_mut().zip(callee.first_bytes) {
                *word |= callee;
            }
            tokens |= callee.first_tokens != 0;
        }
        let rule = &own.rules[index];
        let holds = rule.first_bytes == bytes && (rule.first_tokens != 0) == tokens;
        at(SectionKind::Rules, index).require(Invariant::FirstBytes, holds, rule.first_tokens)?;
    }
    Ok(())
}

/// Checks that every state reaches a final state of its rule.
///
/// The check is a backward search from the final states. A state is alive if some step from it leads to a live state. A
/// call also needs the callee's initial state to be alive, and a tail call needs that alone. Each step is visited once,
/// so the cost is linear. Sweeps to a fixpoint would be quadratic in a hostile file.
fn dead_states(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let mut steps = Steps::default();
    let mut alive = Alive { states: vec![false; own.state_count() as usize], queue: Vec::new() };
    let local = |state: u32| (state != NONE).then(|| state.wrapping_sub(own.bases.states));
    for (index, state) in own.states.iter().enumerate().take(own.state_count() as usize) {
        let source = index as u32;
        if state.flags & state_flags::FINAL != 0 {
            alive.add(source);
        }
        for edge in own.byte_edges_of(index) {
            steps.add(source, local(edge.target), None, &mut alive);
        }
        for edge in own.token_edges_of(index) {
            if context.joined.mask(edge.tokens).1.count > 0 {
                steps.add(source, local(edge.target), None, &mut alive);
            }
        }
        for edge in own.call_edges_of(index) {
            let callee = edge.callee.checked_sub(own.bases.rules);
            let initial = callee.and_then(|rule| local(own.rules[rule as usize].first_state));
            steps.add(source, local(edge.ret), initial, &mut alive);
        }
        if state.count_exit != NONE {
            for next in context.joined.arrivals(own.bases.states + source).into_iter().skip(1) {
                steps.add(source, local(next), None, &mut alive);
            }
        }
    }
    steps.run(&mut alive);
    for (index, &alive) in alive.states.iter().enumerate() {
        let id = own.bases.states + index as u32;
        at(SectionKind::States, index).require(Invariant::DeadState, alive, id)?;
    }
    Ok(())
}

/// The states known to be alive, and a worklist of those whose predecessors are still to be visited.
struct Alive {
    states: Vec<bool>,
    queue: Vec<u32>,
}

impl Alive {
    fn add(&mut self, state: u32) {
        if !std::mem::replace(&mut self.states[state as usize], true) {
            self.queue.push(state);
        }
    }
}

/// The steps between states of these tables, by index. A step makes its source alive once all states that it needs are
/// alive.
#[derive(Default)]
struct Steps {
    /// For each step, its source and the number of needed states that are not known to be alive yet.
    steps: Vec<(u32, u8)>,
    /// Pairs of a state and a step that needs this state alive.
    waits: Vec<(u32, u32)>,
}

impl Steps {
    /// Adds a step from `source` that needs up to two states to be alive. If it needs none, `source` is alive at once.
    fn add(&mut self, source: u32, first: Option<u32>, second: Option<u32>, alive: &mut Alive) {
        let step = self.steps.len() as u32;
        let mut waiting = 0;
        for state in [first, second].into_iter().flatten() {
            self.waits.push((state, step));
            waiting += 1;
        }
        if waiting == 0 {
            return alive.add(source);
        }
        self.steps.push((source, waiting));
    }

    /// Marks all states that can become alive, until the worklist is empty.
    fn run(mut self, alive: &mut Alive) {
        // Counting sort by state: `from[s]..from[s + 1]` are the steps that need state `s`.
        let mut from = vec![0u32; alive.states.len() + 2];
        for &(state, _) in &self.waits {
            from[state as usize + 2] += 1;
        }
        for state in 2..from.len() {
            from[state] += from[state - 1];
        }
        let mut grouped = vec![0u32; self.waits.len()];
        for &(state, step) in &self.waits {
            let slot = &mut from[state as usize + 1];
            grouped[*slot as usize] = step;
            *slot += 1;
        }
        while let Some(state) = alive.queue.pop() {
            let range = from[state as usize] as usize..from[state as usize + 1] as usize;
            for &step in &grouped[range] {
                let (source, waiting) = &mut self.steps[step as usize];
                *waiting -= 1;
                if *waiting == 0 {
                    alive.add(*source);
                }
            }
        }
    }
}
