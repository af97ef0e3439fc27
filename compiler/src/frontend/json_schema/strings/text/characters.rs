//! The automaton of a language as one over characters.

use rustc_hash::FxHashMap;

use crate::automata::Dfa;

/// Ranges of scalar values, ascending and apart.
pub(super) type Ranges = Vec<(char, char)>;

/// Steps over whole characters.
pub(super) struct Characters<'a> {
    dfa: &'a Dfa,
    /// By state inside a character: what its continuation bytes spell, as offsets, and where they lead.
    inside: FxHashMap<u32, Vec<(u32, u32, u32)>>,
}

impl<'a> Characters<'a> {
    pub(super) fn new(dfa: &'a Dfa) -> Self {
        Self { dfa, inside: FxHashMap::default() }
    }

    /// Where a state between characters leads: targets in order of their lowest character, each with its characters.
    pub(super) fn moves(&mut self, state: u32) -> Vec<(u32, Ranges)> {
        let mut runs: Vec<(u32, u32, u32)> = Vec::new();
        for edge in &self.dfa.states[state as usize].edges {
            if edge.hi < 0x80 {
                push(&mut runs, (edge.lo, edge.hi, edge.target));
                continue;
            }
            let (bits, mask) = match edge.lo {
                0..0xe0 => (6, 0x1f),
                0xe0..0xf0 => (12, 0x0f),
                _ => (18, 0x07),
            };
            self.extend(&mut runs, (edge.lo & mask, edge.hi & mask), bits, edge.target);
        }
        let mut moves: Vec<(u32, Ranges)> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for (lo, hi, target) in runs {
            let place = *places.entry(target).or_insert(moves.len());
            if place == moves.len() {
                moves.push((target, Vec::new()));
            }
            // The automaton accepts UTF-8 alone, which spells no surrogates.
            moves[place].1.extend(char::from_u32(lo).zip(char::from_u32(hi)));
        }
        moves
    }

    /// Adds what a range of bytes spells with the `bits` that follow it.
    fn extend(
        &mut self,
        runs: &mut Vec<(u32, u32, u32)>,
        (lo, hi): (u32, u32),
        bits: u32,
        target: u32,
    ) {
        let rests = self.rests(target, bits);
        if let [(0, last, end)] = *rests
            && last + 1 == 1 << bits
        {
            push(runs, (lo << bits, (hi << bits) + last, end));
            return;
        }
        let rests = rests.to_vec();
        for byte in lo..=hi {
            for &(from, to, end) in &rests {
                push(runs, ((byte << bits) + from, (byte << bits) + to, end));
            }
        }
    }

    /// What a state inside a character, with so many bits to come, spells.
    fn rests(&mut self, state: u32, bits: u32) -> &[(u32, u32, u32)] {
        if !self.inside.contains_key(&state) {
            let mut runs = Vec::new();
            let dfa = self.dfa;
            for edge in &dfa.states[state as usize].edges {
                let range = (edge.lo & 0x3f, edge.hi & 0x3f);
                if bits == 6 {
                    push(&mut runs, (range.0, range.1, edge.target));
                } else {
                    self.extend(&mut runs, range, bits - 6, edge.target);
                }
            }
            self.inside.insert(state, runs);
        }
        &self.inside[&state]
    }
}

/// Adds a run above all others, as part of the last one where it continues that. Surrogates are nothing between two.
fn push(runs: &mut Vec<(u32, u32, u32)>, (lo, hi, target): (u32, u32, u32)) {
    match runs.last_mut() {
        Some(last)
            if last.2 == target && (last.1 + 1 == lo || (last.1, lo) == (0xd7ff, 0xe000)) =>
        {
            last.1 = hi;
        }
        _ => runs.push((lo, hi, target)),
    }
}
