//! Generations of a model that Python runs: the decoder of `grammarc-generate`, token by token.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use grammarc_generate::decoder::{CompiledGrammars, Setup, longest_token};
use grammarc_generate::encode::{Encode, drafter_of};
use grammarc_generate::output::Collector;
use grammarc_generate::{
    EarlyStop, Finish, Forced, GenerateParams, OnLength, Output, Penalties, ProbLimit,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::arrays::{self, Element};
use crate::grammar::Grammar;
use crate::raise;
use crate::tokens::KnownIds;

/// The decoder of one output. Only one thread may use it at a time: a second thread gets an error, because the decoder calls Python's
/// tokenizer and must not block on it.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Decoder {
    inner: Mutex<Running>,
}

/// A decoder and the events that it has sent.
struct Running {
    decoder: grammarc_generate::Decoder,
    /// `None` once the output was returned.
    collector: Option<Collector>,
}

/// The parameters of a generation, by their names in Rust.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Params {
    max_tokens: usize,
    temperature: f32,
    top_p: f32,
    top_k: u32,
    min_p: f32,
    frequency_penalty: f32,
    presence_penalty: f32,
    repetition_penalty: f32,
    logit_bias: Vec<(u32, f32)>,
    seed: Option<u64>,
    stop: Vec<String>,
    end_tokens: Option<Vec<u32>>,
    prob_limit: Option<(f32, u32)>,
    early_stop: String,
    overshoot: bool,
    on_length: String,
    forced: String,
    /// Encodes a text, or returns `None`. For runs of forced bytes.
    spell: Option<Py<PyAny>>,
}

/// A tokenizer in Python.
struct Spell(Py<PyAny>);

impl Encode for Spell {
    fn text(&self, text: &str) -> Option<Vec<u32>> {
        Python::attach(|py| {
            let tokens = self.0.call1(py, (text,)).and_then(|tokens| tokens.extract(py));
            tokens.unwrap_or_else(|error: PyErr| {
                error.write_unraisable(py, None);
                None
            })
        })
    }

    fn prompt(&self, text: &str) -> Option<Vec<u32>> {
        self.text(text)
    }

    fn marked_prompt(&self, text: &str, mark: char) -> Option<Vec<u32>> {
        self.text(&text.replace(mark, ""))
    }
}

impl Params {
    /// Converts the parameters to Rust. Raises `ValueError` for an unknown word of an option.
    fn read(self) -> PyResult<GenerateParams> {
        let early_stops = [
            ("must_end", EarlyStop::MustEnd),
            ("first", EarlyStop::First),
            ("longest", EarlyStop::Longest),
        ];
        let lengths = [("truncate", OnLength::Truncate), ("close", OnLength::Close)];
        let runs = [
            ("off", Forced::Off),
            ("exact", Forced::Exact),
            ("canonical", Forced::Canonical),
            ("draft", Forced::Draft),
        ];
        Ok(GenerateParams {
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            top_p: self.top_p,
            top_k: self.top_k,
            min_p: self.min_p,
            penalties: Penalties {
                frequency: self.frequency_penalty,
                presence: self.presence_penalty,
                repetition: self.repetition_penalty,
            },
            logit_bias: self.logit_bias,
            seed: self.seed,
            stop: self.stop,
            end_tokens: self.end_tokens,
            prob_limit: self.prob_limit.map(|(below, patience)| ProbLimit { below, patience }),
            early_stop: word("early_stop", &self.early_stop, early_stops)?,
            overshoot: self.overshoot,
            on_length: word("on_length", &self.on_length, lengths)?,
            forced: word("forced", &self.forced, runs)?,
            ..GenerateParams::default()
        })
    }
}

/// Returns the value of a word of an option.
fn word<T, const N: usize>(option: &str, given: &str, words: [(&str, T); N]) -> PyResult<T> {
    let known = words.each_ref().map(|(word, _)| *word).join(", ");
    let found = words.into_iter().find(|(word, _)| *word == given);
    let error = || PyValueError::new_err(format!("{option}: {given:?} is none of {known}"));
    found.map(|(_, value)| value).ok_or_else(error)
}

impl Decoder {
    fn lock(&self) -> PyResult<MutexGuard<'_, Running>> {
        match self.inner.try_lock() {
            Ok(running) => Ok(running),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("another thread uses the decoder"))
            }
        }
    }
}

impl Running {
    /// Moves the decoder's events to the collector.
    fn collect(&mut self) {
        let events = self.decoder.events();
        if let Some(collector) = &mut self.collector {
            events.into_iter().for_each(|event| collector.push(event));
        }
    }
}

#[pymethods]
impl Decoder {
    /// Makes an output before its first token. `masks` decides which tokens are allowed. The output is a text of
    /// `whole`, which is the same grammar unless, with overshoot, `masks` allows any text after it. Raises
    /// `ValueError` for a wrong parameter, and `LimitError` if the output cannot be closed within `max_tokens`.
    #[new]
    fn new(
        py: Python<'_>,
        masks: &Bound<'_, Grammar>,
        whole: &Bound<'_, Grammar>,
        prompt: KnownIds,
        logit_width: u32,
        mut params: Params,
    ) -> PyResult<Self> {
        let spell = params.spell.take().map(|spell| Arc::new(Spell(spell)) as Arc<dyn Encode>);
        let (masks, whole) = (masks.get().inner().clone(), whole.get().inner().clone());
        let params = GenerateParams {
            constraint: Some(grammarc_generate::Grammar::artifact(masks.clone())),
            ..params.read()?
        };
        raise::guarded(py, || {
            let made = py.detach(|| {
                let vocabulary = masks.vocabulary().clone();
                let setup = Setup {
                    longest_token: longest_token(&vocabulary),
                    vocabulary,
                    logit_width,
                    drafter: spell.clone().map(|spell| Arc::new(drafter_of(spell))),
                    encoder: spell,
                    prompt: prompt.0,
                    in_reasoning: false,
                    choice: 0,
                    grammars: CompiledGrammars {
                        masks: Some(masks),
                        whole: Some(whole.clone()),
                        output: Some(whole),
                    },
                };
                let mut decoder = grammarc_generate::Decoder::new(params, setup)?;
                decoder.start()?;
                Ok(decoder)
            });
            let decoder = made.map_err(|error| raise::generation(py, &error))?;
            let mut running = Running { decoder, collector: Some(Collector::default()) };
            running.collect();
            Ok(Self { inner: Mutex::new(running) })
        })
    }

    /// Returns the number of tokens that the model keeps, and the tokens after them that it reads next. `None` once
    /// the output has ended.
    fn feed(&self) -> PyResult<Option<(usize, Vec<u32>)>> {
        let running = self.lock()?;
        Ok(running.decoder.feed().map(|feed| (feed.kept, feed.tokens.to_vec())))
    }

    /// Draws the next token from the logits after the last token of `feed`, a row of `float32`, which is changed.
    /// Raises `GrammarcError` if no token can be drawn.
    fn choose(&self, py: Python<'_>, logits: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut plane = arrays::logits_of(logits)?;
        if plane.element != Element::F32 || plane.rows != 1 {
            return Err(PyTypeError::new_err("one row of float32 is expected"));
        }
        raise::guarded(py, || {
            let mut running = self.lock()?;
            let Some(tokens) = running.decoder.feed().map(|feed| feed.tokens.len()) else {
                return Err(PyValueError::new_err("the output has ended"));
            };
            running.decoder.fed(tokens);
            let row = plane.elements::<f32>();
            let chosen = running.decoder.choose(std::iter::once(row));
            chosen.map_err(|error| raise::generation(py, &error))?;
            running.collect();
            Ok(())
        })
    }

    /// Returns the tokens of the output so far.
    fn tokens(&self) -> PyResult<Vec<u32>> {
        Ok(self.lock()?.decoder.tokens().to_vec())
    }

    /// Returns the output as JSON, once it has ended. Raises `ValueError` before the end, and after the first call.
    fn output(&self) -> PyResult<String> {
        let mut running = self.lock()?;
        if running.decoder.finish().is_none() {
            return Err(PyValueError::new_err("the output has not ended"));
        }
        let output = running.collector.take().and_then(Collector::finish);
        let output = output.ok_or_else(|| PyValueError::new_err("the output was taken already"))?;
        Ok(as_json(&output).to_string())
    }
}

/// Converts an output to JSON.
fn as_json(output: &Output) -> Value {
    let (finish, stop) = match &output.finish {
        Finish::Stop => ("stop", None),
        Finish::StopString(text) => ("stop_string", Some(text)),
        Finish::Unlikely => ("unlikely", None),
        Finish::Length { closed: true } => ("closed", None),
        Finish::Length { closed: false } | Finish::Deadline | Finish::Cancelled => ("length", None),
    };
    let usage = output.usage;
    json!({
        "text": output.text,
        "finish": finish,
        "stop": stop,
        "calls": output.calls.iter().map(|call| (&call.name, &call.arguments)).collect::<Vec<_>>(),
        "seed": usage.seed,
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "forced_tokens": usage.forced_tokens,
            "model_calls": usage.model_calls,
        },
    })
}
