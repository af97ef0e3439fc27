//! Constrains the output of [mistral.rs](mistralrs) by grammars: a logits processor for one
//! request, and a whole backend.
//!
//! ```text
//! Grammar ─► GrammarProcessor ─► RequestBuilder::add_logits_processor ─► logits of tokens that are not allowed: −∞
//! ```
//!
//! The sampler passes a processor the logits and all tokens of the sequence, the prompt first. It
//! shares one processor between the choices of a request. So the matcher is behind a lock, and the
//! tokens that it has accepted are compared with the sequence. If the sequence continues them, the
//! matcher continues; otherwise it starts again.
//!
//! Processors run before temperature and other restrictions, so sampling cannot leave the grammar.
//! When only an end may follow, only the end tokens remain, and the request ends with one.

mod backend;

use std::sync::{Mutex, PoisonError};

use candle_core::{DType, Error, Result, Tensor};
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};
use mistralrs::CustomLogitsProcessor;

pub use backend::MistralBackend;

/// A logits processor that constrains one request to a grammar. The grammar's vocabulary has to be
/// that of the model.
#[derive(Debug)]
pub struct GrammarProcessor {
    grammar: Grammar,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of tokens of the prompt. `None` before the first call.
    prompt: Option<usize>,
    /// The tokens of the output that the matcher has accepted.
    taken: Vec<u32>,
    matcher: Option<Matcher>,
}

impl GrammarProcessor {
    /// Creates a processor for one request.
    pub fn new(grammar: &Grammar) -> Self {
        Self { grammar: grammar.clone(), state: Mutex::default() }
    }

    /// Creates a matcher before the first token. `width` is the length of a logit row.
    fn matcher(&self, width: usize) -> Result<Matcher> {
        let width = u32::try_from(width).map_err(Error::wrap)?;
        let options = MatcherOptions::new().logit_width(width);
        Matcher::with_options(&self.grammar, options).map_err(Error::wrap)
    }

    /// Sets the logits of forbidden tokens in `row` to negative infinity. `context` has all tokens
    /// of the sequence before the row.
    fn mask(&self, row: &mut [f32], context: &[u32]) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { prompt, taken, matcher } = &mut *state;
        // At the first call, all tokens belong to the prompt.
        let prompt = *prompt.get_or_insert(context.len());
        let output = context.get(prompt..).unwrap_or_default();
        if !output.starts_with(taken) || matcher.is_none() {
            taken.clear();
            *matcher = Some(self.matcher(row.len())?);
        }
        let Some(matcher) = matcher else { return Ok(()) };
        for &token in &output[taken.len()..] {
            matcher.accept(token).map_err(Error::wrap)?;
            taken.push(token);
        }
        let mask = matcher.mask();
        if mask.is_empty() {
            return Err(Error::msg("no token is allowed, and the text may not end"));
        }
        mask.apply(row).map_err(Error::wrap)
    }
}

impl CustomLogitsProcessor for GrammarProcessor {
    fn apply(&self, logits: &Tensor, context: &[u32]) -> Result<Tensor> {
        let mut row = logits.flatten_all()?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
        self.mask(&mut row, context)?;
        Tensor::from_vec(row, logits.shape(), logits.device())?.to_dtype(logits.dtype())
    }
}
