//! Times of each kernel: beside the bound that bytes and bandwidth set, and beside XGrammar's kernels on the same buffers.

use std::path::Path;

use grammarc_cuda::{DeviceBitmask, DeviceLogits, DevicePointer, DeviceTokens, Dtype, Sampling};
use grammarc_runtime::Matcher;
use grammarc_test_data::Rng;
use serde_json::Value;

use crate::driver::{Driver, Foreign, Memory};
use crate::kit::{Done, Kit, allowed};
use crate::table::Table;

/// Whether a mask allows a token of a vocabulary of so many.
type Allows = fn(&mut Rng, usize, usize) -> bool;

/// Masks by how many tokens they allow.
const DENSITIES: [(&str, Allows); 4] = [
    ("10 allowed", |_, token, width| token % (width / 10) == 7),
    ("half at random", |rng, _, _| rng.below(2) == 0),
    ("half in runs", |_, token, _| token / 5000 % 2 == 0),
    ("10 forbidden", |_, token, width| token % (width / 10) != 7),
];

/// XGrammar's kernels for f32, as `pack` compiled them.
struct Peers {
    triton: Option<(Foreign, u32, u32, u32)>,
    cuda: Vec<(u32, Foreign)>,
}

impl Peers {
    fn load(driver: &Driver, folder: &Path) -> Self {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let said = read("peers.json")
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
            .unwrap_or_default();
        let number = |value: &Value| value.as_u64().unwrap_or_default() as u32;
        let triton = read("xgrammar.triton.ptx").map(|ptx| {
            let said = &said["triton"];
            let kernel = driver.load(&ptx, said["name"].as_str().unwrap_or_default());
            (
                kernel,
                number(&said["warps"]) * 32,
                number(&said["shared"]),
                number(&said["programs"]),
            )
        });
        let kernels = said["cuda"].as_object().cloned().unwrap_or_default();
        let cuda = read("xgrammar.cuda.ptx").map(|ptx| {
            let load = |(bits, name): (&String, &Value)| {
                (bits.parse().unwrap_or(0), driver.load(&ptx, name.as_str().unwrap_or_default()))
            };
            kernels.iter().map(load).collect()
        });
        Self { triton, cuda: cuda.unwrap_or_default() }
    }

    /// Microseconds of each on a batch; none where it is not there.
    fn times(
        &self,
        kit: &Kit,
        logits: &Memory<'_, f32>,
        bitmask: &Memory<'_, u32>,
        rows: u32,
        width: u32,
    ) -> [Option<f64>; 2] {
        let driver = &kit.driver;
        let words = u64::from(width.div_ceil(32));
        let at = [logits.pointer().address(), bitmask.pointer().address()];
        let triton = self.triton.as_ref().map(|(kernel, block, shared, programs)| {
            // Two pointers that Triton adds for its own memory come last.
            let arguments =
                [at[0], at[1], u64::from(rows), u64::from(width), u64::from(width), words, 0, 0];
            driver
                .time(10, 20, || driver.launch(kernel, [*programs, 1], *block, *shared, &arguments))
        });
        // As its dispatch chooses: more bits for a thread where there are more rows.
        let blocks = (1024u32).div_ceil(rows);
        let bits = width.div_ceil(256 * blocks);
        let bits = [4, 8, 16, 32].into_iter().find(|&most| bits <= most).unwrap_or(32);
        let cuda = self.cuda.iter().find(|(found, _)| *found == bits).map(|(_, kernel)| {
            let arguments = [at[0], at[1], 0, u64::from(width), u64::from(width), words];
            let grid = [width.div_ceil(256 * bits), rows];
            driver.time(10, 20, || driver.launch(kernel, grid, 256, 0, &arguments))
        });
        [triton, cuda]
    }
}

/// Bytes that a mask makes the device move for a row of f32: what is written, with whole sectors of 32 bytes read where a part of them is.
fn bytes(mask: &[bool]) -> f64 {
    let sectors =
        mask.chunks(8).map(|sector| match sector.iter().filter(|&&allowed| allowed).count() {
            0 => 32.0,
            all if all == sector.len() => 0.0,
            _ => 64.0,
        });
    sectors.sum::<f64>() + mask.len() as f64 / 8.0
}

/// Masks applied: a host's bitmask, and by the pool; against the device's bandwidth, which a copy within it shows.
pub(crate) fn apply(kit: &Kit, folder: &Path, table: &mut Table) {
    let width = kit.vocabulary.logit_width();
    let (driver, device, stream) = (&kit.driver, &kit.device, kit.driver.stream());
    let peers = Peers::load(driver, folder);
    let mut rng = Rng::new(3);
    let most = kit.scaled(1024, 4) as u32;
    let logits = driver.upload(&vec![0f32; most as usize * width as usize]);
    let bandwidth = bandwidth(kit, &logits, most, width);
    table.row(
        "bandwidth of writes",
        format!("{:.2} TB/s", bandwidth / 1e6),
        "all logits forbidden",
    );
    let words = (width as usize).div_ceil(32);
    for (name, has) in DENSITIES {
        let mask: Vec<bool> =
            (0..width as usize).map(|token| has(&mut rng, token, width as usize)).collect();
        let mut row = vec![0u32; words];
        mask.iter()
            .enumerate()
            .filter(|(_, allowed)| **allowed)
            .for_each(|(token, _)| row[token / 32] |= 1 << (token % 32));
        let bitmask = driver.upload(&row.repeat(most as usize));
        for rows in [1, 64, 256, 1024].map(|rows: u32| rows.min(most)) {
            let bound = bytes(&mask) * f64::from(rows) / bandwidth;
            let given = DeviceLogits::new(logits.pointer(), Dtype::F32, rows, width);
            let at =
                DeviceBitmask { at: bitmask.pointer(), words: words as u32, stride: words as i64 };
            let ours = driver.time(10, 20, || {
                device.apply_bitmask(&at, width, &given, stream).done();
            });
            let [triton, cuda] = peers.times(kit, &logits, &bitmask, rows, width);
            let other = |time: Option<f64>| {
                time.map_or("not there".to_owned(), |time| {
                    format!("{time:.1}, {:.1}x", time / ours)
                })
            };
            table.row(
                format!("bitmask, {rows} rows, {name}"),
                format!("{ours:.1} µs"),
                format!(
                    "bound {bound:.1}; XGrammar's Triton {}; its CUDA {}",
                    other(triton),
                    other(cuda)
                ),
            );
        }
    }
    resident(kit, &logits, most, table);
}

/// Masks of the pool: positions of grammars, whatever they allow.
fn resident(kit: &Kit, logits: &Memory<'_, f32>, rows: u32, table: &mut Table) {
    let (driver, device, stream) = (&kit.driver, &kit.device, kit.driver.stream());
    let width = kit.vocabulary.logit_width();
    let slots = crate::serving::Batch::new(kit, rows, 0, 5);
    let given = DeviceLogits::new(logits.pointer(), Dtype::F32, rows, width);
    let time = driver.time(10, 20, || slots.slots.apply(&given, stream).done());
    let words = width.div_ceil(32);
    let bitmask = driver.upload(&vec![0u32; words as usize * rows as usize]);
    let at = DeviceBitmask { at: bitmask.pointer(), words, stride: i64::from(words) };
    let none = DevicePointer::NULL;
    let fill = driver.time(10, 20, || slots.slots.fill(&at, rows, none, stream).done());
    let host = driver.time(10, 20, || {
        device.apply_bitmask(&at, width, &given, stream).done();
    });
    let copied = vec![0u32; words as usize * rows as usize];
    let copy = driver.time(3, 5, || bitmask.write(&copied));
    table.row(
        format!("{rows} rows of {} grammars from the pool", kit.grammars.len()),
        format!("{time:.1} µs"),
        format!("the same masks as a bitmask that is there: {host:.1}; copying it from the host: {copy:.1}; filling it: {fill:.1}"),
    );
}

/// Bytes for each microsecond that the device writes.
fn bandwidth(kit: &Kit, logits: &Memory<'_, f32>, rows: u32, width: u32) -> f64 {
    let nothing = kit.driver.upload(&vec![0u32; (width as usize).div_ceil(32)]);
    let given = DeviceLogits::new(logits.pointer(), Dtype::F32, rows, width);
    let at = DeviceBitmask { at: nothing.pointer(), words: width.div_ceil(32), stride: 0 };
    let time = kit.driver.time(10, 10, || {
        kit.device.apply_bitmask(&at, width, &given, kit.driver.stream()).done();
    });
    f64::from(rows) * f64::from(width) * 4.0 / time
}

/// Tokens taken, and samples beside an argmax of whole rows.
pub(crate) fn steps(kit: &Kit, table: &mut Table) {
    let (driver, stream) = (&kit.driver, kit.driver.stream());
    let rows = kit.scaled(1024, 8) as u32;
    let mut batch = crate::serving::Batch::new(kit, rows, 0, 5);
    let mut rng = Rng::new(8);
    let tokens: Vec<i32> =
        batch.matchers.iter_mut().map(|matcher| allowed(matcher, &mut rng) as i32).collect();
    let tokens = driver.upload(&tokens);
    let none = DevicePointer::NULL;
    let given = DeviceTokens { count: rows, tokens: tokens.pointer(), stride: 1, slots: none };
    let time = driver.time(20, 1, || {
        batch.slots.advance(&given, none, stream).done();
    });
    let idle = driver.upload(&vec![-1i32; rows as usize]);
    let nobody = DeviceTokens { tokens: idle.pointer(), ..given };
    let launch = driver.time(20, 1, || {
        batch.slots.advance(&nobody, none, stream).done();
    });
    table.row(
        format!("advance of {rows} sequences"),
        format!("{time:.1} µs"),
        format!("aim: under 5; the launch alone, with no token for any, {launch:.1}"),
    );
    let width = kit.vocabulary.logit_width();
    let batch = crate::serving::Batch::new(kit, rows, 0, 5);
    let noise: Vec<f32> = (0..width).map(|_| rng.below(4000) as f32 / 100.0).collect();
    let logits = driver.upload(&noise.repeat(rows as usize));
    let sampled = driver.upload(&vec![0i32; rows as usize]);
    let temperatures = driver.upload(&vec![1f32; rows as usize]);
    let given = DeviceLogits::new(logits.pointer(), Dtype::F32, rows, width);
    let sampling = |temperatures| Sampling {
        tokens: sampled.pointer(),
        temperatures,
        seeds: none,
        steps: none,
    };
    let free = kit.device.slots(rows, 0, stream).done();
    let time = |slots: &grammarc_cuda::Slots, temperatures| {
        driver.time(10, 10, || {
            slots.sample(&given, &sampling(temperatures), None, stream).done();
        })
    };
    let (masked, whole) = (time(&batch.slots, none), time(&free, none));
    let drawn = time(&batch.slots, temperatures.pointer());
    table.row(
        format!("masked argmax of {rows} rows"),
        format!("{masked:.1} µs"),
        format!("argmax of whole rows {whole:.1}; masked draw {drawn:.1}"),
    );
    let start = Matcher::new(&kit.grammars[0]);
    let upload = std::time::Instant::now();
    let resident = kit.device.upload(&start, stream).done();
    driver.synchronize();
    let passed = upload.elapsed().as_secs_f64() * 1e6;
    table.row(
        "upload of one grammar",
        format!("{passed:.0} µs"),
        format!("{} bytes", resident.bytes()),
    );
}
