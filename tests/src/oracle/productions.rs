//! Plain productions of a grammar: every expression taken apart into nonterminals, counted repetition unrolled.
//!
//! All right-hand sides lie one behind the other in one array, each closed by its left-hand side. An Earley item is
//! then a place in that array and a column, and moving the dot is adding one.
use grammarc_compiler::automata::StateBudget;

use grammarc_compiler::ir::{ByteSet, Expr, Grammar, TokenRef, TokenSet};

use super::token::Token;

/// A nonterminal.
pub(super) type Symbol = u32;

/// A place in a right-hand side, an index into [`Productions::places`].
pub(super) type Dot = u32;

/// The symbol at a place of a right-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// One byte of the set.
    Bytes(ByteSet),
    /// One token of the ids.
    Tokens(Vec<u32>),
    /// A string of the nonterminal.
    Call(Symbol),
    /// The right-hand side ends; it belongs to the nonterminal.
    End(Symbol),
}

/// A grammar as productions.
#[derive(Debug)]
pub(super) struct Productions {
    /// Right-hand sides, one behind the other.
    pub(super) places: Vec<Place>,
    /// The starts of the right-hand sides of each nonterminal; those that derive nothing are left out.
    pub(super) of: Vec<Vec<Dot>>,
    /// By nonterminal, whether it derives the empty string.
    pub(super) nullable: Vec<bool>,
    /// Whether what stands from each place on is spelled by single-byte tokens and token references in some way.
    pub(super) spelled: Vec<bool>,
    /// The nonterminal of the start rule.
    pub(super) start: Symbol,
    /// The nonterminal to whose right-hand side each place belongs.
    owners: Vec<Symbol>,
    /// Bytes that are tokens by themselves.
    single: ByteSet,
}

impl Productions {
    pub(super) fn new(
        grammar: &Grammar,
        tokens: &[Token],
        end_tokens: &[u32],
        single: ByteSet,
    ) -> Self {
        let count = grammar.rules.len();
        let mut builder = Builder { tokens, end_tokens, sides: vec![Vec::new(); count] };
        for (index, rule) in grammar.rules.iter().enumerate() {
            let side = builder.side(&rule.expr);
            builder.sides[index].push(side);
        }
        let sides = builder.sides;
        let productive = least(&sides, |place| match place {
            Place::Bytes(set) => !set.is_empty(),
            Place::Tokens(ids) => !ids.is_empty(),
            _ => false,
        });
        let (mut places, mut owners) = (Vec::new(), Vec::new());
        let mut of = vec![Vec::new(); sides.len()];
        for (symbol, sides) in sides.iter().enumerate() {
            let alive = |place: &Place| match place {
                Place::Bytes(set) => !set.is_empty(),
                Place::Tokens(ids) => !ids.is_empty(),
                Place::Call(callee) => productive[*callee as usize],
                Place::End(_) => true,
            };
            for side in sides.iter().filter(|side| side.iter().all(alive)) {
                of[symbol].push(places.len() as Dot);
                places.extend_from_slice(side);
                places.push(Place::End(symbol as Symbol));
                owners.resize(places.len(), symbol as Symbol);
            }
        }
        let nullable = least(&sides, |_| false);
        let by_single = least(&sides, |place| match place {
            Place::Bytes(set) => !set.intersect(single).is_empty(),
            Place::Tokens(ids) => !ids.is_empty(),
            _ => false,
        });
        let mut spelled = vec![true; places.len()];
        for at in (0..places.len()).rev() {
            spelled[at] = match &places[at] {
                Place::Bytes(set) => !set.intersect(single).is_empty() && spelled[at + 1],
                Place::Tokens(_) => spelled[at + 1],
                Place::Call(callee) => by_single[*callee as usize] && spelled[at + 1],
                Place::End(_) => true,
            };
        }
        let start = grammar.start.index() as Symbol;
        Self { places, of, nullable, spelled, start, owners, single }
    }

    /// The nonterminal to whose right-hand side a place belongs.
    pub(super) fn owner(&self, dot: Dot) -> Symbol {
        self.owners[dot as usize]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of[self.start as usize].is_empty()
    }

    pub(super) fn is_spelled(&self) -> bool {
        self.places.iter().all(|place| match place {
            Place::Bytes(set) => set.minus(self.single).is_empty(),
            _ => true,
        })
    }
}

/// The least set of nonterminals one of whose right-hand sides consists of members and admitted terminals.
fn least(sides: &[Vec<Vec<Place>>], admits: impl Fn(&Place) -> bool) -> Vec<bool> {
    let mut members = vec![false; sides.len()];
    loop {
        let mut changed = false;
        for (symbol, sides) in sides.iter().enumerate() {
            let holds = |place: &Place| match place {
                Place::Call(callee) => members[*callee as usize],
                terminal => admits(terminal),
            };
            if !members[symbol] && sides.iter().any(|side| side.iter().all(holds)) {
                members[symbol] = true;
                changed = true;
            }
        }
        if !changed {
            return members;
        }
    }
}

struct Builder<'a> {
    tokens: &'a [Token],
    end_tokens: &'a [u32],
    /// Right-hand sides by nonterminal, without their ends.
    sides: Vec<Vec<Vec<Place>>>,
}

impl Builder<'_> {
    /// A nonterminal with these right-hand sides.
    fn fresh(&mut self, sides: Vec<Vec<Place>>) -> Place {
        self.sides.push(sides);
        Place::Call(self.sides.len() as Symbol - 1)
    }

    /// The places of an expression.
    fn side(&mut self, expr: &Expr) -> Vec<Place> {
        match expr {
            Expr::Never => vec![Place::Bytes(ByteSet::EMPTY)],
            Expr::Empty => Vec::new(),
            Expr::Bytes(set) => vec![Place::Bytes(*set)],
            Expr::Literal(bytes) => {
                bytes.iter().map(|&byte| Place::Bytes(ByteSet::range(byte, byte))).collect()
            }
            Expr::Token(set) => vec![Place::Tokens(self.ids(set))],
            Expr::Call(rule) => vec![Place::Call(rule.index() as Symbol)],
            Expr::Seq(parts) => parts.iter().flat_map(|part| self.side(part)).collect(),
            Expr::Alt(choices) => {
                let sides = choices.iter().map(|choice| self.side(choice)).collect();
                vec![self.fresh(sides)]
            }
            Expr::Repeat { body, min, max } => {
                let side = self.side(body);
                let body = self.fresh(vec![side]);
                let mut places = vec![body.clone(); *min as usize];
                match max {
                    None => {
                        let again = Place::Call(self.sides.len() as Symbol);
                        places.push(self.fresh(vec![Vec::new(), vec![body, again]]));
                    }
                    Some(max) => {
                        let mut rest = Vec::new();
                        for _ in *min..*max {
                            let side = [vec![body.clone()], rest].concat();
                            rest = vec![self.fresh(vec![Vec::new(), side])];
                        }
                        places.extend(rest);
                    }
                }
                places
            }
            Expr::Texts(texts) => {
                let place = |&byte: &u8| Place::Bytes(ByteSet::range(byte, byte));
                let sides = texts.iter().map(|text| text.iter().map(place).collect()).collect();
                vec![self.fresh(sides)]
            }
            Expr::Regular(dfa) => {
                let first = self.sides.len() as Symbol;
                self.sides.extend(dfa.states.iter().map(|_| Vec::new()));
                for (index, state) in dfa.states.iter().enumerate() {
                    let mut sides = Vec::new();
                    if state.accepting {
                        sides.push(Vec::new());
                    }
                    for edge in &state.edges {
                        let set = ByteSet::range(edge.lo as u8, edge.hi as u8);
                        sides.push(vec![Place::Bytes(set), Place::Call(first + edge.target)]);
                    }
                    self.sides[first as usize + index] = sides;
                }
                vec![Place::Call(first)]
            }
            Expr::Graph(graph) => {
                let graph = graph
                    .unrolled(StateBudget::of(usize::MAX))
                    .expect("there is room for all sets");
                let first = self.sides.len() as Symbol;
                self.sides.extend((0..graph.states()).map(|_| Vec::new()));
                self.sides[(first + graph.end()) as usize].push(Vec::new());
                for (from, part, to) in graph.edges() {
                    let side = [self.side(part), vec![Place::Call(first + to)]].concat();
                    self.sides[(first + from) as usize].push(side);
                }
                vec![Place::Call(first)]
            }
            Expr::And(_) | Expr::Not(_) => {
                unreachable!("the oracle is not asked about intersections and complements")
            }
        }
    }

    /// The token ids of a set.
    fn ids(&self, set: &TokenSet) -> Vec<u32> {
        let named: Vec<u32> =
            set.tokens.iter().flat_map(|(token, _)| self.resolve(token)).collect();
        let all = (0..).zip(self.tokens).filter(|(_, token)| **token != Token::Unused);
        let all = all.map(|(id, _)| id);
        if set.negated {
            all.filter(|id| !named.contains(id) && !self.end_tokens.contains(id)).collect()
        } else {
            all.filter(|id| named.contains(id)).collect()
        }
    }

    fn resolve(&self, token: &TokenRef) -> Vec<u32> {
        let with = |wanted: &dyn Fn(&Token) -> bool| -> Vec<u32> {
            (0..).zip(self.tokens).filter(|(_, token)| wanted(token)).map(|(id, _)| id).collect()
        };
        match token {
            TokenRef::Id(id) => vec![*id],
            TokenRef::Text(text) => {
                let name = text.as_bytes();
                let special = with(&|t| matches!(t, Token::Special(bytes) if bytes == name));
                match special.first() {
                    Some(_) => special,
                    None => with(&|t| matches!(t, Token::Text(bytes) if bytes == name)),
                }
            }
        }
    }
}
