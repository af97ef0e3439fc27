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

use super::follow::Follow;

/// Sets explored before giving up.
const MOST_SETS: usize = 4_000;
/// Configurations of a set before giving up.
const MOST_CONFIGURATIONS: usize = 64;
/// Return states put below a set before giving up.
const MOST_CONTEXT: usize = 6;
/// Moves tried before giving up.
const MOST_MOVES: usize = 50_000;

/// A configuration over an unknown stack; the top frame is the last.
type Configuration = (u32, Vec<u32>);

/// The most configurations alive at once, or a state at which no bound was found.
pub fn most_configurations(network: Joined<'_>) -> Result<u32, u32> {
    let follow = Follow::new(network, &[]);
    let states = network.own.bases.states + network.own.state_count();
    if network.own.token_edges.is_empty() && is_deterministic(&follow, states) {
        return Ok(1);
    }
    Exploration::new(follow).run()
}

fn is_deterministic(follow: &Follow<'_>, states: u32) -> bool {
    (0..states).all(|state| {
        let (first, shared) = follow.first(state);
        let after = follow.bytes(follow.rule_of(state));
        !shared && (!follow.is_final(state) || first.intersect(after).is_empty())
    })
}

struct Exploration<'a> {
    follow: Follow<'a>,
    /// One byte of each class that the network's edges tell apart.
    bytes: Vec<u8>,
    seen: BTreeSet<Vec<Configuration>>,
    work: Vec<Vec<Configuration>>,
    most: usize,
    moves: usize,
}

impl<'a> Exploration<'a> {
    fn new(follow: Follow<'a>) -> Self {
        let mut cuts = [false; 257];
        cuts[0] = true;
        for tables in [follow.network().shared, follow.network().own] {
            for edge in tables.byte_edges {
                cuts[usize::from(edge.lo())] = true;
                cuts[usize::from(edge.hi()) + 1] = true;
            }
        }
        let bytes = (0..=255u8).filter(|&byte| cuts[usize::from(byte)]).collect();
        Self { follow, bytes, seen: BTreeSet::new(), work: Vec::new(), most: 1, moves: 0 }
    }

    fn run(mut self) -> Result<u32, u32> {
        let own = self.follow.network().own;
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
        self.moves += 1;
        if self.moves > MOST_MOVES {
            return Err(set[0].0);
        }
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
            let network = self.follow.network();
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
            if self.follow.is_final(state) {
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
        let returns = self.follow.returns(self.follow.rule_of(state)).clone();
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
            let network = self.follow.network();
            let (tables, index) = network.locate(*state);
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
        let absorbing = self.follow.network().state(ret).flags & state_flags::ABSORBING != 0;
        if !(absorbing && stack.last() == Some(&ret)) {
            stack.push(ret);
        }
    }

    /// The configuration after immediate returns; `None` where it returns into the unknown.
    fn settle(&self, mut state: u32, mut stack: Vec<u32>) -> Option<Configuration> {
        while self.follow.network().state(state).flags & state_flags::POP_ONLY != 0 {
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
