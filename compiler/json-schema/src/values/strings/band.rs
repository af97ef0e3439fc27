//! A band: the strings of a language whose lengths are in one range.

use super::language::Language;
use super::members::search;
use grammarc_grammar::ir::Counter;

/// The strings of a language whose lengths in characters are within inclusive bounds. A set of strings is a list of
/// such bands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Band {
    /// Least number of characters of a string of the band.
    pub(super) min: u32,
    /// Largest number of characters of a string of the band; `None` for no upper bound.
    pub(super) max: Option<u32>,
    /// The language, which may also have strings of other lengths.
    pub(super) language: Language,
}

impl Band {
    /// Returns whether some string of the language has a length within the bounds. The test is exact.
    pub(super) fn is_inhabited(&self) -> bool {
        let (shortest, longest) = (self.language.shortest(), self.language.longest());
        if longest.is_some_and(|longest| longest < self.min) {
            return false;
        }
        match self.max {
            None => true,
            Some(max) if shortest > max => false,
            Some(max) => {
                shortest >= self.min
                    || longest.is_some_and(|longest| longest <= max)
                    || self.language.some_between(self.min, max)
            }
        }
    }

    /// Returns whether the number of characters of a text is within the bounds of the band.
    pub(super) fn has_length_of(&self, text: &str) -> bool {
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.min <= length && self.max.is_none_or(|max| length <= max)
    }

    /// Returns whether the bounds of the band allow every length.
    pub(super) fn is_unbounded(&self) -> bool {
        self.min == 0 && self.max.is_none()
    }

    /// Returns whether the bounds exclude no string of the language. Then they need no counting.
    pub(super) fn is_implied(&self) -> bool {
        let below = self.language.shortest() < self.min;
        let above = match (self.max, self.language.longest()) {
            (None, _) => false,
            (Some(max), Some(longest)) => longest > max,
            (Some(_), None) => true,
        };
        !below && !above
    }

    /// Adds the strings of the band to `found` in code point order. Returns `None` if `found` would have more than
    /// `limit` strings, or if the search takes too long.
    pub(super) fn collect(&self, limit: usize, found: &mut Vec<String>) -> Option<()> {
        let most = self.max.into_iter().chain(self.language.longest()).min()?;
        let Some(texts) = self.language.listed() else {
            let dfa = self.language.small_dfa()?;
            let bounds = Counter { min: self.min, max: self.max };
            return search(dfa, bounds, most, limit, found);
        };
        for text in texts.iter() {
            let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            if self.min <= length && self.max.is_none_or(|max| length <= max) {
                if found.len() == limit {
                    return None;
                }
                found.push(text.to_owned());
            }
        }
        Some(())
    }
}
