//! Writes a value like Python's `json.dumps(value, ensure_ascii=False)`, from the numbers' source text.
//!
//! An integer keeps its digits. Any other number becomes a binary64, in the format of `repr`: the fewest digits that
//! read back as the same number. It has an exponent of at least two digits if the decimal point would be more than
//! four positions before the digits, or more than sixteen after the first.

use std::fmt::Write;

use serde_json::{Number, Value};

/// The text of a value.
pub fn dumps(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => text.push_str(&python_number(number)),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { ", " });
                write_value(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { ", " });
                write_string(key, text);
                text.push_str(": ");
                write_value(value, text);
            }
            text.push('}');
        }
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            control @ '\0'..='\u{1f}' => {
                // Writing to a string does not fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

fn python_number(number: &Number) -> String {
    let source = number.to_string();
    if !source.contains(['.', 'e', 'E']) {
        return if source == "-0" { "0".to_owned() } else { source };
    }
    match source.parse::<f64>() {
        Ok(float) if float.is_finite() => python_float(float),
        // Beyond binary64 Python has no JSON text; the source is kept.
        _ => source,
    }
}

fn python_float(float: f64) -> String {
    let scientific = format!("{float:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{float}");
    if plain.contains('.') { plain } else { plain + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of a value, and what CPython 3.11 prints for it.
    const CASES: [(&str, &str); 14] = [
        ("-0", "0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1.0", "1.0"),
        ("-0.0", "-0.0"),
        ("1e2", "100.0"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("1234567890123456.5", "1234567890123456.5"),
        ("9999999999999998e0", "9999999999999998.0"),
        ("1e16", "1e+16"),
        ("1.5e300", "1.5e+300"),
        ("0.1000", "0.1"),
        (r#""a\u00e9\u001f\u007f\/\n\"""#, "\"aé\\u001f\u{7f}/\\n\\\"\""),
        (r#"{"b":[1,{}],"a":[]}"#, r#"{"b": [1, {}], "a": []}"#),
    ];

    #[test]
    fn texts_are_pythons() {
        for (source, expected) in CASES {
            let value: Value = serde_json::from_str(source).expect("JSON");
            assert_eq!(dumps(&value), expected, "{source}");
        }
    }
}
