//! Positions on the device against matchers: after every token the row and the status, and after every draft.

use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::random::Rng;

use super::cases;
use super::emulator::{Fault, build, device, rounds};
use crate::driver::DevicePointer;
use crate::layout::{Position, ROW_MASKED, Row};
use crate::resident::Said;
use crate::{Device, DeviceOptions, DeviceTokens, Resident, Slots, Status, Stream};

const STREAM: Stream = Stream::DEFAULT;
const SLOTS: u32 = 8;
const DRAFTS: u32 = 3;

/// How tokens were taken.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) taken: usize,
    refused: usize,
    finished: usize,
    pub(super) by_host: usize,
    drafts: usize,
    rollbacks: usize,
    pub(super) wrong: usize,
}

struct Walk<'d> {
    device: &'d Device,
    slots: Slots,
    resident: Resident,
    matchers: Vec<Matcher>,
    counts: Counts,
}

impl<'d> Walk<'d> {
    fn new(device: &'d Device, grammar: &Grammar) -> Self {
        let matchers: Vec<Matcher> = (0..SLOTS).map(|_| Matcher::new(grammar)).collect();
        let resident = device.upload(&matchers[0], STREAM).unwrap();
        let mut slots = device.slots(SLOTS, DRAFTS, STREAM).unwrap();
        let mut walk = Self {
            device,
            resident,
            matchers,
            counts: Counts::default(),
            slots: {
                slots.release(0, STREAM).unwrap();
                slots
            },
        };
        (0..SLOTS).for_each(|slot| walk.write(slot));
        walk
    }

    fn write(&mut self, slot: u32) {
        let matcher = &mut self.matchers[slot as usize];
        self.slots.write(slot, &self.resident, matcher, STREAM).unwrap();
    }

    fn place(&self, slot: u32, draft: u32) -> (Position, Row) {
        let (positions, rows) = self.slots.memory();
        let at = u64::from(slot * (DRAFTS + 1) + draft);
        let (mut position, mut row) =
            ([bytemuck::Zeroable::zeroed()], [bytemuck::Zeroable::zeroed()]);
        let context = self.device.context();
        context
            .download(positions.offset(at * size_of::<Position>() as u64), &mut position, STREAM)
            .unwrap();
        context.download(rows.offset(at * size_of::<Row>() as u64), &mut row, STREAM).unwrap();
        (position[0], row[0])
    }

    /// Whether a place says what the matcher does: the same masks, and the same position as far as it goes.
    fn agrees(&self, slot: u32, draft: u32, matcher: &mut Matcher) -> bool {
        let (position, row) = self.place(slot, draft);
        let same_row = match self.resident.said(matcher).unwrap() {
            Said::Parts(said) => normal(said) == normal(row),
            Said::Own(_) => return false,
        };
        let said = self.resident.position(matcher);
        let depth = said.depth as usize;
        let bits = |bits: u32| if depth == 32 { bits } else { bits & ((1 << depth) - 1) };
        let finished = said.status & 4 != 0;
        let same_position = finished
            || (said.state, said.count, said.depth)
                == (position.state, position.count, position.depth)
                && said.ret[..depth] == position.ret[..depth]
                && said.counts[..depth] == position.counts[..depth]
                && (bits(said.finals), bits(said.rests))
                    == (bits(position.finals), bits(position.rests));
        same_row && same_position && finished == (position.status & 4 != 0)
    }

    /// One token in each slot, by the device and by the matcher.
    fn step(&mut self, rng: &mut Rng) {
        let mut tokens: Vec<i32> = Vec::new();
        for matcher in &mut self.matchers {
            let skipped = rng.one_in(50);
            tokens.push(if skipped { -1 } else { cases::token(matcher, rng) as i32 });
        }
        self.slots.advance(&of(&mut tokens, 1), DevicePointer::NULL, STREAM).unwrap();
        let statuses = self.slots.statuses(STREAM).unwrap();
        for slot in 0..SLOTS {
            let token = tokens[slot as usize];
            if token >= 0 {
                self.take(slot, token as u32, statuses[slot as usize]);
            }
        }
    }

    /// The matcher takes a token that the device took, and the two are compared.
    fn take(&mut self, slot: u32, token: u32, status: Status) {
        let mut matcher = std::mem::replace(
            &mut self.matchers[slot as usize],
            Matcher::new(self.resident.grammar()),
        );
        let accepted = matcher.accept(token).is_ok();
        if status.waits_for_host() {
            self.counts.by_host += 1;
        } else {
            let right = status.is_refused() != accepted && self.agrees(slot, 0, &mut matcher);
            self.counts.wrong += usize::from(!right);
            self.counts.taken += usize::from(accepted);
            self.counts.refused += usize::from(!accepted);
        }
        let finished = matcher.is_finished();
        self.counts.finished += usize::from(finished);
        self.matchers[slot as usize] =
            if finished { Matcher::new(self.resident.grammar()) } else { matcher };
        if finished || status.waits_for_host() {
            self.write(slot);
        }
    }

    /// Drafts in each slot, some of them accepted, and a token after those.
    fn speculate(&mut self, rng: &mut Rng) {
        let drafts = DRAFTS as usize;
        let mut tokens = Vec::new();
        for matcher in &self.matchers {
            let mut ahead = matcher.clone();
            for _ in 0..drafts {
                let token = cases::token(&mut ahead, rng);
                _ = ahead.accept(token);
                tokens.push(token as i32);
            }
        }
        let mut allowed = vec![-1; SLOTS as usize];
        let pointer = DevicePointer::of(&mut allowed);
        self.slots.draft(&of(&mut tokens, drafts), DRAFTS, pointer, STREAM).unwrap();
        let (mut accepted, mut next, mut waits) = (Vec::new(), Vec::new(), Vec::new());
        for slot in 0..SLOTS {
            let mut ahead = self.matchers[slot as usize].clone();
            let drafted = &tokens[slot as usize * drafts..][..drafts];
            let most =
                drafted.iter().take_while(|&&token| ahead.accept(token as u32).is_ok()).count();
            let said = allowed[slot as usize] as usize;
            let stopped = said < most && self.place(slot, said as u32 + 1).0.status & 1 != 0;
            self.counts.wrong += usize::from(said != most && !stopped);
            let taken = rng.below(said + 1);
            let mut ahead = self.matchers[slot as usize].clone();
            for (draft, &token) in drafted[..taken].iter().enumerate() {
                ahead.accept(token as u32).unwrap();
                let right = self.agrees(slot, draft as u32 + 1, &mut ahead);
                self.counts.wrong += usize::from(!right);
                self.counts.drafts += 1;
            }
            accepted.push(taken as i32);
            next.push(cases::token(&mut ahead, rng) as i32);
            waits.push(ahead);
        }
        let accepted = DevicePointer::of(&mut accepted);
        self.slots.advance(&of(&mut next, 1), accepted, STREAM).unwrap();
        let statuses = self.slots.statuses(STREAM).unwrap();
        for (slot, ahead) in (0..SLOTS).zip(waits) {
            let before = std::mem::replace(&mut self.matchers[slot as usize], ahead);
            drop(before);
            self.take(slot, next[slot as usize] as u32, statuses[slot as usize]);
        }
    }

    fn roll_back(&mut self, rng: &mut Rng) {
        let slot = rng.below(SLOTS as usize) as u32;
        let matcher = &mut self.matchers[slot as usize];
        let depth = matcher.rollback_depth().min(20);
        matcher.rollback(rng.below(depth + 1)).unwrap();
        self.write(slot);
        self.counts.rollbacks += 1;
    }
}

/// Parts in ascending order, and nothing of what means nothing.
fn normal(row: Row) -> (u32, Vec<u32>, u32) {
    let count = (row.kind & 0xff) as usize;
    let mut parts = row.parts[..count.min(13)].to_vec();
    parts.sort_unstable();
    (row.kind | ROW_MASKED, parts, row.ends_len)
}

fn of(tokens: &mut [i32], stride: usize) -> DeviceTokens {
    let count = (tokens.len() / stride) as u32;
    DeviceTokens {
        count,
        tokens: DevicePointer::of(tokens),
        stride: stride as i64,
        slots: DevicePointer::NULL,
    }
}

pub(super) fn walk(device: &Device, grammar: &Grammar, seed: u64, steps: usize) -> Counts {
    let mut walk = Walk::new(device, grammar);
    let mut rng = Rng::new(seed);
    for _ in 0..steps {
        match rng.below(12) {
            0 => walk.speculate(&mut rng),
            1 => walk.roll_back(&mut rng),
            _ => walk.step(&mut rng),
        }
    }
    walk.counts
}

/// Walks over many grammars.
fn walks(device: &Device, grammars: impl IntoIterator<Item = Grammar>, steps: usize) -> Counts {
    let mut all = Counts::default();
    for (at, grammar) in grammars.into_iter().enumerate() {
        let counts = walk(device, &grammar, at as u64, steps);
        all.taken += counts.taken;
        all.refused += counts.refused;
        all.finished += counts.finished;
        all.by_host += counts.by_host;
        all.drafts += counts.drafts;
        all.rollbacks += counts.rollbacks;
        all.wrong += counts.wrong;
    }
    all
}

#[test]
#[expect(clippy::print_stderr, reason = "the counts are what the test is about")]
fn positions_are_those_of_matchers() {
    let steps = rounds(6000);
    let emulated = device();
    let named = cases::grammars().into_iter().chain([cases::near_bound()]);
    let named = walks(&emulated.device, named, steps);
    let random = walks(&emulated.device, cases::random(0..60), steps / 10);
    eprintln!("advance: {named:?}, random grammars: {random:?}");
    assert_eq!((named.wrong, random.wrong), (0, 0));
    assert!(named.taken > named.by_host * 4, "{named:?}");
    assert!(
        [&named, &random].iter().all(|all| all
            .refused
            .min(all.finished)
            .min(all.rollbacks)
            .min(all.drafts)
            > 100)
    );
}

/// A test of the test: a return that forgets the register, and an end that asks the state alone.
#[test]
fn faults_in_advance_are_seen() {
    let faults = [
        Fault {
            file: "advance.cuh",
            text: "    at->count = stack->counts[at->depth];\n",
            instead: "",
        },
        Fault {
            file: "advance.cuh",
            text: "& FINAL && (at->finals & all) == all;",
            instead: "& FINAL;",
        },
    ];
    for fault in faults {
        let emulated = build(Some(&fault), DeviceOptions::default());
        let counts = walks(&emulated.device, cases::grammars(), 60);
        assert!(counts.wrong > 0, "{}: {counts:?}", fault.text);
    }
}
