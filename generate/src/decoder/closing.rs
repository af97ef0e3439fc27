//! A shortest text to the grammar's end, for which `max_tokens` always leaves room.
//!
//! The route is kept from token to token: after its first token, the rest is a route, whatever the search finds. So
//! the bound that held for the first token holds for all.

use grammarc_runtime::Matcher;

/// The tokens of a text to the grammar's end.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    route: Vec<u32>,
}

impl Closing {
    /// Searches a route from the matcher's position. `None` if the search fails.
    pub(super) fn from(matcher: &mut Matcher) -> Option<Self> {
        let mut closing = Self::default();
        matcher.ending(&mut closing.route).ok()?;
        Some(closing)
    }

    /// Returns the tokens.
    pub(super) fn route(&self) -> &[u32] {
        &self.route
    }

    /// Returns the route after a token that the matcher has accepted. `None` if the token is not on the route and the
    /// search fails.
    pub(super) fn after(&self, token: u32, matcher: &mut Matcher) -> Option<Self> {
        let found = Self::from(matcher);
        let Some((_, rest)) = self.route.split_first().filter(|(first, _)| **first == token) else {
            return found;
        };
        let shorter = found.filter(|found| found.route.len() < self.route.len());
        Some(shorter.unwrap_or_else(|| Self { route: rest.to_vec() }))
    }
}
