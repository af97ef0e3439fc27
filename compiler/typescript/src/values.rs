//! Types that are lists of values: literals, enumerations, keys; and what other types resolve to.

use std::ops::Range;

use oxc_ast::ast::{
    Expression, TSEnumDeclaration, TSEnumMemberName, TSLiteral, TSType, TSTypeName,
    TSTypeOperatorOperator, TSTypeReference, UnaryOperator,
};
use serde_json::{Number, Value};

use super::codes;
use super::declarations::{Kind, range};
use super::translate::{Translator, Ty};
use grammarc_grammar::diagnostics::Diagnostic;

/// Most names in a row that each stand for the next.
const MOST_NAMES: usize = 100;

impl<'a> Translator<'a> {
    /// The type behind parentheses, type parameters, names of other types and members of them. `None` after an error.
    pub(super) fn resolved(&mut self, ty: Ty<'a>) -> Option<Ty<'a>> {
        let mut ty = ty;
        for _ in 0..MOST_NAMES {
            let Ty { node, env } = ty;
            ty = match node {
                TSType::TSParenthesizedType(inner) => Ty { node: &inner.type_annotation, env },
                TSType::TSTypeOperatorType(one)
                    if one.operator == TSTypeOperatorOperator::Readonly =>
                {
                    Ty { node: &one.type_annotation, env }
                }
                TSType::TSTypeReference(reference) => {
                    let span = range(reference.span);
                    if let Some(ty) = self.parameter(reference, env) {
                        ty
                    } else {
                        let arguments = reference.type_arguments.as_deref();
                        let Some(at) = self.declared(reference) else { return Some(ty) };
                        let (name, one) = self.declarations.by_name.get_index(at)?;
                        let before = self.errors.len();
                        self.available(name, &one.kind, &span);
                        if self.errors.len() > before {
                            return None;
                        }
                        let Kind::Alias(alias) = &one.kind else { return Some(ty) };
                        let env = self.instance(at, arguments, env, &span)?;
                        Ty { node: &alias.type_annotation, env }
                    }
                }
                TSType::TSIndexedAccessType(access) => {
                    let object = Ty { node: &access.object_type, env };
                    let index = Ty { node: &access.index_type, env };
                    self.accessed(object, index, range(access.span))?
                }
                _ => return Some(ty),
            };
        }
        let span = self.span(ty);
        let error = Diagnostic::error(codes::CIRCLE, "the type stands for itself");
        self.error(error.with_label(span, "here").with_help("say what its values are"));
        None
    }

    /// The type of `T["key"]` or `T[number]`.
    fn accessed(&mut self, object: Ty<'a>, index: Ty<'a>, span: Range<usize>) -> Option<Ty<'a>> {
        let entered = self.enter(&span);
        let found = entered.then(|| self.accessed_in(object, index, &span)).flatten();
        self.leave();
        found
    }

    fn accessed_in(
        &mut self,
        object: Ty<'a>,
        index: Ty<'a>,
        span: &Range<usize>,
    ) -> Option<Ty<'a>> {
        if matches!(index.node, TSType::TSNumberKeyword(_)) {
            let list = self.resolved(object)?;
            let element = self.element(list);
            if element.is_none() {
                self.unsupported(span.clone(), "an element of this type", "write the type itself");
            }
            return element;
        }
        let keys = self.literals(index)?;
        let [Value::String(key)] = keys.as_slice() else {
            self.unsupported(span.clone(), "a member by several keys", "write the type itself");
            return None;
        };
        let shapes = self.shapes(object);
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
                let error =
                    Diagnostic::error(codes::UNKNOWN_KEY, format!("there is no key {key:?}"));
                self.error(error.with_label(span.clone(), ""));
                None
            }
            [] => None,
            _ => {
                self.unsupported(
                    span.clone(),
                    "a member of several types",
                    "write the type itself",
                );
                None
            }
        }
    }

    /// The type of the elements of an array type.
    pub(super) fn element(&mut self, list: Ty<'a>) -> Option<Ty<'a>> {
        let env = list.env;
        match list.node {
            TSType::TSArrayType(array) => Some(Ty { node: &array.element_type, env }),
            TSType::TSTypeReference(reference) => match &reference.type_name {
                TSTypeName::IdentifierReference(name)
                    if matches!(name.name.as_str(), "Array" | "ReadonlyArray") =>
                {
                    let node = reference.type_arguments.as_ref()?.params.first()?;
                    Some(Ty { node, env })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The values of a type that is a list of them, each once. `None` after an error.
    pub(super) fn literals(&mut self, ty: Ty<'a>) -> Option<Vec<Value>> {
        let span = self.span(ty);
        let entered = self.enter(&span);
        let values = entered.then(|| self.literals_of(ty, &span)).flatten();
        self.leave();
        values
    }

    fn literals_of(&mut self, ty: Ty<'a>, span: &Range<usize>) -> Option<Vec<Value>> {
        let ty = self.resolved(ty)?;
        let Ty { node, env } = ty;
        match node {
            TSType::TSLiteralType(one) => match literal(&one.literal) {
                Some(value) => return Some(vec![value]),
                None => {
                    let help = "write a string, or a number that JSON can have";
                    self.unsupported(span.clone(), "this literal", help);
                    return None;
                }
            },
            TSType::TSNullKeyword(_) => return Some(vec![Value::Null]),
            TSType::TSNeverKeyword(_) => return Some(Vec::new()),
            TSType::TSUnionType(union) => {
                let mut values = Vec::new();
                for node in &union.types {
                    let more = self.literals(Ty { node, env })?;
                    more.into_iter().for_each(|value| add(value, &mut values));
                }
                return Some(values);
            }
            TSType::TSTypeOperatorType(one) if one.operator == TSTypeOperatorOperator::Keyof => {
                let shapes = self.shapes(Ty { node: &one.type_annotation, env });
                let mut values = Vec::new();
                // A key of a union is one of all its parts.
                let (first, others) = shapes.split_first()?;
                for member in &first.members {
                    let has = |shape: &super::objects::Shape<'_>| {
                        shape.members.iter().any(|other| other.key == member.key)
                    };
                    if others.iter().all(has) {
                        add(member.key.as_str().into(), &mut values);
                    }
                }
                if shapes.iter().any(|shape| !shape.rest.is_empty()) {
                    let help = "write the keys that are meant";
                    self.unsupported(span.clone(), "`keyof` of any keys", help);
                    return None;
                }
                return Some(values);
            }
            TSType::TSTypeReference(reference) => {
                if let Some(value) = self.member_of_enumeration(reference) {
                    return Some(vec![value]);
                }
                let declarations = self.declarations;
                if let Some(at) = self.declared(reference)
                    && let Kind::Enum(members) = &declarations.by_name[at].kind
                {
                    let mut values = Vec::new();
                    for (_, value, _) in self.enumeration(members) {
                        add(value, &mut values);
                    }
                    return Some(values);
                }
                if let (TSTypeName::IdentifierReference(name), Some(list)) =
                    (&reference.type_name, &reference.type_arguments)
                    && let ("Exclude" | "Extract", [from, what]) =
                        (name.name.as_str(), list.params.as_slice())
                {
                    let [from, what] = [from, what].map(|node| Ty { node, env });
                    return self.selected(from, what, name.name == "Extract");
                }
            }
            _ => {}
        }
        let help = "here stand literals, such as `\"a\" | \"b\"`, or `keyof` a type";
        self.unsupported(self.span(ty), "a type that is no list of values", help);
        None
    }

    /// The values of a type that are in another one, or are not.
    pub(super) fn selected(
        &mut self,
        from: Ty<'a>,
        what: Ty<'a>,
        keep: bool,
    ) -> Option<Vec<Value>> {
        let (mut values, what) = (self.literals(from)?, self.literals(what)?);
        values.retain(|value| what.contains(value) == keep);
        Some(values)
    }

    /// The value of `Enum.Member`.
    pub(super) fn member_of_enumeration(
        &mut self,
        reference: &'a TSTypeReference<'a>,
    ) -> Option<Value> {
        let TSTypeName::QualifiedName(path) = &reference.type_name else { return None };
        let TSTypeName::IdentifierReference(name) = &path.left else { return None };
        let declarations = self.declarations;
        let one = declarations.by_name.get(name.name.as_str())?;
        let Kind::Enum(members) = &one.kind else { return None };
        let found = self.enumeration(members).into_iter();
        let found = found.into_iter().find(|(key, ..)| *key == path.right.name.as_str());
        if found.is_none() {
            let text = format!("`{}` has no member `{}`", name.name, path.right.name);
            let error = Diagnostic::error(codes::UNKNOWN_KEY, text);
            self.error(error.with_label(range(path.right.span), ""));
        }
        Some(found.map_or(Value::Null, |(_, value, _)| value))
    }

    /// The members of an enumeration with their values and places.
    pub(super) fn enumeration(
        &mut self,
        members: &'a TSEnumDeclaration<'a>,
    ) -> Vec<(&'a str, Value, Range<usize>)> {
        let mut all = Vec::new();
        // The number of the next member that says none; none after a text.
        let mut next = Some(0.0);
        for member in &members.body.members {
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => name.name.as_str(),
                TSEnumMemberName::String(name) | TSEnumMemberName::ComputedString(name) => {
                    name.value.as_str()
                }
                TSEnumMemberName::ComputedTemplateString(_) => "",
            };
            let value = match &member.initializer {
                None => next.map(|at| Value::Number(number(at, None).expect("it is finite"))),
                Some(value) => constant(value),
            };
            match value {
                Some(value) => {
                    next = value.as_number().and_then(Number::as_f64).map(|at| at + 1.0);
                    all.push((name, value, range(member.span)));
                }
                None => {
                    let text = format!("the value of `{name}` is not written out");
                    let help = "write it as a string or a number";
                    let error = Diagnostic::error(codes::ENUM_VALUE, text).with_help(help);
                    self.error(error.with_label(range(member.span), ""));
                }
            }
        }
        all
    }
}

fn add(value: Value, values: &mut Vec<Value>) {
    if !values.contains(&value) {
        values.push(value);
    }
}

/// The value of a literal; `None` where JSON has none.
fn literal(literal: &TSLiteral<'_>) -> Option<Value> {
    match literal {
        TSLiteral::BooleanLiteral(one) => Some(one.value.into()),
        TSLiteral::StringLiteral(text) if !text.lone_surrogates => Some(text.value.as_str().into()),
        TSLiteral::TemplateLiteral(text) if text.expressions.is_empty() => {
            Some(text.quasis.first()?.value.cooked.as_ref()?.as_str().into())
        }
        TSLiteral::NumericLiteral(one) => number(one.value, one.raw.as_deref()).map(Value::Number),
        TSLiteral::UnaryExpression(one) => match (&one.operator, &one.argument) {
            (UnaryOperator::UnaryNegation, Expression::NumericLiteral(one)) => negative(one.value),
            _ => None,
        },
        _ => None,
    }
}

/// The value of a constant expression.
fn constant(expression: &Expression<'_>) -> Option<Value> {
    match expression {
        Expression::StringLiteral(text) if !text.lone_surrogates => {
            Some(text.value.as_str().into())
        }
        Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
            Some(text.quasis.first()?.value.cooked.as_ref()?.as_str().into())
        }
        Expression::NumericLiteral(one) => number(one.value, one.raw.as_deref()).map(Value::Number),
        Expression::UnaryExpression(one) => match (&one.operator, &one.argument) {
            (UnaryOperator::UnaryNegation, Expression::NumericLiteral(one)) => negative(one.value),
            _ => None,
        },
        _ => None,
    }
}

fn negative(value: f64) -> Option<Value> {
    number(-value, None).map(Value::Number)
}

/// A number: with its own digits where JSON writes it so, else by its value.
fn number(value: f64, raw: Option<&str>) -> Option<Number> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    if let Some(Ok(number)) = raw.map(serde_json::from_str) {
        return Some(number);
    }
    match value.fract() == 0.0 && value.abs() <= EXACT {
        true => Some(Number::from(value as i64)),
        false => Number::from_f64(value),
    }
}
