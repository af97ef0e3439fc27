//! The warning that a grammar costs far more than most: compile time, artifact size, and memory.
//!
//! The cost is measured in states, whose number is the same on every machine. For real schemas (MaskBench) the median
//! is 160 states, and 99 of 100 schemas have fewer than 7,500.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::Report;
use crate::network::Network;

/// The least number of states of a network for which the warning is given. It is far above 99 of 100 real schemas.
const STATES: usize = 20_000;

/// Keywords of JSON Schema that make automata large, the most likely first.
const KEYWORDS: [&str; 18] = [
    "pattern",
    "patternProperties",
    "format",
    "maxLength",
    "minLength",
    "multipleOf",
    "uniqueItems",
    "maxItems",
    "minItems",
    "contains",
    "maxProperties",
    "minProperties",
    "enum",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "required",
];

/// Returns the warning for a grammar with [`STATES`] states or more. It names the largest rule and, for a schema, the
/// keyword that most likely causes its size. O(rules + report).
pub(crate) fn warning(network: &Network, report: &Report) -> Option<Diagnostic> {
    let states = network.tables.states.len();
    if states < STATES {
        return None;
    }
    let starts = network.tables.rules.iter().map(|rule| rule.first_state);
    let end = network.tables.bases.states + states as u32;
    let ends = starts.clone().skip(1).chain([end]);
    let sizes = starts.zip(ends).map(|(start, end)| end.saturating_sub(start));
    let (size, (name, origin)) = sizes.zip(&network.rules).max_by_key(|(size, _)| *size)?;
    // A rule that is shared by several schemas has no pointer.
    let keyword = keyword(report, origin.pointer.as_deref().unwrap_or_default());
    let mut message =
        format!("the grammar is costly: it has {states} states, {size} of them in rule {name}");
    if let Some((_, keyword)) = &keyword {
        message.push_str(&format!(", most likely for `{keyword}`"));
    }
    let help =
        "bound what repeats more tightly, or leave the keyword to a check of the finished output";
    let mut warning = Diagnostic::warning("compile::costly", message).with_help(help);
    if let Some(span) = origin.span.clone() {
        warning = warning.with_label(span, format!("in rule {name}"));
    }
    warning.pointer = keyword.map(|(pointer, _)| pointer).or_else(|| origin.pointer.clone());
    Some(warning)
}

/// Finds the keyword at or below a schema that ranks first in [`KEYWORDS`]; of several, the outermost. Returns its
/// pointer and name.
fn keyword(report: &Report, schema: &str) -> Option<(String, &'static str)> {
    let below = report.entries().filter_map(|entry| {
        let inner = entry.pointer.strip_prefix(schema)?.strip_prefix('/')?;
        let rank = KEYWORDS.iter().position(|keyword| *keyword == entry.keyword)?;
        Some((rank, inner.matches('/').count(), entry.pointer))
    });
    let (rank, _, pointer) = below.min()?;
    Some((pointer.to_owned(), KEYWORDS[rank]))
}
