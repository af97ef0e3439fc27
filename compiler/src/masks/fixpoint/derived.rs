//! The outcomes of derived states, many at once and on several threads.
//!
//! Outcomes at a node of the trie are found once for all states that reach the same configuration there, so few threads
//! share the states, in large groups. Some groups take ten times as long as others: a thread without work helps
//! with one, and takes half of the nodes that are left of it, from the end.

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

/// States that run over the trie together: the more of them there are, the less each costs.
const ABREAST: usize = 256;

/// Parts of the trie that a thread can help with.
const PARTS: usize = 32;

/// The most groups for each thread for which all threads together assemble the outcomes of one group.
const MANY: usize = 2;

/// Computes the outcomes of derived states, all of which have rows, and takes them in order. With several threads,
/// `encoder` encodes them on the thread that found them.
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

/// States that go together, and the nodes of the trie, which threads share.
struct Group<'a> {
    derived: &'a [&'a Derivation<'a>],
    /// Nodes, in order: the same for all groups.
    parts: &'a [Range<u32>],
    /// The parts that no thread has begun with.
    rest: WorkRange,
    /// Results of others: the first node of each range, and the differences of the states from their references there.
    found: Mutex<Vec<(u32, Vec<Difference>)>>,
    /// How many others look for a range or are at one.
    helping: AtomicUsize,
}

impl Item for Group<'_> {
    fn state(&self) -> u32 {
        self.derived[0].state
    }
}

impl<'a> Group<'a> {
    fn new(derived: &'a [&'a Derivation<'a>], parts: &'a [Range<u32>]) -> Self {
        let rest = WorkRange::new(0..parts.len());
        Self { derived, parts, rest, found: Mutex::default(), helping: AtomicUsize::new(0) }
    }

    /// The differences of the states from their references, at all nodes.
    fn apart(&self, worker: &mut Worker<'_>) -> Vec<Difference> {
        let mut next = || Some(self.parts[self.rest.next()?].clone());
        let mut apart = worker.walker.apart(self.derived, &mut next);
        // A helping thread took its range before there were no more.
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

    /// Finds it at half of the nodes that are left; says whether there were any.
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

    /// Half of the nodes that no thread has begun with, from the end.
    fn last_half(&self) -> Option<Range<u32>> {
        let half = &self.parts[self.rest.last_half()?];
        Some(half.first()?.start..half.last()?.end)
    }
}

/// The nodes of a trie but for its root, in order, in some `count` ranges of about the same size.
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
