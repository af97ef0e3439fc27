//! Forced bytes in the tokens of the model's tokenizer.
//!
//! Forced bytes are encoded together with the last tokens of the output, since the tokenizer may merge them. If it
//! does, these tokens are replaced. The last token of a run is left to the model if a longer token with the same
//! start is also allowed. A run always adds text.
//!
//! The last tokens are only replaced if they are the tokenizer's own encoding. Tokens that the model has spelled
//! differently stay.

use grammarc_runtime::Matcher;

use super::log::Log;
use crate::encode::Encode;

/// Tokens that replace the last tokens of the output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Number of tokens of the output that stay.
    pub(super) kept: usize,
    /// The tokens after them.
    pub(super) tokens: Vec<u32>,
}

/// Returns the run of forced bytes at the matcher's position, if there is one. `longest` is the length of the longest
/// token in bytes. `fixed` forbids the replacement of tokens.
pub(super) fn run(
    matcher: &mut Matcher,
    log: &Log,
    encoder: &dyn Encode,
    longest: usize,
    fixed: bool,
) -> Option<Run> {
    let mut forced = Vec::new();
    matcher.forced_bytes(&mut forced);
    // Half a character is no text for a tokenizer.
    let whole = forced.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    let begins_inside = forced.first().is_some_and(|byte| byte & 0xC0 == 0x80);
    if whole == 0 || begins_inside {
        return None;
    }
    let forced = std::str::from_utf8(&forced[..whole]).ok()?;
    let (from, encoded) = encoded(log, encoder, longest, forced)?;
    let before: Vec<u32> = (from..log.len()).map(|at| log.token(at)).collect();
    let same = before.iter().zip(&encoded).take_while(|(a, b)| a == b).count();
    let back = before.len() - same;
    if back > matcher.rollback_depth() || (fixed && back > 0) {
        return None;
    }
    let mut tokens = encoded[same..].to_vec();
    let mut ahead = matcher.fork();
    ahead.rollback(back).ok()?;
    let last = tokens.pop()?;
    ahead.accept_many(&tokens).ok()?;
    if !may_be_longer(&mut ahead, last) {
        tokens.push(last);
    }
    let vocabulary = matcher.grammar().vocabulary();
    let spelled = |tokens: &[u32]| -> usize {
        tokens.iter().map(|&token| vocabulary.token_bytes(token).len()).sum()
    };
    let adds = spelled(&tokens) > spelled(&before[same..]);
    adds.then_some(Run { kept: from + same, tokens })
}

/// Encodes forced text together with the end of the output. Returns the first token of the output that the encoding
/// replaces, and the encoding.
fn encoded(
    log: &Log,
    encoder: &dyn Encode,
    longest: usize,
    forced: &str,
) -> Option<(usize, Vec<u32>)> {
    let mut starts = vec![log.tail(longest), log.tail(1), log.len()];
    starts.dedup();
    for from in starts {
        let start = log.end_of(from).bytes;
        let Ok(tail) = std::str::from_utf8(&log.bytes()[start..]) else { continue };
        let own = encoder.text(tail);
        let is_canonical = own.is_some_and(|own| {
            own.len() == log.len() - from
                && own.iter().zip(from..).all(|(&token, at)| token == log.token(at))
        });
        if is_canonical {
            return Some((from, encoder.text(&format!("{tail}{forced}"))?));
        }
    }
    None
}

/// Whether a longer token with the same start is also allowed.
fn may_be_longer(matcher: &mut Matcher, token: u32) -> bool {
    let grammar = matcher.grammar().clone();
    let vocabulary = grammar.vocabulary();
    let text = vocabulary.token_bytes(token);
    let is_longer = |other: u32| {
        let other = vocabulary.token_bytes(other);
        other.len() > text.len() && other.starts_with(text)
    };
    matcher.mask().iter().any(is_longer)
}
