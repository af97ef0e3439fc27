//! The oracle of `tool_walks` for calls in Python: a reader of literals by recursive descent, without anything of the
//! compiler.

use serde_json::{Map, Value};

/// The object that the arguments of a call denote.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let (mut object, mut rest) = (Map::new(), text.trim());
    while !rest.is_empty() {
        let (key, value) = rest.split_once('=').ok_or_else(|| format!("no member: {rest:?}"))?;
        let (value, behind) = literal(value.trim_start())?;
        add(&mut object, key, value)?;
        rest = behind.trim_start();
        if let Some(behind) = rest.strip_prefix(',') {
            rest = behind.trim_start();
        } else if !rest.is_empty() {
            return Err(format!("no comma: {rest:?}"));
        }
    }
    Ok(Value::Object(object))
}

fn add(object: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), String> {
    match object.insert(key.to_owned(), value) {
        Some(_) => Err(format!("the key {key:?} is there twice")),
        None => Ok(()),
    }
}

/// The literal at the start of a text, and the text behind it.
fn literal(text: &str) -> Result<(Value, &str), String> {
    match text.chars().next().ok_or("no literal")? {
        quote @ ('"' | '\'') => {
            let (string, behind) = string(&text[1..], quote)?;
            Ok((Value::from(string), behind))
        }
        '[' => {
            let mut items = Vec::new();
            let behind = listed(&text[1..], ']', |text| {
                let (item, behind) = literal(text)?;
                items.push(item);
                Ok(behind)
            })?;
            Ok((Value::Array(items), behind))
        }
        '{' => {
            let mut object = Map::new();
            let behind = listed(&text[1..], '}', |text| {
                let (key, behind) = literal(text)?;
                let key = key.as_str().ok_or("a key that is no string")?;
                let value = behind.trim_start().strip_prefix(':').ok_or("no colon")?;
                let (value, behind) = literal(value.trim_start())?;
                add(&mut object, key, value)?;
                Ok(behind)
            })?;
            Ok((Value::Object(object), behind))
        }
        _ => {
            let end = text.find([',', ']', '}', ' ']).unwrap_or(text.len());
            let value = match &text[..end] {
                "None" => Value::Null,
                "True" => Value::Bool(true),
                "False" => Value::Bool(false),
                other => {
                    serde_json::from_str(other).map_err(|error| format!("{other}: {error}"))?
                }
            };
            Ok((value, &text[end..]))
        }
    }
}

/// Reads parts with commas between them up to a bracket. Returns the text behind the bracket.
fn listed<'t>(
    text: &'t str,
    end: char,
    mut part: impl FnMut(&'t str) -> Result<&'t str, String>,
) -> Result<&'t str, String> {
    let mut rest = text.trim_start();
    if let Some(behind) = rest.strip_prefix(end) {
        return Ok(behind);
    }
    loop {
        rest = part(rest)?.trim_start();
        if let Some(behind) = rest.strip_prefix(end) {
            return Ok(behind);
        }
        rest = rest.strip_prefix(',').ok_or_else(|| format!("no comma: {rest:?}"))?.trim_start();
    }
}

/// Reads a string up to its closing quote. Escapes are those that JSON has as well, and the other quote.
fn string(text: &str, quote: char) -> Result<(String, &str), String> {
    let mut json = String::from("\"");
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => {
                json.push('"');
                let string =
                    serde_json::from_str(&json).map_err(|error| format!("{json}: {error}"));
                return Ok((string?, &text[at + 1..]));
            }
            '"' => json.push_str("\\\""),
            '\\' => match chars.next() {
                Some((_, '\'')) => json.push('\''),
                Some((_, escaped)) => json.extend(['\\', escaped]),
                None => break,
            },
            c => json.push(c),
        }
    }
    Err(format!("no closing quote: {text:?}"))
}
