//! Measures GLRMask on what `compare --export` wrote, and writes what `compare --peers` reads.
//!
//! `RAYON_NUM_THREADS=1 grammarc-bench-glrmask EXPORT OUTPUT`. Compile times are CPU time of the process from the
//! schema's text to the first mask: GLRMask starts a pool of threads for each grammar and works there, while the calling
//! thread waits and has next to no time of its own. The environment alone holds such a pool to one thread, so nothing is
//! measured where it does not. Steps are wall time of one call, the median of five rounds. A text counts where every mask
//! allows its next token and every token is accepted. GLRMask writes one space after each `,` and `:` and takes no other
//! text, so its tokens are those of the instances with spaces.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use glrmask::{Constraint, Grammar, Vocab};
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::{Value, json};

const ROUNDS: usize = 5;

#[derive(Deserialize)]
struct Export {
    /// Bytes by id in hexadecimal; none for a token that is no text.
    tokens: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    schema: Value,
    spaced_tokens: Option<Vec<u32>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [export, output] = &arguments[..] else {
        return Err("expected the export and a file to write".into());
    };
    let set = |name| std::env::var(name).ok();
    if set("RAYON_NUM_THREADS").as_deref() != Some("1") || set("GLRMASK_COMPILE_THREADS").is_some()
    {
        return Err(
            "one thread is measured: set RAYON_NUM_THREADS=1, and no GLRMASK_COMPILE_THREADS"
                .into(),
        );
    }
    let export: Export = serde_json::from_slice(&std::fs::read(export)?)?;
    let tokens = (0..).zip(&export.tokens).filter(|(_, text)| !text.is_empty());
    let vocabulary = Vocab::new(tokens.map(|(id, text)| (id, bytes(text))).collect());
    let mut cases = BTreeMap::new();
    // The library analyses the vocabulary with its first grammar.
    compile("true", &vocabulary)?;
    for case in &export.cases {
        let schema = case.schema.to_string();
        let start = cpu();
        let compiled = compile(&schema, &vocabulary);
        let constraint = match compiled {
            Ok(constraint) => constraint,
            Err(error) => {
                eprintln!("{}: {error}", case.id);
                cases.insert(&case.id, json!({ "error": error }));
                continue;
            }
        };
        let time = cpu() - start;
        let steps = case.spaced_tokens.as_deref().and_then(|tokens| measure(&constraint, tokens));
        let (mask, accept) = steps.unzip();
        cases.insert(&case.id, json!({ "compile_us": time, "mask_us": mask, "accept_us": accept }));
    }
    let result = json!({
        "engine": "GLRMask",
        "version": "0.5.0",
        "settings": "1 thread, CPU time of the process, its own text form, which has spaces after separators",
        "cases": cases,
    });
    std::fs::write(output, result.to_string())?;
    Ok(())
}

/// A grammar with its first mask computed.
fn compile(schema: &str, vocabulary: &Vocab) -> Result<Constraint, String> {
    let grammar = Grammar::from_json_schema(schema).map_err(|error| error.to_string())?;
    let constraint = grammar.compile(vocabulary).map_err(|error| error.to_string())?;
    let mut words = vec![0; constraint.mask_len()];
    constraint.start().fill_mask(&mut words);
    Ok(constraint)
}

/// Microseconds of masks and of accepts by token; none where a token is refused.
fn measure(constraint: &Constraint, tokens: &[u32]) -> Option<(Vec<f64>, Vec<f64>)> {
    let rounds: Vec<Vec<[f64; 2]>> =
        (0..ROUNDS).map(|_| follow(constraint, tokens)).collect::<Option<_>>()?;
    let median = |at: usize, which: usize| {
        let mut times: Vec<f64> = rounds.iter().map(|round| round[at][which]).collect();
        times.sort_unstable_by(f64::total_cmp);
        times[ROUNDS / 2]
    };
    let all = |which| (0..tokens.len()).map(|at| median(at, which)).collect();
    Some((all(0), all(1)))
}

fn follow(constraint: &Constraint, tokens: &[u32]) -> Option<Vec<[f64; 2]>> {
    let mut state = constraint.start();
    let mut words = vec![0; constraint.mask_len()];
    let mut steps = Vec::with_capacity(tokens.len());
    for &token in tokens {
        let start = Instant::now();
        state.fill_mask(&mut words);
        let mask = start.elapsed().as_secs_f64() * 1e6;
        if words[(token / 32) as usize] >> (token % 32) & 1 == 0 {
            return None;
        }
        let start = Instant::now();
        let accepted = state.commit_token(token);
        let accept = start.elapsed().as_secs_f64() * 1e6;
        if !accepted {
            return None;
        }
        steps.push([mask, accept]);
    }
    Some(steps)
}

/// CPU microseconds of all threads of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or_default();
    (0..hex.len()).step_by(2).map(digit).collect()
}
