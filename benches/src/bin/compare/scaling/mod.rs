//! Growth of compile time and artifact size: with one quantity of the schema at a time, and with the vocabulary.
//!
//! A figure is the CPU time of the process on one thread, from the schema's text to the artifact's bytes, as the
//! median of a few runs. Exponents are slopes of least squares on logarithms. They are taken over all sizes, where
//! constant costs reduce them, and over the last two sizes, which show the trend. Every grammar is tested with a text
//! that it must accept and one that it must reject.

mod families;

use std::io::{self, Write};

use grammarc_artifacts::GrammarArtifact;
use grammarc_benches::clock::Clock;
use grammarc_benches::fit::exponent;
use grammarc_benches::inputs;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::plot::{Marks, Plot, Series};
use grammarc_benches::table::{Grid, Samples};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::network::NetworkLimits;
use grammarc_runtime::{ByteMatcher, Grammar};

use crate::Bench;
use crate::report::Report;
use families::{Example, FAMILIES, Family};

/// Microseconds above which a size is measured once, and above which no larger size is measured.
const LONG: f64 = 1e6;
const TOO_LONG: f64 = 1e7;
/// Number of measurements of a size.
const TIMES: usize = 3;
/// Tokenizers, by vocabulary size.
const TOKENIZERS: [&str; 3] = ["llama2", inputs::LLAMA, "gemma3"];
/// Number of schemas that are compiled for each vocabulary.
const SCHEMAS: usize = 40;

/// Far above the defaults, which the largest sizes meet.
const LIMITS: NetworkLimits = NetworkLimits {
    rule_states: 1 << 24,
    states: 1 << 24,
    rules: 1 << 24,
    packed_texts: 1,
    count_dependent_states: 1 << 12,
    deterministic_states: 1 << 14,
};

const COLUMNS: [&str; 10] = [
    "from",
    "to",
    "ms at from",
    "ms at to",
    "front end, %",
    "exponent of time",
    "at the end",
    "kB at from",
    "kB at to",
    "exponent of size",
];

/// One size, measured.
#[derive(Clone, Copy, Debug)]
struct Point {
    size: f64,
    /// Microseconds in all, and those of the front end.
    time: f64,
    front_end: f64,
    bytes: f64,
}

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let mut curves = Vec::new();
    let mut stopped = Vec::new();
    for family in FAMILIES {
        let (points, end) = grow(&bench.ours, &family)?;
        stopped.extend(end.map(|reason| format!("{} {reason}", family.name)));
        curves.push((family.name, points));
    }
    curves.push(("tokens of the vocabulary", vocabularies(bench)?));
    let mut grid = Grid::new("what grows", COLUMNS.to_vec());
    for (name, points) in &curves {
        row(&mut grid, name, points);
    }
    for (name, title, axis, of) in [
        ("scaling-time", "Compile time, one thread", "ms", (|p| p.time / 1e3) as fn(&Point) -> f64),
        ("scaling-size", "Size of the artifact", "kB", |p| p.bytes / 1e3),
    ] {
        let series = curves.iter().map(|(name, points)| Series {
            name: (*name).to_owned(),
            points: points.iter().map(|point| (point.size, of(point))).collect(),
        });
        report.plot(Plot {
            name,
            title: title.to_owned(),
            axes: ["size", axis],
            log_y: true,
            marks: Marks::Line,
            series: series.collect(),
        });
    }
    writeln!(report, "\n## Scaling\n\nCPU time on one thread\n")?;
    write!(report, "{grid}")?;
    for reason in stopped {
        writeln!(report, "\n{reason}")?;
    }
    Ok(())
}

/// Measures the sizes of a family. If it stops before the last size, also returns the size and the reason.
fn grow(ours: &Ours, family: &Family) -> io::Result<(Vec<Point>, Option<String>)> {
    let mut points: Vec<Point> = Vec::new();
    for &size in family.sizes {
        let example = (family.example)(size);
        let mut samples: [Samples; 2] = Default::default();
        let mut bytes = 0.0;
        for _ in 0..TIMES {
            let (time, front_end, artifact) = match compile(ours, &example.schema.to_string()) {
                Ok(compiled) => compiled,
                Err(error) => return Ok((points, Some(format!("stop before {size}: {error}")))),
            };
            check(&artifact, &example)
                .map_err(|wrong| io::Error::other(format!("{}, {size}: {wrong}", family.name)))?;
            bytes = artifact.container().buffer().len() as f64;
            samples[0].push(time);
            samples[1].push(front_end);
            if time > LONG {
                break;
            }
        }
        let [time, front_end] = samples.each_ref().map(Samples::median);
        points.push(Point { size: size as f64, time, front_end, bytes });
        if time > TOO_LONG && Some(&size) != family.sizes.last() {
            return Ok((points, Some(format!("stop at {size}: it takes too long"))));
        }
    }
    Ok((points, None))
}

/// Microseconds of all and of the front end, and the artifact.
fn compile(ours: &Ours, schema: &str) -> Result<(f64, f64, GrammarArtifact), String> {
    let text = Text::JsonSchema(schema);
    let options = CompileOptions::default().network_limits(LIMITS);
    let start = Clock::Cpu.now();
    let budget = Budget::new();
    let lowered = text.lower(&budget);
    let front_end = Clock::Cpu.now() - start;
    let lowered =
        lowered.map_err(|found| found.first().map(ToString::to_string).unwrap_or_default())?;
    let compiled = ours.compiler.compile(&lowered, text.kind(), &options, &budget);
    let buffer = compiled.and_then(|compiled| compiled.to_buffer(&ours.compiler));
    let time = Clock::Cpu.now() - start;
    let buffer = buffer.map_err(|error| error.to_string())?;
    let artifact = GrammarArtifact::from_buffer(buffer, ours.artifact());
    Ok((time, front_end, artifact.map_err(|error| error.to_string())?))
}

/// Holds a grammar against the texts of its example.
fn check(artifact: &GrammarArtifact, example: &Example) -> Result<(), String> {
    let grammar = Grammar::from_artifact(artifact.clone());
    let takes = |text: &str| {
        let mut matcher = ByteMatcher::new(&grammar);
        matcher.accept(text.as_bytes()).is_ok() && matcher.is_accepting()
    };
    match (takes(&example.valid), takes(&example.invalid)) {
        (true, false) => Ok(()),
        (false, _) => Err("a valid text is refused".to_owned()),
        (_, true) => Err("an invalid text is taken".to_owned()),
    }
}

/// Measures the sum over the same schemas, for vocabularies of three sizes.
fn vocabularies(bench: &Bench) -> io::Result<Vec<Point>> {
    let mut points = Vec::new();
    for name in TOKENIZERS {
        let other = if name == inputs::LLAMA { None } else { Ours::of(name) };
        let ours = match &other {
            Some(other) => other,
            None if name == inputs::LLAMA => &bench.ours,
            None => continue,
        };
        let size = f64::from(ours.artifact().token_count());
        let mut point = Point { size, time: 0.0, front_end: 0.0, bytes: 0.0 };
        for case in bench.cases.iter().take(SCHEMAS) {
            let schema = case.schema.to_string();
            let mut samples: [Samples; 2] = Default::default();
            for _ in 0..TIMES {
                let compiled = compile(ours, &schema);
                let (time, front_end, artifact) = compiled.map_err(|error| {
                    io::Error::other(format!("{} for {name}: {error}", case.id))
                })?;
                samples[0].push(time);
                samples[1].push(front_end);
                if samples[0].len() == TIMES {
                    point.bytes += artifact.container().buffer().len() as f64;
                }
            }
            point.time += samples[0].median();
            point.front_end += samples[1].median();
        }
        points.push(point);
    }
    Ok(points)
}

/// Adds a curve to the table.
fn row(grid: &mut Grid, name: &str, points: &[Point]) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let curve = |of: fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.size, of(point))).collect()
    };
    let times = curve(|point| point.time);
    let figures = [
        Some(first.size),
        Some(last.size),
        Some(first.time / 1e3),
        Some(last.time / 1e3),
        Some(100.0 * last.front_end / last.time),
        exponent(&times),
        exponent(&times[times.len().saturating_sub(2)..]),
        Some(first.bytes / 1e3),
        Some(last.bytes / 1e3),
        exponent(&curve(|point| point.bytes)),
    ];
    for (column, figure) in COLUMNS.iter().zip(figures) {
        if let Some(figure) = figure {
            grid.set(name, column, figure);
        }
    }
}
