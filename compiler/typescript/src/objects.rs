//! Types of objects: members by key, put together from interfaces, intersections and utility types.
//!
//! Objects are closed, so that what an intersection or `extends` puts together can't be said by schemas beside each other: it is
//! put together here, as [`Shape`]s. A union of objects is several shapes, and what is done to it is done to each. Values of members
//! stay types until the object is written.

use std::ops::Range;

use oxc_ast::ast::{
    Expression, TSInterfaceDeclaration, TSSignature, TSType, TSTypeName, TSTypeOperatorOperator,
};
use oxc_span::GetSpan;
use serde_json::Value;

use super::codes;
use super::declarations::{Kind, range};
use super::tags::{self, Tag};
use super::translate::{Translator, Ty};
use super::written::Node;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most shapes of one type: unions within intersections multiply.
const MAX_SHAPES: usize = 256;

/// An object.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// The types of other keys; none is taken if this is empty.
    pub(super) rest: Vec<Rest<'a>>,
}

/// A member by its key.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    pub(super) key: String,
    pub(super) span: Range<usize>,
    /// All of which the value has.
    pub(super) parts: Vec<Part<'a>>,
    tags: Vec<Tag>,
}

/// A member by one of the types that have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// Anything where none is written.
    pub(super) ty: Option<Ty<'a>>,
    is_optional: bool,
}

/// Keys that are not named.
#[derive(Clone, Debug)]
pub(super) struct Rest<'a> {
    /// The pattern of these keys; none for all others.
    pattern: Option<String>,
    /// All of which the values have; anything where there is none.
    types: Vec<Ty<'a>>,
    span: Range<usize>,
}

impl<'a> Translator<'a> {
    /// The shapes of a type of objects; none after an error.
    pub(super) fn shapes(&mut self, ty: Ty<'a>) -> Vec<Shape<'a>> {
        let span = self.span(ty);
        let entered = self.enter(&span);
        let shapes = if entered { self.shapes_of(ty, &span) } else { Vec::new() };
        self.leave();
        shapes
    }

    fn shapes_of(&mut self, ty: Ty<'a>, span: &Range<usize>) -> Vec<Shape<'a>> {
        let Some(ty) = self.resolved(ty) else { return Vec::new() };
        let Ty { node, env } = ty;
        match node {
            TSType::TSTypeLiteral(literal) => {
                let mut shape = Shape::default();
                literal.members.iter().for_each(|member| self.signature(member, env, &mut shape));
                vec![shape]
            }
            TSType::TSObjectKeyword(_) => {
                let rest = Rest { pattern: None, types: Vec::new(), span: span.clone() };
                vec![Shape { members: Vec::new(), rest: vec![rest] }]
            }
            TSType::TSUnionType(union) => {
                union.types.iter().flat_map(|node| self.shapes(Ty { node, env })).collect()
            }
            TSType::TSIntersectionType(both) => {
                let parts: Vec<_> = both.types.iter().map(|node| Ty { node, env }).collect();
                self.product(&parts, span)
            }
            TSType::TSTypeReference(reference) => {
                let arguments = reference.type_arguments.as_deref();
                if let Some(at) = self.declared(reference) {
                    if !matches!(self.declarations.by_name[at].kind, Kind::Interface(_)) {
                        self.no_object(span);
                        return Vec::new();
                    }
                    let inner = self.instance(at, arguments, env, span);
                    return inner.map_or_else(Vec::new, |env| self.interface(at, env));
                }
                let TSTypeName::IdentifierReference(name) = &reference.type_name else {
                    self.no_object(span);
                    return Vec::new();
                };
                let arguments: Vec<Ty<'a>> = arguments
                    .map(|list| list.params.iter().map(|node| Ty { node, env }).collect())
                    .unwrap_or_default();
                self.utility_shapes(name.name.as_str(), &arguments, span)
            }
            _ => {
                self.no_object(span);
                Vec::new()
            }
        }
    }

    fn no_object(&mut self, span: &Range<usize>) {
        let text = "a type of objects is needed here";
        let error = Diagnostic::error(codes::UNSUPPORTED, text).with_label(span.clone(), "");
        self.error(error.with_help("write an interface, or a type in braces"));
    }

    /// The shapes of a utility type of the standard library.
    pub(super) fn utility_shapes(
        &mut self,
        name: &str,
        arguments: &[Ty<'a>],
        span: &Range<usize>,
    ) -> Vec<Shape<'a>> {
        match (name, arguments) {
            ("Readonly", &[ty]) => self.shapes(ty),
            ("Partial" | "Required", &[ty]) => {
                let mut shapes = self.shapes(ty);
                let members = shapes.iter_mut().flat_map(|shape| &mut shape.members);
                let parts = members.flat_map(|member| &mut member.parts);
                parts.for_each(|part| part.is_optional = name == "Partial");
                shapes
            }
            ("Pick" | "Omit", &[ty, keys]) => {
                let mut shapes = self.shapes(ty);
                let Some(keys) = self.literals(keys) else { return Vec::new() };
                let is_named =
                    |member: &Member<'_>| keys.iter().any(|key| key.as_str() == Some(&member.key));
                let picked = name == "Pick";
                let known = |key: &&Value| {
                    !shapes.iter().any(|shape| {
                        shape.members.iter().any(|member| key.as_str() == Some(&member.key))
                    })
                };
                if picked && let Some(unknown) = keys.iter().find(known) {
                    let text = format!("there is no key {unknown}");
                    let error = Diagnostic::error(codes::UNKNOWN_KEY, text);
                    self.error(error.with_label(span.clone(), ""));
                }
                for shape in &mut shapes {
                    shape.members.retain(|member| is_named(member) == picked);
                    if picked {
                        shape.rest.clear();
                    }
                }
                shapes
            }
            ("Record", &[keys, value]) => {
                let mut shape = Shape::default();
                let mut parts = Vec::new();
                self.flatten(keys, &mut parts);
                for part in parts {
                    self.keys(part, value, &mut shape);
                }
                vec![shape]
            }
            _ => {
                self.unknown(name, arguments.len(), span);
                Vec::new()
            }
        }
    }

    /// Adds members, or other keys, of some type of keys.
    fn keys(&mut self, keys: Ty<'a>, value: Ty<'a>, shape: &mut Shape<'a>) {
        let span = self.span(keys);
        let Some(keys) = self.resolved(keys) else { return };
        let mut rest = Rest { pattern: None, types: vec![value], span: span.clone() };
        match keys.node {
            TSType::TSStringKeyword(_) => shape.rest.push(rest),
            TSType::TSTemplateLiteralType(template) => {
                rest.pattern = self.template(template, keys.env);
                shape.rest.push(rest);
            }
            TSType::TSNumberKeyword(_) => {
                rest.pattern = Some("^(?:0|[1-9][0-9]*)$".to_owned());
                shape.rest.push(rest);
            }
            _ => {
                for key in self.literals(keys).unwrap_or_default() {
                    let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                    shape.set(Member {
                        key,
                        span: span.clone(),
                        parts: vec![Part { ty: Some(value), is_optional: false }],
                        tags: Vec::new(),
                    });
                }
            }
        }
    }

    /// The shapes of an interface with what it extends. Its own members take the place of those.
    pub(super) fn interface(&mut self, declaration: usize, env: usize) -> Vec<Shape<'a>> {
        let declarations = self.declarations;
        let Kind::Interface(all) = &declarations.by_name[declaration].kind else {
            return Vec::new();
        };
        let mut shapes = vec![Shape::default()];
        for interface in all {
            let span = range(interface.id.span);
            let entered = self.enter(&span);
            if entered {
                for base in self.bases(interface, env) {
                    shapes = self.met(&shapes, &base, &span);
                }
            }
            self.leave();
        }
        for interface in all {
            let mut own = Shape::default();
            interface.body.body.iter().for_each(|member| self.signature(member, env, &mut own));
            for shape in &mut shapes {
                own.members.iter().cloned().for_each(|member| shape.set(member));
                shape.rest.extend(own.rest.iter().cloned());
            }
        }
        shapes
    }

    /// The shapes of each type that an interface extends.
    fn bases(
        &mut self,
        interface: &'a TSInterfaceDeclaration<'a>,
        env: usize,
    ) -> Vec<Vec<Shape<'a>>> {
        let mut bases = Vec::new();
        for heritage in &interface.extends {
            let span = range(heritage.span);
            let Expression::Identifier(name) = &heritage.expression else {
                self.unsupported(span, "a type of a namespace", "write the members themselves");
                continue;
            };
            let name = name.name.as_str();
            let arguments = heritage.type_arguments.as_deref();
            let shapes = match self.declarations.by_name.get_full(name) {
                Some((at, _, one)) => {
                    self.available(name, &one.kind, &span);
                    let inner = self.instance(at, arguments, env, &span);
                    match (&one.kind, inner) {
                        (Kind::Interface(_), Some(env)) => self.interface(at, env),
                        (Kind::Alias(alias), Some(env)) => {
                            self.shapes(Ty { node: &alias.type_annotation, env })
                        }
                        _ => Vec::new(),
                    }
                }
                None => {
                    let arguments: Vec<Ty<'a>> = arguments
                        .map(|list| list.params.iter().map(|node| Ty { node, env }).collect())
                        .unwrap_or_default();
                    self.utility_shapes(name, &arguments, &span)
                }
            };
            bases.push(shapes);
        }
        bases
    }

    /// Adds a member as it is written.
    fn signature(&mut self, signature: &'a TSSignature<'a>, env: usize, shape: &mut Shape<'a>) {
        match signature {
            TSSignature::TSPropertySignature(property) => {
                let span = range(property.span);
                let Some(key) = property.key.static_name() else {
                    let help = "write the key as a name or a string";
                    self.unsupported(span, "a key that is computed", help);
                    return;
                };
                let annotation = property.type_annotation.as_ref();
                let ty = annotation.map(|one| Ty { node: &one.type_annotation, env });
                let parts = vec![Part { ty, is_optional: property.optional }];
                let tags = self.tags(property.span.start);
                shape.set(Member { key: key.into_owned(), span, parts, tags });
            }
            TSSignature::TSIndexSignature(index) => {
                let value = Ty { node: &index.type_annotation.type_annotation, env };
                for parameter in &index.parameters {
                    let node = &parameter.type_annotation.type_annotation;
                    self.keys(Ty { node, env }, value, shape);
                }
            }
            other => {
                let span = range(other.span());
                self.unsupported(span, "a function", "leave the member out");
            }
        }
    }

    /// The schema of the values that all of some types have.
    pub(super) fn intersection(&mut self, types: Vec<Ty<'a>>, span: &Range<usize>) -> Node {
        // `string & {}` is written to keep a union with literals from being drawn together.
        let is_anything = |ty: &Ty<'_>| {
            matches!(ty.node, TSType::TSTypeLiteral(literal) if literal.members.is_empty())
                || matches!(ty.node, TSType::TSUnknownKeyword(_))
        };
        let mut parts: Vec<Ty<'a>> = types.iter().copied().filter(|ty| !is_anything(ty)).collect();
        if parts.is_empty() {
            parts = types;
        }
        let objects = parts.iter().filter(|ty| self.is_object(**ty)).count();
        if parts.len() == 1 {
            return self.schema(parts[0]);
        }
        if objects == parts.len() {
            let shapes = self.product(&parts, span);
            return self.object(shapes, span);
        }
        if objects > 0 {
            let help = "write the type whose values JSON has, without what only marks it";
            return self.unsupported(span.clone(), "an object that is something else too", help);
        }
        let schemas = parts.into_iter().map(|ty| self.schema(ty)).collect();
        Node { span: span.clone(), ..Node::keyword("allOf", Node::list(schemas, span)) }
    }

    /// Whether a type is one of objects, as far as it can be told without finding errors in it.
    fn is_object(&mut self, ty: Ty<'a>) -> bool {
        let span = self.span(ty);
        let entered = self.enter(&span);
        let is_object = entered
            && {
                let resolved = self.resolved(ty);
                resolved.is_some_and(|Ty { node, env }| match node {
                TSType::TSTypeLiteral(_) | TSType::TSObjectKeyword(_) => true,
                TSType::TSUnionType(one) => {
                    one.types.iter().all(|node| self.is_object(Ty { node, env }))
                }
                TSType::TSIntersectionType(one) => {
                    one.types.iter().any(|node| self.is_object(Ty { node, env }))
                }
                TSType::TSTypeOperatorType(one) => {
                    one.operator == TSTypeOperatorOperator::Readonly
                        && self.is_object(Ty { node: &one.type_annotation, env })
                }
                TSType::TSTypeReference(reference) => match self.declared(reference) {
                    Some(at) => {
                        matches!(self.declarations.by_name[at].kind, Kind::Interface(_))
                    }
                    None => matches!(&reference.type_name, TSTypeName::IdentifierReference(name)
                        if matches!(name.name.as_str(), "Partial" | "Required" | "Readonly" | "Pick" | "Omit" | "Record")),
                },
                _ => false,
            })
            };
        self.leave();
        is_object
    }

    /// The shapes of values that have all of some types.
    fn product(&mut self, types: &[Ty<'a>], span: &Range<usize>) -> Vec<Shape<'a>> {
        let mut all = vec![Shape::default()];
        for &ty in types {
            let shapes = self.shapes(ty);
            all = self.met(&all, &shapes, span);
        }
        all
    }

    /// Each of some shapes with each of others.
    fn met(
        &mut self,
        some: &[Shape<'a>],
        others: &[Shape<'a>],
        span: &Range<usize>,
    ) -> Vec<Shape<'a>> {
        if some.len().saturating_mul(others.len()) > MAX_SHAPES {
            let text = format!("the type has more than {MAX_SHAPES} alternatives of objects");
            let error = Diagnostic::error(codes::TOO_MANY, text).with_label(span.clone(), "");
            self.error(error.with_help("write the union outside, or fewer alternatives"));
            return Vec::new();
        }
        some.iter().flat_map(|one| others.iter().map(|other| one.and(other))).collect()
    }

    /// The schema of objects of any of some shapes.
    pub(super) fn object(&mut self, shapes: Vec<Shape<'a>>, span: &Range<usize>) -> Node {
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

    /// The schema of values that are of all parts, and whether each of these may be left out or is undefined.
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
            self.flatten(ty, &mut parts);
            let count = parts.len();
            parts.retain(|part| !is_undefined(part));
            may_be_absent &= is_optional || parts.len() < count;
            match (single, parts.len() < count) {
                (false, false) => whole.push(ty),
                (true, true) => {
                    let here = self.span(ty);
                    schemas.push(self.union(parts, &here));
                }
                (false, true) => match parts.as_slice() {
                    [part] => whole.push(*part),
                    _ if !parts.iter().any(|part| self.is_object(*part)) => {
                        let here = self.span(ty);
                        schemas.push(self.union(parts, &here));
                    }
                    _ => {
                        let what = "a member of several types that may be undefined";
                        self.unsupported(span.clone(), what, "write the member once, with `?`");
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

impl<'a> Shape<'a> {
    /// Adds a member, in place of one of its key.
    fn set(&mut self, member: Member<'a>) {
        match self.members.iter_mut().find(|known| known.key == member.key) {
            Some(known) => *known = member,
            None => self.members.push(member),
        }
    }

    /// Objects that are of both shapes, which for closed objects means those that have the members of both.
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for member in &other.members {
            match both.members.iter_mut().find(|known| known.key == member.key) {
                Some(known) => {
                    known.parts.extend(&member.parts);
                    known.tags.extend(member.tags.iter().cloned());
                }
                None => both.members.push(member.clone()),
            }
        }
        for rest in &other.rest {
            match both.rest.iter_mut().find(|known| known.pattern == rest.pattern) {
                Some(known) => known.types.extend(&rest.types),
                None => both.rest.push(rest.clone()),
            }
        }
        both
    }
}
