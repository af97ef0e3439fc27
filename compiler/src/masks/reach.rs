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
    returns: Vec<Vec<u32>>,
    /// Rules that call each rule in tail position; both by rule id.
    tails: Vec<Vec<usize>>,
    known: Vec<FxHashSet<u32>>,
    fresh: Vec<(usize, u32)>,
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
            returns: vec![Vec::new(); count],
            tails: vec![Vec::new(); count],
            known: vec![FxHashSet::default(); count],
            fresh: Vec::new(),
            met: FxHashSet::default(),
            rules: base.rules,
        };
        let own = joined.own;
        for index in 0..own.state_count() as usize {
            for call in own.call_edges_of(index) {
                match call.ret {
                    NONE => {
                        let caller = network.rule_of(base.states + index as u32);
                        this.tails[call.callee as usize].push(caller + base.rules as usize);
                    }
                    // A frame pushed when the countdown runs out holds the state that takes the head's place.
                    ret => this.returns[call.callee as usize].extend(
                        [ret, joined.state(ret).count_exit].iter().filter(|&&at| at != NONE),
                    ),
                }
            }
        }
        // The vocabulary's rules are closed, so what they can be left through is settled before their callers come.
        let mut called: Vec<usize> = (0..shared.rules.len())
            .filter(|&rule| !this.returns[rule].is_empty() || !this.tails[rule].is_empty())
            .collect();
        let mut seen: FxHashSet<usize> = called.iter().copied().collect();
        let mut order = Vec::new();
        while let Some(rule) = called.pop() {
            order.push(rule);
            for state in states_of(shared, rule) {
                for call in shared.call_edges_of(state).iter().filter(|call| call.ret == NONE) {
                    this.tails[call.callee as usize].push(rule);
                    if seen.insert(call.callee as usize) {
                        called.push(call.callee as usize);
                    }
                }
            }
        }
        order.sort_unstable();
        for rule in order {
            left_through[rule].iter().for_each(|&class| this.add_to(rule, class));
        }
        this
    }

    /// Notes that an own rule (by index) can be left through a class.
    pub(super) fn add(&mut self, rule: usize, class: u32) {
        self.add_to(rule + self.rules as usize, class);
    }

    fn add_to(&mut self, rule: usize, class: u32) {
        if class != NONE && self.known[rule].insert(class) {
            self.fresh.push((rule, class));
        }
    }

    /// The pairs that follow from what was added since the last call, each once in all.
    pub(super) fn pairs(&mut self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        while let Some((rule, class)) = self.fresh.pop() {
            let met = self.returns[rule].iter().map(|&ret| (ret, class));
            pairs.extend(met.filter(|&pair| self.met.insert(pair)));
            for index in 0..self.tails[rule].len() {
                self.add_to(self.tails[rule][index], class);
            }
        }
        pairs
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
