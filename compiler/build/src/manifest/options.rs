//! The options of a group for the front ends of source languages.

use std::ops::Range;
use std::path::{Path, PathBuf};

use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::Resources;
use grammarc_compiler::frontend::settings::{Language, OptionRow, Settings};
use grammarc_compiler::frontend::sources::Sources;
use serde_json::{Map, Value};
use toml::Spanned;

use super::fault::{causes, wrong};
use super::raw;
use crate::{include, registry};

/// An option that the manifest gives, with its byte range.
#[derive(Debug)]
struct Given {
    row: &'static OptionRow,
    value: Value,
    span: Range<usize>,
}

/// The options that the manifest gives to a group.
#[derive(Debug)]
pub(crate) struct GroupOptions {
    /// The options of source languages, in the order of the file.
    given: Vec<Given>,
    /// Byte range of the value of `kind` in the manifest. Empty if the key is not given.
    kind_at: Range<usize>,
    registry_at: Range<usize>,
    include_at: Range<usize>,
    /// The schemas that references in JSON Schemas may lead to.
    resources: Resources,
    /// The sources that grammars may include by name.
    sources: Sources,
    /// The arguments of `registry`, as they are written in the manifest.
    pub(crate) registry: Vec<String>,
    /// The arguments of `include`, as they are written in the manifest.
    pub(crate) include: Vec<String>,
    /// The files and folders that were read for `registry` and `include`.
    pub(crate) inputs: Vec<PathBuf>,
}

impl GroupOptions {
    /// Reads the options of a group, the schemas of its registry, and the sources that its grammars
    /// may include.
    pub(super) fn read(root: &Path, group: &raw::Group) -> Result<Self, Diagnostic> {
        let given = given(&group.options)?;
        let span = |given: &Option<Spanned<Vec<String>>>| {
            given.as_ref().map(Spanned::span).unwrap_or_default()
        };
        let texts = |given: &Option<Spanned<Vec<String>>>| {
            given.as_ref().map(Spanned::get_ref).cloned().unwrap_or_default()
        };
        let mut options = Self {
            given,
            kind_at: group.kind.as_ref().map(Spanned::span).unwrap_or_default(),
            registry_at: span(&group.registry),
            include_at: span(&group.include),
            resources: Resources::default(),
            sources: Sources::default(),
            registry: texts(&group.registry),
            include: texts(&group.include),
            inputs: Vec::new(),
        };
        let paths = |texts: &[String]| texts.iter().map(Into::into).collect::<Vec<_>>();
        if group.registry.is_some() {
            let read = registry::read(root, &paths(&options.registry))
                .map_err(|error| wrong("registry", options.registry_at.clone(), causes(&error)))?;
            options.resources = read.resources;
            options.inputs = read.inputs;
        }
        if group.include.is_some() {
            let read = include::read(root, &paths(&options.include))
                .map_err(|error| wrong("include", options.include_at.clone(), causes(&error)))?;
            options.sources = read.sources;
            options.inputs.extend(read.inputs);
        }
        Ok(options)
    }

    /// Returns the front end for a source of the language `kind`. `name` is the name of the source,
    /// for messages.
    ///
    /// # Errors
    ///
    /// The group has an option that belongs to other languages, or `kind` is the language of
    /// built-in grammars.
    pub(super) fn front_end(&self, kind: Language, name: &str) -> Result<FrontEnd, Diagnostic> {
        if kind == Language::BuiltIn {
            let problem = format!("a built-in grammar has no file, and {name} is one");
            return Err(wrong("kind", self.kind_at.clone(), problem));
        }
        let other = |key: &str, span: &Range<usize>, owner: &OptionRow| {
            let owner = owner.languages[0].name();
            let problem = format!("it is for {owner} sources, and {name} is {}", kind.name());
            wrong(key, span.clone(), problem)
                .with_help("put these files into a [[source]] of their own")
        };
        let mut options = Map::new();
        for Given { row, value, span } in &self.given {
            if !row.languages.contains(&kind) {
                return Err(other(row.name, span, row));
            }
            options.insert(row.name.to_owned(), value.clone());
        }
        let settings = Settings::of(kind, options);
        let Settings { front_end, .. } =
            settings.map_err(|error| wrong("source", self.kind_at.clone(), error))?;
        let mut front_end = front_end.in_text_file();
        let row = |name| OptionRow::named(name).expect("the table has it");
        if !self.registry.is_empty() {
            let schemas = front_end.schemas();
            let schemas =
                schemas.ok_or_else(|| other("registry", &self.registry_at, row("resources")))?;
            schemas.resources = self.resources.clone();
        }
        if !self.include.is_empty() {
            let sources = front_end.sources();
            let sources =
                sources.ok_or_else(|| other("include", &self.include_at, row("sources")))?;
            *sources = self.sources.clone();
        }
        Ok(front_end)
    }
}

/// Reads the options with their values, in the order of the file. Each option is read separately,
/// so that an error has its position.
fn given(options: &[(&'static OptionRow, Spanned<toml::Value>)]) -> Result<Vec<Given>, Diagnostic> {
    let whitespace = options.iter().find(|(row, _)| row.name == "whitespace");
    let mut options: Vec<_> = options.iter().collect();
    options.sort_by_key(|(_, given)| given.span().start);
    let mut read = Vec::new();
    for (row, given) in options {
        let failed = |problem: String| wrong(row.name, given.span(), problem);
        let value = |given: &Spanned<toml::Value>| serde_json::to_value(given.get_ref());
        let this = value(given).map_err(|error| failed(error.to_string()))?;
        let mut one: Map<String, Value> =
            [(row.name.to_owned(), this.clone())].into_iter().collect();
        // The meaning of `levels` and `separators` depends on `whitespace`.
        if let (Some((_, whitespace)), "levels" | "separators") = (whitespace, row.name) {
            let whitespace = value(whitespace).map_err(|error| failed(error.to_string()))?;
            one.insert("whitespace".to_owned(), whitespace);
        }
        Settings::of(row.languages[0], one).map_err(|error| failed(error.fault().1))?;
        read.push(Given { row, value: this, span: given.span() });
    }
    Ok(read)
}
