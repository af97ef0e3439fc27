//! Makes a failing case small: tries simpler cases for as long as one of them fails too.

use grammarc_compiler::ir::{Expr, Texts};

use crate::case::Case;
use crate::oracle::Token;

/// A case that fails and none of whose simpler neighbours does, or the best found in `tries` attempts.
pub fn shrink(case: Case, tries: usize, fails: impl Fn(&Case) -> bool) -> Case {
    simplest(case, tries, neighbours, fails)
}

/// As [`shrink`], of anything that has simpler neighbours.
pub(crate) fn simplest<T>(
    mut failing: T,
    mut tries: usize,
    neighbours: impl Fn(&T) -> Vec<T>,
    fails: impl Fn(&T) -> bool,
) -> T {
    loop {
        let simpler = neighbours(&failing).into_iter().find(|simpler| {
            tries = tries.saturating_sub(1);
            tries > 0 && fails(simpler)
        });
        match simpler {
            Some(simpler) => failing = simpler,
            None => return failing,
        }
    }
}

fn neighbours(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    if case.shared {
        found.push(Case { shared: false, ..case.clone() });
    }
    if case.kept > 0 {
        found.push(Case { kept: 0, shared: false, ..case.clone() });
    }
    if !case.regions.is_empty() {
        found.push(Case { regions: Vec::new(), ..case.clone() });
    }
    if !case.end_tokens.is_empty() {
        found.push(Case { end_tokens: Vec::new(), ..case.clone() });
    }
    for (index, token) in case.tokens.iter().enumerate() {
        if *token != Token::Unused {
            let mut simpler = case.clone();
            simpler.tokens[index] = Token::Unused;
            simpler.end_tokens.retain(|&end| end as usize != index);
            found.push(simpler);
        }
    }
    if case.tokens.last() == Some(&Token::Unused) {
        let mut simpler = case.clone();
        simpler.tokens.pop();
        found.push(simpler);
    }
    for (index, rule) in case.rules.iter().enumerate() {
        for expr in simpler(rule) {
            let mut simpler = case.clone();
            simpler.rules[index] = expr;
            found.push(simpler);
        }
    }
    found
}

/// Expressions with one part less.
fn simpler(expr: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = expr.children().to_vec();
    let without = |parts: &[Expr], at: usize| -> Vec<Expr> {
        let kept = parts.iter().enumerate().filter(|(index, _)| *index != at);
        kept.map(|(_, part)| part.clone()).collect()
    };
    let replaced = |parts: &[Expr], at: usize, part: Expr| -> Vec<Expr> {
        let mut parts = parts.to_vec();
        parts[at] = part;
        parts
    };
    match expr {
        Expr::Seq(parts) => {
            found.extend((0..parts.len()).map(|at| Expr::seq(without(parts, at))));
            for (at, part) in parts.iter().enumerate() {
                found.extend(simpler(part).into_iter().map(|p| Expr::seq(replaced(parts, at, p))));
            }
        }
        Expr::Alt(parts) => {
            found.extend((0..parts.len()).map(|at| Expr::alt(without(parts, at))));
            for (at, part) in parts.iter().enumerate() {
                found.extend(simpler(part).into_iter().map(|p| Expr::alt(replaced(parts, at, p))));
            }
        }
        &Expr::Repeat { ref body, min, max } => {
            let again = |body: &Expr, min, max| body.clone().repeat(min, max);
            if min > 0 {
                found.push(again(body, min / 2, max));
                found.push(again(body, min - 1, max));
                found.push(again(body, 0, max));
            }
            if let Some(max) = max.filter(|&max| max > min) {
                found.push(again(body, min, Some(min + (max - min) / 2)));
                found.push(again(body, min, Some(max - 1)));
            }
            found.extend(simpler(body).iter().map(|body| again(body, min, max)));
        }
        Expr::Literal(bytes) if bytes.len() > 1 => {
            found.push(Expr::literal(&bytes[1..]));
            found.push(Expr::literal(&bytes[..bytes.len() - 1]));
        }
        Expr::Texts(texts) => {
            let without = (0..texts.len()).filter_map(|at| {
                let kept = texts.iter().enumerate().filter(|(index, _)| *index != at);
                Texts::new(kept.map(|(_, text)| text))
            });
            found.extend(without.map(|texts| Expr::Texts(texts.into())));
        }
        Expr::Empty => {}
        _ => found.push(Expr::Empty),
    }
    found
}
