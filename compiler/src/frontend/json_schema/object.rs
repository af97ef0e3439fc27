//! Objects: members in a fixed order, and then others.
//!
//! Declared keys come in schema order, each once or, where optional, not at all; then any number of other keys. A
//! context-free grammar cannot keep other keys from repeating, and it need not: all values of a repeated key satisfy
//! the same schema, so whichever of them a parser keeps, the object does.
//!
//! The comma between members is the only thing that depends on what was written before. Behind the first required
//! member every member brings a comma before itself, and ahead of it one after itself. Without a required member, the
//! first written one is found by halving, so an object of n members takes O(n log n) parts and no rules beside its own.

use rustc_hash::FxHashSet;

use crate::ir::Expr;

use super::document::{Document, Json};
use super::graph::ShapeGraph;
use super::key::other_key;
use super::lower::Emitter;
use super::shape::{ObjectShape, Union};
use super::string::escape;

struct Member {
    expr: Expr,
    required: bool,
}

/// The objects of a shape.
pub(crate) fn object(emitter: &mut Emitter<'_>, shape: &ObjectShape) -> Expr {
    let comma = emitter.spaced(b',');
    let space = emitter.whitespace();
    let mut members = Vec::with_capacity(shape.properties.len());
    for property in &shape.properties {
        if !emitter.holds(property.value) {
            continue;
        }
        let key = Expr::literal(format!("\"{}\"", escape(&property.key)));
        let expr = Expr::seq([key, emitter.spaced(b':'), emitter.refer(property.value)]);
        members.push(Member { expr, required: property.required });
    }
    let other = emitter.holds(shape.additional).then(|| {
        let keys: Vec<&str> = shape.properties.iter().map(|property| &*property.key).collect();
        Expr::seq([
            Expr::byte(b'"'),
            other_key(emitter, &keys),
            emitter.spaced(b':'),
            emitter.refer(shape.additional),
        ])
    });
    let others = match &other {
        Some(other) => Expr::seq([comma.clone(), other.clone()]).star(),
        None => Expr::Empty,
    };
    let written = match members.iter().position(|member| member.required) {
        Some(at) => {
            let before = members[..at]
                .iter()
                .map(|member| Expr::seq([member.expr.clone(), comma.clone()]).optional());
            Expr::seq(before.chain([
                members[at].expr.clone(),
                following(&members[at + 1..], &comma),
                others,
                space.clone(),
            ]))
        }
        None => {
            let declared = Expr::seq([first_of(&members, &comma), others.clone()]);
            let undeclared = other.map_or(Expr::Never, |other| Expr::seq([other, others]));
            Expr::seq([Expr::alt([declared, undeclared]), space.clone()]).optional()
        }
    };
    Expr::seq([Expr::byte(b'{'), space, written, Expr::byte(b'}')])
}

/// Members behind a written one.
fn following(members: &[Member], comma: &Expr) -> Expr {
    Expr::seq(members.iter().map(|member| {
        let written = Expr::seq([comma.clone(), member.expr.clone()]);
        if member.required { written } else { written.optional() }
    }))
}

/// One or more of some optional members.
fn first_of(members: &[Member], comma: &Expr) -> Expr {
    match members {
        [] => Expr::Never,
        [only] => only.expr.clone(),
        _ => {
            let (left, right) = members.split_at(members.len() / 2);
            let from_left = Expr::seq([first_of(left, comma), following(right, comma)]);
            Expr::alt([from_left, first_of(right, comma)])
        }
    }
}

/// Whether the first key tells the shapes of a union apart: every one requires it first, as one of some strings that
/// no other shape has. Their automata then part at that string and do not multiply.
pub(crate) fn told_apart(document: &Document, graph: &ShapeGraph, shapes: &[ObjectShape]) -> bool {
    let mut keys = FxHashSet::default();
    let mut seen = FxHashSet::default();
    shapes.iter().all(|shape| {
        let Some(first) = shape.properties.first() else { return false };
        keys.insert(&first.key);
        let union = graph.union(first.value);
        let listed = Union { values: union.values.clone(), ..Union::default() };
        let mut strings = union.values.iter().map(|&value| match document.json(value) {
            Json::String(text) => Some(text),
            _ => None,
        });
        first.required
            && keys.len() == 1
            && *union == listed
            && strings.all(|text| text.is_some_and(|text| seen.insert(text)))
    })
}
