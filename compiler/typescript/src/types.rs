//! Resolves types: to other types, to lists of values, and to shapes, which are objects as lists of members.
//!
//! The three resolutions are mutually recursive, so they are in one file. `T[K]` needs the values of `K` and the
//! members of `T`; a key is of any type; a base of an interface may be `Pick<T, K>`. No resolution needs the schema of
//! a type.

use std::ops::Range;

use oxc_ast::ast::{
    Expression, TSInterfaceDeclaration, TSSignature, TSTemplateLiteralType, TSType, TSTypeName,
    TSTypeOperatorOperator,
};
use oxc_span::GetSpan;
use serde_json::Value;

use super::codes;
use super::constants::{enumeration, literal, member_of_enumeration};
use super::declarations::{Kind, range};
use super::names::{element_of, types_of};
use super::scope::{Scope, Ty};
use super::shape::{self, MAX_SHAPES, Member, Part, Rest, Shape};
use super::template;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most steps to resolve a name through other names. Beyond that the type is assumed to refer to itself, which is an
/// error.
const MOST_NAMES: usize = 100;

/// Resolves parentheses, `readonly`, type parameters, aliases and indexed accesses, until the type is none of these.
/// `None` after an error, which is reported.
pub(super) fn resolved<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> Option<Ty<'a>> {
    let mut ty = ty;
    for _ in 0..MOST_NAMES {
        let Ty { node, env } = ty;
        ty = match node {
            TSType::TSParenthesizedType(inner) => Ty { node: &inner.type_annotation, env },
            TSType::TSTypeOperatorType(one) if one.operator == TSTypeOperatorOperator::Readonly => {
                Ty { node: &one.type_annotation, env }
            }
            TSType::TSTypeReference(reference) => {
                let span = range(reference.span);
                if let Some(ty) = scope.parameter(reference, env) {
                    ty
                } else {
                    let arguments = reference.type_arguments.as_deref();
                    let Some(at) = scope.declared(reference) else { return Some(ty) };
                    let (name, one) = scope.declarations.by_name.get_index(at)?;
                    let before = scope.errors.len();
                    scope.available(name, &one.kind, &span);
                    if scope.errors.len() > before {
                        return None;
                    }
                    let Kind::Alias(alias) = &one.kind else { return Some(ty) };
                    let env = scope.instance(at, arguments, env, &span)?;
                    Ty { node: &alias.type_annotation, env }
                }
            }
            TSType::TSIndexedAccessType(access) => {
                let object = Ty { node: &access.object_type, env };
                let index = Ty { node: &access.index_type, env };
                accessed(scope, object, index, range(access.span))?
            }
            _ => return Some(ty),
        };
    }
    let span = scope.span(ty);
    let error = Diagnostic::error(codes::CIRCLE, "the type is defined as itself");
    scope.error(error.with_label(span, "here").with_help("say what its values are"));
    None
}

/// Returns the type of `T["key"]` or `T[number]`. `None` after an error, which is reported.
fn accessed<'a>(
    scope: &mut Scope<'a>,
    object: Ty<'a>,
    index: Ty<'a>,
    span: Range<usize>,
) -> Option<Ty<'a>> {
    scope.within(&span, |scope| accessed_in(scope, object, index, &span))
}

fn accessed_in<'a>(
    scope: &mut Scope<'a>,
    object: Ty<'a>,
    index: Ty<'a>,
    span: &Range<usize>,
) -> Option<Ty<'a>> {
    if matches!(index.node, TSType::TSNumberKeyword(_)) {
        let list = resolved(scope, object)?;
        let element = element_of(list);
        if element.is_none() {
            scope.unsupported(span.clone(), "an element of this type", "write the type itself");
        }
        return element;
    }
    let keys = literals(scope, index)?;
    let [Value::String(key)] = keys.as_slice() else {
        scope.unsupported(span.clone(), "a member by several keys", "write the type itself");
        return None;
    };
    let shapes = shapes(scope, object);
    let members: Vec<_> = shapes
        .iter()
        .flat_map(|shape| shape.members.iter().filter(|member| member.key == *key))
        .collect();
    match members.as_slice() {
        [member]
            if member.parts.len() == 1 && shapes.len() == 1 && member.parts[0].ty.is_some() =>
        {
            member.parts[0].ty
        }
        [] if !shapes.is_empty() => {
            let error = Diagnostic::error(codes::UNKNOWN_KEY, format!("there is no key {key:?}"));
            scope.error(error.with_label(span.clone(), ""));
            None
        }
        [] => None,
        _ => {
            scope.unsupported(span.clone(), "a member of several types", "write the type itself");
            None
        }
    }
}

/// Returns the values of a type that is a finite list of values, without duplicates. `None` after an error, which is
/// reported.
pub(super) fn literals<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> Option<Vec<Value>> {
    let span = scope.span(ty);
    scope.within(&span, |scope| literals_of(scope, ty, &span))
}

fn literals_of<'a>(scope: &mut Scope<'a>, ty: Ty<'a>, span: &Range<usize>) -> Option<Vec<Value>> {
    let ty = resolved(scope, ty)?;
    let Ty { node, env } = ty;
    match node {
        TSType::TSLiteralType(one) => match literal(&one.literal) {
            Some(value) => return Some(vec![value]),
            None => {
                let help = "write a string, or a number that JSON can have";
                scope.unsupported(span.clone(), "this literal", help);
                return None;
            }
        },
        TSType::TSNullKeyword(_) => return Some(vec![Value::Null]),
        TSType::TSNeverKeyword(_) => return Some(Vec::new()),
        TSType::TSUnionType(union) => {
            let mut values = Vec::new();
            for node in &union.types {
                let more = literals(scope, Ty { node, env })?;
                more.into_iter().for_each(|value| add(value, &mut values));
            }
            return Some(values);
        }
        TSType::TSTypeOperatorType(one) if one.operator == TSTypeOperatorOperator::Keyof => {
            let shapes = shapes(scope, Ty { node: &one.type_annotation, env });
            let mut values = Vec::new();
            // `keyof` a union has the keys that all its parts have.
            let (first, others) = shapes.split_first()?;
            for member in &first.members {
                let has =
                    |shape: &Shape<'_>| shape.members.iter().any(|other| other.key == member.key);
                if others.iter().all(has) {
                    add(member.key.as_str().into(), &mut values);
                }
            }
            if shapes.iter().any(|shape| !shape.rest.is_empty()) {
                let help = "write the keys that are meant";
                scope.unsupported(span.clone(), "`keyof` of any keys", help);
                return None;
            }
            return Some(values);
        }
        TSType::TSTypeReference(reference) => {
            if let Some(value) = member_of_enumeration(scope, reference) {
                return Some(vec![value]);
            }
            let declarations = scope.declarations;
            if let Some(at) = scope.declared(reference)
                && let Kind::Enum(members) = &declarations.by_name[at].kind
            {
                let mut values = Vec::new();
                for member in enumeration(scope, members) {
                    add(member.value, &mut values);
                }
                return Some(values);
            }
            if let (TSTypeName::IdentifierReference(name), Some(list)) =
                (&reference.type_name, &reference.type_arguments)
                && let ("Exclude" | "Extract", [from, what]) =
                    (name.name.as_str(), list.params.as_slice())
            {
                let [from, what] = [from, what].map(|node| Ty { node, env });
                return selected(scope, from, what, name.name == "Extract");
            }
        }
        _ => {}
    }
    let help = "here stand literals, such as `\"a\" | \"b\"`, or `keyof` a type";
    scope.unsupported(scope.span(ty), "a type that is no list of values", help);
    None
}

/// Returns the values of `from` that are also values of `what`, or with `keep` false those that are not. `None` after
/// an error, which is reported.
pub(super) fn selected<'a>(
    scope: &mut Scope<'a>,
    from: Ty<'a>,
    what: Ty<'a>,
    keep: bool,
) -> Option<Vec<Value>> {
    let (mut values, what) = (literals(scope, from)?, literals(scope, what)?);
    values.retain(|value| what.contains(value) == keep);
    Some(values)
}

/// Returns the shapes of an object type, one for each alternative. Empty after an error, which is reported.
pub(super) fn shapes<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> Vec<Shape<'a>> {
    let span = scope.span(ty);
    scope.within(&span, |scope| shapes_of(scope, ty, &span))
}

fn shapes_of<'a>(scope: &mut Scope<'a>, ty: Ty<'a>, span: &Range<usize>) -> Vec<Shape<'a>> {
    let Some(ty) = resolved(scope, ty) else { return Vec::new() };
    let Ty { node, env } = ty;
    match node {
        TSType::TSTypeLiteral(literal) => {
            let mut shape = Shape::default();
            literal.members.iter().for_each(|member| signature(scope, member, env, &mut shape));
            vec![shape]
        }
        TSType::TSObjectKeyword(_) => {
            let rest = Rest { pattern: None, types: Vec::new(), span: span.clone() };
            vec![Shape { members: Vec::new(), rest: vec![rest] }]
        }
        TSType::TSUnionType(union) => {
            union.types.iter().flat_map(|node| shapes(scope, Ty { node, env })).collect()
        }
        TSType::TSIntersectionType(both) => {
            let parts: Vec<_> = both.types.iter().map(|node| Ty { node, env }).collect();
            intersection_shapes(scope, &parts, span)
        }
        TSType::TSTypeReference(reference) => {
            let arguments = reference.type_arguments.as_deref();
            if let Some(at) = scope.declared(reference) {
                if !matches!(scope.declarations.by_name[at].kind, Kind::Interface(_)) {
                    scope.no_object(span);
                    return Vec::new();
                }
                let inner = scope.instance(at, arguments, env, span);
                return inner.map_or_else(Vec::new, |env| interface_shapes(scope, at, env));
            }
            let TSTypeName::IdentifierReference(name) = &reference.type_name else {
                scope.no_object(span);
                return Vec::new();
            };
            let arguments = types_of(arguments, env);
            utility_shapes(scope, name.name.as_str(), &arguments, span)
        }
        _ => {
            scope.no_object(span);
            Vec::new()
        }
    }
}

/// Returns the shapes (objects as lists of members) of a utility type of the standard library, such as `Partial` or
/// `Record`. Empty after an error, which is reported.
pub(super) fn utility_shapes<'a>(
    scope: &mut Scope<'a>,
    name: &str,
    arguments: &[Ty<'a>],
    span: &Range<usize>,
) -> Vec<Shape<'a>> {
    match (name, arguments) {
        ("Readonly", &[ty]) => shapes(scope, ty),
        ("Partial" | "Required", &[ty]) => {
            let mut shapes = shapes(scope, ty);
            shape::set_optional(&mut shapes, name == "Partial");
            shapes
        }
        ("Pick" | "Omit", &[ty, keys]) => {
            let mut shapes = shapes(scope, ty);
            let Some(keys) = literals(scope, keys) else { return Vec::new() };
            let picked = name == "Pick";
            if picked && let Some(unknown) = shape::unknown_key(&shapes, &keys) {
                let text = format!("there is no key {unknown}");
                let error = Diagnostic::error(codes::UNKNOWN_KEY, text);
                scope.error(error.with_label(span.clone(), ""));
            }
            shape::select(&mut shapes, &keys, picked);
            shapes
        }
        ("Record", &[keys, value]) => {
            let mut shape = Shape::default();
            let mut parts = Vec::new();
            scope.flatten(keys, &mut parts);
            for part in parts {
                add_keys(scope, part, value, &mut shape);
            }
            vec![shape]
        }
        _ => {
            scope.unknown(name, arguments.len(), span);
            Vec::new()
        }
    }
}

/// Adds the keys of a type to a shape (an object as a list of members), with values of the type `value`. Literal keys
/// become members; `string`, `number` and templates become rules for other keys.
fn add_keys<'a>(scope: &mut Scope<'a>, keys: Ty<'a>, value: Ty<'a>, shape: &mut Shape<'a>) {
    let span = scope.span(keys);
    let Some(keys) = resolved(scope, keys) else { return };
    let mut rest = Rest { pattern: None, types: vec![value], span: span.clone() };
    match keys.node {
        TSType::TSStringKeyword(_) => shape.rest.push(rest),
        TSType::TSTemplateLiteralType(template) => {
            rest.pattern = template_pattern(scope, template, keys.env);
            shape.rest.push(rest);
        }
        TSType::TSNumberKeyword(_) => {
            rest.pattern = Some("^(?:0|[1-9][0-9]*)$".to_owned());
            shape.rest.push(rest);
        }
        _ => {
            for key in literals(scope, keys).unwrap_or_default() {
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

/// Returns the shapes (objects as lists of members) of an interface. Its own members replace those of its bases.
pub(super) fn interface_shapes<'a>(
    scope: &mut Scope<'a>,
    declaration: usize,
    env: usize,
) -> Vec<Shape<'a>> {
    let declarations = scope.declarations;
    let Kind::Interface(all) = &declarations.by_name[declaration].kind else {
        return Vec::new();
    };
    let mut shapes = vec![Shape::default()];
    for interface in all {
        let span = range(interface.id.span);
        scope.within(&span, |scope| {
            for base in base_shapes(scope, interface, env) {
                shapes = intersect(scope, &shapes, &base, &span);
            }
        });
    }
    for interface in all {
        let mut own = Shape::default();
        interface.body.body.iter().for_each(|member| signature(scope, member, env, &mut own));
        for shape in &mut shapes {
            own.members.iter().cloned().for_each(|member| shape.set(member));
            shape.rest.extend(own.rest.iter().cloned());
        }
    }
    shapes
}

/// Returns, for each base of an interface, the shapes (objects as lists of members) of the base.
fn base_shapes<'a>(
    scope: &mut Scope<'a>,
    interface: &'a TSInterfaceDeclaration<'a>,
    env: usize,
) -> Vec<Vec<Shape<'a>>> {
    let mut bases = Vec::new();
    for heritage in &interface.extends {
        let span = range(heritage.span);
        let Expression::Identifier(name) = &heritage.expression else {
            scope.unsupported(span, "a type of a namespace", "write the members themselves");
            continue;
        };
        let name = name.name.as_str();
        let arguments = heritage.type_arguments.as_deref();
        let shapes = match scope.declarations.by_name.get_full(name) {
            Some((at, _, one)) => {
                scope.available(name, &one.kind, &span);
                let inner = scope.instance(at, arguments, env, &span);
                match (&one.kind, inner) {
                    (Kind::Interface(_), Some(env)) => interface_shapes(scope, at, env),
                    (Kind::Alias(alias), Some(env)) => {
                        shapes(scope, Ty { node: &alias.type_annotation, env })
                    }
                    _ => Vec::new(),
                }
            }
            None => {
                let arguments = types_of(arguments, env);
                utility_shapes(scope, name, &arguments, &span)
            }
        };
        bases.push(shapes);
    }
    bases
}

/// Adds a member or an index signature of an interface or object type to a shape. Functions and computed keys are
/// errors.
fn signature<'a>(
    scope: &mut Scope<'a>,
    signature: &'a TSSignature<'a>,
    env: usize,
    shape: &mut Shape<'a>,
) {
    match signature {
        TSSignature::TSPropertySignature(property) => {
            let span = range(property.span);
            let Some(key) = property.key.static_name() else {
                let help = "write the key as a name or a string";
                scope.unsupported(span, "a key that is computed", help);
                return;
            };
            let annotation = property.type_annotation.as_ref();
            let ty = annotation.map(|one| Ty { node: &one.type_annotation, env });
            let parts = vec![Part { ty, is_optional: property.optional }];
            let tags = scope.tags(property.span.start);
            shape.set(Member { key: key.into_owned(), span, parts, tags });
        }
        TSSignature::TSIndexSignature(index) => {
            let value = Ty { node: &index.type_annotation.type_annotation, env };
            for parameter in &index.parameters {
                let node = &parameter.type_annotation.type_annotation;
                add_keys(scope, Ty { node, env }, value, shape);
            }
        }
        other => {
            let span = range(other.span());
            scope.unsupported(span, "a function", "leave the member out");
        }
    }
}

/// Whether a type is an object type, without a report if it is not.
pub(super) fn is_object<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> bool {
    let span = scope.span(ty);
    scope.within(&span, |scope| is_object_of(scope, ty))
}

fn is_object_of<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> bool {
    let Some(Ty { node, env }) = resolved(scope, ty) else { return false };
    match node {
        TSType::TSTypeLiteral(_) | TSType::TSObjectKeyword(_) => true,
        TSType::TSUnionType(one) => one.types.iter().all(|node| is_object(scope, Ty { node, env })),
        TSType::TSIntersectionType(one) => {
            one.types.iter().any(|node| is_object(scope, Ty { node, env }))
        }
        TSType::TSTypeOperatorType(one) => {
            one.operator == TSTypeOperatorOperator::Readonly
                && is_object(scope, Ty { node: &one.type_annotation, env })
        }
        TSType::TSTypeReference(reference) => match scope.declared(reference) {
            Some(at) => matches!(scope.declarations.by_name[at].kind, Kind::Interface(_)),
            None => matches!(&reference.type_name, TSTypeName::IdentifierReference(name)
                if matches!(name.name.as_str(), "Partial" | "Required" | "Readonly" | "Pick" | "Omit" | "Record")),
        },
        _ => false,
    }
}

/// Returns the shapes of an intersection of object types.
pub(super) fn intersection_shapes<'a>(
    scope: &mut Scope<'a>,
    types: &[Ty<'a>],
    span: &Range<usize>,
) -> Vec<Shape<'a>> {
    let mut all = vec![Shape::default()];
    for &ty in types {
        let shapes = shapes(scope, ty);
        all = intersect(scope, &all, &shapes, span);
    }
    all
}

/// Returns the pairwise intersections of two unions of shapes (objects as lists of members). Empty, with an error, if
/// there are more than 256.
fn intersect<'a>(
    scope: &mut Scope<'a>,
    one: &[Shape<'a>],
    other: &[Shape<'a>],
    span: &Range<usize>,
) -> Vec<Shape<'a>> {
    shape::product(one, other).unwrap_or_else(|| {
        let text = format!("the type has more than {MAX_SHAPES} alternatives of objects");
        let error = Diagnostic::error(codes::TOO_MANY, text).with_label(span.clone(), "");
        scope.error(error.with_help("write the union outside, or fewer alternatives"));
        Vec::new()
    })
}

/// Returns the regular expression of a template type, with anchors at both ends. `None` after an error, which is
/// reported.
pub(super) fn template_pattern<'a>(
    scope: &mut Scope<'a>,
    template: &'a TSTemplateLiteralType<'a>,
    env: usize,
) -> Option<String> {
    Some(format!("^{}$", template_parts(scope, template, env)?))
}

fn template_parts<'a>(
    scope: &mut Scope<'a>,
    template: &'a TSTemplateLiteralType<'a>,
    env: usize,
) -> Option<String> {
    let mut pattern = String::new();
    for (at, quasi) in template.quasis.iter().enumerate() {
        let text = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
        template::escape(text, &mut pattern);
        if let Some(node) = template.types.get(at) {
            pattern.push_str(&template_type(scope, Ty { node, env })?);
        }
        if pattern.len() > template::MAX_LENGTH {
            let help = "write fewer alternatives";
            scope.unsupported(range(template.span), "a template of so many texts", help);
            return None;
        }
    }
    Some(pattern)
}

/// Returns the regular expression of a type between the braces of a template. `None` after an error, which is reported.
fn template_type<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> Option<String> {
    let ty = resolved(scope, ty)?;
    let span = scope.span(ty);
    scope.within(&span, |scope| template_type_of(scope, ty))
}

fn template_type_of<'a>(scope: &mut Scope<'a>, ty: Ty<'a>) -> Option<String> {
    if let Some(pattern) = template::primitive(ty.node) {
        return Some(pattern.to_owned());
    }
    let patterns: Vec<String> = match ty.node {
        TSType::TSTemplateLiteralType(template) => return template_parts(scope, template, ty.env),
        TSType::TSUnionType(union) => {
            let parts = union.types.iter().map(|node| Ty { node, env: ty.env });
            parts.map(|part| template_type(scope, part)).collect::<Option<_>>()?
        }
        // Any other type must be a list of values: literals, enumerations, keys.
        _ => literals(scope, ty)?.iter().map(template::of_value).collect(),
    };
    Some(template::any_of(&patterns))
}

fn add(value: Value, values: &mut Vec<Value>) {
    if !values.contains(&value) {
        values.push(value);
    }
}
