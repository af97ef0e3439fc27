//! Members whose keys an object formula does not name.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use grammarc_grammar::diagnostics::Diagnostic;

use super::member_automaton::{Member, MemberName, MemberState};
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::simplify::atoms::{Atoms, Derivative};
use crate::algebra::simplify::derivatives::derivatives;
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::types::layer::Types;
use crate::algebra::types::object_atoms::ObjectAtom;
use crate::values::strings::StringSet;

/// States of an automaton over characters that count as one state of an automaton over members, for the limit on
/// states.
const CHARACTER_STATES: usize = 16;

/// A class of keys that an object formula does not name: all of them are in the same sets of keys.
struct NameClass {
    /// The keys that belong to the class.
    names: StringSet,
    /// Numbers of the sets of keys that contain the class.
    sets: Vec<u32>,
}

/// A kind of members whose keys the object formula does not name, and the derivative of the formula by such a member.
pub(crate) struct OtherMember {
    /// The keys that members of this kind may have.
    pub(crate) names: StringSet,
    /// The derivative: the formula that such a member's value satisfies, and the remaining object formula.
    pub(crate) after: Derivative,
}

/// The keys that an object formula does not name, and their partitions.
pub(crate) struct OtherKeys {
    /// All keys that the formula does not name.
    all: StringSet,
    /// Maps the numbers of the sets of keys that a formula contains to the partition of all keys by these sets.
    classes: FxHashMap<Vec<u32>, Rc<[NameClass]>>,
}

impl OtherKeys {
    /// Creates the record for the keys `all` that a formula does not name, without any partition of them.
    pub(crate) fn new(all: StringSet) -> Self {
        Self { all, classes: FxHashMap::default() }
    }
}

/// Returns the set of all keys except those with the numbers `keys`.
pub(crate) fn keys_but(types: &Types<'_>, keys: &[u32]) -> StringSet {
    let keys = keys.iter().map(|&key| types.objects.key(key));
    // The result is not used if the budget is spent: the next unit of work fails.
    StringSet::all_but(keys, types.states()).unwrap_or_else(|_| StringSet::all())
}

/// Builds the automaton state number `at` after all named keys, where members with other keys follow. `reach` returns
/// the number of the state for a remaining object formula.
pub(crate) fn after_keys(
    simplifier: &mut Simplifier<'_>,
    others: &mut OtherKeys,
    rest: FormulaId,
    at: u32,
    reach: &mut impl FnMut(FormulaId) -> u32,
) -> Result<MemberState, Diagnostic> {
    let (bounds, uncounted) = simplifier.types.objects.split_counts(rest);
    if bounds.is_empty() {
        return Ok(MemberState::default());
    }
    // If members change nothing but their count, a loop with bounds counts them.
    let loops = other_members(simplifier, others, uncounted)?;
    if !simplifier.types.objects.counts_members(uncounted)
        && loops.iter().all(|member| member.after.rest == uncounted)
    {
        let mut state = MemberState {
            end: simplifier.types.objects.may_end(uncounted),
            repeat: (!bounds.is_all()).then_some(bounds),
            ..MemberState::default()
        };
        for OtherMember { names, after } in loops {
            push_names(simplifier, &mut state, names, after.value, at)?;
        }
        return Ok(state);
    }
    let mut state =
        MemberState { end: simplifier.types.objects.may_end(rest), ..MemberState::default() };
    let counted = simplifier.types.objects.count_member(rest);
    for OtherMember { names, after } in other_members(simplifier, others, counted)? {
        let to = reach(after.rest);
        push_names(simplifier, &mut state, names, after.value, to)?;
    }
    Ok(state)
}

/// Adds an edge to an automaton state for members with a key in `names`. If an edge with the same value formula and
/// target exists, its set of keys is extended instead.
pub(crate) fn push_names(
    simplifier: &mut Simplifier<'_>,
    state: &mut MemberState,
    names: StringSet,
    value: FormulaId,
    to: u32,
) -> Result<(), Diagnostic> {
    let limit = simplifier.types.states();
    for member in &mut state.members {
        if let (MemberName::Names(known), true) =
            (&mut member.name, member.value == value && member.to == to)
        {
            *known = simplifier.types.logic.limited(known.union(&names, limit))?;
            return Ok(());
        }
    }
    state.members.push(Member { name: MemberName::Names(names), value, to, mark: None });
    Ok(())
}

/// Partitions the keys of `others`, which no fact about a single key names, by the sets of keys in the object formula
/// `rest`. Returns each class of keys with each derivative: a formula over the member's value, and the object formula
/// that remains after the member.
pub(crate) fn other_members(
    simplifier: &mut Simplifier<'_>,
    others: &mut OtherKeys,
    rest: FormulaId,
) -> Result<Vec<OtherMember>, Diagnostic> {
    let literals = simplifier.types.objects.formulas.literals(rest);
    let mut named: Vec<u32> = literals
        .iter()
        .filter_map(|literal| match simplifier.types.objects.atoms[literal.atom as usize] {
            ObjectAtom::Members { names, .. } => Some(names),
            _ => None,
        })
        .collect();
    named.sort_unstable();
    named.dedup();
    let classes = match others.classes.get(&named) {
        Some(known) => Rc::clone(known),
        None => {
            let classes: Rc<[_]> = split_names(simplifier, &others.all, &named)?.into();
            others.classes.insert(named, Rc::clone(&classes));
            classes
        }
    };
    let mut found = Vec::new();
    for NameClass { names, sets } in classes.iter() {
        for after in derivatives(simplifier, NameAtoms(sets), rest, FormulaId::TRUE)? {
            found.push(OtherMember { names: names.clone(), after });
        }
    }
    Ok(found)
}

/// Partitions the keys `others` by the sets with the numbers `named`. Empty classes are left out.
fn split_names(
    simplifier: &mut Simplifier<'_>,
    others: &StringSet,
    named: &[u32],
) -> Result<Vec<NameClass>, Diagnostic> {
    let limit = simplifier.types.states();
    let mut classes = vec![NameClass { names: others.clone(), sets: Vec::new() }];
    for &names in named {
        let set = simplifier.types.objects.names[names as usize].clone();
        let mut split = Vec::new();
        for NameClass { names: class, sets } in classes {
            let inside = simplifier.types.logic.limited(class.intersect(&set, limit))?;
            let outside = simplifier.types.logic.limited(class.minus(&set, limit))?;
            let with = sets.iter().copied().chain([names]).collect();
            simplifier
                .types
                .grow_by(1 + (inside.states() + outside.states()) / CHARACTER_STATES)?;
            split.extend((!inside.is_none()).then_some(NameClass { names: inside, sets: with }));
            split.extend((!outside.is_none()).then_some(NameClass { names: outside, sets }));
        }
        classes = split;
    }
    Ok(classes)
}

/// A selector of the atoms (basic facts of an object formula) about members whose keys are in the sets with these
/// numbers.
#[derive(Clone, Copy)]
struct NameAtoms<'s>(&'s [u32]);

impl Atoms for NameAtoms<'_> {
    fn formulas<'m>(self, types: &'m mut Types<'_>) -> &'m mut Formulas {
        &mut types.objects.formulas
    }

    fn subject(self, types: &Types<'_>, atom: u32) -> Option<FormulaId> {
        match types.objects.atoms[atom as usize] {
            ObjectAtom::Members { names, value } if self.0.contains(&names) => Some(value),
            _ => None,
        }
    }

    fn read(self, types: &mut Types<'_>, atom: u32, satisfied: bool) -> FormulaId {
        match satisfied {
            true => types.objects.formulas.literal(atom, true),
            false => FormulaId::FALSE,
        }
    }

    fn helps(self, _: &Types<'_>, _: u32) -> Option<bool> {
        Some(true)
    }
}
