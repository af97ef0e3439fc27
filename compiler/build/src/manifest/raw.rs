//! The manifest as it is written: one struct for each table, and one field for each key. The module
//! `read` interprets the values.

use std::fmt;

use grammarc_compiler::frontend::settings::{Language, OPTIONS, OptionRow, OptionValue};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// The whole manifest file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Manifest {
    pub(super) output: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) limits: Limits,
    #[serde(default, rename = "vocabulary")]
    pub(super) vocabularies: Vec<Spanned<Vocabulary>>,
    #[serde(default, rename = "source")]
    pub(super) sources: Vec<Spanned<Group>>,
}

/// The table `[limits]`: bounds on each compilation.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    pub(super) time_limit: Option<Spanned<f64>>,
    pub(super) memory_limit: Option<usize>,
    pub(super) max_states: Option<usize>,
    pub(super) max_rule_states: Option<usize>,
    pub(super) max_rules: Option<usize>,
    pub(super) max_pairs: Option<usize>,
    pub(super) max_rows: Option<usize>,
}

/// A table `[[vocabulary]]`: the origin of a vocabulary, and the options of its import.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Vocabulary {
    pub(super) name: Spanned<String>,
    pub(super) tokenizer: Option<Spanned<String>>,
    pub(super) file: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) end_tokens: Vec<Token>,
    pub(super) logit_width: Option<u32>,
    #[serde(default)]
    pub(super) text_ids: Vec<Token>,
    #[serde(default)]
    pub(super) special_ids: Vec<Token>,
    #[serde(default)]
    pub(super) unused_ids: Vec<Token>,
    #[serde(default)]
    pub(super) special_tokens: Vec<SpecialToken>,
}

/// A token, given by its id or by its text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Token {
    Id(u32),
    Text(String),
}

/// A special token that is added to a rank file, which lists none itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpecialToken {
    pub(super) text: String,
    pub(super) id: u32,
}

/// A table `[[source]]`: files that are compiled with the same options.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) files: Vec<Spanned<String>>,
    pub(super) exclude: Vec<Spanned<String>>,
    pub(super) folder: Option<Spanned<String>>,
    pub(super) vocabularies: Option<Vec<Spanned<String>>>,
    pub(super) kind: Option<Spanned<Language>>,
    pub(super) registry: Option<Spanned<Vec<String>>>,
    pub(super) include: Option<Spanned<Vec<String>>>,
    pub(super) deny: Vec<Spanned<String>>,
    /// The options of source languages that are given.
    pub(super) options: Vec<(&'static OptionRow, Spanned<toml::Value>)>,
    /// Keys that belong to neither the group nor an option of a language.
    pub(super) unknown: Vec<Spanned<String>>,
}

/// The keys of a group that are not options of languages.
pub(super) const KEYS: [&str; 8] =
    ["files", "exclude", "folder", "vocabularies", "kind", "registry", "include", "deny"];

/// Deserialized by hand, because any key may name an option of a language.
impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;

        impl<'de> Visitor<'de> for Keys {
            type Value = Group;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Group, A::Error> {
                let mut group = Group::default();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    match key.get_ref().as_str() {
                        "files" => group.files = map.next_value()?,
                        "exclude" => group.exclude = map.next_value()?,
                        "folder" => group.folder = Some(map.next_value()?),
                        "vocabularies" => group.vocabularies = Some(map.next_value()?),
                        "kind" => group.kind = Some(map.next_value::<Kind>()?.0),
                        "registry" => group.registry = Some(map.next_value()?),
                        "include" => group.include = Some(map.next_value()?),
                        "deny" => group.deny = map.next_value()?,
                        name => {
                            let value = map.next_value()?;
                            match option(name) {
                                Some(row) => group.options.push((row, value)),
                                None => group.unknown.push(key),
                            }
                        }
                    }
                }
                Ok(group)
            }
        }

        deserializer.deserialize_map(Keys)
    }
}

/// Returns the option of a language that a key names. `None` for unknown keys, and for named
/// sources and schemas, which have keys of their own.
fn option(name: &str) -> Option<&'static OptionRow> {
    let row = OPTIONS.iter().find(|row| row.name == name)?;
    (row.value != OptionValue::ByName).then_some(row)
}

/// The language of a group's files.
struct Kind(Spanned<Language>);

/// Deserialized from the language's name.
impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Spanned::<String>::deserialize(deserializer)?;
        let mut all = Language::ALL.into_iter();
        match all.find(|language| language.name() == given.get_ref()) {
            Some(language) => Ok(Self(Spanned::new(given.span(), language))),
            None => {
                let known = Language::ALL.map(Language::name).join(", ");
                let problem = format!("there is no kind `{}`; there are {known}", given.get_ref());
                Err(D::Error::custom(problem))
            }
        }
    }
}
