//! Masks of a position, and choices under them.

use grammarc_runtime::{Bf16, F16, Matcher};

use crate::failure::{self, FAILED, OK};
use crate::memory::{room, with};

/// Leaves the mask as the result of the call: words of 32 bits, as many as the logit width needs. Returns 1 if some token is
/// forbidden, 0 if none is, and a negative number for an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_mask(matcher: *mut Matcher) -> i32 {
    let width = (*matcher).logit_width();
    let mask = (*matcher).mask();
    with(|memory| {
        memory.words.resize(width.div_ceil(u32::BITS) as usize, 0);
        match mask.fill(&mut memory.words) {
            Ok(()) => i32::from(mask.restricts()),
            Err(_) => FAILED,
        }
    })
}

/// Sets the forbidden logits of a row in this memory to negative infinity: 0 `f32`, 1 binary16, 2 bfloat16.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_apply(
    matcher: *mut Matcher,
    row: *mut u8,
    kind: u32,
    count: usize,
) -> i32 {
    let mask = (*matcher).mask();
    let applied = match kind {
        0 => mask.apply(std::slice::from_raw_parts_mut(row.cast::<f32>(), count)),
        1 => mask.apply(std::slice::from_raw_parts_mut(row.cast::<F16>(), count)),
        _ => mask.apply(std::slice::from_raw_parts_mut(row.cast::<Bf16>(), count)),
    };
    applied.map_or_else(failure::argument, |()| OK)
}

/// Whether a token is allowed next.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_allows(matcher: *mut Matcher, token: u32) -> bool {
    (*matcher).mask().contains(token)
}

/// Returns the number of allowed tokens.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_count(matcher: *mut Matcher) -> usize {
    (*matcher).mask().len()
}

/// Returns the only allowed token as a number, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_only(matcher: *mut Matcher) -> f64 {
    (*matcher).mask().only().map_or(-1.0, f64::from)
}

/// Whether the sequence may end here, and only end tokens may follow.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_must_end(matcher: *mut Matcher) -> bool {
    let matcher = &mut *matcher;
    if !matcher.is_accepting() {
        return false;
    }
    let ends = matcher.end_tokens().to_vec();
    matcher.mask().iter().all(|token| ends.binary_search(&token).is_ok())
}

/// Leaves the first `most` allowed tokens as words.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_allowed(matcher: *mut Matcher, most: usize) {
    let mask = (*matcher).mask();
    with(|memory| {
        memory.words.clear();
        memory.words.extend(mask.iter().take(most));
    });
}

/// Returns the allowed token with the greatest of the logits in the room, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_argmax(matcher: *mut Matcher, count: usize) -> f64 {
    chosen((*matcher).mask().argmax(room::<f32>(count)).ok())
}

/// Draws an allowed token by the logits in the room, or -1. The glue checks the numbers: messages with fractions would add a
/// twentieth to the module.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_sample(
    matcher: *mut Matcher,
    count: usize,
    temperature: f32,
    uniform: f64,
) -> f64 {
    chosen((*matcher).mask().sample(room::<f32>(count), temperature, uniform).ok())
}

/// Returns a choice as a number: -1 if no token is allowed, or if the choice failed.
fn chosen(token: Option<Option<u32>>) -> f64 {
    token.flatten().map_or(-1.0, f64::from)
}

/// Leaves the masks of the drafts in the room, one more than there are drafts, each of `row_words` words. Returns the number
/// of allowed drafts.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_fill_drafts(
    matcher: *mut Matcher,
    drafts: usize,
    rows: usize,
    row_words: usize,
) -> i32 {
    let matcher = &mut *matcher;
    let drafts = room::<u32>(drafts);
    with(|memory| {
        memory.words.clear();
        memory.words.resize(rows * row_words, 0);
        let filled = matcher.fill_drafts(drafts, &mut memory.words, row_words);
        filled.map(|allowed| allowed as i32)
    })
    .unwrap_or_else(failure::argument)
}
