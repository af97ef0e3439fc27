//! The facts about an artifact, as `compile` and `inspect` show them.

use std::io::{self, Write};

use indexmap::IndexMap;

use crate::cmd::facts::{BoundFacts, ReportFacts, SectionFacts, TableFacts};
use crate::readable::{count, number, size};

/// Number of source positions that `inspect` lists for one verdict and reason. Further positions
/// are counted.
pub(super) const PLACES: usize = 3;

/// Writes the number of rules, states, masks and exit classes.
pub(super) fn tables(tables: &TableFacts, out: &mut dyn Write) -> io::Result<()> {
    let masks = &tables.masks;
    writeln!(
        out,
        "  network     {}, {}, {}",
        count(tables.rules, "rule"),
        count(tables.states, "state"),
        count(tables.byte_edges + tables.call_edges + tables.token_edges, "edge")
    )?;
    writeln!(
        out,
        "  masks       {}: {} wide over {}, {} of {} in all",
        number(masks.dense + masks.sparse),
        number(masks.dense),
        count(masks.rows, "own dense row"),
        count(masks.sparse, "list"),
        count(masks.listed_tokens, "token")
    )?;
    writeln!(
        out,
        "  exits       {}, {}",
        count(tables.exit_classes, "exit class"),
        count(tables.follow_entries, "follow mask")
    )
}

/// Writes the `most` largest sections and the sum of the others on one line.
pub(super) fn largest_sections(
    sections: &[SectionFacts],
    most: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sorted: Vec<&SectionFacts> =
        sections.iter().filter(|section| section.bytes > 0).collect();
    sorted.sort_by_key(|section| std::cmp::Reverse(section.bytes));
    let (named, others) = sorted.split_at(most.min(sorted.len()));
    let mut parts: Vec<String> = named
        .iter()
        .map(|section| {
            format!("{} {}", section.name.to_lowercase().replace('_', " "), size(section.bytes))
        })
        .collect();
    let rest: u64 = others.iter().map(|section| section.bytes).sum();
    if rest > 0 {
        parts.push(format!("others {}", size(rest)));
    }
    writeln!(out, "  size        {}", parts.join(", "))
}

/// Writes the exactness report: every keyword if `whole`, otherwise only the approximate and
/// narrower ones. Lists at most `most` positions for one verdict and reason.
pub(super) fn report(
    report: &ReportFacts,
    whole: bool,
    most: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if report.keywords.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "  keywords    {} exact, {}, {} narrower, {} approximate",
        number(report.exact as u64),
        count(report.annotation as u64, "annotation"),
        number(report.narrower as u64),
        number(report.approximate as u64)
    )?;
    let shown = report.keywords.iter();
    let shown = shown.filter(|k| whole || matches!(k.verdict, "approximate" | "narrower"));
    // A note that applies to several positions is printed once.
    let mut groups: IndexMap<(&str, &str), Vec<&str>> = IndexMap::new();
    for keyword in shown {
        groups.entry((keyword.verdict, &keyword.reason)).or_default().push(&keyword.pointer);
    }
    for ((verdict, reason), places) in groups {
        let colon = if reason.is_empty() { "" } else { ": " };
        if places.len() <= most {
            for place in places {
                writeln!(out, "    {verdict:11} {place}{colon}{reason}")?;
            }
            continue;
        }
        writeln!(out, "    {verdict:11} {}{colon}{reason}", count(places.len() as u64, "keyword"))?;
        let (first, others) = places.split_at(most);
        let more = number(others.len() as u64);
        writeln!(out, "    {:11} {} and {more} more", "", first.join(", "))?;
    }
    Ok(())
}

/// Writes the bounds on the work of one decoding step.
pub(super) fn bound(bound: &BoundFacts, out: &mut dyn Write) -> io::Result<()> {
    let chain = match bound.longest_chain {
        Some(0) => "the base mask alone".to_owned(),
        Some(longest) => format!("at most {} beside a base mask", count(longest, "follow mask")),
        None => format!("follow masks grow with the nesting{}", because(&bound.chain_rules)),
    };
    let configurations = match bound.most_configurations {
        Some(most) => format!("at most {}", count(most, "configuration")),
        None => {
            format!("configurations may grow with the input{}", because(&bound.configuration_rules))
        }
    };
    writeln!(out, "  one step    {chain}")?;
    writeln!(out, "              {configurations}")?;
    let each = if bound.most_configurations.is_some() { "" } else { " for each configuration" };
    writeln!(
        out,
        "  sequence    {} of state{each}, and {} for each level of nesting",
        size(bound.state_bytes),
        size(12)
    )?;
    if bound.remembers_items {
        writeln!(
            out,
            "              and the text, with every item of it that others must differ from"
        )?;
    }
    Ok(())
}

fn because(rules: &[String]) -> String {
    match rules {
        [] => String::new(),
        [rule] => format!(", because of rule {rule}"),
        _ => format!(", because of rules {}", rules.join(", ")),
    }
}
