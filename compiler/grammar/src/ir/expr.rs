//! Expressions: the right-hand sides of rules, and the byte sets in them.

use std::ops::Range;
use std::sync::Arc;

use super::graph::{EdgeLabel, Graph};
use super::{RuleId, Texts};
use crate::automata::Dfa;

/// A set of bytes, stored as 256 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSet([u64; 4]);

/// For each number from 0 to 256, the set of all bytes below that number, as 256 bits.
static BELOW: [[u64; 4]; 257] = {
    let mut below = [[0; 4]; 257];
    let mut byte = 0;
    while byte < 256 {
        below[byte + 1] = below[byte];
        below[byte + 1][byte / 64] |= 1 << (byte % 64);
        byte += 1;
    }
    below
};

impl ByteSet {
    /// The set without any byte.
    pub const EMPTY: Self = Self([0; 4]);
    /// The set of all 256 bytes.
    pub const FULL: Self = Self([u64::MAX; 4]);

    /// Returns the bytes from `lo` to `hi`, both inclusive. Combines two precomputed sets, because
    /// states are often compared by their byte ranges.
    #[inline]
    pub fn range(lo: u8, hi: u8) -> Self {
        Self(BELOW[usize::from(hi) + 1]).minus(Self(BELOW[usize::from(lo)]))
    }

    /// Returns the set of the bytes whose bits are set in `words`: bit `b % 32` of word `b / 32`.
    #[inline]
    pub fn from_words(words: [u32; 8]) -> Self {
        let of = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [a, b, c, d, e, f, g, h] = words;
        Self([of(a, b), of(c, d), of(e, f), of(g, h)])
    }

    /// Returns the set as bits: bit `b % 32` of word `b / 32` is set if byte `b` is in the set.
    #[inline]
    pub fn to_words(self) -> [u32; 8] {
        std::array::from_fn(|i| (self.0[i / 2] >> (32 * (i % 2))) as u32)
    }

    /// Adds a byte to the set.
    #[inline]
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Removes a byte from the set.
    pub fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }

    /// Whether the byte is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Whether no byte is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Returns the number of bytes in the set.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether some byte from `lo` to `hi`, both inclusive, is in the set.
    #[inline]
    pub fn meets(&self, lo: u8, hi: u8) -> bool {
        self.lowest_from(lo).is_some_and(|byte| byte <= hi)
    }

    /// Returns the bytes that are in at least one of the two sets.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        self.by_words(other, |one, other| one | other)
    }

    /// Returns the bytes that are in both sets.
    #[inline]
    #[must_use]
    pub fn intersect(self, other: Self) -> Self {
        self.by_words(other, |one, other| one & other)
    }

    /// Returns the bytes that are in this set and not in the other.
    #[inline]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.by_words(other, |one, other| one & !other)
    }

    /// Returns the bytes that are in exactly one of the two sets.
    #[inline]
    #[must_use]
    pub fn apart(self, other: Self) -> Self {
        self.by_words(other, |one, other| one ^ other)
    }

    /// Combines two sets by applying `of` to each pair of their 64-bit words. Unrolled, because a
    /// call of `array::from_fn` takes longer than the operation.
    #[inline]
    fn by_words(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let ([a, b, c, d], [w, x, y, z]) = (self.0, other.0);
        Self([of(a, w), of(b, x), of(c, y), of(d, z)])
    }

    /// Returns the bytes of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let words = self.0;
        (0u8..4).flat_map(move |index| {
            let mut word = words[usize::from(index)];
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u8)?;
                word &= word - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Returns how many bytes of the set are below `byte`.
    pub fn below(&self, byte: u8) -> usize {
        self.intersect(Self(BELOW[usize::from(byte)])).len()
    }

    /// Returns how many bytes of the set are below `byte` and in the same quarter as `byte`: 0 to
    /// 63, 64 to 127, 128 to 191 or 192 to 255.
    #[inline]
    pub fn below_in_quarter(&self, byte: u8) -> u32 {
        let below = (1 << (byte % 64)) - 1;
        (self.0[usize::from(byte / 64)] & below).count_ones()
    }

    /// Returns the lowest byte of the set that is at least `from`. Returns `None` if there is none.
    fn lowest_from(&self, from: u8) -> Option<u8> {
        let index = usize::from(from >> 6);
        let first = self.0[index] & u64::MAX << (from & 63);
        if first != 0 {
            return Some((from & !63) + first.trailing_zeros() as u8);
        }
        let more = (index + 1..4).find(|&index| self.0[index] != 0)?;
        Some(64 * more as u8 + self.0[more].trailing_zeros() as u8)
    }

    /// Returns the set of the bytes that directly follow a byte of this set. Byte 255 has no
    /// successor.
    #[inline]
    #[must_use]
    pub fn next(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a << 1, b << 1 | a >> 63, c << 1 | b >> 63, d << 1 | c >> 63])
    }

    /// Returns the *turns* of the set: the bytes at which membership changes compared to the byte
    /// before. Byte 0 is one of them if it is in the set. The turns of `[a-c]` are `a` and `d`.
    #[inline]
    #[must_use]
    pub fn turns(self) -> Self {
        self.apart(self.next())
    }

    /// Returns all bytes at which membership in one of the sets changes: the union of their [turns](Self::turns).
    pub fn turns_of(sets: impl Iterator<Item = Self>) -> Self {
        sets.fold(Self::EMPTY, |all, set| all.union(set.turns()))
    }

    /// Returns the first byte of each range, and the byte after the last byte of each range if
    /// there is one. The ranges have inclusive bounds.
    pub fn bounds_of(ranges: impl Iterator<Item = (u8, u8)>) -> Self {
        let mut bounds = Self::EMPTY;
        for (lo, hi) in ranges {
            bounds.insert(lo);
            hi.checked_add(1).into_iter().for_each(|next| bounds.insert(next));
        }
        bounds
    }

    /// Returns the bytes of the set as ranges with inclusive bounds, in ascending order. A new
    /// range begins at each byte of `turns`, and after each gap in the set. So no range crosses a
    /// byte of `turns`.
    pub fn ranges_between(&self, turns: Self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let turns = turns.union(self.turns());
        let mut firsts = self.intersect(turns).iter();
        std::iter::from_fn(move || {
            let lo = firsts.next()?;
            let next = lo.checked_add(1).and_then(|next| turns.lowest_from(next));
            Some((lo, next.map_or(u8::MAX, |next| next - 1)))
        })
    }

    /// Returns the last byte of the longest range that begins at `byte` and is entirely in the set
    /// or entirely outside of it.
    pub fn alike_until(&self, byte: u8) -> u8 {
        let others = if self.contains(byte) { Self::FULL.minus(*self) } else { *self };
        others.lowest_from(byte).map_or(u8::MAX, |next| next - 1)
    }

    /// Whether the set has at least `count` bytes.
    #[inline]
    pub fn has_at_least(&self, count: usize) -> bool {
        self.len() >= count
    }

    /// Returns the maximal ranges of consecutive bytes in the set, with inclusive bounds, in
    /// ascending order.
    pub fn ranges(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let outside = Self::FULL.minus(*self);
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let lo = self.lowest_from(next?)?;
            let end = outside.lowest_from(lo);
            next = end;
            Some((lo, end.map_or(u8::MAX, |end| end - 1)))
        })
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        set.extend(bytes);
        set
    }
}

impl Extend<u8> for ByteSet {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|byte| self.insert(byte));
    }
}

/// A reference to a token in a source. The token is looked up when the grammar is compiled for a
/// vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenRef {
    /// The token with this id.
    Id(u32),
    /// The token with this text. `<|im_end|>` is the special token of that name, or otherwise the
    /// text token with these bytes.
    Text(String),
}

/// A set of whole tokens, which are matched by id and not by their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenSet {
    /// The named tokens, each with its byte range in the source if it has one.
    pub tokens: Vec<(TokenRef, Option<Range<usize>>)>,
    /// Whether the set is the complement: all tokens of the vocabulary except the named ones and
    /// the end-of-sequence tokens.
    pub negated: bool,
}

/// An expression, which denotes a set of strings. The constructors below flatten sequences and
/// alternations and drop empty parts. An expression that is built without them is valid as well,
/// only larger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Denotes no string.
    Never,
    /// Denotes the empty string alone.
    Empty,
    /// Denotes each byte of the set, as a string of one byte.
    Bytes(ByteSet),
    /// Denotes this byte string alone.
    Literal(Arc<[u8]>),
    /// Denotes each token of the set, matched by its id.
    Token(TokenSet),
    /// Denotes each string that the rule with this number derives: a call of the rule.
    Call(RuleId),
    /// Denotes the concatenations of a string of each part, in the order of the list.
    Seq(Vec<Expr>),
    /// Denotes the strings of all choices: an alternation.
    Alt(Vec<Expr>),
    /// Denotes the concatenations of between `min` and `max` strings of the body. Bounds may be in
    /// the billions, because the network counts in a register if necessary.
    Repeat {
        /// The expression that is repeated.
        body: Box<Expr>,
        /// The fewest repetitions.
        min: u32,
        /// The most repetitions. `None` if there is no maximum.
        max: Option<u32>,
    },
    /// Denotes the strings that this automaton over bytes accepts.
    Regular(Arc<Dfa>),
    /// Denotes each text of a set of many texts.
    Texts(Arc<Texts>),
    /// Denotes the strings on the paths of an automaton whose edges are labelled with expressions.
    Graph(Arc<ExprGraph>),
    /// Denotes the strings that all operands have in common: an intersection. The operands must be
    /// regular: no tokens, no calls of recursive rules.
    And(Vec<Expr>),
    /// Denotes the byte strings that the operand does not: a complement. The operand must be
    /// regular: no tokens, no calls of recursive rules.
    Not(Box<Expr>),
}

/// A graph (nondeterministic automaton) whose edges are labelled with expressions.
pub type ExprGraph = Graph<Expr>;

impl EdgeLabel for Expr {
    fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }
}

impl Expr {
    /// Returns the expression that denotes one byte string. It is [`Expr::Empty`] for the empty
    /// string.
    pub fn literal(bytes: impl AsRef<[u8]>) -> Self {
        match bytes.as_ref() {
            [] => Self::Empty,
            bytes => Self::Literal(bytes.into()),
        }
    }

    /// Returns the expression that denotes each byte of a set. It is [`Expr::Never`] for the empty
    /// set.
    pub fn bytes(set: ByteSet) -> Self {
        if set.is_empty() { Self::Never } else { Self::Bytes(set) }
    }

    /// Returns the expression that denotes one byte.
    pub fn byte(byte: u8) -> Self {
        Self::Bytes(ByteSet::range(byte, byte))
    }

    /// Returns the concatenation of the parts. Nested sequences are flattened, and empty parts are dropped. The result
    /// is [`Expr::Never`] if some part is [`Expr::Never`].
    pub fn seq(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = parts.into_iter();
        // Most sequences have two parts in the end: a quote and the rest of a string.
        let mut flat = Vec::with_capacity(parts.size_hint().0 + 1);
        while let Some(part) = parts.next() {
            match part {
                Self::Never => return Self::Never,
                Self::Empty => {}
                Self::Seq(inner) => {
                    flat.reserve_exact(inner.len() + parts.size_hint().0);
                    flat.extend(inner);
                }
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::Empty,
            1 => flat.remove(0),
            _ => Self::Seq(flat),
        }
    }

    /// Returns the alternation of the choices. Nested alternations are flattened, and choices that
    /// denote no string are dropped. The result is [`Expr::Never`] if no choice is left.
    pub fn alt(choices: impl IntoIterator<Item = Self>) -> Self {
        let choices = choices.into_iter();
        let most = choices.size_hint().0;
        let mut choices = choices.filter(|choice| !matches!(choice, Self::Never));
        let Some(first) = choices.next() else { return Self::Never };
        // In most cases there is only one choice, which needs no list.
        let Some(second) = choices.next() else { return first };
        let mut flat = Vec::with_capacity(most.max(2));
        for choice in [first, second].into_iter().chain(choices) {
            match choice {
                Self::Alt(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        Self::Alt(flat)
    }

    /// Returns the expression that denotes each of the texts. Many texts become [`Expr::Texts`],
    /// few an alternation of literals.
    pub fn any_of<T: AsRef<[u8]>>(texts: Vec<T>) -> Self {
        let bytes = texts.iter().map(|text| text.as_ref().len()).sum();
        if !Texts::are_many(texts.len(), bytes) {
            return Self::alt(texts.iter().map(Self::literal));
        }
        let has_empty = texts.iter().any(|text| text.as_ref().is_empty());
        match Texts::new(&texts) {
            Some(set) => {
                let empty = has_empty.then_some(Self::Empty);
                Self::alt([Self::Texts(Arc::new(set))].into_iter().chain(empty))
            }
            None => Self::alt(texts.iter().map(Self::literal)),
        }
    }

    /// Returns the expression of all concatenations of between `min` and `max` strings of this expression. There is no
    /// maximum if `max` is `None`. The result is [`Expr::Never`] if `max` is below `min`.
    #[must_use]
    pub fn repeat(self, min: u32, max: Option<u32>) -> Self {
        match (self, min, max) {
            (_, min, Some(max)) if max < min => Self::Never,
            (_, _, Some(0)) | (Self::Empty, ..) | (Self::Never, 0, _) => Self::Empty,
            (Self::Never, ..) => Self::Never,
            (body, 1, Some(1)) => body,
            (body, min, max) => Self::Repeat { body: Box::new(body), min, max },
        }
    }

    /// Returns the expression of the empty string or a string of this expression.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeat(0, Some(1))
    }

    /// Returns the expression of all concatenations of any number of strings of this expression.
    #[must_use]
    pub fn star(self) -> Self {
        self.repeat(0, None)
    }

    /// Returns the expression of all concatenations of one or more strings of this expression.
    #[must_use]
    pub fn plus(self) -> Self {
        self.repeat(1, None)
    }

    /// Returns the expression of one Unicode scalar value in any of the ranges (inclusive bounds),
    /// encoded as UTF-8. Surrogates in a range are skipped.
    pub fn scalars(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        use regex_syntax::utf8::Utf8Sequences;
        Self::alt(ranges.into_iter().filter(|(lo, hi)| lo <= hi).flat_map(|(lo, hi)| {
            Utf8Sequences::new(lo, hi).map(|sequence| {
                Self::seq(
                    sequence
                        .as_slice()
                        .iter()
                        .map(|range| Self::Bytes(ByteSet::range(range.start, range.end))),
                )
            })
        }))
    }

    /// Returns the size of the expression in nodes, with its parts. A literal counts one node for
    /// each byte, an automaton or a graph one for each state. O(size).
    pub fn size(&self) -> usize {
        self.own_size() + self.children().iter().map(Self::size).sum::<usize>()
    }

    /// Returns the number of nodes of this expression alone, without those of its parts. A literal
    /// counts one node for each byte, an automaton or a graph one for each state.
    pub(super) fn own_size(&self) -> usize {
        match self {
            Self::Literal(bytes) => bytes.len(),
            Self::Regular(dfa) => dfa.states.len(),
            Self::Graph(graph) => graph.states() as usize,
            _ => 1,
        }
    }

    /// Calls `visit` with every rule that the expression calls, in order. A rule that is called
    /// twice is visited twice.
    pub fn for_each_call(&self, visit: &mut impl FnMut(RuleId)) {
        if let Self::Call(rule) = self {
            visit(*rule);
        }
        self.children().iter().for_each(|child| child.for_each_call(visit));
    }

    /// Returns the direct subexpressions: parts of a sequence, choices of an alternation, operands,
    /// the body of a repetition, or labels of a graph. Empty for other expressions.
    pub fn children(&self) -> &[Self] {
        match self {
            Self::Seq(parts) | Self::Alt(parts) | Self::And(parts) => parts,
            Self::Graph(graph) => graph.parts(),
            Self::Repeat { body, .. } | Self::Not(body) => std::slice::from_ref(body),
            Self::Never
            | Self::Empty
            | Self::Bytes(_)
            | Self::Literal(_)
            | Self::Token(_)
            | Self::Call(_)
            | Self::Regular(_)
            | Self::Texts(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_the_bytes_and_begin_anew_at_turns(
            bytes in prop::collection::btree_set(0u8.., 0..80),
            runs in prop::collection::vec((0u8.., 0u8..40), 0..6),
        ) {
            let set: ByteSet = bytes.iter().copied().collect();
            let runs = runs.into_iter().map(|(lo, more)| (lo, lo.saturating_add(more)));
            let runs: Vec<(u8, u8)> = runs.collect();
            let turns = ByteSet::turns_of(runs.iter().map(|&(lo, hi)| ByteSet::range(lo, hi)));
            prop_assert_eq!(turns, ByteSet::bounds_of(runs.iter().copied()));
            let ranges: Vec<(u8, u8)> = set.ranges_between(turns).collect();
            let all = ranges.iter().flat_map(|&(lo, hi)| lo..=hi);
            prop_assert!(all.eq(bytes), "{:?}", ranges);
            for &(lo, hi) in &ranges {
                let is_within = |byte: u8| runs.iter().map(|run| run.0 <= byte && byte <= run.1).collect::<Vec<_>>();
                prop_assert!((lo..=hi).all(|byte| is_within(byte) == is_within(lo)), "{lo}..={hi}");
            }
            let apart = (1..=255).filter(|&byte| set.contains(byte) != set.contains(byte - 1));
            let apart = apart.chain(set.contains(0).then_some(0));
            prop_assert_eq!(set.turns(), apart.collect::<ByteSet>());
        }
    }
}
