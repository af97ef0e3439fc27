//! The expression graph of all strings except a list, built from the prefix tree of the list.
//!
//! Most objects allow undeclared keys, so this is the most frequent set of strings. A text that leaves the tree
//! continues in a shared rule. No automaton is built or minimized here, because the network builds one from the
//! declared keys and this graph together. Cost: linear in the bytes of the texts.

use super::rules::StringRules;
use super::spell::Speller;
use crate::options::Escapes;
use crate::values::pieces::Piece;
use crate::values::strings::characters::Ranges;
use crate::values::strings::escaped::plain;
use crate::values::strings::texts::Texts;
use grammarc_grammar::ir::{ByteSet, Expr, ExprGraph};

/// Returns the grammar expression of the JSON texts, after the opening quote, of all strings except `texts`. Escapes
/// are the shortest ones.
pub(super) fn tail(rules: &mut impl StringRules, texts: &Texts) -> Expr {
    // Most bytes of the texts take one state, with an edge for the quote and three edges for characters.
    let mut graph = ExprGraph::with_capacity(4 * texts.bytes());
    let mut speller = Speller::new(Escapes::Shortest);
    let (end, plain) = (graph.end(), plain());
    let mut shared = Shared::default();
    // For each open state: the indices of the texts whose prefix leads to it, and the length of that prefix in bytes.
    let mut open = vec![(ExprGraph::START, 0..texts.len(), 0)];
    let mut taken: Vec<char> = Vec::new();
    while let Some((state, mut here, length)) = open.pop() {
        match texts.get(here.start).len() == length {
            true => here.start += 1,
            false => graph.edge(state, Expr::byte(b'"'), end),
        }
        if here.is_empty() {
            graph.edge(state, rules.piece(Piece::NonEmptyStringTail), end);
            continue;
        }
        if here.len() == 1 {
            let rest = &texts.get(here.start)[length..];
            let run = rest.bytes().take_while(|&byte| plain.contains(byte)).count();
            if run > 0 {
                let last =
                    alone(&mut graph, rules, &mut shared, state, &rest[..run], run == rest.len());
                if let Some(last) = last {
                    open.push((last, here, length + run));
                }
                continue;
            }
        }
        taken.clear();
        let mut are_plain = true;
        let mut at = here.start;
        let mut ahead = character_of(texts, &here, at, length);
        while let Some((next, is_last)) = ahead {
            let from = at;
            loop {
                at += 1;
                ahead = character_of(texts, &here, at, length);
                if ahead.is_none_or(|(other, _)| other != next) {
                    break;
                }
            }
            taken.push(next);
            let character = if next.is_ascii() && plain.contains(next as u8) {
                Expr::byte(next as u8)
            } else {
                are_plain = false;
                speller.literal(next).map_or(Expr::Never, Expr::literal)
            };
            let to = if at - from == 1 && is_last {
                shared.state(&mut graph, rules, Piece::NonEmptyStringTail)
            } else {
                let to = graph.state();
                open.push((to, from..at, length + next.len_utf8()));
                to
            };
            graph.edge(state, character, to);
        }
        let first = if are_plain {
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

/// Adds the graph states of a text that is the only one below `state` in the prefix tree, as long as its bytes need no
/// escape. Most states of the tree are of this kind. The edge for the quote of the first state exists already. `is_all`
/// says whether `run` ends the text. Returns the state after the run if more of the text follows.
fn alone(
    graph: &mut ExprGraph,
    rules: &mut impl StringRules,
    shared: &mut Shared,
    mut state: u32,
    run: &str,
    is_all: bool,
) -> Option<u32> {
    let (end, plain, quote) = (graph.end(), plain(), ByteSet::range(b'"', b'"'));
    for (at, byte) in run.bytes().enumerate() {
        if at > 0 {
            graph.edge(state, Expr::Bytes(quote), end);
        }
        let is_last = is_all && at + 1 == run.len();
        let to = match is_last {
            true => shared.state(graph, rules, Piece::NonEmptyStringTail),
            false => graph.state(),
        };
        let taken = ByteSet::range(byte, byte);
        graph.edge(state, Expr::Bytes(taken), to);
        graph.edge(state, rules.piece(Piece::SpecialStringTail), end);
        let rest = shared.state(graph, rules, Piece::StringTail);
        graph.edge(state, Expr::Bytes(plain.minus(taken)), rest);
        state = to;
    }
    (!is_all).then_some(state)
}

/// Maps each shared rule to a state of the expression graph whose only edge calls the rule and leads to the end.
#[derive(Default)]
struct Shared(Vec<(Piece, u32)>);

impl Shared {
    /// Returns the graph state whose only edge calls the shared rule `piece`. The state is added on first use.
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

/// Returns the character at byte `length` of text `at`, and whether it is the last one. Returns `None` if `at` is not
/// in the range `here`.
fn character_of(
    texts: &Texts,
    here: &std::ops::Range<usize>,
    at: usize,
    length: usize,
) -> Option<(char, bool)> {
    if at >= here.end {
        return None;
    }
    let text = texts.get(at);
    match text.as_bytes().get(length) {
        Some(byte) if byte.is_ascii() => Some((char::from(*byte), length + 1 == text.len())),
        _ => {
            let mut rest = text[length..].chars();
            Some((rest.next()?, rest.as_str().is_empty()))
        }
    }
}

/// Returns all characters except `taken`, which must be ascending.
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
