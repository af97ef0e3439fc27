//! Suffixes of markers: a checkpoint's own text within each marker of a style, as in `<tool_call:opensource>`.
//!
//! The texts of such a style contain `{suffix}` where the suffix stands. The vocabulary decides the suffix: the style
//! names one marker, and the special token of this form has it.
//!
//! Tests: `tests/tests/suite/calls.rs`, by token.

use std::collections::BTreeSet;

use grammarc_grammar::controls::ControlTokens;

/// The text that denotes the suffix in the texts of a style.
pub(super) const SUFFIX: &str = "{suffix}";

/// Returns the suffix of a vocabulary's markers, by a marker that contains [`SUFFIX`]. The suffix is empty or begins with
/// a colon. It is empty if the vocabulary has no such special token.
///
/// # Errors
///
/// Returns the suffixes if the vocabulary has several.
pub(super) fn of(marker: &str, controls: &ControlTokens) -> Result<String, BTreeSet<String>> {
    let Some((before, after)) = marker.split_once(SUFFIX) else { return Ok(String::new()) };
    let mut found = controls.between(before, after);
    let is_odd = |c: char| c == '>' || c.is_whitespace();
    found.retain(|suffix| suffix.is_empty() || suffix.starts_with(':') && !suffix.contains(is_odd));
    match found.len() {
        0 | 1 => Ok(found.pop_first().unwrap_or_default()),
        _ => Err(found),
    }
}

/// Returns a text of a style with its suffix.
pub(super) fn with(suffix: &str, text: &str) -> String {
    text.replace(SUFFIX, suffix)
}
