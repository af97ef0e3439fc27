//! The place that a condition is evaluated at.

use serde_json::Value;

use crate::places::{Place, Places};

/// The place that a condition is evaluated at.
#[derive(Clone, Copy)]
pub(crate) struct At<'c> {
    /// All places of the document.
    pub(crate) places: &'c Places<'c>,
    /// The index of the place.
    pub(crate) index: usize,
    /// The keyword that the rule is about. `None` for a rule about the schema as a whole.
    pub(crate) keyword: Option<&'c str>,
}

impl<'c> At<'c> {
    /// Returns the place.
    pub(crate) fn place(&self) -> &'c Place<'c> {
        &self.places.all[self.index]
    }

    /// Returns the value of the keyword that the rule is about.
    pub(crate) fn value(&self) -> Option<&'c Value> {
        self.place().get(self.keyword?)
    }
}
