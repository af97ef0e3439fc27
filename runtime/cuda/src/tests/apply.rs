//! Masks on logits and bitmasks, bit by bit against the runtime: dtypes, strides, odd widths, rows that are not aligned, split and
//! drafting vocabularies, rows that are left out, rows of the slots and rows by number.

use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::random::Rng;

use super::cases;
use super::emulator::{Fault, build, device, rounds};
use crate::driver::DevicePointer;
use crate::{Device, DeviceBitmask, DeviceLogits, DeviceOptions, Dtype, Stream};

const STREAM: Stream = Stream::DEFAULT;
const ROWS: u32 = 6;

/// Elements that were compared, and how many were wrong.
#[derive(Debug, Default)]
struct Counts {
    elements: usize,
    wrong: usize,
}

/// Logits in memory, any bits.
struct Buffer {
    bytes: Vec<u8>,
    dtype: Dtype,
    /// Elements before the first row.
    skew: usize,
    stride: usize,
    columns: usize,
}

impl Buffer {
    fn random(rng: &mut Rng, columns: usize) -> Self {
        let dtype = *rng.pick(&[Dtype::F32, Dtype::F16, Dtype::Bf16]);
        let aligned = rng.one_in(2);
        let skew = if aligned { 0 } else { rng.below(9) };
        let stride = if aligned { columns.next_multiple_of(8) } else { columns + rng.below(40) };
        let elements = skew + stride * ROWS as usize;
        let bytes = (0..elements * dtype.bytes() as usize).map(|_| rng.below(256) as u8).collect();
        Self { bytes, dtype, skew, stride, columns }
    }

    fn at(&self, row: usize, column: usize) -> std::ops::Range<usize> {
        let bytes = self.dtype.bytes() as usize;
        let element = self.skew + row * self.stride + column;
        element * bytes..(element + 1) * bytes
    }

    fn logits(&mut self) -> DeviceLogits {
        let bytes = self.dtype.bytes();
        let at = DevicePointer::of(&mut self.bytes).offset(self.skew as u64 * bytes);
        DeviceLogits::new(at, self.dtype, ROWS, self.columns as u32).stride(self.stride as i64)
    }

    /// The logits with the mask applied: negative infinity where `allows` says no, and everything else as it is.
    fn masked(&self, allows: impl Fn(usize, usize) -> bool) -> Vec<u8> {
        let infinity: &[u8] = match self.dtype {
            Dtype::F32 => &f32::NEG_INFINITY.to_le_bytes(),
            Dtype::F16 => &half::f16::NEG_INFINITY.to_le_bytes(),
            Dtype::Bf16 => &half::bf16::NEG_INFINITY.to_le_bytes(),
        };
        let mut bytes = self.bytes.clone();
        for row in 0..ROWS as usize {
            for column in (0..self.columns).filter(|&column| !allows(row, column)) {
                bytes[self.at(row, column)].copy_from_slice(infinity);
            }
        }
        bytes
    }
}

/// The token that a column has.
enum Columns {
    From(u32),
    Listed(Vec<i32>),
}

impl Columns {
    fn random(rng: &mut Rng, width: usize) -> (Self, usize) {
        match rng.below(4) {
            0 => (Self::From(rng.below(width) as u32), 1 + rng.below(width)),
            1 => (Self::From(32 * rng.below(width / 32 + 1) as u32), 1 + rng.below(width)),
            2 => {
                let columns = 1 + rng.below(width);
                let token = |_| rng.below(width + 9) as i32 - 4;
                (Self::Listed((0..columns).map(token).collect()), columns)
            }
            _ => (Self::From(0), width + rng.below(70)),
        }
    }

    fn token(&self, column: usize) -> Option<u32> {
        match self {
            Self::From(first) => Some(first + column as u32),
            Self::Listed(tokens) => u32::try_from(tokens[column]).ok(),
        }
    }

    fn of(&mut self, logits: DeviceLogits) -> DeviceLogits {
        match self {
            Self::From(first) => logits.first_token(*first),
            Self::Listed(tokens) => logits.column_tokens(DevicePointer::of(tokens)),
        }
    }
}

/// Matchers somewhere in a text. Half of them open a string where they can, since few tokens do, and most are allowed in one.
fn matchers(grammar: &Grammar, rng: &mut Rng) -> Vec<Matcher> {
    let one = |_| {
        let mut matcher = Matcher::new(grammar);
        if rng.one_in(2) {
            _ = matcher.accept(u32::from(b'"'));
        }
        for _ in 0..rng.below(12) {
            let token = cases::token(&mut matcher, rng);
            _ = matcher.accept(token);
        }
        matcher
    };
    (0..ROWS).map(one).collect()
}

/// The bits of each matcher's mask, a row after the other.
fn words(matchers: &mut [Matcher]) -> Vec<Vec<u32>> {
    let fill = |matcher: &mut Matcher| {
        let mut words = vec![0; (matcher.logit_width() as usize).div_ceil(32)];
        matcher.mask().fill(&mut words).unwrap();
        words
    };
    matchers.iter_mut().map(fill).collect()
}

fn has(words: &[u32], token: u32) -> bool {
    words.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 != 0)
}

fn check(device: &Device, grammar: &Grammar, seed: u64, rounds: usize) -> Counts {
    let mut rng = Rng::new(seed);
    let mut counts = Counts::default();
    let resident = device.upload(&Matcher::new(grammar), STREAM).unwrap();
    let mut table = device.rows(3 * ROWS, STREAM).unwrap();
    for _ in 0..rounds {
        let mut matchers = matchers(grammar, &mut rng);
        let masks = words(&mut matchers);
        let width = matchers[0].logit_width() as usize;
        let mut slots = device.slots(ROWS, 1, STREAM).unwrap();
        table.begin();
        let (mut places, mut numbers): (Vec<i32>, Vec<i32>) = (Vec::new(), Vec::new());
        for (slot, matcher) in (0..).zip(&mut matchers) {
            slots.write(slot, &resident, matcher, STREAM).unwrap();
            let skipped = rng.one_in(6);
            places.push(if skipped { -1 } else { slot as i32 * 2 });
            let number = table.number(&resident, matcher, STREAM).unwrap();
            numbers.push(if skipped { -1 } else { number as i32 });
        }
        table.flush(STREAM).unwrap();
        let (mut columns, count) = Columns::random(&mut rng, width);
        let mut buffer = Buffer::random(&mut rng, count);
        let expected = buffer.masked(|row, column| {
            let token = columns.token(column);
            places[row] < 0 || token.is_some_and(|token| has(&masks[row], token))
        });
        let before = buffer.bytes.clone();
        for way in 0..3 {
            buffer.bytes.clone_from(&before);
            let logits = columns.of(buffer.logits());
            match way {
                0 => slots.apply(&logits.numbers(DevicePointer::of(&mut places)), STREAM),
                1 => table.apply(&logits.numbers(DevicePointer::of(&mut numbers)), STREAM),
                _ => {
                    let mut rows = masks.concat();
                    let words = masks[0].len();
                    let at = DevicePointer::of(&mut rows);
                    let bitmask = DeviceBitmask { at, words: words as u32, stride: words as i64 };
                    let mut own: Vec<i32> =
                        (0..).zip(&places).map(|(row, place)| (*place).min(row)).collect();
                    let logits = logits.numbers(DevicePointer::of(&mut own));
                    device.apply_bitmask(&bitmask, width as u32, &logits, STREAM)
                }
            }
            .unwrap();
            counts.elements += buffer.bytes.len() / buffer.dtype.bytes() as usize;
            counts.wrong += buffer.bytes.iter().zip(&expected).filter(|(a, b)| a != b).count();
        }
        fill(&slots, &masks, &mut places, &mut rng, &mut counts);
    }
    counts
}

/// Rows of a bitmask, longer or shorter than the masks.
fn fill(
    slots: &crate::Slots,
    masks: &[Vec<u32>],
    places: &mut [i32],
    rng: &mut Rng,
    counts: &mut Counts,
) {
    let words = masks[0].len() + rng.below(40) - masks[0].len().min(20).min(rng.below(20));
    let stride = words + rng.below(3);
    let mut bitmask = vec![0x5a5a_5a5a_u32; stride * masks.len()];
    let mut expected = bitmask.clone();
    for (row, mask) in masks.iter().enumerate().filter(|&(row, _)| places[row] >= 0) {
        let into = &mut expected[row * stride..][..words];
        into.fill(0);
        into.iter_mut().zip(mask).for_each(|(into, from)| *into = *from);
    }
    let at = DevicePointer::of(&mut bitmask);
    let bitmask_at = DeviceBitmask { at, words: words as u32, stride: stride as i64 };
    slots.fill(&bitmask_at, masks.len() as u32, DevicePointer::of(places), STREAM).unwrap();
    counts.elements += bitmask.len() * 32;
    counts.wrong += bitmask.iter().zip(&expected).filter(|(a, b)| a != b).count();
}

fn checks(device: &Device, grammars: &[Grammar], rounds: usize) -> Counts {
    let mut all = Counts::default();
    for (at, grammar) in grammars.iter().enumerate() {
        let counts = check(device, grammar, at as u64, rounds);
        all.elements += counts.elements;
        all.wrong += counts.wrong;
    }
    all
}

#[test]
#[expect(clippy::print_stderr, reason = "the counts are what the test is about")]
fn logits_and_bitmasks_are_those_of_masks() {
    let emulated = device();
    let mut grammars = cases::grammars();
    grammars.extend(cases::random(0..40));
    let small = checks(&emulated.device, &grammars, rounds(15));
    let wide = checks(&emulated.device, &[cases::wide()], rounds(100));
    eprintln!("apply: {small:?}, wide: {wide:?}");
    assert_eq!((small.wrong, wide.wrong), (0, 0));
}

/// Rows without a mask are left as they are, by whatever way.
#[test]
fn a_slot_without_a_grammar_allows_everything() {
    let emulated = device();
    let mut rng = Rng::new(1);
    let mut slots = emulated.device.slots(ROWS, 0, STREAM).unwrap();
    let mut buffer = Buffer::random(&mut rng, 500);
    let before = buffer.bytes.clone();
    let logits = buffer.logits();
    slots.apply(&logits, STREAM).unwrap();
    assert_eq!(buffer.bytes, before);
    let grammar = cases::wide();
    let mut matcher = Matcher::new(&grammar);
    let resident = emulated.device.upload(&matcher, STREAM).unwrap();
    slots.write(2, &resident, &mut matcher, STREAM).unwrap();
    slots.apply(&logits, STREAM).unwrap();
    assert_ne!(buffer.bytes, before);
    buffer.bytes.clone_from(&before);
    slots.release(2, STREAM).unwrap();
    let logits = buffer.logits();
    slots.apply(&logits, STREAM).unwrap();
    assert_eq!(buffer.bytes, before);
}

/// A test of the test: the tail of a row, the bit of a whole chunk, the border of two words, and a window that begins within a
/// chunk.
#[test]
fn faults_in_masks_are_seen() {
    let faults = [
        Fault {
            file: "apply.cuh",
            text: "ALL << (columns - begin);\n    if (__all",
            instead: "ALL << (columns - begin - 1);\n    if (__all",
        },
        Fault {
            file: "masks.cuh",
            text: ">> (chunk % 32) & 1)",
            instead: ">> (chunk % 32 + 1) & 1)",
        },
        Fault { file: "apply.cuh", text: "if (lane_id() == WARP - 1) next = last;", instead: "" },
        Fault { file: "masks.cuh", text: "first % WARP == 0 && ", instead: "" },
    ];
    for fault in faults {
        let emulated = build(Some(&fault), DeviceOptions::default());
        let wide = cases::wide();
        let seen = (0..8).any(|seed| check(&emulated.device, &wide, seed, 4).wrong > 0);
        assert!(seen, "{}", fault.text);
    }
}
