//! Sets of JSON types. Numbers are three types here: integers without a point or an exponent, other integers, and the
//! rest. So `integer` of draft 4, `integer` of later drafts and `number` are ordinary sets.

use std::fmt;

use crate::source::dialect::Draft;

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TypeSet(u8);

impl TypeSet {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(2);
    /// Integers written without a point and an exponent.
    pub(crate) const PLAIN_INTEGER: Self = Self(4);
    /// Numbers without a fractional part.
    pub(crate) const INTEGER: Self = Self(4 | 128);
    /// Every string.
    pub const STRING: Self = Self(16);
    /// Every array.
    pub const ARRAY: Self = Self(32);
    /// Every object.
    pub const OBJECT: Self = Self(64);
    /// Every number.
    pub const NUMBER: Self = Self(4 | 8 | 128);
    /// Every value.
    pub const ALL: Self = Self(u8::MAX);

    /// The types in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every type of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The types that a name of the `type` keyword denotes in a draft.
    pub(crate) fn named(name: &str, draft: Draft) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" if draft == Draft::Draft4 => Self::PLAIN_INTEGER,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }
}

impl fmt::Display for TypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::NULL, "null"),
            (Self::BOOLEAN, "boolean"),
            (Self::STRING, "string"),
            (Self::ARRAY, "array"),
            (Self::OBJECT, "object"),
        ];
        let mut listed: Vec<_> =
            names.iter().filter(|(set, _)| self.contains(*set)).map(|(_, name)| *name).collect();
        match (self.contains(Self::NUMBER), self.contains(Self::PLAIN_INTEGER)) {
            (true, _) => listed.push("number"),
            (false, true) => listed.push("integer"),
            (false, false) => {}
        }
        f.write_str(&listed.join(" or "))
    }
}
