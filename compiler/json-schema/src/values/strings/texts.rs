//! Sorted lists of texts, stored in one block of memory.

/// A list of texts in code point order, without repetition. This is also the order of their UTF-8 bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Texts {
    /// All texts of the list, one after the other without separators.
    all: Box<str>,
    /// For each text, its end as a byte offset into `all`.
    ends: Box<[usize]>,
}

impl Texts {
    /// Builds the list of the given texts, which may come in any order and repeat.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut texts: Vec<&str> = texts.into_iter().collect();
        texts.sort_unstable();
        texts.dedup();
        let bytes = texts.iter().map(|text| text.len()).sum();
        Self::gathered(Vec::with_capacity(texts.len()), String::with_capacity(bytes), texts)
    }

    /// Builds the list of texts, which the caller gives in code point order and without repetition.
    fn sorted<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::gathered(Vec::new(), String::new(), texts)
    }

    /// Appends texts that come in code point order to empty buffers, and returns their list.
    fn gathered<'a>(
        mut ends: Vec<usize>,
        mut all: String,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        for text in texts {
            all.push_str(text);
            ends.push(all.len());
        }
        Self { all: all.into(), ends: ends.into() }
    }

    /// Returns the number of texts of the list.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether the list has no text.
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of bytes of all texts together.
    pub(super) fn bytes(&self) -> usize {
        self.all.len()
    }

    /// Returns the text with index `at` in code point order.
    #[inline]
    pub(super) fn get(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[from..self.ends[at]]
    }

    /// Returns the texts in code point order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Returns whether a text is in the list. Cost: a binary search.
    pub(super) fn contains(&self, text: &str) -> bool {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            match self.get(middle).cmp(text) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        false
    }

    /// Returns whether every text of this list is in `others`.
    pub(super) fn is_part_of(&self, others: &Self) -> bool {
        self.len() <= others.len() && self.iter().all(|text| others.contains(text))
    }

    /// Returns the list of the texts for which `keep` returns `true`.
    pub(super) fn retained(&self, mut keep: impl FnMut(&str) -> bool) -> Self {
        Self::sorted(self.iter().filter(|text| keep(text)))
    }

    /// Returns the texts of both lists for which `keep` returns `true`. `keep` gets whether the text is in this list
    /// and whether it is in the other. Cost: linear in both lists.
    pub(super) fn merged(&self, other: &Self, keep: impl Fn(bool, bool) -> bool) -> Self {
        let (mut ours, mut theirs) = (self.iter().peekable(), other.iter().peekable());
        Self::sorted(std::iter::from_fn(|| {
            loop {
                let least = match (ours.peek(), theirs.peek()) {
                    (Some(a), Some(b)) => a.min(b),
                    (one, other) => one.or(other)?,
                };
                let least = *least;
                let ours = ours.next_if_eq(&least).is_some();
                let theirs = theirs.next_if_eq(&least).is_some();
                if keep(ours, theirs) {
                    return Some(least);
                }
            }
        }))
    }
}
