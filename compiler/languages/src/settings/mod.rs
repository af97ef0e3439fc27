//! Options of front ends by name: as bindings and configuration files give them.
//!
//! A host in another language hands options over as JSON text, and a project file as a table; both are read here, so that
//! an option has one name and one meaning everywhere, and an artifact records it the same way ([`FrontEnd::recorded`]). A
//! name that the language does not have is an error, never ignored. Names may be written with `-` or with `_`.
//!
//! - [`read`](Settings::read): the front end and what to refuse, from JSON text;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::FrontEnd;
use super::builtin::{BuiltInOptions, Columns};
use super::choice::ChoiceOptions;
use super::deny::Deny;
use super::gbnf::{GbnfOptions, Notation};
use super::lark::LarkOptions;
use super::sources::{NamedSource, Sources};
use super::structural_tag::{StructuralTagOptions, Tokens};
use super::substring::SubstringOptions;
use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::{
    Escapes, Formats, JsonSchemaOptions, KeyOrder, NumberForm, ResourceError, SchemaDialect,
    Separator, SeparatorError, TextForm, Whitespace, WhitespaceError,
};
use grammarc_patterns::regex::PatternOptions;
use grammarc_typescript::TypeScriptOptions;

/// A language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// JSON Schema.
    JsonSchema,
    /// GBNF, the grammar notation of llama.cpp.
    Gbnf,
    /// A regular expression that the whole text matches.
    Regex,
    /// One of some texts.
    Choice,
    /// A structural tag.
    StructuralTag,
    /// XGrammar's EBNF.
    Ebnf,
    /// Lark, as llguidance and XGrammar have it.
    Lark,
    /// Any contiguous part of a text.
    Substring,
    /// Declarations of types in TypeScript.
    TypeScript,
    /// A built-in grammar by its name.
    BuiltIn,
}

impl Language {
    /// Extensions of the names of files, with the language of each. That of structural tags is a `.json`, too, and stands
    /// before it.
    pub const EXTENSIONS: [(&str, Self); 7] = [
        (".tag.json", Self::StructuralTag),
        (".json", Self::JsonSchema),
        (".gbnf", Self::Gbnf),
        (".ebnf", Self::Ebnf),
        (".lark", Self::Lark),
        (".regex", Self::Regex),
        (".ts", Self::TypeScript),
    ];

    /// The language that the name of a file tells.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let told =
            |extension: &str| name.strip_suffix(extension).is_some_and(|stem| !stem.is_empty());
        Self::EXTENSIONS.into_iter().find_map(|(end, language)| told(end).then_some(language))
    }

    /// The help for a file whose name does not determine a language.
    pub fn instead_of_file(name: &str) -> &'static str {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match &*extension.to_ascii_lowercase() {
            "yaml" | "yml" => "YAML is not read: convert the schema to JSON",
            "bnf" | "abnf" | "g4" | "peg" | "pest" => {
                "this notation is not read: write the grammar in GBNF or Lark, and name the language with --kind"
            }
            "py" | "pyi" => {
                "write the schema of the model to a file: `json.dumps(Model.model_json_schema())` with Pydantic"
            }
            "proto" | "xsd" | "avsc" | "graphql" => {
                "schemas of this kind are not read: convert the schema to JSON Schema"
            }
            _ => {
                "pass --kind json-schema, --kind gbnf, --kind lark, --kind regex or --kind typescript"
            }
        }
    }

    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::JsonSchema,
        Self::Gbnf,
        Self::Regex,
        Self::Choice,
        Self::StructuralTag,
        Self::Ebnf,
        Self::Lark,
        Self::Substring,
        Self::TypeScript,
        Self::BuiltIn,
    ];

    /// Its name, in artifacts as well.
    pub fn name(self) -> &'static str {
        match self {
            Self::JsonSchema => "json-schema",
            Self::Gbnf => "gbnf",
            Self::Regex => "regex",
            Self::Choice => "choice",
            Self::StructuralTag => "structural-tag",
            Self::Ebnf => "ebnf",
            Self::Lark => "lark",
            Self::Substring => "substring",
            Self::TypeScript => "typescript",
            Self::BuiltIn => "builtin",
        }
    }

    /// The language of a name, written with `-` or with `_`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.replace('_', "-");
        Self::ALL.into_iter().find(|language| language.name() == name)
    }
}

/// How to read a source, and what to refuse of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The language with its options.
    pub front_end: FrontEnd,
    /// Keywords that the source must not have, in order and each once.
    pub deny: Vec<Deny>,
}

/// Options that make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Not JSON, a name that the language does not have, or a value of another kind; the message says where.
    #[error("options for {}: {source}", language.name())]
    Json {
        /// The language.
        language: Language,
        /// The parser's error, with line and column.
        source: serde_json::Error,
    },
    /// A form of whitespace that there is none of.
    #[error("`whitespace`: {0}")]
    Whitespace(#[from] WhitespaceError),
    /// A text that is no separator.
    #[error("`separators`: {0}")]
    Separator(#[from] SeparatorError),
    /// Two options that exclude each other, or one that needs another.
    #[error("`{option}` {problem}")]
    Together {
        /// The option.
        option: &'static str,
        /// The fault in words.
        problem: &'static str,
    },
    /// A schema that references cannot lead to.
    #[error("`resources`: {0}")]
    Resource(#[from] ResourceError),
}

/// Options of JSON Schema by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct JsonSchemaSettings {
    whitespace: Option<String>,
    levels: Option<u8>,
    separators: Option<(String, String)>,
    surround: Option<u32>,
    numbers: Option<NumberForm>,
    escapes: Option<Escapes>,
    key_order: Option<KeyOrder>,
    closed: bool,
    dialect: Option<SchemaDialect>,
    formats: Option<Formats>,
    resources: BTreeMap<String, Value>,
    max_states: Option<usize>,
    max_unordered: Option<u8>,
    max_shapes: Option<usize>,
    max_rules: Option<usize>,
    deny: Vec<Deny>,
}

/// Options of structural tags by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StructuralTagSettings {
    tokens: Tokens,
    sources: BTreeMap<String, SourceSettings>,
    /// Options of the schemas; other names are refused there.
    #[serde(flatten)]
    schemas: Map<String, Value>,
}

/// Options of Lark and of TypeScript by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StartSettings {
    start: Option<String>,
    /// Options of the schemas; other names are refused there.
    #[serde(flatten)]
    schemas: Map<String, Value>,
}

/// Options of GBNF by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GbnfSettings {
    start: Option<String>,
    sources: BTreeMap<String, SourceSettings>,
}

/// A source that others refer to by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceSettings {
    language: String,
    text: String,
    #[serde(default)]
    options: Map<String, Value>,
}

/// The sources that were given by name.
fn sources(given: BTreeMap<String, SourceSettings>) -> Sources {
    let mut sources = Sources::default();
    for (name, SourceSettings { language, text, options }) in given {
        let source = Source::new(name.as_str(), text);
        sources.add(name, NamedSource { language, options, source });
    }
    sources
}

/// Options of built-in grammars by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct BuiltInSettings {
    line: Option<Value>,
    min_items: Option<u32>,
    max_items: Option<u32>,
    columns: Option<ColumnSettings>,
    separator: Option<char>,
    names: Vec<String>,
    attributes: Vec<String>,
    /// Options of JSON; other names are refused there.
    #[serde(flatten)]
    schemas: Map<String, Value>,
}

/// Columns by their number or their names.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ColumnSettings {
    Count(u32),
    Named(Vec<String>),
}

impl BuiltInSettings {
    /// Sets the options of their own that were given, and returns the rest.
    fn apply(self, options: &mut BuiltInOptions) -> Map<String, Value> {
        let Self { line, min_items, max_items, columns, separator, names, attributes, schemas } =
            self;
        options.line = line.map(|line| Source::new("line", line.to_string()));
        (options.min_items, options.max_items) = (min_items, max_items);
        options.columns = columns.map(|columns| match columns {
            ColumnSettings::Count(count) => Columns::Count(count),
            ColumnSettings::Named(names) => Columns::Named(names),
        });
        options.separator = separator;
        (options.names, options.attributes) = (names, attributes);
        schemas
    }
}

/// Options of a language that has none.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NoSettings {}

impl Settings {
    /// Settings of a language with nothing set.
    pub fn new(language: Language) -> Self {
        let front_end = match language {
            Language::JsonSchema => FrontEnd::JsonSchema(JsonSchemaOptions::default()),
            Language::Gbnf => FrontEnd::Gbnf(GbnfOptions::default()),
            Language::Regex => FrontEnd::Regex(PatternOptions::exact()),
            Language::Choice => FrontEnd::Choice(ChoiceOptions::default()),
            Language::StructuralTag => FrontEnd::StructuralTag(StructuralTagOptions::default()),
            Language::Ebnf => FrontEnd::Gbnf(GbnfOptions {
                notation: Notation::Xgrammar,
                ..GbnfOptions::default()
            }),
            Language::Lark => FrontEnd::Lark(LarkOptions::default()),
            Language::Substring => FrontEnd::Substring(SubstringOptions::default()),
            Language::TypeScript => FrontEnd::TypeScript(TypeScriptOptions::default()),
            Language::BuiltIn => FrontEnd::BuiltIn(BuiltInOptions::default()),
        };
        Self { front_end, deny: Vec::new() }
    }

    /// Reads options that are written as a JSON object; no text at all says nothing.
    ///
    /// | language | options |
    /// | --- | --- |
    /// | JSON Schema | `whitespace`, `levels`, `separators`, `surround`, `numbers`, `escapes`, `key-order`, `closed`, `dialect`, `formats`, `resources` (schemas by URI), `max-states`, `max-shapes`, `max-rules`, `deny` (a list) |
    /// | GBNF, EBNF | `start`, `sources` (sources by name, each an object with `language`, `text` and `options`) |
    /// | structural tag | those of JSON Schema, for the schemas in it, `tokens`, and `sources` as GBNF has them, for the grammars in it |
    /// | Lark | those of JSON Schema, for the schemas in it, and `start` |
    /// | TypeScript | those of JSON Schema, and `start` |
    /// | built-in grammars | `line` (a schema), `min-items`, `max-items`, `columns` (a number, or a list of names), `separator`, `names`, `attributes`, those of JSON Schema |
    /// | regex, choice, substring | none |
    ///
    /// # Errors
    ///
    /// See [`SettingsError`].
    pub fn read(language: Language, text: &str) -> Result<Self, SettingsError> {
        if text.trim().is_empty() {
            return Ok(Self::new(language));
        }
        let given: Map<String, Value> = serde_json::from_str(text)
            .map_err(|source| SettingsError::Json { language, source })?;
        Self::of(language, given)
    }

    /// Reads options that were parsed. See [`Settings::read`].
    ///
    /// # Errors
    ///
    /// See [`SettingsError`].
    pub fn of(language: Language, given: Map<String, Value>) -> Result<Self, SettingsError> {
        let failed = |source| SettingsError::Json { language, source };
        let given = given.into_iter().map(|(name, value)| (name.replace('-', "_"), value));
        let given = Value::Object(given.collect());
        let Self { mut front_end, mut deny } = Self::new(language);
        let mut of_schemas = |given: Value, options: &mut JsonSchemaOptions| {
            let mut given: JsonSchemaSettings = serde_json::from_value(given).map_err(failed)?;
            deny = std::mem::take(&mut given.deny);
            deny.sort();
            deny.dedup();
            given.apply(options)
        };
        match &mut front_end {
            FrontEnd::JsonSchema(options) => of_schemas(given, options)?,
            FrontEnd::StructuralTag(options) => {
                let given: StructuralTagSettings = serde_json::from_value(given).map_err(failed)?;
                options.tokens = given.tokens;
                options.sources = sources(given.sources);
                of_schemas(Value::Object(given.schemas), &mut options.schemas)?;
            }
            FrontEnd::TypeScript(options) => {
                let given: StartSettings = serde_json::from_value(given).map_err(failed)?;
                options.start = given.start;
                of_schemas(Value::Object(given.schemas), &mut options.json_schema)?;
            }
            FrontEnd::BuiltIn(options) => {
                let given: BuiltInSettings = serde_json::from_value(given).map_err(failed)?;
                let schemas = given.apply(options);
                of_schemas(Value::Object(schemas), &mut options.json_schema)?;
            }
            FrontEnd::Gbnf(options) => {
                let given: GbnfSettings = serde_json::from_value(given).map_err(failed)?;
                if let Some(start) = given.start {
                    options.start = start;
                }
                options.sources = sources(given.sources);
            }
            FrontEnd::Lark(options) => {
                let given: StartSettings = serde_json::from_value(given).map_err(failed)?;
                if let Some(start) = given.start {
                    options.start = start;
                }
                of_schemas(Value::Object(given.schemas), &mut options.schemas)?;
            }
            FrontEnd::Regex(_) | FrontEnd::Choice(_) | FrontEnd::Substring(_) => {
                let NoSettings {} = serde_json::from_value(given).map_err(failed)?;
            }
        }
        Ok(Self { front_end, deny })
    }
}

impl JsonSchemaSettings {
    /// Replaces what was given.
    fn apply(self, options: &mut JsonSchemaOptions) -> Result<(), SettingsError> {
        let Self {
            whitespace,
            levels,
            separators,
            surround,
            numbers,
            escapes,
            key_order,
            closed,
            dialect,
            formats,
            resources,
            max_states,
            max_unordered,
            max_shapes,
            max_rules,
            deny: _,
        } = self;
        if whitespace.is_some() && separators.is_some() {
            let problem = "take the place of `whitespace`, so only one of them can be given";
            return Err(SettingsError::Together { option: "separators", problem });
        }
        let TextForm { whitespace: form, .. } = &mut options.text;
        if let Some(text) = whitespace {
            *form = text.parse()?;
        }
        if let Some((item, key)) = separators {
            *form = Whitespace::Fixed { item: Separator::item(&item)?, key: Separator::key(&key)? };
        }
        if let Some(levels) = levels
            && !form.set_levels(levels)
        {
            let problem = "is for indented and styled text";
            return Err(SettingsError::Together { option: "levels", problem });
        }
        let text = &mut options.text;
        text.surround = surround.unwrap_or(text.surround);
        text.numbers = numbers.unwrap_or(text.numbers);
        text.escapes = escapes.unwrap_or(text.escapes);
        options.key_order = key_order.unwrap_or(options.key_order);
        options.closed |= closed;
        options.dialect = dialect.unwrap_or(options.dialect);
        options.formats = formats.unwrap_or(options.formats);
        options.max_states = max_states.unwrap_or(options.max_states);
        options.max_unordered = max_unordered.unwrap_or(options.max_unordered);
        options.max_shapes = max_shapes.unwrap_or(options.max_shapes);
        options.max_rules = max_rules.unwrap_or(options.max_rules);
        for (uri, schema) in resources {
            options.resources.add(&uri, schema)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
