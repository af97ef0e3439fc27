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
    /// Of the schema; whether Python's booleans are read, and whether line ends around strings are taken off.
    Schema { python: bool, lines: bool },
    /// Between the key and this text an attribute says whether the value is a string.
    IsString(&'static str),
    /// An attribute names the type, in front of this text.
    Named(&'static str),
}

fn family(style: &str) -> Option<Family> {
    let schema = |member, lines| Family { member, types: Types::Schema { python: lines, lines } };
    let known = match style {
        "seed_oss" | "mimo" => Family {
            member: ["<parameter=", ">", "</parameter>"],
            types: Types::Schema { python: true, lines: false },
        },
        "qwen_3_coder" | "nemotron_3" => schema(["<parameter=", ">", "</parameter>"], true),
        "minimax" => schema(["<parameter name=\"", "\">", "</parameter>"], false),
        "glm_4_5" | "glm_4_7" | "hy_v3" => {
            schema(["<arg_key>", "</arg_key>", "</arg_value>"], false)
        }
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
    let braced = |mark| {
        let (value, behind) = braced(text, mark)?;
        if behind.is_empty() { Ok(value) } else { Err(format!("{behind:?} behind the arguments")) }
    };
    match style {
        "gemma_4" => return Some(braced("<|\"|>")),
        "functiongemma" => return Some(braced("<escape>")),
        "minimax_m3" => return Some(elements(text, schema)),
        "pythonic" | "lfm_2" | "olmo_3" => return Some(super::python_arguments::read(text)),
        _ => {}
    }
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
            &Types::Schema { python, lines } => {
                let member = match begin == "<arg_key>" {
                    true => member.trim_start().strip_prefix("<arg_value>").ok_or("no value")?,
                    false => member,
                };
                let (value, behind) = until(member, close)?;
                (by_schema(value, &key, schema, python, lines), behind)
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

/// Values in elements, which have the types of the schema: an element denotes the first of JSON, a text, an empty array,
/// an empty object, an array of the elements in it and an object of them that its schema takes.
fn elements(text: &str, schema: &Value) -> Result<Value, String> {
    let (children, behind) = children(text)?;
    if !behind.is_empty() {
        return Err(format!("{behind:?} behind the arguments"));
    }
    let validator = jsonschema::draft202012::new(schema).map_err(|error| error.to_string())?;
    let mut found = ways(&children, "").into_iter().filter(Value::is_object);
    found.find(|way| validator.is_valid(way)).ok_or_else(|| format!("nothing valid: {text:?}"))
}

/// An element: its name, its text and the elements in it.
struct Element<'t> {
    name: &'t str,
    text: &'t str,
    within: Vec<Self>,
}

/// The elements at the start of a text, and the text behind them.
fn children(mut text: &str) -> Result<(Vec<Element<'_>>, &str), String> {
    let mut all = Vec::new();
    while let Some(named) = text.trim_start().strip_prefix("]<]minimax[>[<") {
        if named.starts_with('/') {
            break;
        }
        let (name, inside) = until(named, ">")?;
        let (own, _) = until(inside, "]<]minimax[>[")?;
        let (within, behind) = children(inside)?;
        let behind = if within.is_empty() { &inside[own.len()..] } else { behind };
        let end = format!("]<]minimax[>[</{name}>");
        text = behind.strip_prefix(end.as_str()).ok_or_else(|| format!("no {end}: {behind:?}"))?;
        all.push(Element { name, text: own, within });
    }
    let behind = if all.is_empty() { text } else { text.trim_start() };
    Ok((all, behind))
}

/// All values that elements and a text may denote, at most some thousands.
fn ways(children: &[Element<'_>], text: &str) -> Vec<Value> {
    if children.is_empty() {
        let parsed = serde_json::from_str(text.trim()).ok();
        let others = [Value::from(text), Value::Array(Vec::new()), Value::Object(Map::new())];
        let is_blank = text.trim().is_empty();
        return parsed
            .into_iter()
            .chain(others.into_iter().take(if is_blank { 3 } else { 1 }))
            .collect();
    }
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for Element { text, within, .. } in children {
        let own = ways(within, text);
        let with = |values: &Vec<Value>| {
            own.iter()
                .map(|value| [&values[..], std::slice::from_ref(value)].concat())
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).take(4096).collect();
    }
    let names = children.iter().map(|element| element.name.to_owned());
    let object =
        |values: &Vec<Value>| names.clone().zip(values.iter().cloned()).collect::<Map<_, _>>();
    let objects: Vec<Value> = all.iter().map(|values| Value::Object(object(values))).collect();
    let are_items = children.iter().all(|element| element.name == "item");
    let arrays = all.into_iter().filter(|_| are_items).map(Value::Array);
    arrays.chain(objects).collect()
}

/// A value without a type: JSON where the member's schema takes it, else a string.
fn by_schema(text: &str, key: &str, schema: &Value, python: bool, lines: bool) -> Value {
    let of_member = schema["properties"].get(key);
    let takes = |value: &Value| {
        of_member.is_none_or(|member| {
            jsonschema::draft202012::new(member).is_ok_and(|member| member.is_valid(value))
        })
    };
    let literal = match text.trim() {
        "True" if python => "true",
        "False" if python => "false",
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

/// A value with members and items in brackets, strings between marks, and keys verbatim or between marks. Also returns
/// the text behind it.
fn braced<'t>(text: &'t str, mark: &str) -> Result<(Value, &'t str), String> {
    if let Some(text) = text.strip_prefix(mark) {
        let (text, behind) = until(text, mark)?;
        return Ok((text.into(), behind));
    }
    if let Some(mut rest) = text.strip_prefix('[') {
        let mut items = Vec::new();
        while !rest.starts_with(']') {
            let (item, behind) = braced(rest.strip_prefix(',').unwrap_or(rest), mark)?;
            (items, rest) = ([items, vec![item]].concat(), behind);
        }
        return Ok((items.into(), &rest[1..]));
    }
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut object = Map::new();
        while !rest.starts_with('}') {
            let member = rest.strip_prefix(',').unwrap_or(rest);
            let (key, behind) = match member.strip_prefix(mark) {
                Some(member) => until(member, mark)?,
                None => member.split_at(member.find(':').ok_or("no key")?),
            };
            let value = behind.strip_prefix(':').ok_or("no colon")?;
            let (value, behind) = braced(value, mark)?;
            if object.insert(key.to_owned(), value).is_some() {
                return Err(format!("the member {key:?} is there twice"));
            }
            rest = behind;
        }
        return Ok((object.into(), &rest[1..]));
    }
    let end = text.find([',', '}', ']']).unwrap_or(text.len());
    Ok((parsed(&text[..end])?, &text[end..]))
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
