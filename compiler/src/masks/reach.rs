//! Which exit classes each rule can be left through, and so which pairs of return state and class can occur.
//!
//! A rule can be left through the classes of its own states, those of rules it calls in tail position, and the next
//! classes of its return states' follow entries. Classes only go up the call graph, and a class met further up lies
//! deeper in the trie or is the same, so this ends.

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::FxHashSet;

use crate::network::Network;

/// The classes through which each rule can be left, and who must hear of it.
pub(super) struct Reach {
    /// Return states of the calls of each rule, by rule id.
    returns: Lists,
    /// Rules that call each rule in tail position; both by rule id.
    tails: Lists,
    /// Rules, each with a class through which it can be left.
    known: FxHashSet<(u32, u32)>,
    fresh: Vec<(u32, u32)>,
    /// Pairs given out: a return state of several callees can meet one class from each of them.
    met: FxHashSet<(u32, u32)>,
    rules: u32,
}

impl Reach {
    /// Of the vocabulary's rules, `left_through` says by rule what [`left_through`] finds.
    pub(super) fn new(
        joined: Joined<'_>,
        network: &Network,
        shared: Tables<'_>,
        left_through: &[Box<[u32]>],
    ) -> Self {
        let base = network.tables.bases;
        let count = shared.rules.len() + network.tables.rules.len();
        let mut this = Self {
            returns: Lists::new(count),
            tails: Lists::new(count),
            known: FxHashSet::default(),
            fresh: Vec::new(),
            met: FxHashSet::default(),
            rules: base.rules,
        };
        let own = joined.own;
        for index in 0..own.state_count() as usize {
            for call in own.call_edges_of(index) {
                if call.ret == NONE {
                    let caller = network.rule_of(base.states + index as u32) as u32;
                    this.tails.add(call.callee, caller + base.rules);
                    continue;
                }
                // A frame pushed when the countdown runs out holds the state that takes the head's place.
                for ret in [call.ret, joined.state(call.ret).count_exit] {
                    if ret != NONE {
                        this.returns.add(call.callee, ret);
                    }
                }
            }
        }
        // The vocabulary's rules are closed, so what they can be left through is settled before their callers come.
        let is_called = |&rule: &u32| !this.returns.is_empty(rule) || !this.tails.is_empty(rule);
        let mut called: Vec<u32> = (0..shared.rules.len() as u32).filter(is_called).collect();
        let mut seen: FxHashSet<u32> = called.iter().copied().collect();
        let mut order = Vec::new();
        while let Some(rule) = called.pop() {
            order.push(rule);
            for state in states_of(shared, rule as usize) {
                for call in shared.call_edges_of(state).iter().filter(|call| call.ret == NONE) {
                    this.tails.add(call.callee, rule);
                    if seen.insert(call.callee) {
                        called.push(call.callee);
                    }
                }
            }
        }
        for rule in order {
            left_through[rule as usize].iter().for_each(|&class| this.add_to(rule, class));
        }
        this
    }

    /// Notes that an own rule (by index) can be left through a class.
    pub(super) fn add(&mut self, rule: usize, class: u32) {
        self.add_to(rule as u32 + self.rules, class);
    }

    fn add_to(&mut self, rule: u32, class: u32) {
        if class != NONE && self.known.insert((rule, class)) {
            self.fresh.push((rule, class));
        }
    }

    /// The pairs that follow from what was added since the last call, each once in all.
    pub(super) fn pairs(&mut self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        while let Some((rule, class)) = self.fresh.pop() {
            let met = self.returns.of(rule).map(|ret| (ret, class));
            pairs.extend(met.filter(|&pair| self.met.insert(pair)));
            let Self { tails, known, fresh, .. } = self;
            fresh.extend(tails.of(rule).map(|rule| (rule, class)).filter(|&new| known.insert(new)));
        }
        pairs
    }
}

/// A list for each rule, most of which are empty.
struct Lists {
    /// By rule, its last entry.
    last: Vec<u32>,
    /// A value, and the entry before it in its list.
    entries: Vec<(u32, u32)>,
}

impl Lists {
    fn new(count: usize) -> Self {
        Self { last: vec![NONE; count], entries: Vec::new() }
    }

    fn add(&mut self, rule: u32, value: u32) {
        let new = self.entries.len() as u32;
        let before = std::mem::replace(&mut self.last[rule as usize], new);
        self.entries.push((value, before));
    }

    fn is_empty(&self, rule: u32) -> bool {
        self.last[rule as usize] == NONE
    }

    fn of(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.last[rule as usize];
        std::iter::from_fn(move || {
            let &(value, before) = self.entries.get(at as usize)?;
            at = before;
            Some(value)
        })
    }
}

/// By rule of the vocabulary, the classes through which its own states are left, ascending.
pub(super) fn left_through(shared: Tables<'_>) -> Vec<Box<[u32]>> {
    let of_rule = |rule| {
        let mut classes: Vec<u32> = states_of(shared, rule)
            .flat_map(|state| {
                let follows = shared.follows_of(state).iter().map(|entry| entry.next);
                follows.chain([shared.states[state].exits])
            })
            .filter(|&class| class != NONE)
            .collect();
        classes.sort_unstable();
        classes.dedup();
        classes.into()
    };
    (0..shared.rules.len()).map(of_rule).collect()
}

/// Indices of the states of a rule of the vocabulary.
fn states_of(shared: Tables<'_>, rule: usize) -> std::ops::Range<usize> {
    let rule = &shared.rules[rule];
    rule.first_state as usize..(rule.first_state + rule.state_count) as usize
}
