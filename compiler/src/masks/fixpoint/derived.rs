//! The outcomes of derived states, many at once and on several threads. A derived state's outcome is the outcome of
//! another state, its reference, with differences.
//!
//! Outcomes at a node of the trie are found once for all states of a group that reach the same configuration. So the
//! groups are large, and each is the work of one thread. Some groups take ten times as long as others. A thread without
//! work helps with a group and takes half of the group's remaining trie nodes, from the end.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use grammarc_artifacts::sections::vocabulary::Trie;

use super::inputs::Inputs;
use super::schedule::{AtWork, Item, Workers, locked};
use super::work_range::WorkRange;
use super::worker::Worker;
use crate::masks::derive::batch::{Derivation, Difference, once};
use crate::masks::encode::encoder::{Computed, Encoder};
use crate::masks::limits::MaskError;

/// The number of derived states in a group, which run over the trie together. In a larger group each state costs less,
/// and the product automaton of the states takes more memory.
const ABREAST: usize = 256;

/// The number of ranges into which the trie nodes are split if there are several threads. A helping thread takes whole
/// ranges.
const PARTS: usize = 32;

/// The least number of groups for each thread at which each thread assembles the outcomes (tokens and exits) of its own
/// groups. With fewer groups, all outcomes are assembled by all threads together at the end.
const MANY: usize = 2;

/// Computes the outcomes (tokens and exits) of derived states, all of which have rows of the transition table, and
/// passes them to `take` in order. With several threads, the thread that finds an outcome also encodes it.
///
/// # Errors
///
/// [`MaskError`] if the budget is spent or `take` fails.
pub(crate) fn outcomes<'a>(
    walkers: &Workers<'a, impl Fn() -> Worker<'a> + Sync>,
    derived: &[&Derivation<'_>],
    encoder: &Encoder<'_>,
    inputs: Inputs<'_>,
    mut take: impl FnMut(&Derivation<'_>, &Computed) -> Result<(), MaskError>,
) -> Result<(), MaskError> {
    let Inputs { trie, follow, .. } = inputs;
    let threads = walkers.threads();
    let parts = ranges(trie, if threads > 1 { PARTS } else { 1 });
    let groups = derived.chunks(ABREAST).map(|derived| Group::new(derived, &parts));
    let groups: Vec<Group<'_>> = groups.collect();
    let over = |(apart, derived): (&Difference, &&Derivation<'_>)| {
        Computed::from(apart.over(derived, follow, trie))
    };
    let help = |worker: &mut Worker<'a>| groups.iter().any(|group| group.help(worker));
    if threads > 1 && groups.len() < MANY * threads {
        let mut all: Vec<Difference> = Vec::with_capacity(derived.len());
        let find = |worker: &mut Worker<'a>, group: &Group<'_>| group.apart(worker);
        walkers.in_order_with(
            &groups,
            find,
            help,
            |_, _| (),
            |_, apart| {
                all.append(apart);
                Ok(())
            },
        )?;
        let members: Vec<(&Difference, &&Derivation<'_>)> = all.iter().zip(derived).collect();
        let find = |_: &mut Worker<'a>, &member: &(&Difference, &&Derivation<'_>)| over(member);
        let encode = |worker: &mut Worker<'a>, found: &mut Computed| worker.encode(encoder, found);
        return walkers
            .in_order(&members, find, encode, |(_, derived), found| take(derived, found));
    }
    let find = |worker: &mut Worker<'a>, group: &Group<'_>| -> Vec<Computed> {
        group.apart(worker).iter().zip(group.derived).map(over).collect()
    };
    let ahead = |worker: &mut Worker<'a>, found: &mut Vec<Computed>| {
        found.iter_mut().for_each(|found| worker.encode(encoder, found))
    };
    walkers.in_order_with(&groups, find, help, ahead, |group, found| {
        group.derived.iter().zip(found).try_for_each(|(derived, found)| take(derived, found))
    })
}

impl Item for (&Difference, &&Derivation<'_>) {
    fn state(&self) -> u32 {
        self.1.state
    }
}

/// Derived states that run over the trie together, and the trie nodes to visit. Threads share these nodes in ranges.
struct Group<'a> {
    /// The states of the group, with their references (sources of their masks).
    derived: &'a [&'a Derivation<'a>],
    /// Ascending ranges of the trie nodes to visit, the same for all groups.
    parts: &'a [Range<u32>],
    /// The indexes in `parts` of the ranges of trie nodes that no thread has begun.
    rest: WorkRange,
    /// The results of helping threads. An entry has the first trie node of a range. For each state of the group, it has
    /// the difference from its reference (source of its mask) in that range.
    found: Mutex<Vec<(u32, Vec<Difference>)>>,
    /// The number of helping threads that look for a range of trie nodes or work on one.
    helping: AtomicUsize,
}

impl Item for Group<'_> {
    fn state(&self) -> u32 {
        self.derived[0].state
    }
}

impl<'a> Group<'a> {
    /// Returns a group of derived states. No range of trie nodes is begun yet.
    fn new(derived: &'a [&'a Derivation<'a>], parts: &'a [Range<u32>]) -> Self {
        let rest = WorkRange::new(0..parts.len());
        Self { derived, parts, rest, found: Mutex::default(), helping: AtomicUsize::new(0) }
    }

    /// Returns, for each state of this group of derived states, the difference of its outcome from that of its
    /// reference (source of its mask). The differences cover all trie nodes. Waits for helping threads.
    fn apart(&self, worker: &mut Worker<'_>) -> Vec<Difference> {
        let mut next = || Some(self.parts[self.rest.next()?].clone());
        let mut apart = worker.walker.apart(self.derived, &mut next);
        // A helping thread may still work on a range that it took before the parts ran out.
        while self.helping.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        let mut found = std::mem::take(&mut *locked(&self.found));
        found.sort_unstable_by_key(|&(first, _)| first);
        for (_, more) in found {
            apart.iter_mut().zip(&more).for_each(|(apart, more)| apart.append(more));
        }
        apart
    }

    /// Works on half of the group's trie nodes that no thread has begun. Returns false if there were none.
    fn help(&self, worker: &mut Worker<'_>) -> bool {
        if self.rest.len() == 0 {
            return false;
        }
        let _here = AtWork::new(&self.helping);
        let Some(nodes) = self.last_half() else { return false };
        let first = nodes.start;
        let apart = worker.walker.apart(self.derived, &mut once(Some(nodes)));
        locked(&self.found).push((first, apart));
        true
    }

    /// Takes half of the group's trie nodes that no thread has begun, from the end. `None` if there are none.
    fn last_half(&self) -> Option<Range<u32>> {
        let half = &self.parts[self.rest.last_half()?];
        Some(half.first()?.start..half.last()?.end)
    }
}

/// Splits all nodes of a trie except the root into at most `count` ascending ranges of about the same size.
pub(crate) fn ranges(trie: Trie<'_>, count: usize) -> Vec<Range<u32>> {
    let end = trie.len() as u32;
    let size = trie.len().div_ceil(count).max(1);
    (1..end).step_by(size).map(|from| from..end.min(from + size as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::masks::shared::facts::vocabulary;

    #[test]
    fn whoever_takes_them_all_nodes_are_taken_once() {
        let vocabulary = vocabulary(5);
        let trie = vocabulary.trie();
        for (parts, helps) in [(1, 1), (2, 1), (7, 2), (32, 1), (32, 3), (1 << 20, 1)] {
            let ranges = ranges(trie, parts);
            let group = Group::new(&[], &ranges);
            let mut taken: Vec<Range<u32>> = Vec::new();
            loop {
                let next = group.rest.next();
                taken.extend(next.map(|at| group.parts[at].clone()));
                taken.extend((0..helps).filter_map(|_| group.last_half()));
                if next.is_none() {
                    break;
                }
            }
            assert!(group.parts.len() <= parts, "{parts} parts");
            taken.sort_unstable_by_key(|nodes| nodes.start);
            let all = taken.into_iter().flatten();
            assert!(all.eq(1..trie.len() as u32), "{parts} parts, {helps} helping");
        }
    }
}
