//! Why a formula is empty: a recursion without end, or the two places of a schema that leave nothing.
//!
//! The search runs only for a formula that is known to be empty. It tests emptiness again with infinite values allowed, then
//! for each keyword alone, then for each two. If the value of a required member is empty, it continues with that value.

use grammarc_grammar::diagnostics::Diagnostic;

use super::endless::endless;
use crate::algebra::logic::quick_emptiness::{Fact, OfAllKeys};
use crate::algebra::{Algebra, FormulaId, Orders, Subject, holds};
use crate::document::NodeId;
use crate::read::schema::{Part, Schema, SchemaId};

/// Why no value satisfies a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Two places exclude each other, or one has no value by itself.
    Conflict(Conflict),
    /// A value of the schema at this place has to hold another value of the same schema.
    Endless(NodeId),
}

/// Two keywords (or schemas) that no value satisfies together; one and the same where it alone has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The place that left nothing.
    pub(crate) place: NodeId,
    /// The place it is at odds with.
    pub(crate) other: NodeId,
    /// The required key to which the two places leave no value.
    pub(crate) key: Option<Box<str>>,
}

impl Conflict {
    /// A place that has no value by itself.
    pub(crate) fn alone(place: NodeId) -> Self {
        Self { place, other: place, key: None }
    }
}

/// Most keywords that are compared with each other.
const MOST: usize = 64;

/// Most required members that are followed, one inside the other.
const DEPTH: usize = 16;

/// Why a formula holds for no value; `None` where it takes more than two places to leave nothing.
pub(crate) fn cause(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
) -> Result<Option<Cause>, Diagnostic> {
    if let Some(place) = endless(algebra, formula)? {
        return Ok(Some(Cause::Endless(place)));
    }
    Ok(search(algebra, formula, &mut Vec::new())?.map(Cause::Conflict))
}

/// The conflict in a formula; `path` are the formulas that it was reached from.
fn search(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
    path: &mut Vec<FormulaId>,
) -> Result<Option<Conflict>, Diagnostic> {
    path.push(formula);
    let found = search_here(algebra, formula, path);
    path.pop();
    found
}

fn search_here(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
    path: &mut Vec<FormulaId>,
) -> Result<Option<Conflict>, Diagnostic> {
    let mut keywords = Vec::new();
    let subjects: Vec<_> = algebra
        .subjects(formula)
        .filter(|(_, positive)| *positive)
        .map(|(subject, _)| subject.clone())
        .collect();
    for subject in subjects {
        if let Subject::Schema(id) = subject {
            collect(algebra, id, &mut keywords);
        }
    }
    keywords.truncate(MOST);
    let types: Vec<_> = keywords.iter().filter(|keyword| keyword.is_type).collect();
    let types: Vec<_> = types.iter().map(|keyword| keyword.formula).collect();
    let types = algebra.values.and(types);
    // Most keywords are about one type, and none of them leaves nothing unless the type is given.
    let types = if holds(algebra, types)? { types } else { FormulaId::TRUE };
    for &Keyword { place, formula, .. } in &keywords {
        let alone = algebra.values.and([types, formula]);
        if !holds(algebra, alone)? && (types == FormulaId::TRUE || !holds(algebra, formula)?) {
            return Ok(Some(Conflict::alone(place)));
        }
    }
    for (at, &Keyword { place, formula: second, .. }) in keywords.iter().enumerate() {
        for &Keyword { place: other, formula: first, is_type } in &keywords[..at] {
            // A type is at odds with one keyword by itself; two others are so under the type.
            let context = if is_type || keywords[at].is_type { FormulaId::TRUE } else { types };
            let both = algebra.values.and([context, first, second]);
            if holds(algebra, both)? {
                continue;
            }
            let child = required_child(algebra, both, path)?;
            if let Some(child) = &child
                && path.len() < DEPTH
                && let Some(inner) = search(algebra, child.value, path)?
            {
                return Ok(Some(inner));
            }
            let key = child.map(|child| child.key);
            return Ok(Some(Conflict { place, other, key }));
        }
    }
    // More than two places together: a required member may still be to blame.
    match required_child(algebra, formula, path)? {
        Some(child) if path.len() < DEPTH => search(algebra, child.value, path),
        _ => Ok(None),
    }
}

/// A keyword that applies.
#[derive(Clone, Copy)]
struct Keyword {
    place: NodeId,
    /// The values that it alone holds for.
    formula: FormulaId,
    is_type: bool,
}

/// The keywords that all apply.
fn collect(algebra: &mut Algebra<'_>, id: SchemaId, keywords: &mut Vec<Keyword>) {
    let schemas = algebra.schemas;
    match schemas.get(id) {
        Schema::Boolean(false) => {
            let place = schemas.node(id);
            keywords.push(Keyword { place, formula: FormulaId::FALSE, is_type: false });
        }
        Schema::Boolean(true) => {}
        Schema::Parts(parts) => {
            for (index, (place, part)) in parts.iter().enumerate() {
                match part {
                    Part::All(all) => all.iter().for_each(|&one| collect(algebra, one, keywords)),
                    _ => {
                        let formula = algebra.subject(Subject::Keyword(id, index));
                        let is_type = matches!(part, Part::Types(_));
                        keywords.push(Keyword { place: *place, formula, is_type });
                    }
                }
            }
        }
    }
}

impl Algebra<'_> {
    /// Switches to tests of emptiness, in which the order of keys does not matter, with at most `work` more steps of work.
    pub(crate) fn explain(&mut self, work: usize) {
        self.orders = Orders::Schema;
        self.patience.work = self.patience.work.min(self.work.saturating_add(work));
    }
}

/// The first required key whose value nothing satisfies. Keys that lead back to a formula of `path` are skipped.
fn required_child(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
    path: &[FormulaId],
) -> Result<Option<Member>, Diagnostic> {
    for member in algebra.members_of(formula)? {
        let Member { value, present, .. } = member;
        if present && !path.contains(&value) && !holds(algebra, value)? {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

/// A key that a formula names.
pub(crate) struct Member {
    pub(crate) key: Box<str>,
    /// The formula over its value, from the conjuncts that name the key.
    pub(crate) own: FormulaId,
    /// `own`, and the formulas of all sets of keys that contain the key.
    pub value: FormulaId,
    /// Whether the key is required.
    pub(crate) present: bool,
}

impl Algebra<'_> {
    /// The keys that the conjuncts of a formula over objects name, each with the formula that its value must satisfy.
    pub(crate) fn members_of(&mut self, formula: FormulaId) -> Result<Vec<Member>, Diagnostic> {
        let objects = self.object_formula(formula)?;
        let OfAllKeys { members, .. } = self.of_all_keys(objects);
        let facts = self.facts(objects).into_iter();
        let member = |(key, Fact { value: own, present }): (u32, Fact)| {
            let value = self.with_all_keys(key, own, &members);
            Member { key: self.objects.keys[key as usize].clone(), own, value, present }
        };
        Ok(facts.map(member).collect())
    }
}
