//! Which counts are far from all bounds, and where they stand in the register.

use super::super::rule::Field;
use super::machine::Machine;
use crate::ir::Counter;

/// Counts that a far zone must save.
const WORTH: u32 = 8;

/// Bits of a register.
const BITS: u32 = 32;

/// Counts in a row that are far from all bounds.
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
    /// By counter, its field, where it has a zone.
    fields: Vec<Option<Field>>,
    /// By counter, the most ticks that a bound is taken to be near for.
    margins: Vec<u32>,
}

impl Zones {
    /// The zones of a machine, which by counter keep `more` ticks further from a bound than a token and a shortest way to the end
    /// take. `None` where there is none, or where the counts do not fit a register.
    pub(super) fn new(machine: &Machine, more: &[u32]) -> Option<Self> {
        let bounded = machine.counters.iter().filter(|counter| counter.max.is_some()).count();
        let (mut of, mut fields, mut margins) = (Vec::new(), Vec::new(), Vec::new());
        let mut shift = 0;
        for (number, &Counter { min, max }) in machine.counters.iter().enumerate() {
            let room = machine.ticks_a_token[number] + machine.ticks_to_end[number] + more[number];
            margins.push(room);
            let others_end = bounded > usize::from(max.is_some());
            let below = min.checked_sub(room + 1).filter(|_| !others_end);
            let below = below.map(|hi| Zone { lo: 0, hi });
            let between =
                max.and_then(|max| Some(Zone { lo: min, hi: max.checked_sub(room + 1)? }));
            let is_worth = |zone: &Zone| zone.hi >= zone.lo.saturating_add(WORTH);
            let zones: Vec<Zone> = below.into_iter().chain(between).filter(is_worth).collect();
            let longest = zones.iter().map(|zone| zone.hi - zone.lo + 1).max();
            let width = longest.map(|longest| BITS - longest.leading_zeros());
            fields.push(width.map(|width| {
                let field = Field { shift: shift as u8, width: width as u8 };
                shift += width;
                field
            }));
            of.push(zones);
            if width.is_some_and(|width| width >= BITS) || shift > BITS {
                return None;
            }
        }
        (shift > 0).then_some(Self { of, fields, margins })
    }

    /// The most ticks that a bound of a counter is taken to be near for.
    pub(super) fn margin(&self, counter: usize) -> u32 {
        self.margins[counter]
    }

    /// The zone of a counter, by number.
    pub(super) fn zone(&self, counter: usize, number: u8) -> Zone {
        self.of[counter][usize::from(number)]
    }

    /// The number of the zone of a counter that holds all counts from `lo` to `hi`.
    pub(super) fn holding(&self, counter: usize, lo: u32, hi: u32) -> Option<u8> {
        let holds = |zone: &Zone| zone.lo <= lo && hi <= zone.hi;
        self.of[counter].iter().position(holds).map(|number| number as u8)
    }

    /// The field of a counter that has a zone.
    pub(super) fn field(&self, counter: usize) -> Option<Field> {
        self.fields[counter]
    }
}
