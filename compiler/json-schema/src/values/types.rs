//! Sets of JSON types. Numbers are three types here: integers written without a point and without an exponent, other
//! integers, and other numbers. So `integer` of draft 4, `integer` of later drafts and `number` are ordinary sets.

use std::fmt;

use crate::source::dialect::Draft;

/// A set of JSON types, one bit for each type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TypeSet(u8);

impl TypeSet {
    /// The empty set of types.
    pub const NONE: Self = Self(0);
    /// The set with the single type `null`.
    pub const NULL: Self = Self(1);
    /// The set with the single type boolean: `true` and `false`.
    pub const BOOLEAN: Self = Self(2);
    /// The set of the type of numbers that are written with neither a point nor an exponent, such as `1` but not `1.0`:
    /// `integer` in draft 4.
    pub(crate) const PLAIN_INTEGER: Self = Self(4);
    /// The set of the types of numbers without a fractional part, written in any way, such as `1`, `1.0` and `1e2`:
    /// `integer` since draft 6.
    pub(crate) const INTEGER: Self = Self(4 | 128);
    /// The set with the single type string.
    pub const STRING: Self = Self(16);
    /// The set with the single type array.
    pub const ARRAY: Self = Self(32);
    /// The set with the single type object.
    pub const OBJECT: Self = Self(64);
    /// The set with the types of all numbers, whether integers or not.
    pub const NUMBER: Self = Self(4 | 8 | 128);
    /// The set of all types.
    pub const ALL: Self = Self(u8::MAX);

    /// Returns the types that are in at least one of both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether every type of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the types of this set that are not in `other`.
    #[must_use]
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the parts of the set by kind of value: null, booleans, numbers, strings, arrays and objects. Parts that
    /// are empty are left out.
    pub(crate) fn kinds(self) -> Vec<Self> {
        let kinds =
            [Self::NULL, Self::BOOLEAN, Self::NUMBER, Self::STRING, Self::ARRAY, Self::OBJECT];
        kinds
            .into_iter()
            .map(|kind| Self(self.0 & kind.0))
            .filter(|&kind| kind != Self::NONE)
            .collect()
    }

    /// Returns the types that a name in the `type` keyword denotes in a draft, or `None` for an unknown name.
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
