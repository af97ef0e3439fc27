//! The oracle of `tool_walks`: arguments that are written as tags, read back into values. It does what the families' parsers do,
//! with the types of the schema and without anything of the compiler.
//!
//! If a family writes types down, they say how a value is read. If it does not, a text is a value of JSON if the
//! member's schema takes that, and else the string that it is.

use serde_json::{Map, Value};

/// How a family writes members.
struct Family {
    /// Before a key, behind it, and behind the value.
    member: [&'static str; 3],
    types: Types,
}

enum Types {
    /// Of the schema; whether line ends around strings are taken off, and Python's booleans are read.
    Schema { lines: bool },
    /// Between the key and this text an attribute says whether the value is a string.
    IsString(&'static str),
    /// An attribute names the type, in front of this text.
    Named(&'static str),
}

fn family(style: &str) -> Option<Family> {
    let schema = |member, lines| Family { member, types: Types::Schema { lines } };
    let known = match style {
        "qwen_3_coder" | "mimo" => schema(["<parameter=", ">", "</parameter>"], true),
        "minimax" => schema(["<parameter name=\"", "\">", "</parameter>"], false),
        "glm_4_5" | "glm_4_7" => schema(["<arg_key>", "</arg_key>", "</arg_value>"], false),
        "deepseek_v3_2" | "deepseek_v4" => Family {
            member: ["<｜DSML｜parameter name=\"", "\"", "</｜DSML｜parameter>"],
            types: Types::IsString(">"),
        },
        "deepseek_v4_1" => Family {
            member: ["<｜DSML｜ parameter name=\"", "\"", "</｜DSML｜ parameter>"],
            types: Types::IsString(">"),
        },
        "kimi_k3" => Family {
            member: ["<|open|>argument key=\"", "\"", "<|close|>argument<|sep|>"],
            types: Types::Named("<|sep|>"),
        },
        "cohere" => Family {
            member: ["<cofl:value name=\"", "\"", "</cofl:value>"],
            types: Types::Named(">"),
        },
        _ => return None,
    };
    Some(known)
}

/// The object that a text of members denotes; `None` if no reader here knows the style.
pub(super) fn read(style: &str, text: &str, schema: &Value) -> Option<Result<Value, String>> {
    let family = family(style)?;
    if style == "cohere" {
        return Some(cohere(&mut { text }, true));
    }
    Some(members(&family, style, text, schema))
}

fn members(family: &Family, style: &str, text: &str, schema: &Value) -> Result<Value, String> {
    let [begin, behind, close] = family.member;
    let mut object = Map::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let member = rest.strip_prefix(begin).ok_or_else(|| format!("no member: {rest:?}"))?;
        let (key, member) = until(member, behind)?;
        let key = match style {
            "kimi_k3" => key.replace("&quot;", "\"").replace("&amp;", "&"),
            _ => key.to_owned(),
        };
        let (value, behind) = match &family.types {
            Types::Schema { lines } => {
                let member = match style.starts_with("glm") {
                    true => member.trim_start().strip_prefix("<arg_value>").ok_or("no value")?,
                    false => member,
                };
                let (value, behind) = until(member, close)?;
                (by_schema(value, &key, schema, *lines), behind)
            }
            Types::IsString(end) => {
                let (attribute, member) = until(member, end)?;
                let (value, behind) = until(member, close)?;
                let value = match attribute {
                    " string=\"true\"" => Value::String(value.to_owned()),
                    " string=\"false\"" => parsed(value)?,
                    other => return Err(format!("the attribute {other:?}")),
                };
                (value, behind)
            }
            Types::Named(end) => {
                let (attribute, member) = until(member, end)?;
                let (value, behind) = until(member, close)?;
                let value = match attribute {
                    " type=\"string\"" => Value::String(value.to_owned()),
                    _ => parsed(value)?,
                };
                let named = format!(" type=\"{}\"", name_of(&value));
                if named != attribute {
                    return Err(format!("{attribute:?} of {value}"));
                }
                (value, behind)
            }
        };
        if object.insert(key.clone(), value).is_some() {
            return Err(format!("the member {key:?} is there twice"));
        }
        rest = behind.trim_start();
    }
    Ok(Value::Object(object))
}

/// A value without a type: JSON where the member's schema takes it, else a string.
fn by_schema(text: &str, key: &str, schema: &Value, lines: bool) -> Value {
    let of_member = schema["properties"].get(key);
    let takes = |value: &Value| {
        of_member.is_none_or(|member| {
            jsonschema::draft202012::new(member).is_ok_and(|member| member.is_valid(value))
        })
    };
    let literal = match text.trim() {
        "True" if lines => "true",
        "False" if lines => "false",
        other => other,
    };
    if let Some(value) = serde_json::from_str(literal).ok().filter(takes) {
        return value;
    }
    let strip = |text: &str| {
        let text = text.strip_prefix('\n').unwrap_or(text);
        text.strip_suffix('\n').unwrap_or(text).to_owned()
    };
    Value::String(if lines { strip(text) } else { text.to_owned() })
}

/// Members or items of Cohere's tags, which nest; `text` is moved behind them.
fn cohere(text: &mut &str, is_object: bool) -> Result<Value, String> {
    let mut object = Map::new();
    let mut items = Vec::new();
    while let Some(member) = text.trim_start().strip_prefix("<cofl:value") {
        let (attributes, value) = until(member, ">")?;
        let (named, typed) = attributes.rsplit_once(" type=\"").ok_or("no type")?;
        *text = value;
        let value = match typed {
            "raw\"" | "json\"" => {
                let (value, behind) = until(value, "</cofl:value>")?;
                *text = behind;
                match typed {
                    "raw\"" => Value::String(value.to_owned()),
                    _ => parsed(value)?,
                }
            }
            "dict\"" | "list\"" => {
                let inner = cohere(text, typed == "dict\"")?;
                *text = (text.trim_start().strip_prefix("</cofl:value>")).ok_or("no end")?;
                inner
            }
            other => return Err(format!("the type {other}")),
        };
        let name = named.strip_prefix(" name=\"").and_then(|name| name.strip_suffix('"'));
        match (name, is_object) {
            (Some(name), true) => {
                if object.insert(name.to_owned(), value).is_some() {
                    return Err(format!("the member {name:?} is there twice"));
                }
            }
            (None, false) => items.push(value),
            _ => return Err(format!("a name where there is none, or none: {attributes:?}")),
        }
    }
    Ok(if is_object { Value::Object(object) } else { Value::Array(items) })
}

fn until<'t>(text: &'t str, end: &str) -> Result<(&'t str, &'t str), String> {
    text.split_once(end).ok_or_else(|| format!("there is no {end:?} in {text:?}"))
}

fn parsed(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{text:?}: {error}"))
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
