//! Translates types to JSON Schemas.
//!
//! A type is a node of the syntax tree with an environment for its type parameters ([`Ty`]). A named type becomes a
//! definition, which is made from a worklist, so recursive types terminate. Only nested types recurse, to a bounded
//! depth. A generic type becomes one definition for each list of type arguments; arguments are compared by their
//! schemas.
//!
//! Errors are collected, and a type with an error becomes the schema `false`. Types contain types, so all functions
//! that make a schema are in this file.

use std::ops::Range;

use oxc_ast::ast::{
    TSTupleElement, TSTupleType, TSType, TSTypeName, TSTypeOperatorOperator,
    TSTypeParameterInstantiation, TSTypeReference,
};
use serde_json::Value;

use super::codes;
use super::constants;
use super::declarations::{Kind, range};
use super::definitions::{self, Definitions, Instance, Pending};
use super::names::{element_of, types_of};
use super::refusals::refusal;
use super::schema_source::Node;
use super::scope::{MAX_ERRORS, Scope, Ty};
use super::shape::{Member, Part, Rest, Shape};
use super::tags;
use super::types;
use grammarc_grammar::diagnostics::Diagnostic;

/// Translates the types that a root refers to.
#[derive(Debug)]
pub(super) struct Translator<'a> {
    pub(super) scope: Scope<'a>,
    definitions: Definitions,
}

impl<'a> Translator<'a> {
    pub(super) fn new(scope: Scope<'a>) -> Self {
        Self { scope, definitions: Definitions::default() }
    }

    /// Returns the schema document of a root declaration, with the definitions of all types that it refers to. Fails
    /// with all errors of the types.
    pub(super) fn root(&mut self, declaration: usize) -> Result<Node, Vec<Diagnostic>> {
        let whole = self.scope.declarations.by_name[declaration].span.clone();
        let (name, _) = self.scope.declarations.by_name.get_index(declaration).expect("it is one");
        if let Some(parameters) = self.scope.parameters(declaration)
            && parameters.params.iter().any(|parameter| parameter.default.is_none())
        {
            let text = format!("the type `{name}` has type parameters");
            let help =
                "start from a type that says what they are: `export type Start = Name<string>`";
            let error = Diagnostic::error(codes::ARGUMENTS, text).with_help(help);
            self.scope.error(error.with_label(whole.clone(), ""));
        }
        let start = self.reference_to(declaration, None, 0, &whole);
        let mut definitions = Vec::new();
        while let Some(Pending { declaration, env, key }) = self.definitions.queue.pop_front() {
            if self.scope.is_over() {
                break;
            }
            definitions.push((key, self.definition(declaration, env)));
        }
        if !self.scope.errors.is_empty() {
            let mut errors = std::mem::take(&mut self.scope.errors);
            errors.sort_by_key(|error| error.labels.first().map_or(0, |label| label.span.start));
            // Each instance of a generic type repeats its errors.
            errors.dedup();
            return Err(errors);
        }
        let dialect = Node::value("https://json-schema.org/draft/2020-12/schema", &whole);
        let mut document = Node::object(vec![("$schema".to_owned(), dialect)], &whole);
        document.set("$ref", start);
        document.set("$defs", Node::object(definitions, &whole));
        Ok(document)
    }

    /// Returns the schema of a declaration, in the environment of its type arguments.
    fn definition(&mut self, declaration: usize, env: usize) -> Node {
        let one = &self.scope.declarations.by_name[declaration];
        let schema = match &one.kind {
            Kind::Alias(alias) => self.schema(Ty { node: &alias.type_annotation, env }),
            Kind::Interface(_) => {
                let shapes = types::interface_shapes(&mut self.scope, declaration, env);
                self.object(shapes, &one.span)
            }
            Kind::Enum(members) => {
                let values = constants::enumeration(&mut self.scope, members).into_iter();
                let values = values.map(|member| Node::value(member.value, &member.span)).collect();
                Node::keyword("enum", Node::list(values, &one.span))
            }
            Kind::Imported | Kind::Class => Node::value(false, &one.span),
        };
        let mut tags = Vec::new();
        for &start in &one.starts {
            tags.extend(self.scope.tags(start));
        }
        tags::apply(schema, &tags)
    }

    /// Returns the schema of a type. After an error or beyond a limit, it is `false`.
    fn schema(&mut self, ty: Ty<'a>) -> Node {
        let span = self.scope.span(ty);
        let entered = self.scope.enter(&span);
        let schema = if entered { self.schema_of(ty, &span) } else { Node::value(false, &span) };
        self.scope.leave();
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
                let shapes = types::shapes(&mut self.scope, ty);
                self.object(shapes, span)
            }
            TSType::TSTypeReference(reference) => self.reference(reference, env, span),
            TSType::TSTemplateLiteralType(template) => {
                let mut schema = of_type("string");
                if let Some(pattern) = types::template_pattern(&mut self.scope, template, env) {
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
                    self.scope.unsupported(span.clone(), "a symbol", "leave the member out")
                }
            },
            TSType::TSIndexedAccessType(_) => match types::resolved(&mut self.scope, ty) {
                Some(found) => self.schema(found),
                None => Node::value(false, span),
            },
            TSType::TSNamedTupleMember(member) => match member.element_type.as_ts_type() {
                Some(node) => self.schema(Ty { node, env }),
                None => Node::value(false, span),
            },
            other => {
                let (what, help) = refusal(other);
                self.scope.unsupported(span.clone(), what, help)
            }
        }
    }

    /// Returns the schema of a type that is a finite list of values.
    fn constants(&mut self, ty: Ty<'a>, span: &Range<usize>) -> Node {
        match types::literals(&mut self.scope, ty) {
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

    fn array(&mut self, items: Ty<'a>, span: &Range<usize>) -> Node {
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
                    let list =
                        node.and_then(|node| types::resolved(&mut self.scope, Ty { node, env }));
                    match list.and_then(element_of) {
                        Some(element) if at + 1 == tuple.element_types.len() => {
                            rest = self.schema(element);
                        }
                        _ => {
                            let help = "write the rest as the last element, of an array type";
                            self.scope.unsupported(range(one.span), "a rest element here", help);
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

    /// Returns the schema of a union of types. Literals are collected in one `enum`.
    fn union(&mut self, types: Vec<Ty<'a>>, span: &Range<usize>) -> Node {
        let mut parts = Vec::new();
        for ty in types {
            self.scope.flatten(ty, &mut parts);
        }
        let (mut schemas, mut values) = (Vec::new(), Vec::<Node>::new());
        let mut values_at = 0;
        for ty in parts {
            let here = self.scope.span(ty);
            let found = match ty.node {
                TSType::TSNeverKeyword(_) => continue,
                TSType::TSNullKeyword(_) => Some(vec![Value::Null]),
                TSType::TSLiteralType(_) => types::literals(&mut self.scope, ty),
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

    fn reference(
        &mut self,
        reference: &'a TSTypeReference<'a>,
        env: usize,
        span: &Range<usize>,
    ) -> Node {
        if let Some(ty) = self.scope.parameter(reference, env) {
            return self.schema(ty);
        }
        let arguments = reference.type_arguments.as_deref();
        if let Some(at) = self.scope.declared(reference) {
            let name = self.reference_to(at, arguments, env, span);
            return Node::keyword("$ref", name);
        }
        match &reference.type_name {
            TSTypeName::IdentifierReference(name) => {
                self.utility(name.name.as_str(), arguments, env, span)
            }
            TSTypeName::QualifiedName(_) => {
                let ty = constants::member_of_enumeration(&mut self.scope, reference);
                ty.map_or_else(
                    || {
                        let help = "write the type where it is used";
                        self.scope.unsupported(span.clone(), "a type of a namespace", help)
                    },
                    |value| Node::keyword("const", Node::value(value, span)),
                )
            }
            TSTypeName::ThisExpression(_) => {
                self.scope.unsupported(span.clone(), "`this`", "write the name of the type")
            }
        }
    }

    /// Returns the schema of a type of TypeScript's standard library, such as `Array` or `Pick`. An unknown name is an
    /// error.
    fn utility(
        &mut self,
        name: &'a str,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        env: usize,
        span: &Range<usize>,
    ) -> Node {
        let arguments = types_of(arguments, env);
        let text = |format: &str| {
            let mut schema = Node::of_type("string", span);
            schema.set("format", Node::value(format, span));
            schema
        };
        match (name, arguments.as_slice()) {
            ("Array" | "ReadonlyArray", &[items]) => self.array(items, span),
            ("Date", []) => text("date-time"),
            ("URL", []) => text("uri"),
            ("Readonly", &[ty]) => self.schema(ty),
            ("NonNullable", &[ty]) => {
                let mut parts = Vec::new();
                self.scope.flatten(ty, &mut parts);
                let is_value = |part: &Ty<'_>| {
                    !matches!(part.node, TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_))
                };
                parts.retain(is_value);
                self.union(parts, span)
            }
            ("Exclude" | "Extract", &[from, what]) => {
                let values = types::selected(&mut self.scope, from, what, name == "Extract")
                    .unwrap_or_default();
                let values: Vec<_> =
                    values.into_iter().map(|value| Node::value(value, span)).collect();
                match values.is_empty() {
                    true => Node::value(false, span),
                    false => Node::keyword("enum", Node::list(values, span)),
                }
            }
            ("Partial" | "Required", &[_]) | ("Pick" | "Omit" | "Record", &[_, _]) => {
                let shapes = types::utility_shapes(&mut self.scope, name, &arguments, span);
                self.object(shapes, span)
            }
            _ => self.scope.unknown(name, arguments.len(), span),
        }
    }

    /// Returns the value of `$ref` for a declaration with type arguments. Its definition is added to the worklist if it
    /// is new.
    fn reference_to(
        &mut self,
        declaration: usize,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        env: usize,
        span: &Range<usize>,
    ) -> Node {
        let texts: Vec<String> = match (self.scope.parameters(declaration), arguments) {
            (Some(_), Some(list)) => {
                let arguments = list.params.iter();
                arguments.map(|node| self.schema(Ty { node, env }).write().text).collect()
            }
            _ => Vec::new(),
        };
        let (name, one) =
            self.scope.declarations.by_name.get_index(declaration).expect("it is one");
        let instance = Instance { declaration, arguments: texts };
        if let Some(key) = self.definitions.key(&instance) {
            return Node::value(definitions::reference(key), span);
        }
        self.scope.available(name, &one.kind, span);
        let env = self.scope.instance(declaration, arguments, env, span);
        let key = self.definitions.add(instance, name);
        let reference = Node::value(definitions::reference(&key), span);
        if let Some(env) = env
            && self.scope.errors.len() < MAX_ERRORS
        {
            self.definitions.queue.push_back(Pending { declaration, env, key });
        }
        reference
    }

    /// Returns the schema of an intersection of types. An intersection of an object and another type is an error.
    fn intersection(&mut self, types: Vec<Ty<'a>>, span: &Range<usize>) -> Node {
        // `string & {}` is written so that editors keep the literals of a union with `string`.
        let is_anything = |ty: &Ty<'_>| {
            matches!(ty.node, TSType::TSTypeLiteral(literal) if literal.members.is_empty())
                || matches!(ty.node, TSType::TSUnknownKeyword(_))
        };
        let mut parts: Vec<Ty<'a>> = types.iter().copied().filter(|ty| !is_anything(ty)).collect();
        if parts.is_empty() {
            parts = types;
        }
        let objects = parts.iter().filter(|ty| types::is_object(&mut self.scope, **ty)).count();
        if parts.len() == 1 {
            return self.schema(parts[0]);
        }
        if objects == parts.len() {
            let shapes = types::intersection_shapes(&mut self.scope, &parts, span);
            return self.object(shapes, span);
        }
        if objects > 0 {
            let help = "write the type whose values JSON has, without what only marks it";
            return self.scope.unsupported(
                span.clone(),
                "an object that is something else too",
                help,
            );
        }
        let schemas = parts.into_iter().map(|ty| self.schema(ty)).collect();
        Node { span: span.clone(), ..Node::keyword("allOf", Node::list(schemas, span)) }
    }

    /// Returns the schema of a union of shapes, which are object types.
    fn object(&mut self, shapes: Vec<Shape<'a>>, span: &Range<usize>) -> Node {
        let mut objects: Vec<Node> =
            shapes.into_iter().map(|shape| self.object_of(shape, span)).collect();
        match objects.len() {
            0 => Node::value(false, span),
            1 => objects.remove(0),
            _ => Node { span: span.clone(), ..Node::keyword("anyOf", Node::list(objects, span)) },
        }
    }

    fn object_of(&mut self, shape: Shape<'a>, span: &Range<usize>) -> Node {
        let mut schema = Node::of_type("object", span);
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        for member in shape.members {
            let Member { key, span, parts, tags } = member;
            let (value, may_be_absent) = self.value(parts, &span);
            if !may_be_absent {
                required.push(Node::value(key.as_str(), &span));
            }
            properties.push((key, tags::apply(value, &tags)));
        }
        if !properties.is_empty() {
            schema.set("properties", Node::object(properties, span));
        }
        if !required.is_empty() {
            schema.set("required", Node::list(required, span));
        }
        let mut others = Node::value(false, span);
        let mut patterns = Vec::new();
        for Rest { pattern, types, span } in shape.rest {
            let parts = types.into_iter().map(|ty| Part { ty: Some(ty), is_optional: false });
            let (value, _) = self.value(parts.collect(), &span);
            match pattern {
                Some(pattern) => patterns.push((pattern, value)),
                None => others = value,
            }
        }
        if !patterns.is_empty() {
            schema.set("patternProperties", Node::object(patterns, span));
        }
        schema.set("additionalProperties", others);
        schema
    }

    /// Returns the schema of a member's values, which have all of its types, and whether the member may be absent. It
    /// may be absent if each of the types is optional or may be `undefined`.
    fn value(&mut self, all: Vec<Part<'a>>, span: &Range<usize>) -> (Node, bool) {
        let is_undefined = |ty: &Ty<'_>| matches!(ty.node, TSType::TSUndefinedKeyword(_));
        let mut may_be_absent = !all.is_empty();
        let mut schemas = Vec::new();
        let single = all.len() == 1;
        let mut whole = Vec::new();
        for Part { ty, is_optional } in all {
            let Some(ty) = ty else {
                may_be_absent &= is_optional;
                continue;
            };
            let mut parts = Vec::new();
            self.scope.flatten(ty, &mut parts);
            let count = parts.len();
            parts.retain(|part| !is_undefined(part));
            may_be_absent &= is_optional || parts.len() < count;
            match (single, parts.len() < count) {
                (false, false) => whole.push(ty),
                (true, true) => {
                    let here = self.scope.span(ty);
                    schemas.push(self.union(parts, &here));
                }
                (false, true) => match parts.as_slice() {
                    [part] => whole.push(*part),
                    _ if !parts.iter().any(|part| types::is_object(&mut self.scope, *part)) => {
                        let here = self.scope.span(ty);
                        schemas.push(self.union(parts, &here));
                    }
                    _ => {
                        let what = "a member of several types that may be undefined";
                        self.scope.unsupported(
                            span.clone(),
                            what,
                            "write the member once, with `?`",
                        );
                    }
                },
                (true, false) => schemas.push(self.schema(ty)),
            }
        }
        if !whole.is_empty() {
            schemas.push(self.intersection(whole, span));
        }
        let schema = match schemas.len() {
            0 => Node::value(true, span),
            1 => schemas.remove(0),
            _ => Node { span: span.clone(), ..Node::keyword("allOf", Node::list(schemas, span)) },
        };
        (schema, may_be_absent)
    }
}
