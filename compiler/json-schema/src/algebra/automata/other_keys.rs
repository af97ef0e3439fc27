//! Members whose keys a formula does not name.

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

/// States of an automaton over characters that count as one state of an automaton over members.
const CHARACTER_STATES: usize = 16;

/// A class of keys that are in the same sets.
struct NameClass {
    names: StringSet,
    /// The numbers of the sets.
    sets: Vec<u32>,
}

/// Members whose keys the formula treats alike.
pub(crate) struct OtherMember {
    /// Their keys.
    pub(crate) names: StringSet,
    /// A derivative by such a member.
    pub(crate) after: Derivative,
}

/// The keys that a formula does not name.
pub(crate) struct OtherKeys {
    all: StringSet,
    /// By the numbers of the sets that a formula names, the partition of all keys by these sets.
    classes: FxHashMap<Vec<u32>, Rc<[NameClass]>>,
}

impl OtherKeys {
    /// The keys of a set, not partitioned yet.
    pub(crate) fn new(all: StringSet) -> Self {
        Self { all, classes: FxHashMap::default() }
    }
}

/// All keys but some.
pub(crate) fn keys_but(types: &Types<'_>, keys: &[u32]) -> StringSet {
    let keys = keys.iter().map(|&key| types.objects.key(key));
    // The result is not used if the budget is spent: the next unit of work fails.
    StringSet::all_but(keys, types.states()).unwrap_or_else(|_| StringSet::all())
}

/// Builds the state after all named keys, where members with other keys follow. `reach` numbers the state of a remaining
/// formula.
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
    // If members change nothing but their count, a repetition counts them.
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

/// Adds an edge. An edge with the same value and target takes the keys instead.
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

/// Partitions the keys that the formula does not name by how it treats them, with the derivatives of each class.
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

/// Partitions keys by the sets that contain them.
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

/// Atoms about members whose keys are in these sets.
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
