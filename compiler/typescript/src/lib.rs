//! TypeScript: a grammar for the JSON texts of a type's values.
//!
//! ```ts
//! export interface Ticket { id: `T-${number}`; /** @maxLength 80 */ title: string; tags?: string[] }
//! ```
//!
//! The parser is oxc (`parse`). The types reachable from the root become a JSON Schema, and the front end of JSON
//! Schema lowers it with its options. Every value of the schema knows its part of the text (`schema_source`), so errors
//! and places refer to the text.
//!
//! Types describe data. Objects are closed: keys without a member are refused. `?` and `| undefined` make a key
//! optional. Named types are definitions, and generic types are substituted. Types without JSON values (functions,
//! `bigint`, `symbol`) are refused with their place. So are types that need TypeScript's checker: conditional and
//! mapped types, `typeof`. Cost: linear in the text and in the instances of generic types.
//!
//! Tests: `tests/`: by example, and random types with a checker of their own.

pub mod codes;
mod constants;
mod declarations;
mod definitions;
mod depth;
mod names;
mod parse;
mod refusals;
mod schema_source;
mod scope;
mod shape;
mod tags;
mod template;
mod translate;
mod types;

#[cfg(test)]
mod tests;

use declarations::Declarations;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema as json_schema;
use grammarc_json_schema::JsonSchemaOptions;
use schema_source::SchemaSource;
use scope::Scope;
use translate::Translator;

/// The options of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeScriptOptions {
    /// Name of the root type. The default is the default export, the last exported type, or the only type.
    pub start: Option<String>,
    /// Options of the resulting schema.
    pub json_schema: JsonSchemaOptions,
}

/// A schema with its places, and findings about the source.
struct Translated {
    schema: SchemaSource,
    findings: Vec<Diagnostic>,
}

/// Lowers a source to the grammar of the JSON texts of a type's values.
///
/// # Errors
///
/// All errors of the syntax or the types; the errors of JSON Schema, such as a type without values; or that the budget
/// is spent.
pub fn lower(
    source: Source,
    options: &TypeScriptOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    let Translated { schema, mut findings } = translate(&source, options, budget)?;
    let document = Source::new(source.name.clone(), schema.text.as_str());
    let in_text = |found: Vec<Diagnostic>| {
        found.into_iter().map(|mut diagnostic| {
            for label in &mut diagnostic.labels {
                label.span = schema.source(&label.span);
            }
            diagnostic
        })
    };
    let lowered = json_schema::lower(document, &options.json_schema, budget);
    let mut lowered = lowered.map_err(|errors| in_text(errors).collect::<Vec<_>>())?;
    for rule in &mut lowered.grammar.rules {
        rule.origin.span = rule.origin.span.take().map(|span| schema.source(&span));
    }
    findings.extend(in_text(lowered.findings));
    Ok(Lowered { source, findings, ..lowered })
}

/// Returns the JSON Schema of a source's types. The pointers of the report refer to it.
///
/// # Errors
///
/// The errors of [`lower`], except those of the schema.
pub fn to_json_schema(
    source: &Source,
    options: &TypeScriptOptions,
    budget: &Budget,
) -> Result<String, Vec<Diagnostic>> {
    Ok(translate(source, options, budget)?.schema.text)
}

fn translate(
    source: &Source,
    options: &TypeScriptOptions,
    budget: &Budget,
) -> Result<Translated, Vec<Diagnostic>> {
    let _ = budget.spend(source.text.len());
    budget.check_in_source()?;
    let translated = parse::with_program(source, |program| {
        let mut errors = Vec::new();
        let declarations = Declarations::read(program, &mut errors);
        let mut findings = Vec::new();
        let root = declarations.root(options.start.as_deref(), &mut findings);
        let root = root.map_err(|error| {
            errors.push(error);
            std::mem::take(&mut errors)
        })?;
        let scope = Scope::new(&source.text, &declarations, errors, budget);
        let mut translator = Translator::new(scope);
        let schema = translator.root(root)?.write();
        findings.append(&mut translator.scope.findings);
        Ok(Translated { schema, findings })
    })?;
    budget.check_in_source()?;
    Ok(translated)
}
