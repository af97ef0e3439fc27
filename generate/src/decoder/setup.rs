//! The inputs from which a decoder is created.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use grammarc_artifacts::TokenKind;
use grammarc_runtime::drafter::Drafter;
use grammarc_runtime::{Grammar, Matcher, MatcherOptions, Vocabulary};

use crate::encode::Encode;
use crate::error::GenerateError;
use crate::grammars::{Affixes, GrammarError, Grammars, Prefix};
use crate::params::GenerateParams;

/// The inputs of a decoder besides the parameters: vocabulary, tokenizer, prompt and compiled
/// grammars.
pub struct Setup {
    /// The vocabulary of the model.
    pub vocabulary: Vocabulary,
    /// Number of logits in a row of the model.
    pub logit_width: u32,
    /// Length of the longest token in bytes: the result of [`longest_token`], which a backend
    /// computes once.
    pub longest_token: usize,
    /// The tokenizer, which encodes forced bytes and the closing tag of the reasoning. `None` if
    /// there is none.
    pub encoder: Option<Arc<dyn Encode>>,
    /// Drafts forced tokens in the spelling of the tokenizer, for [`Forced::Draft`](crate::Forced::Draft). `None` if
    /// there is no tokenizer.
    pub drafter: Option<Arc<Drafter>>,
    /// The tokens of the prompt.
    pub prompt: Vec<u32>,
    /// Whether the prompt ends within the reasoning.
    pub in_reasoning: bool,
    /// Number of this output among the outputs of one prompt. It selects the random numbers.
    pub choice: u32,
    /// The compiled grammars that the parameters need.
    pub grammars: CompiledGrammars,
}

/// Returns the length of the longest token of a vocabulary, in bytes. O(tokens).
pub fn longest_token(vocabulary: &Vocabulary) -> usize {
    let tokens = 0..vocabulary.artifact().token_count();
    tokens.map(|token| vocabulary.token_bytes(token).len()).max().unwrap_or(0)
}

/// The compiled grammars of one generation.
#[derive(Clone, Debug, Default)]
pub struct CompiledGrammars {
    /// The grammar whose masks constrain the tokens: reasoning, output, and text after it. `None`
    /// without a constraint.
    pub masks: Option<Grammar>,
    /// The grammar of the reasoning and the output. It differs from `masks` if text may follow the
    /// output.
    pub whole: Option<Grammar>,
    /// The grammar of the output without the reasoning.
    pub output: Option<Grammar>,
}

impl CompiledGrammars {
    /// Compiles the grammars that the parameters need. `in_reasoning` states that the prompt ends
    /// within the reasoning. Setting the flag `cancel` ends the compilation with an error.
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

    /// Returns the grammars that the parameters need, if none has to be compiled. `None` otherwise.
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

    /// Calls `get` for each grammar that the parameters need. `None` if `get` returns `None` for
    /// one of them.
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
    /// Returns the ids of the tokens that end the output.
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

    /// Returns the tokens of the reasoning's closing tag. Empty if the reasoning has no maximum
    /// number of tokens, because the tag is never added then.
    ///
    /// # Errors
    ///
    /// The reasoning has a maximum number of tokens, and no tokenizer can encode the tag.
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

    /// Creates the matcher that computes the masks. `None` without a constraint. Fails if an option
    /// does not fit the vocabulary.
    pub(super) fn matcher(&self, end_tokens: &[u32]) -> Result<Option<Matcher>, GenerateError> {
        let Some(grammar) = &self.grammars.masks else { return Ok(None) };
        let options = MatcherOptions::new().logit_width(self.logit_width);
        let options = options.end_tokens(end_tokens.iter().copied());
        Ok(Some(Matcher::with_options(grammar, options)?))
    }
}
