//! Lists that a position gives: forced tokens and bytes, endings, explanations, exported positions.

use grammarc_runtime::{Explanation, Matcher};

use crate::failure::{self, OK};
use crate::json;
use crate::memory::{room, with};

/// Leaves the forced tokens.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_forced_tokens(matcher: *mut Matcher) {
    with(|memory| (*matcher).forced_tokens(&mut memory.words));
}

/// Leaves the forced bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_forced_bytes(matcher: *mut Matcher) {
    with(|memory| (*matcher).forced_bytes(&mut memory.bytes));
}

/// Leaves the tokens of a shortest ending.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_ending(matcher: *mut Matcher) -> i32 {
    let found = with(|memory| (*matcher).ending(&mut memory.words));
    found.map_or_else(|error| failure::fail("limit:ending", 0, &error), |()| OK)
}

/// Leaves an explanation of a token as the text that the call results in: an object of JSON, with bytes as lists of numbers.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_explain(matcher: *const Matcher, token: u32) {
    let Explanation { is_allowed, accepted, byte, places, rules, next, may_end, completion } =
        (*matcher).explain(token);
    let bytes = |out: &mut String, bytes: &[u8]| {
        json::list(out, bytes, |out, byte| json::number(out, Some(byte)));
    };
    let mut out = format!("{{\"isAllowed\":{is_allowed},\"accepted\":{accepted},\"byte\":");
    json::number(&mut out, byte);
    out.push_str(",\"places\":");
    json::list(&mut out, &places, |out, place| json::string(out, place));
    out.push_str(",\"rules\":");
    json::list(&mut out, &rules, |out, rule| json::string(out, rule));
    out.push_str(",\"next\":");
    bytes(&mut out, &next);
    out.push_str(if may_end { ",\"mayEnd\":true" } else { ",\"mayEnd\":false" });
    out.push_str(",\"completion\":");
    match completion {
        Some(completion) => bytes(&mut out, &completion),
        None => out.push_str("null"),
    }
    out.push('}');
    with(|memory| memory.text = out);
}

/// Leaves the position as bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_export(matcher: *const Matcher) {
    let position = (*matcher).export();
    with(|memory| memory.bytes = position);
}

/// Moves to an exported position, whose `length` bytes the glue wrote into the room for arguments. Returns a negative number
/// for an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_matcher_restore(matcher: *mut Matcher, length: usize) -> i32 {
    (*matcher).import(room::<u8>(length)).map_or_else(failure::position, |()| OK)
}
