//! Patterns of string-template types: `` `user-${number}` `` is a text that a pattern matches.

use oxc_ast::ast::TSType;
use serde_json::Value;

/// A number as JSON writes it. TypeScript accepts every number of JavaScript, `0x1F` and ` 1` among them, which nobody
/// means.
const NUMBER: &str = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";

/// Most characters of a pattern, which templates within templates multiply.
pub(super) const MAX_LENGTH: usize = 1 << 16;

/// Returns the pattern of a type's texts between the braces of a template. `None` if the type has parts of its own.
pub(super) fn primitive(node: &TSType<'_>) -> Option<&'static str> {
    match node {
        TSType::TSStringKeyword(_) => Some("[\\s\\S]*"),
        TSType::TSNumberKeyword(_) => Some(NUMBER),
        TSType::TSBigIntKeyword(_) => Some("-?(?:0|[1-9][0-9]*)"),
        TSType::TSBooleanKeyword(_) => Some("(?:true|false)"),
        TSType::TSUndefinedKeyword(_) => Some("undefined"),
        _ => None,
    }
}

/// Returns the pattern of any of some patterns.
pub(super) fn any_of(patterns: &[String]) -> String {
    format!("(?:{})", patterns.join("|"))
}

/// Returns the pattern of the text of a value.
pub(super) fn of_value(value: &Value) -> String {
    let mut pattern = String::new();
    match value.as_str() {
        Some(text) => escape(text, &mut pattern),
        None => escape(&value.to_string(), &mut pattern),
    }
    pattern
}

/// Adds a text to a pattern, escaped.
pub(super) fn escape(text: &str, pattern: &mut String) {
    for c in text.chars() {
        if "\\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
}
