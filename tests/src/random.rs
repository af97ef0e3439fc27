//! Random cases, each from its seed.
//!
//! Grammars call any of their rules from anywhere, so most are recursive, and many are left-recursive, ambiguous or
//! nullable in some part. Counted bounds are such that all three forms of a repetition occur: unrolled, chained and
//! counted down; graphs with marks occur with their sets in states and in registers. Vocabularies hold the single
//! bytes of a small alphabet (some hold all bytes, some lack one), random strings over it, several tokens with one byte
//! string, special tokens, and ids without a token.

use std::sync::Arc;

use grammarc_compiler::automata::{Dfa, DfaState, Edge};
use grammarc_compiler::ir::{ByteSet, Expr, ExprGraph, RuleId, TokenRef, TokenSet};
pub use grammarc_test_data::Rng;

use crate::case::Case;
use crate::oracle::Token;

/// The bytes that a vocabulary can spell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Every byte that a grammar may use.
    Whole,
    /// Perhaps not some of them.
    Partial,
}

/// The case of a seed.
pub fn case(seed: u64, spelling: Spelling) -> Case {
    let mut rng = Rng::new(seed);
    let letters: Vec<u8> = b"abcd"[..2 + rng.below(3)].to_vec();
    let tokens = tokens(&mut rng, &letters, spelling);
    let end_tokens = match rng.below(4) {
        0 => Vec::new(),
        1 => vec![tokens.len() as u32 - 1, tokens.len() as u32 - 2],
        _ => vec![tokens.len() as u32 - 1],
    };
    let mut end_tokens = end_tokens;
    end_tokens.sort_unstable();
    let count = 1 + rng.below(5);
    let kept = if rng.one_in(3) { rng.below(count) } else { 0 };
    let shared = kept > 0 && !rng.one_in(4);
    let (deep, counted) = (1 + rng.below(3), rng.one_in(4));
    let rules = (0..count).map(|index| {
        let callable = if index < kept { kept } else { count };
        let mut writer =
            Writer { rng: &mut rng, letters: &letters, tokens: &tokens, callable, counted };
        // A plain way out, so that few grammars are empty.
        let expr = writer.expr(deep);
        if writer.rng.one_in(2) { Expr::alt([expr, writer.literal()]) } else { expr }
    });
    let rules: Vec<Expr> = rules.collect();
    let regions = match rng.one_in(3) {
        true => (kept..count).filter(|_| rng.one_in(2)).collect(),
        false => Vec::new(),
    };
    Case { tokens, end_tokens, rules, kept, shared, regions }
}

fn tokens(rng: &mut Rng, letters: &[u8], spelling: Spelling) -> Vec<Token> {
    let mut texts: Vec<Vec<u8>> = match (spelling, rng.below(8)) {
        (Spelling::Whole, 0) => (0..=255u8).map(|byte| vec![byte]).collect(),
        _ => letters.iter().map(|&letter| vec![letter]).collect(),
    };
    if spelling == Spelling::Partial {
        let lost = letters[rng.below(letters.len())];
        texts.retain(|text| text[..] != [lost]);
        if rng.one_in(3) {
            let lost = letters[rng.below(letters.len())];
            texts.retain(|text| text[..] != [lost]);
        }
    }
    let longest = 1 + rng.below(6);
    for _ in 0..3 + rng.below(14) {
        let mut text: Vec<u8> = (0..1 + rng.below(longest)).map(|_| *rng.pick(letters)).collect();
        if rng.one_in(12) {
            text.push(b'!');
        }
        let lonely = text.len() == 1 && spelling == Spelling::Partial;
        if !lonely {
            texts.push(text);
        }
    }
    for _ in 0..if texts.is_empty() { 0 } else { rng.below(3) } {
        let copy = rng.pick(&texts[..]).clone();
        texts.push(copy);
    }
    let mut tokens: Vec<Token> = texts.into_iter().map(Token::Text).collect();
    for _ in 0..rng.below(3) {
        tokens.push(Token::Unused);
    }
    for _ in 0..rng.below(4) {
        tokens.push(Token::Special(Vec::new()));
    }
    for at in (1..tokens.len()).rev() {
        tokens.swap(at, rng.below(at + 1));
    }
    for (number, token) in (0..).zip(&mut tokens) {
        if let Token::Special(name) = token {
            *name = format!("<s{number}>").into_bytes();
        }
    }
    // The end tokens come from these two.
    tokens.push(if rng.one_in(3) { Token::Text(vec![letters[0]]) } else { special("<end>") });
    tokens.push(special("<eos>"));
    tokens
}

fn special(name: &str) -> Token {
    Token::Special(name.as_bytes().to_vec())
}

/// Writes expressions.
struct Writer<'a> {
    rng: &'a mut Rng,
    letters: &'a [u8],
    tokens: &'a [Token],
    /// The rules below this number may be called.
    callable: usize,
    /// Whether large bounds are wanted.
    counted: bool,
}

impl Writer<'_> {
    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        match self.rng.below(12) {
            0..=3 => {
                let parts: Vec<Expr> =
                    (0..2 + self.rng.below(2)).map(|_| self.expr(depth - 1)).collect();
                Expr::seq(parts)
            }
            4..=7 => {
                let choices: Vec<Expr> =
                    (0..2 + self.rng.below(2)).map(|_| self.expr(depth - 1)).collect();
                Expr::alt(choices)
            }
            8 if self.rng.one_in(3) => self.graph(depth),
            8 if self.rng.one_in(3) => self.members(depth),
            8 | 9 if self.rng.one_in(4) => {
                let any = self.letter();
                let last = self.letter();
                Expr::seq([self.repeat(any), last])
            }
            8 | 9 => {
                let body = self.expr(depth - 1);
                self.repeat(body)
            }
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> Expr {
        match self.rng.below(24) {
            0..=6 => self.literal(),
            7..=9 => self.letter(),
            10..=16 => Expr::Call(RuleId::new(self.rng.below(self.callable))),
            17 | 18 => Expr::Empty,
            19..=21 => self.token_set(),
            22 if self.rng.one_in(4) => Expr::Never,
            _ => self.regular(),
        }
    }

    /// One of some letters.
    fn letter(&mut self) -> Expr {
        let count = 1 + self.rng.below(self.letters.len());
        Expr::bytes((0..count).map(|_| *self.rng.pick(self.letters)).collect::<ByteSet>())
    }

    fn graph(&mut self, depth: usize) -> Expr {
        let mut graph = ExprGraph::new();
        let states = 2 + self.rng.below(3) as u32;
        (2..states).for_each(|_| _ = graph.state());
        for _ in 0..3 + self.rng.below(4) {
            let (from, to) = (self.rng.below(states as usize), self.rng.below(states as usize));
            let part = self.expr(depth - 1);
            graph.edge(from as u32, part, to as u32);
        }
        Expr::Graph(Arc::new(graph))
    }

    /// Members in any order, of which some have to be there.
    fn members(&mut self, depth: usize) -> Expr {
        let mut graph = ExprGraph::new();
        let after = graph.state();
        // Distinct keys of one length determine the marks, so that a register can hold them.
        let distinct = !self.rng.one_in(3);
        let mut keys: Vec<Expr> = Vec::new();
        for &letter in self.letters {
            keys.extend(self.letters.iter().map(|&second| Expr::literal([letter, second])));
        }
        let (marks, first) = (2 + self.rng.below(3), self.rng.below(keys.len()));
        keys.rotate_left(first);
        for at in 0..marks + self.rng.below(3) {
            let member = graph.state();
            if at < marks {
                graph.require_key(member, at as u8);
            }
            let key = keys.pop().filter(|_| distinct).unwrap_or_else(|| self.literal());
            let value = if distinct { self.literal() } else { self.expr(depth - 1) };
            graph.edge(ExprGraph::START, key.clone(), member);
            graph.edge(member, value, after);
            let key =
                if distinct || self.rng.one_in(2) { key } else { Expr::seq([self.literal(), key]) };
            graph.edge(after, key, member);
        }
        let end = if self.rng.one_in(3) { Expr::Empty } else { self.literal() };
        graph.edge(after, end, graph.end());
        Expr::Graph(Arc::new(graph))
    }

    fn literal(&mut self) -> Expr {
        let length = 1 + self.rng.below(3);
        Expr::literal((0..length).map(|_| *self.rng.pick(self.letters)).collect::<Vec<u8>>())
    }

    fn repeat(&mut self, body: Expr) -> Expr {
        const SMALL: [(u32, Option<u32>); 7] = [
            (0, None),
            (1, None),
            (0, Some(1)),
            (2, Some(2)),
            (1, Some(3)),
            (2, None),
            (0, Some(4)),
        ];
        const LARGE: [(u32, Option<u32>); 8] = [
            (3, Some(40)),
            (0, Some(70)),
            (33, Some(33)),
            (20, None),
            (12, Some(48)),
            (0, Some(9)),
            (5, Some(11)),
            (40, Some(41)),
        ];
        let large = self.counted && !self.rng.one_in(3);
        let &(min, max) = if large { self.rng.pick(&LARGE) } else { self.rng.pick(&SMALL) };
        body.repeat(min, max)
    }

    fn token_set(&mut self) -> Expr {
        let used: Vec<u32> = (0..)
            .zip(self.tokens)
            .filter(|(_, token)| **token != Token::Unused)
            .map(|(id, _)| id)
            .collect();
        let count = if self.rng.one_in(40) { used.len() } else { 1 + self.rng.below(2) };
        let tokens = (0..count).map(|at| {
            let id = if count == used.len() { used[at] } else { *self.rng.pick(&used) };
            let name = match &self.tokens[id as usize] {
                Token::Text(bytes) | Token::Special(bytes) => String::from_utf8(bytes.clone()).ok(),
                Token::Unused => None,
            };
            let reference = match name {
                Some(name) if self.rng.one_in(2) => TokenRef::Text(name),
                _ => TokenRef::Id(id),
            };
            (reference, None)
        });
        Expr::Token(TokenSet { tokens: tokens.collect(), negated: self.rng.one_in(4) })
    }

    /// A random automaton of two or three states.
    fn regular(&mut self) -> Expr {
        let count = 2 + self.rng.below(2);
        let mut states = Vec::new();
        for _ in 0..count {
            let mut state = DfaState::default();
            for &letter in self.letters {
                if !self.rng.one_in(3) {
                    let target = self.rng.below(count) as u32;
                    state.add(Edge { lo: letter.into(), hi: letter.into(), target });
                }
            }
            state.accepting = self.rng.one_in(2);
            states.push(state);
        }
        let dfa = Dfa { states }.trimmed();
        if dfa.is_never() { Expr::Never } else { Expr::Regular(Arc::new(dfa)) }
    }
}
