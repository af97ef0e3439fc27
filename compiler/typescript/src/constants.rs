//! Constant values: literals and members of enumerations.

use std::ops::Range;

use oxc_ast::ast::{
    Expression, TSEnumDeclaration, TSEnumMemberName, TSLiteral, TSTypeName, TSTypeReference,
    UnaryOperator,
};
use serde_json::{Number, Value};

use super::codes;
use super::declarations::{Kind, range};
use super::scope::Scope;
use grammarc_grammar::diagnostics::Diagnostic;

/// A member of an enumeration, with its value and its place in bytes.
pub(super) struct EnumMember<'a> {
    pub(super) name: &'a str,
    pub(super) value: Value,
    pub(super) span: Range<usize>,
}

/// Returns the value of a type `Enum.Member`. An unknown member is reported and has the value
/// `null`. `None` if the type is no member of a declared enumeration.
pub(super) fn member_of_enumeration<'a>(
    scope: &mut Scope<'a>,
    reference: &'a TSTypeReference<'a>,
) -> Option<Value> {
    let TSTypeName::QualifiedName(path) = &reference.type_name else { return None };
    let TSTypeName::IdentifierReference(name) = &path.left else { return None };
    let declarations = scope.declarations;
    let one = declarations.by_name.get(name.name.as_str())?;
    let Kind::Enum(members) = &one.kind else { return None };
    let found = enumeration(scope, members)
        .into_iter()
        .find(|member| member.name == path.right.name.as_str());
    if found.is_none() {
        let text = format!("`{}` has no member `{}`", name.name, path.right.name);
        let error = Diagnostic::error(codes::UNKNOWN_KEY, text);
        scope.error(error.with_label(range(path.right.span), ""));
    }
    Some(found.map_or(Value::Null, |member| member.value))
}

/// Returns the members of an enumeration with their values and places. Members without a constant
/// value are reported and left out.
pub(super) fn enumeration<'a>(
    scope: &mut Scope<'a>,
    members: &'a TSEnumDeclaration<'a>,
) -> Vec<EnumMember<'a>> {
    let mut all = Vec::new();
    // The number of the next member without a value of its own. `None` after a string.
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
                all.push(EnumMember { name, value, span: range(member.span) });
            }
            None => {
                let text = format!("the value of `{name}` is not a literal");
                let help = "write it as a string or a number";
                let error = Diagnostic::error(codes::ENUM_VALUE, text).with_help(help);
                scope.error(error.with_label(range(member.span), ""));
            }
        }
    }
    all
}

/// Returns the value of a literal type. `None` if JSON has no such value.
pub(super) fn literal(literal: &TSLiteral<'_>) -> Option<Value> {
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

/// Returns the value of a constant expression. `None` if it is not a string, a number or a negated
/// number.
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

/// Returns a number with the digits of the source if JSON allows them, and otherwise by its value.
/// `None` if it is not finite.
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
