//! TypeScript: declarations of types as grammars of the JSON texts of their values.
//!
//! ```ts
//! export interface Ticket { id: `T-${number}`; /** @maxLength 80 */ title: string; tags?: string[] }
//! ```
//!
//! The text is parsed by oxc (`parse`), the types that the root leads to become a JSON Schema (`translate`, `references`,
//! `objects`, `values`, `template`, `tags`), and the front end of JSON Schema makes the grammar, with its options. Every value of the schema
//! knows the part of the text that it comes from (`written`), so errors and places are of the text.
//!
//! Types are those of data: objects are closed (a key that a type does not name is refused), `?` and `| undefined` are keys that
//! may be left out, named types are definitions, and generic types are substituted. Types without JSON values (functions,
//! `bigint`, `symbol`), and types that only the checker of TypeScript can tell (conditional and mapped types, `typeof`), are
//! refused with their place. Cost: linear in the text and in the instances of generic types.

pub mod codes;
mod constants;
mod declarations;
mod definitions;
mod depth;
mod names;
mod parse;
mod refusals;
mod scope;
mod shape;
mod tags;
mod template;
mod translate;
mod types;
mod written;

#[cfg(test)]
mod tests;

use declarations::Declarations;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
use grammarc_json_schema as json_schema;
use grammarc_json_schema::JsonSchemaOptions;
use scope::Scope;
use translate::Translator;
use written::Written;

/// The options of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TypeScriptOptions {
    /// Name of the type that texts are of. Else it is the default export, the last type that is exported, or the only one.
    pub start: Option<String>,
    /// Options of the schema that the types become.
    pub json_schema: JsonSchemaOptions,
}

/// A schema with its places, and findings about the source.
struct Translated {
    schema: Written,
    findings: Vec<Diagnostic>,
}

/// The grammar of the JSON texts of a type's values.
///
/// # Errors
///
/// The errors of the syntax or the types, all of them; the refusals of the front end of JSON Schema, such as of a type
/// that has no value; or that the budget is spent.
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

/// The JSON Schema that a source's types become: the one whose pointers the report has.
///
/// # Errors
///
/// As [`lower`], but for what is wrong with the schema.
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
