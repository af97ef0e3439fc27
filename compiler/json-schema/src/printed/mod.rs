//! Prints an equivalent schema with plain keywords alone: types, bounds, patterns, members and items.
//!
//! ```text
//! text ── survey ──► formula ── build ──► content graph ── members, items, numbers, strings ──► schema
//! ```
//!
//! Conjunctions, negations, conditions and `unevaluated*` disappear, because a formula's content describes only its
//! values. If a subschema of the source has the same formula, it is printed as it is, with its references and
//! descriptions.
//!
//! | file | content |
//! | --- | --- |
//! | `members` | automata over members as `properties`, `required` and `additionalProperties` |
//! | `items` | automata over items as `prefixItems`, `items` and bounds |
//! | `union` | unions of schemas, with a bounded number of branches |
//! | `values/numbers/printed`, `values/strings/printed` | sets of numbers and strings |
//!
//! Contents without such a schema of bounded size are not printed. Cost: that of the content graph, and linear in the
//! printed schema. Tests: below, by the relation of both schemas.

mod items;
mod members;
mod union;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use grammarc_grammar::diagnostics::Source;

use crate::algebra::automata::layer::Automata;
use crate::algebra::content::explore::build;
use crate::algebra::content::graph::ContentGraph;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::promises::{OneOfPromise, OrderPromise, Promises};
use crate::algebra::simplify::steps::Steps;
use crate::document::Document;
use crate::options::{JsonSchemaOptions, TextForm};
use crate::passes::CODES;
use crate::read::share;
use crate::read::survey::{Surveyed, survey};
use crate::relation::RelationOptions;
use items::items;
use members::members;
use union::union;

/// Most formulas that are printed for one schema. Larger schemas are not printed.
const MOST_FORMULAS: usize = 256;

/// Returns an equivalent schema in plain keywords. `None` if there is no such schema, if the source is refused, or if a
/// limit is met.
///
/// Keywords that the compiler approximates are printed as approximated. Use [`compare`](crate::relation::compare) to
/// decide whether both schemas are equal.
///
/// # Cost
///
/// That of a compilation up to its content graph, within the time limit of the options.
pub fn printed(source: &Source, options: &RelationOptions) -> Option<Value> {
    let budget = options.budget();
    let schemas_options = JsonSchemaOptions { text: TextForm::SHORT, ..options.schemas.clone() };
    let (mut document, tree) = Document::parse(source, CODES, &budget).ok()?;
    let roots = [(document.root(), &tree)];
    let mut findings = Vec::new();
    let none = FxHashSet::default();
    let surveyed =
        survey(&mut document, &roots, &schemas_options, &none, &budget, &mut findings).ok()?;
    let Surveyed { mut schemas, roots, .. } = surveyed;
    schemas.share(share::first_equals(&document, &schemas));
    let exact = Promises { key_order: OrderPromise::Schema, one_of: OneOfPromise::Exact };
    let mut automata =
        Automata::new(&document, &schemas, exact, Steps::default(), &schemas_options, &budget);
    let root = automata.logic().schema(roots[0]);
    let mut known = FxHashMap::default();
    for id in schemas.iter() {
        let node = schemas.node(id);
        let formula = automata.logic().schema(id);
        let pointer = document.pointer(node);
        if formula != root && pointer.starts_with('/') {
            known.entry(formula).or_insert(pointer);
        }
    }
    let graph = build(&mut automata, root).ok()?;
    let printer = Printer { automata: &automata, graph: &graph, known, source: tree.value() };
    printer.formula(root, &mut Open { around: Vec::new(), printed: 0 })
}

/// The state of the recursion over formulas.
struct Open {
    /// The formulas that are being printed, outermost first. A formula inside itself cannot be printed without a
    /// definition.
    around: Vec<FormulaId>,
    /// The number of formulas printed.
    printed: usize,
}

/// Prints formulas of a content graph.
struct Printer<'p, 'a> {
    automata: &'p Automata<'a>,
    graph: &'p ContentGraph,
    /// JSON pointers to subschemas of the source, by their formula.
    known: FxHashMap<FormulaId, String>,
    /// The source document.
    source: &'p Value,
}

impl Printer<'_, '_> {
    /// Returns the schema of a formula. Recurses as deep as formulas nest, at most [`MOST_FORMULAS`].
    fn formula(&self, formula: FormulaId, open: &mut Open) -> Option<Value> {
        if formula == FormulaId::TRUE {
            return Some(json!({}));
        }
        if let Some(found) =
            self.known.get(&formula).and_then(|pointer| self.source.pointer(pointer))
        {
            return Some(found.clone());
        }
        open.printed += 1;
        if open.around.contains(&formula) || open.printed > MOST_FORMULAS {
            return None;
        }
        open.around.push(formula);
        let printed = self.content(formula, open);
        open.around.pop();
        printed
    }

    /// Returns the schema for the union of several formulas. `None` if one of them cannot be printed.
    fn one_of(&self, formulas: &[FormulaId], open: &mut Open) -> Option<Value> {
        let mut branches = Vec::new();
        for &formula in formulas {
            let branch = self.formula(formula, open)?;
            if branch == json!({}) {
                return Some(branch);
            }
            if !branches.contains(&branch) {
                branches.push(branch);
            }
        }
        union(branches)
    }

    fn content(&self, formula: FormulaId, open: &mut Open) -> Option<Value> {
        let content = self.graph.content(formula);
        if content.is_all() {
            return Some(json!({}));
        }
        let types = &self.automata.simplifier.types;
        let scalars = &content.scalars;
        let mut branches: Vec<Value> = Vec::new();
        if scalars.null {
            branches.push(json!({"type": "null"}));
        }
        match (scalars.no, scalars.yes) {
            (true, true) => branches.push(json!({"type": "boolean"})),
            (true, false) => branches.push(json!({"enum": [false]})),
            (false, true) => branches.push(json!({"enum": [true]})),
            (false, false) => {}
        }
        branches.extend(scalars.numbers.printed()?);
        branches.extend(scalars.strings.printed()?);
        match &content.arrays {
            None => branches.push(json!({"type": "array"})),
            Some(automata) => {
                for automaton in automata {
                    let mut print = |values: &[FormulaId]| self.one_of(values, open);
                    branches.push(items(automaton, &mut print)?);
                }
            }
        }
        match &content.objects {
            None => branches.push(json!({"type": "object"})),
            Some(automata) => {
                for automaton in automata {
                    let mut print = |values: &[FormulaId]| self.one_of(values, open);
                    branches.extend(members(automaton, types, &mut print)?);
                }
            }
        }
        union(branches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relation::{Relation, compare};

    fn source(schema: &Value) -> Source {
        Source::new("<test>", schema.to_string())
    }

    #[test]
    fn printed_schemas_are_equal_and_plain() {
        let cases = [
            json!({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 1000, "multipleOf": 5}]}),
            json!({"type": "number", "not": {"minimum": 0, "exclusiveMaximum": 10}}),
            json!({"type": "string", "not": {"const": "a"}}),
            json!({"type": "string", "pattern": "^(?=.*[0-9])[a-c0-9]{1,3}$"}),
            json!({"type": "string", "allOf": [{"pattern": "a"}, {"pattern": "b$"}]}),
            json!({"not": {"type": ["string", "object"]}}),
            json!({
                "type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "additionalProperties": false, "dependentRequired": {"a": ["b"]},
            }),
            json!({
                "type": "object", "required": ["k"], "additionalProperties": false,
                "properties": {"k": {"enum": ["x", "y"]}, "v": {"type": "integer"}},
                "if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["v"]},
            }),
            json!({"type": "object", "allOf": [{"properties": {"a": {"type": "null"}}}], "unevaluatedProperties": false}),
            json!({"type": "array", "allOf": [{"items": {"type": "integer"}}, {"items": {"minimum": 3}, "maxItems": 4}]}),
            json!({"type": "array", "prefixItems": [{"type": "null"}], "allOf": [{"minItems": 1}], "unevaluatedItems": false}),
            json!({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 9}]}),
        ];
        for schema in cases {
            let options = RelationOptions::default();
            let Some(printed) = printed(&source(&schema), &options) else {
                panic!("{schema} is not printed");
            };
            let compared = compare(&source(&schema), &source(&printed), &options).unwrap();
            assert_eq!(
                compared.relation,
                Relation::Equal,
                "{schema} is printed as {printed}: {compared:?}"
            );
            let text = printed.to_string();
            for keyword in ["allOf", "not", "if", "oneOf", "unevaluated", "dependent", "(?="] {
                assert!(
                    !text.contains(&format!("\"{keyword}")),
                    "{schema} is printed as {printed}"
                );
            }
        }
    }

    #[test]
    fn parts_that_do_not_change_are_printed_as_they_are() {
        let schema = json!({
            "allOf": [
                {"type": "object", "properties": {"a": {"$ref": "#/$defs/n", "description": "d"}}},
                {"required": ["a"]},
            ],
            "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
        });
        let printed = printed(&source(&schema), &RelationOptions::default()).unwrap();
        assert_eq!(printed["properties"]["a"]["$ref"], json!("#/$defs/n"), "{printed}");
    }
}
