//! Styles in which the members of an object are written as tags. Families of models write the arguments of tool calls
//! in these styles.
//!
//! A style is a file of `styles/members`, read once. Special tokens in its texts are tokens, as in the strings of a
//! structural tag. The sources are XGrammar 0.2.8 (`json_schema_converter_ext.cc`) and the chat templates. There are
//! three differences from XGrammar. A type written beside a value must be the type of that value. Objects within
//! arguments of Cohere are tags at any depth. Runs of whitespace are bounded.

use std::sync::LazyLock;

use indexmap::IndexMap;

use crate::free_text::free_text;
use grammarc_grammar::ir::{Expr, ExprGraph};
use grammarc_json_schema::document::NodeId;
use grammarc_json_schema::{KeyForm, Quotes, TagForm, TypeSet, ValueForm};

use super::builder::TagBuilder;
use super::format::Text;
use super::suffix::{self, SUFFIX};
use super::texts::Symbols;

/// Returns the default of [`MemberStyle::space`].
fn space() -> u32 {
    2
}

/// A style that writes the members of an object as tags, one after the other.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberStyle {
    /// A marker with `{suffix}`, by which the suffix of the vocabulary's markers is found. `None` if markers have no
    /// suffix. In all other texts, `{suffix}` is replaced by the suffix.
    pub suffix: Option<String>,
    /// The text before a key, and the texts after the key. Whitespace may stand between the latter.
    pub member: (String, Vec<String>),
    /// The text before an item of an array, and the text after its value.
    #[serde(default)]
    pub item: (String, String),
    /// The texts before and after all members of an object.
    #[serde(default)]
    pub objects: [String; 2],
    /// The texts before and after all items of an array.
    #[serde(default)]
    pub arrays: [String; 2],
    /// The text between two members or items.
    #[serde(default)]
    pub separator: String,
    /// The texts before and after the key in an end tag. `None` if end tags have no key.
    pub key_again: Option<[String; 2]>,
    /// The notations of values; each type has at least one.
    pub values: Vec<ValueStyle>,
    /// Another text that `null` may have.
    pub null: Option<String>,
    /// Other texts that `false` and `true` may have, in this order.
    pub booleans: Option<[String; 2]>,
    /// The notation of arrays and objects within a value, if it differs from that of the arguments.
    pub within: Option<Within>,
    /// The text that closes a member, after its value. Empty if all values have texts of their own that end them, or
    /// the next text ends them.
    #[serde(default)]
    pub close: String,
    /// Whether a string may have a line end before and after it that is not part of its value. If so, a line end may also
    /// follow the last tag.
    #[serde(default)]
    pub lines: bool,
    /// Most characters of a run of whitespace between tags, if the document sets no other number.
    #[serde(default = "space")]
    pub space: u32,
    /// Characters that a key cannot contain.
    pub not_in_keys: String,
    /// The texts around a key that contains such characters. `None` if there are no such keys.
    pub key_quotes: Option<[String; 2]>,
    /// Whether named keys come by name, without regard to case, if the options ask for no other order.
    #[serde(default)]
    pub sorted: bool,
    /// Maps characters of a key to their escaped forms.
    #[serde(default)]
    pub key_escapes: IndexMap<char, String>,
}

impl MemberStyle {
    /// Whether brackets are around the members of an object and the items of an array.
    pub fn has_brackets(&self) -> bool {
        !self.objects[0].is_empty()
    }

    /// Whether strings are literals of Python.
    pub fn is_python(&self) -> bool {
        self.values.iter().any(|value| value.quoted)
    }

    /// Whether the grammar of an object has to name all its keys. A grammar cannot require that the key of an end tag is
    /// equal to an arbitrary key before.
    pub(super) fn names_keys(&self) -> bool {
        self.key_again.is_some()
    }

    /// Returns the style with a suffix in its markers.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Self {
        let mut style = Self { suffix: None, ..self.clone() };
        let (before, after) = (&mut style.member.0, &mut style.member.1);
        let pairs = [&mut style.objects, &mut style.arrays].into_iter();
        let pairs = pairs.chain(&mut style.key_again).chain(&mut style.key_quotes).flatten();
        let values = style.values.iter_mut();
        let values =
            values.flat_map(|value| [&mut value.begin].into_iter().chain(&mut value.close));
        let others = [before, &mut style.item.0, &mut style.item.1, &mut style.separator];
        for text in
            others.into_iter().chain(after).chain([&mut style.close]).chain(pairs).chain(values)
        {
            *text = suffix::with(suffix, text);
        }
        style
    }

    /// Returns the style with the suffix that the first marker of a text has. `None` if the text ends within the marker
    /// or begins otherwise.
    #[must_use]
    pub fn with_suffix_of(&self, text: &str) -> Option<Self> {
        let (before, after) = self.member.0.split_once(SUFFIX)?;
        let (suffix, _) = text.strip_prefix(before)?.split_once(after)?;
        Some(self.with_suffix(suffix))
    }

    /// Whether a byte ends a value that has no text of its own at its end: it begins the separator, or a bracket behind
    /// the value.
    pub fn ends_value(&self, byte: u8) -> bool {
        let ends = [&self.separator, &self.objects[1], &self.arrays[1]];
        ends.into_iter().any(|end| end.as_bytes().first() == Some(&byte))
    }
}

/// The notation of arrays and objects within a value. Separators and values are those of the style.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    /// The text before a key, and the texts after the key.
    pub member: (String, Vec<String>),
    /// Other texts before and after a key that the schema names.
    pub other_member: Option<(String, Vec<String>)>,
    /// The texts before and after all members of an object.
    pub objects: [String; 2],
    /// The texts before and after all items of an array.
    pub arrays: [String; 2],
    /// Characters that a key cannot contain.
    pub not_in_keys: String,
}

/// How values of certain types are written in a style of members.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueStyle {
    /// The names of the types, separated by spaces. `any` denotes all types: text for a string, and JSON for other
    /// values.
    pub types: String,
    /// The text between the key and a value of these types.
    pub begin: String,
    /// The text that ends a value of these types, if it has its own. Then `begin` also belongs to the value. `None` if the
    /// text that closes a member ends the value.
    pub close: Option<String>,
    /// Whether arrays and objects within the value are written as tags too, and not as JSON.
    #[serde(default)]
    pub nested: bool,
    /// Whether strings are literals of Python: between single or double quotes, with escapes.
    #[serde(default)]
    pub quoted: bool,
}

/// The name of each style with the text of its file.
const FILES: [(&str, &str); 13] = [
    ("qwen_xml", include_str!("styles/members/qwen_xml.json")),
    ("seed_xml", include_str!("styles/members/seed_xml.json")),
    ("gemma", include_str!("styles/members/gemma.json")),
    ("functiongemma", include_str!("styles/members/functiongemma.json")),
    ("minimax_xml", include_str!("styles/members/minimax_xml.json")),
    ("minimax_m3_xml", include_str!("styles/members/minimax_m3_xml.json")),
    ("deepseek_xml", include_str!("styles/members/deepseek_xml.json")),
    ("deepseek_v4_1_xml", include_str!("styles/members/deepseek_v4_1_xml.json")),
    ("hy_v3_xml", include_str!("styles/members/hy_v3_xml.json")),
    ("glm_xml", include_str!("styles/members/glm_xml.json")),
    ("cohere_xml", include_str!("styles/members/cohere_xml.json")),
    ("python", include_str!("styles/members/python.json")),
    ("kimi_k3_xml", include_str!("styles/members/kimi_k3_xml.json")),
];

static STYLES: LazyLock<IndexMap<&'static str, MemberStyle>> = LazyLock::new(|| {
    let read = |text| serde_json::from_str(text).expect("the files of styles are read by a test");
    FILES.into_iter().map(|(name, text)| (name, read(text))).collect()
});

/// Returns the name of a style as a static string. `None` if there is no such style.
pub(super) fn named(name: &str) -> Option<&'static str> {
    FILES.into_iter().map(|(known, _)| known).find(|known| *known == name)
}

/// Returns the style of this name. `None` if there is none.
pub(super) fn style(name: &str) -> Option<&'static MemberStyle> {
    STYLES.get(name)
}

/// Returns the names of all styles that write members as tags.
pub(super) fn names() -> Vec<&'static str> {
    FILES.into_iter().map(|(name, _)| name).collect()
}

/// Returns the form in which a style writes members. Runs of whitespace have at most `space` characters; `None` is the
/// style's own number. `at` is the place of notes about special tokens.
///
/// # Panics
///
/// Panics if there is no style of this name.
pub(super) fn tag_form(
    style: &str,
    space: Option<u32>,
    at: NodeId,
    builder: &mut TagBuilder<'_>,
) -> TagForm {
    let style = &STYLES[style];
    let suffixed =
        style.suffix.as_ref().map(|marker| style.with_suffix(&builder.suffix(marker, at)));
    let style = suffixed.as_ref().unwrap_or(style);
    let space = space.unwrap_or(style.space);
    let mut symbols = |text: &str| builder.symbols(&Text { text: text.to_owned(), at });
    let values = style.values.iter().map(|value| {
        let close_text = value.close.as_ref().unwrap_or(&style.close);
        let close = symbols(close_text);
        ValueForm {
            types: types(&value.types),
            begin: symbols(&value.begin).expr(),
            any_string: match types(&value.types).contains(TypeSet::STRING) && !value.quoted {
                true => up_to(&close),
                false => Expr::Never,
            },
            close: close.expr(),
            close_text: close_text.clone(),
            is_delimited: value.close.is_some(),
            nested: value.nested,
            is_quoted: value.quoted,
        }
    });
    let values = values.collect();
    let mut text = |text: &str| symbols(text).expr();
    let mut pair = |[before, after]: &[String; 2]| [text(before), text(after)];
    let run = Expr::bytes(b" \t\n\r".iter().copied().collect()).repeat(0, Some(space));
    let quotes = style.key_quotes.as_ref().map(|quotes| {
        let [open, close] = pair(quotes);
        Quotes { open, close, close_text: quotes[1].clone() }
    });
    let again = style.key_again.as_ref().map(&mut pair);
    let (objects, arrays) = (pair(&style.objects), pair(&style.arrays));
    let mut around_key = |(before, after): &(String, Vec<String>)| {
        let mut parts = Vec::new();
        for part in after {
            if !parts.is_empty() {
                parts.push(run.clone());
            }
            parts.push(text(part));
        }
        [text(before), Expr::seq(parts)]
    };
    let within = style.within.as_ref();
    let keys_within = within.map(|within| {
        let [before, after] = around_key(&within.member);
        let other = within.other_member.as_ref().map(&mut around_key);
        let (excluded, escapes) = (within.not_in_keys.clone(), Vec::new());
        KeyForm { before, after, other, again: None, excluded, escapes, quotes: None }
    });
    let [before, after] = around_key(&style.member);
    let keys = KeyForm {
        before,
        after,
        other: None,
        again,
        excluded: style.not_in_keys.clone(),
        escapes: style.key_escapes.iter().map(|(c, text)| (*c, text.clone())).collect(),
        quotes,
    };
    let either = |text: &str, other: Option<&String>| {
        Expr::alt([text].into_iter().chain(other.map(String::as_str)).map(Expr::literal))
    };
    let form = TagForm {
        keys,
        item: [text(&style.item.0), text(&style.item.1)],
        objects,
        arrays,
        separator: text(&style.separator),
        values,
        null: either("null", style.null.as_ref()),
        booleans: [0, 1].map(|at| {
            either(["false", "true"][at], style.booleans.as_ref().map(|others| &others[at]))
        }),
        within: None,
        lines: style.lines,
        space,
    };
    let within = within.zip(keys_within).map(|(within, keys)| {
        let [objects, arrays] =
            [&within.objects, &within.arrays].map(|[open, close]| [text(open), text(close)]);
        Box::new(TagForm { keys, objects, arrays, ..form.clone() })
    });
    TagForm { within, ..form }
}

/// Returns the expression of any text up to and including the first `close`.
fn up_to(close: &Symbols) -> Expr {
    let mut graph = ExprGraph::new();
    let end = graph.end();
    let patterns: Vec<_> = close.leading_to(Some(end)).collect();
    free_text(&mut graph, ExprGraph::START, &patterns, None);
    Expr::Graph(graph.into())
}

fn types(names: &str) -> TypeSet {
    let named = |name| match name {
        "null" => TypeSet::NULL,
        "boolean" => TypeSet::BOOLEAN,
        "number" => TypeSet::NUMBER,
        "string" => TypeSet::STRING,
        "array" => TypeSet::ARRAY,
        "object" => TypeSet::OBJECT,
        "any" => TypeSet::ALL,
        other => panic!("there is no type {other}"),
    };
    names.split(' ').map(named).fold(TypeSet::NONE, TypeSet::union)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_styles() {
        for name in names() {
            let style = &STYLES[name];
            let all = style.values.iter().map(|value| types(&value.types));
            assert!(all.fold(TypeSet::NONE, TypeSet::union).contains(TypeSet::ALL), "{name}");
            // A beginning of the end marker must not also be its end. Otherwise the marker could overlap itself, and
            // the text before it would not end at the leftmost one.
            let own = style.values.iter().filter_map(|value| value.close.as_ref());
            for close in own.chain([&style.close]) {
                let borders = (1..close.len()).filter(|&at| close.is_char_boundary(at));
                for at in borders {
                    assert!(!close.ends_with(&close[..at]), "{name}");
                }
            }
        }
    }
}
