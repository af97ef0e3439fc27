//! Tests and times of the kernels on a machine that has a GPU: `grammarc-gpu KIT REPORT [DRIVER] [--quick]`.
//!
//! `run` beside this folder says what is in a kit and calls this program. The report is one table; a wrong result ends the program with an
//! error. With `--quick` it checks results alone, for a sanitizer that slows everything down a hundred times.
#![allow(clippy::print_stdout, reason = "it reports what it does")]

mod correct;
mod driver;
mod kit;
mod serving;
mod table;
mod times;

use std::path::PathBuf;

use kit::Kit;
use table::Table;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    arguments.retain(|argument| argument != "--quick");
    let [folder, report, driver @ ..] = &arguments[..] else {
        panic!("grammarc-gpu KIT REPORT [DRIVER] [--quick]");
    };
    let (folder, driver) = (PathBuf::from(folder), driver.first().map(PathBuf::from));
    let mut kit = Kit::open(&folder, driver.as_deref());
    if quick {
        kit.dry = true;
        kit.grammars.truncate(4);
    }
    let mut table = Table::new(kit.device.name());
    let counts = correct::check(&kit);
    println!("{counts:?}");
    table.row(
        "results that differ from the runtime's",
        counts.wrong,
        format!(
            "{} logits, {} tokens of which {} were left to the host, {} samples",
            counts.logits, counts.tokens, counts.by_host, counts.samples
        ),
    );
    serving::graph(&kit, &mut table);
    if !quick {
        times::apply(&kit, &folder, &mut table);
        times::steps(&kit, &mut table);
        serving::run(&kit, &mut table);
        let usage = kit.device.usage();
        table.row("pool", format!("{} bytes", usage.used), format!("{} held", usage.held));
    }
    let written = grammarc_artifacts::write::replace(report.as_ref(), table.text().as_bytes());
    written.unwrap_or_else(|error| panic!("{report}: {error}"));
    println!("{}", table.text());
    assert_eq!(counts.wrong, 0, "results differ from the runtime's");
}
