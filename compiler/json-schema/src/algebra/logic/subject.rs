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
    /// The value satisfies the schema.
    Schema(SchemaId),
    /// The value satisfies one keyword of the schema, given by the index of the keyword in it.
    Keyword(SchemaId, usize),
    /// The value equals the constant at this place of the document.
    Value(NodeId),
    /// The value equals this scalar.
    Scalar(Scalar),
}
