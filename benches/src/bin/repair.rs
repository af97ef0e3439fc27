//! Compares repairs with known truths: `repair CORPUS [--without-schema] [--every N] [--list KIND] [--answers FILE]`
//!
//! A corpus is a JSON list of rows: `kind` of damage, `text`, `truth`, `schema`, and `file`, whose rows share a
//! schema. Each text is repaired with edits of every grade. The value is the truth (right) or another one (wrong), or
//! there is none (refused). Results that report an equally good reading (ambiguous) have columns of their own. Times
//! are those of one repair, without compiling the schema. Rows are left out if the validator cannot build their
//! schema, or if the truth is not an instance.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use grammarc_benches::table::{Samples, Table};
use grammarc_json::JsonSchema;
use grammarc_json::repair::{RepairOptions, repair};
use serde::Deserialize;
use serde_json::Value;

/// Repairs beside known truths.
#[derive(Parser)]
struct Args {
    /// The corpus.
    corpus: PathBuf,
    /// Any JSON instead of the rows' schemas.
    #[arg(long)]
    without_schema: bool,
    /// Every so many files alone.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Writes the rows of this kind (or `all`) that are not right, one JSON a line, to standard error.
    #[arg(long)]
    list: Option<String>,
    /// Writes the answer to each row that is judged, one JSON a line with the row's number, for `tests/peers/repairers.py`.
    #[arg(long)]
    answers: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Row {
    file: String,
    kind: String,
    text: String,
    truth: Value,
    schema: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    Wrong,
    AmbiguousRight,
    AmbiguousWrong,
    Refused,
}

const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Right, "right"),
    (Outcome::Wrong, "wrong"),
    (Outcome::AmbiguousRight, "ambiguous, right"),
    (Outcome::AmbiguousWrong, "ambiguous, wrong"),
    (Outcome::Refused, "refused"),
];

/// Whether two values are equal, with numbers compared by value.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let rows: Vec<Row> = serde_json::from_str(&fs::read_to_string(&args.corpus)?)?;
    let (mut file, mut files, mut schema) = (String::new(), 0, None);
    let (mut left_out, mut uncompiled) = (0, 0);
    let mut counts: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    let mut times = Samples::default();
    let mut known: BTreeMap<String, Option<JsonSchema>> = BTreeMap::new();
    let mut answers = args.answers.as_ref().map(fs::File::create).transpose()?.map(BufWriter::new);
    for (number, row) in rows.iter().enumerate() {
        if row.file != file {
            file.clone_from(&row.file);
            files += 1;
            if !args.without_schema {
                schema = known
                    .entry(row.file.clone())
                    .or_insert_with(|| {
                        let schema = JsonSchema::from_value(row.schema.clone()).ok()?;
                        uncompiled += usize::from(!schema.prepare());
                        Some(schema)
                    })
                    .clone();
            }
        }
        if files % args.every != 0 {
            continue;
        }
        let judged = args.without_schema
            || schema.as_ref().is_some_and(|schema| schema.is_valid(&row.truth));
        if !judged {
            left_out += 1;
            continue;
        }
        let started = Instant::now();
        let result = repair(&row.text, schema.as_ref(), &RepairOptions::default());
        let time = started.elapsed().as_secs_f64() * 1e6;
        times.push(time);
        if let Some(answers) = &mut answers {
            let (value, ambiguous) = match &result {
                Ok(repaired) => (Some(&repaired.value), repaired.ambiguous),
                Err(_) => (None, false),
            };
            let answer = serde_json::json!({"row": number, "value": value, "refused": value.is_none(), "ambiguous": ambiguous, "micros": time});
            writeln!(answers, "{answer}")?;
        }
        let outcome = match &result {
            Ok(repaired) => match (same(&repaired.value, &row.truth), repaired.ambiguous) {
                (true, false) => Outcome::Right,
                (false, false) => Outcome::Wrong,
                (true, true) => Outcome::AmbiguousRight,
                (false, true) => Outcome::AmbiguousWrong,
            },
            Err(_) => Outcome::Refused,
        };
        if outcome != Outcome::Right
            && args.list.as_ref().is_some_and(|kind| kind == "all" || *kind == row.kind)
        {
            let reported = match &result {
                Ok(repaired) => {
                    serde_json::json!({"text": repaired.text, "edits": format!("{:?}", repaired.edits)})
                }
                Err(error) => serde_json::json!({"error": error.to_string()}),
            };
            eprintln!(
                "{}",
                serde_json::json!({
                    "kind": row.kind, "file": row.file, "outcome": format!("{outcome:?}"), "source": row.text, "result": reported, "truth": row.truth,
                })
            );
        }
        counts.entry(row.kind.clone()).or_default()[outcome as usize] += 1;
    }
    println!("| damage | rows | {} |", OUTCOMES.map(|(_, name)| name).join(" | "));
    println!("| --- | --: | {} |", ["--:"; 5].join(" | "));
    let mut total = [0; 5];
    for (kind, counts) in &counts {
        print_row(kind, counts);
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    print_row("all", &total);
    let sum: usize = total.iter().sum();
    let share = |outcome: Outcome| 100.0 * total[outcome as usize] as f64 / sum.max(1) as f64;
    println!();
    for (outcome, name) in OUTCOMES {
        println!("{name}: {:.2} %", share(outcome));
    }
    let mut table = Table::new("time of a repair, µs");
    table.row("all", &times);
    println!("\n{table}");
    println!("{left_out} rows left out, {uncompiled} schemas without a relaxed schema");
    Ok(())
}

#[expect(clippy::print_stdout, reason = "it is a program")]
fn print_row(kind: &str, counts: &[usize; 5]) {
    let cells = counts.map(|count| count.to_string()).join(" | ");
    println!("| {kind} | {} | {cells} |", counts.iter().sum::<usize>());
}
