//! Builds the regular expressions of template types: `` `user-${number}` `` denotes the texts that match one.

use oxc_ast::ast::TSType;
use serde_json::Value;

/// The regular expression of a number as JSON writes it. TypeScript accepts every number of JavaScript, such as `0x1F`
/// and ` 1`, which nobody intends.
const NUMBER: &str = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";

/// Most bytes of the regular expression of a template. Templates within templates multiply the length; a longer one is
/// an error.
pub(super) const MAX_LENGTH: usize = 1 << 16;

/// Returns the regular expression of a primitive type in a template. `None` for other types.
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

/// Returns the regular expression of one of several alternatives.
pub(super) fn any_of(patterns: &[String]) -> String {
    format!("(?:{})", patterns.join("|"))
}

/// Returns the regular expression that matches exactly the text of a value.
pub(super) fn of_value(value: &Value) -> String {
    let mut pattern = String::new();
    match value.as_str() {
        Some(text) => escape(text, &mut pattern),
        None => escape(&value.to_string(), &mut pattern),
    }
    pattern
}

/// Appends a text to a regular expression, with special characters escaped.
pub(super) fn escape(text: &str, pattern: &mut String) {
    for c in text.chars() {
        if "\\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
}
