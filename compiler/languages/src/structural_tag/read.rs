//! Reads the JSON document of a structural tag as formats.
//!
//! Four forms are accepted: `{"type": "structural_tag", "format": F}`, a bare format, a list of tools, and the older
//! `{"structures": [...], "triggers": [...]}`. Names and defaults follow XGrammar 0.2.9.

use grammarc_grammar::suggest::nearest;
use grammarc_json_schema::document::{Json, NodeId};

use super::fields::{Fields, Reader};
use super::format::{
    Dispatch, Format, Kind, Mark, Role, Rule, Schema, Style, Syntax, Tag, Text, Then,
};
use super::{members, tools, triggers};

/// The types of formats: values of the key `type`.
const TYPES: [&str; 22] = [
    "const_string",
    "json_schema",
    "grammar",
    "regex",
    "any_text",
    "sequence",
    "or",
    "tag",
    "triggered_tags",
    "tags_with_separator",
    "qwen_xml_parameter",
    "token",
    "exclude_token",
    "any_tokens",
    "dispatch",
    "token_dispatch",
    "token_triggered_tags",
    "optional",
    "star",
    "plus",
    "repeat",
    "tools",
];

/// Reads a whole document as one format. After errors, which are reported, returns `None`.
pub(super) fn document(reader: &mut Reader<'_, '_>) -> Option<Format> {
    if let Some(format) = tools::list_document(reader) {
        return format;
    }
    let root = reader.document.root();
    let mut fields = reader.object(root)?;
    if reader.document.get(root, "structures").is_some() {
        return legacy(reader, fields);
    }
    let kind = reader.document.get(root, "type");
    // XGrammar also accepts the wrapper without its type.
    let is_wrapped = match kind {
        Some(kind) => {
            matches!(reader.document.json(kind), Json::String(kind) if &**kind == "structural_tag")
        }
        None => reader.document.get(root, "format").is_some(),
    };
    if !is_wrapped {
        return format(reader, root);
    }
    fields.get(reader, "type");
    let inner = fields.need(reader, "format");
    fields.finish(reader);
    format(reader, inner?)
}

/// Reads the older form of a document, `structures` with `triggers`: each tag contains JSON of a schema. Returns `None`
/// if `structures` is missing.
fn legacy(reader: &mut Reader<'_, '_>, mut fields: Fields) -> Option<Format> {
    let at = fields.at;
    fields.get(reader, "type");
    let triggers = fields.texts(reader, "triggers");
    let structures = fields.need(reader, "structures")?;
    fields.finish(reader);
    let structures = reader.items(structures);
    let tags = structures.into_iter().filter_map(|item| {
        let mut fields = reader.object(item)?;
        let begin = fields.need_text(reader, "begin");
        let schema = fields.need(reader, "schema");
        let end = fields.need_text(reader, "end");
        fields.finish(reader);
        let schema = Schema {
            schema: Some(schema?),
            style: Style::Json,
            any_order: false,
            max_whitespace: None,
            is_object: false,
            excludes: Vec::new(),
            is_loosened: false,
        };
        let content = Box::new(Format { kind: Kind::Schema(schema), at: item });
        Some(Tag {
            at: item,
            begin: Mark::Text(begin?),
            content,
            end: vec![Mark::Text(end?)],
            role: Role::Tag,
        })
    });
    let tags: Vec<Tag> = tags.collect();
    let triggers: Vec<Mark> = triggers.into_iter().map(Mark::Text).collect();
    let mut excludes = Vec::new();
    let rules = triggers::rules(reader, &triggers, tags, &mut excludes, at);
    let dispatch = Dispatch::of(rules, excludes);
    Some(Format { kind: Kind::Dispatch(dispatch), at })
}

/// Reads a format from the object `at`. If it cannot be read, reports errors and returns `None`.
pub(super) fn format(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Format> {
    let mut fields = reader.object(at)?;
    let kind = fields.need_text(reader, "type")?;
    let read = match kind.text.as_str() {
        "const_string" => fields.need_text(reader, "value").map(Kind::Const),
        "json_schema" => schema(reader, &mut fields, None),
        "qwen_xml_parameter" => schema(reader, &mut fields, Some("qwen_xml")),
        "grammar" => {
            let grammar = fields.need_text(reader, "grammar");
            let syntax = syntax(reader, &mut fields);
            grammar.zip(syntax).map(|(text, syntax)| Kind::Grammar(text.at, syntax))
        }
        "regex" => fields.need_text(reader, "pattern").map(|text| Kind::Regex(text.at)),
        "any_text" => Some(Kind::AnyText {
            excludes: excludes_of(reader, &mut fields),
            max_tokens: fields.count(reader, "max_tokens").map(|(_, at)| at),
            max_chars: fields.count(reader, "max_chars").map(|(count, _)| count),
        }),
        "any_tokens" => Some(Kind::AnyTokens {
            excludes: fields.tokens(reader, "exclude_tokens"),
            max_tokens: fields.count(reader, "max_tokens").map(|(_, at)| at),
        }),
        "token" => {
            let token = fields.need(reader, "token");
            token.and_then(|token| reader.token(token)).map(Kind::Token)
        }
        "exclude_token" => Some(Kind::ExcludeToken(fields.tokens(reader, "exclude_tokens"))),
        "sequence" => elements(reader, &mut fields).map(Kind::Sequence),
        "or" => elements(reader, &mut fields).map(Kind::Or),
        "tag" => tag_of(reader, &mut fields).map(Kind::Tag),
        "triggered_tags" => triggered(reader, &mut fields, false).map(Kind::Dispatch),
        "token_triggered_tags" => triggered(reader, &mut fields, true).map(Kind::Dispatch),
        "tags_with_separator" => separated(reader, &mut fields),
        "dispatch" => dispatch(reader, &mut fields, false).map(Kind::Dispatch),
        "token_dispatch" => dispatch(reader, &mut fields, true).map(Kind::Dispatch),
        "optional" => repeated(reader, &mut fields, 0, Some(1)),
        "star" => repeated(reader, &mut fields, 0, None),
        "plus" => repeated(reader, &mut fields, 1, None),
        "repeat" => counted(reader, &mut fields),
        "tools" => tools::tools(reader, &mut fields),
        unknown => {
            let help = match nearest(unknown, TYPES) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("there are {}", TYPES.join(", ")),
            };
            let text = format!("there is no format of the type {unknown:?}");
            reader.error("structural-tag::unknown-type", kind.at, text, &help);
            return None;
        }
    };
    fields.finish(reader);
    read.map(|kind| Format { kind, at })
}

fn schema(
    reader: &mut Reader<'_, '_>,
    fields: &mut Fields,
    style: Option<&'static str>,
) -> Option<Kind> {
    let schema = fields.need(reader, "json_schema");
    let any_order = fields.flag(reader, "any_order", false);
    let mut excludes = Vec::new();
    for text in excludes_of(reader, fields) {
        if text.text.contains('\\') {
            let message = "a text with a backslash cannot be excluded from strings".to_owned();
            let help = "leave out the backslash, or say with `pattern` or `not` in the schema which strings are meant";
            reader.error("structural-tag::unsupported", text.at, message, help);
        } else {
            excludes.push(text.text);
        }
    }
    let max_whitespace = fields.count(reader, "max_whitespace_cnt").map(|(count, _)| count);
    let style = match style {
        Some(style) => Style::Xml(style),
        None => match fields.get(reader, "style") {
            Some(at) => style_of(reader, at)?,
            None => Style::Json,
        },
    };
    let is_object = false;
    Some(Kind::Schema(Schema {
        schema: Some(schema?),
        style,
        any_order,
        max_whitespace,
        is_object,
        excludes,
        is_loosened: false,
    }))
}

/// Reads the notation of a grammar, `ebnf` by default. For an unknown one, reports an error and returns `None`.
fn syntax(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Syntax> {
    let Some(at) = fields.get(reader, "syntax") else { return Some(Syntax::Ebnf) };
    let text = reader.text(at)?.text;
    match text.as_str() {
        "ebnf" => Some(Syntax::Ebnf),
        "lark" => Some(Syntax::Lark),
        _ => {
            let message = format!("there is no syntax {text:?}");
            reader.error("structural-tag::unknown-syntax", at, message, "there are ebnf and lark");
            None
        }
    }
}

/// Reads the style in which an object's members are written. For an unknown one, reports an error and returns `None`.
pub(super) fn style_of(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Style> {
    let text = reader.text(at)?.text;
    if text == "json" {
        return Some(Style::Json);
    }
    let known = members::named(&text);
    if known.is_none() {
        let message = format!("there is no style {text:?}");
        let help = format!("there are json, {}", members::names().join(", "));
        reader.error("structural-tag::unknown-style", at, message, &help);
    }
    known.map(Style::Xml)
}

/// Reads the excluded texts of a format. An empty text is an error, since every text contains it.
fn excludes_of(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Vec<Text> {
    let texts = fields.texts(reader, "excludes");
    for text in texts.iter().filter(|text| text.text.is_empty()) {
        let message = "the empty text occurs in every text".to_owned();
        reader.error("structural-tag::empty", text.at, message, "leave it out");
    }
    texts
}

fn elements(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Vec<Format>> {
    let list = fields.need(reader, "elements")?;
    let items = reader.items(list);
    if items.is_empty() {
        let message = "there are no elements".to_owned();
        reader.error("structural-tag::empty", list, message, "list one format at least");
    }
    Some(items.into_iter().filter_map(|item| format(reader, item)).collect())
}

fn content(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Box<Format>> {
    let content = fields.need(reader, "content")?;
    format(reader, content).map(Box::new)
}

fn repeated(
    reader: &mut Reader<'_, '_>,
    fields: &mut Fields,
    min: u32,
    max: Option<u32>,
) -> Option<Kind> {
    content(reader, fields).map(|content| Kind::Repeat { content, min, max })
}

fn counted(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Kind> {
    fields.need(reader, "min");
    let min = fields.count(reader, "min");
    let most = fields.need(reader, "max");
    let is_open = most.is_some_and(
        |most| matches!(reader.document.json(most), Json::Number(number) if &**number == "-1"),
    );
    let max = if is_open { None } else { Some(fields.count(reader, "max")) };
    let content = content(reader, fields)?;
    let (min, _) = min?;
    let max = match max {
        Some(max) => Some(max?),
        None => None,
    };
    if let Some((max, at)) = max
        && max < min
    {
        let message = format!("at most {max} is less than at least {min}");
        reader.error("structural-tag::range", at, message, "-1 is no bound");
        return None;
    }
    Some(Kind::Repeat { content, min, max: max.map(|(max, _)| max) })
}

/// Reads the beginning or end of a tag: a string, or a format of type `token`. For other values, reports an error and
/// returns `None`.
fn mark(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Mark> {
    match reader.document.json(at) {
        Json::Object(_) => match format(reader, at)?.kind {
            Kind::Token(token) => Some(Mark::Token(token)),
            _ => {
                let message =
                    "only a text or a format of the type `token` can stand here".to_owned();
                reader.error("structural-tag::type", at, message, "");
                None
            }
        },
        _ => reader.text(at).map(Mark::Text),
    }
}

/// Reads a tag that is an item of an array of tags. If it cannot be read, reports errors and returns `None`.
fn tag(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Tag> {
    let mut fields = reader.object(at)?;
    if let Some(kind) = fields.get(reader, "type") {
        let text = reader.text(kind)?;
        if text.text != "tag" {
            let message = format!("expected a tag, found a format of the type {:?}", text.text);
            reader.error("structural-tag::type", kind, message, "");
            return None;
        }
    }
    let tag = tag_of(reader, &mut fields);
    fields.finish(reader);
    tag
}

fn tag_of(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Tag> {
    let begin = fields.need(reader, "begin").and_then(|at| mark(reader, at));
    let content = content(reader, fields);
    let end = fields.need(reader, "end")?;
    let end = match reader.document.json(end) {
        Json::Array(items) => {
            let items = items.clone();
            if items.is_empty() {
                let message = "there is no end".to_owned();
                reader.error("structural-tag::empty", end, message, "list one end at least");
            }
            items.into_iter().filter_map(|item| reader.text(item).map(Mark::Text)).collect()
        }
        _ => vec![mark(reader, end)?],
    };
    Some(Tag { at: fields.at, begin: begin?, content: content?, end, role: Role::Tag })
}

fn tags(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Vec<Tag> {
    let Some(list) = fields.need(reader, "tags") else { return Vec::new() };
    let items = reader.items(list);
    if items.is_empty() {
        let message = "there are no tags".to_owned();
        let help = "list one tag at least; free text alone is `any_text`";
        reader.error("structural-tag::empty", list, message, help);
    }
    items.into_iter().filter_map(|item| tag(reader, item)).collect()
}

fn triggered(reader: &mut Reader<'_, '_>, fields: &mut Fields, by_token: bool) -> Option<Dispatch> {
    let triggers: Vec<Mark> = match by_token {
        true => fields.tokens(reader, "trigger_tokens").into_iter().map(Mark::Token).collect(),
        false => fields.texts(reader, "triggers").into_iter().map(Mark::Text).collect(),
    };
    let mut excludes: Vec<Mark> = match by_token {
        true => fields.tokens(reader, "exclude_tokens").into_iter().map(Mark::Token).collect(),
        false => excludes_of(reader, fields).into_iter().map(Mark::Text).collect(),
    };
    let tags = tags(reader, fields);
    let begins_with_tag = fields.flag(reader, "at_least_one", false);
    let ends_with_tag = fields.flag(reader, "stop_after_first", false);
    let rules = triggers::rules(reader, &triggers, tags, &mut excludes, fields.at);
    let max = ends_with_tag.then_some(1);
    let min = u32::from(begins_with_tag);
    let any = Dispatch::of(rules, excludes);
    Some(Dispatch { by_token, min, max, begins_with_tag, ends_with_tag, ..any })
}

fn dispatch(reader: &mut Reader<'_, '_>, fields: &mut Fields, by_token: bool) -> Option<Dispatch> {
    let list = fields.need(reader, "rules");
    let is_loop = fields.flag(reader, "loop", true);
    let excludes = match by_token {
        true => fields.tokens(reader, "exclude_tokens").into_iter().map(Mark::Token).collect(),
        false => excludes_of(reader, fields).into_iter().map(Mark::Text).collect(),
    };
    let list = list?;
    let items = reader.items(list);
    if items.is_empty() {
        let message = "there are no rules".to_owned();
        reader.error("structural-tag::empty", list, message, "list one pattern at least");
    }
    let rules = items.into_iter().filter_map(|item| {
        let pair = reader.items(item);
        let &[pattern, then] = &*pair else {
            let message = "a rule is a pattern and a format".to_owned();
            reader.error("structural-tag::type", item, message, "");
            return None;
        };
        let trigger = match by_token {
            true => reader.token(pattern).map(Mark::Token),
            false => reader.text(pattern).map(Mark::Text),
        };
        let then = format(reader, then).map(Then::Format);
        Some(Rule { trigger: trigger?, then: then?, group: Some(0) })
    });
    let rules: Vec<Rule> = rules.collect();
    triggers::check(reader, rules.iter().map(|rule| &rule.trigger));
    let max = (!is_loop).then_some(1);
    let ends_with_tag = !is_loop;
    Some(Dispatch { by_token, max, ends_with_tag, ..Dispatch::of(rules, excludes) })
}

fn separated(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Kind> {
    let tags = tags(reader, fields);
    let separator = fields.need_text(reader, "separator");
    let min = u32::from(fields.flag(reader, "at_least_one", false));
    let max = fields.flag(reader, "stop_after_first", false).then_some(1);
    Some(Kind::Separated { tags, separator: separator?, min, max })
}
