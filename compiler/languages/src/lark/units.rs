//! Units: automata whose letters are lexemes. A unit is one rule of the grammar, with as many called rules as possible
//! inlined.
//!
//! The set of next terminals depends on all that the grammar allows at a place, so rules are inlined into their
//! callers. Two kinds of rules stay units of their own: one rule of each cycle, and large rules with several callers.
//! The start rule is the first unit. A rule that begins or ends with itself becomes a loop, so only nested recursion is
//! left.
//!
//! Ignored terminals may follow every lexeme. The state after the lexeme has a loop over them, and an epsilon
//! transition past them. No ignored terminal is allowed where no lexeme can follow ([`subsets`](super::subsets)), so a
//! text ends where its grammar ends.
//!
//! Cost: linear in the inlined size, which is bounded: a rule of more than [`MAX_COPIED`] parts is copied once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexicon::TerminalId;
use super::rules::{Body, Rules};
use grammarc_grammar::budget::Budget;

/// Most parts of the body of a rule that is inlined into several callers. A larger rule with several callers becomes a
/// unit of its own, which is called; so grammars do not grow exponentially.
const MAX_COPIED: usize = 1 << 8;

/// Most parts of an unrolled repetition: parts of its body times its copies. A larger repetition becomes a repeated
/// call of a unit (a rule with its callees inlined).
const MAX_UNROLLED: u64 = 1 << 10;

/// A letter of the alphabet of a unit's automaton: a terminal, a called unit or another expression. A unit is a rule
/// with its callees inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Letter {
    /// A terminal, by its number in the lexicon.
    Terminal(TerminalId),
    /// An expression without known lexemes (a token, a JSON Schema or a nested grammar), by its index in the lexicon.
    Opaque(u32),
    /// Between `min` and `max` strings of another unit (a rule with its callees inlined), both inclusive. Without `max`
    /// the number is unbounded.
    Unit { unit: u32, min: u32, max: Option<u32> },
}

/// A unit: a nondeterministic automaton over lexemes, for one rule of the grammar with its callees inlined.
#[derive(Debug)]
pub(super) struct Unit {
    /// Index of the rule of the source that the unit (a rule with its callees inlined) belongs to.
    pub(super) rule: u32,
    /// For each state of the unit's automaton, its outgoing edges: the letter (a terminal, a called unit or another
    /// expression) and the target state.
    pub(super) edges: Vec<Vec<(Letter, u32)>>,
    /// For each state of the unit's automaton, the targets of its epsilon transitions.
    pub(super) empty: Vec<Vec<u32>>,
    /// Maps the state directly after a lexeme to the state after the ignored text that may follow the lexeme. Empty if
    /// the grammar ignores nothing.
    pub(super) past: FxHashMap<u32, u32>,
}

impl Unit {
    pub(super) const START: u32 = 0;
    pub(super) const END: u32 = 1;

    fn new(rule: u32) -> Self {
        let (edges, empty) = (vec![Vec::new(); 2], vec![Vec::new(); 2]);
        Self { rule, edges, empty, past: FxHashMap::default() }
    }

    fn state(&mut self) -> u32 {
        self.edges.push(Vec::new());
        self.empty.push(Vec::new());
        (self.edges.len() - 1) as u32
    }

    /// Returns the epsilon closure of the given states of the unit (a rule with its callees inlined), in ascending
    /// order.
    pub(super) fn closure(&self, states: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut reached: Vec<u32> = states.into_iter().collect();
        reached.sort_unstable();
        reached.dedup();
        let mut known: FxHashSet<u32> = reached.iter().copied().collect();
        let mut open = reached.clone();
        while let Some(state) = open.pop() {
            for &to in &self.empty[state as usize] {
                if known.insert(to) {
                    reached.push(to);
                    open.push(to);
                }
            }
        }
        reached.sort_unstable();
        reached
    }
}

/// Splits a grammar into units: automata over lexemes, each a rule with its callees inlined. The unit of the start rule
/// is the first. Once the budget is spent, the units are incomplete.
pub(super) fn units(rules: &Rules<'_>, budget: &Budget) -> Vec<Unit> {
    let is_unit = separate_units(rules);
    let mut writer = Writer {
        rules,
        budget,
        unit_of: vec![None; rules.rules.len()],
        is_unit,
        units: Vec::new(),
        todo: Vec::new(),
    };
    writer.unit(rules.start);
    while let Some((unit, body)) = writer.todo.pop() {
        writer.write(unit, body);
        if budget.spend(1).is_err() {
            break;
        }
    }
    for unit in 0..writer.units.len() as u32 {
        loop_at_ends(&mut writer.units[unit as usize], unit, &rules.ignored);
    }
    writer.units
}

/// Returns, for each rule, whether it becomes a unit that is called and not inlined: one rule of each cycle, and large
/// rules with several callers. The start rule, always a unit, is not included.
fn separate_units(rules: &Rules<'_>) -> Vec<bool> {
    let count = rules.rules.len();
    let (mut is_unit, mut uses) = (vec![false; count], vec![0usize; count]);
    let calls: Vec<_> = rules.rules.iter().map(|rule| calls(&rule.body)).collect();
    for &(rule, times) in calls.iter().flat_map(|(calls, _)| calls) {
        uses[rule as usize] = uses[rule as usize].saturating_add(times);
    }
    // Depth-first search: a call of a rule that is still open closes a cycle. Callees are finished before their
    // callers.
    let (mut sizes, mut is_open, mut is_done) =
        (vec![0usize; count], vec![false; count], vec![false; count]);
    let mut stack = vec![(rules.start, 0)];
    is_open[rules.start as usize] = true;
    while let Some((rule, next)) = stack.last_mut() {
        let (rule, calls) = (*rule as usize, &calls[*rule as usize]);
        if let Some(&(callee, _)) = calls.0.get(*next) {
            *next += 1;
            if callee as usize == rule && loops(rules, callee) {
                continue;
            }
            if is_open[callee as usize] {
                is_unit[callee as usize] = true;
            } else if !is_done[callee as usize] {
                is_open[callee as usize] = true;
                stack.push((callee, 0));
            }
            continue;
        }
        let inlined = calls.0.iter().filter(|(callee, _)| !is_unit[*callee as usize]);
        let size = inlined
            .map(|&(callee, times)| sizes[callee as usize].saturating_mul(times))
            .fold(calls.1, usize::saturating_add);
        is_unit[rule] |= uses[rule] > 1 && size > MAX_COPIED;
        sizes[rule] = size;
        (is_open[rule], is_done[rule]) = (false, true);
        stack.pop();
    }
    is_unit
}

/// Whether all calls of a rule by itself are its first or last part. Such a rule becomes a loop.
fn loops(rules: &Rules<'_>, rule: u32) -> bool {
    fn at_ends(body: &Body, rule: u32, is_first: bool, is_last: bool) -> bool {
        match body {
            Body::Call(callee) => *callee != rule || is_first || is_last,
            Body::Sequence(parts) => parts.iter().enumerate().all(|(at, part)| {
                let is_last = is_last && at + 1 == parts.len();
                at_ends(part, rule, is_first && at == 0, is_last)
            }),
            Body::Alternation(choices) => {
                choices.iter().all(|choice| at_ends(choice, rule, is_first, is_last))
            }
            Body::Repeat { body, .. } => at_ends(body, rule, false, false),
            Body::Lexeme { .. } | Body::Opaque(_) => true,
        }
    }
    at_ends(&rules.rules[rule as usize].body, rule, true, true)
}

/// Estimates the number of calls of each rule in a body, and the number of parts of the body. A repetition counts its
/// copies if there are at most 8, and once otherwise.
fn calls(body: &Body) -> (Vec<(u32, usize)>, usize) {
    let (mut calls, mut size) = (Vec::new(), 0usize);
    let mut open = vec![(body, 1usize)];
    while let Some((body, times)) = open.pop() {
        size = size.saturating_add(times);
        match body {
            Body::Call(rule) => calls.push((*rule, times)),
            Body::Sequence(parts) | Body::Alternation(parts) => {
                open.extend(parts.iter().map(|part| (part, times)));
            }
            Body::Repeat { body, min, max } => {
                let copies = max.unwrap_or(min + 1).max(1) as usize;
                open.push((body, if copies <= 8 { times.saturating_mul(copies) } else { times }));
            }
            Body::Lexeme { .. } | Body::Opaque(_) => {}
        }
    }
    (calls, size)
}

/// A rule that is inlined into a unit, between two states that only this copy has.
#[derive(Clone, Copy)]
struct Inlined {
    rule: u32,
    from: u32,
    to: u32,
}

/// A part of a rule that is still to be written between two states of a unit (a rule with its callees inlined).
#[derive(Clone, Copy)]
struct Part<'r> {
    body: &'r Body,
    from: u32,
    to: u32,
    /// The innermost inlined rule that contains the part. `None` if the part belongs to the unit's own rule.
    within: Option<Inlined>,
}

/// A repetition: between `min` and `max` strings of a body, both inclusive.
struct Repetition<'r> {
    body: &'r Body,
    min: u32,
    max: Option<u32>,
}

struct Writer<'r, 'a> {
    rules: &'r Rules<'a>,
    budget: &'r Budget,
    is_unit: Vec<bool>,
    /// For each rule, its unit (a rule with its callees inlined). `None` if the rule has not been called yet.
    unit_of: Vec<Option<u32>>,
    units: Vec<Unit>,
    /// The worklist: units whose automata are still to be written, with their bodies.
    todo: Vec<(u32, &'r Body)>,
}

impl<'r> Writer<'r, '_> {
    /// Returns the unit of a rule: its automaton, with callees inlined. If the rule has none, an empty unit is added to
    /// the worklist.
    fn unit(&mut self, rule: u32) -> u32 {
        if let Some(unit) = self.unit_of[rule as usize] {
            return unit;
        }
        let unit = self.unit_of_body(rule, &self.rules.rules[rule as usize].body);
        self.unit_of[rule as usize] = Some(unit);
        unit
    }

    fn unit_of_body(&mut self, rule: u32, body: &'r Body) -> u32 {
        let unit = self.units.len() as u32;
        self.units.push(Unit::new(rule));
        self.todo.push((unit, body));
        unit
    }

    fn write(&mut self, unit: u32, body: &'r Body) {
        let rules = self.rules;
        let rule = self.units[unit as usize].rule;
        let mut from = Unit::START;
        if unit == 0 && rules.initial_skip {
            from = self.units[0].state();
            self.ignored(0, Unit::START, from);
        }
        let mut open = vec![Part { body, from, to: Unit::END, within: None }];
        while let Some(part) = open.pop() {
            let Part { body, from, to, within } = part;
            if self.budget.spend(1 << 3).is_err() {
                return;
            }
            match body {
                Body::Lexeme { terminal, nullable } => {
                    let letter = terminal.map(Letter::Terminal);
                    self.lexeme(unit, from, letter, *nullable, to);
                }
                Body::Opaque(at) => self.lexeme(unit, from, Some(Letter::Opaque(*at)), false, to),
                Body::Call(callee) if within.is_some_and(|within| within.rule == *callee) => {
                    let Some(within) = within else { continue };
                    let empty = &mut self.units[unit as usize].empty;
                    if to == within.to {
                        empty[from as usize].push(within.from);
                    } else {
                        empty[within.to as usize].push(to);
                    }
                }
                Body::Call(callee) if !self.is_unit[*callee as usize] && *callee != rules.start => {
                    // The states belong to this copy alone: only its own recursive calls lead back to them.
                    let unit = &mut self.units[unit as usize];
                    let within = Inlined { rule: *callee, from: unit.state(), to: unit.state() };
                    unit.empty[from as usize].push(within.from);
                    unit.empty[within.to as usize].push(to);
                    let body = &rules.rules[*callee as usize].body;
                    open.push(Part {
                        body,
                        from: within.from,
                        to: within.to,
                        within: Some(within),
                    });
                }
                Body::Call(callee) => {
                    let letter = Letter::Unit { unit: self.unit(*callee), min: 1, max: Some(1) };
                    self.units[unit as usize].edges[from as usize].push((letter, to));
                }
                Body::Sequence(parts) => {
                    let mut from = from;
                    for (at, part) in parts.iter().enumerate() {
                        let next = if at + 1 == parts.len() {
                            to
                        } else {
                            self.units[unit as usize].state()
                        };
                        open.push(Part { body: part, from, to: next, within });
                        from = next;
                    }
                    if parts.is_empty() {
                        self.units[unit as usize].empty[from as usize].push(to);
                    }
                }
                Body::Alternation(choices) => {
                    let choices = choices.iter();
                    open.extend(choices.map(|body| Part { body, from, to, within }));
                }
                Body::Repeat { body, min, max } => {
                    let copies = u64::from(max.unwrap_or(*min).max(1));
                    if copies.saturating_mul(calls(body).1 as u64) > MAX_UNROLLED {
                        let repeated = self.unit_of_body(rule, body);
                        let letter = Letter::Unit { unit: repeated, min: *min, max: *max };
                        self.units[unit as usize].edges[from as usize].push((letter, to));
                    } else {
                        let repeat = Repetition { body, min: *min, max: *max };
                        self.unroll(unit, repeat, part, &mut open);
                    }
                }
            }
        }
    }

    /// Writes a repetition as copies of its body, one for each number up to `max`. Without `max` the last copy is a
    /// loop.
    fn unroll(
        &mut self,
        unit: u32,
        Repetition { body, min, max }: Repetition<'r>,
        Part { from, to, within, .. }: Part<'r>,
        open: &mut Vec<Part<'r>>,
    ) {
        let unit = &mut self.units[unit as usize];
        // A new state, so that a loop in the body is no loop of the parts beside the repetition.
        let mut at = unit.state();
        unit.empty[from as usize].push(at);
        for _ in 0..min {
            let next = unit.state();
            open.push(Part { body, from: at, to: next, within });
            at = next;
        }
        match max {
            None => {
                let again = unit.state();
                unit.empty[at as usize].push(again);
                open.push(Part { body, from: again, to: again, within });
                unit.empty[again as usize].push(to);
            }
            Some(max) => {
                for _ in min..max {
                    unit.empty[at as usize].push(to);
                    let next = unit.state();
                    open.push(Part { body, from: at, to: next, within });
                    at = next;
                }
                unit.empty[at as usize].push(to);
            }
        }
    }

    /// Adds a lexeme between two states, and after it the loop over ignored text. Without a letter (a terminal, a
    /// called unit or another expression) the lexeme is the empty string alone.
    fn lexeme(&mut self, unit: u32, from: u32, letter: Option<Letter>, nullable: bool, to: u32) {
        let mut behind = to;
        if !self.rules.ignored.is_empty() {
            behind = self.units[unit as usize].state();
            self.units[unit as usize].past.insert(behind, to);
            self.ignored(unit, behind, to);
        }
        let unit = &mut self.units[unit as usize];
        unit.edges[from as usize].extend(letter.map(|letter| (letter, behind)));
        unit.empty[from as usize].extend(nullable.then_some(to));
    }

    /// Adds a loop over ignored terminals at state `at`, and an epsilon transition from there to state `to`. With
    /// `ignore_once`, edges to `to` replace the loop.
    fn ignored(&mut self, unit: u32, at: u32, to: u32) {
        let unit = &mut self.units[unit as usize];
        unit.empty[at as usize].push(to);
        let behind = if self.rules.ignore_once { to } else { at };
        let ignored = self.rules.ignored.iter().map(|id| (Letter::Terminal(*id), behind));
        unit.edges[at as usize].extend(ignored);
    }
}

/// Replaces the calls of a unit (a rule with its callees inlined) by itself at its two ends with epsilon transitions,
/// which form loops.
fn loop_at_ends(unit: &mut Unit, number: u32, ignored: &[TerminalId]) {
    let own = |letter: Letter| matches!(letter, Letter::Unit { unit, min: 1, max: Some(1) } if unit == number);
    let calls: Vec<(u32, u32)> = (0..)
        .zip(&unit.edges)
        .flat_map(|(from, edges)| {
            edges.iter().filter(|edge| own(edge.0)).map(move |edge| (from, edge.1))
        })
        .collect();
    if calls.is_empty() {
        return;
    }
    let targets: FxHashSet<u32> = unit.edges.iter().flatten().map(|edge| edge.1).collect();
    let is_ignored =
        |edge: &(Letter, u32)| matches!(edge.0, Letter::Terminal(id) if ignored.contains(&id));
    let start = unit.closure([Unit::START]);
    let mut more = Vec::new();
    for (from, to) in calls {
        let behind = unit.closure([to]);
        let is_last = behind.contains(&Unit::END)
            && behind.iter().flat_map(|state| &unit.edges[*state as usize]).all(is_ignored);
        // Letters may also lead to the states that are reached from the start without a letter. The call stays then,
        // too.
        let is_first = start.binary_search(&from).is_ok();
        let only_first = is_first && !reached_by_letters(unit, &targets, from);
        if is_first {
            more.push((Unit::END, to));
        }
        if is_last {
            more.push((from, Unit::START));
        }
        if is_last || only_first {
            unit.edges[from as usize].retain(|edge| !(own(edge.0) && edge.1 == to));
        }
    }
    for (from, to) in more {
        unit.empty[from as usize].push(to);
    }
}

/// Whether a state is reached from the target of some letter (a terminal, a called unit or another expression) by
/// epsilon transitions alone.
fn reached_by_letters(unit: &Unit, targets: &FxHashSet<u32>, state: u32) -> bool {
    let mut from: Vec<u32> = targets.iter().copied().collect();
    from.sort_unstable();
    unit.closure(from).binary_search(&state).is_ok()
}
