//! Subjects of the literals of a value formula.

use crate::document::NodeId;
use crate::read::schema::SchemaId;
use crate::values::numbers::Decimal;

/// A scalar that need not occur in the document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(Decimal),
    /// A string.
    String(Box<str>),
}

/// The subject of a literal of a value formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The value satisfies the schema.
    Schema(SchemaId),
    /// The value satisfies one keyword of the schema, by its index.
    Keyword(SchemaId, usize),
    /// The value equals the one at this place.
    Value(NodeId),
    /// The value equals this scalar.
    Scalar(Scalar),
}
