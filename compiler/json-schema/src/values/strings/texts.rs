//! Sorted lists of texts, in one piece of memory.

/// Texts in code point order, without repetition. That is the order of their bytes, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Texts {
    all: Box<str>,
    /// The end of each text.
    ends: Box<[usize]>,
}

impl Texts {
    /// Builds a list of these texts, given in any order.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut texts: Vec<&str> = texts.into_iter().collect();
        texts.sort_unstable();
        texts.dedup();
        let bytes = texts.iter().map(|text| text.len()).sum();
        Self::gathered(Vec::with_capacity(texts.len()), String::with_capacity(bytes), texts)
    }

    fn sorted<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::gathered(Vec::new(), String::new(), texts)
    }

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

    /// Number of texts.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all texts together.
    pub(super) fn bytes(&self) -> usize {
        self.all.len()
    }

    /// The text with an index in the order.
    #[inline]
    pub(super) fn get(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[from..self.ends[at]]
    }

    /// The texts in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Whether the text is one of these.
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

    /// Whether all of these are among others.
    pub(super) fn is_part_of(&self, others: &Self) -> bool {
        self.len() <= others.len() && self.iter().all(|text| others.contains(text))
    }

    /// The texts for which `keep` holds.
    pub(super) fn retained(&self, mut keep: impl FnMut(&str) -> bool) -> Self {
        Self::sorted(self.iter().filter(|text| keep(text)))
    }

    /// The texts of both lists for which `keep` holds, given whether they are in this one and in the other. Linear.
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
