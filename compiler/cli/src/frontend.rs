//! Source files: reads them, recognizes their language, and calls the front end of that language.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use grammarc_build::include;
use grammarc_build::registry;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::diagnostics::report::Report;
use grammarc_compiler::from_source::SourceRequest;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::deny::{Deny, denied};
use grammarc_compiler::frontend::settings::{Language, OptionRow, Settings};
use grammarc_compiler::ir::Lowered;

use crate::failure::{Failure, Problem};
use crate::input::read_source;
use crate::options::{OptionArgs, deny_names, not_for};

/// Returns the argument parser that accepts the names of all source languages.
fn languages() -> impl TypedValueParser<Value = Language> {
    let values = Language::ALL.map(|one| PossibleValue::new(one.name()).help(help(one)));
    PossibleValuesParser::new(values)
        .map(|name| Language::named(&name).expect("the values are names of languages"))
}

fn help(language: Language) -> &'static str {
    match language {
        Language::JsonSchema => "JSON Schema (.json)",
        Language::Gbnf => "GBNF, the grammar notation of llama.cpp (.gbnf)",
        Language::Regex => {
            "A regular expression that the whole text matches (.regex), in the syntax of the Rust crate `regex` with \
             lookaround. Digits and words are Unicode: `\\d` is ASCII in a schema's `pattern`, which is ECMA-262, and not here"
        }
        Language::Choice => "A JSON array of texts, one of which is the output",
        Language::StructuralTag => {
            "A structural tag: free text in which tags lead to schemas, grammars and patterns (.tag.json), or with --style a \
             list of tools"
        }
        Language::Ebnf => {
            "XGrammar's EBNF: GBNF with macros, whose rules end where the next begins (.ebnf)"
        }
        Language::Lark => "Lark, as llguidance and XGrammar have it (.lark)",
        Language::Substring => {
            "Any contiguous part of a text: `{\"text\": \"...\", \"by\": \"words\"}` or `\"chars\"`, or `{\"chunks\": [\"...\"]}`"
        }
        Language::TypeScript => {
            "Declarations of types in TypeScript (.ts), of the JSON texts of their values"
        }
        Language::BuiltIn => {
            "The name of a built-in grammar, which `builtin:NAME` says in place of a file"
        }
    }
}

/// Prefix of a source argument that names a built-in grammar in place of a file: `builtin:json`.
const BUILT_IN: &str = "builtin:";

/// Returns the language of a source file by the file's name. `None` if the extension belongs to no
/// language.
fn language_of(path: &Path) -> Option<Language> {
    match built_in(path) {
        Some(_) => Some(Language::BuiltIn),
        None => Language::of_file_name(path.file_name().and_then(OsStr::to_str)?),
    }
}

/// Arguments that name a source and say how to read it.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// JSON Schema, GBNF or Lark grammar, regular expression, structural tag or TypeScript; `-` reads standard input, and
    /// `builtin:NAME` is a built-in grammar: json, json-object, json-array, jsonl, csv or xml
    pub(crate) source: PathBuf,

    /// The source's language [default: by its extension, .json, .gbnf, .ebnf, .lark, .regex, .tag.json or .ts]
    #[arg(long, value_parser = languages())]
    kind: Option<Language>,

    #[command(flatten)]
    options: OptionArgs,

    /// Schemas that a JSON Schema refers to by URI: a file, or a folder of .json files. Each is known by its `$id` and
    /// by its name within the folder; after `URI=` that name is relative to the URI. May be given several times
    #[arg(long, value_name = "[URI=]PATH")]
    registry: Vec<OsString>,

    /// Sources that a grammar, or a grammar in a structural tag, refers to by name
    /// (`@"schema.json"`): a file, or a folder of files. A file is known by its name, and a file in
    /// a folder by its path within the folder. `NAME=` sets another name, or a prefix for a folder.
    /// May be given several times
    #[arg(long, value_name = "[NAME=]PATH")]
    include: Vec<OsString>,

    /// Reject a source with keywords of this class. May be given several times
    #[arg(long, value_name = "WHAT", value_parser = deny_names())]
    deny: Vec<Deny>,
}

/// A source that was read, with the front end for it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) source: Source,
    pub(crate) front_end: FrontEnd,
    /// Names and values of the front end's options, which the artifact records.
    pub(crate) options: Vec<(&'static str, String)>,
    /// Keywords that the source must not contain. Sorted, without duplicates.
    deny: Vec<Deny>,
}

impl SourceArgs {
    /// Reads the source, and the schemas and grammars that the source may refer to.
    pub(crate) fn read(&self) -> Result<Request, Failure> {
        let kind = self.kind()?;
        let source = match built_in(&self.source) {
            Some(name) => Source::new(self.source.display().to_string(), name),
            None => read_source(&self.source)?,
        };
        let name = self.source.display().to_string();
        let Settings { front_end, .. } = self.options.settings(kind, &name)?;
        let mut front_end = front_end.in_text_file();
        if !self.registry.is_empty() {
            let schemas = self.option("registry", "resources", kind, front_end.schemas())?;
            let read = registry::read(Path::new(""), &self.registry).map_err(Problem::Registry)?;
            schemas.resources = read.resources;
        }
        if !self.include.is_empty() {
            let sources = self.option("include", "sources", kind, front_end.sources())?;
            *sources =
                include::read(Path::new(""), &self.include).map_err(Problem::Include)?.sources;
        }
        let mut options = front_end.recorded();
        if !self.include.is_empty() {
            let arguments = self.include.iter().map(|argument| argument.to_string_lossy());
            options.push(("include", arguments.collect::<Vec<_>>().join(" ")));
        }
        if !self.registry.is_empty() {
            let arguments = self.registry.iter().map(|argument| argument.to_string_lossy());
            options.push(("registry", arguments.collect::<Vec<_>>().join(" ")));
        }
        let mut deny = self.deny.clone();
        deny.sort();
        deny.dedup();
        if !deny.is_empty() {
            let names: Vec<_> = deny.iter().map(|what| what.name()).collect();
            options.push(("deny", names.join(" ")));
        }
        Ok(Request { source, front_end, options, deny })
    }

    /// Returns `part`, the settings that the option `name` changes. If the source's language has no
    /// such option, fails with an error about `flag`.
    fn option<T>(
        &self,
        flag: &'static str,
        name: &str,
        kind: Language,
        part: Option<T>,
    ) -> Result<T, Problem> {
        part.ok_or_else(|| {
            let owners = OptionRow::named(name).map(OptionRow::owners).unwrap_or_default();
            let problem = not_for(&owners, &self.source.display().to_string(), kind);
            Problem::Flag { flag, problem }
        })
    }

    /// Returns the language of the source: the argument `--kind`, or else the language of the
    /// file's extension. With `--style` the source is a list of tools, in any file. Fails if the
    /// extension belongs to no language.
    fn kind(&self) -> Result<Language, Problem> {
        let name = || self.source.display().to_string();
        let of_tools = self.options.has("style").then_some(Language::StructuralTag);
        let kind = self.kind.or(of_tools).or_else(|| language_of(&self.source));
        kind.ok_or_else(|| {
            let file = self.source.file_name().and_then(OsStr::to_str).unwrap_or_default();
            Problem::Kind { name: name(), help: Language::instead_of_file(file) }
        })
    }
}

impl Request {
    /// Returns the grammar of the source, read without any special tokens of a vocabulary. Fails if
    /// the source has errors.
    pub(crate) fn lower(&self, budget: &Budget) -> Result<Lowered, Failure> {
        self.lower_for(&ControlTokens::default(), budget)
    }

    /// Returns the grammar of the source for a vocabulary with the special tokens `controls`. Fails
    /// if the source has errors.
    pub(crate) fn lower_for(
        &self,
        controls: &ControlTokens,
        budget: &Budget,
    ) -> Result<Lowered, Failure> {
        let refused = |diagnostics| Failure::Refused { source: self.source.clone(), diagnostics };
        self.with(&CompileOptions::default()).lower(controls, budget).map_err(refused)
    }

    /// Returns the request for another source of the same language.
    pub(crate) fn with_source(&self, source: Source) -> Self {
        Self { source, ..self.clone() }
    }

    /// Combines the request with compiler options to the form that the compiler takes.
    pub(crate) fn with<'r>(&'r self, options: &'r CompileOptions) -> SourceRequest<'r> {
        let Self { front_end, source, deny, .. } = self;
        SourceRequest { front_end, source, deny, options }
    }

    /// Fails if the report of the compilation contains a keyword that the user denied (`--deny`).
    pub(crate) fn check_report(&self, report: &Report) -> Result<(), Failure> {
        let diagnostics = denied(&self.source, report, &self.deny);
        match diagnostics.is_empty() {
            true => Ok(()),
            false => Err(Failure::Refused { source: self.source.clone(), diagnostics }),
        }
    }
}

/// Returns the name of the built-in grammar in an argument `builtin:NAME`. `None` for other
/// arguments.
pub(crate) fn built_in(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(BUILT_IN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_language() {
        let kind = |name| language_of(Path::new(name));
        assert_eq!(kind("a/b.json"), Some(Language::JsonSchema));
        assert_eq!(kind("b.gbnf"), Some(Language::Gbnf));
        assert_eq!(kind("b.ebnf"), Some(Language::Ebnf));
        assert_eq!(kind("b.lark"), Some(Language::Lark));
        assert_eq!(kind("b.regex"), Some(Language::Regex));
        assert_eq!(kind("b.d.ts"), Some(Language::TypeScript));
        assert_eq!(kind("builtin:csv"), Some(Language::BuiltIn));
        assert_eq!([kind("b.txt"), kind("json"), kind("-")], [None; 3]);
    }
}
