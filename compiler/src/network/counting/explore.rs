//! Subset construction on the states of a machine together with the counts of their counters.
//!
//! A *place* is a set of states of the machine, each with its counts. A count is *far* if no token
//! can reach a bound from there. For a far counter, the place holds distances below the highest
//! count. The highest count itself is in the register. So places that differ only in the register
//! are one place. Other counts are exact. A symbol leads from a place to a place and updates the
//! register: a counter is incremented by one, or is set when it becomes far.
//!
//! The count of a counter that is not live is stored as 0. A count that can reach no bound is
//! stored as the counter's minimum.
//!
//! Cost: O(edges of the states of all places).

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::machine::Machine;
use super::refused::Refused;
use super::zones::{Zone, Zones};
use crate::automata::{StateBudget, Symbol};
use crate::graph::minimal;
use crate::ir::Step;

/// For each counter, its exact count, or, for a far counter, its distance below the highest count
/// of the place (set of states with counts).
pub(super) type Counts = SmallVec<[u32; 2]>;

/// For each counter, the number of the far zone (counts far from all bounds) that contains its
/// count. `None` if the count is exact.
pub(super) type Far = SmallVec<[Option<u8>; 2]>;

/// The most members (states with their counts) of a place. Counts that diverge without bound would
/// add members for ever. Beyond the limit, the graph is unrolled.
const MOST_MEMBERS: usize = 64;

/// Steps of a budget that the successors of one member of a place (set of states with counts) cost,
/// about.
const STEPS_A_MEMBER: usize = 1 << 4;

/// A set of states of the machine, each with its counts. For a far counter, the counts are
/// distances below the highest count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// For each counter, the number of its far zone (counts far from all bounds), or `None` if its
    /// counts are exact.
    far: Far,
    /// The states with their counts, in ascending order. For a far counter, a count is a distance
    /// below the highest count.
    members: Vec<(u32, Counts)>,
}

impl Place {
    /// Returns the states of the machine in this place, in ascending order, each once.
    pub(super) fn states(&self) -> Vec<u32> {
        let mut states: Vec<u32> = self.members.iter().map(|(state, _)| *state).collect();
        states.dedup();
        states
    }

    /// Returns a sort key. Places that differ only in counts become neighbours, those with lower
    /// counts first.
    pub(super) fn by_counts(&self) -> (Vec<u32>, Far, Vec<Counts>) {
        let states = self.members.iter().map(|(state, _)| *state);
        let counts = self.members.iter().map(|(_, counts)| counts.clone());
        (states.collect(), self.far.clone(), counts.collect())
    }

    /// Whether the count of a counter is far in this place (set of states with counts), and
    /// therefore in the register.
    pub(super) fn is_far(&self, counter: usize) -> bool {
        self.far[counter].is_some()
    }
}

/// The effect that an arrival at a place (set of states with counts) has on the register field of
/// one counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// The counter's register field is decremented. If the field becomes zero, the activation (call in progress)
    /// continues at the exit of the place.
    Increment,
    /// The counter's register field is set to this number of increments. The last of these increments leaves the far
    /// zone (counts far from all bounds).
    Set(u32),
}

/// Pairs of a counter and the change of its register field, in ascending order of counters.
pub(super) type Changes = SmallVec<[(u8, Change); 2]>;

/// Returns the change of a counter's register field. Returns `None` if the field stays as it is.
pub(super) fn change_of(changes: &Changes, counter: usize) -> Option<Change> {
    let change = changes.iter().find(|(of, _)| usize::from(*of) == counter);
    change.map(|&(_, change)| change)
}

/// The number of a place (set of states with counts), and the changes of the register that the
/// arrival there makes.
pub(super) type Arrived = (usize, Changes);

/// All reachable places (sets of states with counts) with their transitions.
pub(super) struct Explored {
    /// The places (sets of states with counts), numbered in the order in which they were found.
    places: IndexMap<Place, (), FxBuildHasher>,
    /// For each place (set of states with counts), its edges on bytes and labels: first symbol,
    /// last symbol (inclusive), arrival. The edges are sorted and disjoint.
    pub(super) edges: Vec<Vec<(Symbol, Symbol, Arrived)>>,
    /// For each place (set of states with counts), whether a string may end there.
    pub(super) accepting: Vec<bool>,
    /// For each place (set of states with counts) and each counter, the exit if the counter is far:
    /// the place that replaces this one when no increments are left.
    pub(super) exits: Vec<SmallVec<[Option<usize>; 2]>>,
    /// The initial place (set of states with counts), and the changes with which a call of the rule
    /// begins.
    pub(super) start: Arrived,
}

impl Explored {
    /// Returns the number of places (sets of states with counts).
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns a place (set of states with counts) by its number.
    pub(super) fn place(&self, number: usize) -> &Place {
        self.places.get_index(number).expect("it was numbered").0
    }
}

/// A count while a list of steps is applied. `is_distance` holds for a counter that was far before
/// and has not been reset since. Then `value` is the difference from the highest count before the
/// symbol, negative below it. Otherwise `value` is the exact count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Count {
    is_distance: bool,
    value: i64,
}

/// A state of the machine with its counts, one for each counter, while a list of steps is applied.
type Member = (u32, SmallVec<[Count; 2]>);

/// Finds all places (sets of states with counts) that are reachable from the initial state with all
/// counts 0.
///
/// # Errors
///
/// [`Refused::Unrolled`] if the counts of some place diverge. [`Refused::Limit`] if there are more
/// places than allowed states, or the budget is spent.
pub(super) fn explore(
    machine: &Machine,
    zones: &Zones,
    allowed: StateBudget<'_>,
) -> Result<Explored, Refused> {
    let explorer = Explorer { machine, zones };
    let nowhere: Far = machine.counters.iter().map(|_| None).collect();
    let zero = machine.counters.iter().map(|_| Count { is_distance: false, value: 0 }).collect();
    let (place, changes) = explorer.closed(&nowhere, vec![(0, zero)])?.ok_or(Refused::Unrolled)?;
    let mut places: IndexMap<Place, (), FxBuildHasher> = IndexMap::default();
    places.insert(place, ());
    let mut explored = Explored {
        places,
        edges: Vec::new(),
        accepting: Vec::new(),
        exits: Vec::new(),
        start: (0, changes),
    };
    let mut at = 0;
    while at < explored.places.len() {
        let place = explored.place(at).clone();
        if allowed.spend(STEPS_A_MEMBER * place.members.len()).is_err()
            || explored.places.len() > allowed.states
        {
            return Err(Refused::Limit);
        }
        let accepts = |(state, _): &(u32, Counts)| machine.states[*state as usize].accepting;
        explored.accepting.push(place.members.iter().any(accepts));
        let mut edges = Vec::new();
        for (lo, hi, members) in explorer.onward(&place) {
            if let Some((place, changes)) = explorer.closed(&place.far, members)? {
                let number = explored.places.insert_full(place, ()).0;
                edges.push((lo, hi, (number, changes)));
            }
        }
        explored.edges.push(edges);
        let exits = (0..machine.counters.len()).map(|counter| {
            let exit = explorer.exit(&place, counter)?;
            Some(explored.places.insert_full(exit, ()).0)
        });
        let exits = exits.collect();
        explored.exits.push(exits);
        at += 1;
    }
    Ok(explored)
}

/// The machine and the far zones (counts far from all bounds) that the exploration works with.
struct Explorer<'a> {
    machine: &'a Machine,
    zones: &'a Zones,
}

impl Explorer<'_> {
    /// Returns the transitions of a place before any steps are taken: first symbol, last symbol
    /// (inclusive), target states with their counts.
    fn onward(&self, place: &Place) -> Vec<(Symbol, Symbol, Vec<Member>)> {
        let of = |state: u32| &self.machine.states[state as usize].edges;
        let mut bounds: Vec<Symbol> = Vec::new();
        for (state, _) in &place.members {
            bounds.extend(of(*state).iter().flat_map(|edge| [edge.lo, edge.hi + 1]));
        }
        bounds.sort_unstable();
        bounds.dedup();
        let mut found: Vec<(Symbol, Symbol, Vec<Member>)> = Vec::new();
        for pair in bounds.windows(2) {
            let (lo, hi) = (pair[0], pair[1] - 1);
            let members = place.members.iter().filter_map(|(state, counts)| {
                let edges = of(*state);
                let edge = edges.get(edges.partition_point(|edge| edge.hi < lo))?;
                let counts = counts.iter().zip(&place.far).map(|(&count, far)| match far {
                    Some(_) => Count { is_distance: true, value: -i64::from(count) },
                    None => Count { is_distance: false, value: i64::from(count) },
                });
                (edge.lo <= lo).then(|| (edge.target, counts.collect()))
            });
            let members: Vec<Member> = members.collect();
            match found.last_mut() {
                _ if members.is_empty() => {}
                Some((_, last, same)) if *last + 1 == lo && *same == members => *last = hi,
                _ => found.push((lo, hi, members)),
            }
        }
        found
    }

    /// Computes the epsilon closure of some members under steps, and removes members that another
    /// member subsumes. Returns the resulting place (set of states with counts) with the changes of
    /// the register, or `None` if no member is left. `before` holds, for each counter, the number
    /// of its zone in the previous place.
    fn closed(
        &self,
        before: &Far,
        mut members: Vec<Member>,
    ) -> Result<Option<(Place, Changes)>, Refused> {
        let mut at = 0;
        while let Some((state, counts)) = members.get(at).cloned() {
            at += 1;
            for &(list, to) in &self.machine.states[state as usize].steps {
                let after = self.taken(before, list, counts.clone());
                let new = after.map(|counts| (to, counts));
                let new: Option<Member> = new.filter(|new| !members.contains(new));
                members.extend(new);
            }
            if members.len() > MOST_MEMBERS {
                return Err(Refused::Unrolled);
            }
        }
        // A member whose state has only steps is redundant: the targets of the steps are members.
        members.retain(|(state, _)| {
            let state = &self.machine.states[*state as usize];
            state.accepting || !state.edges.is_empty()
        });
        if members.is_empty() {
            return Ok(None);
        }
        let members = self.lowest(members);
        let mut place = Place { far: Far::new(), members: Vec::new() };
        place.members.extend(members.iter().map(|(state, _)| (*state, Counts::new())));
        let mut changes = Changes::new();
        for counter in 0..self.machine.counters.len() {
            let counts = members.iter().map(|(state, counts)| (*state, counts[counter]));
            let counts: Vec<(u32, Count)> = counts.collect();
            let (far, change) = self.resolved(counter, before[counter], &counts, &mut place)?;
            place.far.push(far);
            changes.extend(change.map(|change| (counter as u8, change)));
        }
        place.members.sort_unstable();
        place.members.dedup();
        Ok(Some((place, changes)))
    }

    /// Returns the members that no other member subsumes. A member subsumes another of the same
    /// state if its live counts are not higher. Counts of counters whose minimum is checked have to
    /// be equal. O(members²).
    fn lowest(&self, members: Vec<Member>) -> Vec<Member> {
        let subsumes = |(state, counts): &Member, (other_state, others): &Member| {
            let live = self.machine.states[*state as usize].live;
            let holds = |(at, (one, other)): (usize, (&Count, &Count))| {
                let is_free = live >> at & 1 == 0;
                let is_checked = self.machine.checked >> at & 1 != 0;
                let is_lower = match is_checked {
                    true => one.value == other.value,
                    false => one.value <= other.value,
                };
                is_free || one.is_distance == other.is_distance && is_lower
            };
            state == other_state && counts.iter().zip(others).enumerate().all(holds)
        };
        minimal(members, subsumes)
    }

    /// Returns the counts after the list of steps at index `list`. Returns `None` if a check of a
    /// minimum fails or a maximum is exceeded.
    fn taken(
        &self,
        before: &Far,
        list: usize,
        mut counts: SmallVec<[Count; 2]>,
    ) -> Option<SmallVec<[Count; 2]>> {
        for step in &self.machine.lists[list] {
            let counter = usize::from(step.counter());
            let bounds = self.machine.counters[counter];
            let count = &mut counts[counter];
            let far = before[counter].filter(|_| count.is_distance);
            match step {
                Step::Reset(_) => *count = Count { is_distance: false, value: 0 },
                Step::Increment(_) if far.is_some() => count.value += 1,
                Step::Increment(_) => {
                    if bounds.max.is_some_and(|max| count.value >= i64::from(max)) {
                        return None;
                    }
                    let incremented = u32::try_from(count.value + 1).ok()?;
                    count.value = i64::from(bounds.saturated(incremented));
                }
                Step::Check(_) => {
                    let least = match far {
                        // All counts of a far zone are on one side of the minimum.
                        Some(zone) => i64::from(self.zones.zone(counter, zone).lo),
                        None => count.value,
                    };
                    if least < i64::from(bounds.min) {
                        return None;
                    }
                }
            }
        }
        Some(counts)
    }

    /// Decides whether a counter is far in a new place (set of states with counts). `counts` holds
    /// each member's state and its count of this counter. Appends the final count or distance to
    /// each member of `place`. Returns the number of the far zone (counts far from all bounds), if
    /// the counter is far, and the change of its register field.
    ///
    /// # Errors
    ///
    /// [`Refused::Unrolled`] if exact counts and distances mix, or one arrival increments the
    /// highest count twice.
    fn resolved(
        &self,
        counter: usize,
        before: Option<u8>,
        counts: &[(u32, Count)],
        place: &mut Place,
    ) -> Result<(Option<u8>, Option<Change>), Refused> {
        let live = |state: u32| self.machine.states[state as usize].live >> counter & 1 != 0;
        let alive = || counts.iter().filter(|(state, _)| live(*state)).map(|(_, count)| *count);
        let Some(highest) = alive().map(|count| count.value).max() else {
            place.members.iter_mut().for_each(|member| member.1.push(0));
            return Ok((None, None));
        };
        let is_distance = alive().all(|count| count.is_distance);
        if !is_distance && alive().any(|count| count.is_distance) {
            return Err(Refused::Unrolled);
        }
        let below = |state: u32, count: Count, highest: i64| match live(state) {
            true => u32::try_from(highest - count.value).map_err(|_| Refused::Unrolled),
            false => Ok(0),
        };
        if is_distance {
            let increments = highest.max(0);
            if let Some(zone) = before.map(|zone| self.zones.zone(counter, zone))
                && counts.iter().all(|&(state, count)| {
                    !live(state) || self.is_free(counter, state, zone, count.value)
                })
            {
                let min = self.machine.counters[counter].min;
                for (member, &(state, _)) in place.members.iter_mut().zip(counts) {
                    member.1.push(if live(state) { min } else { 0 });
                }
                return Ok((None, None));
            }
            for (member, &(state, count)) in place.members.iter_mut().zip(counts) {
                member.1.push(below(state, count, increments)?);
            }
            return match increments {
                0 => Ok((before, None)),
                1 => Ok((before, Some(Change::Increment))),
                _ => Err(Refused::Unrolled),
            };
        }
        let free = |state: u32, count: Count| self.without_bounds(counter, state, count.value);
        let values: Vec<u32> = counts
            .iter()
            .map(|&(state, count)| match live(state) {
                true => free(state, count),
                false => 0,
            })
            .collect();
        let alive = || counts.iter().zip(&values).filter(|((state, _), _)| live(*state));
        let (lo, hi) =
            alive().fold((u32::MAX, 0), |(lo, hi), (_, &value)| (lo.min(value), hi.max(value)));
        let are_free = counts.iter().all(|&(state, count)| {
            let at = Zone { lo: 0, hi: 0 };
            !live(state) || self.is_free(counter, state, at, count.value)
        });
        let zone = self.zones.holding(counter, lo, hi).filter(|_| !are_free);
        for ((member, &(state, _)), &value) in place.members.iter_mut().zip(counts).zip(&values) {
            member.1.push(match zone {
                Some(_) if live(state) => hi - value,
                Some(_) => 0,
                None => value,
            });
        }
        let left = zone.map(|zone| self.zones.zone(counter, zone).hi + 1 - hi);
        Ok((zone, left.map(Change::Set)))
    }

    /// Whether no bound of a counter is reachable from a state. The count may be any count of
    /// `zone` plus `above`, which may be negative.
    fn is_free(&self, counter: usize, state: u32, zone: Zone, above: i64) -> bool {
        let bounds = self.machine.counters[counter];
        let most = self.machine.states[state as usize].most_increments[counter];
        let is_below = match (bounds.max, most) {
            (None, _) => true,
            (Some(max), Some(most)) => {
                i64::from(zone.hi) + above + i64::from(most) <= i64::from(max)
            }
            (Some(_), None) => false,
        };
        i64::from(zone.lo) + above >= i64::from(bounds.min) && is_below
    }

    /// Returns the representative of a count in a state: the counter's minimum if no bound is
    /// reachable, otherwise the count itself.
    fn without_bounds(&self, counter: usize, state: u32, count: i64) -> u32 {
        match self.is_free(counter, state, Zone { lo: 0, hi: 0 }, count) {
            true => self.machine.counters[counter].min,
            false => u32::try_from(count).unwrap_or(u32::MAX),
        }
    }

    /// Returns the exit of a place (set of states with counts) for a counter: the place with exact
    /// counts after the last increment of the far zone. Returns `None` if the counter is not far.
    fn exit(&self, place: &Place, counter: usize) -> Option<Place> {
        let Zone { hi, .. } = self.zones.zone(counter, place.far[counter]?);
        let mut exit = place.clone();
        exit.far[counter] = None;
        for (state, counts) in &mut exit.members {
            let live = self.machine.states[*state as usize].live >> counter & 1 != 0;
            let count = i64::from(hi + 1) - i64::from(counts[counter]);
            counts[counter] = if live { self.without_bounds(counter, *state, count) } else { 0 };
        }
        exit.members.sort_unstable();
        exit.members.dedup();
        Some(exit)
    }
}
