//! Grammars as generations are given them: a source of some language with its options, or a compiled artifact.
//!
//! A source is compiled for a vocabulary by [`Grammars`](crate::grammars::Grammars), which keeps what it has compiled. Until
//! then nothing is looked at, so making one never fails.

use grammarc_compiler::frontend::settings::Language;
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

/// What an output has to be.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(crate) form: Form,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Source(GrammarSource),
    Artifact(grammarc_runtime::Grammar),
}

/// The source of a grammar.
#[derive(Clone, Debug, PartialEq)]
pub struct GrammarSource {
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// Options of the language by name: see [`Settings::read`](grammarc_compiler::frontend::settings::Settings::read).
    pub options: Map<String, Value>,
}

impl GrammarSource {
    /// The source as others refer to it by a name.
    pub(crate) fn named(&self) -> Value {
        let Self { language, text, options } = self;
        json!({"language": language.name(), "text": text, "options": options})
    }
}

impl Grammar {
    /// A source in any of the compiler's languages.
    pub fn new(language: Language, text: impl Into<String>) -> Self {
        let source = GrammarSource { language, text: text.into(), options: Map::new() };
        Self { form: Form::Source(source) }
    }

    /// Any JSON value.
    pub fn json() -> Self {
        Self::new(Language::BuiltIn, "json")
    }

    /// JSON values, one a line, each an instance of the schema where there is one.
    pub fn jsonl(line: Option<&JsonSchema>) -> Self {
        let line = line.map(|schema| ("line".to_owned(), schema.value().clone()));
        Self::new(Language::BuiltIn, "jsonl").with_options(line)
    }

    /// Records of comma-separated fields, of so many columns where that is said.
    pub fn csv(columns: Option<u32>) -> Self {
        let columns = columns.map(|columns| ("columns".to_owned(), json!(columns)));
        Self::new(Language::BuiltIn, "csv").with_options(columns)
    }

    /// An XML element of one of these names with what is in it. Without names any is taken, and an end tag may differ from
    /// its start tag.
    pub fn xml(names: &[&str]) -> Self {
        let names = (!names.is_empty()).then(|| ("names".to_owned(), json!(names)));
        Self::new(Language::BuiltIn, "xml").with_options(names)
    }

    /// Instances of a schema.
    pub fn schema(schema: &JsonSchema) -> Self {
        Self::new(Language::JsonSchema, schema.text())
    }

    /// GBNF, the grammar notation of llama.cpp.
    pub fn from_gbnf(source: &str) -> Self {
        Self::new(Language::Gbnf, source)
    }

    /// A regular expression that the whole output matches.
    pub fn from_regex(pattern: &str) -> Self {
        Self::new(Language::Regex, pattern)
    }

    /// A structural tag: free text and calls of tools.
    pub fn from_tags(tag: &Value) -> Self {
        Self::new(Language::StructuralTag, tag.to_string())
    }

    /// A grammar that was compiled before. It has to be of the model's vocabulary.
    pub fn artifact(grammar: grammarc_runtime::Grammar) -> Self {
        Self { form: Form::Artifact(grammar) }
    }

    /// Texts of either of two grammars; none where one of them is an artifact, which has no source to compose.
    pub fn either(&self, other: &Self) -> Option<Self> {
        let (first, second) = (self.source()?, other.source()?);
        let sources = json!({"first": first.named(), "second": second.named()});
        let grammar = Self::from_gbnf("root ::= @\"first\" | @\"second\"");
        Some(grammar.with_options([("sources".to_owned(), sources)]))
    }

    /// The same source with more options, in place of those that had their names. An artifact has none.
    #[must_use]
    pub fn with_options(mut self, options: impl IntoIterator<Item = (String, Value)>) -> Self {
        if let Form::Source(source) = &mut self.form {
            source.options.extend(options);
        }
        self
    }

    /// The source; none of an artifact.
    pub fn source(&self) -> Option<&GrammarSource> {
        match &self.form {
            Form::Source(source) => Some(source),
            Form::Artifact(_) => None,
        }
    }
}
