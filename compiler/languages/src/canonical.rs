//! The canonical text of a JSON document: no whitespace between tokens, and the shortest escapes.
//!
//! A schema in a file and the same schema in a request differ in layout. Layout does not affect the grammar, so both
//! have the same canonical text.
//!
//! Text that is not JSON never has the canonical text of a document. Whitespace is kept as one space between two
//! characters that are neither punctuation nor in a string. A character that no string may contain is kept after a byte
//! that never occurs in UTF-8.
//!
//! Cost: one pass, no recursion, a copy of the text.

/// The byte before a backslash that starts no valid escape, and before a control character in a string. It never occurs
/// in UTF-8, so no valid document contains it.
const WRONG: u8 = 0xFF;

/// Returns the canonical text of a JSON document. Text that is not JSON gets a text that no document has.
pub(crate) fn spelling(text: &str) -> Vec<u8> {
    let mut spelled = Vec::with_capacity(text.len());
    let mut rest = text;
    // Whether whitespace precedes the next byte.
    let mut gap = false;
    while let Some(&byte) = rest.as_bytes().first() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                gap = true;
                rest = &rest[1..];
                continue;
            }
            b'"' => {
                spelled.push(byte);
                rest = string(&rest[1..], &mut spelled);
            }
            _ => {
                let kept = gap && !parts(byte) && spelled.last().is_some_and(|&last| !parts(last));
                if kept {
                    spelled.push(b' ');
                }
                spelled.push(byte);
                // The bytes of one character stay together, even where JSON does not allow the character.
                let width = rest.chars().next().map_or(1, char::len_utf8);
                spelled.extend_from_slice(&rest.as_bytes()[1..width]);
                rest = &rest[width..];
            }
        }
        gap = false;
    }
    spelled
}

/// Whether a byte is punctuation or a quote, which ends the token before it.
fn parts(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"')
}

/// Writes a string in canonical form. `text` begins after the opening quote. Returns the text after the closing quote,
/// which is empty if the quote is missing.
fn string<'t>(text: &'t str, spelled: &mut Vec<u8>) -> &'t str {
    let mut rest = text;
    loop {
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
        let plain = rest.bytes().position(|byte| special(&byte)).unwrap_or(rest.len());
        spelled.extend_from_slice(&rest.as_bytes()[..plain]);
        rest = &rest[plain..];
        match rest.as_bytes() {
            [] => return rest,
            [b'"', ..] => {
                spelled.push(b'"');
                return &rest[1..];
            }
            [b'\\', ..] => match escape(&rest[1..]) {
                Some((unit, after)) => {
                    write(unit, spelled);
                    rest = after;
                }
                None => {
                    spelled.extend([WRONG, b'\\']);
                    rest = &rest[1..];
                }
            },
            [control, ..] => {
                spelled.extend([WRONG, *control]);
                rest = &rest[1..];
            }
        }
    }
}

/// Reads an escape, from after its backslash on. Returns the code point it denotes, or half of a surrogate pair, and
/// the text after it. `None` if the escape is malformed.
fn escape(text: &str) -> Option<(u32, &str)> {
    let simple = match text.as_bytes().first()? {
        byte @ (b'"' | b'\\' | b'/') => *byte,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => {
            let (high, rest) = unit(&text[1..])?;
            let second = rest.strip_prefix("\\u").and_then(unit);
            return Some(match (high, second) {
                (0xD800..=0xDBFF, Some((low @ 0xDC00..=0xDFFF, after))) => {
                    (0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), after)
                }
                _ => (high, rest),
            });
        }
        _ => return None,
    };
    Some((simple.into(), &text[1..]))
}

/// Reads four hexadecimal digits. Returns their value and the text after them. `None` if there are fewer.
fn unit(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    Some((u32::from_str_radix(digits, 16).ok().filter(|_| all)?, &text[4..]))
}

/// Writes a code point, or half of a surrogate pair, in the shortest form that a string allows.
fn write(unit: u32, spelled: &mut Vec<u8>) {
    match char::from_u32(unit) {
        Some(c @ ('"' | '\\')) => spelled.extend([b'\\', c as u8]),
        Some(c) if c >= ' ' => {
            spelled.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        _ => spelled.extend_from_slice(format!("\\u{unit:04x}").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Returns a JSON text with all non-ASCII characters in strings escaped, as Python writes them. `layout` chooses
    /// the whitespace around each punctuation mark.
    fn laid_out(text: &str, layout: &[u8]) -> String {
        let (mut out, mut inside, mut escaped, mut at) = (String::new(), false, false, 0);
        for c in text.chars() {
            if inside && !c.is_ascii() {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|unit| {
                    out.push_str(&format!("\\u{unit:04X}"));
                });
                continue;
            }
            if !inside && parts(c as u8) && c != '"' {
                let space = ["", " ", "\n\t", "\r\n "];
                let pad = space[usize::from(layout.get(at).copied().unwrap_or_default()) % 4];
                at += 1;
                out.extend([pad, &c.to_string(), pad]);
            } else {
                out.push(c);
            }
            (inside, escaped) = match (inside, escaped, c) {
                (true, false, '\\') => (true, true),
                (_, false, '"') => (!inside, false),
                _ => (inside, false),
            };
        }
        out
    }

    proptest! {
        #[test]
        fn all_layouts_of_a_document_have_one_spelling(value in json(), layout in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = value.to_string();
            let laid = laid_out(&text, &layout);
            prop_assert_eq!(serde_json::from_str::<Value>(&laid).ok(), Some(value));
            prop_assert_eq!(spelling(&laid), spelling(&text));
        }

        /// The canonical text is itself a JSON text of the same document, so different documents have different ones.
        #[test]
        fn a_spelling_is_read_as_the_text_is(text in "([\\[\\]{},:\" \\\\tu0dn1e-]|true|\\\\u00|\\\\ud8|é|\n){0,16}") {
            let spelled = spelling(&text);
            let read = serde_json::from_str::<Value>(&text).ok();
            prop_assert_eq!(serde_json::from_slice::<Value>(&spelled).ok(), read);
        }
    }

    #[test]
    fn what_is_no_json_stays_so() {
        for (wrong, right) in [
            ("tr ue", "true"),
            ("1 2", "12"),
            ("\"\n\"", r#""\n""#),
            (r#""\u00\u0030a""#, r#""\u000a""#),
            (r#""\q""#, r#""q""#),
            ("\"a", "\"a\""),
            ("\u{a0}1", "1"),
            (r#""\u+123""#, r#""\u0123""#),
        ] {
            assert!(serde_json::from_str::<Value>(wrong).is_err(), "{wrong}");
            assert_ne!(spelling(wrong), spelling(right), "{wrong}");
        }
    }

    #[test]
    fn what_differs_in_meaning_differs() {
        for (one, other) in [
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
            ("1.0", "1"),
            (r#""\ud83d""#, r#""\ude00""#),
            (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
        ] {
            assert_ne!(spelling(one), spelling(other));
        }
        for (one, other) in [
            (r#""\ud83d\ude00\/\u0041\"\u000A""#, r#""😀/A\u0022\n""#),
            (" [ 1 , true ]\n", "[1,true]"),
            ("\"\u{7f}\"", r#""\u007f""#),
        ] {
            assert_eq!(spelling(one), spelling(other));
        }
    }
}
