//! Sets of strings as bands that are sorted, disjoint and in normal form.

use std::sync::{Arc, LazyLock};

use super::band::Band;
use super::language::Language;
use super::product::{self, Operation};
use super::texts::Texts;
use grammarc_grammar::automata::{Dfa, StateBudget, StateLimit, minimize};
use grammarc_patterns::class::all_texts;
use grammarc_patterns::ecma;
use grammarc_patterns::ecma::EcmaError;

/// A set of strings, as a list of bands: each band has a language of texts and bounds on their length. Cloning is O(1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StringSet {
    /// The bands (languages with bounds on the length), ascending by length and disjoint; empty for the empty set.
    pub(super) bands: Arc<[Band]>,
}

impl StringSet {
    /// Returns the set of every string.
    pub(crate) fn all() -> Self {
        static ALL: LazyLock<StringSet> = LazyLock::new(|| StringSet::of(Some(Language::all())));
        ALL.clone()
    }

    /// Returns the empty set of strings.
    pub(crate) fn none() -> Self {
        static NONE: LazyLock<StringSet> = LazyLock::new(|| StringSet::of(None));
        NONE.clone()
    }

    /// Returns the set of the given strings. Cost: about linear in their bytes.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget is spent. The number of states is not limited.
    pub(crate) fn literals<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        Ok(Self::of(Language::only(Texts::new(texts), limit)?))
    }

    /// Returns the set of all strings except the given ones. Cost: about linear in the bytes of the given strings.
    ///
    /// # Errors
    ///
    /// See [`literals`](Self::literals).
    pub(crate) fn all_but<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        Ok(Self::of(Language::all_but(Texts::new(texts), limit)?))
    }

    /// Returns the set of one string.
    pub(crate) fn literal(text: &str) -> Self {
        Self::of(Some(Language::one(text)))
    }

    /// Returns the set of the strings of the format `name` (keyword `format`): those whose UTF-8 the automaton accepts.
    /// Other byte strings that the automaton accepts are ignored.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget is spent. Also if the automaton accepts byte strings that are not UTF-8 and the
    /// result has more than `limit` states.
    pub(crate) fn format(
        name: &'static str,
        automaton: Dfa,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        let trimmed = minimize(&automaton.trimmed());
        // A state of the automaton may be inside a character on some paths and between two on others. So the result has
        // at most twice as many states.
        let operands = [(&trimmed, None), (all_texts(), None)];
        let limit = limit.states(limit.states.max(trimmed.states.len().saturating_mul(2)));
        let dfa = product::combine(operands, Operation::And, limit)?;
        Ok(Self::of(Language::named(dfa, Some(name))))
    }

    /// Returns the set of the strings that contain a match of an ECMA-262 pattern. In a pattern such as
    /// `^[a-z]{1,500}$`, the long run of one class becomes a bound on the length.
    ///
    /// # Errors
    ///
    /// See [`ecma::EcmaErrorKind`].
    pub(crate) fn pattern(text: &str, limit: StateBudget<'_>) -> Result<Self, EcmaError> {
        match ecma::pattern(text, limit) {
            Ok(pattern) => Ok(Self::of_pattern(pattern, Some(text))),
            // A pattern with another error has it here too.
            Err(_) => match Self::conjunction(text, limit)? {
                Some(set) => Ok(set),
                None => Ok(Self::of_pattern(ecma::large_pattern(text, limit)?, Some(text))),
            },
        }
    }

    /// Returns the set of the strings that match a pattern of several conjuncts (conditions that all must hold, such as
    /// lookaheads). Returns `None` if the pattern has only one conjunct, or if the intersection is too large.
    fn conjunction(text: &str, limit: StateBudget<'_>) -> Result<Option<Self>, EcmaError> {
        let Some(conjuncts) = ecma::conjuncts(text, limit)? else { return Ok(None) };
        let mut whole = Self::all();
        for ecma::Conjunct { pattern, is_negative } in conjuncts {
            let one = Self::of_pattern(pattern, None);
            let operation = if is_negative { Operation::Minus } else { Operation::And };
            match whole.combine(&one, operation, limit) {
                Ok(both) => whole = both,
                Err(StateLimit { .. }) => return Ok(None),
            }
        }
        Ok(Some(whole))
    }

    /// Returns the set of the strings of a compiled pattern. `text` is the source of the pattern, or `None` if the
    /// pattern is only a part of another.
    fn of_pattern(pattern: ecma::Pattern, text: Option<&str>) -> Self {
        let ecma::Pattern { automaton, min, max, counted } = pattern;
        let language = match (automaton, counted) {
            (None, Some(counted)) => Some(Language::counted(text, counted)),
            (automaton, counted) => {
                automaton.and_then(|automaton| Language::pattern(automaton, counted))
            }
        };
        let bands = language.map(|language| Band { min, max, language });
        Self::normalized(bands.into_iter().collect())
    }

    /// Returns the set of the strings of at least `min` and at most `max` characters. `None` denotes no upper bound.
    pub(crate) fn lengths(min: u32, max: Option<u32>) -> Self {
        if max.is_some_and(|max| max < min) {
            return Self::none();
        }
        Self::normalized(vec![Band { min, max, language: Language::all() }])
    }

    /// Returns whether every string is in the set. The test is exact.
    pub(crate) fn is_all(&self) -> bool {
        // The language of a single band either has all texts or excludes some.
        if let [band] = &*self.bands {
            return band.language.is_all() && band.is_unbounded();
        }
        // A complement has at most as many states as the languages of the set together, so it needs no limit.
        self.complement(StateBudget::of(usize::MAX)).is_ok_and(|rest| rest.is_none())
    }

    /// Returns the strings that are not in the set, if the set is stored as "all strings except these". Otherwise
    /// returns `None`.
    pub(crate) fn left_out(&self) -> Option<impl Iterator<Item = &str>> {
        match &*self.bands {
            [band] if band.is_implied() => band.language.left_out().map(Texts::iter),
            _ => None,
        }
    }

    /// Returns whether no string is in the set. The test is exact and O(1).
    pub(crate) fn is_none(&self) -> bool {
        self.bands.is_empty()
    }

    /// Returns the estimated cost of an operation on the set, as a number of automaton states.
    pub(crate) fn states(&self) -> usize {
        self.bands.iter().map(|band| band.language.size()).sum()
    }

    /// Returns the strings in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if an automaton would have more than `limit` states. The other operations on sets fail alike.
    pub(crate) fn intersect(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        self.combine(other, Operation::And, limit)
    }

    /// Returns the strings in at least one of both sets. Fails if an automaton would have more than `limit` states.
    pub(crate) fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combine(other, Operation::Or, limit)
    }

    /// Returns the strings of this set that are not in the other set. Fails if an automaton would have more than
    /// `limit` states.
    pub(crate) fn minus(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combine(other, Operation::Minus, limit)
    }

    /// Returns the strings that are not in the set. Fails if an automaton would have more than `limit` states.
    pub(crate) fn complement(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        Self::all().minus(self, limit)
    }

    /// Returns whether no string is in both sets. Fails if the search visits more than `limit` states.
    #[cfg(test)]
    pub(crate) fn disjoint(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<bool, StateLimit> {
        for (min, max, pair) in cuts(self, other) {
            let [Some(a), Some(b)] = pair else { continue };
            if !product::meet(a.dfa(), b.dfa(), limit)? {
                continue;
            }
            // The languages have a text in common. The bounds on the length may still exclude that text.
            let both = a.combine(b, Operation::And, limit)?;
            if both.is_some_and(|language| Band { min, max, language }.is_inhabited()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether every string of this set is in the other set. Fails if an automaton would have more than `limit`
    /// states.
    pub(crate) fn is_subset(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<bool, StateLimit> {
        Ok(self == other || self.minus(other, limit)?.is_none())
    }

    /// Returns the set without its bounds on the length: its strings, and those that only their length excludes. This
    /// approximates the set where lengths cannot be counted.
    #[cfg(test)]
    pub(crate) fn unbounded(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        let mut whole = Self::none();
        for band in self.bands.iter() {
            whole = whole.union(&Self::of(Some(band.language.clone())), limit)?;
        }
        Ok(whole)
    }

    /// Returns whether the string `text` is in the set.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let band = self.bands.iter().find(|band| band.has_length_of(text));
        band.is_some_and(|band| band.language.contains(text))
    }

    /// Returns whether the set has strings of unlimited length.
    pub(crate) fn is_endless(&self) -> bool {
        self.bands.iter().any(|band| band.max.is_none() && band.language.longest().is_none())
    }

    /// Returns the strings of the set, band (range of lengths) by band and in code point order within a band. Returns
    /// `None` if there are more than `limit`. Also returns `None` if the search takes too long, or if the automaton of
    /// a pattern with long counts has many states.
    pub(crate) fn finite(&self, limit: usize) -> Option<Vec<String>> {
        let mut found = Vec::new();
        for band in self.bands.iter() {
            band.collect(limit, &mut found)?;
        }
        Some(found)
    }

    /// Returns a subset of the set that needs no count of characters. The second to last band (range of lengths with
    /// one language) loses its maximum and replaces the last band. Returns `None` unless the last band has all strings
    /// from some length above `most` on.
    ///
    /// The whole set would take an automaton state for each length, to distinguish the language from all strings at
    /// that length.
    pub(crate) fn without_long(&self, most: u32) -> Option<Self> {
        let [others @ .., shorter, longer] = &self.bands[..] else { return None };
        if !longer.language.is_all() || longer.max.is_some() || longer.min <= most {
            return None;
        }
        let counted = shorter.max.is_some_and(|max| max + 1 == longer.min);
        if !counted || shorter.language.longest().is_some() {
            return None;
        }
        let shorter = Band { max: None, ..shorter.clone() };
        Some(Self { bands: others.iter().cloned().chain([shorter]).collect() })
    }

    /// Returns bands (languages with bounds on the length) for writing the set. The bands have no common string, but
    /// their lengths may overlap.
    ///
    /// Assume that the second to last language accepts any rest from some state on, and that the set contains all its
    /// longer strings. Counting characters after that state is useless. So the language is returned without its
    /// maximum, and the last band without the strings of that language.
    pub(super) fn bands_to_write(&self, limit: StateBudget<'_>) -> Vec<Band> {
        self.without_last_bound(limit).unwrap_or_else(|| self.bands.to_vec())
    }

    /// Returns the bands of [`bands_to_write`](Self::bands_to_write), or `None` if every band must keep its bounds.
    fn without_last_bound(&self, limit: StateBudget<'_>) -> Option<Vec<Band>> {
        let [others @ .., shorter, longer] = &*self.bands else { return None };
        let is_next = shorter.max.is_some_and(|max| max.checked_add(1) == Some(longer.min));
        let goes_on = !shorter.language.is_all() && shorter.language.universal().is_some();
        if !is_next || longer.max.is_some() || !goes_on || longer.language.counted_form().is_some()
        {
            return None;
        }
        let without = |a: &Band, b: &Band| {
            let rest = a.language.combine(&b.language, Operation::Minus, limit).ok()?;
            let rest = rest.map(|language| Band { language, ..longer.clone() });
            Some(rest.filter(Band::is_inhabited))
        };
        if without(shorter, longer)?.is_some() {
            return None;
        }
        let rest = without(longer, shorter)?;
        let open = Band { max: None, ..shorter.clone() };
        Some(others.iter().cloned().chain([open]).chain(rest).collect())
    }

    /// Returns the set of all strings of a language, of any length; `None` denotes the empty set.
    pub(super) fn of(language: Option<Language>) -> Self {
        let bands = language.map(|language| Band { min: 0, max: None, language });
        Self { bands: bands.into_iter().collect() }
    }

    /// Returns the intersection, union or difference of two sets. Fails if an automaton would exceed `limit`.
    fn combine(
        &self,
        other: &Self,
        operation: Operation,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        match (&*self.bands, &*other.bands, operation) {
            ([], _, Operation::And | Operation::Minus) => return Ok(self.clone()),
            (_, [], Operation::And) => return Ok(other.clone()),
            ([_], [], _) => return Ok(self.clone()),
            ([], [_], _) => return Ok(other.clone()),
            ([a], [b], _) if a.is_unbounded() && b.is_unbounded() => {
                return Ok(Self::of(a.language.combine(&b.language, operation, limit)?));
            }
            _ => {}
        }
        let mut bands: Vec<Band> = Vec::new();
        // The bounds of both sets cut their bands into ranges of lengths. Neighbouring ranges often have the same
        // languages, so the last result is kept.
        let mut last: Option<([Option<&Language>; 2], Option<Language>)> = None;
        for (min, max, pair) in cuts(self, other) {
            let known = last.take().filter(|(asked, _)| *asked == pair);
            let result = match (known, operation, pair) {
                (Some((_, result)), ..) => result,
                (_, Operation::And, [Some(a), Some(b)]) => a.combine(b, operation, limit)?,
                (_, Operation::And, _) => None,
                (_, _, [Some(a), Some(b)]) => a.combine(b, operation, limit)?,
                (_, _, [one, None]) => one.cloned(),
                (_, Operation::Or, [None, one]) => one.cloned(),
                (_, Operation::Minus, [None, _]) => None,
            };
            bands.extend(result.clone().map(|language| Band { min, max, language }));
            last = Some((pair, result));
        }
        Ok(Self::normalized(bands).joined(limit))
    }

    /// Returns the set of bands that are sorted by length and disjoint. Bands without strings are removed, equal
    /// neighbours joined, and bounds widened that exclude no string.
    pub(super) fn normalized(mut bands: Vec<Band>) -> Self {
        bands.retain(Band::is_inhabited);
        let mut merged: Vec<Band> = Vec::with_capacity(bands.len());
        for band in bands {
            match merged.last_mut() {
                Some(last)
                    if last.language == band.language
                        && last.max.is_some_and(|max| max + 1 == band.min) =>
                {
                    last.max = band.max;
                }
                _ => merged.push(band),
            }
        }
        let mut free = 0;
        for index in 0..merged.len() {
            let next = merged.get(index + 1).map(|next| next.min - 1);
            let band = &mut merged[index];
            if band.language.shortest() >= band.min {
                band.min = free;
            }
            let longest = band.language.longest();
            if band.max.zip(longest).is_some_and(|(max, longest)| longest <= max) {
                band.max = next;
            }
            free = band.max.map_or(u32::MAX, |max| max.saturating_add(1));
        }
        Self { bands: merged.into() }
    }

    /// Joins all bands into one if the bounds of each exclude none of its strings. Returns the set unchanged if some
    /// bound excludes a string, or if the joined language exceeds `limit`.
    fn joined(self, limit: StateBudget<'_>) -> Self {
        if self.bands.len() < 2 || !self.bands.iter().all(Band::is_implied) {
            return self;
        }
        let mut whole = self.bands[0].language.clone();
        for band in &self.bands[1..] {
            match whole.combine(&band.language, Operation::Or, limit) {
                Ok(Some(union)) => whole = union,
                Ok(None) | Err(StateLimit { .. }) => return self,
            }
        }
        Self::of(Some(whole))
    }
}

/// A range of lengths in characters (least and most, the latter `None` if unbounded), with the language of each of two
/// sets in that range. A language is `None` if the set has no string in the range.
type Cut<'a> = (u32, Option<u32>, [Option<&'a Language>; 2]);

/// Returns ranges that together cover all lengths, cut at the bounds of both sets, each with the languages of both
/// sets.
fn cuts<'a>(a: &'a StringSet, b: &'a StringSet) -> Vec<Cut<'a>> {
    let mut starts = vec![0];
    for band in a.bands.iter().chain(b.bands.iter()) {
        starts.push(band.min);
        starts.extend(band.max.and_then(|max| max.checked_add(1)));
    }
    starts.sort_unstable();
    starts.dedup();
    let language = |set: &'a StringSet, min: u32, max: Option<u32>| {
        let band = set.bands.iter().find(|band| band.max.is_none_or(|last| min <= last))?;
        let language = &band.language;
        let inside = band.min <= min
            && max.is_none_or(|max| language.shortest() <= max)
            && language.longest().is_none_or(|longest| longest >= min);
        inside.then_some(language)
    };
    let ends = starts.iter().skip(1).map(|&start| Some(start - 1)).chain([None]);
    let cuts: Vec<(u32, Option<u32>)> = starts.iter().copied().zip(ends).collect();
    cuts.into_iter()
        .map(|(min, max)| (min, max, [a, b].map(|set| language(set, min, max))))
        .collect()
}
