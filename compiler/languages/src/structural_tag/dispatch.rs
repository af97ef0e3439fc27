//! Free text in which triggers lead to formats.
//!
//! The graph has a level for each number of formats that counts, or for each set of them where none comes twice, and free text
//! in each; a trigger leads to a state from which its formats lead on to the next level. Beginnings of tags that share a trigger are told apart behind it, by the
//! determinization of the rule. Where formats stand in a row, there is free text in the first level alone.

use crate::free_text::{Pattern, Symbol, free_text};
use grammarc_grammar::ir::{Expr, ExprGraph, TokenSet};
use grammarc_json_schema::document::NodeId;

use super::format::{Dispatch, Mark, Rule, Text, Then, Token};
use super::lower::{Lowering, any_end};
use super::regions::{markers, tagged};
use super::texts::Symbols;

/// A trigger with what follows it.
struct Way {
    trigger: Symbols,
    /// Expressions of which one follows, each with its group.
    then: Vec<(Option<u32>, Expr)>,
}

impl Lowering<'_> {
    /// Free text with formats in it, up to one of some ends where they are given.
    pub(super) fn dispatch(
        &mut self,
        dispatch: &Dispatch,
        at: NodeId,
        ends: Option<&[Symbols]>,
    ) -> Expr {
        let (ways, mut ending) = self.ways(dispatch);
        let excludes = dispatch.excludes.iter().filter_map(|mark| match mark {
            Mark::Text(text) => Some(text.clone()),
            Mark::Token(_) => None,
        });
        let excludes: Vec<Text> = excludes.collect();
        self.check_reachable(dispatch, &excludes);
        // A trigger that goes on to the end of a special token is no text either as far as it is written.
        let triggers = dispatch.rules.iter().filter_map(|rule| rule.trigger.text()).cloned();
        let unwritable = self.unwritable(&excludes.into_iter().chain(triggers).collect::<Vec<_>>());
        let others = dispatch.by_token.then(|| self.others(dispatch));
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let groups = dispatch.rules.iter().filter_map(|rule| Some(rule.group? + 1));
        let groups = groups.max().unwrap_or_default();
        let bounds = (dispatch.min, dispatch.max);
        let Some(counts) = self.counts(groups, bounds, dispatch.unique, dispatch.in_a_row) else {
            return Expr::Never;
        };
        let mut level_starts = vec![ExprGraph::START];
        level_starts.extend((1..counts.levels()).map(|_| graph.state()));
        for (level, &start) in (0..).zip(&level_starts) {
            let next = |group| counts.next(level, group).map(|next| level_starts[next as usize]);
            let may_end = counts.may_end(level);
            if dispatch.ends_with_tag && level > 0 && (0..groups).all(|group| next(group).is_none())
            {
                graph.edge(start, ends.map_or(Expr::Empty, any_end), end);
                continue;
            }
            let is_bare = if level == 0 { dispatch.begins_with_tag } else { dispatch.in_a_row };
            let mut patterns: Vec<Pattern> = Vec::new();
            for way in &ways {
                let then = way
                    .then
                    .iter()
                    .filter_map(|(group, then)| Some((group.map_or(Some(start), next)?, then)));
                let then: Vec<(u32, &Expr)> = then.collect();
                let behind = (!then.is_empty()).then(|| {
                    let behind = graph.state();
                    then.iter().for_each(|&(next, then)| graph.edge(behind, then.clone(), next));
                    behind
                });
                if is_bare {
                    behind
                        .into_iter()
                        .for_each(|behind| graph.edge(start, way.trigger.expr(), behind));
                }
                patterns.extend(way.trigger.leading_to(behind));
            }
            if is_bare {
                if may_end {
                    graph.edge(start, ends.map_or(Expr::Empty, any_end), end);
                }
                continue;
            }
            if let Some(others) = &others {
                graph.edge(start, others.clone(), start);
                for pattern in &patterns {
                    if let Some(behind) = pattern.leads_to {
                        graph.edge(start, Symbol::expr(&pattern.symbols), behind);
                    }
                }
                if may_end {
                    graph.edge(start, ends.map_or(Expr::Empty, any_end), end);
                }
                continue;
            }
            let nonempty = ends.unwrap_or_default().iter().filter(|symbols| !symbols.is_empty());
            nonempty
                .for_each(|symbols| patterns.extend(symbols.leading_to(may_end.then_some(end))));
            patterns.extend(unwritable.iter().cloned());
            let is_open = ends.is_none_or(|ends| ends.iter().any(Symbols::is_empty));
            free_text(&mut graph, start, &patterns, (is_open && may_end).then_some(end));
        }
        ending.extend_from_slice(ends.unwrap_or_default());
        self.free(markers(&ending), Expr::Graph(graph.into()), at)
    }

    /// The triggers, each once, with what follows; and how each rule's format begins, which ends the text before it.
    fn ways(&mut self, dispatch: &Dispatch) -> (Vec<Way>, Vec<Symbols>) {
        let (mut ways, mut begins) = (Vec::<Way>::new(), Vec::new());
        for Rule { trigger, then, group } in &dispatch.rules {
            let (found, then) = match then {
                Then::Format(format) => {
                    let expr = self.format(format);
                    let expr = self.region(tagged(trigger), "tag", expr, format.at);
                    let trigger = self.mark(trigger).0;
                    begins.push(trigger.clone());
                    (trigger, expr)
                }
                Then::Tag(tag) => {
                    let (begin, lengths) = self.mark(&tag.begin);
                    let covered = match trigger {
                        Mark::Text(text) => text.text.len(),
                        Mark::Token(_) => 0,
                    };
                    // A trigger that ends within a special token of the beginning ends with the token.
                    let (trigger, rest) = match covered {
                        0 => begin.split_at_symbol(),
                        covered => begin.split_at(covered, &lengths),
                    };
                    begins.push(begin);
                    (trigger, Expr::seq([rest.expr(), self.inside(tag)]))
                }
            };
            match ways.iter_mut().find(|way| way.trigger == found) {
                Some(way) => way.then.push((*group, then)),
                None => ways.push(Way { trigger: found, then: vec![(*group, then)] }),
            }
        }
        (ways, begins)
    }

    /// Any token but triggers, excluded tokens and ends.
    fn others(&mut self, dispatch: &Dispatch) -> Expr {
        let triggers = dispatch.rules.iter().map(|rule| &rule.trigger);
        let named = triggers.chain(&dispatch.excludes).filter_map(|mark| match mark {
            Mark::Token(token) => Some(token.clone()),
            Mark::Text(_) => None,
        });
        let named: Vec<Token> = named.collect();
        match self.any_token_but(&named) {
            Expr::Token(TokenSet { mut tokens, negated }) => {
                tokens.dedup_by(|one, other| one.0 == other.0);
                Expr::Token(TokenSet { tokens, negated })
            }
            other => other,
        }
    }

    /// Notes triggers that hold what free text may not have.
    fn check_reachable(&mut self, dispatch: &Dispatch, excludes: &[Text]) {
        for Rule { trigger, .. } in &dispatch.rules {
            let Mark::Text(trigger) = trigger else { continue };
            let within = excludes
                .iter()
                .find(|text| !text.text.is_empty() && trigger.text.contains(&text.text));
            if let Some(text) = within {
                let message = format!(
                    "{:?} is excluded, so that the trigger {:?} is never reached",
                    text.text, trigger.text
                );
                let error =
                    self.document.error("structural-tag::excluded-trigger", text.at, message);
                let error = error.with_label(self.document.span(trigger.at), "the trigger");
                self.errors.push(error.with_help("leave one of the two out"));
            }
        }
    }
}
