//! The manifest as it is written: one struct a table, one field a key. The meaning of a value is found by `read`.

use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::frontend::structural_tag::Tokens;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// The whole file.
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

/// `[limits]`: bounds on each compilation.
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

/// `[[vocabulary]]`.
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

/// A token by id, or by text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Token {
    Id(u32),
    Text(String),
}

/// A special token of a rank file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpecialToken {
    pub(super) text: String,
    pub(super) id: u32,
}

/// `[[source]]`: files that are compiled alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Group {
    pub(super) files: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) exclude: Vec<Spanned<String>>,
    pub(super) folder: Option<Spanned<String>>,
    pub(super) vocabularies: Option<Vec<Spanned<String>>>,
    #[serde(default, deserialize_with = "language")]
    pub(super) kind: Option<Spanned<Language>>,
    pub(super) start: Option<Spanned<String>>,
    pub(super) dialect: Option<Spanned<Dialect>>,
    pub(super) closed: Option<Spanned<bool>>,
    pub(super) whitespace: Option<Spanned<String>>,
    pub(super) levels: Option<Spanned<u8>>,
    pub(super) separators: Option<Spanned<[String; 2]>>,
    pub(super) surround: Option<Spanned<u32>>,
    pub(super) numbers: Option<Spanned<Numbers>>,
    pub(super) escapes: Option<Spanned<EscapeForm>>,
    pub(super) key_order: Option<Spanned<Order>>,
    pub(super) registry: Option<Spanned<Vec<String>>>,
    pub(super) tokens: Option<Spanned<Tokens>>,
    pub(super) include: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) deny: Vec<Spanned<String>>,
}

/// A source's language, by its name.
fn language<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Spanned<Language>>, D::Error> {
    let Some(given) = Option::<Spanned<String>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let mut all = Language::ALL.into_iter();
    match all.find(|language| language.name() == given.get_ref()) {
        Some(language) => Ok(Some(Spanned::new(given.span(), language))),
        None => {
            let known = Language::ALL.map(Language::name).join(", ");
            let problem = format!("there is no kind `{}`; there are {known}", given.get_ref());
            Err(D::Error::custom(problem))
        }
    }
}

/// The dialect of a JSON Schema.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Dialect {
    #[serde(rename = "json-schema")]
    JsonSchema,
    #[serde(rename = "openapi-3.0")]
    OpenApi30,
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Numbers {
    Natural,
    Canonical,
    Any,
}

/// How characters of strings are escaped.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EscapeForm {
    Shortest,
    Any,
}

/// In which order the keys of objects come.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    Schema,
    Any,
    AnyOnce,
}
