//! The options of a group's front ends.

use std::ops::Range;
use std::path::{Path, PathBuf};

use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::choice::ChoiceOptions;
use grammarc_compiler::frontend::gbnf::{GbnfOptions, Notation};
use grammarc_compiler::frontend::json_schema::{
    Escapes, JsonSchemaOptions, KeyOrder, NumberForm, SchemaDialect, Separator, Whitespace,
};
use grammarc_compiler::frontend::lark::LarkOptions;
use grammarc_compiler::frontend::regex::PatternOptions;
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::frontend::sources::Sources;
use grammarc_compiler::frontend::structural_tag::{StructuralTagOptions, Tokens};
use grammarc_compiler::frontend::substring::SubstringOptions;
use grammarc_compiler::frontend::typescript::TypeScriptOptions;
use toml::Spanned;

use super::fault::{causes, wrong};
use super::raw::{self, Dialect, EscapeForm, Numbers, Order};
use crate::{include, registry};

/// The options of a group, with those that were given.
#[derive(Debug)]
pub(crate) struct GroupOptions {
    json_schema: JsonSchemaOptions,
    /// Start rule or type, unless the language's own.
    start: Option<String>,
    tokens: Tokens,
    /// Place of the key `kind`, if it is given.
    kind_at: Range<usize>,
    /// The sources that grammars refer to.
    sources: Sources,
    /// The options that were given, where each stands, and the kinds of sources that it is for.
    given: Vec<(&'static str, Range<usize>, &'static [Language])>,
    /// The registry as it was written.
    pub(crate) registry: Vec<String>,
    /// The sources that grammars refer to, as they were written.
    pub(crate) include: Vec<String>,
    /// The files of both.
    pub(crate) inputs: Vec<PathBuf>,
}

impl GroupOptions {
    /// Reads the options of a group, and the schemas of its registry.
    pub(super) fn read(root: &Path, group: &raw::Group) -> Result<Self, Diagnostic> {
        let mut json_schema = JsonSchemaOptions::default();
        text_form(group, &mut json_schema)?;
        if let Some(closed) = &group.closed {
            json_schema.closed = *closed.get_ref();
        }
        if let Some(dialect) = &group.dialect {
            json_schema.dialect = match dialect.get_ref() {
                Dialect::JsonSchema => SchemaDialect::JsonSchema,
                Dialect::OpenApi30 => SchemaDialect::OpenApi30,
            };
        }
        let mut inputs = Vec::new();
        let arguments = group.registry.as_ref().map(Spanned::get_ref).cloned().unwrap_or_default();
        if let Some(given) = &group.registry {
            let paths: Vec<_> = arguments.iter().map(Into::into).collect();
            let registry = registry::read(root, &paths)
                .map_err(|error| wrong("registry", given.span(), causes(&error)))?;
            json_schema.resources = registry.resources;
            inputs = registry.inputs;
        }
        let include = group.include.as_ref().map(Spanned::get_ref).cloned().unwrap_or_default();
        let mut sources = Sources::default();
        if let Some(given) = &group.include {
            let paths: Vec<_> = include.iter().map(Into::into).collect();
            let included = include::read(root, &paths)
                .map_err(|error| wrong("include", given.span(), causes(&error)))?;
            sources = included.sources;
            inputs.extend(included.inputs);
        }
        let start = group.start.as_ref().map(|start| start.get_ref().clone());
        const SCHEMAS: &[Language] =
            &[Language::JsonSchema, Language::StructuralTag, Language::Lark];
        const JSON: &[Language] =
            &[Language::JsonSchema, Language::StructuralTag, Language::Lark, Language::TypeScript];
        const STARTS: &[Language] =
            &[Language::Gbnf, Language::Ebnf, Language::Lark, Language::TypeScript];
        let tokens = group.tokens.as_ref().map(|given| *given.get_ref()).unwrap_or_default();
        let given = [
            ("dialect", group.dialect.as_ref().map(Spanned::span), SCHEMAS),
            ("closed", group.closed.as_ref().map(Spanned::span), SCHEMAS),
            ("whitespace", group.whitespace.as_ref().map(Spanned::span), JSON),
            ("levels", group.levels.as_ref().map(Spanned::span), JSON),
            ("separators", group.separators.as_ref().map(Spanned::span), JSON),
            ("surround", group.surround.as_ref().map(Spanned::span), JSON),
            ("numbers", group.numbers.as_ref().map(Spanned::span), JSON),
            ("escapes", group.escapes.as_ref().map(Spanned::span), JSON),
            ("key-order", group.key_order.as_ref().map(Spanned::span), JSON),
            ("registry", group.registry.as_ref().map(Spanned::span), SCHEMAS),
            ("tokens", group.tokens.as_ref().map(Spanned::span), &[Language::StructuralTag]),
            ("start", group.start.as_ref().map(Spanned::span), STARTS),
            (
                "include",
                group.include.as_ref().map(Spanned::span),
                &[Language::Gbnf, Language::Ebnf, Language::StructuralTag],
            ),
        ];
        let given = given.into_iter().filter_map(|(key, span, kinds)| Some((key, span?, kinds)));
        let (given, registry) = (given.collect(), arguments);
        let kind_at = group.kind.as_ref().map(Spanned::span).unwrap_or_default();
        Ok(Self { kind_at, json_schema, start, tokens, sources, given, registry, include, inputs })
    }

    fn start(&self, default: &str) -> String {
        self.start.clone().unwrap_or_else(|| default.to_owned())
    }

    fn gbnf(&self, notation: Notation) -> FrontEnd {
        let (start, sources) = (self.start("root"), self.sources.clone());
        FrontEnd::Gbnf(GbnfOptions { start, notation, sources })
    }

    /// How a source of a kind is read.
    pub(super) fn front_end(&self, kind: Language, name: &str) -> Result<FrontEnd, Diagnostic> {
        let front_end = match kind {
            Language::JsonSchema => FrontEnd::JsonSchema(self.json_schema.clone()),
            Language::Gbnf => self.gbnf(Notation::Gbnf),
            Language::Ebnf => self.gbnf(Notation::Xgrammar),
            Language::Lark => FrontEnd::Lark(LarkOptions {
                start: self.start("start"),
                schemas: self.json_schema.clone(),
            }),
            Language::Substring => FrontEnd::Substring(SubstringOptions::default()),
            Language::Regex => FrontEnd::Regex(PatternOptions::default()),
            Language::Choice => FrontEnd::Choice(ChoiceOptions::default()),
            Language::StructuralTag => FrontEnd::StructuralTag(StructuralTagOptions {
                tokens: self.tokens,
                schemas: self.json_schema.clone(),
                sources: self.sources.clone(),
            }),
            Language::TypeScript => FrontEnd::TypeScript(TypeScriptOptions {
                start: self.start.clone(),
                json_schema: self.json_schema.clone(),
            }),
            Language::BuiltIn => {
                let problem = format!("a built-in grammar has no file, and {name} is one");
                return Err(wrong("kind", self.kind_at.clone(), problem));
            }
        };
        match self.given.iter().find(|(.., kinds)| !kinds.contains(&kind)) {
            None => Ok(front_end),
            Some((key, span, kinds)) => {
                let owner = kinds[0].name();
                let kind = front_end.kind();
                let problem = format!("it is for {owner} sources, and {name} is {kind}");
                Err(wrong(key, span.clone(), problem)
                    .with_help("put these files into a [[source]] of their own"))
            }
        }
    }
}

/// The text form of accepted documents.
fn text_form(group: &raw::Group, options: &mut JsonSchemaOptions) -> Result<(), Diagnostic> {
    let text = &mut options.text;
    if let Some(given) = &group.whitespace {
        let form = given.get_ref().parse();
        text.whitespace = form.map_err(|error| wrong("whitespace", given.span(), error))?;
    }
    if let Some(given) = &group.separators {
        if group.whitespace.is_some() {
            let problem = "they stand in place of whitespace, which is given too";
            return Err(wrong("separators", given.span(), problem));
        }
        let [item, key] = given.get_ref();
        let failed = |error| wrong("separators", given.span(), error);
        let item = Separator::item(item).map_err(failed)?;
        let key = Separator::key(key).map_err(failed)?;
        text.whitespace = Whitespace::Fixed { item, key };
    }
    if let Some(levels) = &group.levels {
        match &mut text.whitespace {
            Whitespace::Indented(indentation) | Whitespace::Styled(indentation) => {
                indentation.levels = *levels.get_ref();
            }
            _ => {
                let problem = "it is for indented and styled whitespace";
                return Err(wrong("levels", levels.span(), problem));
            }
        }
    }
    if let Some(surround) = &group.surround {
        text.surround = *surround.get_ref();
    }
    if let Some(numbers) = &group.numbers {
        text.numbers = match numbers.get_ref() {
            Numbers::Natural => NumberForm::Natural,
            Numbers::Canonical => NumberForm::Canonical,
            Numbers::Any => NumberForm::Any,
        };
    }
    if let Some(escapes) = &group.escapes {
        text.escapes = match escapes.get_ref() {
            EscapeForm::Shortest => Escapes::Shortest,
            EscapeForm::Any => Escapes::Any,
        };
    }
    if let Some(order) = &group.key_order {
        options.key_order = match order.get_ref() {
            Order::Schema => KeyOrder::Schema,
            Order::Any => KeyOrder::Any,
            Order::AnyOnce => KeyOrder::AnyOnce,
        };
    }
    Ok(())
}
