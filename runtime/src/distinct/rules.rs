//! The rules of a grammar whose items must differ (`uniqueItems`), and the bytes at the borders of their items.
//!
//! Cost: O(states and edges of these rules and of their items), once for a grammar. The tokens that may contain the
//! border between two items are found on first use. This takes one pass over the vocabulary for each different set of
//! borders.

use std::ops::Range;
use std::sync::OnceLock;

use grammarc_artifacts::sections::network::{NONE, rule_flags, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Joined;

use crate::position::Configuration;
use crate::position::stack::BOTTOM;
use crate::position::state_ranges::StateRanges;
use crate::sort::{sort, sort_and_dedup};
use crate::step::byte_set::ByteSet;

/// The rules of a grammar whose items must differ, such as the arrays with `uniqueItems`.
#[derive(Debug, Default)]
pub(crate) struct DistinctRules {
    /// States of all rules whose items must differ (`uniqueItems`).
    states: StateRanges,
    /// The rules whose items must differ, in ascending order of their states.
    rules: Vec<DistinctRule>,
    /// Ids of the tokens that may end an item and begin one equal to an earlier item. Computed on first use.
    pub(super) joining: OnceLock<Box<[u32]>>,
}

/// A rule whose items must differ from each other, such as an array with `uniqueItems`.
#[derive(Debug)]
pub(super) struct DistinctRule {
    states: Range<u32>,
    /// Whether some item is read by a rule that accepts only finitely many texts, so that a list may run out of unused
    /// items.
    pub(super) is_scarce: bool,
    /// The configuration before an item, on an empty stack. `None` if items are calls of several rules, or contain
    /// items that must differ. Whether unused items are left is then searched, and not stored.
    pub(super) start: Option<Configuration>,
    pub(super) borders: Borders,
    /// Trie nodes at which an item may begin in the middle of a token. Computed on first use.
    leads: OnceLock<Leads>,
    /// Number of bytes that all items of the rule have in common at the beginning: two of them diverge there. `None` if
    /// no two are known to diverge. Computed on first use.
    pub(super) spread: OnceLock<Option<u32>>,
}

/// The bytes that begin items, and the bytes before and after items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Borders {
    /// Bytes with which an item may begin.
    pub(super) first: ByteSet,
    /// Bytes that may come before an item.
    before: ByteSet,
    /// Bytes that may come after an item.
    pub(super) after: ByteSet,
    /// Whether one item may follow another without a byte between them.
    are_adjacent: bool,
}

/// The trie nodes at which an item may begin in the middle of a token. The byte of the node may begin an item. The byte
/// of its parent may come before an item.
#[derive(Debug)]
pub(super) struct Leads {
    /// Trie nodes whose byte is the first of an item.
    pub(super) first: Box<[u32]>,
    /// Children of the trie nodes in `first`, ascending by the first two bytes of an item. Each is one number: the two
    /// bytes, then the 32 bits of the node.
    second: Box<[u64]>,
}

impl Leads {
    fn new(Borders { first, before, .. }: Borders, trie: &Trie<'_>) -> Self {
        let byte = |node: u32| trie.byte[node as usize];
        let parents = (1..trie.len() as u32).filter(|&node| before.contains(byte(node)));
        let nodes = parents.flat_map(|node| trie.children(node));
        let nodes: Box<[u32]> = nodes.filter(|&node| first.contains(byte(node))).collect();
        let children = nodes.iter().flat_map(|&node| {
            let bytes = move |child| [byte(node), byte(child)];
            trie.children(node).map(move |child| first_child(bytes(child)) | u64::from(child))
        });
        let mut second: Box<[_]> = children.collect();
        sort(&mut second);
        Self { first: nodes, second }
    }

    /// Returns the trie nodes after the first two bytes of an item that begins in the middle of a token.
    pub(super) fn after(&self, bytes: [u8; 2]) -> impl Iterator<Item = u32> {
        let first = first_child(bytes);
        let from = self.second.partition_point(|&child| child < first);
        let children = self.second[from..].iter();
        children.take_while(move |&child| child >> 32 == first >> 32).map(|&child| child as u32)
    }
}

/// Returns the least number of a child in [`Leads::second`] that has these two bytes.
fn first_child(bytes: [u8; 2]) -> u64 {
    u64::from(u16::from_be_bytes(bytes)) << 32
}

impl DistinctRules {
    /// Returns a set without rules, so that no items are compared.
    pub(crate) const fn none() -> Self {
        Self { states: StateRanges::none(), rules: Vec::new(), joining: OnceLock::new() }
    }

    /// Finds the rules of a grammar whose items must differ (`uniqueItems`). O(states and edges of these rules and of
    /// their items).
    pub(crate) fn new(joined: &Joined<'_>) -> Self {
        let states = StateRanges::of_rules(joined.own.rules, rule_flags::DISTINCT);
        let packed = StateRanges::of_rules(joined.own.rules, rule_flags::PACKED_STRINGS);
        let known = Known { joined, distinct: &states, packed: &packed };
        let rule = |rule| DistinctRule::new(&known, rule);
        let rules: Vec<DistinctRule> = states.iter().filter_map(rule).collect();
        Self { states, rules, joining: OnceLock::new() }
    }

    /// Whether the grammar has no rules whose items must differ (`uniqueItems`).
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a state belongs to a rule whose items must differ (`uniqueItems`).
    #[inline]
    pub(crate) fn contains(&self, state: u32) -> bool {
        !self.is_empty() && self.states.contains(state)
    }

    /// Returns the index of the rule that has the state. `None` if the items of that rule need not differ.
    #[inline]
    pub(crate) fn index_of(&self, state: u32) -> Option<usize> {
        let index = self.rules.partition_point(|rule| rule.states.end <= state);
        self.rules.get(index).is_some_and(|rule| rule.states.start <= state).then_some(index)
    }

    /// Returns the rule with this index, which [`index_of`](Self::index_of) returned.
    pub(super) fn get(&self, index: usize) -> &DistinctRule {
        &self.rules[index]
    }

    /// Returns all rules whose items must differ (`uniqueItems`), in the order of their indexes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &DistinctRule> {
        self.rules.iter()
    }
}

impl DistinctRule {
    /// Describes a rule whose items must differ, for this module. `states` are the rule's states. `None` if the rule
    /// has no items.
    fn new(known: &Known<'_>, states: Range<u32>) -> Option<Self> {
        let joined = known.joined;
        let is_item = |callee| joined.rule(callee).flags & rule_flags::ITEM != 0;
        // Pairs of an item's rule and its count, as one number each.
        let mut items: Vec<u64> = Vec::new();
        let (mut begins, mut returns): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for state in states.clone() {
            let (tables, index) = joined.locate(state);
            for edge in tables.call_edges_of(index) {
                if is_item(edge.callee) && edge.ret != NONE {
                    items.push(u64::from(edge.callee) << 32 | u64::from(edge.count));
                    begins.push(state);
                    returns.push(edge.ret);
                }
            }
        }
        sort_and_dedup(&mut items);
        sort_and_dedup(&mut begins);
        sort_and_dedup(&mut returns);
        let item_begins = |state: &u32| begins.binary_search(state).is_ok();
        let item_returns = |state: &u32| returns.binary_search(state).is_ok();
        let callee_of = |item: u64| (item >> 32) as u32;
        let &first = items.first()?;
        let (callee, count) = (callee_of(first), first as u32);
        let explored: Vec<Explored> =
            items.iter().map(|&item| Explored::new(known, callee_of(item))).collect();
        let state = joined.rule(callee).first_state;
        let start = Configuration { state, count, frame: BOTTOM };
        let is_plain = items.len() == 1 && !explored[0].has_distinct;
        let mut borders =
            Borders { are_adjacent: begins.iter().any(item_returns), ..Borders::default() };
        for &item in &items {
            borders.first.add_all(ByteSet(joined.rule(callee_of(item)).first_bytes));
        }
        if item_begins(&states.start) {
            borders.before = ByteSet::ALL;
        }
        for state in states.clone() {
            let (tables, index) = joined.locate(state);
            for edge in tables.byte_edges_of(index) {
                if item_begins(&edge.target) {
                    borders.before.add_range(edge.lo()..=edge.hi());
                }
                if item_returns(&state) {
                    borders.after.add_range(edge.lo()..=edge.hi());
                }
            }
            for edge in tables.call_edges_of(index) {
                if item_begins(&edge.ret) {
                    borders.before = ByteSet::ALL;
                }
                if item_returns(&state) {
                    borders.after.add_all(ByteSet(joined.rule(edge.callee).first_bytes));
                }
            }
            if item_returns(&state) && joined.state(state).flags & state_flags::FINAL != 0 {
                borders.after = ByteSet::ALL;
            }
        }
        Some(Self {
            states,
            is_scarce: explored.iter().any(|item| item.is_finite),
            start: is_plain.then_some(start),
            borders,
            leads: OnceLock::new(),
            spread: OnceLock::new(),
        })
    }

    /// Returns the trie nodes at which an item may begin in the middle of a token. The first call finds them, in
    /// O(nodes).
    pub(super) fn leads(&self, trie: &Trie<'_>) -> &Leads {
        self.leads.get_or_init(|| Leads::new(self.borders, trie))
    }

    /// Whether a token may pass the end of an item and enter the next, up to a text that only used items begin with.
    /// `spread` is the depth in bytes at which two items first diverge. Up to there some unused item always remains.
    pub(super) fn may_join(&self, token: &[u8], spread: Option<u32>) -> bool {
        let Borders { first, before, after, are_adjacent } = self.borders;
        let ends = |from: usize| {
            let rest = token.get(from..)?;
            Some(from + rest.iter().position(|&byte| after.contains(byte))?)
        };
        let begins = |from: usize| {
            let is_first = |at: &usize| {
                first.contains(token[*at])
                    && at.checked_sub(1).is_none_or(|at| before.contains(token[at]))
            };
            (from..token.len()).find(is_first)
        };
        let next = |end: usize| begins(if are_adjacent { end } else { end + 1 });
        if spread.is_none() && self.is_scarce {
            // Within the rule all tokens are tried, so only tokens that begin before the rule count.
            let outside = usize::from(before != ByteSet::ALL);
            return begins(outside).and_then(|begin| ends(begin + 1)).is_some();
        }
        let Some(end) = ends(0) else { return false };
        let Some(begin) = next(end) else { return false };
        let ends_more = ends(begin + 1).and_then(next).is_some();
        ends_more || token.len() - begin > spread.unwrap_or(0) as usize
    }
}

/// The tables for computing the properties of one rule whose items must differ (`uniqueItems`).
struct Known<'a> {
    joined: &'a Joined<'a>,
    /// States of all rules whose items must differ (`uniqueItems`).
    distinct: &'a StateRanges,
    /// States of the packed string sets, which are rules for finite sets of strings.
    packed: &'a StateRanges,
}

/// Properties of the states that an item's rule reaches by edges and calls.
struct Explored {
    /// Whether the states form no cycle, so that the rule has finitely many texts. A loop with a counter is a cycle
    /// too, so its texts count as infinitely many.
    is_finite: bool,
    /// Whether one of the states belongs to a rule whose items must differ (`uniqueItems`).
    has_distinct: bool,
}

impl Explored {
    /// Visits the states that a rule reaches by edges and calls, depth first. O(states and edges).
    fn new(&Known { joined, distinct, packed }: &Known<'_>, rule: u32) -> Self {
        let mut explored = Self { is_finite: true, has_distinct: false };
        // States on the path of the search, and all states found.
        let (mut on_path, mut known) = (States::default(), States::default());
        let mut path = vec![(joined.rule(rule).first_state, 0)];
        on_path.insert(path[0].0);
        while let Some((state, next)) = path.last_mut() {
            let (tables, index) = joined.locate(*state);
            explored.has_distinct |= distinct.contains(*state);
            // The three states of a packed string set denote its nodes, which form no cycle.
            let bytes = tables.byte_edges_of(index).iter().filter(|_| !packed.contains(*state));
            let bytes = bytes.map(|edge| edge.target);
            let calls = tables.call_edges_of(index).iter().flat_map(|edge| {
                let back = Some(edge.ret).filter(|&ret| ret != NONE);
                [joined.rule(edge.callee).first_state].into_iter().chain(back)
            });
            let tokens = tables.token_edges_of(index).iter().map(|edge| edge.target);
            let Some(target) = bytes.chain(calls).chain(tokens).nth(*next) else {
                on_path.remove(*state);
                path.pop();
                continue;
            };
            *next += 1;
            explored.is_finite &= !on_path.contains(target);
            if known.insert(target) && on_path.insert(target) {
                path.push((target, 0));
            }
        }
        explored
    }
}

/// A set of states, with a bit for each up to the largest that was added.
#[derive(Default)]
struct States(Vec<u32>);

impl States {
    fn contains(&self, state: u32) -> bool {
        let word = self.0.get((state / u32::BITS) as usize);
        word.is_some_and(|word| word >> (state % u32::BITS) & 1 != 0)
    }

    /// Adds a state. Returns whether it is new.
    fn insert(&mut self, state: u32) -> bool {
        let is_new = !self.contains(state);
        let word = (state / u32::BITS) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (state % u32::BITS);
        is_new
    }

    fn remove(&mut self, state: u32) {
        if let Some(word) = self.0.get_mut((state / u32::BITS) as usize) {
            *word &= !(1 << (state % u32::BITS));
        }
    }
}
