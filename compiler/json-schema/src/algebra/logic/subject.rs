//! Subjects: the conditions that the atoms of a formula over values state.

use crate::document::NodeId;
use crate::read::schema::SchemaId;
use crate::values::numbers::Decimal;

/// A scalar JSON constant (null, boolean, number or string) that need not occur in the schema document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number, as an exact decimal.
    Number(Decimal),
    /// A string, without quotes and with its escapes decoded.
    String(Box<str>),
}

/// A condition on a JSON value, such as "satisfies this schema". Each such condition is one atom (variable) of the
/// formulas over values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The condition that the value satisfies a schema.
    Schema(SchemaId),
    /// The condition that the value satisfies one keyword of a schema, given by the index of the keyword in the schema.
    Keyword(SchemaId, usize),
    /// The condition that the value equals the constant at this place of the schema document.
    Value(NodeId),
    /// The condition that the value equals this scalar.
    Scalar(Scalar),
}
