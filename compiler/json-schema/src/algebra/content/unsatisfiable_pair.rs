//! Explains why a formula is empty: an endless recursion, or two places of a schema that exclude each other.
//!
//! The search runs for formulas that are known to be empty. It first tests emptiness with infinite values allowed, then
//! each keyword alone, then each pair of keywords. If the value of a required member is empty, the search continues
//! with that value.
//!
//! Cost: quadratic in the keywords of a schema, at most [`MOST`], with a test of emptiness for each pair.

use grammarc_grammar::diagnostics::Diagnostic;

use super::emptiness::Emptiness;
use super::endless::endless;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::subject::Subject;
use crate::algebra::types::facts::{NamedMember, named_members};
use crate::document::NodeId;
use crate::read::schema::{Part, Schema, SchemaId};

/// The reason why no value satisfies a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Two places of the schema exclude each other, or no value satisfies one place by itself.
    Conflict(Conflict),
    /// A value of the schema at this place has to hold another value of the same schema.
    Endless(NodeId),
}

/// Two places (keywords or schemas) that no value satisfies together. Both are the same place if no value satisfies
/// that place alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The later of the two places, in the order of keywords.
    pub(crate) place: NodeId,
    /// The earlier place, which excludes what `place` allows.
    pub(crate) other: NodeId,
    /// The required key for which the two places leave no value, if there is one.
    pub(crate) key: Option<Box<str>>,
}

impl Conflict {
    /// Returns the conflict for one place of the schema that no value satisfies by itself.
    pub(crate) fn alone(place: NodeId) -> Self {
        Self { place, other: place, key: None }
    }
}

/// Most keywords of one schema that are compared with each other. Further keywords are ignored.
const MOST: usize = 64;

/// Most levels of nested required members that the search for a conflict descends. Deeper members are not searched.
const DEPTH: usize = 16;

/// Returns the reason why no value satisfies a formula. Returns `None` if more than two places are needed to exclude
/// all values.
pub(crate) fn cause(
    emptiness: &mut Emptiness<'_, '_>,
    formula: FormulaId,
) -> Result<Option<Cause>, Diagnostic> {
    if let Some(place) = endless(emptiness.automata, formula)? {
        return Ok(Some(Cause::Endless(place)));
    }
    Ok(search(emptiness, formula, &mut Vec::new())?.map(Cause::Conflict))
}

/// Returns two places of the schema that exclude all values of a formula, or `None` if more places are needed. `path`
/// lists the formulas of the values around this one.
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

/// Returns two places of the schema that exclude all values of a formula that is already on `path`. Returns `None` if
/// more places are needed.
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
    // Most keywords constrain one type. Alone, they exclude nothing unless the type is fixed.
    let types = if emptiness.holds(types)? { types } else { FormulaId::TRUE };
    for &Keyword { place, formula, .. } in &keywords {
        let alone = emptiness.automata.logic().values.and([types, formula]);
        if !emptiness.holds(alone)? && (types == FormulaId::TRUE || !emptiness.holds(formula)?) {
            return Ok(Some(Conflict::alone(place)));
        }
    }
    for (at, &Keyword { place, formula: second, .. }) in keywords.iter().enumerate() {
        for &Keyword { place: other, formula: first, is_type } in &keywords[..at] {
            // A type may contradict a single keyword by itself. Two other keywords may contradict each other only under
            // the type.
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
    // More than two places are needed together, but a required member may still be to blame.
    match required_child(emptiness, formula, path)? {
        Some(child) if path.len() < DEPTH => search(emptiness, child.value, path),
        _ => Ok(None),
    }
}

/// A keyword of a schema that no value satisfies, as a candidate for the conflict.
#[derive(Clone, Copy)]
struct Keyword {
    /// The place of the keyword in the schema document.
    place: NodeId,
    /// The formula of the values that the keyword alone allows.
    formula: FormulaId,
    /// Whether the keyword is `type`, which decides the JSON types of the value.
    is_type: bool,
}

/// Collects the keywords of a schema and of the schemas in its `allOf`.
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

/// Returns the first required member whose value nothing satisfies. Members whose value formula is on `path` are
/// skipped, so the search ends.
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
