//! The report at the end of a compilation, in five lines at most: the file, the cost of making it,
//! what is exact, cautions, and a next command. With `--verbose`, all facts follow.

use std::io::{self, Write};
use std::path::Path;

use super::facts;
use crate::cmd::compile::CompiledFile;
use crate::cmd::facts::{BoundFacts, ContentFacts, GrammarFacts, KeywordFacts, ReportFacts};
use crate::output::Tally;
use crate::readable::{self, count, number};
use crate::render::Answer;
use crate::vocabularies;

/// Number of sections that `--verbose` lists one by one, the largest first. The other sections are
/// added up.
const NAMED_SECTIONS: usize = 5;

/// Number of keywords that are named for one verdict. Further keywords are counted.
const NAMED_KEYWORDS: usize = 2;

/// Length in bytes from which an artifact is reported as large. Artifacts of usual schemas have
/// tens of kilobytes.
const LARGE: u64 = 1_000_000;

/// Options that make artifacts larger: the option's name, the prefixes of its values that do so,
/// and the flag for a smaller artifact.
const ENLARGING: [(&str, &[&str], &str); 3] = [
    ("whitespace", &["indented", "styled", "flexible"], "--whitespace compact"),
    ("key-order", &["any"], "--key-order schema"),
    ("escapes", &["any"], "--escapes shortest"),
];

impl Answer for CompiledFile {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let ContentFacts::Grammar(grammar) = &self.facts.content else { return Ok(()) };
        writeln!(out, "{}", written(self, grammar))?;
        let masks = &self.facts.tables.masks;
        writeln!(
            out,
            "{} in {}: {}, {}",
            if self.cached { "From the cache" } else { "Compiled" },
            readable::time(self.seconds.compile),
            count(self.facts.tables.states, "state"),
            count(masks.dense + masks.sparse, "stored mask")
        )?;
        writeln!(out, "Exact: {}", exactness(self, grammar))?;
        let cautions = cautions(self, grammar);
        if !cautions.is_empty() {
            writeln!(out, "Mind: {}", cautions.join("; "))?;
        }
        // A user who compiles the same source again has already seen sample texts.
        if !self.cached {
            writeln!(out, "Next: {}", sample_command(self))?;
        }
        if !self.verbose {
            return Ok(());
        }
        facts::report(&grammar.report, false, usize::MAX, out)?;
        facts::tables(&self.facts.tables, out)?;
        facts::largest_sections(&self.facts.sections, NAMED_SECTIONS, out)?;
        facts::bound(&grammar.bound, out)
    }
}

/// Returns the line with the file, its size and its vocabulary.
fn written(compiled: &CompiledFile, grammar: &GrammarFacts) -> String {
    let vocabulary = &grammar.vocabulary;
    let file = compiled.vocabulary_file.path.display();
    let built = match compiled.vocabulary_file.built {
        true => format!(", written in {}", readable::time(compiled.seconds.vocabulary)),
        false => String::new(),
    };
    let (before, after) = match compiled.without_vocabulary {
        Some(_) => ("with", " embedded"),
        None => ("for", ""),
    };
    format!(
        "{}: {}, {before} the vocabulary {vocabulary} ({file}{built}){after}",
        compiled.path.display(),
        readable::size(compiled.facts.bytes)
    )
}

/// Returns the line with the number of exact keywords, the first inexact keywords, and what is
/// decided only at run time.
fn exactness(compiled: &CompiledFile, grammar: &GrammarFacts) -> String {
    let report = &grammar.report;
    let all = report.exact + report.approximate + report.narrower;
    // If the source is a grammar, only the schemas within it have keywords.
    let whose = match grammar.source.kind.as_str() {
        "json-schema" | "typescript" | "builtin" => "",
        _ => " of the schemas in it",
    };
    let mut parts = vec![match (all, report.annotation) {
        (0, 0) => format!("the whole source{}", exception(compiled)),
        (0, annotations) => {
            format!("{} alone, without a constraint", count(annotations as u64, "annotation"))
        }
        (1, _) if report.exact == 1 => format!("the only keyword{whose}"),
        _ if report.exact == all => format!("all {}{whose}", count(all as u64, "keyword")),
        _ => format!("{} of {}{whose}", number(report.exact as u64), count(all as u64, "keyword")),
    }];
    parts.extend(inexact(report, "approximate", "looser"));
    parts.extend(inexact(report, "narrower", "stricter"));
    let distinct = "items or keys that must differ (the text so far decides)".to_owned();
    let packed = grammar.packed_texts;
    let packed_texts = format!("{} of large sets (for a small file)", count(packed, "text"));
    let looked_up: Vec<String> =
        [(grammar.bound.remembers_items, distinct), (packed > 0, packed_texts)]
            .into_iter()
            .filter_map(|(applies, text)| applies.then_some(text))
            .collect();
    if !looked_up.is_empty() {
        parts.push(format!("looked up at run time: {}", looked_up.join(" and ")));
    }
    parts.join("; ")
}

/// Returns the caveat about warnings, for a source that has no exactness report. Empty if there
/// were no warnings.
fn exception(compiled: &CompiledFile) -> &'static str {
    match (compiled.cached, compiled.shown.warnings) {
        (false, 0) => "",
        (false, _) => ", but for the warnings",
        (true, _) => ", but for the warnings of its first compilation",
    }
}

/// Returns the number of keywords with a verdict, and names the first ones that share a reason.
/// `None` if no keyword has this verdict.
fn inexact(report: &ReportFacts, verdict: &str, word: &str) -> Option<String> {
    let found: Vec<&KeywordFacts> =
        report.keywords.iter().filter(|keyword| keyword.verdict == verdict).collect();
    let first = found.first()?;
    let alike = found.iter().filter(|keyword| keyword.reason == first.reason);
    let named: Vec<&str> = alike.take(NAMED_KEYWORDS).map(|keyword| place(keyword)).collect();
    let reason = match first.reason.as_str() {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    let more = match found.len() - named.len() {
        0 => String::new(),
        more => format!(" and {} more (--verbose)", number(more as u64)),
    };
    let count = number(found.len() as u64);
    Some(format!("{count} {word} ({verdict}): {}{reason}{more}", named.join(", ")))
}

fn place(keyword: &KeywordFacts) -> &str {
    if keyword.pointer.is_empty() { "the root" } else { &keyword.pointer }
}

/// Returns what the user should know: warnings and notes, steps whose cost grows, and a large file.
fn cautions(compiled: &CompiledFile, grammar: &GrammarFacts) -> Vec<String> {
    let mut cautions = Vec::new();
    cautions.extend(findings(&compiled.shown));
    cautions.extend(growth(&grammar.bound));
    let bytes = compiled.without_vocabulary.unwrap_or(compiled.facts.bytes);
    if bytes >= LARGE {
        cautions.push(format!(
            "{} is large: {}",
            readable::size(bytes),
            smaller(compiled, grammar)
        ));
    }
    cautions
}

/// Returns the number of warnings and notes, and repeats the first message. `None` if nothing was
/// shown.
fn findings(shown: &Tally) -> Option<String> {
    let first = shown.first.as_deref()?;
    let counts = [(shown.warnings, "warning"), (shown.notes, "note")];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    let counts: Vec<String> = counts.map(|(number, noun)| count(number, noun)).collect();
    let which = if shown.warnings + shown.notes > 1 { ", the first" } else { "" };
    Some(format!("{}{which}: {first}", counts.join(" and ")))
}

/// Returns the reasons why a decoding step may take longer as an output grows. Empty if every step
/// is bounded.
fn growth(bound: &BoundFacts) -> Vec<String> {
    let rule = |rules: &[String]| match rules.first() {
        Some(rule) => format!(" (rule {rule})"),
        None => String::new(),
    };
    let mut growth = Vec::new();
    if bound.longest_chain.is_none() {
        let rule = rule(&bound.chain_rules);
        growth.push(format!("a step takes longer the deeper the text nests{rule}"));
    }
    if bound.most_configurations.is_none() {
        let rule = rule(&bound.configuration_rules);
        growth.push(format!("a step may take longer the longer an ambiguous text is{rule}"));
    }
    growth
}

/// Returns advice on how to make the artifact smaller.
fn smaller(compiled: &CompiledFile, grammar: &GrammarFacts) -> String {
    let options = &grammar.options.0;
    let given = |name: &str| options.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let flags: Vec<&str> = ENLARGING
        .into_iter()
        .filter(|(name, values, _)| {
            given(name).is_some_and(|given| values.iter().any(|value| given.starts_with(value)))
        })
        .map(|(_, _, flag)| flag)
        .collect();
    match flags.as_slice() {
        [] if compiled.verbose => "its sections are below".to_owned(),
        [] => "--verbose shows its sections".to_owned(),
        flags => format!("{} makes it smaller", flags.join(" ")),
    }
}

/// Returns the command line that draws a sample text of the compiled grammar.
fn sample_command(compiled: &CompiledFile) -> String {
    let vocabulary = &compiled.vocabulary_file.path;
    let beside = vocabularies::folder_of(vocabulary) == vocabularies::folder_of(&compiled.path)
        && vocabulary.extension().is_some_and(|extension| extension == "gvocab");
    let mut command = format!("grammarc sample {}", argument(&compiled.path));
    if compiled.without_vocabulary.is_none() && !beside {
        command.push_str(&format!(" --vocab {}", argument(vocabulary)));
    }
    command
}

/// Formats a path as a shell argument, in quotes if it contains white space.
fn argument(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains(char::is_whitespace) { format!("\"{text}\"") } else { text }
}
