//! The parts that a decoder needs at its start.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use grammarc_artifacts::TokenKind;
use grammarc_runtime::{Grammar, Matcher, MatcherOptions, Vocabulary};

use crate::encode::Encode;
use crate::error::GenerateError;
use crate::grammars::{Affixes, GrammarError, Grammars, Prefix};
use crate::params::GenerateParams;

/// The inputs of a decoder besides parameters: vocabulary, tokenizer, prompt and compiled grammars.
pub struct Setup {
    /// The model's vocabulary.
    pub vocabulary: Vocabulary,
    /// Length of the model's row of logits.
    pub logit_width: u32,
    /// Length of the longest token in bytes: [`longest_token`] of the vocabulary, which a backend computes once.
    pub longest_token: usize,
    /// The tokenizer, for runs of forced bytes and for the closing tag of the reasoning.
    pub encoder: Option<Arc<dyn Encode>>,
    /// The tokens of the prompt.
    pub prompt: Vec<u32>,
    /// Whether the prompt ends within the reasoning.
    pub in_reasoning: bool,
    /// Number of the output among those of one prompt. It selects the random numbers.
    pub choice: u32,
    /// The compiled grammars.
    pub grammars: CompiledGrammars,
}

/// Returns the length of the longest token in bytes. O(tokens).
pub fn longest_token(vocabulary: &Vocabulary) -> usize {
    let tokens = 0..vocabulary.artifact().token_count();
    tokens.map(|token| vocabulary.token_bytes(token).len()).max().unwrap_or(0)
}

/// The grammars of one generation, compiled.
#[derive(Clone, Debug, Default)]
pub struct CompiledGrammars {
    /// The grammar of the masks: reasoning, output and text after it. `None` without a constraint.
    pub masks: Option<Grammar>,
    /// The grammar of a whole output, reasoning included. Differs from `masks` if text may follow.
    pub whole: Option<Grammar>,
    /// The grammar of the output without the reasoning.
    pub output: Option<Grammar>,
}

impl CompiledGrammars {
    /// Compiles the grammars that the parameters need. Setting the flag `cancel` ends the compilation.
    ///
    /// # Errors
    ///
    /// A grammar does not compile.
    pub fn compile(
        params: &GenerateParams,
        in_reasoning: bool,
        grammars: &Grammars,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Result<Self, GenerateError> {
        let compiled = Self::by(params, in_reasoning, |grammar, affixes| {
            grammars.compile_with(grammar, affixes, cancel).map(Some)
        });
        Ok(compiled?.unwrap_or_default())
    }

    /// Returns the grammars that the parameters need. `None` if one of them has to be compiled.
    ///
    /// # Errors
    ///
    /// An earlier compilation of a grammar failed.
    pub fn kept(
        params: &GenerateParams,
        in_reasoning: bool,
        grammars: &Grammars,
    ) -> Result<Option<Self>, GenerateError> {
        Self::by(params, in_reasoning, |grammar, affixes| grammars.kept(grammar, affixes))
    }

    /// Gets each grammar that the parameters need from `get`. `None` if `get` returns `None` for one of them.
    fn by(
        params: &GenerateParams,
        in_reasoning: bool,
        get: impl Fn(&crate::grammar::Grammar, &Affixes<'_>) -> Result<Option<Grammar>, GrammarError>,
    ) -> Result<Option<Self>, GenerateError> {
        let from_mode = params.json_mode.as_ref().and_then(|mode| mode.grammar());
        let asked = params.constraint.clone().or(from_mode);
        let any = || crate::grammar::Grammar::from_gbnf("root ::= .*");
        let Some(grammar) = asked.or_else(|| params.reasoning.as_ref().map(|_| any())) else {
            return Ok(Some(Self::default()));
        };
        let reasoning = params.reasoning.as_ref();
        let prefix = reasoning.map(|reasoning| Prefix { reasoning, is_open: in_reasoning });
        let affixes = Affixes { prefix, has_suffix: params.overshoots() };
        let Some(masks) = get(&grammar, &affixes)? else { return Ok(None) };
        let whole = match affixes.has_suffix {
            true => get(&grammar, &Affixes { has_suffix: false, ..affixes })?,
            false => Some(masks.clone()),
        };
        let output = match prefix {
            Some(_) => get(&grammar, &Affixes::default())?,
            None => whole.clone(),
        };
        let (Some(whole), Some(output)) = (whole, output) else { return Ok(None) };
        Ok(Some(Self { masks: Some(masks), whole: Some(whole), output: Some(output) }))
    }
}

impl Setup {
    /// Returns the tokens that end the output.
    pub(super) fn end_tokens(&self, params: &GenerateParams) -> Vec<u32> {
        let own = || self.vocabulary.end_tokens().to_vec();
        let mut ends = params.end_tokens.clone().unwrap_or_else(own);
        if params.empty_tokens_end {
            let artifact = self.vocabulary.artifact();
            let is_empty = |&token: &u32| match artifact.token_kind(token) {
                TokenKind::Special => true,
                TokenKind::Text => self.vocabulary.token_bytes(token).is_empty(),
                TokenKind::Unused => false,
            };
            ends.extend((0..artifact.token_count()).filter(is_empty));
        }
        ends
    }

    /// Returns the tokens of the reasoning's closing tag. Without a bound on the reasoning there are none.
    ///
    /// # Errors
    ///
    /// The reasoning is bounded, and there is no tokenizer.
    pub(super) fn closing_tag(&self, params: &GenerateParams) -> Result<Vec<u32>, GenerateError> {
        let bounded = params.reasoning.as_ref().filter(|reasoning| reasoning.max_tokens.is_some());
        let tokens = match (bounded, &self.encoder) {
            (Some(reasoning), Some(encoder)) => encoder.prompt(&reasoning.close),
            (Some(_), None) => None,
            (None, _) => Some(Vec::new()),
        };
        tokens.ok_or(GenerateError::Unsupported {
            what: "reasoning.max_tokens",
            why: "has no tokenizer to spell the closing tag with",
        })
    }

    /// Returns the matcher of the masks.
    pub(super) fn matcher(&self, end_tokens: &[u32]) -> Result<Option<Matcher>, GenerateError> {
        let Some(grammar) = &self.grammars.masks else { return Ok(None) };
        let options = MatcherOptions::new().logit_width(self.logit_width);
        let options = options.end_tokens(end_tokens.iter().copied());
        Ok(Some(Matcher::with_options(grammar, options)?))
    }
}
