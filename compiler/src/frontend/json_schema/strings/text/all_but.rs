//! The graph of all strings but some, from their prefix tree.
//!
//! Most objects allow keys that they do not name, so this is the set that is written most. What leaves the tree leads to
//! the end through a shared rule; no automaton is made and none is minimised, because the network makes one of the keys
//! that are named and of this together. Linear in the bytes of the texts.

use super::super::texts::Texts;
use super::characters::Ranges;
use super::spell::Speller;
use super::{Escapes, StringRules};
use crate::frontend::json_schema::Piece;
use crate::frontend::json_schema::string::plain;
use crate::ir::{ByteSet, Expr, ExprGraph};

/// What follows the opening quote of all strings but some, in the shortest form.
pub(super) fn tail(rules: &mut impl StringRules, texts: &Texts) -> Expr {
    // Most bytes are a state, with an edge for the quote and three for characters.
    let mut graph = ExprGraph::with_capacity(4 * texts.bytes());
    let mut speller = Speller::new(Escapes::Shortest);
    let (end, plain) = (graph.end(), plain());
    let mut shared = Shared::default();
    // States, the texts that begin with what leads there, and how many bytes that is.
    let mut open = vec![(ExprGraph::START, 0..texts.len(), 0)];
    let mut taken: Vec<char> = Vec::new();
    while let Some((state, mut here, length)) = open.pop() {
        match texts.get(here.start).len() == length {
            true => here.start += 1,
            false => graph.edge(state, Expr::byte(b'"'), end),
        }
        taken.clear();
        let mut stand_for_themselves = true;
        let mut at = here.start;
        while let Some((next, rest)) = next_character(texts, &here, at, length) {
            let from = at;
            at += 1;
            while next_character(texts, &here, at, length).is_some_and(|(same, _)| same == next) {
                at += 1;
            }
            taken.push(next);
            let character = if next.is_ascii() && plain.contains(next as u8) {
                Expr::byte(next as u8)
            } else {
                stand_for_themselves = false;
                speller.literal(next).map_or(Expr::Never, Expr::literal)
            };
            let to = if at - from == 1 && rest.is_empty() {
                shared.state(&mut graph, rules, Piece::NonEmptyStringTail)
            } else {
                let to = graph.state();
                open.push((to, from..at, length + next.len_utf8()));
                to
            };
            graph.edge(state, character, to);
        }
        if taken.is_empty() {
            graph.edge(state, rules.piece(Piece::NonEmptyStringTail), end);
            continue;
        }
        let first = if stand_for_themselves {
            graph.edge(state, rules.piece(Piece::SpecialStringTail), end);
            let taken: ByteSet = taken.iter().map(|&c| c as u8).collect();
            Expr::bytes(plain.minus(taken))
        } else {
            speller.expr(&others(&taken))
        };
        let rest = shared.state(&mut graph, rules, Piece::StringTail);
        graph.edge(state, first, rest);
    }
    Expr::Graph(graph.into())
}

/// States with one way on: the rule of a piece to the end.
#[derive(Default)]
struct Shared(Vec<(Piece, u32)>);

impl Shared {
    fn state(&mut self, graph: &mut ExprGraph, rules: &mut impl StringRules, piece: Piece) -> u32 {
        if let Some(&(_, state)) = self.0.iter().find(|(known, _)| *known == piece) {
            return state;
        }
        let (state, end) = (graph.state(), graph.end());
        graph.edge(state, rules.piece(piece), end);
        self.0.push((piece, state));
        state
    }
}

/// The character of a text at a place of its bytes, and what follows it, where the text is among those here.
fn next_character<'t>(
    texts: &'t Texts,
    here: &std::ops::Range<usize>,
    at: usize,
    length: usize,
) -> Option<(char, &'t str)> {
    if at >= here.end {
        return None;
    }
    let mut rest = texts.get(at)[length..].chars();
    Some((rest.next()?, rest.as_str()))
}

/// All characters but some, which ascend.
fn others(taken: &[char]) -> Ranges {
    let mut free = Ranges::with_capacity(taken.len() + 1);
    let mut from = Some('\0');
    for &c in taken {
        let before = ('\0'..c).next_back();
        free.extend(from.zip(before).filter(|(lo, hi)| lo <= hi));
        from = (c..=char::MAX).nth(1);
    }
    free.extend(from.map(|from| (from, char::MAX)));
    free
}
