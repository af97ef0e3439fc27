//! A writer of JSON texts, for results that are no lists of numbers.

use std::fmt::{Display, Write as _};

/// Writes a string with its quotes.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..' ' => _ = write!(out, "\\u{:04x}", u32::from(character)),
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Writes a number, or `null`.
pub(crate) fn number(out: &mut String, number: Option<impl Display>) {
    match number {
        Some(number) => _ = write!(out, "{number}"),
        None => out.push_str("null"),
    }
}

/// Writes a list of items, each with `write`.
pub(crate) fn list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}
