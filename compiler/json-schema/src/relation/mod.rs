//! The relation of two schemas: which values one allows and the other does not.
//!
//! ```text
//! two texts ── sides ──► one arena of schemas ── ask ──► three answers ──► relation
//!                                                └─ instance: a shortest text of the answer
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `options` | options of a comparison, and its errors by side |
//! | `sides` | two documents in one arena, each with its own references and dialect |
//! | `ask` | whether a value satisfies one schema and not the other, with an instance |
//! | `changed` | the keywords in which two documents differ |
//!
//! A schema A is within B exactly if no value satisfies `A and not B`. The algebra decides that for
//! recursive schemas too, because the graph of formulas is finite. Values are compared, and not
//! their texts: key order, whitespace and spellings do not matter.
//!
//! Cost: linear in the parts that differ for most edits, because equal schemas are one formula.
//! Exponential at worst, bounded by the limits of compilations.
//!
//! Tests: `tests/relation.rs`; `tests/tests/schemas/relation.rs`.

pub(crate) mod ask;
mod changed;
mod options;
pub(crate) mod sides;

use grammarc_grammar::diagnostics::Source;

use ask::ask;
use sides::Sides;

pub use ask::{Reason, Side};
pub use changed::{Change, Effect};
pub use options::{Refused, RelationOptions, Which};

/// How the values of two schemas relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Both allow the same values.
    Equal,
    /// The left schema allows fewer values: all of them satisfy the right one too.
    Within,
    /// The left schema allows more values: all values of the right one, and others.
    Contains,
    /// Each allows values that the other does not, and some values satisfy both.
    Overlapping,
    /// No value satisfies both.
    Disjoint,
    /// The relation was not decided: see the [`Side`]s.
    Unknown,
}

impl Relation {
    /// Returns the name of the relation, such as `within`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Within => "within",
            Self::Contains => "contains",
            Self::Overlapping => "overlapping",
            Self::Disjoint => "disjoint",
            Self::Unknown => "unknown",
        }
    }
}

/// Two schemas, compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// How the values of the left schema relate to those of the right schema.
    pub relation: Relation,
    /// The values that satisfy the left schema only.
    pub left_only: Side,
    /// The values that satisfy the right schema only.
    pub right_only: Side,
    /// The values that satisfy both schemas.
    pub both: Side,
    /// The keywords in which the documents differ, in the order of the left document and then of the right.
    pub changes: Vec<Change>,
}

/// Compares two schemas.
///
/// # Errors
///
/// One of the schemas is not JSON, or has keywords or references that are refused.
pub fn compare(
    left: &Source,
    right: &Source,
    options: &RelationOptions,
) -> Result<Compared, Refused> {
    related(left, right, options, true)
}

/// Compares the values of two schemas and not their keywords: [`Compared::changes`] is empty. That saves up to two
/// questions for each keyword in which the documents differ.
///
/// # Errors
///
/// Those of [`compare`].
pub fn relate(
    left: &Source,
    right: &Source,
    options: &RelationOptions,
) -> Result<Compared, Refused> {
    related(left, right, options, false)
}

fn related(
    left: &Source,
    right: &Source,
    options: &RelationOptions,
    with_changes: bool,
) -> Result<Compared, Refused> {
    let (text, trees) = sides::joined([left, right], options)?;
    let budget = options.budget();
    let mut sides = Sides::read(&text, &trees, [left, right], options, &budget)?;
    let left_only = ask(&mut sides, [true, false], options);
    let right_only = ask(&mut sides, [false, true], options);
    let both = ask(&mut sides, [true, true], options);
    let relation = match (&left_only, &right_only, &both) {
        (Side::Empty { .. }, Side::Empty { .. }, _) => Relation::Equal,
        (Side::Empty { .. }, Side::Witness { .. }, _) => Relation::Within,
        (Side::Witness { .. }, Side::Empty { .. }, _) => Relation::Contains,
        (Side::Witness { .. }, Side::Witness { .. }, Side::Empty { .. }) => Relation::Disjoint,
        (Side::Witness { .. }, Side::Witness { .. }, Side::Witness { .. }) => Relation::Overlapping,
        _ => Relation::Unknown,
    };
    let changes = if with_changes { changed::changes(&sides, options) } else { Vec::new() };
    Ok(Compared { relation, left_only, right_only, both, changes })
}
