//! How many tags there have been, or which of them: the levels of a graph.
//!
//! A level is a number of tags, and the last one goes on for ever where there is no most. A level is a set of tags where
//! each comes once at most, so the levels are two to the power of their number.

use crate::frontend::document::NodeId;
use crate::ir::{Expr, ExprGraph};

use super::format::{Tag, Text};
use super::lower::Lowering;

/// Most tags that are counted one by one.
const MOST: u32 = 64;

/// Most tags of which each may come once.
const MOST_UNIQUE: u32 = 8;

/// Levels by numbers or sets of tags.
pub(super) struct Counts {
    min: u32,
    max: Option<u32>,
    /// The number of tags, where each comes once at most.
    unique: Option<u32>,
}

impl Counts {
    /// Number of levels; the first is that of no tag.
    pub(super) fn levels(&self) -> u32 {
        match self.unique {
            Some(tags) => 1 << tags,
            None => 1 + self.max.unwrap_or(self.min),
        }
    }

    /// The level behind a tag, where there may be one more.
    pub(super) fn next(&self, level: u32, tag: u32) -> Option<u32> {
        if self.unique.is_some() {
            let next = level | 1 << tag;
            let is_full = self.max.is_some_and(|max| level.count_ones() >= max);
            return (next != level && !is_full).then_some(next);
        }
        match self.max {
            Some(max) => (level < max).then_some(level + 1),
            None => Some((level + 1).min(self.min)),
        }
    }

    /// Whether there may be no more tags.
    pub(super) fn may_end(&self, level: u32) -> bool {
        let count = if self.unique.is_some() { level.count_ones() } else { level };
        count >= self.min
    }
}

impl Lowering<'_> {
    /// The levels of so many tags; none, and an error, where there are too many.
    pub(super) fn counts(
        &mut self,
        tags: u32,
        (min, max): (u32, Option<u32>),
        unique: Option<NodeId>,
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
        Some(Counts { min, max, unique: unique.map(|_| tags) })
    }

    /// Tags with a text between them, of which those of groups count.
    pub(super) fn counted(
        &mut self,
        tags: &[(Tag, Option<u32>)],
        separator: &Text,
        bounds: (u32, Option<u32>),
        unique: Option<NodeId>,
    ) -> Expr {
        let groups = tags.iter().filter_map(|(_, group)| Some((*group)? + 1)).max();
        let Some(counts) = self.counts(groups.unwrap_or_default(), bounds, unique) else {
            return Expr::Never;
        };
        let separator = self.symbols(separator).expr();
        let exprs: Vec<(Expr, Option<u32>)> =
            tags.iter().map(|(tag, group)| (self.tag(tag), *group)).collect();
        let mut graph = ExprGraph::new();
        let end = graph.end();
        let states: Vec<u32> = (0..counts.levels()).map(|_| graph.state()).collect();
        let mut ways = |from: u32, level: u32, separator: &Expr| {
            for (tag, group) in &exprs {
                let next = match group {
                    Some(group) => counts.next(level, *group),
                    None => Some(level),
                };
                if let Some(next) = next {
                    let tag = Expr::seq([separator.clone(), tag.clone()]);
                    graph.edge(from, tag, states[next as usize]);
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
}
