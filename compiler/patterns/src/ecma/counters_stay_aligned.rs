//! Decides whether all counts of one text stay a fixed distance apart, by a subset construction on positions with
//! relative counts.
//!
//! A text may have several paths through a counted pattern at once, each with its own counts. The network keeps counts
//! in one register if the counts of all paths are fixed distances apart. In `(?:\S+\s+){0,49}\S+` the last word may be
//! another iteration of the group or the word after the group, so the counts differ by one. In `(?:a+){9,50}` each `a`
//! may begin another iteration or not, so the counts diverge.
//!
//! If a counter has no minimum, as in `(?:a+){0,50}`, a path with a lower count simulates another path at the same
//! position. The other path is dropped.
//!
//! Cost: O(sets of positions · their transitions · ranges of characters), at most [`MOST_WORK`].

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::counted::CountedPattern;
use grammarc_grammar::graph::minimal;
use grammarc_grammar::ir::Step;

/// Most positions that the paths of one text may reach at once. With more, the counts are assumed to diverge.
const MOST_MEMBERS: usize = 8;
/// Most sets of positions that are visited in the subset construction. Beyond that, the counts are assumed to diverge.
const MOST_SETS: usize = 1 << 10;

/// Most work: the target positions visited, times the characters at which their classes begin and end. Beyond that, the
/// counts are assumed to diverge.
const MOST_WORK: usize = 1 << 21;

/// For each counter, its distance from the highest count of the set of positions: 0 or negative.
type Distances = SmallVec<[i64; 4]>;

/// The positions that the paths of one text have reached, each with its counts relative to the highest count in the
/// set. A position of `None` is the start of the text.
type Set = Vec<(Option<u32>, Distances)>;

/// Whether the counts of all paths of a text are always fixed distances apart. False also if a limit is exceeded.
pub(super) fn stay_aligned(pattern: &CountedPattern) -> bool {
    let start: Set = vec![(None, pattern.counters.iter().map(|_| 0).collect())];
    let mut seen: FxHashSet<Set> = FxHashSet::default();
    let mut open = vec![start];
    let checked = checked(pattern);
    let mut left = MOST_WORK;
    while let Some(set) = open.pop() {
        if !seen.insert(set.clone()) {
            continue;
        }
        let Some(next) = onward(pattern, checked, &set, &mut left) else { return false };
        open.extend(next);
        if seen.len() > MOST_SETS {
            return false;
        }
    }
    true
}

/// The target position of a transition, with the counts after the transition.
#[derive(PartialEq, Eq)]
struct Arrival {
    place: u32,
    counts: SmallVec<[Count; 4]>,
}

/// The value of a counter after a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Count {
    /// Whether the counter was reset on the transition.
    is_new: bool,
    /// The count: absolute after a reset, and otherwise relative to the highest count of the set.
    value: i64,
}

/// Returns the sets of positions that a text may have after one more character, given those that it has now: one set
/// for each class of characters. `None` if the counts diverge or the work in `left` is used up.
fn onward(pattern: &CountedPattern, checked: u32, set: &Set, left: &mut usize) -> Option<Vec<Set>> {
    let mut arrivals: Vec<Arrival> = Vec::new();
    for (place, counts) in set {
        for way in pattern.ways.iter().filter(|way| way.from == *place) {
            let Some(to) = way.to else { continue };
            let mut counts: SmallVec<[Count; 4]> =
                counts.iter().map(|&value| Count { is_new: false, value }).collect();
            for step in &way.steps {
                match *step {
                    Step::Reset(counter) => {
                        counts[usize::from(counter)] = Count { is_new: true, value: 0 };
                    }
                    Step::Increment(counter) => counts[usize::from(counter)].value += 1,
                    Step::Check(_) => {}
                }
            }
            let arrival = Arrival { place: to, counts };
            if !arrivals.contains(&arrival) {
                arrivals.push(arrival);
            }
        }
    }
    let mut bounds: Vec<u32> = Vec::new();
    for arrival in &arrivals {
        for range in pattern.places[arrival.place as usize].class.iter() {
            bounds.extend([u32::from(range.start()), u32::from(range.end()) + 1]);
        }
    }
    bounds.sort_unstable();
    bounds.dedup();
    *left = left.checked_sub(bounds.len() * arrivals.len() + set.len() * pattern.ways.len())?;
    let holds = |place: u32, character: u32| {
        let ranges = pattern.places[place as usize].class.ranges();
        let at = ranges.partition_point(|range| u32::from(range.end()) < character);
        ranges.get(at).is_some_and(|range| u32::from(range.start()) <= character)
    };
    let mut sets: Vec<Set> = Vec::new();
    for character in bounds {
        let members = arrivals.iter().filter(|arrival| holds(arrival.place, character));
        let members = minimal(members.collect(), |one, other| goes_on_for(checked, one, other));
        if members.is_empty() {
            continue;
        }
        let set = merged(pattern, &members)?;
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    Some(sets)
}

/// Returns the counters whose minimum is checked on some transition, as a bit set: bit `i` is counter `i`.
fn checked(pattern: &CountedPattern) -> u32 {
    let steps = pattern.ways.iter().flat_map(|way| &way.steps);
    steps.fold(0, |all, step| match *step {
        Step::Check(counter) => all | 1 << counter,
        Step::Reset(_) | Step::Increment(_) => all,
    })
}

/// Whether the position with counts `one` accepts every rest of the text that `other` accepts. That holds if both are
/// the same position and no count of `one` is higher. The counters in the bit set `checked`, which have a minimum, must
/// be equal.
fn goes_on_for(checked: u32, one: &Arrival, other: &Arrival) -> bool {
    let holds = |(at, (one, other)): (usize, (&Count, &Count))| {
        let is_checked = checked >> at & 1 != 0;
        let is_lower = one.value == other.value || !is_checked && one.value < other.value;
        one.is_new == other.is_new && is_lower
    };
    one.place == other.place && one.counts.iter().zip(&other.counts).enumerate().all(holds)
}

/// Merges the target positions that one text reaches into one set, with counts relative to the highest. `None` if there
/// are more than [`MOST_MEMBERS`] positions. Also `None` if a counter is reset on some paths and kept on others, or if
/// a count would rise by more than one.
fn merged(pattern: &CountedPattern, members: &[&Arrival]) -> Option<Set> {
    if members.len() > MOST_MEMBERS {
        return None;
    }
    let mut set: Set = members.iter().map(|at| (Some(at.place), Distances::new())).collect();
    for counter in 0..pattern.counters.len() {
        let is_within = |place: u32| pattern.places[place as usize].within >> counter & 1 != 0;
        let within = || members.iter().filter(|at| is_within(at.place));
        let counts = || within().map(|at| at.counts[counter]);
        let highest = counts().map(|count| count.value).max().unwrap_or(0);
        let all_new = counts().all(|count| count.is_new);
        if !all_new && (counts().any(|count| count.is_new) || highest > 1) {
            return None;
        }
        for (member, at) in set.iter_mut().zip(members) {
            let is_within = is_within(at.place);
            let distance = if is_within { at.counts[counter].value - highest } else { 0 };
            member.1.push(distance);
        }
    }
    set.sort_unstable();
    set.dedup();
    Some(set)
}
