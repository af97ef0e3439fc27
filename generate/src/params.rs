//! The parameters of one generation: how tokens are drawn, what they must spell, and where it ends.

use std::time::Duration;

use crate::grammar::Grammar;
use crate::json_mode::JsonModeConfig;
pub use crate::params_error::ParamsError;

/// Most texts that end a generation.
pub const MAX_STOP_STRINGS: usize = 16;
/// Most likely tokens that are listed beside each token.
pub const MAX_TOP_LOGPROBS: u32 = 20;

/// Parameters of a generation.
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
    /// Most tokens of the output. An end token is none of them.
    pub max_tokens: usize,
    /// Divides the logits; 0 takes the most likely token always.
    pub temperature: f32,
    /// Nucleus sampling: draws from the fewest likeliest tokens whose probabilities sum to at least this. 1 keeps all tokens.
    pub top_p: f32,
    /// How many of the likeliest tokens are drawn from; 0 keeps all.
    pub top_k: u32,
    /// Tokens less likely than this, as a share of the likeliest one's probability, are not drawn; 0 keeps all.
    pub min_p: f32,
    /// Penalties on repeated tokens.
    pub penalties: Penalties,
    /// Numbers added to the logits of tokens.
    pub logit_bias: Vec<(u32, f32)>,
    /// Equal seeds draw equally. None: a new one each time, which the output tells.
    pub seed: Option<u64>,
    /// JSON mode. Must be `None` if `constraint` is set.
    pub json_mode: Option<JsonModeConfig>,
    /// The grammar that the output has to match. Must be `None` if `json_mode` is set.
    pub constraint: Option<Grammar>,
    /// Texts that end the output and are no part of it. Under a grammar, one does so only where the text before it is a text
    /// of the grammar.
    pub stop: Vec<String>,
    /// Tokens that end the output, in place of the vocabulary's.
    pub end_tokens: Option<Vec<u32>>,
    /// Tokens without text end the output too, where its text may end: special tokens and those that spell nothing. For models that
    /// end with another special token than the vocabulary says.
    pub empty_tokens_end: bool,
    /// Ends the output where the model has given up on the grammar.
    pub prob_limit: Option<ProbLimit>,
    /// When to stop an output that already matches its grammar.
    pub early_stop: EarlyStop,
    /// Lets tokens go past the end of the grammar's text, which is cut off then: `27.00,` gives `27.00`. For models whose
    /// tokens hold more than the grammar's end.
    pub overshoot: bool,
    /// What happens to an output that reaches `max_tokens`.
    pub on_length: OnLength,
    /// Whether tokens that are certain are taken without asking the model.
    pub forced: Forced,
    /// Log probabilities of tokens.
    pub logprobs: Option<Logprobs>,
    /// Reasoning before the output.
    pub reasoning: Option<Reasoning>,
    /// Longest time; a generation that takes longer ends as it stands.
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

/// Penalties on tokens that occurred. The defaults do nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalties {
    /// Frequency penalty: subtracted from the logit of each token of the output, times its number of occurrences.
    pub frequency: f32,
    /// Presence penalty: subtracted once from the logit of each token that the output contains.
    pub presence: f32,
    /// Divides a positive logit of a token of the prompt or the output, and multiplies a negative one.
    pub repetition: f32,
}

impl Default for Penalties {
    fn default() -> Self {
        Self { frequency: 0.0, presence: 0.0, repetition: 1.0 }
    }
}

/// A bound below which the tokens that a grammar allows are too unlikely to go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbLimit {
    /// The threshold for the total probability of all allowed tokens, from 0 to 1.
    pub below: f32,
    /// How many tokens in a row it has to be below, at least 1.
    pub patience: u32,
}

/// When to stop an output that already matches its grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EarlyStop {
    /// Stops where nothing else can follow, or where the model chooses an end token.
    #[default]
    MustEnd,
    /// Stops as soon as the output matches.
    First,
    /// Stops at the first token that leaves the grammar: the longest text of it that the output begins with. Implies overshoot.
    Longest,
}

/// The treatment of an output that has no tokens left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLength {
    /// The output is truncated at its last token.
    #[default]
    Truncate,
    /// It is closed: from where the tokens left are just enough for a way to the grammar's end, that way is taken. Fewer
    /// tokens than the shortest text takes are refused before the first.
    Close,
}

/// Whether tokens that the grammar makes certain are taken without asking the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    /// The model is asked for every token.
    Off,
    /// Tokens that alone are allowed are not asked for. The output is the same to the token.
    Exact,
    /// Bytes that alone are allowed are not asked for, and are cut into tokens as the model's tokenizer cuts them. Without
    /// a tokenizer, the same as `Exact`.
    #[default]
    Canonical,
}

/// The log probabilities that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logprobs {
    /// How many of the likeliest tokens are listed beside each, at most [`MAX_TOP_LOGPROBS`].
    pub top: u32,
    /// Probabilities among the allowed tokens; else among all.
    pub masked: bool,
}

/// Reasoning before the output, between two tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasoning {
    /// The tag that opens it.
    pub open: String,
    /// The tag that closes it.
    pub close: String,
    /// Whether the prompt ends within the reasoning. None: it does where the prompt's end says so.
    pub prefilled: Option<bool>,
    /// Most tokens before the closing tag is written.
    pub max_tokens: Option<usize>,
}

impl Default for Reasoning {
    /// `<think>` to `</think>`, without a bound.
    fn default() -> Self {
        let (open, close) = ("<think>".to_owned(), "</think>".to_owned());
        Self { open, close, prefilled: None, max_tokens: None }
    }
}

impl GenerateParams {
    /// Checks all that needs no model.
    ///
    /// # Errors
    ///
    /// The first parameter that is out of its range, or contradicts another.
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

    /// Whether a grammar decides what may come next.
    pub fn is_constrained(&self) -> bool {
        self.constraint.is_some()
            || self.json_mode.as_ref().is_some_and(|mode| mode.constrained_decoding)
    }

    /// Whether tokens may go past the end of the grammar's text.
    pub fn overshoots(&self) -> bool {
        self.overshoot || self.early_stop == EarlyStop::Longest
    }

    /// Parameters that speak of a grammar where there is none.
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
