//! TypeScript: lowers a type to a grammar of the JSON texts of its values.
//!
//! ```ts
//! export interface Ticket { id: `T-${number}`; /** @maxLength 80 */ title: string; tags?: string[] }
//! ```
//!
//! The parser is oxc (`parse`). The types that the root refers to become a JSON Schema, and the front end of JSON
//! Schema lowers it with its options. Every value of the schema has its place in the source (`schema_source`), so
//! errors and places refer to the source.
//!
//! Types describe data. Objects are closed: keys without a member are not allowed. `?` and `| undefined` make a key
//! optional. Named types become definitions, and generic types are substituted. Types without JSON values (functions,
//! `bigint`, `symbol`) are errors, with their place. So are types that only TypeScript's checker could resolve:
//! conditional and mapped types, `typeof`. Cost: linear in the source and in the instances of generic types.
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

/// The options of a TypeScript source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeScriptOptions {
    /// The name of the root type. `None` takes the default export, the last exported type, or the only type.
    pub start: Option<String>,
    /// The options for the JSON Schema that the types become.
    pub json_schema: JsonSchemaOptions,
}

/// The JSON Schema of a source, with places, and the findings about the source.
struct Translated {
    schema: SchemaSource,
    findings: Vec<Diagnostic>,
}

/// Lowers a TypeScript source to the grammar of the JSON texts of its root type.
///
/// # Errors
///
/// Returns all errors of the syntax, or else of the types, or else of the JSON Schema (such as a type without values).
/// If the budget is spent, returns that error alone.
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

/// Returns the text of the JSON Schema of a source. JSON pointers in the report of [`lower`] refer to it.
///
/// # Errors
///
/// Returns the errors of [`lower`], except those of the JSON Schema.
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
