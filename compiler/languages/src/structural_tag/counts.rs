//! Counts tags by levels of a graph: copies of its states, which record how many tags have been written, or which of
//! them.
//!
//! In general, a level is the number of tags so far. Without an upper bound the number saturates at the last level. If
//! each tag may come only once, a level is the set of tags so far, so `n` tags have `2^n` levels.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, ExprGraph};
use grammarc_json_schema::document::{Document, NodeId};

/// Greatest bound on the number of tags. The graph has one level for each number, so a greater bound is an error.
const MAX_COUNT: u32 = 64;

/// Most tags of which each may come only once. The graph has a level for each of their 2^8 subsets; more tags are an
/// error.
const MAX_UNIQUE: u32 = 8;

/// Bounds on the number of tags, both inclusive. Without `max` the number is unbounded.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    /// The place of the option `unique`. `None` if a tag may come more than once.
    pub(super) unique: Option<NodeId>,
}

/// The levels of a graph, which count tags. A level is the number of tags so far, or the set of them.
pub(super) struct Counts {
    min: u32,
    max: Option<u32>,
    /// The level at which the number of tags stops to rise if there is no `max`.
    saturation: u32,
    /// The number of tags, if each may come only once. `None` otherwise.
    unique: Option<u32>,
}

impl Counts {
    /// Returns the levels for `tags` tags. With `first_apart`, levels distinguish whether any tag has been written,
    /// even if the bounds do not need it.
    ///
    /// # Errors
    ///
    /// A bound exceeds 64, or more than 8 tags may each come only once.
    pub(super) fn new(
        tags: u32,
        bounds: Bounds,
        first_apart: bool,
        document: &Document<'_>,
    ) -> Result<Self, Box<Diagnostic>> {
        let Bounds { min, max, unique } = bounds;
        let (most, found, at, help) = match unique {
            Some(at) => (MAX_UNIQUE, tags, at, "leave `unique` out, or list fewer tools"),
            None => {
                let help = "have calls in a section, or leave the bound out";
                (MAX_COUNT, max.unwrap_or(min), document.root(), help)
            }
        };
        if found > most {
            let message = match unique {
                Some(_) => {
                    format!("{found} tools are too many to have each called once: {most} at most")
                }
                None => format!("{found} are too many to count: {most} at most"),
            };
            let error = document.error("structural-tag::calls-limit", at, message);
            return Err(Box::new(error.with_help(help)));
        }
        let saturation = min.max(u32::from(first_apart));
        Ok(Self { min, max, saturation, unique: unique.map(|_| tags) })
    }

    /// Returns the number of levels. Level 0 is the one without any tag.
    pub(super) fn levels(&self) -> u32 {
        match self.unique {
            Some(tags) => 1 << tags,
            None => 1 + self.max.unwrap_or(self.saturation),
        }
    }

    /// Returns the level after the tag with index `tag`. `None` if the tag may not come at `level`.
    pub(super) fn next(&self, level: u32, tag: u32) -> Option<u32> {
        if self.unique.is_some() {
            let next = level | 1 << tag;
            let is_full = self.max.is_some_and(|max| level.count_ones() >= max);
            return (next != level && !is_full).then_some(next);
        }
        match self.max {
            Some(max) => (level < max).then_some(level + 1),
            None => Some((level + 1).min(self.saturation)),
        }
    }

    /// Whether the bounds allow the text to end at a level.
    pub(super) fn may_end(&self, level: u32) -> bool {
        let count = if self.unique.is_some() { level.count_ones() } else { level };
        count >= self.min
    }
}

/// A tag, split so that its ends can decide whether more tags follow.
pub(super) struct SplitTag {
    /// The beginning and content of the tag. Includes the ends if every end allows more tags.
    pub(super) tag: Expr,
    /// The ends of the tag after which more tags may follow.
    pub(super) continuing: Expr,
    /// The ends of the tag after which no further tag follows.
    pub(super) last: Expr,
    /// The index by which the tag is counted. `None` if it does not count.
    pub(super) group: Option<u32>,
}

/// Builds the graph of counted tags, with `separator` between any two of them.
pub(super) fn graph(counts: &Counts, tags: &[SplitTag], separator: &Expr) -> Expr {
    let mut graph = ExprGraph::new();
    let end = graph.end();
    let states: Vec<u32> = (0..counts.levels()).map(|_| graph.state()).collect();
    let mut add_tags = |from: u32, level: u32, separator: &Expr| {
        for SplitTag { tag, continuing, last, group } in tags {
            let next = match group {
                Some(group) => counts.next(level, *group),
                None => Some(level),
            };
            let Some(next) = next else { continue };
            let closing = graph.state();
            graph.edge(from, Expr::seq([separator.clone(), tag.clone()]), closing);
            graph.edge(closing, continuing.clone(), states[next as usize]);
            if counts.may_end(next) {
                graph.edge(closing, last.clone(), end);
            }
        }
        if counts.may_end(level) {
            graph.edge(from, Expr::Empty, end);
        }
    };
    add_tags(ExprGraph::START, 0, &Expr::Empty);
    for (level, &state) in (0..).zip(&states) {
        add_tags(state, level, separator);
    }
    Expr::Graph(graph.into())
}
