//! Tokens sampled on the device: the greatest as the runtime's, draws as a reference of their own, and as likely as they should be.

use grammarc_runtime::{Bf16, F16, Matcher};
use grammarc_tests::random::Rng;

use super::cases;
use super::emulator::{device, rounds};
use crate::driver::DevicePointer;
use crate::{DeviceLogits, DeviceTokens, Dtype, Sampling, Stream};

const STREAM: Stream = Stream::DEFAULT;

/// The draws of the kernels, written anew: Philox 4x32-10 and the two logarithms in double precision.
mod reference {
    fn philox(mut counter: [u32; 4], seed: u64) -> [u32; 4] {
        let (mut low, mut high) = (seed as u32, (seed >> 32) as u32);
        for _ in 0..10 {
            let wide = |a: u32, b: u32| u64::from(a) * u64::from(b);
            let (first, second) = (wide(0xd251_1f53, counter[0]), wide(0xcd9e_8d57, counter[2]));
            counter = [
                (second >> 32) as u32 ^ counter[1] ^ low,
                second as u32,
                (first >> 32) as u32 ^ counter[3] ^ high,
                first as u32,
            ];
            low = low.wrapping_add(0x9e37_79b9);
            high = high.wrapping_add(0xbb67_ae85);
        }
        counter
    }

    /// The Gumbel number of a token.
    pub(super) fn gumbel(seed: u64, step: u64, token: u32) -> f64 {
        let counter = [(token / 128) * 32 + token % 32, 0, step as u32, (step >> 32) as u32];
        let random = philox(counter, seed)[(token / 32 % 4) as usize];
        let v = match random {
            0..0x80_0000 => (f64::from(random) + 0.5) / 2f64.powi(32),
            _ => (f64::from(random >> 9) + 0.5) / 2f64.powi(23),
        };
        -(-(-v).ln_1p()).ln()
    }

    #[test]
    fn philox_is_the_published_one() {
        // Known answers of the authors' library, Random123.
        assert_eq!(philox([0; 4], 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox([u32::MAX; 4], u64::MAX),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}

fn walked(matcher: &mut Matcher, rng: &mut Rng) {
    for _ in 0..rng.below(9) {
        let token = cases::token(matcher, rng);
        _ = matcher.accept(token);
    }
}

/// Logits with ties, infinities and NaNs.
fn logit(rng: &mut Rng) -> f32 {
    match rng.below(40) {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => f32::NEG_INFINITY,
        3 => -0.0,
        4 => 0.0,
        _ => rng.below(64) as f32 / 4.0 - 8.0,
    }
}

#[test]
fn the_greatest_is_the_runtimes() {
    let emulated = device();
    let mut rng = Rng::new(5);
    let mut grammars = cases::grammars();
    grammars.push(cases::wide());
    let mut found = 0;
    for grammar in &grammars {
        let mut matcher = Matcher::new(grammar);
        let resident = emulated.device.upload(&matcher, STREAM).unwrap();
        let mut slots = emulated.device.slots(1, 0, STREAM).unwrap();
        for _ in 0..rounds(60) {
            walked(&mut matcher, &mut rng);
            slots.write(0, &resident, &mut matcher, STREAM).unwrap();
            let width = matcher.logit_width();
            let mut f32s: Vec<f32> = (0..width).map(|_| logit(&mut rng)).collect();
            if rng.one_in(10) {
                f32s.fill(f32::NAN);
            }
            let mut f16s: Vec<F16> =
                f32s.iter().map(|&x| F16(half::f16::from_f32(x).to_bits())).collect();
            let mut bf16s: Vec<Bf16> =
                f32s.iter().map(|&x| Bf16(half::bf16::from_f32(x).to_bits())).collect();
            let mask = matcher.mask();
            let expected = [mask.argmax(&f32s), mask.argmax(&f16s), mask.argmax(&bf16s)];
            let rows = [
                (DevicePointer::of(&mut f32s), Dtype::F32),
                (DevicePointer::of(&mut f16s), Dtype::F16),
                (DevicePointer::of(&mut bf16s), Dtype::Bf16),
            ];
            for (expected, (at, dtype)) in expected.into_iter().zip(rows) {
                let mut tokens = [0i32];
                let (tokens_at, none) = (DevicePointer::of(&mut tokens), DevicePointer::NULL);
                let sampling =
                    Sampling { tokens: tokens_at, temperatures: none, seeds: none, steps: none };
                slots
                    .sample(&DeviceLogits::new(at, dtype, 1, width), &sampling, None, STREAM)
                    .unwrap();
                let expected = expected.unwrap().map_or(-1, |token| token as i32);
                assert_eq!(tokens[0], expected, "{dtype:?}");
                found += usize::from(expected >= 0);
            }
            if matcher.is_finished() {
                matcher = Matcher::new(grammar);
            }
        }
    }
    assert!(found > 30 * rounds(60));
}

/// A draw is the argmax of logit / temperature + Gumbel among the allowed tokens, for every row of a batch by its own seed.
#[test]
fn draws_are_the_references() {
    const ROWS: usize = 5;
    let emulated = device();
    let mut rng = Rng::new(9);
    for grammar in [cases::wide(), cases::grammars().swap_remove(0)] {
        let resident = emulated.device.upload(&Matcher::new(&grammar), STREAM).unwrap();
        let mut slots = emulated.device.slots(ROWS as u32, 0, STREAM).unwrap();
        for round in 0..rounds(150) as u64 {
            let mut matchers: Vec<Matcher> = (0..ROWS).map(|_| Matcher::new(&grammar)).collect();
            for (slot, matcher) in (0..).zip(&mut matchers) {
                walked(matcher, &mut rng);
                slots.write(slot, &resident, matcher, STREAM).unwrap();
            }
            let width = matchers[0].logit_width() as usize;
            let mut logits: Vec<f32> =
                (0..ROWS * width).map(|_| rng.below(1000) as f32 / 100.0).collect();
            let mut temperatures: Vec<f32> =
                (0..ROWS).map(|_| 0.25 + rng.below(8) as f32 / 4.0).collect();
            let mut seeds: Vec<u64> = (0..ROWS).map(|_| rng.below(usize::MAX) as u64).collect();
            let mut steps = vec![round + (1 << 40); ROWS];
            let mut tokens = vec![0i32; ROWS];
            let sampling = Sampling {
                tokens: DevicePointer::of(&mut tokens),
                temperatures: DevicePointer::of(&mut temperatures),
                seeds: DevicePointer::of(&mut seeds),
                steps: DevicePointer::of(&mut steps),
            };
            let at = DevicePointer::of(&mut logits);
            let device_logits = DeviceLogits::new(at, Dtype::F32, ROWS as u32, width as u32);
            let by_slot = Some(DevicePointer::NULL);
            slots.sample(&device_logits, &sampling, by_slot, STREAM).unwrap();
            for (row, matcher) in matchers.iter_mut().enumerate() {
                let score = |token: u32| {
                    let logit = f64::from(logits[row * width + token as usize]);
                    logit / f64::from(temperatures[row])
                        + reference::gumbel(seeds[row], steps[row], token)
                };
                let drawn = u32::try_from(tokens[row]).unwrap();
                assert!(matcher.mask().contains(drawn));
                let most = matcher.mask().iter().map(score).fold(f64::NEG_INFINITY, f64::max);
                // The kernel's logarithms are of single precision.
                assert!(score(drawn) > most - 2e-5, "row {row}: {} and {most}", score(drawn));
            }
            // The tokens were taken in their slots at once.
            let statuses = slots.statuses(STREAM).unwrap();
            for ((matcher, &drawn), status) in matchers.iter_mut().zip(&tokens).zip(statuses) {
                let accepted = matcher.accept(drawn as u32).is_ok();
                if status.waits_for_host() {
                    continue;
                }
                assert_eq!(accepted, !status.is_refused());
                assert_eq!(matcher.is_finished(), status.is_finished());
            }
        }
    }
}

/// Frequencies of a draw among a handful of tokens, by the chi-square test.
#[test]
fn draws_are_as_likely_as_the_softmax_says() {
    const ROWS: usize = 6000;
    let emulated = device();
    let grammar = cases::of_bytes("root ::= [a-f]");
    let mut matcher = Matcher::new(&grammar);
    let resident = emulated.device.upload(&matcher, STREAM).unwrap();
    let mut slots = emulated.device.slots(ROWS as u32, 0, STREAM).unwrap();
    slots.write(0, &resident, &mut matcher, STREAM).unwrap();
    let width = matcher.logit_width() as usize;
    let mut row: Vec<f32> = (0..width).map(|token| (token % 7) as f32 / 2.0).collect();
    let mut numbers = vec![0i32; ROWS];
    let mut temperatures = vec![1.5f32; ROWS];
    let mut seeds = vec![77u64; ROWS];
    let mut steps: Vec<u64> = (0..ROWS as u64).collect();
    let mut tokens = vec![0i32; ROWS];
    let sampling = Sampling {
        tokens: DevicePointer::of(&mut tokens),
        temperatures: DevicePointer::of(&mut temperatures),
        seeds: DevicePointer::of(&mut seeds),
        steps: DevicePointer::of(&mut steps),
    };
    let logits =
        DeviceLogits::new(DevicePointer::of(&mut row), Dtype::F32, ROWS as u32, width as u32)
            .stride(0);
    let logits = logits.numbers(DevicePointer::of(&mut numbers));
    slots.sample(&logits, &sampling, None, STREAM).unwrap();
    let weight = |token: usize| (f64::from(row[token]) / 1.5).exp();
    let total: f64 = (usize::from(b'a')..=usize::from(b'f')).map(weight).sum();
    let mut chi_square = 0.0;
    for token in usize::from(b'a')..=usize::from(b'f') {
        let expected = weight(token) / total * ROWS as f64;
        let drawn = tokens.iter().filter(|&&drawn| drawn as usize == token).count() as f64;
        chi_square += (drawn - expected).powi(2) / expected;
    }
    // Five degrees of freedom: above 20.5 once in a thousand.
    assert!(chi_square < 20.5, "{chi_square}");
}

/// A row that waits for the host has no token, and nothing advances it.
#[test]
fn a_pending_row_gives_no_token() {
    let emulated = device();
    let grammar = cases::of_bytes(
        "root ::= a | b\na ::= \"x\" a \"y\" | \"xy\"\nb ::= \"x\" b \"yy\" | \"xyy\"",
    );
    let mut matcher = Matcher::new(&grammar);
    let resident = emulated.device.upload(&matcher, STREAM).unwrap();
    let mut slots = emulated.device.slots(1, 0, STREAM).unwrap();
    slots.write(0, &resident, &mut matcher, STREAM).unwrap();
    let mut seen = false;
    for &byte in b"xxyy" {
        let mut tokens = [i32::from(byte)];
        let tokens = DeviceTokens {
            count: 1,
            tokens: DevicePointer::of(&mut tokens),
            stride: 1,
            slots: DevicePointer::NULL,
        };
        slots.advance(&tokens, DevicePointer::NULL, STREAM).unwrap();
        seen |= slots.statuses(STREAM).unwrap()[0].waits_for_host();
        if seen {
            let mut row = vec![0f32; matcher.logit_width() as usize];
            let (mut drawn, none) = ([7i32], DevicePointer::NULL);
            let drawn_at = DevicePointer::of(&mut drawn);
            let sampling =
                Sampling { tokens: drawn_at, temperatures: none, seeds: none, steps: none };
            let logits = DeviceLogits::new(
                DevicePointer::of(&mut row),
                Dtype::F32,
                1,
                matcher.logit_width(),
            );
            slots.sample(&logits, &sampling, None, STREAM).unwrap();
            assert_eq!(drawn, [-1]);
            slots.apply(&logits, STREAM).unwrap();
            assert!(row.iter().all(|&logit| logit == 0.0));
            assert!(slots.statuses(STREAM).unwrap()[0].waits_for_host());
            // The host takes the token and writes the slot, and the device goes on.
            matcher.accept(u32::from(byte)).unwrap();
            slots.write(0, &resident, &mut matcher, STREAM).unwrap();
            slots.sample(&logits, &sampling, None, STREAM).unwrap();
            assert_eq!(drawn[0], matcher.mask().iter().next().unwrap() as i32);
            return;
        }
        matcher.accept(u32::from(byte)).unwrap();
    }
    panic!("the grammar is not ambiguous enough");
}
