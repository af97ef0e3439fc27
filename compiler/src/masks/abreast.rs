//! The outcomes of derived states, many at once and on several threads.
//!
//! What many states have come to at a node of the trie is found once for all of them, so few threads share the states in
//! large groups, and the trie where there are fewer groups than threads have use for.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;

use super::compute::MaskError;
use super::depart::{Apart, Derived};
use super::draw::{Found, Sources};
use super::schedule::Walkers;
use super::walk::Walker;
use crate::ir::ByteSet;
use crate::network::follow::Follow;

/// States that run over the trie together: the more of them there are, the less each costs.
const ABREAST: usize = 256;

/// Parts of the work for each thread, so that the results of some are taken while others are worked on.
const PARTS: usize = 2;

/// Finds the outcomes of derived states, all of which have rows, and has them taken in order; where there are several
/// threads, drawn from `sources`.
pub(super) fn outcomes<'a>(
    walkers: &Walkers<'a, impl Fn() -> Walker<'a> + Sync>,
    derived: &[&Derived<'_>],
    sources: &Sources<'_>,
    (trie, follow): (Trie<'_>, &Follow<'_>),
    mut take: impl FnMut(&Derived<'_>, &Found) -> Result<(), MaskError>,
) -> Result<(), MaskError> {
    let groups: Vec<&[&Derived<'_>]> = derived.chunks(ABREAST).collect();
    let threads = rayon::current_num_threads();
    let parts = if threads > 1 { PARTS * threads } else { 1 };
    let over = |(apart, derived): (Apart, &&Derived<'_>)| apart.over(derived, follow, trie).into();
    let draw = |walker: &mut Walker<'a>, found: &mut Found| walker.draw(sources, found);
    if groups.is_empty() || groups.len() >= parts {
        let all = 1..trie.len() as u32;
        let find = |walker: &mut Walker<'a>, group: &&[&Derived<'_>]| -> Vec<Found> {
            walker.apart(group, all.clone()).into_iter().zip(*group).map(over).collect()
        };
        let ahead = |walker: &mut Walker<'a>, found: &mut Vec<Found>| {
            found.iter_mut().for_each(|found| draw(walker, found))
        };
        return walkers.in_order(&groups, find, ahead, |group, found| {
            group.iter().zip(found).try_for_each(|(derived, found)| take(derived, found))
        });
    }
    let items = groups.iter().enumerate().flat_map(|(at, group)| {
        let ranges = ranges(trie, parts.div_ceil(groups.len()), first_bytes(group, follow));
        ranges.into_iter().map(move |nodes| (at, nodes))
    });
    let items: Vec<(usize, Range<u32>)> = items.collect();
    let find = |walker: &mut Walker<'a>, (at, nodes): &(usize, Range<u32>)| {
        walker.apart(groups[*at], nodes.clone())
    };
    let mut apart = vec![Apart::default(); derived.len()];
    walkers.in_order(
        &items,
        find,
        |_, _| (),
        |&(at, _), more| {
            let group = apart[at * ABREAST..].iter_mut();
            group.zip(more).for_each(|(apart, more)| apart.append(more));
            Ok(())
        },
    )?;
    let lanes: Vec<(Apart, &&Derived<'_>)> = apart.into_iter().zip(derived).collect();
    let find = |_: &mut Walker<'a>, (apart, derived): &(Apart, &&Derived<'_>)| {
        over((apart.clone(), derived))
    };
    walkers.in_order(&lanes, find, draw, |(_, derived), found| take(derived, found))
}

/// Bytes with which some of these states or their models go on.
fn first_bytes(derived: &[&Derived<'_>], follow: &Follow<'_>) -> ByteSet {
    let states = derived.iter().flat_map(|one| [one.state, one.model]);
    states.fold(ByteSet::EMPTY, |bytes, state| bytes.union(follow.first(state).0))
}

/// The nodes of a trie but for its root, in order, in some `count` ranges of whole subtrees. Of the nodes below these
/// first bytes, which are those that anything is done at, there are about as many in each.
pub(super) fn ranges(trie: Trie<'_>, count: usize, first: ByteSet) -> Vec<Range<u32>> {
    let end = trie.len() as u32;
    let size = |child: u32| match first.contains(trie.byte[child as usize]) {
        true => trie.end[child as usize] - child,
        false => 0,
    };
    let all: u32 = trie.children(0).map(size).sum();
    let least = (all as usize).div_ceil(count.max(1)) as u32;
    let mut ranges = Vec::with_capacity(count);
    let (mut from, mut nodes) = (1, 0);
    for child in trie.children(0) {
        nodes += size(child);
        if nodes >= least.max(1) {
            let next = trie.end[child as usize];
            ranges.push(from..next);
            (from, nodes) = (next, 0);
        }
    }
    match ranges.last_mut() {
        Some(last) if nodes == 0 => last.end = end,
        _ => ranges.push(from..end),
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::super::shared::vocabulary;
    use super::*;

    #[test]
    fn ranges_are_whole_subtrees_and_all_of_the_trie() {
        let vocabulary = vocabulary(5);
        let trie = vocabulary.trie();
        let letters = ByteSet::range(b'a', b'u');
        let cases = [1, 2, 3, 8, 1000].map(|count| [(count, ByteSet::FULL), (count, letters)]);
        for (count, first) in cases.into_iter().flatten() {
            let ranges = ranges(trie, count, first);
            let on_first =
                trie.children(0).filter(|&child| first.contains(trie.byte[child as usize]));
            assert!(ranges.len() <= count.min(on_first.count()), "{ranges:?}");
            let all: Vec<u32> = ranges.iter().cloned().flatten().collect();
            assert!(all.into_iter().eq(1..trie.len() as u32), "{ranges:?}");
            let is_child = |node| trie.children(0).any(|child| child == node);
            assert!(ranges.iter().all(|range| is_child(range.start)), "{ranges:?}");
        }
    }
}
