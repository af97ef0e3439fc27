//! Random graphs with counters, each from its seed.
//!
//! Bounds are large beside the increments of a token, so that counts are far, near a minimum and near a maximum on
//! the way.
//! Graphs are of three kinds: a random one within a number of letters, words within letters, and groups within groups.

use std::sync::Arc;

use grammarc_compiler::ir::{ByteSet, Counter, Expr, ExprGraph, Step};

use crate::case::Case;
use crate::oracle::Token;
use crate::random::Rng;

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let letters: Vec<u8> = b"abc"[..2 + rng.below(2)].to_vec();
    let mut texts: Vec<Vec<u8>> = letters.iter().map(|&letter| vec![letter]).collect();
    texts.extend([b".".to_vec(), b"..".to_vec()]);
    let longest = 2 + rng.below(4);
    for _ in 0..3 + rng.below(10) {
        let mut text: Vec<u8> = (0..1 + rng.below(longest)).map(|_| *rng.pick(&letters)).collect();
        if rng.one_in(4) {
            text.push(b'.');
        }
        texts.push(text);
    }
    if rng.one_in(2) {
        let length = 7 + rng.below(6);
        texts.push((0..length).map(|_| *rng.pick(&letters)).collect());
        texts.push(vec![*rng.pick(&letters); length]);
    }
    let mut tokens: Vec<Token> = texts.into_iter().map(Token::Text).collect();
    tokens.push(Token::Special(b"<eos>".to_vec()));
    let expr = match rng.below(4) {
        0 => words(&mut rng, &letters),
        1 => nested(&mut rng, &letters),
        _ => random(&mut rng, &letters),
    };
    let end = match rng.below(3) {
        0 => Expr::Empty,
        1 => Expr::byte(b'.'),
        _ => Expr::alt([Expr::byte(b'.'), Expr::byte(letters[0])]),
    };
    let expr = Expr::seq([expr, end]);
    let expr = match rng.one_in(3) {
        true => Expr::alt([Expr::literal([letters[0], letters[1], letters[0]]), expr]),
        false => expr,
    };
    let eos = tokens.len() as u32 - 1;
    let (kept, shared, regions) = (0, false, Vec::new());
    Case { tokens, end_tokens: vec![eos], rules: vec![expr], kept, shared, regions }
}

/// Bounds of which the lower, the upper or both are large.
fn bounds(rng: &mut Rng) -> Counter {
    let many = |rng: &mut Rng| 20 + rng.below(40) as u32;
    let few = rng.below(4) as u32;
    let (min, more) = match rng.below(6) {
        0 => (many(rng), None),
        1 => (few, Some(many(rng))),
        2 => (many(rng), Some(many(rng))),
        3 => (many(rng), Some(rng.below(3) as u32)),
        _ => (0, Some(many(rng))),
    };
    Counter { min, max: more.map(|more| min + more) }
}

fn letter(rng: &mut Rng, letters: &[u8]) -> Expr {
    let count = 1 + rng.below(letters.len());
    Expr::bytes((0..count).map(|_| *rng.pick(letters)).collect::<ByteSet>())
}

/// A random graph whose states increment one counter each time, and perhaps another one some times.
fn random(rng: &mut Rng, letters: &[u8]) -> Expr {
    let mut graph = ExprGraph::new();
    let states = 2 + rng.below(3) as u32;
    let states: Vec<u32> = (0..states).map(|_| graph.state()).collect();
    let counters = 1 + rng.below(2);
    let counters: Vec<u8> = (0..counters).map(|_| graph.counter(bounds(rng))).collect();
    for &state in &states {
        for (at, &counter) in counters.iter().enumerate() {
            if at == 0 || rng.one_in(2) {
                graph.step(state, Step::Increment(counter));
            }
        }
    }
    let all: Vec<u32> = states.iter().copied().chain([ExprGraph::START]).collect();
    for &from in &all {
        for _ in 0..1 + rng.below(3) {
            let to = *rng.pick(&states);
            let part = match rng.one_in(4) {
                true => Expr::seq([letter(rng, letters), letter(rng, letters)]),
                false => letter(rng, letters),
            };
            graph.edge(from, part, to);
        }
    }
    let ends = 1 + rng.below(states.len());
    for _ in 0..ends {
        let from = *rng.pick(&states);
        let end = graph.end();
        graph.edge(from, Expr::Empty, end);
    }
    for &counter in &counters {
        let end = graph.end();
        graph.step(end, Step::Check(counter));
    }
    Expr::Graph(Arc::new(graph))
}

/// So many words within so many letters.
fn words(rng: &mut Rng, letters: &[u8]) -> Expr {
    let mut graph = ExprGraph::new();
    let end = graph.end();
    let [between, within] = [graph.state(), graph.state()];
    let [first, last] = [graph.state(), graph.state()];
    let lengths = graph.counter(Counter { min: 0, max: Some(30 + rng.below(60) as u32) });
    let count = graph.counter(Counter { min: 0, max: Some(15 + rng.below(20) as u32) });
    let space = Expr::byte(letters[0]);
    let other = Expr::bytes(letters[1..].iter().copied().collect::<ByteSet>());
    for state in [between, within, first, last] {
        graph.step(state, Step::Increment(lengths));
    }
    graph.step(first, Step::Increment(count));
    // A word that is behind others, or the last one.
    for from in [ExprGraph::START, between] {
        graph.edge(from, other.clone(), first);
        graph.edge(from, other.clone(), last);
    }
    graph.edge(first, other.clone(), within);
    graph.edge(within, other.clone(), within);
    for from in [first, within, between] {
        graph.edge(from, space.clone(), between);
    }
    graph.edge(last, other, last);
    graph.edge(last, Expr::Empty, end);
    Expr::Graph(Arc::new(graph))
}

/// Groups of letters, so many of a group, and so many groups.
fn nested(rng: &mut Rng, letters: &[u8]) -> Expr {
    let mut graph = ExprGraph::new();
    let end = graph.end();
    let [begin, inner, group] = [graph.state(), graph.state(), graph.state()];
    let inside = graph.counter(bounds(rng));
    let groups = graph.counter(Counter { min: 0, max: Some(15 + rng.below(20) as u32) });
    graph.step(begin, Step::Reset(inside));
    graph.step(inner, Step::Increment(inside));
    graph.step(group, Step::Check(inside));
    graph.step(group, Step::Increment(groups));
    graph.edge(ExprGraph::START, Expr::Empty, begin);
    let other = Expr::bytes(letters[1..].iter().copied().collect::<ByteSet>());
    for from in [begin, inner] {
        graph.edge(from, other.clone(), inner);
    }
    graph.edge(inner, Expr::byte(letters[0]), group);
    graph.edge(group, Expr::Empty, begin);
    graph.edge(group, Expr::Empty, end);
    Expr::Graph(Arc::new(graph))
}
