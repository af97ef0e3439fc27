//! `repairers NAME < ROWS > ANSWERS`: the repairer of a crate over rows `{"row", "text"}`, one JSON a line, each with its own time.

use std::io::{BufRead, BufWriter, Write};
use std::time::Instant;

use serde_json::{Value, json};

fn main() {
    let name = std::env::args().nth(1).expect("a name: jsonrepair-rs or jsonrepair");
    let repair: fn(&str) -> Option<String> = match name.as_str() {
        "jsonrepair-rs" => |text| jsonrepair_rs::jsonrepair(text).ok(),
        "jsonrepair" => {
            |text| jsonrepair::repair_to_string(text, &jsonrepair::Options::default()).ok()
        }
        other => panic!("no crate {other}"),
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line.expect("a line")).expect("a row");
        let text = row["text"].as_str().expect("a text");
        let started = Instant::now();
        let answer = repair(text);
        let micros = started.elapsed().as_secs_f64() * 1e6;
        // Python judges what is no JSON.
        let answer = json!({"row": row["row"], "text": answer, "micros": micros});
        writeln!(out, "{answer}").expect("it is written");
    }
}
