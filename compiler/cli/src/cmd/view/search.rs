//! The search for short texts: shortest derivations (Knuth), then shortest paths (Dijkstra).
//!
//! 1. For each activation, the least cost to the end of its rule. A call costs as much as its callee
//!    and the caller after the return. So the costs are settled in ascending order, as Knuth's
//!    generalization of Dijkstra's algorithm does.
//! 2. For each activation, the least cost from the start. A step enters a callee, or passes over
//!    it by the callee's shortest text.
//!
//! Items that must differ get different texts: the shortest one, and texts that diverge from it in
//! one step. These are short, but not always the shortest.
//!
//! Cost: O(n log n) for n steps of all activations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use grammarc_runtime::ending::Unit;

use super::activations::{Activations, Step};

/// Cost of an unreachable activation.
const NEVER: u32 = u32::MAX;

/// Number of texts of an item, beside the shortest one, at which the search stops. Further items
/// reuse these texts.
const MOST_OTHERS: usize = 100;

/// Shortest paths from the start to all activations, and from each to the end of its rule.
pub(super) struct Search<'a> {
    activations: &'a Activations,
    ends: Ends,
    /// For each activation, the length of the shortest text that leads there.
    cost: Vec<u32>,
    /// For each activation but the first, the last part of a shortest path to it.
    before: Vec<Option<Part>>,
}

/// The part of a path between two activations.
#[derive(Clone, Copy)]
struct Part {
    from: usize,
    passed: Passed,
    /// Number of items with a distinctness constraint that the path passes over before this part.
    items: usize,
}

/// The text between two activations.
#[derive(Clone, Copy)]
enum Passed {
    Nothing,
    Unit(Unit),
    /// A text of a callee.
    Call(usize),
}

/// Shortest paths from all activations to the ends of their rules.
struct Ends {
    /// For each activation, the least number of units. 0 where the rule may end.
    cost: Vec<u32>,
    /// For each activation, the first step of such a path. `None` where the rule may end.
    step: Vec<Option<Step>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(activations: &'a Activations) -> Self {
        let ends = Ends::new(activations);
        let len = activations.len();
        let (mut cost, mut before) = (vec![NEVER; len], vec![None::<Part>; len]);
        let mut heap = BinaryHeap::from([Reverse((0, 0))]);
        cost[0] = 0;
        while let Some(Reverse((settled, from))) = heap.pop() {
            if settled > cost[from] {
                continue;
            }
            let is_item =
                |passed| matches!(passed, Passed::Call(callee) if activations.is_item(callee));
            let items =
                before[from].map_or(0, |part| part.items + usize::from(is_item(part.passed)));
            let mut reach = |to: usize, length: u32, passed: Passed| {
                let new = settled.saturating_add(length);
                if new < cost[to] {
                    cost[to] = new;
                    before[to] = Some(Part { from, passed, items });
                    heap.push(Reverse((new, to)));
                }
            };
            for &step in activations.steps(from) {
                match step {
                    Step::Read { unit, to } => reach(to, 1, Passed::Unit(unit)),
                    Step::Call { callee, ret } => {
                        reach(callee, 0, Passed::Nothing);
                        if let Some(ret) = ret {
                            reach(ret, ends.cost[callee], Passed::Call(callee));
                        }
                    }
                }
            }
        }
        Self { activations, ends, cost, before }
    }

    /// Returns the length of the shortest text that leads to an activation. `u32::MAX` if none does.
    pub(super) fn cost(&self, at: usize) -> u32 {
        self.cost[at]
    }

    /// Returns the activation before another one on its shortest path. `None` for the first.
    pub(super) fn before(&self, at: usize) -> Option<usize> {
        self.before[at].map(|part| part.from)
    }

    /// Returns the units between an activation and the one before it.
    pub(super) fn last_units(&self, at: usize) -> Vec<Unit> {
        match self.before[at] {
            None | Some(Part { passed: Passed::Nothing, .. }) => Vec::new(),
            Some(Part { passed: Passed::Unit(unit), .. }) => vec![unit],
            Some(Part { passed: Passed::Call(callee), items, .. }) => {
                match self.activations.is_item(callee) {
                    true => self.item(callee, items),
                    false => self.finish(vec![callee]),
                }
            }
        }
    }

    /// Returns the text that leads to an activation.
    pub(super) fn text(&self, mut at: usize) -> Vec<Unit> {
        let mut parts = vec![self.last_units(at)];
        while let Some(before) = self.before(at) {
            at = before;
            parts.push(self.last_units(at));
        }
        parts.into_iter().rev().flatten().collect()
    }

    /// Returns a short text that ends the rules of a stack, whose top is last. Items that must
    /// differ get different texts.
    fn finish(&self, mut stack: Vec<usize>) -> Vec<Unit> {
        let (mut units, mut items) = (Vec::new(), 0);
        while let Some(at) = stack.pop() {
            match self.ends.step[at] {
                None => {}
                Some(Step::Read { unit, to }) => {
                    units.push(unit);
                    stack.push(to);
                }
                Some(Step::Call { callee, ret }) => {
                    stack.extend(ret);
                    match self.activations.is_item(callee) {
                        false => stack.push(callee),
                        true => {
                            units.extend(self.item(callee, items));
                            items += 1;
                        }
                    }
                }
            }
        }
        units
    }

    /// Returns a text for the item with an index. The first item gets the shortest text. Later
    /// items get texts that diverge from it in one step, shorter ones first.
    fn item(&self, callee: usize, number: usize) -> Vec<Unit> {
        let shortest = self.plain(vec![callee]);
        if number == 0 {
            return shortest;
        }
        let mut others: Vec<Vec<Unit>> = Vec::new();
        let (mut units, mut stack) = (Vec::new(), vec![callee]);
        while let Some(at) = stack.pop()
            && others.len() < MOST_OTHERS
        {
            for &step in self.activations.steps(at) {
                let mut other: Vec<Unit> = units.clone();
                let mut rest = stack.clone();
                if !self.ends.is_reached(step) {
                    continue;
                }
                take(step, &mut other, &mut rest);
                other.extend(self.plain(rest));
                if other != shortest && !others.contains(&other) {
                    others.push(other);
                }
            }
            if let Some(step) = self.ends.step[at] {
                take(step, &mut units, &mut stack);
            }
        }
        others.sort_by_key(Vec::len);
        match others.len() {
            0 => shortest,
            len => others.swap_remove((number - 1) % len),
        }
    }

    /// Returns a shortest text that ends the rules of a stack. Items may be equal.
    fn plain(&self, mut stack: Vec<usize>) -> Vec<Unit> {
        let mut units = Vec::new();
        while let Some(at) = stack.pop() {
            if let Some(step) = self.ends.step[at] {
                take(step, &mut units, &mut stack);
            }
        }
        units
    }
}

/// Takes a step: appends its unit, and pushes the activations whose rules still have to end.
fn take(step: Step, units: &mut Vec<Unit>, stack: &mut Vec<usize>) {
    match step {
        Step::Read { unit, to } => {
            units.push(unit);
            stack.push(to);
        }
        Step::Call { callee, ret } => {
            stack.extend(ret);
            stack.push(callee);
        }
    }
}

impl Ends {
    fn new(activations: &Activations) -> Self {
        let len = activations.len();
        let mut users: Vec<Vec<(usize, Step)>> = vec![Vec::new(); len];
        for at in 0..len {
            for &step in activations.steps(at) {
                match step {
                    Step::Read { to, .. } => users[to].push((at, step)),
                    Step::Call { callee, ret } => {
                        users[callee].push((at, step));
                        users[ret.unwrap_or(callee)].push((at, step));
                    }
                }
            }
        }
        let mut ends = Self { cost: vec![NEVER; len], step: vec![None; len] };
        let mut heap = BinaryHeap::new();
        for at in (0..len).filter(|&at| activations.ends(at)) {
            ends.cost[at] = 0;
            heap.push(Reverse((0, at)));
        }
        while let Some(Reverse((settled, at))) = heap.pop() {
            if settled > ends.cost[at] {
                continue;
            }
            for &(user, step) in &users[at] {
                let new = ends.cost_of(step);
                if new < ends.cost[user] {
                    ends.cost[user] = new;
                    ends.step[user] = Some(step);
                    heap.push(Reverse((new, user)));
                }
            }
        }
        ends
    }

    /// Returns the cost of a step and of the path after it.
    fn cost_of(&self, step: Step) -> u32 {
        match step {
            Step::Read { to, .. } => self.cost[to].saturating_add(1),
            Step::Call { callee, ret } => {
                self.cost[callee].saturating_add(ret.map_or(0, |ret| self.cost[ret]))
            }
        }
    }

    /// Whether the end of the rule is reachable after a step.
    fn is_reached(&self, step: Step) -> bool {
        self.cost_of(step) != NEVER
    }
}
