//! The promises of a grammar about the order of keys and about `oneOf`. Weaker promises are used if there are too many
//! combinations.

use crate::options::KeyOrder;

/// The order of keys that a grammar accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderPromise {
    /// The keys of an object come in the schema's order, as the options ask.
    Schema,
    /// The keys of an object come by name, as the options ask.
    Sorted,
    /// The keys of an object come in any order, as the options ask.
    Any,
    /// The keys of an object come in the schema's order although the options ask for any order. The report calls the
    /// keywords narrower.
    Fallback,
}

/// How a grammar reads `oneOf` over objects if several branches may accept one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OneOfPromise {
    /// An object is accepted if exactly one branch accepts it.
    Exact,
    /// An object is accepted if at least one branch accepts it. The report calls the `oneOf` approximate.
    AnyOf,
}

/// The promises of one attempt to build a grammar, about the accepted texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Promises {
    /// The order of keys that the grammar accepts.
    pub(crate) key_order: OrderPromise,
    /// How the grammar reads `oneOf` over objects.
    pub(crate) one_of: OneOfPromise,
}

impl Promises {
    const fn new(key_order: OrderPromise, one_of: OneOfPromise) -> Self {
        Self { key_order, one_of }
    }

    /// Returns the promises of the first attempt to build a grammar, for the requested order of keys. Also returns the
    /// weaker promises of further attempts, for schemas with too many combinations. A narrower grammar comes before an
    /// approximate one, so that accepted texts stay valid as long as possible.
    pub(crate) const fn attempts(key_order: KeyOrder) -> (Self, &'static [Self]) {
        use OneOfPromise::{AnyOf, Exact};
        use OrderPromise::{Any, Fallback, Schema, Sorted};
        match key_order {
            KeyOrder::Any | KeyOrder::AnyOnce => (
                Self::new(Any, Exact),
                const { &[Self::new(Fallback, Exact), Self::new(Fallback, AnyOf)] },
            ),
            KeyOrder::Schema => (Self::new(Schema, Exact), const { &[Self::new(Schema, AnyOf)] }),
            KeyOrder::Sorted => (Self::new(Sorted, Exact), const { &[Self::new(Sorted, AnyOf)] }),
        }
    }
}
