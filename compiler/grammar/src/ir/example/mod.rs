//! Examples: texts of a grammar, the shortest or at random.
//!
//! | file | content |
//! | --- | --- |
//! | `costs` | which text of a rule is the cheapest |
//! | `random` | random choices between the texts of an expression |
//!
//! Tests: unit tests here; `compiler/json-schema/src/{relation,witness}`.

mod costs;
mod random;

use super::graph_position::GraphPosition;
use super::{Expr, Grammar, Survey};
use crate::budget::Budget;
use costs::{Costs, best, of_bytes, of_dfa};
use random::Random;

/// Largest cost of a shortest text, about 64 for each byte: a megabyte. Longer texts are not written.
const MOST_COST: u64 = 1 << 26;

/// Writes texts of a grammar's start rule.
pub struct Examples<'g> {
    grammar: &'g Grammar,
    costs: Costs,
}

impl<'g> Examples<'g> {
    /// Returns a writer for a grammar. `None` if there is no text, if all texts have tokens that are matched by id,
    /// intersections or complements, or if the budget is spent.
    ///
    /// Cost: one visit of each expression for each time that the costs of its callees change.
    pub fn new(grammar: &'g Grammar, survey: &Survey, budget: &Budget) -> Option<Self> {
        let mut costs = Costs::new(grammar, survey, budget)?;
        let cost = costs.of(&Expr::Call(grammar.start))?;
        (cost <= MOST_COST).then_some(Self { grammar, costs })
    }

    /// Returns the shortest text. Plain letters and digits are preferred.
    pub fn shortest(&mut self) -> Vec<u8> {
        self.text(None)
    }

    /// Returns a random text. Once it has more than `most` bytes, the shortest way to its end is taken. `below` has to
    /// return a random number below its argument.
    pub fn random(&mut self, most: usize, below: &mut dyn FnMut(usize) -> usize) -> Vec<u8> {
        self.text(Some(Random { most, below }))
    }

    /// Returns a text: with random choices, or the shortest.
    fn text(&mut self, mut random: Option<Random<'_>>) -> Vec<u8> {
        let mut text = Vec::new();
        // Expressions to write, the next one last, each with a number of repetitions.
        let call = Expr::Call(self.grammar.start);
        let mut open: Vec<(&Expr, u32)> = vec![(&call, 1)];
        while let Some((expr, times)) = open.pop() {
            if times > 1 {
                open.push((expr, times - 1));
            }
            let random = random.as_mut().filter(|random| text.len() < random.most);
            let costs = &mut self.costs;
            match (expr, random) {
                (Expr::Bytes(set), Some(random)) => text.extend(random.byte(*set)),
                (Expr::Bytes(set), None) => text.extend(best(*set).map(|(_, byte)| byte)),
                (Expr::Literal(bytes), _) => text.extend_from_slice(bytes),
                (Expr::Call(rule), _) => open.push((&self.grammar.rule(*rule).expr, 1)),
                (Expr::Seq(parts), _) => open.extend(parts.iter().rev().map(|part| (part, 1))),
                (Expr::Alt(choices), random) => {
                    let known = choices.iter().map(|choice| (choice, costs.of(choice)));
                    let known = known.filter_map(|(choice, cost)| Some((choice, cost?)));
                    let choice = match random {
                        Some(random) => random.one_of(known),
                        None => known.min_by_key(|&(_, cost)| cost),
                    };
                    open.extend(choice.map(|(choice, _)| (choice, 1)));
                }
                (Expr::Repeat { body, min, max }, random) => {
                    let is_known = costs.of(body).is_some();
                    let count = random.map_or(*min, |random| match is_known {
                        true => random.count(*min, *max),
                        false => *min,
                    });
                    open.extend((count > 0).then_some((&**body, count)));
                }
                (Expr::Regular(dfa), Some(random)) => {
                    let state = random.walk_dfa(dfa, &mut text);
                    text.extend(of_dfa(dfa, state).unwrap_or_default().1);
                }
                (Expr::Regular(dfa), None) => text.extend(of_dfa(dfa, 0).unwrap_or_default().1),
                (Expr::Texts(texts), random) => {
                    let chosen = match random {
                        Some(random) => random.one_of(texts.iter()),
                        None => texts.iter().min_by_key(|text| of_bytes(text)),
                    };
                    text.extend_from_slice(chosen.unwrap_or_default());
                }
                (Expr::Graph(graph), random) => {
                    let parts = match random {
                        Some(random) => random.path(graph, costs),
                        None => {
                            costs.path(graph, GraphPosition::start(graph)).unwrap_or_default().1
                        }
                    };
                    open.extend(parts.into_iter().rev().map(|part| (part, 1)));
                }
                (Expr::Empty | Expr::Never | Expr::Token(_) | Expr::And(_) | Expr::Not(_), _) => {}
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::recognize::recognizes;
    use crate::ir::{ByteSet, Counter, ExprGraph, GrammarBuilder, Origin, RuleId, Step};

    fn shortest(define: impl FnOnce(&mut GrammarBuilder) -> RuleId) -> Option<String> {
        let mut builder = GrammarBuilder::default();
        let start = define(&mut builder);
        let grammar = builder.finish(start);
        let budget = Budget::new();
        let mut examples = Examples::new(&grammar, &Survey::new(&grammar, &budget), &budget)?;
        let mut state = 1_u64;
        let mut below = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % most
        };
        for _ in 0..50 {
            let text = examples.random(20, &mut below);
            assert!(recognizes(&grammar, &text), "{:?}", text.escape_ascii().to_string());
        }
        Some(String::from_utf8(examples.shortest()).unwrap())
    }

    fn of(expr: Expr) -> Option<String> {
        shortest(|builder| {
            let start = builder.declare("start");
            builder.define(start, expr, Origin::default());
            start
        })
    }

    #[test]
    fn plain_texts_come_first() {
        let any = Expr::Bytes(ByteSet::FULL);
        assert_eq!(of(any.clone().repeat(3, None)).as_deref(), Some("aaa"));
        assert_eq!(of(Expr::alt([Expr::literal("-"), Expr::literal("7")])).as_deref(), Some("7"));
        assert_eq!(of(Expr::alt([Expr::literal("abc"), any.star()])).as_deref(), Some(""));
        assert_eq!(of(Expr::Never), None);
        assert_eq!(of(Expr::Repeat { body: Expr::Never.into(), min: 2, max: None }), None);
    }

    #[test]
    fn texts_that_are_too_long_are_not_written() {
        let many = Expr::literal("ab").repeat(u32::MAX, None);
        assert_eq!(of(many.clone()), None);
        assert_eq!(of(many.repeat(u32::MAX, None)), None);
    }

    #[test]
    fn recursive_rules_end() {
        let text = shortest(|builder| {
            let (list, item) = (builder.declare("list"), builder.declare("item"));
            let inner = Expr::seq([Expr::literal("["), Expr::Call(item), Expr::literal("]")]);
            builder.define(list, inner, Origin::default());
            let choices = [Expr::Call(list), Expr::Call(item), Expr::literal("123456")];
            builder.define(item, Expr::alt(choices), Origin::default());
            list
        });
        assert_eq!(text.as_deref(), Some("[123456]"));
        let endless = shortest(|builder| {
            let rule = builder.declare("rule");
            builder.define(
                rule,
                Expr::seq([Expr::literal("a"), Expr::Call(rule)]),
                Origin::default(),
            );
            rule
        });
        assert_eq!(endless, None);
    }

    #[test]
    fn graphs_keep_their_counters_and_keys() {
        let mut graph = ExprGraph::new();
        let (loops, end) = (graph.state(), graph.end());
        let counter = graph.counter(Counter { min: 3, max: Some(4) });
        graph.edge(ExprGraph::START, Expr::literal("x"), loops);
        graph.edge(loops, Expr::literal("x"), loops);
        graph.edge(loops, Expr::Empty, end);
        graph.step(loops, Step::Increment(counter));
        graph.step(end, Step::Check(counter));
        assert_eq!(of(Expr::Graph(graph.into())).as_deref(), Some("xxx"));

        let mut graph = ExprGraph::new();
        let (one, two, end) = (graph.state(), graph.state(), graph.end());
        for state in [ExprGraph::START, one, two] {
            graph.edge(state, Expr::literal("a"), one);
            graph.edge(state, Expr::literal("b"), two);
            graph.edge(state, Expr::Empty, end);
        }
        graph.require_key(one, 0);
        graph.require_key(two, 1);
        let text = of(Expr::Graph(graph.into())).unwrap();
        assert!(text == "ab" || text == "ba", "{text}");
    }
}
