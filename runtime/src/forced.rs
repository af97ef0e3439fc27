//! Forced continuations: the tokens or bytes that must come next, so that a host need not ask the model for them.

use crate::lookahead::Lookahead;
use crate::step::input::Input;

/// Longest run that one call reports, in tokens or bytes. A grammar may force a run of any length, such as an exact
/// count of a million characters. A host that wants more accepts the run and asks again.
pub const MAX_FORCED_RUN: usize = 4096;

/// Appends to `run` the tokens that are forced: each is the only one allowed. Stops at `most` tokens, or where the
/// sequence may end.
pub(crate) fn tokens(mut ahead: Lookahead<'_>, most: usize, run: &mut Vec<u32>) {
    while run.len() < most && !ahead.is_accepting() {
        let Some(token) = ahead.mask().only() else { break };
        if ahead.advance_token(token).is_err() {
            break;
        }
        run.push(token);
    }
}

/// Appends to `run` the bytes that every continuation begins with. Stops at `most` bytes, or where the sequence may end.
pub(crate) fn bytes(mut ahead: Lookahead<'_>, most: usize, run: &mut Vec<u8>) {
    let (grammar, limits) = (ahead.grammar, ahead.settings.limits);
    while run.len() < most && !ahead.is_accepting() {
        let first = ahead.sequence.first_bytes(grammar, limits, ahead.scratch);
        let Some(byte) = first.ok().and_then(|first| first.only()) else { break };
        if ahead.advance(Input::Byte(&[byte])) != Ok(true) {
            break;
        }
        run.push(byte);
    }
}
