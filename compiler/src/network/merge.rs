//! Content hashes of rules, equal rules merged, and rules found in the vocabulary.
//!
//! A rule's hash covers its automaton with every call replaced by the callee's hash. Rules of a cycle are told apart by
//! refinement: they begin with the hash of what they look like without their callees, and each round hashes a rule with
//! its callees' hashes of the round before, until the partition is stable (the rounds depend on the cycle alone, so the
//! hash does too). Two rules with one hash accept the same strings the same way; the converse need not hold.
//!
//! Cost: O(rules' size) for rules outside cycles, times the rounds for a cycle, which its size bounds.

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::build::Built;
use super::rule::{Label, Lowered, NetworkRule};
use crate::graph::{Lists, by_component};
use crate::ir::RuleKind;

/// A rule's content hash.
pub(super) type RuleHash = [u32; 4];

/// What a label stands for once rules are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MergedLabel {
    /// A call of a rule of this grammar (an index into [`Merged::rules`]), with its register.
    Own(usize, u32),
    /// A call of a rule of the vocabulary, with its countdown.
    Shared(u32, u32),
    /// One token of the ids.
    Tokens(Vec<u32>),
}

/// Words that are hashed for most states besides those of their edges, and for the label of an edge.
const WORDS_A_STATE: usize = 2;
const WORDS_A_LABEL: usize = 7;

/// Rules without repetition, numbered in the order in which the roots lead to them.
pub(super) struct Merged<'a> {
    pub(super) rules: Vec<(&'a NetworkRule, RuleHash)>,
    /// By symbol less 256.
    pub(super) labels: Vec<MergedLabel>,
    /// The roots that are rules of this grammar.
    pub(super) roots: Vec<usize>,
    /// The hashes of all rules as they were built.
    pub(super) hashes: Vec<RuleHash>,
}

/// Merges equal rules and takes from the vocabulary those that it holds: `known` tells them by their hashes.
pub(super) fn merge(built: &Built, known: impl Fn(&RuleHash) -> Option<u32>) -> Merged<'_> {
    let calls: Lists = (0..built.rules.len()).map(|rule| callees(built, rule)).collect();
    let hashes = hashes(built, &calls);
    let mut numbers: FxHashMap<RuleHash, usize> = FxHashMap::default();
    let mut order: Vec<usize> = Vec::new();
    let mut number = |rule: usize, order: &mut Vec<usize>| {
        *numbers.entry(hashes[rule]).or_insert_with(|| {
            order.push(rule);
            order.len() - 1
        })
    };
    // A root is never replaced by a shared rule: the runtime starts in the grammar's own tables.
    let roots: Vec<usize> = built.roots.iter().map(|&root| number(root, &mut order)).collect();
    let mut at = 0;
    while at < order.len() {
        for &callee in calls.of(order[at]) {
            if known(&hashes[callee as usize]).is_none() {
                number(callee as usize, &mut order);
            }
        }
        at += 1;
    }
    let labels = (0..)
        .map_while(|index| built.labels.get(256 + index))
        .map(|label| match label {
            Label::Tokens(ids) => MergedLabel::Tokens(ids.clone()),
            &Label::Call { rule, count } => match known(&hashes[rule]) {
                Some(shared) => MergedLabel::Shared(shared, count),
                // Labels of rules that nothing calls any more are never looked at.
                None => MergedLabel::Own(numbers.get(&hashes[rule]).copied().unwrap_or(0), count),
            },
        })
        .collect();
    let rules = order.iter().map(|&rule| (&built.rules[rule], hashes[rule])).collect();
    Merged { rules, labels, roots, hashes }
}

/// Rules that a rule calls, in the order of its edges, with repetition.
fn callees(built: &Built, rule: usize) -> impl Iterator<Item = usize> + '_ {
    let edges = built.rules[rule].dfa.beyond_bytes();
    edges.flat_map(|e| e.lo.max(256)..=e.hi).filter_map(|s| built.labels.callee(s))
}

fn hashes(built: &Built, calls: &Lists) -> Vec<RuleHash> {
    let component = calls.components();
    let order = by_component(&component);
    let mut hashes = vec![[0; 4]; built.rules.len()];
    for group in order.chunk_by(|&a, &b| component[a as usize] == component[b as usize]) {
        if let &[number] = group {
            let rule = number as usize;
            if let Some((stored, _)) = built.rules[rule].stored {
                hashes[rule] = stored;
                continue;
            }
            if !calls.of(rule).contains(&number) {
                hashes[rule] = hash(built, rule, &hashes);
                continue;
            }
        }
        let mut distinct = 0;
        let group: Vec<usize> = group.iter().map(|&rule| rule as usize).collect();
        group.iter().for_each(|&rule| hashes[rule] = shape(built, rule));
        loop {
            let round: Vec<RuleHash> =
                group.iter().map(|&rule| hash(built, rule, &hashes)).collect();
            group.iter().zip(&round).for_each(|(&rule, &hash)| hashes[rule] = hash);
            let mut classes = round;
            classes.sort_unstable();
            classes.dedup();
            if classes.len() == distinct {
                break;
            }
            distinct = classes.len();
        }
    }
    hashes
}

/// What can be said of a rule without knowing its callees or the numbering of its states: the colour that the
/// refinement of a cycle begins with.
fn shape(built: &Built, rule: usize) -> RuleHash {
    let dfa = &built.rules[rule].dfa;
    let mut words: Vec<u32> = Vec::with_capacity(dfa.len() + 2 * dfa.edge_count());
    let mut states: Vec<Range<usize>> = Vec::with_capacity(dfa.len());
    for state in 0..dfa.len() as u32 {
        let first = words.len();
        words.push(u32::from(dfa.accepts(state)));
        for edge in dfa.edges(state) {
            if edge.lo < 256 {
                words.extend([edge.lo, edge.hi.min(255)]);
            }
            words.extend((edge.lo.max(256)..=edge.hi).map(|_| 256));
        }
        states.push(first..words.len());
    }
    states.sort_unstable_by(|one, other| words[one.clone()].cmp(&words[other.clone()]));
    let mut digest = Digest::with_capacity(4 * (words.len() + states.len()));
    for state in states {
        digest.put(&[state.len() as u32]);
        digest.put(&words[state]);
    }
    digest.finish()
}

/// A rule's hash, given its callees'. Labels are numbered by first use, which must not show, so both the numbering of
/// states and the order of a state's labels go by content.
fn hash(built: &Built, rule: usize, hashes: &[RuleHash]) -> RuleHash {
    let as_met = || describe(built, rule, hashes, AsTheyAreMet::of(built.rules[rule].dfa.len()));
    let words = describe(built, rule, hashes, AsTheyAre { last: 0 });
    debug_assert!(words.is_none() || words == as_met(), "the numbers are those of any order");
    let mut words = words.or_else(as_met).unwrap_or_default();
    words.iter_mut().for_each(|word| *word = word.to_le());
    first_bits(bytemuck::cast_slice(&words))
}

/// Numbers for the states of a rule, from the first on in the order in which they are led to.
trait Numbers {
    /// The number of a state that is led to; none where it is not to be had in this way.
    fn of(&mut self, state: u32) -> Option<u32>;

    /// The state of a number, if any has it yet.
    fn state(&self, number: u32) -> Option<u32>;
}

/// Where states stand in that order: what minimisation makes does, but for the order of labels.
struct AsTheyAre {
    last: u32,
}

impl Numbers for AsTheyAre {
    #[inline]
    fn of(&mut self, state: u32) -> Option<u32> {
        self.last += u32::from(state == self.last + 1);
        (state <= self.last).then_some(state)
    }

    #[inline]
    fn state(&self, number: u32) -> Option<u32> {
        (number <= self.last).then_some(number)
    }
}

/// Where they stand in any order.
struct AsTheyAreMet {
    numbers: Vec<u32>,
    order: Vec<u32>,
}

impl AsTheyAreMet {
    /// Of so many states, the first of which has the first number.
    fn of(count: usize) -> Self {
        let mut this = Self { numbers: vec![u32::MAX; count], order: Vec::with_capacity(count) };
        this.numbers[0] = 0;
        this.order.push(0);
        this
    }
}

impl Numbers for AsTheyAreMet {
    fn of(&mut self, state: u32) -> Option<u32> {
        let number = &mut self.numbers[state as usize];
        if *number == u32::MAX {
            *number = self.order.len() as u32;
            self.order.push(state);
        }
        Some(*number)
    }

    fn state(&self, number: u32) -> Option<u32> {
        self.order.get(number as usize).copied()
    }
}

/// All that is hashed of a rule, with these numbers. No two rules that differ have the same: each state begins with a word
/// that says how many follow, and what a rule begins with no state does.
fn describe(
    built: &Built,
    rule: usize,
    hashes: &[RuleHash],
    mut numbers: impl Numbers,
) -> Option<Vec<u32>> {
    let rule = &built.rules[rule];
    let labels = rule.dfa.beyond_bytes().count();
    let is_large = rule.dfa.len() > 1 << 16;
    let mut words: Vec<u32> = Vec::with_capacity(
        WORDS_A_STATE * rule.dfa.len() + rule.dfa.edge_count() + WORDS_A_LABEL * labels,
    );
    match rule.kind {
        RuleKind::Plain | RuleKind::Kept => {}
        RuleKind::Distinct => words.push(begin::DISTINCT),
        RuleKind::Item => words.push(begin::ITEM),
    }
    words.extend(is_large.then_some(begin::LARGE));
    let mut labelled: Vec<(SmallVec<[u32; 6]>, u32)> = Vec::new();
    let mut at = 0;
    while let Some(number) = numbers.state(at) {
        at += 1;
        let arrival = rule.counted.as_ref().and_then(|counted| counted.arrival(number));
        let role = match (&rule.counted, arrival.map(|arrival| arrival.lowered)) {
            (Some(counted), Some(Lowered::ByOne)) => 2 + u32::from(counted.monotone),
            (_, Some(Lowered::Without(bit))) => 8 + u32::from(bit),
            (Some(counted), _) if counted.is_exit(number) => 4,
            _ => 0,
        };
        let (bytes, beyond) = rule.dfa.split(number);
        let accepts = u32::from(rule.dfa.accepts(number));
        let has_labels = u32::from(!beyond.is_empty());
        words.push(role << 16 | has_labels << 15 | accepts << 14 | bytes.len() as u32);
        // Most of what is hashed are byte edges, so they take one word each.
        for edge in bytes {
            let (range, to) = (edge.lo << 24 | edge.hi.min(255) << 16, numbers.of(edge.target)?);
            match is_large {
                true => words.extend([range, to]),
                false => words.push(range | to),
            }
        }
        if !beyond.is_empty() {
            for edge in beyond {
                for symbol in edge.lo.max(256)..=edge.hi {
                    labelled.push((content(built, symbol, hashes), edge.target));
                }
            }
            words.push(labelled.len() as u32);
            labelled.sort_unstable();
            for (content, target) in labelled.drain(..) {
                words.extend_from_slice(&content);
                words.push(numbers.of(target)?);
            }
        }
        if let Some(arrival) = arrival {
            words.push(numbers.of(arrival.exit)?);
        }
    }
    Some(words)
}

/// Words that some rules begin with.
mod begin {
    pub(super) const DISTINCT: u32 = u32::MAX;
    pub(super) const ITEM: u32 = u32::MAX - 1;
    /// A rule whose states have numbers of more than half a word.
    pub(super) const LARGE: u32 = u32::MAX - 2;
}

/// What a label stands for.
fn content(built: &Built, symbol: u32, hashes: &[RuleHash]) -> SmallVec<[u32; 6]> {
    match built.labels.get(symbol) {
        Some(&Label::Call { rule, count }) => {
            let [a, b, c, d] = hashes[rule];
            SmallVec::from([4, count, a, b, c, d])
        }
        Some(Label::Tokens(ids)) => {
            [5, ids.len() as u32].into_iter().chain(ids.iter().copied()).collect()
        }
        None => SmallVec::new(),
    }
}

/// The first 128 bits of a hash of bytes.
fn first_bits(bytes: &[u8]) -> RuleHash {
    let hash = blake3::hash(bytes);
    std::array::from_fn(|word| {
        u32::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[4 * word + byte]))
    })
}

/// The first 128 bits of a hash of what was put in.
#[derive(Default)]
pub(super) struct Digest(Vec<u8>);

impl Digest {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub(super) fn put(&mut self, words: &[u32]) {
        let from = self.0.len();
        self.0.resize(from + 4 * words.len(), 0);
        let (places, _) = self.0[from..].as_chunks_mut();
        places.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    }

    pub(super) fn put_bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn finish(self) -> RuleHash {
        first_bits(&self.0)
    }
}
