//! The way to an end that the budget of tokens always leaves room for.
//!
//! The route is kept from token to token: one that follows it leaves the rest of it, which is a way to an end whatever the
//! search for a shorter one finds. So the bound that held for the first token holds for all.

use grammarc_runtime::Matcher;

/// The tokens of a way to an end.
#[derive(Clone, Debug, Default)]
pub(super) struct Closing {
    route: Vec<u32>,
}

impl Closing {
    /// The way from where a matcher stands; none where none was found.
    pub(super) fn from(matcher: &mut Matcher) -> Option<Self> {
        let mut closing = Self::default();
        matcher.ending(&mut closing.route).ok()?;
        Some(closing)
    }

    /// The tokens.
    pub(super) fn route(&self) -> &[u32] {
        &self.route
    }

    /// The way after a token that the matcher has accepted; none where none was found.
    pub(super) fn after(&self, token: u32, matcher: &mut Matcher) -> Option<Self> {
        let found = Self::from(matcher);
        let Some((_, rest)) = self.route.split_first().filter(|(first, _)| **first == token) else {
            return found;
        };
        let shorter = found.filter(|found| found.route.len() < self.route.len());
        Some(shorter.unwrap_or_else(|| Self { route: rest.to_vec() }))
    }
}
