//! The table of options: for each option of a language, its name, its values, its help and more.
//!
//! The command makes its flags from this table, and a manifest its keys. Tests compare the table with the options in
//! code, the keyword arguments of Python and the pages.

use super::Language;

/// A row of the table: one option of one or several languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionRow {
    /// The name of the option in JSON and in a manifest. The command's flag has the same name unless
    /// [`flag`](Self::flag) differs.
    pub name: &'static str,
    /// The name of the command's flag, without its dashes. It differs from `name` where another flag already has that
    /// name.
    pub flag: &'static str,
    /// The type of the option's value.
    pub value: OptionValue,
    /// The default value in words. Empty if the help text says it.
    pub default: &'static str,
    /// The help text: one line, and after an empty line the details.
    pub help: &'static str,
    /// The languages that have the option.
    pub languages: &'static [Language],
    /// The section of the command's help that lists the option.
    pub section: Section,
    /// The version of grammarc that added the option.
    pub since: &'static str,
}

/// The type of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// A flag, which is set or not; `true` in JSON.
    Flag,
    /// A number. The field is the number that the flag without a value denotes, if it may stand without one.
    Number(Option<&'static str>),
    /// One of several names. Each name has its help text.
    Choice(&'static [(&'static str, &'static str)]),
    /// A text. The field describes its form, for the help.
    Text(&'static str),
    /// Two texts. The field has a name for each, for the help.
    Pair([&'static str; 2]),
    /// Several names: an array in JSON, and separated by commas on the command line.
    Names,
    /// A number or several names, as for the columns of `csv`.
    NumberOrNames,
    /// A JSON Schema: the schema itself in JSON, and the name of a file on the command line.
    Schema,
    /// A set of names, each with its help text: an array in JSON, and a repeated flag on the command line.
    Several(&'static [(&'static str, &'static str)]),
    /// Sources or schemas by name, as an object in JSON. Flags and manifests name files instead, by options of their
    /// own.
    ByName,
}

/// A section of the command's help, which groups options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The section of the options of sources in general.
    Sources,
    /// The section of the options for how JSON documents are written.
    Text,
    /// The section of the options of built-in grammars.
    BuiltIn,
    /// The section of the limits on JSON Schemas.
    Limits,
}

impl Section {
    /// Returns the heading of the section.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Sources => "Options",
            Self::Text => "Text of JSON documents",
            Self::BuiltIn => "Built-in grammars",
            Self::Limits => "Limits of JSON schemas",
        }
    }
}

const JSON: &[Language] = &[
    Language::JsonSchema,
    Language::StructuralTag,
    Language::Lark,
    Language::TypeScript,
    Language::BuiltIn,
];
const STARTS: &[Language] = &[Language::Gbnf, Language::Ebnf, Language::Lark, Language::TypeScript];
const INCLUDING: &[Language] = &[Language::Gbnf, Language::Ebnf, Language::StructuralTag];
const BUILT_IN: &[Language] = &[Language::BuiltIn];

/// Returns a row for an option of the first version, whose flag has the option's name.
const fn row(
    name: &'static str,
    value: OptionValue,
    default: &'static str,
    help: &'static str,
    languages: &'static [Language],
    section: Section,
) -> OptionRow {
    OptionRow { name, flag: name, value, default, help, languages, section, since: "0.1" }
}

/// The rows of all options, grouped by the section of the command's help.
pub const OPTIONS: [OptionRow; 28] = [
    row(
        "start",
        OptionValue::Text("NAME"),
        "",
        "Start rule of a grammar [default: root, and start in Lark], or the type that texts of a TypeScript source are of \
         [default: the default export, the last type that is exported, or the only one]",
        STARTS,
        Section::Sources,
    ),
    row(
        "dialect",
        OptionValue::Choice(&[
            ("json-schema", "Draft 2020-12, with the spellings of older drafts"),
            ("openapi-3.0", "OpenAPI 3.0: with `nullable`, and with `$ref` standing alone"),
        ]),
        "json-schema",
        "Dialect of a JSON Schema without `$schema`",
        JSON,
        Section::Sources,
    ),
    row(
        "formats",
        OptionValue::Choice(&[
            ("asserted", "Strings have to be of their format"),
            ("annotated", "Formats are only annotations, as in the vocabulary of 2020-12"),
        ]),
        "asserted",
        "Meaning of `format`",
        JSON,
        Section::Sources,
    ),
    row(
        "closed",
        OptionValue::Flag,
        "",
        "Objects take no other keys where their schema has `properties` and says nothing of others (no \
         `additionalProperties`, `patternProperties` or `unevaluatedProperties`), as strict modes of model APIs have it",
        JSON,
        Section::Sources,
    ),
    row(
        "tokens",
        OptionValue::Choice(&[
            ("prefer", "The token"),
            ("both", "The token, or its text spelled by other tokens"),
            ("never", "Its text spelled by other tokens"),
        ]),
        "prefer",
        "Meaning of a special token's text in the strings of a structural tag",
        &[Language::StructuralTag],
        Section::Sources,
    ),
    row(
        "style",
        OptionValue::Text("STYLE"),
        "",
        "Form of tool calls, such as `qwen_3`, for a source that is a list of tools: of OpenAI, Anthropic or MCP",
        &[Language::StructuralTag],
        Section::Sources,
    ),
    row(
        "on-refused",
        OptionValue::Choice(&[
            ("request", "The whole request"),
            ("exclude", "The tool alone, which cannot be called then; the report names it"),
        ]),
        "request",
        "What is refused if a tool does not compile",
        &[Language::StructuralTag],
        Section::Sources,
    ),
    row(
        "deny",
        OptionValue::Several(&[
            ("approximate", "Of which the grammar accepts more than they say"),
            ("narrower", "Of which the grammar accepts less than they say"),
            ("unknown-format", "`format` with a name that is not known, which constrains nothing"),
            (
                "unknown-keyword",
                "Keywords that no draft, or only another dialect, defines, which constrain nothing",
            ),
        ]),
        "",
        "Refuse a source with such keywords. May be given several times",
        JSON,
        Section::Sources,
    ),
    row("resources", OptionValue::ByName, "", "Schemas by URI", JSON, Section::Sources),
    row("sources", OptionValue::ByName, "", "Sources by name", INCLUDING, Section::Sources),
    row(
        "whitespace",
        OptionValue::Text("natural|compact|spaced|indented[:N]|styled[:N]|flexible[:N]"),
        "natural",
        "Places of whitespace\n\n\
         `natural`: at most one space after each `,` and `:`. `compact`: nowhere. `spaced`: one space after each `,` and \
         `:`. `indented:N`: each item and member on a line of its own with N spaces for each level [2], `\": \"` after keys, \
         and empty containers closed at once, as pretty printers write. `styled:N`: compact, spaced or indented, and the \
         first place where these differ tells which. `flexible:N`: runs of up to N characters [19] wherever JSON allows \
         whitespace inside a document.",
        JSON,
        Section::Text,
    ),
    row(
        "levels",
        OptionValue::Number(None),
        "32",
        "Deepest level of indented text: containers inside so many others are empty. Rules are made for each level",
        JSON,
        Section::Text,
    ),
    row(
        "separators",
        OptionValue::Pair(["ITEM", "KEY"]),
        "",
        "Fixed separators in place of `--whitespace`: a `,` and a `:`, each with whitespace around it, of 32 bytes at most",
        JSON,
        Section::Text,
    ),
    row(
        "surround",
        // Enough for a few line ends, or for the space before the first piece of a SentencePiece vocabulary.
        OptionValue::Number(Some("4")),
        "0; without N: 4",
        "Runs of up to N characters of whitespace before the document, and behind it\n\n\
         Nothing else stands outside the document, and without this nothing at all, a line feed included. The first piece \
         of SentencePiece vocabularies, which is decoded without its space, needs one.",
        JSON,
        Section::Text,
    ),
    row(
        "numbers",
        OptionValue::Choice(&[
            (
                "natural",
                "Integers in digits alone where nothing else is allowed, and otherwise as `any`",
            ),
            ("canonical", "Each in one way: no exponent, no zero at the end of a fraction, no -0"),
            ("any", "In every way that JSON allows, within the limits on digits"),
        ]),
        "natural",
        "How numbers are written\n\n\
         If no keyword bounds them, numbers have up to 64 digits before the point, 64 behind it, and 4 in the exponent, \
         behind up to 4 zeros.",
        JSON,
        Section::Text,
    ),
    row(
        "escapes",
        OptionValue::Choice(&[
            ("shortest", "Only where they must be, and by the shortest escape"),
            ("any", "In every way that JSON allows"),
        ]),
        "shortest",
        "How characters of strings are escaped",
        JSON,
        Section::Text,
    ),
    row(
        "key-order",
        OptionValue::Choice(&[
            ("schema", "The keys that the schema names in its order, then others"),
            ("any", "Any; a key may be written again, with a value of the same kind"),
            (
                "any-once",
                "Any, and each key that the schema names once at most, where these are eight or so",
            ),
            (
                "sorted",
                "The keys that the schema names by name, without regard to case, then others",
            ),
        ]),
        "schema",
        "In which order the keys of objects come",
        JSON,
        Section::Text,
    ),
    row(
        "line",
        OptionValue::Schema,
        "any JSON value",
        "Schema of each line of builtin:jsonl",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "min-items",
        OptionValue::Number(None),
        "",
        "Fewest lines of builtin:jsonl [default: 1], or records of builtin:csv [default: 1, or 0 behind a head]",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "max-items",
        OptionValue::Number(None),
        "",
        "Most lines of builtin:jsonl, or records of builtin:csv",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "columns",
        OptionValue::NumberOrNames,
        "",
        "Columns of builtin:csv: their number, or their names with commas between, which the first record then has",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "separator",
        OptionValue::Text("CHARACTER"),
        ",",
        "Separator of the fields of builtin:csv",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "names",
        OptionValue::Names,
        "any, which is approximate",
        "Names of the elements of builtin:xml, with commas between",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "attributes",
        OptionValue::Names,
        "",
        "Attributes that the elements of builtin:xml may have, in this order, with commas between",
        BUILT_IN,
        Section::BuiltIn,
    ),
    row(
        "max-shapes",
        OptionValue::Number(None),
        "20000",
        "Most combinations of schemas, beyond a share for each value in the source",
        JSON,
        Section::Limits,
    ),
    OptionRow {
        flag: "max-automaton-states",
        ..row(
            "max-states",
            OptionValue::Number(None),
            "50000",
            "Most states of the automaton of a pattern, a length or a set of numbers",
            JSON,
            Section::Limits,
        )
    },
    OptionRow {
        flag: "max-schema-rules",
        ..row(
            "max-rules",
            OptionValue::Number(None),
            "100000",
            "Most rules that a schema becomes",
            JSON,
            Section::Limits,
        )
    },
    row(
        "max-unordered",
        OptionValue::Number(None),
        "32",
        "Most required keys of an object that come in any order; with more of them, all others keep their order",
        JSON,
        Section::Limits,
    ),
];

impl OptionRow {
    /// Returns the row of the option with this name, which may be written with `-` or `_`. `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.replace('_', "-");
        OPTIONS.iter().find(|row| row.name == name)
    }

    /// Returns the names of the languages that have the option, in words: `gbnf, ebnf and structural-tag`.
    pub fn owners(&self) -> String {
        let names: Vec<&str> = self.languages.iter().map(|owner| owner.name()).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }
}
