//! The proof that masks may ignore registers for the explored places.
//!
//! Walks of masks ignore registers: in them a far counter stays far. So a token must do the same from a far place and
//! from its exit, however close the bound is. Both are walked side by side for as many increments as a token can make.
//! And a far place must be live whatever the register: it reaches an end of the rule, or a cycle with an increment
//! whose exits are all live.
//!
//! Near-bound counters are exempt from the first check; for several of them see `conjunction`.
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

/// Walks of the whole trie that the masks of a near-bound counter may take, about.
const MOST_WALKS: usize = 16;

/// Steps of a budget that a pair takes, about.
const STEPS_A_PAIR: usize = 1 << 4;

/// Checks that masks may ignore the registers of the places. Returns for each place whether it is live. `on_entry` has
/// the most increments of a counter in a token that enters the rule.
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

/// Checks that a near-bound counter is set to more than the increments of a token. Walks that pass such a place do not
/// know the register. At the entry of the rule, only tokens that begin before the rule matter.
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

/// Checks that near-bound masks take few walks: one for each place that a first byte leads to. Places that differ in
/// counts alone mostly share one. If the graph itself counts in states, such as the letters of a label, exact counts
/// are less work.
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

/// Checks the same for one counter. Places that differ in counts alone have one number in `without_counts`.
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

/// Returns for each place whether it is live: a least fixpoint over edges and exits of increments.
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

/// Returns the exits of the increments of an arrival.
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

/// Returns the last counter whose increments lead to a place that is not live.
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

/// Whether a counter is incremented.
fn increments(changes: &Changes, counter: usize) -> bool {
    change_of(changes, counter) == Some(Change::Increment)
}

/// Checks that every far place is live whatever its register. It reaches an end without leaving any zone, or it can
/// increment for ever past live exits.
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
        // Ends within the zone, and edges that leave it other than by an increment, such as by a reset.
        let mut good = vec![false; explored.len()];
        let is_far = |place: usize| explored.place(place).is_far(counter);
        for &place in &far {
            let leaves = |(.., (to, _)): &(_, _, Arrived)| alive[*to] && !is_far(*to);
            good[place] = explored.accepting[place] || explored.edges[place].iter().any(leaves);
        }
        spread(explored, &far, &mut good);
        // The greatest set of places from which an increment leads back into the set.
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

/// Extends a set by the places with an edge into the set, until nothing changes.
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

/// Checks that no token distinguishes an exit from its far place, and that both change the near-bound counters equally.
/// Exempt are the exits of the near-bound counters themselves.
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
        // By pair, the fewest increments on a path to it: the rest decides how far it is walked.
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
                        // Outside of the zone both are equal, or one was reset.
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

/// Returns the edges of two places in pairs on the same symbols. `None` if they differ in their symbols.
fn overlaps<'e>(
    ours: &'e [(u32, u32, Arrived)],
    theirs: &'e [(u32, u32, Arrived)],
) -> Option<Vec<(&'e Arrived, &'e Arrived)>> {
    let mut pairs = Vec::with_capacity(ours.len().max(theirs.len()));
    let (mut ours, mut theirs) = (ours.iter(), theirs.iter());
    let (mut one, mut other) = (ours.next(), theirs.next());
    // The remaining parts of both edges begin with the same symbol.
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
