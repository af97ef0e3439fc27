//! Which units accept the empty string, and the FIRST and FOLLOW sets of all units. All are least fixpoints.
//!
//! Cost: O(units · longest chain of units that depend on each other), which is short in grammars written by people.

use std::collections::BTreeSet;

use super::lexicon::{Lexicon, TerminalId};
use super::units::{Letter, Unit};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::ir::ByteSet;

/// A call of one unit (a rule with its callees inlined) by another.
struct Use {
    /// Index of the unit (a rule with its callees inlined) that contains the call.
    caller: usize,
    used: usize,
    /// The bytes that may come after the call within the calling unit (a rule with its callees inlined).
    first: ByteSet,
    /// Whether the calling unit (a rule with its callees inlined) may end directly after the call.
    may_end: bool,
}

/// The FIRST and FOLLOW sets of all units, by unit index. A unit is an automaton over lexemes, made of one or more
/// rules.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) first: Vec<ByteSet>,
    /// For each unit (a rule with its callees inlined), the terminals that it may begin with, and the first bytes of
    /// its other first letters.
    pub(super) begins: Vec<(BTreeSet<TerminalId>, ByteSet)>,
    pub(super) follow: Vec<ByteSet>,
}

impl Facts {
    /// Computes the FIRST and FOLLOW sets of all units (rules with their callees inlined). First adds epsilon
    /// transitions past letters (terminals, called units and other expressions) that accept the empty string. Once the
    /// budget is spent, the sets are incomplete.
    pub(super) fn of(units: &mut [Unit], lexicon: &Lexicon, budget: &Budget) -> Self {
        skip_nullable(units, lexicon, budget);
        let none = vec![ByteSet::EMPTY; units.len()];
        let begins = vec![(BTreeSet::new(), ByteSet::EMPTY); units.len()];
        let mut facts = Self { first: none.clone(), begins, follow: none };
        let starts: Vec<Vec<u32>> = units.iter().map(|unit| unit.closure([Unit::START])).collect();
        fixpoint(budget, || {
            let mut changes = false;
            for (at, unit) in units.iter().enumerate() {
                let first = facts.first_of(unit, &starts[at], lexicon);
                changes |= std::mem::replace(&mut facts.first[at], first) != first;
                let begins = facts.begins_of(unit, &starts[at], lexicon);
                changes |= std::mem::replace(&mut facts.begins[at], begins.clone()) != begins;
            }
            changes
        });
        let mut uses: Vec<Use> = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            for &(letter, to) in unit.edges.iter().flatten() {
                let _ = budget.spend(1);
                if let Letter::Unit { unit: used, max, .. } = letter {
                    let behind = unit.closure([to]);
                    let mut first = facts.first_of(unit, &behind, lexicon);
                    if max != Some(1) {
                        first = first.union(facts.first[used as usize]);
                    }
                    let may_end = behind.contains(&Unit::END);
                    uses.push(Use { caller: at, used: used as usize, first, may_end });
                }
            }
        }
        fixpoint(budget, || {
            let mut changes = false;
            for &Use { caller, used, first, may_end } in &uses {
                let more = if may_end { facts.follow[caller] } else { ByteSet::EMPTY };
                let follow = facts.follow[used].union(first).union(more);
                changes |= std::mem::replace(&mut facts.follow[used], follow) != follow;
            }
            changes
        });
        facts
    }

    /// Returns the first bytes of a letter: a terminal, an opaque expression (a token, schema or nested grammar) or a
    /// called unit (a rule with its callees inlined).
    pub(super) fn first_of_letter(&self, letter: Letter, lexicon: &Lexicon) -> ByteSet {
        match letter {
            Letter::Terminal(id) => lexicon.terminals[id as usize].first,
            Letter::Opaque(at) => lexicon.opaque[at as usize].first,
            Letter::Unit { unit, .. } => self.first[unit as usize],
        }
    }

    fn begins_of(
        &self,
        unit: &Unit,
        states: &[u32],
        lexicon: &Lexicon,
    ) -> (BTreeSet<TerminalId>, ByteSet) {
        let (mut terminals, mut others) = (BTreeSet::new(), ByteSet::EMPTY);
        for &(letter, _) in states.iter().flat_map(|state| &unit.edges[*state as usize]) {
            let (more, bytes) = self.begins_of_letter(letter, lexicon);
            terminals.extend(more);
            others = others.union(bytes);
        }
        (terminals, others)
    }

    /// Returns the terminals that a letter may begin with, and the first bytes of its beginnings that are no terminals.
    pub(super) fn begins_of_letter(
        &self,
        letter: Letter,
        lexicon: &Lexicon,
    ) -> (BTreeSet<TerminalId>, ByteSet) {
        match letter {
            Letter::Terminal(id) => (BTreeSet::from([id]), ByteSet::EMPTY),
            Letter::Opaque(at) => (BTreeSet::new(), lexicon.opaque[at as usize].first),
            Letter::Unit { unit, .. } => self.begins[unit as usize].clone(),
        }
    }

    fn first_of(&self, unit: &Unit, states: &[u32], lexicon: &Lexicon) -> ByteSet {
        let edges = states.iter().flat_map(|state| &unit.edges[*state as usize]);
        let sets = edges.map(|(letter, _)| self.first_of_letter(*letter, lexicon));
        sets.fold(ByteSet::EMPTY, ByteSet::union)
    }
}

/// Repeats a pass until it returns false (nothing changed), or the budget is spent.
fn fixpoint(budget: &Budget, mut pass: impl FnMut() -> bool) {
    while pass() && budget.spend(1 << 6).is_ok() {}
}

/// Adds epsilon transitions past all letters (terminals, called units and other expressions) that accept the empty
/// string.
fn skip_nullable(units: &mut [Unit], lexicon: &Lexicon, budget: &Budget) {
    let mut nullable = vec![false; units.len()];
    let passes = |letter: Letter, nullable: &[bool]| match letter {
        Letter::Terminal(_) => false,
        Letter::Opaque(at) => lexicon.opaque[at as usize].nullable,
        Letter::Unit { unit, min, .. } => min == 0 || nullable[unit as usize],
    };
    let mut is_passed: Vec<Vec<Vec<bool>>> = units
        .iter()
        .map(|unit| unit.edges.iter().map(|edges| vec![false; edges.len()]).collect())
        .collect();
    fixpoint(budget, || {
        let mut changes = false;
        for (at, unit) in units.iter_mut().enumerate() {
            for (state, edges) in unit.edges.iter().enumerate() {
                for (edge, &(letter, to)) in edges.iter().enumerate() {
                    let is_passed = &mut is_passed[at][state][edge];
                    if !*is_passed && passes(letter, &nullable) {
                        *is_passed = true;
                        // No ignored text follows a lexeme that is left out.
                        let past = unit.past.get(&to).copied().unwrap_or(to);
                        unit.empty[state].push(past);
                    }
                }
            }
            let ends = unit.closure([Unit::START]).binary_search(&Unit::END).is_ok();
            changes |= std::mem::replace(&mut nullable[at], ends) != ends;
        }
        changes
    });
}
