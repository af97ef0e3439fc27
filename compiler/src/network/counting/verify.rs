//! The proof that the computation of masks may ignore the register in the explored places.
//!
//! The walks that compute masks ignore registers, so a far counter stays far in them. So each token
//! must have the same effect from a far place and from its exit, however close the bound is. The
//! proof walks both places side by side for as many increments as a token can make. A far place
//! must also be live for every value of the register. Either it reaches an end of the rule, or it
//! reaches a cycle with an increment whose exits are all live.
//!
//! Near-bound counters are exempt from the first check. For several near-bound counters,
//! `conjunction` has a further check.
//!
//! Cost: O(pairs of a far place and an exact one within a token's increments, times their edges).

use grammarc_artifacts::sections::vocabulary::Trie;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::conjunction;
use super::explore::{Arrived, Change, Changes, Explored, change_of};
use super::machine::Machine;
use super::refused::Refused;
use super::zones::Zones;
use crate::automata::{StateBudget, Symbol};

/// Walks of the whole token trie that the masks of one near-bound counter (its masks depend on the
/// count) may cost, about. Beyond the limit, the counter cannot be near-bound.
const MOST_WALKS: usize = 16;

/// Steps of a budget that one pair of a far place (set of states with counts) and an exact place
/// costs, about.
const STEPS_A_PAIR: usize = 1 << 4;

/// Checks that masks may ignore the register in all places (sets of states with counts). Returns
/// for each place whether it is live. `on_entry` returns, for a counter, the most increments of a
/// token after the token enters the rule.
///
/// # Errors
///
/// The reason why masks may not ignore the register, or [`Refused::Limit`] if the budget is spent.
pub(super) fn verify(
    machine: &Machine,
    zones: &Zones,
    explored: &Explored,
    on_entry: impl Fn(usize) -> u32,
    trie: Trie<'_>,
    allowed: StateBudget<'_>,
) -> Result<Vec<bool>, Refused> {
    let alive = alive(explored);
    if !alive[explored.start.0] {
        return Err(Refused::Unrolled);
    }
    let are_apart = |place| zones.are_apart(|counter| explored.place(place).is_far(counter));
    if !(0..explored.len()).all(are_apart) {
        return Err(Refused::Shared);
    }
    check_liveness(machine, explored, &alive)?;
    check_exits(machine, zones, explored, &alive, allowed)?;
    for &near_bound in zones.near_bound() {
        check_entry(machine, near_bound, explored, &on_entry)?;
    }
    check_walks(zones.near_bound(), explored, trie)?;
    conjunction::check(zones, explored, &alive, allowed)?;
    Ok(alive)
}

/// Checks that a near-bound counter (its masks depend on the count) is always set to more
/// increments than one token can make. Walks that pass such a place (set of states with counts) do
/// not know the register. At the entry of the rule, only the increments of a token after the entry
/// count.
///
/// # Errors
///
/// [`Refused::NearBound`] if some place sets the counter too near its bound.
fn check_entry(
    machine: &Machine,
    near_bound: usize,
    explored: &Explored,
    on_entry: impl Fn(usize) -> u32,
) -> Result<(), Refused> {
    let most = machine.increments_a_token[near_bound];
    let is_near = |changes: &Changes, most: u32| matches!(change_of(changes, near_bound), Some(Change::Set(to)) if to <= most);
    let on_the_way =
        explored.edges.iter().flatten().any(|(.., (_, changes))| is_near(changes, most));
    let begins = &explored.start.1;
    if on_the_way || is_near(begins, most) && is_near(begins, on_entry(near_bound)) {
        return Err(Refused::NearBound(near_bound));
    }
    Ok(())
}

/// Checks that the masks of the near-bound counters (their masks depend on the count) take few
/// walks: one for each place (set of states with counts) that the first byte of a token leads to.
/// Places that differ only in counts mostly share one walk. If the graph itself counts with states,
/// such as the letters of a label, exact counts are less work.
///
/// # Errors
///
/// [`Refused::NearBound`] with a counter whose masks take too many walks.
fn check_walks(near_bound: &[usize], explored: &Explored, trie: Trie<'_>) -> Result<(), Refused> {
    if near_bound.is_empty() {
        return Ok(());
    }
    let mut without_counts: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
    let without_counts =
        (0..explored.len()).map(|at| without_counts.insert_full(explored.place(at).states()).0);
    let without_counts: Vec<usize> = without_counts.collect();
    for &counter in near_bound {
        check_walks_of(counter, &without_counts, explored, trie)?;
    }
    Ok(())
}

/// Checks that the masks of one near-bound counter take at most [`MOST_WALKS`] walks of the trie.
/// `without_counts` has a number for each place (set of states with counts). Places that differ
/// only in counts have equal numbers.
///
/// # Errors
///
/// [`Refused::NearBound`] if the walks are more.
fn check_walks_of(
    near_bound: usize,
    without_counts: &[usize],
    explored: &Explored,
    trie: Trie<'_>,
) -> Result<(), Refused> {
    let mut seen: FxHashSet<(u32, usize, bool)> = FxHashSet::default();
    let mut left = trie.len() * MOST_WALKS;
    for place in (0..explored.len()).filter(|&place| explored.place(place).is_far(near_bound)) {
        let mut edges = explored.edges[place].iter().peekable();
        for child in trie.children(0) {
            let byte = Symbol::from(trie.byte[child as usize]);
            while edges.next_if(|(_, hi, _)| *hi < byte).is_some() {}
            let Some((_, _, arrived)) = edges.peek().filter(|(lo, ..)| *lo <= byte) else {
                continue;
            };
            if seen.insert((child, without_counts[arrived.0], increments(&arrived.1, near_bound))) {
                let nodes = (trie.end[child as usize] - child) as usize;
                left = left.checked_sub(nodes).ok_or(Refused::NearBound(near_bound))?;
            }
        }
    }
    Ok(())
}

/// Returns for each place (set of states with counts) whether it is live, as a least fixpoint over
/// edges and over the exits of increments.
fn alive(explored: &Explored) -> Vec<bool> {
    let mut into: Vec<Vec<u32>> = vec![Vec::new(); explored.len()];
    for (from, edges) in (0..).zip(&explored.edges) {
        for (.., (to, changes)) in edges {
            into[*to].push(from);
            for exit in exits_of(explored, *to, changes) {
                into[exit].push(from);
            }
        }
    }
    let mut alive = explored.accepting.clone();
    let mut work: Vec<usize> = (0..alive.len()).filter(|&place| alive[place]).collect();
    while let Some(place) = work.pop() {
        for &from in &into[place] {
            if !std::mem::replace(&mut alive[from as usize], true) {
                work.push(from as usize);
            }
        }
    }
    alive
}

/// Returns the places (sets of states with counts) that may replace `place` after an arrival: the
/// exits of the counters that the arrival increments.
fn exits_of(explored: &Explored, place: usize, changes: &Changes) -> Vec<usize> {
    let mut found = vec![place];
    for (counter, change) in changes {
        if *change == Change::Increment {
            let more: Vec<usize> = found
                .iter()
                .filter_map(|&place| explored.exits[place][usize::from(*counter)])
                .collect();
            found.extend(more);
        }
    }
    found.split_off(1)
}

/// Returns the first counter in `changes` whose increment may lead to an exit that is not live.
/// Returns `None` if all exits are live.
fn dead_exit(
    explored: &Explored,
    alive: &[bool],
    place: usize,
    changes: &Changes,
) -> Option<usize> {
    let ends = |end: usize| exits_of(explored, place, &Changes::from_slice(&changes[..end]));
    let is_dead = |end: usize| ends(end).iter().any(|&exit| !alive[exit]);
    let end = (1..=changes.len()).find(|&end| is_dead(end))?;
    Some(usize::from(changes[end - 1].0))
}

/// Whether `changes` increment a counter.
fn increments(changes: &Changes, counter: usize) -> bool {
    change_of(changes, counter) == Some(Change::Increment)
}

/// Checks that every far place (set of states with counts) is live for every value of its register.
/// The place reaches an end without leaving the zone by an increment, or it can increment for ever
/// past live exits.
///
/// # Errors
///
/// [`Refused::Distinguished`] with a counter that has an exit that is not live, or
/// [`Refused::Unrolled`].
fn check_liveness(machine: &Machine, explored: &Explored, alive: &[bool]) -> Result<(), Refused> {
    for edges in &explored.edges {
        for (.., (to, changes)) in edges {
            if alive[*to]
                && let Some(counter) = dead_exit(explored, alive, *to, changes)
            {
                return Err(Refused::Distinguished(counter));
            }
        }
    }
    for counter in 0..machine.counters.len() {
        let far: Vec<usize> = (0..explored.len())
            .filter(|&place| alive[place] && explored.place(place).is_far(counter))
            .collect();
        if far.is_empty() {
            continue;
        }
        // Places with an end within the zone, or with an edge that leaves the zone other than by an
        // increment, such as a reset.
        let mut good = vec![false; explored.len()];
        let is_far = |place: usize| explored.place(place).is_far(counter);
        for &place in &far {
            let leaves = |(.., (to, _)): &(_, _, Arrived)| alive[*to] && !is_far(*to);
            good[place] = explored.accepting[place] || explored.edges[place].iter().any(leaves);
        }
        spread(explored, &far, &mut good);
        // The greatest set of places from which a path within the zone leads to an increment back
        // into the set.
        let mut endless: Vec<bool> =
            (0..explored.len()).map(|place| alive[place] && is_far(place)).collect();
        loop {
            let mut next = vec![false; explored.len()];
            for &place in &far {
                let goes = |(.., (to, changes)): &(_, _, Arrived)| {
                    increments(changes, counter) && endless[*to]
                };
                next[place] = explored.edges[place].iter().any(goes);
            }
            spread(explored, &far, &mut next);
            if next == endless {
                break;
            }
            endless = next;
        }
        if far.iter().any(|&place| !good[place] && !endless[place]) {
            return Err(Refused::Unrolled);
        }
    }
    Ok(())
}

/// Adds to the set `is_in` each of `places` that has an edge into the set, until nothing changes.
fn spread(explored: &Explored, places: &[usize], is_in: &mut [bool]) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &place in places.iter().rev() {
            if !is_in[place] && explored.edges[place].iter().any(|(.., (to, _))| is_in[*to]) {
                is_in[place] = true;
                changed = true;
            }
        }
    }
}

/// Checks that no token distinguishes an exit from its far place (set of states with counts), and
/// that both change the near-bound counters equally. The exits of near-bound counters are exempt.
///
/// # Errors
///
/// [`Refused::Distinguished`] with the counter, [`Refused::Unrolled`] if a smaller zone cannot
/// help, or [`Refused::Limit`] if the budget is spent.
fn check_exits(
    machine: &Machine,
    zones: &Zones,
    explored: &Explored,
    alive: &[bool],
    allowed: StateBudget<'_>,
) -> Result<(), Refused> {
    let is_near_bound = |counter: usize| zones.near_bound().contains(&counter);
    let near_bound = |changes: &Changes| -> Changes {
        let near_bound = changes.iter().filter(|(counter, _)| is_near_bound(usize::from(*counter)));
        near_bound.copied().collect()
    };
    for counter in (0..machine.counters.len()).filter(|&counter| !is_near_bound(counter)) {
        let most = machine.increments_a_token[counter];
        // Pairs of a far place and an exact place, for one number of increments. Pairs with one
        // more increment are in `next`.
        let mut layer: Vec<(usize, usize)> = Vec::new();
        for (place, exits) in explored.exits.iter().enumerate() {
            if let Some(exit) = exits[counter].filter(|_| alive[place]) {
                layer.push((place, exit));
            }
        }
        let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
        for _ in 0..most {
            let mut next = Vec::new();
            while let Some((far, near)) = layer.pop() {
                if !alive[near] && alive[far] {
                    return Err(Refused::Distinguished(counter));
                }
                if far == near || !alive[far] || !seen.insert((far, near)) {
                    continue;
                }
                if explored.accepting[far] != explored.accepting[near] {
                    return Err(Refused::Distinguished(counter));
                }
                let (ours, theirs) = (&explored.edges[far], &explored.edges[near]);
                if allowed.spend(STEPS_A_PAIR + ours.len()).is_err() {
                    return Err(Refused::Limit);
                }
                for (one, other) in overlaps(ours, theirs).ok_or(Refused::Distinguished(counter))? {
                    let is_far = explored.place(one.0).is_far(counter);
                    if alive[one.0] && near_bound(&one.1) != near_bound(&other.1) {
                        return Err(Refused::Unrolled);
                    }
                    match alive[one.0] {
                        // Outside of the zone, both places are equal, or the counter was reset in
                        // one of them.
                        _ if !is_far && one.0 == other.0 => {}
                        false if !alive[other.0] => {}
                        true if !is_far => return Err(Refused::Unrolled),
                        _ if increments(&one.1, counter) => next.push((one.0, other.0)),
                        _ => layer.push((one.0, other.0)),
                    }
                }
            }
            layer = next;
        }
    }
    Ok(())
}

/// Returns the arrivals of two places (sets of states with counts) in pairs that have a symbol in
/// common. Returns `None` if the two places have edges on different symbols.
fn overlaps<'e>(
    ours: &'e [(u32, u32, Arrived)],
    theirs: &'e [(u32, u32, Arrived)],
) -> Option<Vec<(&'e Arrived, &'e Arrived)>> {
    let mut pairs = Vec::with_capacity(ours.len().max(theirs.len()));
    let (mut ours, mut theirs) = (ours.iter(), theirs.iter());
    let (mut one, mut other) = (ours.next(), theirs.next());
    // The first symbol of the remaining parts of both edges.
    let mut next = None;
    while let (Some((lo, hi, to)), Some((from, last, at))) = (one, other) {
        let (begin, another) = (next.unwrap_or(*lo), next.unwrap_or(*from));
        if begin.max(*lo) != another.max(*from) {
            return None;
        }
        pairs.push((to, at));
        let end = *hi.min(last);
        next = Some(end + 1);
        if *hi == end {
            one = ours.next();
        }
        if *last == end {
            other = theirs.next();
        }
        if *hi == *last {
            next = None;
        }
    }
    match (one, other) {
        (None, None) => Some(pairs),
        _ => None,
    }
}
