//! What can come after a rule: its return states, tail calls followed, and the bytes they go on with.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Joined;

use crate::ir::ByteSet;

/// Facts about returns, for every rule and state of the joined numbering.
pub struct Follow<'a> {
    network: Joined<'a>,
    /// States that each rule may return to, by rule id.
    returns: Vec<BTreeSet<u32>>,
    /// Rule of each state.
    rule_of: Vec<u32>,
    /// Bytes that may come after each rule, by rule id.
    bytes: Vec<ByteSet>,
}

impl<'a> Follow<'a> {
    /// The facts of a network. After the rules `open`, which others may call later, anything may come. O(states, edges
    /// and returns, times the depth of the calls).
    pub fn new(network: Joined<'a>, open: &[u32]) -> Self {
        let rules = network.shared.rules.len() + network.own.rules.len();
        let states = network.own.bases.states + network.own.state_count();
        let mut rule_of = vec![0; states as usize];
        let mut returns = vec![BTreeSet::new(); rules];
        let mut tails: Vec<Vec<u32>> = vec![Vec::new(); rules];
        for id in 0..rules as u32 {
            let rule = network.rule(id);
            for state in rule.first_state..rule.first_state + rule.state_count {
                rule_of[state as usize] = id;
                let (tables, index) = network.locate(state);
                for call in tables.call_edges_of(index) {
                    match call.ret {
                        NONE => tails[id as usize].push(call.callee),
                        ret => {
                            let exit = network.state(ret).count_exit;
                            let rets = [ret, exit].into_iter().filter(|&ret| ret != NONE);
                            returns[call.callee as usize].extend(rets);
                        }
                    }
                }
            }
        }
        let mut this = Self { network, returns, rule_of, bytes: vec![ByteSet::EMPTY; rules] };
        open.iter().for_each(|&rule| this.bytes[rule as usize] = ByteSet::FULL);
        this.spread_returns(&tails);
        this.spread_bytes(&tails);
        this
    }

    fn spread_returns(&mut self, tails: &[Vec<u32>]) {
        let mut work: Vec<u32> = (0..tails.len() as u32).collect();
        while let Some(rule) = work.pop() {
            for &callee in &tails[rule as usize] {
                let more = self.returns[rule as usize].clone();
                let known = &mut self.returns[callee as usize];
                let before = known.len();
                known.extend(more);
                if known.len() > before {
                    work.push(callee);
                }
            }
        }
    }

    fn spread_bytes(&mut self, tails: &[Vec<u32>]) {
        let firsts: Vec<ByteSet> =
            (0..self.rule_of.len() as u32).map(|state| self.first(state).0).collect();
        loop {
            let mut changed = false;
            for (rule, tails) in tails.iter().enumerate() {
                let mut set = self.bytes[rule];
                for &ret in &self.returns[rule] {
                    set = set.union(firsts[ret as usize]);
                    if self.is_final(ret) {
                        set = set.union(self.bytes[self.rule_of(ret) as usize]);
                    }
                }
                changed |= std::mem::replace(&mut self.bytes[rule], set) != set;
                for &callee in tails {
                    let wider = self.bytes[callee as usize].union(set);
                    let before = std::mem::replace(&mut self.bytes[callee as usize], wider);
                    changed |= before != wider;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The network.
    pub fn network(&self) -> Joined<'a> {
        self.network
    }

    /// Rule of a state.
    pub fn rule_of(&self, state: u32) -> u32 {
        self.rule_of[state as usize]
    }

    /// States that a rule may return to.
    pub fn returns(&self, rule: u32) -> &BTreeSet<u32> {
        &self.returns[rule as usize]
    }

    /// Bytes that may come after a rule.
    pub fn bytes(&self, rule: u32) -> ByteSet {
        self.bytes[rule as usize]
    }

    /// Whether a state's rule may return there.
    pub fn is_final(&self, state: u32) -> bool {
        self.network.state(state).flags & state_flags::FINAL != 0
    }

    /// Bytes with which a state goes on within its rule, and whether two of its ways share one.
    pub fn first(&self, state: u32) -> (ByteSet, bool) {
        let (tables, index) = self.network.locate(state);
        let mut set = ByteSet::EMPTY;
        for edge in tables.byte_edges_of(index) {
            set = set.union(ByteSet::range(edge.lo(), edge.hi()));
        }
        let mut shared = false;
        for call in tables.call_edges_of(index) {
            let words = self.network.rule(call.callee).first_bytes;
            let more = ByteSet::from_words(words);
            shared |= !set.intersect(more).is_empty();
            set = set.union(more);
        }
        (set, shared)
    }
}
