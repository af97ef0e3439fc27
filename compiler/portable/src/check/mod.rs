//! Checks schemas against the pack of a target: findings with severity, certainty and source.
//!
//! | file | content |
//! | --- | --- |
//! | `notes` | notes that hold for every target |
//! | `diagnostics` | findings as diagnostics with a place in the text |
//! | `sarif` | findings as SARIF 2.1.0 |
//!
//! The rules of a keyword are tried in the order of the pack. The first matching rule decides, or else the pack's entry
//! for the keyword. Cost: one walk, and for each keyword its rules.

pub(crate) mod diagnostics;
pub(crate) mod notes;
pub(crate) mod sarif;

use grammarc_json_schema::relation::RelationOptions;
use serde_json::Value;

use crate::counts;
use crate::finding::{Finding, Treatment};
use crate::pack::{Entry, Limit, Pack, Rule, Unit};
use crate::places::keywords::is_known;
use crate::places::{Answers, Place, Places};
use crate::predicates::At;
use crate::rewritings;

/// A schema of a request, such as the parameters of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'v> {
    /// The name of the tool. Empty for the only schema of a request.
    pub name: &'v str,
    /// The schema.
    pub schema: &'v Value,
}

/// A finding, with its place and the entry of the pack for a rewriting.
#[derive(Clone, Debug)]
pub(crate) struct Met<'p> {
    /// The finding.
    pub(crate) finding: Finding,
    /// The index of the place in [`Places::all`].
    pub(crate) place: usize,
    /// The entry of the pack that decided.
    pub(crate) entry: &'p Entry,
}

/// Returns the findings about a schema, in the order of its text.
///
/// # Cost
///
/// One walk of the schema. For unions, rules may ask the compiler whether branches overlap: two seconds in all.
pub fn check(schema: &Value, pack: &Pack) -> Vec<Finding> {
    check_request(&[Tool { name: "", schema }], pack, &RelationOptions::default())
}

/// Returns the findings about all schemas of a request. Counts over the request come last.
///
/// # Cost
///
/// One walk of each schema. Questions of rules about unions take `options.time` in all. Branches count as overlapping
/// once that is spent.
pub fn check_request(tools: &[Tool<'_>], pack: &Pack, options: &RelationOptions) -> Vec<Finding> {
    let answers = Answers::new(options.clone());
    let mut findings = Vec::new();
    let mut totals = vec![0; pack.rules.len()];
    for tool in tools {
        let places = Places::with_answers(tool.schema, answers.clone());
        let tool_name = Some(tool.name.to_owned()).filter(|name| !name.is_empty());
        let met = met(&places, pack).into_iter();
        findings.extend(met.map(|met| Finding { tool: tool_name.clone(), ..met.finding }));
        for (rule, total) in pack.rules.iter().zip(&mut totals) {
            if let Some(limit) = over(rule, Unit::Request) {
                *total += counts::count(&limit.count, &places);
            }
        }
    }
    for (rule, total) in pack.rules.iter().zip(totals) {
        if let Some(limit) = over(rule, Unit::Request) {
            findings.extend(above(pack, rule, limit, total));
        }
    }
    findings
}

fn over(rule: &Rule, unit: Unit) -> Option<&Limit> {
    rule.limit.as_ref().filter(|limit| limit.over == unit)
}

/// Returns a finding if a count is above its limit.
fn above(pack: &Pack, rule: &Rule, limit: &Limit, total: u64) -> Option<Finding> {
    if total <= limit.most {
        return None;
    }
    let Limit { count, most, over } = limit;
    let unit = if *over == Unit::Request { "a request" } else { "a schema" };
    let says = if rule.entry.say.is_empty() { "is refused" } else { &rule.entry.say };
    let message = format!("{total} {count} in {unit}, at most {most} are allowed: this {says}");
    let change = Some(rule.change.clone()).filter(|change| !change.is_empty());
    found(pack, &rule.entry, &rule.id, (String::new(), ""), (message, change))
}

/// Returns all findings about one schema, in the order of its text. Findings about counts come last.
pub(crate) fn met<'p>(places: &Places<'_>, pack: &'p Pack) -> Vec<Met<'p>> {
    let mut all = Vec::new();
    let mut unread = vec![false; places.all.len()];
    for (index, place) in places.all.iter().enumerate() {
        unread[index] = place
            .parent
            .is_some_and(|parent| unread[parent] || is_unread(places, parent, place.keyword, pack));
        if unread[index] {
            continue;
        }
        if !place.used && !pack.reads_all_definitions {
            continue;
        }
        for rule in pack.rules.iter().filter(|rule| rule.keyword.is_none() && rule.limit.is_none())
        {
            if rule.meets.holds(At { places, index, keyword: None }) {
                let message = said(pack, &rule.entry, "");
                let change = advised(&rule.change, &rule.entry, "");
                let finding = found(
                    pack,
                    &rule.entry,
                    &rule.id,
                    (place.pointer.clone(), ""),
                    (message, change),
                );
                all.extend(finding.map(|finding| Met {
                    finding,
                    place: index,
                    entry: &rule.entry,
                }));
            }
        }
        let Some(members) = place.members() else { continue };
        for keyword in members.keys() {
            let is_beside = places.references_alone && members.contains_key("$ref");
            if is_beside && !matches!(&**keyword, "$ref" | "$defs" | "definitions") {
                continue;
            }
            all.extend(of_keyword(places, index, keyword, pack));
        }
    }
    for rule in &pack.rules {
        if let Some(limit) = over(rule, Unit::Schema) {
            let finding = above(pack, rule, limit, counts::count(&limit.count, places));
            all.extend(finding.map(|finding| Met { finding, place: 0, entry: &rule.entry }));
        }
    }
    all
}

/// Whether a target ignores the schemas inside a keyword of a place.
fn is_unread(places: &Places<'_>, index: usize, keyword: &str, pack: &Pack) -> bool {
    let place = &places.all[index];
    // A condition without consequences says nothing.
    if keyword == "if" && place.get("then").is_none() && place.get("else").is_none() {
        return true;
    }
    deciding(places, index, keyword, pack).is_some_and(|entry| entry.unread)
}

/// Returns the entry of the pack for a keyword of a place: that of the first matching rule, or of the keyword. `None`
/// if no entry is `unread`.
fn deciding<'p>(
    places: &Places<'_>,
    index: usize,
    keyword: &str,
    pack: &'p Pack,
) -> Option<&'p Entry> {
    let may_skip = |entry: &Entry| entry.unread;
    let has_unread = |rule: &Rule| rule.keyword.as_deref() == Some(keyword) && rule.limit.is_none();
    let mut rules = pack.rules.iter().filter(|rule| has_unread(rule));
    let base = pack.keywords.get(keyword);
    if !base.is_some_and(may_skip) && !rules.clone().any(|rule| rule.entry.unread) {
        return None;
    }
    let at = At { places, index, keyword: Some(keyword) };
    rules.find(|rule| rule.meets.holds(at)).map(|rule| &rule.entry).or(base)
}

/// Returns the finding about a keyword of a place.
fn of_keyword<'p>(
    places: &Places<'_>,
    index: usize,
    keyword: &str,
    pack: &'p Pack,
) -> Option<Met<'p>> {
    let place = &places.all[index];
    let at = At { places, index, keyword: Some(keyword) };
    let rules = pack.rules.iter().filter(|rule| rule.limit.is_none());
    let mut rules = rules.filter(|rule| rule.keyword.as_deref() == Some(keyword));
    if let Some(rule) = rules.find(|rule| rule.meets.holds(at)) {
        let message = said(pack, &rule.entry, keyword);
        let change = advised(&rule.change, &rule.entry, keyword);
        let finding =
            found(pack, &rule.entry, &rule.id, (place.at(keyword), keyword), (message, change))?;
        return Some(Met { finding, place: index, entry: &rule.entry });
    }
    let (entry, rule) = match (keyword, format_of(place)) {
        ("format", Some(name)) if pack.format(name).is_some() => {
            (pack.format(name)?, format!("format/{name}"))
        }
        _ => match pack.keywords.get(keyword) {
            Some(entry) => (entry, keyword.to_owned()),
            None if is_known(keyword) => return None,
            None => (&pack.unknown, keyword.to_owned()),
        },
    };
    let subject =
        if keyword == "format" { format!("format `{}`", format_of(place)?) } else { String::new() };
    let message = if subject.is_empty() {
        said(pack, entry, keyword)
    } else {
        sentence(pack, entry, &subject)
    };
    let change = advised("", entry, keyword);
    let finding = found(pack, entry, &rule, (place.at(keyword), keyword), (message, change))?;
    Some(Met { finding, place: index, entry })
}

fn format_of<'v>(place: &Place<'v>) -> Option<&'v str> {
    place.get("format")?.as_str()
}

fn said(pack: &Pack, entry: &Entry, keyword: &str) -> String {
    let subject = if keyword.is_empty() { "this".to_owned() } else { format!("`{keyword}`") };
    sentence(pack, entry, &subject)
}

fn sentence(pack: &Pack, entry: &Entry, subject: &str) -> String {
    let target = &pack.target;
    let does = match entry.is {
        Treatment::Enforced => format!("{target} enforces {subject}"),
        Treatment::Refused => format!("{target} refuses {subject}"),
        Treatment::Ignored => format!("{target} accepts {subject} and does not enforce it"),
        Treatment::Narrower => format!("{target} allows fewer values than {subject} does"),
        Treatment::Undocumented => format!("no source says what {target} does with {subject}"),
    };
    if entry.say.is_empty() { does } else { format!("{does}: {}", entry.say) }
}

fn advised(change: &str, entry: &Entry, keyword: &str) -> Option<String> {
    if !change.is_empty() {
        return Some(change.to_owned());
    }
    let first = entry.instead.first().map(String::as_str);
    let usual = || rewritings::of_keyword(keyword).first().copied().unwrap_or("drop");
    let name = first.or_else(|| (!keyword.is_empty()).then(usual))?;
    Some(rewritings::advice(name).to_owned())
}

/// Returns a finding. `place` is its pointer and keyword, `text` its message and change. `None` for an enforced form.
fn found(
    pack: &Pack,
    entry: &Entry,
    rule: &str,
    place: (String, &str),
    text: (String, Option<String>),
) -> Option<Finding> {
    let source = pack.sources.get(&entry.by)?;
    let is_unknown = entry.is == Treatment::Undocumented;
    Some(Finding {
        target: pack.target.clone(),
        tool: None,
        rule: rule.to_owned(),
        pointer: place.0,
        keyword: place.1.to_owned(),
        treatment: entry.is,
        severity: entry.is.severity()?,
        certainty: if is_unknown { crate::finding::Certainty::Unknown } else { source.certainty },
        message: text.0,
        change: text.1,
        source: source.address.clone(),
        seen: source.seen.clone(),
    })
}
