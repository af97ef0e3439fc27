//! Changes that a repair never makes, line by line, for drawn values and drawn damage.
//!
//! The meaning of a damaged text is known: it was made of a value. Damage of structure leaves all scalars in the text,
//! so those of the result are all of them, in their order; damage of strings leaves numbers and literals. A result that
//! is refused breaks no promise.
//!
//! `GRAMMARC_FULL=1` takes 10,000 cases a property in place of 200.

use grammarc_json::JsonSchema;
use grammarc_json::repair::{Grade, RepairError, RepairOptions, Repaired, repair, replay};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn cases() -> u32 {
    if std::env::var_os("GRAMMARC_FULL").is_some() { 10_000 } else { 200 }
}

fn fixed(source: &str) -> Result<Repaired, RepairError> {
    repair(source, None, &RepairOptions::default())
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-100_000_i64..100_000).prop_map(Value::from),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?"
            .prop_map(|text| serde_json::from_str(&text).unwrap()),
        "[a-z]{1,8}( [a-z]{1,6})?".prop_map(Value::from),
        "[a-z é,:'{}\\[\\]0-9]{0,10}".prop_map(Value::from),
    ]
}

/// A scalar without marks in it.
fn plain() -> impl Strategy<Value = Value> {
    scalar().prop_filter("words", |value| {
        !value.to_string().trim_matches('"').contains([',', ':', '{', '[', '}', ']', '\''])
    })
}

fn value() -> impl Strategy<Value = Value> {
    let nested = scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    });
    nested.prop_filter("a container", |value| value.is_array() || value.is_object())
}

/// A lexeme of a JSON text.
#[derive(Clone, Debug, PartialEq)]
enum Lexeme {
    Scalar(String),
    Mark(u8),
}

/// The lexemes of a JSON text and where they stand.
fn lexemes(text: &str) -> Vec<(Lexeme, usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'"' => {
                while bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
                found.push((Lexeme::Scalar(text[start..at].to_owned()), start, at));
            }
            byte @ (b'{' | b'}' | b'[' | b']' | b',' | b':') => {
                found.push((Lexeme::Mark(byte), start, at));
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric() || b"+-.".contains(&bytes[at]))
                {
                    at += 1;
                }
                found.push((Lexeme::Scalar(text[start..at].to_owned()), start, at));
            }
        }
    }
    found
}

/// The scalars of a JSON text, keys among them, in their order and as they are written; strings by their characters.
fn scalars(text: &str) -> Vec<String> {
    let found = lexemes(text).into_iter().filter_map(|(lexeme, _, _)| match lexeme {
        Lexeme::Scalar(scalar) if scalar.starts_with('"') => {
            Some(format!("{:?}", serde_json::from_str::<String>(&scalar).unwrap()))
        }
        Lexeme::Scalar(scalar) => Some(scalar),
        Lexeme::Mark(_) => None,
    });
    found.collect()
}

/// The kind of damage to the marks of a text; scalars stay.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Without(u8),
    Twice(u8),
    Other(u8, u8),
    Comment,
    TrailingComma,
    Fence,
    Prose,
    ClosersAtEnd,
    ExtraAtEnd,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        prop::sample::select(b",:}]".to_vec()).prop_map(Damage::Without),
        prop::sample::select(b",:}]{[".to_vec()).prop_map(Damage::Twice),
        prop::sample::select(vec![
            (b'}', b']'),
            (b']', b'}'),
            (b':', b','),
            (b',', b';'),
            (b':', b'=')
        ])
        .prop_map(|(from, to)| Damage::Other(from, to)),
        Just(Damage::Comment),
        Just(Damage::TrailingComma),
        Just(Damage::Fence),
        Just(Damage::Prose),
        Just(Damage::ClosersAtEnd),
        Just(Damage::ExtraAtEnd),
    ]
}

/// A text with its damage; none where there is nothing to damage.
fn damaged(text: &str, damage: Damage, which: prop::sample::Index) -> Option<String> {
    let found = lexemes(text);
    let pick = |byte: u8| {
        let places: Vec<usize> = found
            .iter()
            .filter(|(lexeme, _, _)| *lexeme == Lexeme::Mark(byte))
            .map(|(_, start, _)| *start)
            .collect();
        (!places.is_empty()).then(|| places[which.index(places.len())])
    };
    let put =
        |at: usize, len: usize, new: &str| format!("{}{new}{}", &text[..at], &text[at + len..]);
    Some(match damage {
        // A space replaces a comma: two numbers would be one.
        Damage::Without(byte) => put(pick(byte)?, 1, if byte == b',' { " " } else { "" }),
        Damage::Twice(byte) => put(pick(byte)?, 0, &char::from(byte).to_string()),
        Damage::Other(byte, to) => put(pick(byte)?, 1, &char::from(to).to_string()),
        Damage::Comment => put(pick(b',')? + 1, 0, " // as said\n"),
        Damage::TrailingComma => put(pick(b'}').or(pick(b']'))?, 0, ","),
        Damage::Fence => format!("```json\n{text}\n```"),
        Damage::Prose => format!("Here it is:\n\n{text}\n\nAnything else?"),
        Damage::ClosersAtEnd => text.trim_end_matches(['}', ']', '\n', ' ']).to_owned(),
        Damage::ExtraAtEnd => format!("{text}}}"),
    })
}

/// The text of a value.
fn written(value: &Value, pretty: bool) -> String {
    if pretty { format!("{value:#}") } else { value.to_string() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// No key or value is made up, dropped, moved or merged, no type and no digit is changed, no strings are joined: the scalars
    /// of the result are those of the text, in its order. The root stays what it is: nothing is wrapped.
    #[test]
    fn damage_of_structure_leaves_all_scalars(value in value(), pretty: bool, damage in damage(), which: prop::sample::Index) {
        let text = written(&value, pretty);
        let Some(source) = damaged(&text, damage, which) else { return Ok(()) };
        let Ok(repaired) = fixed(&source) else { return Ok(()) };
        prop_assert_eq!(scalars(&repaired.text), scalars(&text), "{:?} of {:?} became {:?}", damage, source, repaired.text);
        prop_assert_eq!(repaired.value.is_array(), value.is_array());
        prop_assert_eq!(replay(&source, &repaired.edits), repaired.text);
    }

    /// The same where damage is done twice.
    #[test]
    fn two_damages_leave_all_scalars(value in value(), first in damage(), second in damage(), which: [prop::sample::Index; 2]) {
        let text = written(&value, false);
        let both = damaged(&text, first, which[0]).filter(|text| serde_json::from_str::<Value>(text).is_ok() || !text.contains("//"));
        // The marks of a text that is no JSON are found as those of one that is, as long as its strings are whole.
        let Some(source) = both.and_then(|text| damaged(&text, second, which[1])) else { return Ok(()) };
        if source.contains("```") || source.contains("Here") {
            return Ok(());
        }
        let Ok(repaired) = fixed(&source) else { return Ok(()) };
        if repaired.grade() == Grade::Certain && !repaired.ambiguous {
            prop_assert_eq!(scalars(&repaired.text), scalars(&text), "{:?}, {:?} of {:?}", first, second, source);
        }
    }

    /// Styles of other languages say the same value.
    #[test]
    fn styles_say_the_same_value(value in value(), single: bool, names: bool) {
        let mut source = String::new();
        for (lexeme, _, _) in lexemes(&value.to_string()) {
            match lexeme {
                Lexeme::Mark(byte) => source.push(char::from(byte)),
                Lexeme::Scalar(scalar) if scalar.starts_with('"') && single && !scalar.contains(['\'', '\\']) => {
                    source.push_str(&scalar.replace('"', "'"));
                }
                Lexeme::Scalar(scalar) => source.push_str(match (names, scalar.as_str()) {
                    (true, "true") => "True",
                    (true, "false") => "False",
                    (true, "null") => "None",
                    (_, scalar) => scalar,
                }),
            }
        }
        let repaired = fixed(&source).unwrap();
        prop_assert_eq!(&repaired.value, &value, "{}", source);
        prop_assert!(repaired.is_certain());
    }

    /// Full-width separators and brackets say the same value, and are text in strings.
    #[test]
    fn full_width_marks_say_the_same_value(value in value(), brackets: bool, text in "[a，：、「」]{0,6}") {
        let value = json!([value, text]);
        let mut source = String::new();
        for (lexeme, _, _) in lexemes(&value.to_string()) {
            match lexeme {
                Lexeme::Mark(b',') => source.push('，'),
                Lexeme::Mark(b':') => source.push('：'),
                Lexeme::Mark(byte) if brackets => {
                    source.push(char::from_u32(u32::from(byte) + 0xfee0).unwrap());
                }
                Lexeme::Mark(byte) => source.push(char::from(byte)),
                Lexeme::Scalar(scalar) => source.push_str(&scalar),
            }
        }
        // A string may have the only brackets that are not full-width: where documents begin is not known then.
        let repaired = match fixed(&source) {
            Err(RepairError::Several { .. }) if brackets => return Ok(()),
            found => found.unwrap(),
        };
        prop_assert_eq!(&repaired.value, &value, "{}", source);
        prop_assert_eq!(replay(&source, &repaired.edits), repaired.text);
    }

    /// The backslashes of a path that was not escaped stay, and the repair is not certain.
    #[test]
    fn paths_keep_their_backslashes(folders in prop::collection::vec("[A-Za-tvwyz][A-Za-z0-9]{0,6}", 0..4), single: bool, which: prop::sample::Index) {
        let mut folders = folders;
        folders.insert(which.index(folders.len() + 1), "Users".to_owned());
        let path = format!("C:\\{}", folders.join("\\"));
        let quote = if single { '\'' } else { '"' };
        let source = format!("{{{quote}a{quote}: {quote}{path}{quote}, {quote}b{quote}: 1}}");
        let repaired = fixed(&source).unwrap();
        prop_assert_eq!(&repaired.value, &json!({"a": path, "b": 1}), "{}", source);
        let has_others = folders.iter().any(|folder| folder.starts_with(['b', 'f', 'n', 'r', 't']));
        prop_assert_eq!(repaired.is_certain(), !has_others, "{}", source);
    }

    /// A document that is escaped as a whole says the document.
    #[test]
    fn escaped_documents_say_the_document(value in value(), pretty: bool) {
        let text = written(&value, pretty);
        let escaped = Value::from(text.clone()).to_string();
        let source = escaped[1..escaped.len() - 1].to_owned();
        if serde_json::from_str::<Value>(&source).is_ok() || !source.contains("\\\"") {
            return Ok(());
        }
        let repaired = fixed(&source).unwrap();
        prop_assert_eq!(&repaired.text, &text);
        prop_assert_eq!(replay(&source, &repaired.edits), repaired.text);
    }

    /// Valid JSON is not touched, with a schema or without, whatever the schema says of it.
    #[test]
    fn valid_json_is_not_touched(value in value(), pretty: bool, spaces in "[ \n\t]{0,3}") {
        let text = format!("{spaces}{}{spaces}", written(&value, pretty));
        let repaired = fixed(&text).unwrap();
        prop_assert_eq!(&repaired.text, &text);
        prop_assert!(repaired.edits.is_empty() && !repaired.ambiguous && !repaired.truncated);
        let other: JsonSchema = r#"{"type": "string"}"#.parse().unwrap();
        let refused = repair(&text, Some(&other), &RepairOptions::default());
        prop_assert!(matches!(refused, Err(RepairError::Invalid(_))));
    }

    /// A key that occurs twice is refused: neither is dropped, and they are not merged.
    #[test]
    fn no_duplicate_key_is_resolved(key in "[a-z]{1,4}", first in scalar(), second in scalar(), style in 0_usize..3) {
        let source = match style {
            0 => format!("{{\"{key}\": {first}, \"{key}\": {second},}}"),
            1 => format!("{{{key}: {first}, '{key}': {second}}}"),
            _ => format!("{{\"{key}\": {first} \"{key}\": {second}}}"),
        };
        let found = fixed(&source);
        let both = |text: &str| scalars(text).len() == 4;
        prop_assert!(found.as_ref().map_or(true, |found| !both(&found.text)), "{} became {:?}", source, found);
        prop_assert!(found.map_or(true, |found| found.grade() == Grade::Likely), "{}", source);
    }

    /// Types are not changed to please a schema: what is a string stays one, and a number a number.
    #[test]
    fn no_type_is_coerced(number in -1000_i64..1000, wants in 0_usize..4, breaks in 0_usize..3) {
        let wanted = ["integer", "string", "boolean", "array"][wants];
        let schema = json!({"type": "object", "properties": {"a": {"type": wanted}}});
        let schema = JsonSchema::from_value(schema).unwrap();
        let value = if wanted == "integer" { format!("\"{number}\"") } else { number.to_string() };
        let source = match breaks {
            0 => format!("{{\"a\": {value},}}"),
            1 => format!("{{a: {value}}}"),
            _ => format!("{{\"a\": {value}"),
        };
        if let Ok(repaired) = repair(&source, Some(&schema), &RepairOptions::default()) {
            // A member that is broken off at the end of the text is none.
            prop_assert!(repaired.truncated && repaired.value == json!({}), "{} became {}", source, repaired.text);
        }
    }

    /// Two strings side by side are not joined, however they are.
    #[test]
    fn no_strings_are_joined(first in "[a-z]{1,5}", second in "[a-z]{1,5}", between in "( |\n| \\+ |\\+)", single: bool) {
        let quote = if single { '\'' } else { '"' };
        let source = format!("{{\"a\": {quote}{first}{quote}{between}{quote}{second}{quote}}}");
        if let Ok(repaired) = fixed(&source) {
            prop_assert_ne!(&repaired.value, &json!({"a": format!("{first}{second}")}), "{}", source);
        }
    }

    /// A number that is cut is none, and a literal that is cut is none, where the text is known to be cut; where it is not known, a
    /// number says that it may have gone on.
    #[test]
    fn nothing_truncated_is_taken_as_whole(value in value(), at: prop::sample::Index) {
        let text = value.to_string();
        let found: Vec<(usize, usize)> = lexemes(&text).into_iter()
            .filter(|(lexeme, _, _)| matches!(lexeme, Lexeme::Scalar(scalar) if !scalar.starts_with('"')))
            .map(|(_, start, end)| (start, end))
            .collect();
        if found.is_empty() {
            return Ok(());
        }
        let (start, end) = found[at.index(found.len())];
        let before = scalars(&text[..start]);
        for cut in start + 1..=end {
            let source = &text[..cut];
            let is_whole_literal = cut == end && text[start..].starts_with(['t', 'f', 'n']);
            let known = RepairOptions { cut: true, ..RepairOptions::default() };
            if let Ok(repaired) = repair(source, None, &known) {
                prop_assert!(scalars(&repaired.text).len() <= before.len() + usize::from(is_whole_literal), "{}", source);
            }
            if let Ok(repaired) = fixed(source) {
                let has_more = scalars(&repaired.text).len() > before.len();
                prop_assert!(!has_more || is_whole_literal || repaired.ambiguous, "{}", source);
            }
        }
    }

    /// A missing value stays missing: no edit makes one up. (Strings of marks may be read otherwise where a text has
    /// no reading as it was meant.)
    #[test]
    fn no_missing_value_is_made_up(key in "[a-z]{1,4}", other in plain(), place in 0_usize..4, word in "(NaN|undefined|-Infinity|)") {
        let source = match place {
            0 => format!("{{\"{key}\": {word}, \"other\": {other}}}"),
            1 => format!("{{\"other\": {other}, \"{key}\": {word}}}"),
            2 => format!("[{other}, {word}, {other}]"),
            _ => format!("{{\"{key}\": [{word}, {other}]}}"),
        };
        if let Ok(repaired) = fixed(&source) {
            let known = scalars(&source);
            prop_assert!(scalars(&repaired.text).iter().all(|scalar| known.contains(scalar)), "{} became {}", source, repaired.text);
            prop_assert!(word.is_empty(), "{} became {}", source, repaired.text);
        }
    }

    /// Two documents are not made one, and none is dropped silently.
    #[test]
    fn no_documents_are_merged(first in value(), second in value(), between in "(\n|, |,\n| |\n\n)", breaks: [bool; 2]) {
        let broken = |value: &Value, breaks: bool| {
            let text = value.to_string();
            if breaks { format!("{},{}", &text[..text.len() - 1], &text[text.len() - 1..]) } else { text }
        };
        let source = format!("{}{between}{}", broken(&first, breaks[0]), broken(&second, breaks[1]));
        match fixed(&source) {
            Ok(repaired) => {
                prop_assert!(repaired.value == first && first == second || !is_data(&first) || !is_data(&second), "{} became {}", source, repaired.text);
                prop_assert!(repaired.grade() == Grade::Likely || !is_data(&first) || !is_data(&second));
            }
            Err(error) => prop_assert!(first != second, "{}: {}", source, error),
        }
    }
}

/// Whether a text of a value holds strings or objects; brackets alone may be of prose.
fn is_data(value: &Value) -> bool {
    value.to_string().contains(['{', '"', '\''])
}
