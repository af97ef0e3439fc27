//! Engines that are not crates: the results of a script in `benches/peers`, and its inputs.
//!
//! A script runs in a process of its own, so its times are compared with ours at the same percentiles and never token
//! by token. It reads the schemas and tokens of this run ([`export`]) and the bytes of the same vocabulary. An engine
//! that writes spaces after `,` and `:` gets the tokens of the same instances with spaces.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use grammarc_artifacts::write;
use grammarc_benches::densities::DENSITIES;
use grammarc_benches::inputs;
use grammarc_benches::maskbench::dumps;
use serde::Deserialize;
use serde_json::json;

use crate::Bench;
use crate::texts::Run;

/// The output of a script.
#[derive(Debug, Deserialize)]
pub(crate) struct Recorded {
    /// The engine's name.
    pub(crate) engine: String,
    version: String,
    /// The settings of the engine.
    settings: String,
    cases: BTreeMap<String, CaseTimes>,
    #[serde(default)]
    apply: Vec<ApplyTime>,
}

/// The times of one schema.
#[derive(Debug, Deserialize)]
struct CaseTimes {
    /// Compilation up to the first mask. `None` if the engine rejected the schema or was stopped.
    compile_us: Option<f64>,
    /// By token. `None` if the engine did not accept the text.
    mask_us: Option<Vec<f64>>,
    accept_us: Option<Vec<f64>>,
}

/// The time of one application of a mask to logits.
#[derive(Debug, Deserialize)]
pub(crate) struct ApplyTime {
    pub(crate) dtype: String,
    pub(crate) density: String,
    pub(crate) kernel: String,
    pub(crate) us: f64,
}

impl Recorded {
    /// Reads a script's file.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let bytes = std::fs::read(path)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
    }

    /// One line on the engine.
    pub(crate) fn head(&self) -> String {
        format!("{}: {}, {}", self.engine, self.version, self.settings)
    }

    /// The times of masks and accepts by token. `None` if the engine did not accept the text.
    pub(crate) fn steps(&self, id: &str) -> Option<[&[f64]; 2]> {
        let case = self.cases.get(id)?;
        Some([case.mask_us.as_deref()?, case.accept_us.as_deref()?])
    }

    /// Microseconds from a schema to its first mask. `None` if the engine did not compile the schema in time.
    pub(crate) fn compile(&self, id: &str) -> Option<f64> {
        self.cases.get(id)?.compile_us
    }

    /// Its kernels on logits.
    pub(crate) fn apply(&self) -> &[ApplyTime] {
        &self.apply
    }
}

/// Writes the inputs: the vocabulary, each schema with the tokens of its text, and the densities of masks.
pub(crate) fn export(bench: &Bench, path: &Path) -> io::Result<()> {
    let mut tokens: BTreeMap<&str, [Vec<u32>; 2]> = BTreeMap::new();
    for Run { id, text, tokens: compact, .. } in &bench.runs {
        let spaced = dumps(&serde_json::from_str(text)?);
        tokens.insert(id, [compact.clone(), inputs::tokens(&bench.tokenizer, &spaced)]);
    }
    let cases = bench.cases.iter().map(|case| {
        let [compact, spaced] = [0, 1].map(|form| Some(&tokens.get(case.id.as_str())?[form]));
        json!({
            "id": case.id,
            "schema": case.schema,
            "tokens": compact,
            "spaced_tokens": spaced,
        })
    });
    let mut all = bench.ours.exported();
    let width = bench.ours.artifact().logit_width();
    let densities = DENSITIES.iter().map(|density| {
        let words = density.words(width as usize);
        json!({ "name": density.name, "words": words })
    });
    all["cases"] = cases.collect();
    all["densities"] = densities.collect();
    write::replace(path, all.to_string().as_bytes()).map_err(io::Error::other)
}
