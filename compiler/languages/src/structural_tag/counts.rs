//! Counts of tags, as levels of a graph: how many tags have been written, or which of them.
//!
//! A level is the number of tags so far. Without an upper bound the number saturates at the last level. If each tag may come
//! only once, a level is the set of tags so far, so `n` tags have `2^n` levels.

use grammarc_grammar::ir::{Expr, ExprGraph};
use grammarc_json_schema::document::NodeId;

use super::format::{Counted, Tag, Text};
use super::lower::{Lowering, any_end};
use super::texts::Symbols;

/// Most tags that are counted one by one.
const MOST: u32 = 64;

/// Most tags of which each may come once.
const MOST_UNIQUE: u32 = 8;

/// Levels by numbers or sets of tags.
pub(super) struct Counts {
    min: u32,
    max: Option<u32>,
    /// The level at which the number of tags saturates if there is no `max`.
    told_apart: u32,
    /// The number of tags if each may come only once.
    unique: Option<u32>,
}

impl Counts {
    /// Number of levels. In the first no tag has been written.
    pub(super) fn levels(&self) -> u32 {
        match self.unique {
            Some(tags) => 1 << tags,
            None => 1 + self.max.unwrap_or(self.told_apart),
        }
    }

    /// The level after a tag. `None` if the tag may not come at this level.
    pub(super) fn next(&self, level: u32, tag: u32) -> Option<u32> {
        if self.unique.is_some() {
            let next = level | 1 << tag;
            let is_full = self.max.is_some_and(|max| level.count_ones() >= max);
            return (next != level && !is_full).then_some(next);
        }
        match self.max {
            Some(max) => (level < max).then_some(level + 1),
            None => Some((level + 1).min(self.told_apart)),
        }
    }

    /// Whether the tags may end at a level.
    pub(super) fn may_end(&self, level: u32) -> bool {
        let count = if self.unique.is_some() { level.count_ones() } else { level };
        count >= self.min
    }
}

impl Lowering<'_> {
    /// Builds the levels of `tags` tags. With `first_apart`, levels distinguish whether any tag has been written. Returns
    /// `None` and records an error if there are too many levels.
    pub(super) fn counts(
        &mut self,
        tags: u32,
        (min, max): (u32, Option<u32>),
        unique: Option<NodeId>,
        first_apart: bool,
    ) -> Option<Counts> {
        let (most, found, at, help) = match unique {
            Some(at) => (MOST_UNIQUE, tags, at, "leave `unique` out, or list fewer tools"),
            None => {
                let help = "have calls in a section, or leave the bound out";
                (MOST, max.unwrap_or(min), self.document.root(), help)
            }
        };
        if found > most {
            let message = match unique {
                Some(_) => {
                    format!("{found} tools are too many to have each called once: {most} at most")
                }
                None => format!("{found} are too many to count: {most} at most"),
            };
            let error = self.document.error("structural-tag::calls-limit", at, message);
            self.errors.push(error.with_help(help));
            return None;
        }
        let told_apart = min.max(u32::from(first_apart));
        Some(Counts { min, max, told_apart, unique: unique.map(|_| tags) })
    }

    /// Lowers tags with a separator between them. Bounds count only tags that have a group. After an end of `last` no tag
    /// follows.
    pub(super) fn counted(
        &mut self,
        Counted { tags, separator, last, min, max, unique }: &Counted,
    ) -> Expr {
        let groups = tags.iter().filter_map(|(_, group)| Some((*group)? + 1)).max();
        let groups = groups.unwrap_or_default();
        let Some(counts) = self.counts(groups, (*min, *max), *unique, false) else {
            return Expr::Never;
        };
        let separator = self.symbols(separator).expr();
        let exprs: Vec<(Opened, Option<u32>)> =
            tags.iter().map(|(tag, group)| (self.opened(tag, last), *group)).collect();
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let states: Vec<u32> = (0..counts.levels()).map(|_| graph.state()).collect();
        let mut ways = |from: u32, level: u32, separator: &Expr| {
            for (Opened { tag, goes_on, is_last }, group) in &exprs {
                let next = match group {
                    Some(group) => counts.next(level, *group),
                    None => Some(level),
                };
                let Some(next) = next else { continue };
                let closing = graph.state();
                graph.edge(from, Expr::seq([separator.clone(), tag.clone()]), closing);
                graph.edge(closing, goes_on.clone(), states[next as usize]);
                if counts.may_end(next) {
                    graph.edge(closing, is_last.clone(), end);
                }
            }
            if counts.may_end(level) {
                graph.edge(from, Expr::Empty, end);
            }
        };
        ways(ExprGraph::START, 0, &Expr::Empty);
        for (level, &state) in (0..).zip(&states) {
            ways(state, level, &separator);
        }
        Expr::Graph(graph.into())
    }

    /// Splits a tag for the graph. If `last` is not empty, the ends leave the tag's rule: they decide whether tags follow.
    fn opened(&mut self, tag: &Tag, last: &[Text]) -> Opened {
        if last.is_empty() {
            return Opened { tag: self.tag(tag), goes_on: Expr::Empty, is_last: Expr::Never };
        }
        let ends = tag.end.iter().map(|end| self.mark(end).0);
        let ends: Vec<Symbols> = ends.collect();
        let last: Vec<Symbols> = last.iter().map(|end| self.symbols(end)).collect();
        let (last, others): (Vec<Symbols>, Vec<Symbols>) =
            ends.iter().cloned().partition(|end| last.contains(end));
        let begin = self.mark(&tag.begin).0.expr();
        let around = self.ends.len();
        self.ends.extend(ends);
        let inside = self.within(tag, &[Symbols::default()]);
        self.ends.truncate(around);
        let tag = Expr::seq([begin, inside]);
        Opened { tag, goes_on: any_end(&others), is_last: any_end(&last) }
    }
}

/// A tag among several, split into expressions.
struct Opened {
    /// Beginning and content, with the ends if all of them allow more tags.
    tag: Expr,
    /// Ends after which more tags may follow.
    goes_on: Expr,
    /// Ends after which no tag follows.
    is_last: Expr,
}
