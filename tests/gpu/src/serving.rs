//! A sampling loop of many sequences over many grammars, as a server has it: with the position on the device, and with a round trip to
//! the host for every token.

use std::time::Instant;

use grammarc_cuda::{
    DeviceBitmask, DeviceLogits, DevicePointer, DeviceTokens, Dtype, Resident, Sampling, Slots,
    Stream,
};
use grammarc_runtime::Matcher;
use grammarc_test_data::Rng;

use crate::kit::{Done, Kit, allowed};
use crate::table::Table;

/// Sequences somewhere in their texts, each in a slot.
pub(crate) struct Batch {
    pub(crate) slots: Slots,
    pub(crate) matchers: Vec<Matcher>,
    residents: Vec<Resident>,
}

impl Batch {
    pub(crate) fn new(kit: &Kit, rows: u32, drafts: u32, most: usize) -> Self {
        let stream = kit.driver.stream();
        let upload = |grammar| kit.device.upload(&Matcher::new(grammar), stream);
        let residents: Result<Vec<_>, _> = kit.grammars.iter().map(upload).collect();
        let residents = residents.done();
        let mut slots = kit.device.slots(rows, drafts, stream).done();
        let mut rng = Rng::new(1);
        let mut matchers = Vec::new();
        for slot in 0..rows {
            let at = slot as usize % kit.grammars.len();
            let mut matcher = Matcher::new(&kit.grammars[at]);
            for _ in 0..rng.below(most + 1) {
                let token = allowed(&mut matcher, &mut rng);
                _ = matcher.accept(token);
            }
            if matcher.is_finished() {
                matcher.reset();
            }
            slots.write(slot, &residents[at], &mut matcher, stream).done();
            matchers.push(matcher);
        }
        Self { slots, matchers, residents }
    }

    /// Restarts a finished sequence. Writes its slot then, and if the device waits for the host.
    fn after_step(&mut self, slot: usize, waits: bool, stream: Stream) {
        let matcher = &mut self.matchers[slot];
        let finished = matcher.is_finished();
        if finished {
            matcher.reset();
        }
        if waits || finished {
            let resident = &self.residents[slot % self.residents.len()];
            self.slots.write(slot as u32, resident, matcher, stream).done();
        }
    }
}

/// The loop, three times: by the device alone, as a graph that is launched again and again; by the device with the host looking on; and by
/// the host, which makes every mask and copies it.
pub(crate) fn run(kit: &Kit, table: &mut Table) {
    let (driver, stream) = (&kit.driver, kit.driver.stream());
    let rows = kit.scaled(512, 6) as u32;
    let steps = kit.scaled(200, 8);
    let width = kit.vocabulary.logit_width();
    let mut rng = Rng::new(11);
    let noise: Vec<f32> = (0..width).map(|_| rng.below(4000) as f32 / 100.0).collect();
    let logits = driver.upload(&noise.repeat(rows as usize));
    let sampled = driver.upload(&vec![0i32; rows as usize]);
    let temperatures = driver.upload(&vec![1f32; rows as usize]);
    let (seeds, none) =
        (driver.upload(&(0..u64::from(rows)).collect::<Vec<_>>()), DevicePointer::NULL);
    let given = DeviceLogits::new(logits.pointer(), Dtype::F32, rows, width);
    let sampling = Sampling {
        tokens: sampled.pointer(),
        temperatures: temperatures.pointer(),
        seeds: seeds.pointer(),
        steps: none,
    };

    let batch = Batch::new(kit, rows, 0, 0);
    let graph = driver.capture(|| {
        batch.slots.sample(&given, &sampling, Some(none), stream).done();
    });
    graph.launch();
    driver.synchronize();
    let began = Instant::now();
    (0..steps).for_each(|_| graph.launch());
    driver.synchronize();
    let alone = began.elapsed().as_secs_f64() * 1e6 / steps as f64;

    // The host follows the tokens, and takes those that the device leaves to it.
    let mut batch = Batch::new(kit, rows, 0, 0);
    let (mut by_host, mut wrong, mut tokens) = (0, 0, 0);
    let began = Instant::now();
    for _ in 0..steps {
        batch.slots.sample(&given, &sampling, Some(none), stream).done();
        let found = sampled.read(0);
        let statuses = batch.slots.statuses(stream).done();
        for slot in 0..found.len() {
            let matcher = &mut batch.matchers[slot];
            let accepted =
                u32::try_from(found[slot]).is_ok_and(|token| matcher.accept(token).is_ok());
            wrong += usize::from(!accepted);
            tokens += 1;
            let waits = statuses[slot].waits_for_host();
            by_host += usize::from(waits);
            batch.after_step(slot, waits, stream);
        }
    }
    let followed = began.elapsed().as_secs_f64() * 1e6 / steps as f64;
    assert_eq!(wrong, 0, "tokens that the device sampled and the runtime refuses");

    // The host makes each mask and copies it; the device samples without one.
    let mut batch = Batch::new(kit, rows, 0, 0);
    let free = kit.device.slots(rows, 0, stream).done();
    let words = (width as usize).div_ceil(32);
    let mut host = vec![0u32; words * rows as usize];
    let bitmask = driver.upload(&host);
    let at = DeviceBitmask { at: bitmask.pointer(), words: words as u32, stride: words as i64 };
    let fresh = noise.repeat(rows as usize);
    let began = Instant::now();
    let mut restored = 0.0;
    for _ in 0..steps.min(20) {
        for (row, matcher) in host.chunks_mut(words).zip(&mut batch.matchers) {
            matcher.mask().fill(row).done();
        }
        bitmask.write(&host);
        kit.device.apply_bitmask(&at, width, &given, stream).done();
        free.sample(&given, &sampling, None, stream).done();
        for (matcher, token) in batch.matchers.iter_mut().zip(sampled.read(0)) {
            _ = matcher.accept(token as u32);
            if matcher.is_finished() {
                matcher.reset();
            }
        }
        // The logits that the next forward pass would write.
        let before = Instant::now();
        logits.write(&fresh);
        driver.synchronize();
        restored += before.elapsed().as_secs_f64();
    }
    let trips = (began.elapsed().as_secs_f64() - restored) * 1e6 / steps.min(20) as f64;
    table.row(
        format!(
            "step of {rows} sequences over {} grammars, by the device alone (a graph)",
            kit.grammars.len()
        ),
        format!("{alone:.1} µs"),
        "mask, draw and advance in one launch; 0 bytes from the host",
    );
    table.row(
        "the same with the host following",
        format!("{followed:.1} µs"),
        format!("{by_host} of {tokens} tokens were left to the host; {wrong} were wrong"),
    );
    table.row(
        "the same with masks from the host",
        format!("{trips:.1} µs"),
        format!("{} bytes from the host for each row", words * 4),
    );
}

/// A graph that is captured once and launched again advances as launches do.
pub(crate) fn graph(kit: &Kit, table: &mut Table) {
    let (driver, stream) = (&kit.driver, kit.driver.stream());
    let rows = kit.scaled(64, 4) as u32;
    let mut batch = Batch::new(kit, rows, 0, 3);
    let width = kit.vocabulary.logit_width();
    let tokens = driver.upload(&vec![-1i32; rows as usize]);
    let logits = driver.upload(&vec![0f32; rows as usize * width as usize]);
    let none = DevicePointer::NULL;
    let given = DeviceLogits::new(logits.pointer(), Dtype::F32, rows, width);
    let taken = DeviceTokens { count: rows, tokens: tokens.pointer(), stride: 1, slots: none };
    let graph = driver.capture(|| {
        batch.slots.advance(&taken, none, stream).done();
        batch.slots.apply(&given, stream).done();
    });
    let mut rng = Rng::new(2);
    let (mut compared, mut wrong) = (0, 0);
    for _ in 0..kit.scaled(40, 4) {
        let next: Vec<i32> =
            batch.matchers.iter_mut().map(|matcher| allowed(matcher, &mut rng) as i32).collect();
        tokens.write(&next);
        logits.write(&vec![0f32; rows as usize * width as usize]);
        graph.launch();
        let found = logits.read(0.0);
        let statuses = batch.slots.statuses(stream).done();
        for slot in 0..next.len() {
            let matcher = &mut batch.matchers[slot];
            matcher.accept(next[slot] as u32).done();
            if !statuses[slot].waits_for_host() {
                let mut row = vec![0f32; width as usize];
                matcher.mask().apply(&mut row).done();
                let found = &found[slot * width as usize..][..width as usize];
                wrong += usize::from(found != row);
                compared += 1;
            }
            batch.after_step(slot, statuses[slot].waits_for_host(), stream);
        }
    }
    table.row(
        "rows after a replayed graph",
        format!("{wrong} wrong"),
        format!("{compared} compared"),
    );
    assert_eq!(wrong, 0);
}
