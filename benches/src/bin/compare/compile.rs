//! From the text of a schema to the first mask.
//!
//! Ours: lower and compile the text with all masks, make an artifact for this process, and fill the first mask.
//! Measured for documents in compact text with canonical numbers, and also in the default text form. The peer's:
//! parse the text, create the parser, and compute the first mask. Our first token of a grammar costs more, because it
//! derives the tables for reading; the table shows this after the sum.
//!
//! Each round takes the engines in turn, on the same thread, so that neither finds its caches on another core. A
//! schema's figure is the median of its rounds. The single thread is measured in CPU time of the process, before a
//! compiler with several threads has started any: those stay awake for a while after their work.

use std::io::{self, Write};

use grammarc_benches::clock::Clock;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::peer::{self, Peer};
use grammarc_benches::plot::{Marks, Plot, Series};
use grammarc_benches::table::{Samples, Table};
use grammarc_benches::threads;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::{Grammar, Matcher};

use crate::report::Report;
use crate::{Bench, ROUNDS};

/// Parts of our time, in microseconds.
pub(crate) const PARTS: [&str; 6] = [
    "front end",
    "network and masks",
    "artifact and opening",
    "first mask",
    "all",
    "afterwards, the first token accepted",
];
pub(crate) const ALL: usize = 4;
const FIRST_TOKEN: usize = 5;

/// A setting in which ours is measured.
struct Setting {
    name: String,
    clock: Clock,
    ours: Ours,
    parts: [Samples; PARTS.len()],
    /// For the default text form, all parts together.
    natural: Samples,
}

impl Setting {
    fn new(name: String, clock: Clock, ours: Ours) -> Self {
        Self { name, clock, ours, parts: Default::default(), natural: Samples::default() }
    }
}

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let threads = threads::at_once();
    let wall = Clock::wall();
    let mut settings = [
        Setting::new("1 thread, CPU time".to_owned(), Clock::Cpu, bench.ours.on_threads(1)),
        Setting::new(format!("{threads} threads, wall time"), wall, bench.ours.on_threads(threads)),
    ];
    let mut theirs: [Samples; 2] = Default::default();
    for (setting, theirs) in settings.iter_mut().zip(&mut theirs) {
        for case in &bench.cases {
            let schema = case.schema.to_string();
            let mut ours: [Samples; PARTS.len()] = Default::default();
            let (mut natural, mut their) = (Samples::default(), Samples::default());
            for _ in 0..ROUNDS {
                let text = Text::JsonSchema(&schema);
                let times = our_first_mask(&setting.ours, setting.clock, text);
                ours.iter_mut().zip(times).for_each(|(round, time)| round.push(time));
                let text = Text::Natural(&schema);
                natural.push(our_first_mask(&setting.ours, setting.clock, text)[ALL]);
                their.push(their_first_mask(&bench.canonical, setting.clock, &schema));
            }
            let rounds = setting.parts.iter_mut().zip(&ours);
            rounds.for_each(|(all, round)| all.push(round.median()));
            setting.natural.push(natural.median());
            theirs.push(their.median());
        }
    }
    writeln!(
        report,
        "\n## Schema to first mask\n\n{} schemas; CPU time is the process's; µs\n",
        bench.cases.len()
    )?;
    let mut table = Table::new("time");
    for (Setting { name, parts, natural, .. }, theirs) in settings.iter().zip(&theirs) {
        for (part, samples) in PARTS.iter().zip(parts) {
            table.row(format!("grammarc, {name}: {part}"), samples);
        }
        table.row(format!("grammarc, natural text, {name}: {}", PARTS[ALL]), natural);
        table.ratio(
            format!("ratio of percentiles, natural to compact, {name}"),
            natural,
            &parts[ALL],
        );
        table.row(
            format!("ratio by schema, natural to compact, {name}"),
            &natural.over(&parts[ALL]),
        );
        table.row(format!("llguidance, beside {name}"), theirs);
        table.ratio(format!("ratio of percentiles, {name}"), &parts[ALL], theirs);
        table.row(format!("ratio by schema, {name}"), &parts[ALL].over(theirs));
    }
    for peer in &bench.recorded {
        let (mut ours, mut theirs) = (Samples::default(), Samples::default());
        for (case, our) in bench.cases.iter().zip(settings[0].parts[ALL].iter()) {
            let Some(their) = peer.compile(&case.id) else { continue };
            ours.push(our);
            theirs.push(their);
        }
        let name = &peer.engine;
        table.row(format!("{name}, {} schemas", theirs.len()), &theirs);
        table.row(format!("grammarc, 1 thread, the schemas of {name}"), &ours);
        table.ratio(format!("ratio of percentiles, {name}"), &ours, &theirs);
        table.row(format!("ratio by schema, {name}"), &ours.over(&theirs));
    }
    report.plot(plot(bench, &settings[0].parts[ALL], &theirs[0]));
    write!(report, "{table}")
}

/// Times against the length of the schema's text.
fn plot(bench: &Bench, ours: &Samples, theirs: &Samples) -> Plot {
    let lengths = || bench.cases.iter().map(|case| case.schema.to_string().len() as f64);
    let series = [("grammarc, all masks", ours), ("llguidance, first mask", theirs)];
    let series = series.map(|(name, samples)| Series {
        name: name.to_owned(),
        points: lengths().zip(samples.iter()).collect(),
    });
    Plot {
        name: "compile",
        title: "From a schema to its first mask, one thread".to_owned(),
        axes: ["bytes of the schema", "µs"],
        log_y: true,
        marks: Marks::Dots,
        series: series.to_vec(),
    }
}

/// Times of the parts of ours, and of all.
pub(crate) fn our_first_mask(ours: &Ours, clock: Clock, text: Text<'_>) -> [f64; PARTS.len()] {
    let options = CompileOptions::default();
    let (compiler, budget) = (&ours.compiler, Budget::new());
    let mut times = [0.0; PARTS.len()];
    let start = clock.now();
    let mut last = start;
    let mut lap = |part: usize| {
        let now = clock.now();
        times[part] = now - last;
        last = now;
    };
    let lowered = text.lower(&budget).expect("it compiled before");
    lap(0);
    let compiled = compiler.compile(&lowered, text.kind(), &options, &budget);
    lap(1);
    let artifact = compiled.expect("it compiled before").to_artifact(compiler);
    let grammar = Grammar::from_artifact(artifact.expect("it fits"));
    lap(2);
    let mut matcher = Matcher::new(&grammar);
    let mut words = vec![0; (matcher.logit_width() as usize).div_ceil(32)];
    matcher.mask().fill(&mut words).expect("a whole row");
    lap(3);
    times[ALL] = last - start;
    let allowed = words.iter().position(|&word| word != 0).expect("a token");
    let token = allowed as u32 * u32::BITS + words[allowed].trailing_zeros();
    let start = clock.now();
    matcher.accept(token).expect("the mask allows it");
    times[FIRST_TOKEN] = clock.now() - start;
    times
}

/// The peer's time.
pub(crate) fn their_first_mask(peer: &Peer, clock: Clock, schema: &str) -> f64 {
    let start = clock.now();
    let matcher = peer.matcher(peer::Text::JsonSchema(schema));
    let mask = matcher.expect("it compiled before").compute_mask_or_eos();
    let time = clock.now() - start;
    assert!(mask.is_ok());
    time
}
