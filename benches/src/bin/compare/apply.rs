//! Masks on rows of logits: by type, density and kernel, beside a plain fill of the same row.
//!
//! Every result is counted once before it is timed. A figure is the median of many applications to one row. So the
//! row is in the second-level cache for f16, and beyond it for f32, because of its size.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use grammarc_benches::densities::{DENSITIES, allowed};
use grammarc_benches::table::{Grid, Samples};
use grammarc_runtime::{Bf16, F16, Kernels, Logit};

use crate::Bench;
use crate::report::Report;

/// Applications of one figure.
const TIMES: usize = 401;

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let width = bench.ours.artifact().logit_width() as usize;
    let columns = DENSITIES.iter().map(|density| density.name);
    let columns = columns.chain(["fill of the row"]).collect();
    let mut grid = Grid::new("logits and kernel", columns);
    rows(&mut grid, "f32", vec![1.0_f32; width], f32::NEG_INFINITY, |logit| logit.is_infinite());
    rows(&mut grid, "f16", vec![F16(0x3c00); width], F16(0xfc00), |logit| logit.0 == 0xfc00);
    rows(&mut grid, "bf16", vec![Bf16(0x3f80); width], Bf16(0xff80), |logit| logit.0 == 0xff80);
    for peer in &bench.recorded {
        for time in peer.apply() {
            let row = format!("{}, {}: {}", time.dtype, peer.engine, time.kernel);
            grid.set(row, &time.density, time.us);
        }
    }
    writeln!(report, "\n## Apply\n\n{width} logits; median of {TIMES}; µs\n")?;
    write!(report, "{grid}")
}

/// Adds the rows of one type of logits.
fn rows<L: Logit>(
    grid: &mut Grid,
    dtype: &str,
    ones: Vec<L>,
    forbidden: L,
    is_forbidden: impl Fn(&L) -> bool,
) {
    for kernels in Kernels::available() {
        let name = format!("{dtype}, grammarc: {}", kernels.name());
        for density in DENSITIES {
            let words = density.words(ones.len());
            let mut row = ones.clone();
            kernels.apply(&words, &mut row).expect("a whole row");
            let found = row.iter().filter(|logit| is_forbidden(logit)).count();
            assert_eq!(found, ones.len() - allowed(&words), "{name}, {}", density.name);
            let time = median(|| kernels.apply(black_box(&words), black_box(&mut row)).is_ok());
            grid.set(&name, density.name, time);
        }
        let mut row = ones.clone();
        let time = median(|| {
            black_box(&mut row).fill(forbidden);
            true
        });
        grid.set(&name, "fill of the row", time);
    }
}

/// Median of the microseconds of some work.
fn median(mut work: impl FnMut() -> bool) -> f64 {
    let mut samples = Samples::default();
    for _ in 0..TIMES {
        let start = Instant::now();
        let done = work();
        samples.push(start.elapsed().as_secs_f64() * 1e6);
        assert!(done, "what is measured succeeds");
    }
    samples.median()
}
