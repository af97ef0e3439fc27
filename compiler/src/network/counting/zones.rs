//! The zones of far counts, and the fields of the register that hold them.

use std::cmp::Reverse;

use super::super::rule::Field;
use super::machine::Machine;
use crate::ir::Counter;

/// The fewest counts of a far zone: for a single counter, and for one of several, whose exact counts multiply.
const WORTH: [u32; 2] = [8, 2];

/// Bits of a register.
const BITS: u32 = 32;

/// A range of counts that are far from all bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zone {
    /// The lowest.
    pub(super) lo: u32,
    /// The highest.
    pub(super) hi: u32,
}

/// The far zones of the counters of a graph.
pub(super) struct Zones {
    /// By counter, its zones.
    of: Vec<Vec<Zone>>,
    /// By counter, its field, if it has a zone.
    fields: Vec<Option<Field>>,
    /// By counter, the most increments left for which a count is near a bound.
    margins: Vec<u32>,
    /// The near-bound counters: tokens may distinguish their far counts, and masks depend on them.
    near_bound: Vec<usize>,
}

impl Zones {
    /// Returns the zones of a machine. Each stays as far from a bound as the increments of a token, of a shortest path
    /// to the end, and `more` by counter; for near-bound counters the increments of a token do not count. `None` if no
    /// counter has a zone, or no near-bound counter has one.
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
            // A zone of a near-bound counter that a path enters later is longer than the increments of a token.
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

    /// Returns the near-bound counters.
    pub(super) fn near_bound(&self) -> &[usize] {
        &self.near_bound
    }

    /// Returns the most increments left for which a count of a counter is near a bound.
    pub(super) fn margin(&self, counter: usize) -> u32 {
        self.margins[counter]
    }

    /// Returns the zone of a counter by its number.
    pub(super) fn zone(&self, counter: usize, number: u8) -> Zone {
        self.of[counter][usize::from(number)]
    }

    /// Returns the number of the zone of a counter that contains all counts from `lo` to `hi`.
    pub(super) fn holding(&self, counter: usize, lo: u32, hi: u32) -> Option<u8> {
        let holds = |zone: &Zone| zone.lo <= lo && hi <= zone.hi;
        self.of[counter].iter().position(holds).map(|number| number as u8)
    }

    /// Whether the counters that are far in one place have different fields.
    pub(super) fn are_apart(&self, is_far: impl Fn(usize) -> bool) -> bool {
        let far = (0..self.fields.len()).filter(|&counter| is_far(counter));
        let mut taken = 0_u32;
        far.filter_map(|counter| self.fields[counter]).all(|field| {
            let before = taken;
            taken |= 1 << field.shift;
            taken != before
        })
    }

    /// Returns the field of a counter that has a zone.
    pub(super) fn field(&self, counter: usize) -> Option<Field> {
        self.fields[counter]
    }
}

/// Returns the field of each counter. The counters with the longest zones come first. Zones that do not fit into the
/// register are removed, so their counts are unrolled. If all do not fit, counters that are live in no common state
/// share a field, if `is_sharing`.
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
    // The counters of each field, the widest first.
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
    // Fields as wide as there is room do not depend on the bounds, so graphs that differ in their bounds alone have one
    // rule.
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
