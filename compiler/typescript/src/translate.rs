//! Types as schemas.
//!
//! A type is a node of the syntax tree with what its type parameters stand for ([`Ty`]). A named type becomes a definition, made
//! from a queue and not where it is referred to, so that recursive types end and only what stands written within itself goes
//! deep, which is bounded. A generic type becomes a definition for each list of arguments, by the schemas that these become.
//!
//! Errors are collected: a type with one becomes `false` and the rest is read on.

use std::collections::VecDeque;
use std::ops::Range;

use oxc_ast::ast::{TSTupleElement, TSTupleType, TSType, TSTypeOperatorOperator};
use oxc_span::GetSpan;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::codes;
use super::declarations::{Declarations, Kind, range};
use super::tags::{self, Tag};
use super::written::Node;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most levels of types written within each other. A document may have 128 levels, and a type takes up to four of them.
const MAX_NESTING: usize = 30;

/// Most instances of generic types, and most names that lead to one type.
pub(super) const MAX_INSTANCES: usize = 10_000;

/// Most errors that are reported.
pub(super) const MAX_ERRORS: usize = 50;

/// Steps of a budget that a type takes, about.
const STEPS_A_TYPE: usize = 1 << 6;

/// Arguments of type parameters.
pub(super) type Env<'a> = FxHashMap<&'a str, Ty<'a>>;

/// A type, where its parameters have the meaning of an environment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ty<'a> {
    pub(super) node: &'a TSType<'a>,
    /// Number of the environment.
    pub(super) env: usize,
}

/// A definition that is to be made.
#[derive(Debug)]
pub(super) struct Pending {
    /// Number of the declaration.
    pub(super) declaration: usize,
    pub(super) env: usize,
    pub(super) key: String,
}

/// Makes a schema of the types that a root leads to.
#[derive(Debug)]
pub(super) struct Translator<'a> {
    text: &'a str,
    pub(super) declarations: &'a Declarations<'a>,
    /// The first has no parameters.
    pub(super) envs: Vec<Env<'a>>,
    /// Names of definitions by declaration and the texts of their arguments.
    pub(super) keys: FxHashMap<(usize, Vec<String>), String>,
    pub(super) taken: FxHashSet<String>,
    pub(super) queue: VecDeque<Pending>,
    depth: usize,
    budget: &'a Budget,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) findings: Vec<Diagnostic>,
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        text: &'a str,
        declarations: &'a Declarations<'a>,
        budget: &'a Budget,
    ) -> Self {
        Self {
            text,
            declarations,
            envs: vec![Env::default()],
            keys: FxHashMap::default(),
            taken: FxHashSet::default(),
            queue: VecDeque::new(),
            depth: 0,
            budget,
            errors: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// The document of a declaration.
    pub(super) fn root(&mut self, declaration: usize) -> Result<Node, Vec<Diagnostic>> {
        let whole = self.declarations.by_name[declaration].span.clone();
        let (name, _) = self.declarations.by_name.get_index(declaration).expect("it is one");
        if let Some(parameters) = self.parameters(declaration)
            && parameters.params.iter().any(|parameter| parameter.default.is_none())
        {
            let text = format!("the type `{name}` has type parameters");
            let help =
                "start from a type that says what they are: `export type Start = Name<string>`";
            let error = Diagnostic::error(codes::ARGUMENTS, text).with_help(help);
            self.error(error.with_label(whole.clone(), ""));
        }
        let start = self.reference_to(declaration, None, 0, &whole);
        let mut definitions = Vec::new();
        while let Some(Pending { declaration, env, key }) = self.queue.pop_front() {
            let spent = self.budget.spend(STEPS_A_TYPE).is_err();
            if spent || self.errors.len() >= MAX_ERRORS {
                break;
            }
            definitions.push((key, self.definition(declaration, env)));
        }
        if !self.errors.is_empty() {
            let mut errors = std::mem::take(&mut self.errors);
            errors.sort_by_key(|error| error.labels.first().map_or(0, |label| label.span.start));
            // Instances of a generic type have its errors each.
            errors.dedup();
            return Err(errors);
        }
        let dialect = Node::value("https://json-schema.org/draft/2020-12/schema", &whole);
        let mut document = Node::object(vec![("$schema".to_owned(), dialect)], &whole);
        document.set("$ref", start);
        document.set("$defs", Node::object(definitions, &whole));
        Ok(document)
    }

    pub(super) fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Refuses a type that has no JSON values, or that only TypeScript's own checker understands.
    pub(super) fn unsupported(&mut self, span: Range<usize>, what: &str, help: &str) -> Node {
        let error = Diagnostic::error(
            codes::UNSUPPORTED,
            format!("{what} can't be read as a type of JSON values"),
        );
        self.error(error.with_label(span.clone(), "").with_help(help));
        Node::value(false, &span)
    }

    pub(super) fn span(&self, ty: Ty<'a>) -> Range<usize> {
        range(ty.node.span())
    }

    /// Goes a level down, if there is one; [`leave`](Self::leave) goes up again in either case.
    pub(super) fn enter(&mut self, span: &Range<usize>) -> bool {
        self.depth += 1;
        if self.budget.spend(STEPS_A_TYPE).is_err() {
            return false;
        }
        if self.depth > MAX_NESTING {
            let text = format!("types are nested more than {MAX_NESTING} deep, or in a circle");
            let error = Diagnostic::error(codes::NESTED_TOO_DEEP, text);
            let error = error.with_label(span.clone(), "one too many");
            self.error(error.with_help("give the inner part a name of its own"));
            return false;
        }
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The tags of the comment before a place.
    pub(super) fn tags(&mut self, at: u32) -> Vec<Tag> {
        match self.declarations.comment(at) {
            Some(comment) => {
                let mut found = Vec::new();
                let tags = tags::read(&self.text[comment.clone()], comment.start, &mut found);
                for finding in found {
                    match finding.severity {
                        grammarc_grammar::diagnostics::Severity::Error => self.error(finding),
                        _ if self.findings.contains(&finding) => {}
                        _ => self.findings.push(finding),
                    }
                }
                tags
            }
            None => Vec::new(),
        }
    }

    /// The schema of a declaration.
    fn definition(&mut self, declaration: usize, env: usize) -> Node {
        let one = &self.declarations.by_name[declaration];
        let schema = match &one.kind {
            Kind::Alias(alias) => self.schema(Ty { node: &alias.type_annotation, env }),
            Kind::Interface(_) => {
                let shapes = self.interface(declaration, env);
                self.object(shapes, &one.span)
            }
            Kind::Enum(members) => {
                let values = self.enumeration(members).into_iter();
                let values = values.map(|(_, value, span)| Node::value(value, &span)).collect();
                Node::keyword("enum", Node::list(values, &one.span))
            }
            Kind::Imported | Kind::Class => Node::value(false, &one.span),
        };
        let mut tags = Vec::new();
        for &start in &one.starts {
            tags.extend(self.tags(start));
        }
        tags::apply(schema, &tags)
    }

    /// The schema of a type.
    pub(super) fn schema(&mut self, ty: Ty<'a>) -> Node {
        let span = self.span(ty);
        let entered = self.enter(&span);
        let schema = if entered { self.schema_of(ty, &span) } else { Node::value(false, &span) };
        self.leave();
        schema
    }

    fn schema_of(&mut self, ty: Ty<'a>, span: &Range<usize>) -> Node {
        let Ty { node, env } = ty;
        let of_type = |name| Node::of_type(name, span);
        match node {
            TSType::TSStringKeyword(_) => of_type("string"),
            TSType::TSNumberKeyword(_) => of_type("number"),
            TSType::TSBooleanKeyword(_) => of_type("boolean"),
            TSType::TSNullKeyword(_) => of_type("null"),
            TSType::TSObjectKeyword(_) => of_type("object"),
            TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_) => Node::value(true, span),
            TSType::TSNeverKeyword(_) => Node::value(false, span),
            TSType::TSParenthesizedType(inner) => {
                self.schema(Ty { node: &inner.type_annotation, env })
            }
            TSType::TSArrayType(array) => self.array(Ty { node: &array.element_type, env }, span),
            TSType::TSTupleType(tuple) => self.tuple(tuple, env, span),
            TSType::TSUnionType(union) => {
                let parts = union.types.iter().map(|node| Ty { node, env }).collect();
                self.union(parts, span)
            }
            TSType::TSIntersectionType(both) => {
                let parts = both.types.iter().map(|node| Ty { node, env }).collect();
                self.intersection(parts, span)
            }
            TSType::TSTypeLiteral(_) => {
                let shapes = self.shapes(ty);
                self.object(shapes, span)
            }
            TSType::TSTypeReference(reference) => self.reference(reference, env, span),
            TSType::TSTemplateLiteralType(template) => {
                let mut schema = of_type("string");
                if let Some(pattern) = self.template(template, env) {
                    schema.set("pattern", Node::value(pattern, span));
                }
                schema
            }
            TSType::TSLiteralType(_) => self.constants(ty, span),
            TSType::TSTypeOperatorType(one) => match one.operator {
                TSTypeOperatorOperator::Readonly => {
                    self.schema(Ty { node: &one.type_annotation, env })
                }
                TSTypeOperatorOperator::Keyof => self.constants(ty, span),
                TSTypeOperatorOperator::Unique => {
                    self.unsupported(span.clone(), "a symbol", "leave the member out")
                }
            },
            TSType::TSIndexedAccessType(_) => match self.resolved(ty) {
                Some(found) => self.schema(found),
                None => Node::value(false, span),
            },
            TSType::TSNamedTupleMember(member) => match member.element_type.as_ts_type() {
                Some(node) => self.schema(Ty { node, env }),
                None => Node::value(false, span),
            },
            other => {
                let (what, help) = refusal(other);
                self.unsupported(span.clone(), what, help)
            }
        }
    }

    /// The schema of literals.
    pub(super) fn constants(&mut self, ty: Ty<'a>, span: &Range<usize>) -> Node {
        match self.literals(ty) {
            Some(values) if values.len() == 1 => {
                let value = values.into_iter().next().unwrap_or_default();
                Node::keyword("const", Node::value(value, span))
            }
            Some(values) if values.is_empty() => Node::value(false, span),
            Some(values) => {
                let values = values.into_iter().map(|value| Node::value(value, span)).collect();
                Node::keyword("enum", Node::list(values, span))
            }
            None => Node::value(false, span),
        }
    }

    pub(super) fn array(&mut self, items: Ty<'a>, span: &Range<usize>) -> Node {
        let mut schema = Node::of_type("array", span);
        let items = self.schema(items);
        schema.set("items", items);
        schema
    }

    fn tuple(&mut self, tuple: &'a TSTupleType<'a>, env: usize, span: &Range<usize>) -> Node {
        let (mut items, mut least) = (Vec::new(), 0);
        let mut rest = Node::value(false, span);
        for (at, element) in tuple.element_types.iter().enumerate() {
            let (element, is_optional) = match element {
                TSTupleElement::TSNamedTupleMember(member) => {
                    (&member.element_type, member.optional)
                }
                other => (other, false),
            };
            match element {
                TSTupleElement::TSOptionalType(one) => {
                    items.push(self.schema(Ty { node: &one.type_annotation, env }));
                }
                TSTupleElement::TSRestType(one) => {
                    let node = match &one.type_annotation {
                        TSType::TSNamedTupleMember(member) => member.element_type.as_ts_type(),
                        other => Some(other),
                    };
                    let list = node.and_then(|node| self.resolved(Ty { node, env }));
                    match list.and_then(|list| self.element(list)) {
                        Some(element) if at + 1 == tuple.element_types.len() => {
                            rest = self.schema(element);
                        }
                        _ => {
                            let help = "write the rest as the last element, of an array type";
                            self.unsupported(range(one.span), "a rest element here", help);
                        }
                    }
                }
                other => {
                    let Some(node) = other.as_ts_type() else { continue };
                    items.push(self.schema(Ty { node, env }));
                    least = if is_optional { least } else { items.len() };
                }
            }
        }
        let mut schema = Node::of_type("array", span);
        if !items.is_empty() {
            schema.set("prefixItems", Node::list(items, span));
        }
        schema.set("items", rest);
        if least > 0 {
            schema.set("minItems", Node::value(least as u64, span));
        }
        schema
    }

    /// The schema of any of some types.
    pub(super) fn union(&mut self, types: Vec<Ty<'a>>, span: &Range<usize>) -> Node {
        let mut parts = Vec::new();
        for ty in types {
            self.flatten(ty, &mut parts);
        }
        let (mut schemas, mut values) = (Vec::new(), Vec::<Node>::new());
        let mut values_at = 0;
        for ty in parts {
            let here = self.span(ty);
            let found = match ty.node {
                TSType::TSNeverKeyword(_) => continue,
                TSType::TSNullKeyword(_) => Some(vec![Value::Null]),
                TSType::TSLiteralType(_) => self.literals(ty),
                _ => None,
            };
            match found {
                Some(found) => {
                    if values.is_empty() {
                        values_at = schemas.len();
                    }
                    for value in found.into_iter().map(|value| Node::value(value, &here)) {
                        if !values.iter().any(|known| known.json == value.json) {
                            values.push(value);
                        }
                    }
                }
                None => schemas.push(self.schema(ty)),
            }
        }
        match values.len() {
            0 => {}
            1 => schemas.insert(values_at, Node::keyword("const", values.remove(0))),
            _ => schemas.insert(values_at, Node::keyword("enum", Node::list(values, span))),
        }
        match schemas.len() {
            0 => Node::value(false, span),
            1 => schemas.remove(0),
            _ => Node { span: span.clone(), ..Node::keyword("anyOf", Node::list(schemas, span)) },
        }
    }

    /// The parts of a union, those of unions and type parameters in it as well.
    pub(super) fn flatten(&mut self, ty: Ty<'a>, parts: &mut Vec<Ty<'a>>) {
        let span = self.span(ty);
        let entered = self.enter(&span);
        let Ty { node, env } = ty;
        match node {
            _ if !entered => {}
            TSType::TSUnionType(union) => {
                union.types.iter().for_each(|node| self.flatten(Ty { node, env }, parts));
            }
            TSType::TSParenthesizedType(inner) => {
                self.flatten(Ty { node: &inner.type_annotation, env }, parts);
            }
            TSType::TSTypeReference(reference) => match self.parameter(reference, env) {
                Some(ty) => self.flatten(ty, parts),
                None => parts.push(ty),
            },
            _ => parts.push(ty),
        }
        self.leave();
    }
}

/// Refusal of a part of a type, with advice.
fn refusal(node: &TSType<'_>) -> (&'static str, &'static str) {
    match node {
        TSType::TSUndefinedKeyword(_) | TSType::TSVoidKeyword(_) => (
            "`undefined`",
            "a key that may be left out is written `key?: T`; elsewhere write `null`",
        ),
        TSType::TSBigIntKeyword(_) => {
            ("`bigint`", "write `number`, with the tag `@asType integer`")
        }
        TSType::TSSymbolKeyword(_) => ("`symbol`", "leave the member out"),
        TSType::TSConditionalType(_) => ("a conditional type", "write the type that it comes to"),
        TSType::TSMappedType(_) => {
            ("a mapped type", "write the members, or `Record`, `Partial`, `Pick` or `Omit`")
        }
        TSType::TSFunctionType(_) | TSType::TSConstructorType(_) => {
            ("a function", "leave the member out")
        }
        TSType::TSTypeQuery(_) => ("`typeof`", "write the type of the value"),
        TSType::TSImportType(_) => ("an imported type", "put its declaration into this source"),
        TSType::TSThisType(_) => ("`this`", "write the name of the type"),
        TSType::TSInferType(_) | TSType::TSTypePredicate(_) => {
            ("this type", "write the type that it comes to")
        }
        _ => ("this type", "write it by other types"),
    }
}
