//! The languages by name.

/// A language in which sources are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// JSON Schema: the output is a JSON value of the schema.
    JsonSchema,
    /// GBNF, the grammar notation of llama.cpp.
    Gbnf,
    /// A regular expression in the syntax of the `regex` crate, which the whole output matches.
    Regex,
    /// A choice: the output is one of the texts of a JSON array.
    Choice,
    /// A structural tag: free text with tags, which contain schemas, grammars and patterns.
    StructuralTag,
    /// XGrammar's EBNF, a grammar notation close to GBNF.
    Ebnf,
    /// Lark, in the dialect of llguidance and XGrammar.
    Lark,
    /// A substring: the output is any contiguous part of a text.
    Substring,
    /// Type declarations in TypeScript.
    TypeScript,
    /// A built-in grammar, such as `csv`. The source text is its name.
    BuiltIn,
}

impl Language {
    /// The extensions of file names, each with its language. Structural tags precede schemas, since `.tag.json` also
    /// ends with `.json`.
    pub const EXTENSIONS: [(&str, Self); 7] = [
        (".tag.json", Self::StructuralTag),
        (".json", Self::JsonSchema),
        (".gbnf", Self::Gbnf),
        (".ebnf", Self::Ebnf),
        (".lark", Self::Lark),
        (".regex", Self::Regex),
        (".ts", Self::TypeScript),
    ];

    /// Returns the language of a file by the extension of its name. `None` if the extension is not known.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let matches =
            |extension: &str| name.strip_suffix(extension).is_some_and(|stem| !stem.is_empty());
        Self::EXTENSIONS.into_iter().find_map(|(end, language)| matches(end).then_some(language))
    }

    /// Returns the help text for a file whose name does not determine a language.
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

    /// All languages, also those that this build does not contain.
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

    /// Returns the name of the language, as options and artifacts have it.
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

    /// Returns the feature of this crate that adds the language to a build. Empty if every build contains the language.
    pub fn feature(self) -> &'static str {
        match self {
            Self::Ebnf => "gbnf",
            Self::Choice | Self::Substring => "",
            _ => self.name(),
        }
    }

    /// Returns the language with this name, which may be written with `-` or `_`. `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.replace('_', "-");
        Self::ALL.into_iter().find(|language| language.name() == name)
    }
}
