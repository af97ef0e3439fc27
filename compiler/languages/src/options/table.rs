//! The table of options: each option of a language, with what people and programs need to know of it.
//!
//! The command makes its flags of this table, and a manifest its keys. Tests hold it against the options in code, the
//! keyword arguments of Python and the pages.

use super::Language;

/// An option of one or several languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionRow {
    /// Its name: in JSON, in a manifest, and as a flag unless [`flag`](Self::flag) says otherwise.
    pub name: &'static str,
    /// The flag without its dashes, where another flag has the name.
    pub flag: &'static str,
    /// What its value is.
    pub value: OptionValue,
    /// The default in words; empty where the help says it.
    pub default: &'static str,
    /// The help: a line, and after an empty line what else there is to know.
    pub help: &'static str,
    /// The languages that have it.
    pub languages: &'static [Language],
    /// The section of the command's help.
    pub section: Section,
    /// The version that it came with.
    pub since: &'static str,
}

/// The kind of value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Set or not: `true` in JSON.
    Flag,
    /// A number. The second is what the flag without a number means.
    Number(Option<&'static str>),
    /// One of some names, each with its help.
    Choice(&'static [(&'static str, &'static str)]),
    /// A text of this form.
    Text(&'static str),
    /// Two texts of these names.
    Pair([&'static str; 2]),
    /// Names: a list in JSON, with commas between as a flag.
    Names,
    /// A number, or names.
    NumberOrNames,
    /// A schema: its JSON, or as a flag the name of a file with it.
    Schema,
    /// Names of what is denied: a list in JSON, as a flag given several times.
    Several(&'static [(&'static str, &'static str)]),
    /// Sources or schemas by name. Flags and manifests name files instead, by options of their own.
    ByName,
}

/// A section of the command's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Options of sources.
    Sources,
    /// The text form of JSON documents.
    Text,
    /// Options of built-in grammars.
    BuiltIn,
    /// Limits of schemas.
    Limits,
}

impl Section {
    /// Its heading.
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

/// A row of the first version.
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

/// All options.
pub const OPTIONS: [OptionRow; 26] = [
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
        // Some line ends, or the space that begins the first piece of SentencePiece vocabularies.
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
    /// The option of a name, written with `-` or with `_`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.replace('_', "-");
        OPTIONS.iter().find(|row| row.name == name)
    }

    /// The languages that have it, in words: `gbnf, ebnf and structural-tag`.
    pub fn owners(&self) -> String {
        let names: Vec<&str> = self.languages.iter().map(|owner| owner.name()).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }
}
