//! Parses packs. Every error has the pointer to the part of the pack that is wrong.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::dates::day;
use super::{Entry, Limit, Pack, Rule, SourceOf, Unit};
use crate::counts::COUNTS;
use crate::finding::{Certainty, Treatment};
use crate::pack_error::{PackError, error};
use crate::places::pointer::join;
use crate::predicates::Where;
use crate::rewritings;

/// An object inside the pack, with its JSON pointer for errors.
struct Part<'p> {
    members: &'p Map<String, Value>,
    pointer: String,
}

impl<'p> Part<'p> {
    /// Returns `value` as an object with its pointer. Fails if it has members with other names than `names`.
    fn new(value: &'p Value, pointer: &str, names: &[&str]) -> Result<Self, PackError> {
        let Some(members) = value.as_object() else {
            return Err(error(pointer, "this has to be an object"));
        };
        if let Some(name) = members.keys().find(|name| !names.contains(&&***name)) {
            let known = names.join("`, `");
            let message = format!("`{name}` is not a field here; the fields are `{known}`");
            return Err(error(&join(pointer, name), message));
        }
        Ok(Self { members, pointer: pointer.to_owned() })
    }

    fn at(&self, name: &str) -> String {
        join(&self.pointer, name)
    }

    /// Returns the string of a field. Empty if the object lacks the field.
    fn text(&self, name: &str) -> Result<String, PackError> {
        match self.members.get(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(error(&self.at(name), "this has to be a string")),
        }
    }

    /// Returns the string of a required field. Fails if it is missing or empty.
    fn some_text(&self, name: &str) -> Result<String, PackError> {
        let text = self.text(name)?;
        if text.is_empty() {
            return Err(error(&self.pointer, format!("`{name}` is missing")));
        }
        Ok(text)
    }

    /// Returns the strings of a field. Empty if the object lacks the field.
    fn texts(&self, name: &str) -> Result<Vec<String>, PackError> {
        let Some(value) = self.members.get(name) else { return Ok(Vec::new()) };
        let texts = value.as_array().and_then(|items| {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()
        });
        texts.ok_or_else(|| error(&self.at(name), "this has to be a list of strings"))
    }

    /// Looks up the string of a required field in a table. Fails for strings that the table lacks.
    fn named<T: Copy>(&self, name: &str, table: &[(&str, T)]) -> Result<T, PackError> {
        let text = self.some_text(name)?;
        let found = table.iter().find(|(known, _)| *known == text);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let names: Vec<_> = table.iter().map(|(name, _)| *name).collect();
            error(&self.at(name), format!("{text:?} is none of `{}`", names.join("`, `")))
        })
    }

    /// Returns the members of an object field, each with its pointer. Empty if the object lacks the field.
    fn inside(&self, name: &str) -> Result<Vec<(&'p String, &'p Value, String)>, PackError> {
        let Some(value) = self.members.get(name) else { return Ok(Vec::new()) };
        let pointer = self.at(name);
        let members =
            value.as_object().ok_or_else(|| error(&pointer, "this has to be an object"))?;
        Ok(members.iter().map(|(key, value)| (key, value, join(&pointer, key))).collect())
    }
}

impl Pack {
    /// Parses a pack from its JSON text.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON, or if a field is missing, unknown or of the wrong kind. Fails if a rule has no
    /// examples, or names an unknown source, predicate or rewriting. The error has a pointer into the pack.
    pub fn parse(text: &str) -> Result<Self, PackError> {
        parse(text)
    }
}

/// Parses a pack.
fn parse(text: &str) -> Result<Pack, PackError> {
    let value: Value = serde_json::from_str(text).map_err(|found| error("", found.to_string()))?;
    const FIELDS: [&str; 11] = [
        "target",
        "aliases",
        "about",
        "reviewed",
        "unit",
        "definitions",
        "sources",
        "keywords",
        "formats",
        "unknown",
        "rules",
    ];
    let part = Part::new(&value, "", &FIELDS)?;
    let reviewed = date(&part, "reviewed")?;
    let units = [("schema", Unit::Schema), ("request", Unit::Request)];
    let mut pack = Pack {
        target: part.some_text("target")?,
        aliases: part.texts("aliases")?,
        about: part.some_text("about")?,
        reviewed,
        unit: part.named("unit", &units)?,
        reads_all_definitions: part.named("definitions", &[("all", true), ("used", false)])?,
        sources: IndexMap::new(),
        keywords: IndexMap::new(),
        formats: IndexMap::new(),
        unknown: Entry {
            is: Treatment::Undocumented,
            by: String::new(),
            say: String::new(),
            instead: Vec::new(),
            unread: false,
        },
        rules: Vec::new(),
    };
    for (name, value, pointer) in part.inside("sources")? {
        pack.sources.insert(name.clone(), source(value, &pointer)?);
    }
    if pack.sources.is_empty() {
        return Err(error("", "`sources` is missing: every rule needs one"));
    }
    for (name, value, pointer) in part.inside("keywords")? {
        let mut entry = entry(&Part::new(value, &pointer, &ENTRY)?, &pack.sources)?;
        entry.unread |= entry.is == Treatment::Ignored;
        pack.keywords.insert(name.clone(), entry);
    }
    for (name, value, pointer) in part.inside("formats")? {
        let entry = entry(&Part::new(value, &pointer, &ENTRY)?, &pack.sources)?;
        pack.formats.insert(name.clone(), entry);
    }
    let Some(unknown) = part.members.get("unknown") else {
        return Err(error("", "`unknown` is missing: what the target does with other keywords"));
    };
    pack.unknown = entry(&Part::new(unknown, "/unknown", &ENTRY)?, &pack.sources)?;
    let rules = part
        .members
        .get("rules")
        .map_or(Some(&[][..]), |rules| rules.as_array().map(|all| &all[..]));
    let rules = rules.ok_or_else(|| error("/rules", "this has to be a list"))?;
    for (at, value) in rules.iter().enumerate() {
        pack.rules.push(rule(value, &format!("/rules/{at}"), &pack.sources)?);
    }
    Ok(pack)
}

const ENTRY: [&str; 5] = ["is", "by", "say", "instead", "unread"];

fn entry(part: &Part<'_>, sources: &IndexMap<String, SourceOf>) -> Result<Entry, PackError> {
    let by = part.some_text("by")?;
    if !sources.contains_key(&by) {
        return Err(error(&part.at("by"), format!("{by:?} is no source of this pack")));
    }
    let instead = part.texts("instead")?;
    for (at, name) in instead.iter().enumerate() {
        if !rewritings::NAMES.contains(&&**name) {
            let known = rewritings::NAMES.join("`, `");
            let pointer = join(&part.at("instead"), &at.to_string());
            return Err(error(&pointer, format!("{name:?} is no rewriting: none of `{known}`")));
        }
    }
    let unread = match part.members.get("unread") {
        None => false,
        Some(value) => value
            .as_bool()
            .ok_or_else(|| error(&part.at("unread"), "this has to be `true` or `false`"))?,
    };
    let is = part.named("is", &Treatment::ALL)?;
    Ok(Entry { is, by, say: part.text("say")?, instead, unread })
}

fn source(value: &Value, pointer: &str) -> Result<SourceOf, PackError> {
    let part = Part::new(value, pointer, &["address", "package", "file", "seen", "certainty"])?;
    let (package, file) = (part.text("package")?, part.text("file")?);
    let address = match (part.text("address")?, package, file) {
        (address, ..) if !address.is_empty() => address,
        (_, package, _) if package.is_empty() => {
            return Err(error(pointer, "a source needs an `address`, or a `package`"));
        }
        (_, package, file) if file.is_empty() => package,
        (_, package, file) => format!("{package}: {file}"),
    };
    let seen = date(&part, "seen")?;
    Ok(SourceOf { address, seen, certainty: part.named("certainty", &Certainty::ALL)? })
}

fn rule(
    value: &Value,
    pointer: &str,
    sources: &IndexMap<String, SourceOf>,
) -> Result<Rule, PackError> {
    const FIELDS: [&str; 13] = [
        "id", "keyword", "where", "count", "most", "over", "is", "by", "say", "change", "instead",
        "unread", "examples",
    ];
    let part = Part::new(value, pointer, &FIELDS)?;
    let meets = part
        .members
        .get("where")
        .map_or(Ok(Where::default()), |meets| Where::parse(meets, &part.at("where")))?;
    let limit = match part.text("count")? {
        count if count.is_empty() => None,
        count => {
            if !COUNTS.contains(&&*count) {
                let known = COUNTS.join("`, `");
                let message = format!("{count:?} is no count: none of `{known}`");
                return Err(error(&part.at("count"), message));
            }
            let most = part.members.get("most").and_then(Value::as_u64);
            let most = most.ok_or_else(|| error(pointer, "`most` has to be a whole number"))?;
            let over = [("schema", Unit::Schema), ("request", Unit::Request)];
            Some(Limit { count, most, over: part.named("over", &over)? })
        }
    };
    let keyword = Some(part.text("keyword")?).filter(|keyword| !keyword.is_empty());
    if keyword.is_none() && limit.is_none() && meets.is_empty() {
        return Err(error(pointer, "a rule needs a `keyword`, a `where` or a `count`"));
    }
    let examples = part.members.get("examples").and_then(Value::as_array);
    let Some([meeting, other]) = examples.map(|both| &both[..]) else {
        let message =
            "`examples` has to be two schemas: one that meets the rule, one that does not";
        return Err(error(pointer, message));
    };
    Ok(Rule {
        id: part.some_text("id")?,
        keyword,
        meets,
        limit,
        entry: entry(&part, sources)?,
        change: part.text("change")?,
        examples: [meeting.clone(), other.clone()],
    })
}

fn date(part: &Part<'_>, name: &str) -> Result<String, PackError> {
    let text = part.some_text(name)?;
    if day(&text).is_none() {
        return Err(error(&part.at(name), format!("{text:?} is no date as `2026-01-31`")));
    }
    Ok(text)
}
