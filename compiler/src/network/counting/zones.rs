//! The far zones of the counters, and the bit fields of the register that hold far counts.

use std::cmp::Reverse;

use super::super::rule::Field;
use super::machine::Machine;
use crate::ir::Counter;

/// The least difference between the highest and the lowest count of a far zone (counts far from all
/// bounds). A shorter zone is not built, and its counts are exact. The first number applies to a
/// graph with one counter. The second applies to several counters, whose exact counts multiply.
const WORTH: [u32; 2] = [8, 2];

/// Number of bits of a register.
const BITS: u32 = 32;

/// A range of counts of one counter that are far from all bounds, both ends inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zone {
    /// The lowest count of the zone.
    pub(super) lo: u32,
    /// The highest count of the zone.
    pub(super) hi: u32,
}

/// The far zones (counts far from all bounds) of all counters of a graph, with their register
/// fields.
pub(super) struct Zones {
    /// For each counter, its far zones (counts far from all bounds) in ascending order. At most
    /// two: below the minimum, and from the minimum up to the maximum.
    of: Vec<Vec<Zone>>,
    /// For each counter, its bit field in the register. `None` if the counter has no zone.
    fields: Vec<Option<Field>>,
    /// For each counter, the margin below a bound. A count with at most this many increments left
    /// is near the bound.
    margins: Vec<u32>,
    /// The near-bound counters that have a zone: tokens may distinguish their far counts, and masks
    /// depend on them.
    near_bound: Vec<usize>,
}

impl Zones {
    /// Returns the far zones (counts far from all bounds) of a machine's counters. Each zone keeps
    /// a margin below a bound: the increments of a token, those of a shortest path to the end, and
    /// `more` of the counter. For near-bound counters (their masks depend on the count), the
    /// increments of a token are left out. `is_sharing` allows counters to share a register field.
    /// Returns `None` if no counter has a zone, or if near-bound counters are given and none of
    /// them has a zone.
    pub(super) fn new(
        machine: &Machine,
        more: &[u32],
        near_bound: &[usize],
        is_sharing: bool,
    ) -> Option<Self> {
        let (mut of, mut margins) = (Vec::new(), Vec::new());
        for (number, &Counter { min, max }) in machine.counters.iter().enumerate() {
            let is_near_bound = near_bound.contains(&number);
            let token = if is_near_bound { 0 } else { machine.increments_a_token[number] };
            let room = token + machine.increments_to_end[number] + more[number];
            margins.push(room);
            let mut others = (0..machine.counters.len()).filter(|&other| other != number);
            let below = min.checked_sub(room + 1);
            let below = below.filter(|_| !others.any(|other| machine.is_ended_by(number, other)));
            let below = below.map(|hi| Zone { lo: 0, hi });
            let between =
                max.and_then(|max| Some(Zone { lo: min, hi: max.checked_sub(room + 1)? }));
            // A zone of a near-bound counter that a path enters later has to be longer than the
            // increments of a token.
            let token = if is_near_bound { machine.increments_a_token[number] } else { 0 };
            let is_worth = |zone: &Zone| {
                let worth = WORTH[usize::from(machine.counters.len() > 1)];
                let worth = if zone.lo == 0 { worth } else { token.max(worth) };
                zone.hi >= zone.lo.saturating_add(worth)
            };
            of.push(below.into_iter().chain(between).filter(is_worth).collect::<Vec<Zone>>());
        }
        let fields = fields(machine, &mut of, is_sharing);
        let is_any = fields.iter().any(Option::is_some);
        let far = near_bound.iter().copied().filter(|&counter| fields[counter].is_some());
        let far: Vec<usize> = far.collect();
        let is_far = near_bound.is_empty() || !far.is_empty();
        (is_any && is_far).then_some(Self { of, fields, margins, near_bound: far })
    }

    /// Returns the indices of the near-bound counters that have a far zone (counts far from all
    /// bounds).
    pub(super) fn near_bound(&self) -> &[usize] {
        &self.near_bound
    }

    /// Returns the margin of a counter: a count with at most this many increments left is near a
    /// bound.
    pub(super) fn margin(&self, counter: usize) -> u32 {
        self.margins[counter]
    }

    /// Returns the zone with this number of a counter.
    pub(super) fn zone(&self, counter: usize, number: u8) -> Zone {
        self.of[counter][usize::from(number)]
    }

    /// Returns the number of the counter's zone that contains all counts from `lo` to `hi`, both
    /// inclusive. Returns `None` if there is no such zone.
    pub(super) fn holding(&self, counter: usize, lo: u32, hi: u32) -> Option<u8> {
        let holds = |zone: &Zone| zone.lo <= lo && hi <= zone.hi;
        self.of[counter].iter().position(holds).map(|number| number as u8)
    }

    /// Whether all counters for which `is_far` holds have different register fields.
    pub(super) fn are_apart(&self, is_far: impl Fn(usize) -> bool) -> bool {
        let far = (0..self.fields.len()).filter(|&counter| is_far(counter));
        let mut taken = 0_u32;
        far.filter_map(|counter| self.fields[counter]).all(|field| {
            let before = taken;
            taken |= 1 << field.shift;
            taken != before
        })
    }

    /// Returns the register field of a counter. Returns `None` if the counter has no zone.
    pub(super) fn field(&self, counter: usize) -> Option<Field> {
        self.fields[counter]
    }
}

/// Assigns a bit field of the register to each counter, the counters with the widest fields first.
/// A counter whose field does not fit loses its zones, so its counts are unrolled. If `is_sharing`
/// and not all fields fit, counters that are never live in the same state share a field.
fn fields(machine: &Machine, zones: &mut [Vec<Zone>], is_sharing: bool) -> Vec<Option<Field>> {
    let width = |zones: &[Zone]| {
        let longest = zones.iter().map(|zone| zone.hi - zone.lo + 1).max();
        longest.map_or(0, |longest| BITS - longest.leading_zeros())
    };
    let widths: Vec<u32> = zones.iter().map(|zones| width(zones)).collect();
    let is_sharing = is_sharing && widths.iter().sum::<u32>() > BITS;
    let may_share = |one: usize, other: usize| {
        let both = 1 << one | 1 << other;
        is_sharing && machine.states.iter().all(|state| state.live & both != both)
    };
    let mut order: Vec<usize> = (0..zones.len()).collect();
    order.sort_by_key(|&counter| Reverse(widths[counter]));
    // For each field, the counters that share it. The widest counter is first.
    let mut held: Vec<Vec<usize>> = Vec::new();
    let mut bits = 0;
    for counter in order {
        let width = widths[counter];
        let shared = held.iter().position(|of| of.iter().all(|&other| may_share(other, counter)));
        match shared {
            _ if width == 0 || width >= BITS => zones[counter].clear(),
            Some(shared) => held[shared].push(counter),
            None if bits + width > BITS => zones[counter].clear(),
            None => {
                held.push(vec![counter]);
                bits += width;
            }
        }
    }
    // Fields of equal width do not depend on the bounds. So graphs that differ only in their bounds
    // have one rule.
    let even = (BITS / held.len().max(1) as u32).min(BITS - 1);
    let are_even = held.iter().all(|of| widths[of[0]] <= even);
    held.sort_unstable_by_key(|of| of.iter().min().copied());
    let mut fields = vec![None; zones.len()];
    let mut shift = 0;
    for of in held {
        let width = if are_even { even } else { widths[of[0]] };
        for counter in of {
            fields[counter] = Some(Field { shift: shift as u8, width: width as u8 });
        }
        shift += width;
    }
    fields
}
