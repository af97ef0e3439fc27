//! Why a formula is empty: an endless recursion, or two places of a schema that exclude each other.
//!
//! The search runs for formulas that are known to be empty. It tests emptiness with infinite values allowed, then for each
//! keyword alone, then for each pair. If the value of a required member is empty, it continues with that value.
//!
//! Cost: quadratic in the keywords of a schema, up to a bound, with a test of emptiness each.

use grammarc_grammar::diagnostics::Diagnostic;

use super::emptiness::Emptiness;
use super::endless::endless;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::subject::Subject;
use crate::algebra::types::facts::{NamedMember, named_members};
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

/// Two keywords or schemas that no value satisfies together. Both are the same place if it alone has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The place that left nothing.
    pub(crate) place: NodeId,
    /// The place that excludes it.
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

/// Most keywords that are compared. Further keywords are ignored.
const MOST: usize = 64;

/// Most levels of required members that the search descends.
const DEPTH: usize = 16;

/// Why a formula holds for no value. `None` if more than two places are needed to exclude all values.
pub(crate) fn cause(
    emptiness: &mut Emptiness<'_, '_>,
    formula: FormulaId,
) -> Result<Option<Cause>, Diagnostic> {
    if let Some(place) = endless(emptiness.automata, formula)? {
        return Ok(Some(Cause::Endless(place)));
    }
    Ok(search(emptiness, formula, &mut Vec::new())?.map(Cause::Conflict))
}

/// The conflict in a formula. `path` holds the formulas that led to it.
fn search(
    emptiness: &mut Emptiness<'_, '_>,
    formula: FormulaId,
    path: &mut Vec<FormulaId>,
) -> Result<Option<Conflict>, Diagnostic> {
    path.push(formula);
    let found = search_here(emptiness, formula, path);
    path.pop();
    found
}

/// The conflict in a formula that is on the path.
fn search_here(
    emptiness: &mut Emptiness<'_, '_>,
    formula: FormulaId,
    path: &mut Vec<FormulaId>,
) -> Result<Option<Conflict>, Diagnostic> {
    let mut keywords = Vec::new();
    let subjects: Vec<_> = emptiness
        .automata
        .logic()
        .subjects(formula)
        .filter(|(_, positive)| *positive)
        .map(|(subject, _)| subject.clone())
        .collect();
    for subject in subjects {
        if let Subject::Schema(id) = subject {
            collect(emptiness.automata.logic(), id, &mut keywords);
        }
    }
    keywords.truncate(MOST);
    let types: Vec<_> = keywords.iter().filter(|keyword| keyword.is_type).collect();
    let types: Vec<_> = types.iter().map(|keyword| keyword.formula).collect();
    let types = emptiness.automata.logic().values.and(types);
    // Most keywords are about one type, and none of them leaves nothing unless the type is given.
    let types = if emptiness.holds(types)? { types } else { FormulaId::TRUE };
    for &Keyword { place, formula, .. } in &keywords {
        let alone = emptiness.automata.logic().values.and([types, formula]);
        if !emptiness.holds(alone)? && (types == FormulaId::TRUE || !emptiness.holds(formula)?) {
            return Ok(Some(Conflict::alone(place)));
        }
    }
    for (at, &Keyword { place, formula: second, .. }) in keywords.iter().enumerate() {
        for &Keyword { place: other, formula: first, is_type } in &keywords[..at] {
            // A type is at odds with one keyword by itself; two others are so under the type.
            let context = if is_type || keywords[at].is_type { FormulaId::TRUE } else { types };
            let both = emptiness.automata.logic().values.and([context, first, second]);
            if emptiness.holds(both)? {
                continue;
            }
            let child = required_child(emptiness, both, path)?;
            if let Some(child) = &child
                && path.len() < DEPTH
                && let Some(inner) = search(emptiness, child.value, path)?
            {
                return Ok(Some(inner));
            }
            let key = child.map(|child| child.key);
            return Ok(Some(Conflict { place, other, key }));
        }
    }
    // More than two places together: a required member may still be to blame.
    match required_child(emptiness, formula, path)? {
        Some(child) if path.len() < DEPTH => search(emptiness, child.value, path),
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

/// Collects the keywords of a schema and of its `allOf`.
fn collect(logic: &mut Logic<'_>, id: SchemaId, keywords: &mut Vec<Keyword>) {
    let schemas = logic.schemas;
    match schemas.get(id) {
        Schema::Boolean(false) => {
            let place = schemas.node(id);
            keywords.push(Keyword { place, formula: FormulaId::FALSE, is_type: false });
        }
        Schema::Boolean(true) => {}
        Schema::Parts(parts) => {
            for (index, (place, part)) in parts.iter().enumerate() {
                match part {
                    Part::All(all) => all.iter().for_each(|&one| collect(logic, one, keywords)),
                    _ => {
                        let formula = logic.literal(Subject::Keyword(id, index));
                        let is_type = matches!(part, Part::Types(_));
                        keywords.push(Keyword { place: *place, formula, is_type });
                    }
                }
            }
        }
    }
}

/// The first required key whose value nothing satisfies. Keys that lead back to a formula of `path` are skipped.
fn required_child(
    emptiness: &mut Emptiness<'_, '_>,
    formula: FormulaId,
    path: &[FormulaId],
) -> Result<Option<NamedMember>, Diagnostic> {
    for member in named_members(emptiness.automata.types(), formula)? {
        let NamedMember { value, present, .. } = member;
        if present && !path.contains(&value) && !emptiness.holds(value)? {
            return Ok(Some(member));
        }
    }
    Ok(None)
}
