//! The two places of a schema that leave nothing.
//!
//! Looked for only once a formula is known to be empty, by asking again: of one keyword alone, and of two together. A
//! required member whose value nothing satisfies is followed to what is wrong with that value.

use crate::diagnostics::Diagnostic;

use super::super::schema::{Part, Schema, SchemaId};
use super::{Algebra, FormulaId, Orders, Subject, holds};
use crate::frontend::document::NodeId;

/// Two keywords (or schemas) that no value satisfies together; one and the same where it alone has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The place that left nothing.
    pub(crate) place: NodeId,
    /// The place it is at odds with.
    pub(crate) other: NodeId,
}

/// Most keywords that are compared with each other.
const MOST: usize = 64;

/// Why a formula that holds for no value does not; `None` where no two places are to blame, as for a recursion that
/// has no end.
pub(crate) fn conflict(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
) -> Result<Option<Conflict>, Diagnostic> {
    search(algebra, formula, 16)
}

fn search(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
    depth: u32,
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
            return Ok(Some(Conflict { place, other: place }));
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
            if depth > 0
                && let Some(child) = required_child(algebra, both)?
                && let Some(inner) = search(algebra, child, depth - 1)?
            {
                return Ok(Some(inner));
            }
            return Ok(Some(Conflict { place, other }));
        }
    }
    // More than two places together: a required member may still be to blame.
    match required_child(algebra, formula)? {
        Some(child) if depth > 0 => search(algebra, child, depth - 1),
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
    /// From here on asks only for what is empty, with so much more work at most: the order of keys is of no account.
    pub(crate) fn explain(&mut self, work: usize) {
        self.orders = Orders::Schema;
        self.patience.work = self.patience.work.min(self.work.saturating_add(work));
    }
}

/// The formula over the value of a required member that no value satisfies.
fn required_child(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
) -> Result<Option<FormulaId>, Diagnostic> {
    let objects = algebra.object_formula(formula)?;
    let properties = algebra.properties(objects);
    for &(key, _, absent) in &properties {
        if absent {
            continue;
        }
        let of_key = properties.iter().filter(|property| property.0 == key);
        let values: Vec<_> = of_key.map(|property| property.1).collect();
        let value = algebra.values.and(values);
        if !holds(algebra, value)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}
