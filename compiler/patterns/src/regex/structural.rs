//! Lowers an HIR to an expression, part by part. Repetitions keep their bounds and large classes are shared automata,
//! so the result is linear in the pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::class::Classes;
use grammarc_grammar::ir::{ByteSet, Expr};

/// Lowers an HIR without assertions to an expression.
pub(super) fn lower(hir: &Hir) -> Expr {
    expr(hir, &mut Classes::default())
}

fn expr(hir: &Hir, classes: &mut Classes) -> Expr {
    match hir.kind() {
        // An assertion would be lowered to the empty string; the caller ensures that there is none.
        HirKind::Empty | HirKind::Look(_) => Expr::Empty,
        HirKind::Literal(literal) => Expr::literal(&literal.0),
        HirKind::Class(Class::Unicode(class)) => classes.expr(class),
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.iter().map(|range| ByteSet::range(range.start(), range.end()));
            Expr::bytes(ranges.fold(ByteSet::EMPTY, ByteSet::union))
        }
        HirKind::Repetition(repetition) => {
            expr(&repetition.sub, classes).repeat(repetition.min, repetition.max)
        }
        HirKind::Capture(group) => expr(&group.sub, classes),
        HirKind::Concat(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| expr(part, classes)).collect();
            Expr::seq(parts)
        }
        HirKind::Alternation(choices) => {
            let choices: Vec<_> = choices.iter().map(|choice| expr(choice, classes)).collect();
            Expr::alt(choices)
        }
    }
}
