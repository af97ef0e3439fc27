//! The device against the runtime: masks of every type of logits, positions after every token, samples.

use grammarc_cuda::{DeviceLogits, DevicePointer, DeviceTokens, Dtype, Sampling};
use grammarc_runtime::Matcher;
use grammarc_test_data::Rng;

use crate::kit::{Done, Kit, allowed};

/// Numbers of comparisons and of differences.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) logits: usize,
    pub(crate) tokens: usize,
    pub(crate) by_host: usize,
    pub(crate) samples: usize,
    pub(crate) wrong: usize,
}

pub(crate) fn check(kit: &Kit) -> Counts {
    let mut counts = Counts::default();
    let steps = kit.scaled(60, 6);
    for (seed, grammar) in kit.grammars.iter().enumerate() {
        let mut rng = Rng::new(seed as u64);
        let (driver, device, stream) = (&kit.driver, &kit.device, kit.driver.stream());
        let rows = kit.scaled(32, 3);
        let width = grammar.vocabulary().logit_width();
        let mut matchers: Vec<Matcher> = (0..rows).map(|_| Matcher::new(grammar)).collect();
        let resident = device.upload(&matchers[0], stream).done();
        let mut slots = device.slots(rows as u32, 0, stream).done();
        for (slot, matcher) in (0..).zip(&mut matchers) {
            slots.write(slot, &resident, matcher, stream).done();
        }
        for step in 0..steps {
            // Masks, in all three types in turn.
            let noise: Vec<f32> =
                (0..rows * width as usize).map(|_| rng.below(4000) as f32 / 100.0).collect();
            let dtype = [Dtype::F32, Dtype::F16, Dtype::Bf16][step % 3];
            if dtype == Dtype::F32 {
                let memory = driver.upload(&noise);
                let logits = DeviceLogits::new(memory.pointer(), dtype, rows as u32, width);
                slots.apply(&logits, stream).done();
                let found = memory.read(0.0);
                let mut expected = noise.clone();
                for (row, matcher) in expected.chunks_mut(width as usize).zip(&mut matchers) {
                    matcher.mask().apply(row).done();
                }
                let same = |(a, b): &(&f32, &f32)| a.to_bits() == b.to_bits();
                counts.wrong += found.iter().zip(&expected).filter(|pair| !same(pair)).count();
            } else {
                let infinity = if dtype == Dtype::F16 { 0xfc00 } else { 0xff80 };
                let bits = |x: &f32| match dtype {
                    Dtype::F16 => half::f16::from_f32(*x).to_bits(),
                    _ => half::bf16::from_f32(*x).to_bits(),
                };
                let values: Vec<u16> = noise.iter().map(bits).collect();
                let memory = driver.upload(&values);
                let logits = DeviceLogits::new(memory.pointer(), dtype, rows as u32, width);
                slots.apply(&logits, stream).done();
                let found = memory.read(0);
                let rows = found.chunks(width as usize).zip(values.chunks(width as usize));
                for ((found, before), matcher) in rows.zip(&mut matchers) {
                    let mut words = vec![0; (width as usize).div_ceil(32)];
                    matcher.mask().fill(&mut words).done();
                    for (token, (&found, &before)) in found.iter().zip(before).enumerate() {
                        let allowed = words[token / 32] >> (token % 32) & 1 != 0;
                        counts.wrong +=
                            usize::from(found != if allowed { before } else { infinity });
                    }
                }
            }
            counts.logits += noise.len();
            // The greatest under the mask.
            let memory = driver.upload(&noise);
            let sampled = driver.upload(&vec![-2i32; rows]);
            let none = DevicePointer::NULL;
            let sampling = Sampling {
                tokens: sampled.pointer(),
                temperatures: none,
                seeds: none,
                steps: none,
            };
            let logits = DeviceLogits::new(memory.pointer(), Dtype::F32, rows as u32, width);
            slots.sample(&logits, &sampling, None, stream).done();
            let found = sampled.read(0);
            for ((row, matcher), found) in
                noise.chunks(width as usize).zip(&mut matchers).zip(found)
            {
                let expected = matcher.mask().argmax(row).done();
                counts.wrong += usize::from(expected.map_or(-1, |token| token as i32) != found);
                counts.samples += 1;
            }
            // A token in each slot: allowed ones, and a few that may not be.
            let tokens: Vec<i32> = matchers
                .iter_mut()
                .map(|matcher| match rng.below(20) {
                    0 => rng.below(width as usize) as i32,
                    _ => allowed(matcher, &mut rng) as i32,
                })
                .collect();
            let memory = driver.upload(&tokens);
            let given = DeviceTokens {
                count: rows as u32,
                tokens: memory.pointer(),
                stride: 1,
                slots: none,
            };
            slots.advance(&given, none, stream).done();
            let statuses = slots.statuses(stream).done();
            for (slot, matcher) in matchers.iter_mut().enumerate() {
                let accepted = matcher.accept(tokens[slot] as u32).is_ok();
                let status = statuses[slot];
                counts.tokens += 1;
                if status.waits_for_host() {
                    counts.by_host += 1;
                } else {
                    counts.wrong += usize::from(status.is_refused() == accepted);
                }
                let finished = matcher.is_finished();
                if finished {
                    *matcher = Matcher::new(grammar);
                }
                if finished || status.waits_for_host() {
                    let slot = slot as u32;
                    slots.write(slot, &resident, matcher, stream).done();
                }
            }
        }
    }
    counts
}
