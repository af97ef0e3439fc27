//! Whether the counts of one text stay aligned: a subset construction on positions with relative counts.
//!
//! A text may have several paths at once, each with its own counts. The network keeps counts in a register if the
//! counts of all paths are fixed distances apart. In `(?:\S+\s+){0,49}\S+` the last word may be another iteration of
//! the group or the word after it, so the counts differ by one. In `(?:a+){9,50}` each `a` may begin another
//! iteration or not, so the counts diverge. If a counter has no minimum, as in `(?:a+){0,50}`, the path with the
//! lower count simulates the other path to the same position. The other path is dropped.
//!
//! Cost: O(sets of positions times their transitions and ranges of characters), at most [`MOST_WORK`].

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::counted::CountedPattern;
use grammarc_grammar::graph::minimal;
use grammarc_grammar::ir::Step;

/// Most positions of one text.
const MOST_MEMBERS: usize = 8;
/// Most sets of positions.
const MOST_SETS: usize = 1 << 10;

/// Most visited arrivals, times the characters at which classes begin and end.
const MOST_WORK: usize = 1 << 21;

/// By counter, the distance below the highest count.
type Distances = SmallVec<[i64; 4]>;

/// Positions of one text, each with its relative counts.
type Set = Vec<(Option<u32>, Distances)>;

/// Whether all counts of a text that depend on its path are fixed distances apart.
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

/// A target position of a set, with its counts.
#[derive(PartialEq, Eq)]
struct Arrival {
    place: u32,
    counts: SmallVec<[Count; 4]>,
}

/// The count of a counter.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Count {
    /// Whether the counter was reset.
    is_new: bool,
    /// The count, absolute if new, else relative to the highest.
    value: i64,
}

/// Returns the successor sets for one more character. `None` if counts diverge, or if the work limit is exceeded.
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

/// The counters whose minimum is checked on some transition, as a bit set.
fn checked(pattern: &CountedPattern) -> u32 {
    let steps = pattern.ways.iter().flat_map(|way| &way.steps);
    steps.fold(0, |all, step| match *step {
        Step::Check(counter) => all | 1 << counter,
        Step::Reset(_) | Step::Increment(_) => all,
    })
}

/// Whether the first arrival simulates the second: same position, counts that are no higher, and equal counts for
/// `checked` counters.
fn goes_on_for(checked: u32, one: &Arrival, other: &Arrival) -> bool {
    let holds = |(at, (one, other)): (usize, (&Count, &Count))| {
        let is_checked = checked >> at & 1 != 0;
        let is_lower = one.value == other.value || !is_checked && one.value < other.value;
        one.is_new == other.is_new && is_lower
    };
    one.place == other.place && one.counts.iter().zip(&other.counts).enumerate().all(holds)
}

/// Merges arrivals into one set. `None` if there are too many arrivals, a counter is both reset and kept, or two
/// increments coincide.
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
