//! A grammar constraint for hosts with their own sampler: masks logits, and accepts the token that
//! was drawn.

use grammarc_runtime::error::{AcceptError, BufferError};
use grammarc_runtime::{Grammar, Matcher};

/// Constrains one output to a grammar. It is meant for hosts that draw tokens themselves and need
/// no other part of a [`Decoder`](crate::Decoder).
#[derive(Clone, Debug)]
pub struct JsonConstraintDecoder {
    matcher: Matcher,
}

impl JsonConstraintDecoder {
    /// Creates a constraint that is before the first token of the output.
    pub fn new(grammar: &Grammar) -> Self {
        Self { matcher: Matcher::new(grammar) }
    }

    /// Sets the logits of forbidden tokens to negative infinity. Other logits do not change.
    ///
    /// # Errors
    ///
    /// The length of `logits` is not the vocabulary's logit width.
    pub fn apply_constraints(&mut self, logits: &mut [f32]) -> Result<(), BufferError> {
        self.matcher.mask().apply(logits)
    }

    /// Accepts the token that was drawn, which advances the constraint.
    ///
    /// # Errors
    ///
    /// The token is forbidden, or a limit of the matcher is exceeded. The constraint is unchanged
    /// in this case.
    pub fn update_state(&mut self, token: u32) -> Result<(), AcceptError> {
        self.matcher.accept(token)
    }

    /// Whether the output may end here. [`JsonConstraintDecoder::must_end`] says whether it must
    /// end.
    pub fn is_complete(&self) -> bool {
        self.matcher.is_accepting() || self.matcher.is_finished()
    }

    /// Whether the output may end here and only end tokens are allowed.
    pub fn must_end(&mut self) -> bool {
        let ends = self.matcher.end_tokens().to_vec();
        self.is_complete() && self.matcher.mask().iter().all(|token| ends.contains(&token))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::grammar::Grammar as Source;
    use crate::testing::{END, Noise, grammars};

    #[test]
    fn a_sampler_that_goes_its_own_way_writes_json() {
        let schema = json!({"type": "object", "properties": {"a": {"enum": ["x", "yes"]}}, "required": ["a"], "additionalProperties": false});
        let schema = grammarc_json::JsonSchema::from_value(schema).unwrap();
        let compiled = grammars().compile(&Source::schema(&schema), None).unwrap();
        let vocabulary = compiled.vocabulary();
        for seed in 0..40 {
            let mut decoder = JsonConstraintDecoder::new(&compiled);
            let (mut tokens, mut text) = (vec![65], Vec::new());
            while !decoder.must_end() {
                let mut row = Noise { seed, end: 6.0 }.row(&tokens);
                row.truncate(vocabulary.logit_width() as usize);
                decoder.apply_constraints(&mut row).unwrap();
                let best = (0..).zip(&row).max_by(|(_, one), (_, other)| one.total_cmp(other));
                let (token, _) = best.unwrap();
                decoder.update_state(token).unwrap();
                if token == END {
                    break;
                }
                tokens.push(token);
                text.extend_from_slice(vocabulary.token_bytes(token));
            }
            assert!(decoder.is_complete());
            let value = grammarc_json::parse(std::str::from_utf8(&text).unwrap()).unwrap();
            assert!(schema.is_valid(&value), "{value}");
        }
        let mut decoder = JsonConstraintDecoder::new(&compiled);
        assert!(decoder.update_state(u32::from(b'x')).is_err() && !decoder.is_complete());
        assert!(decoder.apply_constraints(&mut [0.0]).is_err());
    }
}
