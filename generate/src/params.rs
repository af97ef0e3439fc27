//! The parameters of one generation: how tokens are drawn, what the output must match, and when it
//! ends.

use std::time::Duration;

use crate::grammar::Grammar;
use crate::json_mode::JsonModeConfig;

/// Maximum number of stop strings of one generation. More are an error of the parameters.
pub const MAX_STOP_STRINGS: usize = 16;
/// Maximum number of alternatives (likeliest tokens) that are listed for each token. A higher
/// number is an error of the parameters.
pub const MAX_TOP_LOGPROBS: u32 = 20;

/// A parameter of a generation is wrong or unsupported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{parameter}: {reason}")]
pub struct ParamsError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The reason why the parameter is wrong.
    pub reason: String,
}

impl ParamsError {
    pub(crate) fn new(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self { parameter, reason: reason.into() }
    }
}

/// The parameters of one generation.
///
/// ```
/// use grammarc_generate::{GenerateParams, JsonModeConfig};
///
/// let schema = r#"{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}"#.parse()?;
/// let params = GenerateParams {
///     max_tokens: 200,
///     temperature: 0.0,
///     json_mode: Some(JsonModeConfig { schema: Some(schema), ..JsonModeConfig::default() }),
///     ..GenerateParams::default()
/// };
/// params.check()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GenerateParams {
    /// Maximum number of tokens of the output, at least 1. An end token does not count.
    pub max_tokens: usize,
    /// Temperature: divides the logits before the draw. At 0 the most likely token is always taken.
    pub temperature: f32,
    /// Nucleus sampling: draws from the smallest set of likeliest tokens whose probabilities sum to
    /// at least this number. 1 keeps all tokens.
    pub top_p: f32,
    /// Draws only from this number of likeliest tokens. 0 keeps all tokens.
    pub top_k: u32,
    /// Excludes tokens whose probability is below this fraction of the highest probability. 0 keeps
    /// all tokens.
    pub min_p: f32,
    /// Penalties on tokens that have already occurred.
    pub penalties: Penalties,
    /// Pairs of a token id and a number that is added to the token's logit.
    pub logit_bias: Vec<(u32, f32)>,
    /// Seed of the random numbers: equal seeds give equal draws. `None` selects a new seed, which
    /// [`Usage::seed`](crate::output::Usage::seed) reports.
    pub seed: Option<u64>,
    /// The settings of JSON mode. Must be `None` if `constraint` is set.
    pub json_mode: Option<JsonModeConfig>,
    /// The grammar that the output has to match. Must be `None` if `json_mode` is set.
    pub constraint: Option<Grammar>,
    /// Stop strings: texts that end the output and are not part of it. Under a grammar, a stop
    /// string only counts if the text before it matches the grammar.
    pub stop: Vec<String>,
    /// Ids of the tokens that end the output. `None` uses the vocabulary's end tokens.
    pub end_tokens: Option<Vec<u32>>,
    /// Whether special tokens and tokens with an empty text also end the output, at positions where
    /// it may end. For models whose end token is missing in the vocabulary.
    pub empty_tokens_end: bool,
    /// Ends the output if the tokens that the grammar allows are too unlikely. `None` sets no
    /// limit.
    pub prob_limit: Option<ProbLimit>,
    /// When to stop an output that already matches its grammar.
    pub early_stop: EarlyStop,
    /// Whether a token may continue past the end of the grammar's text. The excess is removed:
    /// `27.00,` gives `27.00`. For models whose tokens cross the grammar's end.
    pub overshoot: bool,
    /// What happens when the output reaches `max_tokens`.
    pub on_length: OnLength,
    /// Whether tokens that the grammar forces are added without a call of the model.
    pub forced: Forced,
    /// Which log probabilities to return. `None` returns none.
    pub logprobs: Option<Logprobs>,
    /// The tags and limits of reasoning before the output. `None` expects no reasoning.
    pub reasoning: Option<Reasoning>,
    /// Time limit of the generation. A generation that reaches it ends with the text so far. `None`
    /// sets no limit.
    pub deadline: Option<Duration>,
}

impl Default for GenerateParams {
    fn default() -> Self {
        Self {
            max_tokens: 512,
            temperature: 1.0,
            top_p: 1.0,
            top_k: 0,
            min_p: 0.0,
            penalties: Penalties::default(),
            logit_bias: Vec::new(),
            seed: None,
            json_mode: None,
            constraint: None,
            stop: Vec::new(),
            end_tokens: None,
            empty_tokens_end: false,
            prob_limit: None,
            early_stop: EarlyStop::default(),
            overshoot: false,
            on_length: OnLength::default(),
            forced: Forced::default(),
            logprobs: None,
            reasoning: None,
            deadline: None,
        }
    }
}

/// Penalties on tokens that have already occurred. The default values have no effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalties {
    /// Frequency penalty: for each token of the output, subtracted from its logit once for each
    /// occurrence.
    pub frequency: f32,
    /// Presence penalty: for each token of the output, subtracted from its logit once.
    pub presence: f32,
    /// Repetition penalty: for each token of the prompt or output, divides a positive logit and
    /// multiplies a negative one. 1 has no effect.
    pub repetition: f32,
}

impl Default for Penalties {
    fn default() -> Self {
        Self { frequency: 0.0, presence: 0.0, repetition: 1.0 }
    }
}

/// A lower limit on the probability of the allowed tokens. The output ends below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbLimit {
    /// Threshold for the total probability of all allowed tokens, from 0 to 1.
    pub below: f32,
    /// Number of consecutive tokens that have to be below the threshold, at least 1.
    pub patience: u32,
}

/// When to stop an output that already matches its grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EarlyStop {
    /// Stops when nothing else can follow, or when the model chooses an end token.
    #[default]
    MustEnd,
    /// Stops as soon as the output matches the grammar.
    First,
    /// Stops at the first token that leaves the grammar. The output is then the longest prefix of
    /// the tokens' text that matches the grammar. Implies `overshoot`.
    Longest,
}

/// What happens when an output reaches `max_tokens`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLength {
    /// Truncates the output after its last token.
    #[default]
    Truncate,
    /// Closes the output. When the remaining tokens just suffice for a shortest text to the
    /// grammar's end, this text is added. If `max_tokens` is below the grammar's shortest text, the
    /// parameters are an error.
    Close,
}

/// Whether tokens that the grammar forces are added without a call of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    /// Calls the model for every token, forced or not.
    Off,
    /// Adds a token without a call if the grammar allows no other. The tokens of the output are the
    /// same as with calls.
    Exact,
    /// Adds bytes without a call if the grammar allows no others, encoded by the model's tokenizer.
    /// Without a tokenizer, this is the same as `Exact`.
    #[default]
    Canonical,
    /// Drafts these bytes, encoded by the model's tokenizer, and has the model verify them: one call
    /// reads several tokens. The tokens of the output are the same as with a call for each. Without
    /// a tokenizer, this is the same as `Off`.
    Draft,
}

/// Which log probabilities to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logprobs {
    /// Number of likeliest tokens to list for each position, at most [`MAX_TOP_LOGPROBS`].
    pub top: u32,
    /// Whether probabilities are relative to the allowed tokens only. Otherwise they are relative
    /// to all tokens.
    pub masked: bool,
}

/// Reasoning before the output, between an opening and a closing tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasoning {
    /// Text of the opening tag.
    pub open: String,
    /// Text of the closing tag.
    pub close: String,
    /// Whether the prompt ends within the reasoning. `None` decides by whether the prompt ends with
    /// the opening tag.
    pub prefilled: Option<bool>,
    /// Maximum number of tokens before the closing tag is added. `None` sets no limit.
    pub max_tokens: Option<usize>,
}

impl Default for Reasoning {
    /// Returns the tags `<think>` and `</think>`, without a limit.
    fn default() -> Self {
        let (open, close) = ("<think>".to_owned(), "</think>".to_owned());
        Self { open, close, prefilled: None, max_tokens: None }
    }
}

impl GenerateParams {
    /// Checks the parameters as far as possible without a model.
    ///
    /// # Errors
    ///
    /// The first parameter that is out of its range or contradicts another.
    pub fn check(&self) -> Result<(), ParamsError> {
        let wrong = |parameter, reason: String| Err(ParamsError::new(parameter, reason));
        let within = |parameter, value: f32, least: f32, most: f32| {
            let fits = (least..=most).contains(&value);
            let reason = format!("{value} is not between {least} and {most}");
            if fits { Ok(()) } else { Err(ParamsError::new(parameter, reason)) }
        };
        if self.max_tokens == 0 {
            return wrong("max_tokens", "there is no output without a token".to_owned());
        }
        within("temperature", self.temperature, 0.0, 100.0)?;
        within("top_p", self.top_p, f32::MIN_POSITIVE, 1.0)?;
        within("min_p", self.min_p, 0.0, 1.0)?;
        within("penalties.frequency", self.penalties.frequency, -2.0, 2.0)?;
        within("penalties.presence", self.penalties.presence, -2.0, 2.0)?;
        within("penalties.repetition", self.penalties.repetition, f32::MIN_POSITIVE, 100.0)?;
        for &(token, bias) in &self.logit_bias {
            if !bias.is_finite() {
                return wrong("logit_bias", format!("{bias} for token {token} is not finite"));
            }
        }
        if self.stop.len() > MAX_STOP_STRINGS {
            return wrong("stop", format!("more than {MAX_STOP_STRINGS} texts"));
        }
        if self.stop.iter().any(String::is_empty) {
            return wrong("stop", "an empty text would end every output".to_owned());
        }
        if let Some(limit) = self.prob_limit {
            within("prob_limit.below", limit.below, 0.0, 1.0)?;
            if limit.patience == 0 {
                return wrong("prob_limit.patience", "0 tokens in a row are none".to_owned());
            }
        }
        if let Some(logprobs) = self.logprobs
            && logprobs.top > MAX_TOP_LOGPROBS
        {
            return wrong("logprobs.top", format!("more than {MAX_TOP_LOGPROBS}"));
        }
        if let Some(reasoning) = &self.reasoning
            && (reasoning.open.is_empty() || reasoning.close.is_empty())
        {
            return wrong("reasoning", "both tags are texts".to_owned());
        }
        if self.json_mode.is_some() && self.constraint.is_some() {
            return wrong(
                "constraint",
                "there is a `json_mode` already; give one of them".to_owned(),
            );
        }
        if !self.is_constrained() {
            return self.check_without_grammar();
        }
        Ok(())
    }

    /// Whether a grammar masks the tokens of the output.
    pub fn is_constrained(&self) -> bool {
        self.constraint.is_some()
            || self.json_mode.as_ref().is_some_and(|mode| mode.constrained_decoding)
    }

    /// Whether tokens may continue past the end of the grammar's text.
    pub fn overshoots(&self) -> bool {
        self.overshoot || self.early_stop == EarlyStop::Longest
    }

    /// Fails if a parameter is set that has an effect only with a grammar.
    fn check_without_grammar(&self) -> Result<(), ParamsError> {
        let of_grammars = [
            ("prob_limit", self.prob_limit.is_some()),
            ("early_stop", self.early_stop != EarlyStop::MustEnd),
            ("overshoot", self.overshoot),
            ("on_length", self.on_length == OnLength::Close),
        ];
        match of_grammars.into_iter().find(|(_, given)| *given) {
            Some((parameter, _)) => {
                let reason = "it needs a grammar: give `constraint`, or `json_mode` with constrained decoding";
                Err(ParamsError::new(parameter, reason))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_out_of_its_range_is_named() {
        let base = GenerateParams::default();
        let all = [
            ("max_tokens", GenerateParams { max_tokens: 0, ..base.clone() }),
            ("temperature", GenerateParams { temperature: f32::NAN, ..base.clone() }),
            ("top_p", GenerateParams { top_p: 0.0, ..base.clone() }),
            ("min_p", GenerateParams { min_p: 1.5, ..base.clone() }),
            ("logit_bias", GenerateParams { logit_bias: vec![(1, f32::INFINITY)], ..base.clone() }),
            ("stop", GenerateParams { stop: vec![String::new()], ..base.clone() }),
            ("on_length", GenerateParams { on_length: OnLength::Close, ..base.clone() }),
            ("overshoot", GenerateParams { overshoot: true, ..base.clone() }),
            (
                "constraint",
                GenerateParams {
                    json_mode: Some(JsonModeConfig::default()),
                    constraint: Some(Grammar::json()),
                    ..base.clone()
                },
            ),
        ];
        base.check().expect("the defaults are right");
        for (parameter, params) in all {
            assert_eq!(params.check().unwrap_err().parameter, parameter);
        }
    }
}
