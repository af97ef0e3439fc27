//! Configurations over an unknown stack, of which it is known which are surely equal.
//!
//! What a register holds is not known, but where it comes from: each has a *source*, which is the value that it had in
//! the set that the exploration began with, or the call that its activation began with, and what was taken from it
//! since. Registers of one source that lost the same are equal; any others are taken to differ, which can only count
//! configurations that are one as two. Where they are written down, sources have the numbers in which they are met, and
//! what all registers of a source lost is left out, so that a set that differs from another in nothing else is equal to
//! it.
//!
//! Cost: O(n log n) comparisons of stacks for a set of n.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Register {
    /// There is none, or it is zero.
    None,
    /// A countdown, and how often it was lowered.
    Count { source: u32, lowered: u32 },
    /// Marks to come, and those of them that were met.
    Marks { source: u32, met: u32 },
    /// The items of a distinct rule.
    Items { source: u32 },
}

impl Register {
    fn source(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Count { source, .. } | Self::Marks { source, .. } | Self::Items { source } => {
                Some(source)
            }
        }
    }
}

/// One way to read what was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Configuration {
    pub(super) state: u32,
    /// Return states and their registers; the top frame is the last.
    pub(super) stack: Vec<(u32, Register)>,
    pub(super) register: Register,
}

impl Configuration {
    /// The order of states and stacks, whatever the registers.
    fn shape(&self, other: &Self) -> Ordering {
        let returns = |at: &Self| at.stack.len();
        let states = self.stack.iter().zip(&other.stack).map(|(a, b)| a.0.cmp(&b.0));
        let different = || states.clone().find(|order| order.is_ne());
        let stacks = returns(self).cmp(&returns(other)).then_with(|| match different() {
            Some(order) => order,
            None => Ordering::Equal,
        });
        self.state.cmp(&other.state).then(stacks)
    }

    fn registers(&mut self) -> impl Iterator<Item = &mut Register> {
        self.stack.iter_mut().map(|(_, register)| register).chain([&mut self.register])
    }
}

/// A set over one more return state with its register.
pub(super) fn over(below: (u32, Register), set: &[Configuration]) -> Vec<Configuration> {
    let over = |at: &Configuration| {
        let stack = [&[below][..], &at.stack].concat();
        Configuration { stack, ..at.clone() }
    };
    set.iter().map(over).collect()
}

/// Leaves each configuration of a set once, in order. Of those that differ in the countdown of a monotone rule alone,
/// which `is_monotone` tells by a state of it, one stays, whose countdown is `other`: the larger one.
pub(super) fn leave_each_once(
    set: &mut Vec<Configuration>,
    is_monotone: impl Fn(u32) -> bool,
    mut other: impl FnMut() -> u32,
) {
    set.sort_unstable();
    set.dedup();
    set.dedup_by(|next, kept| {
        let alike = next.state == kept.state && next.stack == kept.stack;
        let merged = alike && is_monotone(next.state);
        if merged {
            kept.register = Register::Count { source: other(), lowered: 0 };
        }
        merged
    });
}

/// Cuts a set down to what its members do not share, and writes it down in the one way.
pub(super) fn normalize(set: &mut [Configuration]) {
    let Some((first, _)) = set.split_first() else { return };
    let shared = set.iter().fold(first.stack.len(), |shared, at| {
        at.stack.iter().zip(&first.stack).take_while(|(a, b)| a == b).count().min(shared)
    });
    set.iter_mut().for_each(|at| drop(at.stack.drain(..shared)));
    if set.iter_mut().flat_map(Configuration::registers).all(|at| *at == Register::None) {
        return;
    }
    set.sort_unstable_by(|a, b| a.shape(b).then_with(|| a.cmp(b)));
    // By source, its number, and what all of its registers lost.
    let mut sources: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
    for register in set.iter_mut().flat_map(Configuration::registers) {
        let number = sources.len() as u32;
        let Some(source) = register.source() else { continue };
        let (_, lost) = sources.entry(source).or_insert((number, u32::MAX));
        match *register {
            Register::Count { lowered, .. } => *lost = lowered.min(*lost),
            Register::Marks { met, .. } => *lost &= met,
            Register::Items { .. } | Register::None => {}
        }
    }
    for register in set.iter_mut().flat_map(Configuration::registers) {
        let known = register.source().and_then(|source| sources.get(&source));
        let Some(&(number, lost)) = known else { continue };
        match register {
            Register::Count { source, lowered } => {
                (*source, *lowered) = (number, *lowered - lost);
            }
            Register::Marks { source, met } => (*source, *met) = (number, *met & !lost),
            Register::Items { source } => *source = number,
            Register::None => {}
        }
    }
    set.sort_unstable();
}
