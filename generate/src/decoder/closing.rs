//! Keeps a shortest text to the grammar's end (a route) for which `max_tokens` has room.
//!
//! The route is kept from token to token. After its first token, the rest is again a route, even if
//! a new search finds nothing. So if the first route fits into `max_tokens`, there is always one
//! that fits.

use grammarc_runtime::Matcher;

/// A route: the tokens of a text that leads from the current position to the grammar's end.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    route: Vec<u32>,
}

impl Closing {
    /// Searches for the tokens of a shortest text from the matcher's position to the grammar's end.
    /// `None` if the search finds no end within its limits.
    pub(super) fn from(matcher: &mut Matcher) -> Option<Self> {
        let mut closing = Self::default();
        matcher.ending(&mut closing.route).ok()?;
        Some(closing)
    }

    /// Returns the tokens of the kept shortest text to the grammar's end.
    pub(super) fn route(&self) -> &[u32] {
        &self.route
    }

    /// Returns the route (shortest text to the end) after `token`, which the matcher has accepted:
    /// the rest of this route, or a shorter new one. `None` if the token is not on this route and
    /// the search finds no other.
    pub(super) fn after(&self, token: u32, matcher: &mut Matcher) -> Option<Self> {
        let found = Self::from(matcher);
        let Some((_, rest)) = self.route.split_first().filter(|(first, _)| **first == token) else {
            return found;
        };
        let shorter = found.filter(|found| found.route.len() < self.route.len());
        Some(shorter.unwrap_or_else(|| Self { route: rest.to_vec() }))
    }
}
