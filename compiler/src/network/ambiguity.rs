//! The most configurations that a parse position can hold: part of the printed bound on the work of a step.
//!
//! Nearly every grammar is settled by the first test: if the ways on from each state begin with different bytes, and a
//! final state's ways on differ from those of all that may follow its rule, there is one configuration, always. This is
//! the LL(1) condition on automata.
//!
//! Otherwise the sets of configurations that can occur are explored, each cut down to what its members do not share:
//! a common lower part of their stacks changes nothing. A set that can leave its rule is tried over every return state
//! that its rule may return to. Where the sets stay small and few, the largest is the bound; where they outgrow the
//! budget, the number grows with the input, or is not known, and is reported as unbounded with the rule that does it.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::Joined;

use crate::ir::ByteSet;

/// Sets explored before giving up.
const MOST_SETS: usize = 4_000;
/// Configurations of a set before giving up.
const MOST_CONFIGURATIONS: usize = 64;
/// Return states put below a set before giving up.
const MOST_CONTEXT: usize = 4;

/// A configuration over an unknown stack; the top frame is the last.
type Configuration = (u32, Vec<u32>);

/// The most configurations alive at once, or a state at which no bound was found.
pub fn most_configurations(network: Joined<'_>) -> Result<u32, u32> {
    let facts = Facts::new(network);
    if network.own.token_edges.is_empty() && facts.is_deterministic() {
        return Ok(1);
    }
    Exploration::new(facts).run()
}

struct Facts<'a> {
    network: Joined<'a>,
    /// States that each rule may return to, tail calls followed, by rule id.
    returns: Vec<BTreeSet<u32>>,
    rule_of: Vec<u32>,
}

impl<'a> Facts<'a> {
    fn new(network: Joined<'a>) -> Self {
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
                            returns[call.callee as usize].insert(ret);
                        }
                    }
                }
            }
        }
        let mut work: Vec<u32> = (0..rules as u32).collect();
        while let Some(rule) = work.pop() {
            for &callee in &tails[rule as usize] {
                let before = returns[callee as usize].len();
                let more = returns[rule as usize].clone();
                returns[callee as usize].extend(more);
                if returns[callee as usize].len() > before {
                    work.push(callee);
                }
            }
        }
        Self { network, returns, rule_of }
    }

    fn is_final(&self, state: u32) -> bool {
        self.network.state(state).flags & state_flags::FINAL != 0
    }

    fn first_of_rule(&self, rule: u32) -> ByteSet {
        let words = self.network.rule(rule).first_bytes;
        (0..=255u8).filter(|&b| words[usize::from(b) / 32] >> (b % 32) & 1 == 1).collect()
    }

    /// Bytes with which a state goes on within its rule, and whether two of its ways share one.
    fn first(&self, state: u32) -> (ByteSet, bool) {
        let (tables, index) = self.network.locate(state);
        let mut set = ByteSet::EMPTY;
        for edge in tables.byte_edges_of(index) {
            set = set.union(ByteSet::range(edge.lo(), edge.hi()));
        }
        let mut shared = false;
        for call in tables.call_edges_of(index) {
            let more = self.first_of_rule(call.callee);
            shared |= !set.intersect(more).is_empty();
            set = set.union(more);
        }
        (set, shared)
    }

    fn is_deterministic(&self) -> bool {
        let firsts: Vec<(ByteSet, bool)> =
            (0..self.rule_of.len() as u32).map(|state| self.first(state)).collect();
        if firsts.iter().any(|(_, shared)| *shared) {
            return false;
        }
        // What may follow each rule, as a least fixpoint up the calls.
        let mut follow = vec![ByteSet::EMPTY; self.returns.len()];
        loop {
            let mut changed = false;
            for (rule, returns) in self.returns.iter().enumerate() {
                let mut set = follow[rule];
                for &ret in returns {
                    set = set.union(firsts[ret as usize].0);
                    if self.is_final(ret) {
                        set = set.union(follow[self.rule_of[ret as usize] as usize]);
                    }
                }
                changed |= std::mem::replace(&mut follow[rule], set) != set;
            }
            if !changed {
                break;
            }
        }
        firsts.iter().enumerate().all(|(state, (first, _))| {
            let after = follow[self.rule_of[state] as usize];
            !self.is_final(state as u32) || first.intersect(after).is_empty()
        })
    }
}

struct Exploration<'a> {
    facts: Facts<'a>,
    /// One byte of each class that the network's edges tell apart.
    bytes: Vec<u8>,
    seen: BTreeSet<Vec<Configuration>>,
    work: Vec<Vec<Configuration>>,
    most: usize,
}

impl<'a> Exploration<'a> {
    fn new(facts: Facts<'a>) -> Self {
        let mut cuts = [false; 257];
        cuts[0] = true;
        for tables in [facts.network.shared, facts.network.own] {
            for edge in tables.byte_edges {
                cuts[usize::from(edge.lo())] = true;
                cuts[usize::from(edge.hi()) + 1] = true;
            }
        }
        let bytes = (0..=255u8).filter(|&byte| cuts[usize::from(byte)]).collect();
        Self { facts, bytes, seen: BTreeSet::new(), work: Vec::new(), most: 1 }
    }

    fn run(mut self) -> Result<u32, u32> {
        let own = self.facts.network.own;
        for state in own.bases.states..own.bases.states + own.state_count() {
            self.meet(vec![(state, Vec::new())])?;
        }
        while let Some(set) = self.work.pop() {
            for index in 0..self.bytes.len() {
                self.step(&set, self.bytes[index], 0)?;
            }
            self.step_on_tokens(&set)?;
        }
        Ok(self.most as u32)
    }

    /// Adds the successor of a set on a byte, over every context that matters.
    fn step(&mut self, set: &[Configuration], byte: u8, context: usize) -> Result<(), u32> {
        let mut next = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = set.to_vec();
        let mut leaves = None;
        // A configuration that returned into the unknown after the byte: it matters where it is not alone.
        let mut returned = None;
        while let Some((state, mut stack)) = work.pop() {
            if !seen.insert((state, stack.clone())) {
                continue;
            }
            let network = self.facts.network;
            let (tables, index) = network.locate(state);
            for edge in tables.byte_edges_of(index) {
                if (edge.lo()..=edge.hi()).contains(&byte) {
                    let exit = network.state(edge.target).count_exit;
                    for target in [edge.target, exit].into_iter().filter(|&target| target != NONE) {
                        match self.settle(target, stack.clone()) {
                            Some(configuration) => {
                                next.insert(configuration);
                            }
                            None => returned = Some(state),
                        }
                    }
                }
            }
            for call in tables.call_edges_of(index) {
                let callee = network.rule(call.callee);
                if callee.first_bytes[usize::from(byte) / 32] >> (byte % 32) & 1 == 1 {
                    let mut stack = stack.clone();
                    if call.ret != NONE {
                        self.push(call.ret, &mut stack);
                    }
                    work.push((callee.first_state, stack));
                }
            }
            if self.facts.is_final(state) {
                match stack.pop() {
                    Some(ret) => work.push((ret, stack)),
                    None => leaves = Some(state),
                }
            }
        }
        let alone = next.is_empty();
        let Some(state) = leaves.or(returned.filter(|_| !alone)) else {
            return self.meet(next.into_iter().collect());
        };
        // Where the stack ends here, the ways within the rule are all there is.
        self.meet(next.into_iter().collect())?;
        if context == MOST_CONTEXT {
            return if alone { Ok(()) } else { Err(state) };
        }
        let returns = self.facts.returns[self.facts.rule_of[state as usize] as usize].clone();
        for ret in returns {
            let over: Vec<Configuration> =
                set.iter().map(|(state, stack)| (*state, [&[ret][..], stack].concat())).collect();
            self.step(&over, byte, context + 1)?;
        }
        Ok(())
    }

    /// A token edge leads to its target alone; the same token's bytes may lead elsewhere besides.
    fn step_on_tokens(&mut self, set: &[Configuration]) -> Result<(), u32> {
        for (state, stack) in set {
            let (tables, index) = self.facts.network.locate(*state);
            for edge in tables.token_edges_of(index) {
                let target = self.settle(edge.target, stack.clone());
                self.meet(target.into_iter().collect())?;
                if set.len() > 1 {
                    return Err(*state);
                }
            }
        }
        Ok(())
    }

    fn push(&self, ret: u32, stack: &mut Vec<u32>) {
        let absorbing = self.facts.network.state(ret).flags & state_flags::ABSORBING != 0;
        if !(absorbing && stack.last() == Some(&ret)) {
            stack.push(ret);
        }
    }

    /// The configuration after immediate returns; `None` where it returns into the unknown.
    fn settle(&self, mut state: u32, mut stack: Vec<u32>) -> Option<Configuration> {
        while self.facts.network.state(state).flags & state_flags::POP_ONLY != 0 {
            state = stack.pop()?;
        }
        Some((state, stack))
    }

    /// Notes a set, cut down to what its members do not share.
    fn meet(&mut self, mut set: Vec<Configuration>) -> Result<(), u32> {
        let Some((first, _)) = set.split_first() else { return Ok(()) };
        let shared = set.iter().fold(first.1.len(), |shared, (_, stack)| {
            stack.iter().zip(&first.1).take_while(|(a, b)| a == b).count().min(shared)
        });
        set.iter_mut().for_each(|(_, stack)| drop(stack.drain(..shared)));
        self.most = self.most.max(set.len());
        if set.len() > MOST_CONFIGURATIONS || self.seen.len() > MOST_SETS {
            return Err(set[0].0);
        }
        if !self.seen.contains(&set) {
            self.seen.insert(set.clone());
            self.work.push(set);
        }
        Ok(())
    }
}
