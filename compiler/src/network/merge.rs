//! Merges equal rules, and finds the rules that the vocabulary holds.
//!
//! A rule is described by its automaton, with every call replaced by the callee's name. If the
//! vocabulary may hold the rule, its name is a hash of the description. Any other rule is named by
//! a number for each distinct description, which is exact and cheaper. The rules of a call cycle
//! are distinguished by partition refinement (E. F. Moore, 1956). The first name is an invariant
//! without the callees. Each round describes a rule with the names of the round before, until the
//! partition is stable. The number of rounds depends on the cycle alone, so the name depends on the
//! cycle alone too.
//!
//! Invariant: two rules with the same name accept the same strings with the same stacks. The
//! converse need not hold.
//!
//! Cost: O(size of the rules) for rules outside of cycles. For a cycle, this is multiplied by the
//! number of rounds, at most the number of its rules.

use std::ops::Range;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::built::Built;
use super::content_hash::{self, RuleHash};
use super::rule::{Label, NetworkRule, RegisterUpdate};
use crate::automata::Edge;
use crate::budget::{Budget, Spent};
use crate::graph::{Lists, by_component};
use crate::ir::RuleKind;

/// The name of a class of equal rules. Rules with equal names are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Name {
    /// The content hash of a rule that the vocabulary may hold.
    Content(RuleHash),
    /// The number of a rule that the vocabulary cannot hold.
    Own(u32),
}

impl Name {
    /// Returns the content hash. Returns `None` for a numbered rule.
    pub(super) fn content(self) -> Option<RuleHash> {
        match self {
            Self::Content(hash) => Some(hash),
            Self::Own(_) => None,
        }
    }
}

/// The meaning of a symbol that is not a byte, after rules are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MergedLabel {
    /// A call of a rule of this grammar: an index into [`Merged::rules`], and the initial register.
    Own(usize, u32),
    /// A call of a rule of the vocabulary: the rule's id, and the initial register.
    Shared(u32, u32),
    /// Reads one token of a set, as a whole. Holds the ids of the tokens.
    Tokens(Vec<u32>),
}

/// Steps of a budget that one state or edge costs in each round, about.
const STEPS_A_PLACE: usize = 1 << 2;

/// Words of 32 bits that describe most states, without their edges. Only reserves memory.
const WORDS_A_STATE: usize = 2;
/// Words of 32 bits that describe a label of an edge, at most for calls. Only reserves memory.
const WORDS_A_LABEL: usize = 7;

/// The rules after equal rules are merged, in the order in which they are found from the roots.
pub(super) struct Merged<'a> {
    /// The rules, each with its name.
    pub(super) rules: Vec<(&'a NetworkRule, Name)>,
    /// For each symbol minus 256, the meaning of the symbol.
    pub(super) labels: Vec<MergedLabel>,
    /// The indices of the roots in `rules`.
    pub(super) roots: Vec<usize>,
    /// For each rule as it was built, its name.
    pub(super) names: Vec<Name>,
}

/// Merges equal rules, and replaces the rules that the vocabulary holds. `known` finds a
/// vocabulary's rule by its content hash. `may_have` says whether the vocabulary has a rule with
/// this number of states.
///
/// # Errors
///
/// [`Spent`] if the budget is spent.
pub(super) fn merge<'b>(
    built: &'b Built,
    may_have: impl Fn(usize) -> bool,
    known: impl Fn(&RuleHash) -> Option<u32>,
    budget: &Budget,
) -> Result<Merged<'b>, Spent> {
    let calls: Lists = (0..built.rules.len()).map(|rule| callees(built, rule)).collect();
    let names = names(built, &calls, may_have, budget)?;
    let known = names.iter().map(|name| known(&name.content()?));
    let known: Vec<Option<u32>> = known.collect();
    let mut numbers: FxHashMap<Name, usize> = FxHashMap::default();
    let mut order: Vec<usize> = Vec::new();
    let mut number = |rule: usize, order: &mut Vec<usize>| {
        *numbers.entry(names[rule]).or_insert_with(|| {
            order.push(rule);
            order.len() - 1
        })
    };
    // A root is never replaced by a shared rule: the runtime starts in the grammar's own tables.
    let roots: Vec<usize> = built.roots.iter().map(|&root| number(root, &mut order)).collect();
    let mut at = 0;
    while at < order.len() {
        for &callee in calls.of(order[at]) {
            if known[callee as usize].is_none() {
                number(callee as usize, &mut order);
            }
        }
        at += 1;
    }
    let labels = (0..)
        .map_while(|index| built.labels.get(256 + index))
        .map(|label| match label {
            Label::Tokens(ids) => MergedLabel::Tokens(ids.clone()),
            &Label::Call { rule, count } => match known[rule] {
                Some(shared) => MergedLabel::Shared(shared, count),
                // Labels of rules that nothing calls any more are never read.
                None => MergedLabel::Own(numbers.get(&names[rule]).copied().unwrap_or(0), count),
            },
        })
        .collect();
    let rules = order.iter().map(|&rule| (&built.rules[rule], names[rule])).collect();
    Ok(Merged { rules, labels, roots, names })
}

/// Returns the rules that a rule calls, in the order of its edges. A rule that is called twice
/// occurs twice.
fn callees(built: &Built, rule: usize) -> impl Iterator<Item = usize> + '_ {
    let edges = built.rules[rule].dfa.beyond_bytes();
    edges.flat_map(|e| e.lo.max(256)..=e.hi).filter_map(|s| built.labels.callee(s))
}

/// For each rule as it was built, computes its name. Callees are named before their callers.
fn names(
    built: &Built,
    calls: &Lists,
    may_have: impl Fn(usize) -> bool,
    budget: &Budget,
) -> Result<Vec<Name>, Spent> {
    let size = |rule: u32| {
        let dfa = &built.rules[rule as usize].dfa;
        1 + dfa.len() + dfa.edge_count()
    };
    let component = calls.components();
    let order = by_component(&component);
    let mut names = vec![Name::Own(u32::MAX); built.rules.len()];
    let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut name = |mut words: Vec<u32>, may_be_known: bool| {
        if may_be_known {
            words.iter_mut().for_each(|word| *word = word.to_le());
            return Name::Content(content_hash::hash(bytemuck::cast_slice(&words)));
        }
        let new = numbers.len() as u32;
        Name::Own(*numbers.entry(words).or_insert(new))
    };
    for group in order.chunk_by(|&a, &b| component[a as usize] == component[b as usize]) {
        let is_within = |callee: u32| component[callee as usize] == component[group[0] as usize];
        let may_be_known = group.iter().all(|&rule| {
            let mut callees = calls.of(rule as usize).iter();
            may_have(built.rules[rule as usize].dfa.len())
                && callees
                    .all(|&callee| is_within(callee) || names[callee as usize].content().is_some())
        });
        if let &[number] = group {
            let rule = number as usize;
            if let Some((stored, _)) = built.rules[rule].stored {
                names[rule] = Name::Content(stored);
                continue;
            }
            budget.spend(STEPS_A_PLACE * size(number))?;
            if !calls.of(rule).contains(&number) {
                names[rule] = name(describe_by_content(built, rule, &names), may_be_known);
                continue;
            }
        }
        let mut distinct = 0;
        let group: Vec<usize> = group.iter().map(|&rule| rule as usize).collect();
        for &rule in &group {
            budget.spend(STEPS_A_PLACE * size(rule as u32))?;
            names[rule] = name(shape(built, rule), may_be_known);
        }
        loop {
            let round = group.iter().map(|&rule| {
                budget.spend(STEPS_A_PLACE * size(rule as u32))?;
                Ok(name(describe_by_content(built, rule, &names), may_be_known))
            });
            let mut classes: Vec<Name> = round.collect::<Result<_, Spent>>()?;
            group.iter().zip(&classes).for_each(|(&rule, &name)| names[rule] = name);
            classes.sort_unstable();
            classes.dedup();
            if classes.len() == distinct {
                break;
            }
            distinct = classes.len();
        }
    }
    Ok(names)
}

/// Returns words that do not depend on the callees of a rule or on the numbers of its states. They
/// are the first name of a rule in a cycle.
fn shape(built: &Built, rule: usize) -> Vec<u32> {
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
    let mut shape = Vec::with_capacity(words.len() + states.len());
    for state in states {
        shape.push(state.len() as u32);
        shape.extend_from_slice(&words[state]);
    }
    shape
}

/// Describes a rule in words, given the names of its callees. Equal rules get equal words. The
/// words do not depend on the numbers of labels, which follow from their first use. The states are
/// numbered, and the labels of a state sorted, by content.
fn describe_by_content(built: &Built, rule: usize, names: &[Name]) -> Vec<u32> {
    let by_reach = || {
        let mut numbers = ByReach::of(built.rules[rule].dfa.len());
        describe(built, rule, names, &mut numbers)
    };
    let mut numbers = ByPosition::default();
    let words = describe(built, rule, names, &mut numbers);
    debug_assert!(numbers.is_past || words == by_reach(), "the numbers are those of any order");
    if numbers.is_past { by_reach() } else { words }
}

/// A numbering of the states of a rule. The initial state has number 0, and states are numbered in
/// the order in which they are first reached.
trait Numbers {
    /// Returns the number of a state. A state that is reached for the first time gets the next
    /// number.
    fn of(&mut self, state: u32) -> u32;

    /// Returns the state with this number. Returns `None` if no state has the number yet.
    fn state(&self, number: u32) -> Option<u32>;
}

/// Numbers states by their position in the automaton. Minimization leaves states in the wanted
/// order, except where it depends on the order of labels (calls or token sets).
#[derive(Default)]
struct ByPosition {
    /// The highest position of a reached state.
    last: u32,
    /// Whether some state was reached before a state at a lower position. Then the positions are no
    /// valid numbering.
    is_past: bool,
}

impl Numbers for ByPosition {
    #[inline]
    fn of(&mut self, state: u32) -> u32 {
        self.is_past |= state > self.last + 1;
        self.last = self.last.max(state);
        state
    }

    #[inline]
    fn state(&self, number: u32) -> Option<u32> {
        (number <= self.last).then_some(number)
    }
}

/// Numbers states in the order in which they are reached, whatever their position.
struct ByReach {
    /// For each state, its number, or `u32::MAX` if it has not been reached.
    numbers: Vec<u32>,
    /// For each number, the state.
    order: Vec<u32>,
}

impl ByReach {
    /// Returns a numbering for `count` states, in which state 0 has the number 0 and no other state
    /// has a number.
    fn of(count: usize) -> Self {
        let mut this = Self { numbers: vec![u32::MAX; count], order: Vec::with_capacity(count) };
        this.numbers[0] = 0;
        this.order.push(0);
        this
    }
}

impl Numbers for ByReach {
    fn of(&mut self, state: u32) -> u32 {
        let number = &mut self.numbers[state as usize];
        if *number == u32::MAX {
            *number = self.order.len() as u32;
            self.order.push(state);
        }
        *number
    }

    fn state(&self, number: u32) -> Option<u32> {
        self.order.get(number as usize).copied()
    }
}

/// Describes a rule in words, with a numbering of its states. Two different rules have different
/// descriptions. A state begins with a word that gives the number of its edges, and the words at
/// the beginning of a rule are distinct from such words.
fn describe(built: &Built, rule: usize, names: &[Name], numbers: &mut impl Numbers) -> Vec<u32> {
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
        RuleKind::Region(number) => words.extend([begin::REGION, number]),
    }
    words.extend(is_large.then_some(begin::LARGE));
    if let Some(set) = &rule.packed {
        words.push(begin::PACKED);
        words.extend(set.digest.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)));
    }
    // Maps each count-dependent state to the lowest bits of the register fields that its mask
    // depends on.
    let mut count_dependent: FxHashMap<u32, u32> = FxHashMap::default();
    for of in rule.counted.iter().flat_map(|counted| &counted.count_dependent) {
        of.all()
            .for_each(|state| *count_dependent.entry(state).or_default() |= 1 << of.field.shift);
    }
    let mut labelled: Vec<(SmallVec<[u32; 6]>, u32)> = Vec::new();
    let mut at = 0;
    while let Some(number) = numbers.state(at) {
        at += 1;
        let arrival = rule.counted.as_ref().and_then(|counted| counted.arrival(number));
        let role = match (&rule.counted, arrival.map(|arrival| arrival.update)) {
            (Some(counted), Some(RegisterUpdate::Decrement)) => 2 + u32::from(counted.monotone),
            (_, Some(RegisterUpdate::ClearBit(bit))) => 8 + u32::from(bit),
            (_, Some(RegisterUpdate::DecrementField { .. } | RegisterUpdate::Set { .. })) => 5,
            (Some(counted), _) if counted.is_exit(number) => 4,
            _ => 0,
        };
        let fields = count_dependent.get(&number);
        let role = role + if fields.is_some() { COUNT_DEPENDENT } else { 0 };
        let (bytes, beyond) = rule.dfa.split(number);
        let accepts = u32::from(rule.dfa.accepts(number));
        let has_labels = u32::from(!beyond.is_empty());
        words.push(role << 16 | has_labels << 15 | accepts << 14 | bytes.len() as u32);
        // Most edges are byte edges, so each byte edge takes one word.
        let range = |edge: &Edge| edge.lo << 24 | edge.hi.min(255) << 16;
        match is_large {
            true => {
                words.extend(bytes.iter().flat_map(|edge| [range(edge), numbers.of(edge.target)]))
            }
            false => words.extend(bytes.iter().map(|edge| range(edge) | numbers.of(edge.target))),
        }
        if !beyond.is_empty() {
            for edge in beyond {
                for symbol in edge.lo.max(256)..=edge.hi {
                    labelled.push((content(built, symbol, names), edge.target));
                }
            }
            words.push(labelled.len() as u32);
            labelled.sort_unstable();
            for (content, target) in labelled.drain(..) {
                words.extend_from_slice(&content);
                words.push(numbers.of(target));
            }
        }
        words.extend(fields);
        if let Some(arrival) = arrival {
            words.push(numbers.of(arrival.exit));
            words.extend(arrival.describe().into_iter().flatten());
        }
    }
    words
}

/// The part of a state's role that marks a count-dependent state: its mask depends on a counter.
const COUNT_DEPENDENT: u32 = 64;

/// The words at the beginning of a description that mark special rules.
mod begin {
    /// A distinct rule: an array whose items must differ.
    pub(super) const DISTINCT: u32 = u32::MAX;
    /// An item of a distinct rule (array whose items must differ).
    pub(super) const ITEM: u32 = u32::MAX - 1;
    /// A rule with more than 65,536 states, whose numbers do not fit in half a word.
    pub(super) const LARGE: u32 = u32::MAX - 2;
    /// A region: a part of the output that one source constrains. The number of the region follows.
    pub(super) const REGION: u32 = u32::MAX - 3;
    /// A packed string set (texts as a packed automaton). The digest of its texts follows, in 8
    /// words.
    pub(super) const PACKED: u32 = u32::MAX - 4;
}

/// Describes a label in words, with the names of its callee. Equal labels get equal words.
fn content(built: &Built, symbol: u32, names: &[Name]) -> SmallVec<[u32; 6]> {
    match built.labels.get(symbol) {
        Some(&Label::Call { rule, count }) => match names[rule] {
            Name::Content([a, b, c, d]) => SmallVec::from([4, count, a, b, c, d]),
            Name::Own(number) => SmallVec::from_slice(&[6, count, number]),
        },
        Some(Label::Tokens(ids)) => {
            [5, ids.len() as u32].into_iter().chain(ids.iter().copied()).collect()
        }
        None => SmallVec::new(),
    }
}
