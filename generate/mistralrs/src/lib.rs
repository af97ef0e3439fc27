//! Masks of grammarc for the sampler of [mistral.rs](mistralrs): a processor of logits for one request, and a whole backend over it.
//!
//! ```text
//! Grammar ─► GrammarProcessor ─► RequestBuilder::add_logits_processor ─► logits of tokens that are not allowed: −∞
//! ```
//!
//! The sampler hands a processor the logits and all tokens of the sequence, prompt first, and shares it between the choices of
//! a request. So the matcher is behind a lock, and its tokens are compared with the sequence: it continues if the sequence
//! does, and reads another sequence from its start.
//!
//! Processors come before temperature and restrictions, so no sampling can leave the grammar. Once only an end may follow,
//! only the end tokens are left, and the request ends with one.

mod backend;

use std::sync::{Mutex, PoisonError};

use candle_core::{DType, Error, Result, Tensor};
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};
use mistralrs::CustomLogitsProcessor;

pub use backend::MistralBackend;

/// Constrains the outputs of one request to the texts of a grammar. Its vocabulary has to be that of the model.
#[derive(Debug)]
pub struct GrammarProcessor {
    grammar: Grammar,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of tokens of the prompt, known from the first call on.
    prompt: Option<usize>,
    /// Tokens of the output that the matcher has accepted.
    taken: Vec<u32>,
    matcher: Option<Matcher>,
}

impl GrammarProcessor {
    /// Returns a processor for one request.
    pub fn new(grammar: &Grammar) -> Self {
        Self { grammar: grammar.clone(), state: Mutex::default() }
    }

    /// Returns a matcher before the first token, for rows of this width.
    fn matcher(&self, width: usize) -> Result<Matcher> {
        let width = u32::try_from(width).map_err(Error::wrap)?;
        let options = MatcherOptions::new().logit_width(width);
        Matcher::with_options(&self.grammar, options).map_err(Error::wrap)
    }

    /// Masks a row after the tokens of a sequence.
    fn mask(&self, row: &mut [f32], context: &[u32]) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { prompt, taken, matcher } = &mut *state;
        // The first call follows the prompt.
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
