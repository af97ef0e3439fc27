//! Encodes the bytes that a grammar forces as the model's tokenizer would.
//!
//! Forced bytes are encoded together with the last tokens of the output, because the tokenizer may
//! merge them. If it merges them, these tokens are replaced. If a longer token that starts with the
//! last token of the run is also allowed, the last token is left to the model. A run always adds
//! text.
//!
//! The last tokens are only replaced if they are the tokenizer's own encoding. If the model has
//! chosen other tokens, these stay.

use grammarc_runtime::Matcher;

use super::log::Log;
use crate::encode::Encode;

/// A run of forced text: tokens that are added to the output, and replace its last tokens if
/// needed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Number of tokens of the output that stay.
    pub(super) kept: usize,
    /// The tokens that follow the tokens that stay.
    pub(super) tokens: Vec<u32>,
}

/// Returns the run of bytes that the grammar forces at the matcher's position. `None` if nothing is
/// forced, or the tokenizer cannot encode it. `longest` is the length of the longest token in
/// bytes. `fixed` forbids replacing tokens of the output.
pub(super) fn run(
    matcher: &mut Matcher,
    log: &Log,
    encoder: &dyn Encode,
    longest: usize,
    fixed: bool,
) -> Option<Run> {
    let mut forced = Vec::new();
    matcher.forced_bytes(&mut forced);
    // A tokenizer cannot encode part of a character.
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
    if !ahead.allows_longer(last) {
        tokens.push(last);
    }
    let vocabulary = matcher.grammar().vocabulary();
    let spelled = |tokens: &[u32]| -> usize {
        tokens.iter().map(|&token| vocabulary.token_bytes(token).len()).sum()
    };
    let adds = spelled(&tokens) > spelled(&before[same..]);
    adds.then_some(Run { kept: from + same, tokens })
}

/// Encodes forced text together with the last tokens of the output. Returns the index of the first
/// of these tokens, and the encoding. `None` if the tokens are not the tokenizer's own encoding, or
/// it cannot encode the text.
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
