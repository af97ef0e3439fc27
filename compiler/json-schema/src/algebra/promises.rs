//! What a grammar promises of the order of keys and of `oneOf`, and which weaker promises follow if combinations are too many.

use crate::options::KeyOrder;

/// The order of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderPromise {
    /// The schema's order.
    Schema,
    /// Any order.
    Any,
    /// The schema's order although any was asked for, which is reported as narrower.
    Fallback,
}

/// The reading of `oneOf` over objects that more than one branch may accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OneOfPromise {
    /// Exactly one branch accepts.
    Exact,
    /// At least one branch accepts, which is reported as approximate.
    AnyOf,
}

/// What a grammar promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Promises {
    /// The order of keys.
    pub(crate) key_order: OrderPromise,
    /// The reading of `oneOf`.
    pub(crate) one_of: OneOfPromise,
}

impl Promises {
    const fn new(key_order: OrderPromise, one_of: OneOfPromise) -> Self {
        Self { key_order, one_of }
    }

    /// The first attempt for an order of keys, and those that follow, strongest first. A narrower grammar comes before an
    /// approximate one, so that what is accepted stays valid as long as possible.
    pub(crate) const fn attempts(key_order: KeyOrder) -> (Self, &'static [Self]) {
        use OneOfPromise::{AnyOf, Exact};
        use OrderPromise::{Any, Fallback, Schema};
        match key_order {
            KeyOrder::Any | KeyOrder::AnyOnce => (
                Self::new(Any, Exact),
                const { &[Self::new(Fallback, Exact), Self::new(Fallback, AnyOf)] },
            ),
            KeyOrder::Schema => (Self::new(Schema, Exact), const { &[Self::new(Schema, AnyOf)] }),
        }
    }
}
