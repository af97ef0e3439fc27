//! The survey: from the root along every keyword that applies a schema, reads each schema once and enters every
//! keyword occurrence in the report. Collects all errors rather than the first.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::{Report, ReportEntry, Verdict};

use super::dialect::Dialect;
use super::document::{Document, Json, NodeId};
use super::keyword::{Support, support};
use super::read::{Read, Reader, constrains_nothing};
use super::schema::{Keywords, Part, Schema, Schemas};

/// What the survey finds.
pub(crate) struct Surveyed {
    /// The schemas that apply somewhere.
    pub(crate) schemas: Schemas,
    /// Every keyword occurrence.
    pub(crate) report: Report,
}

/// Reads all schemas of the document. Warnings go to `findings`.
pub(crate) fn survey(
    document: &Document,
    findings: &mut Vec<Diagnostic>,
) -> Result<Surveyed, Vec<Diagnostic>> {
    let dialect = Dialect::of(document, findings);
    let mut survey = Survey {
        document,
        dialect,
        schemas: Schemas::new(document.len()),
        entries: Vec::new(),
        reader: Reader { document, dialect, errors: Vec::new(), queue: vec![document.root()] },
        definitions: Vec::new(),
    };
    while let Some(node) = survey.reader.queue.pop() {
        if survey.schemas.get(node).is_none() {
            let schema = survey.schema(node);
            survey.schemas.insert(node, schema);
        }
    }
    survey.unused_definitions();
    let Survey { schemas, mut entries, reader, .. } = survey;
    let mut errors = reader.errors;
    if errors.is_empty() {
        errors.extend(schemas.check_in_place(document).err());
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.labels.first().map(|label| label.span.start));
        return Err(errors);
    }
    entries.sort_by_key(|(at, _)| *at);
    let report = Report { entries: entries.into_iter().map(|(_, entry)| entry).collect() };
    Ok(Surveyed { schemas, report })
}

struct Survey<'a> {
    document: &'a Document,
    dialect: Dialect,
    schemas: Schemas,
    /// With the place of the keyword, to sort by.
    entries: Vec<(usize, ReportEntry)>,
    reader: Reader<'a>,
    definitions: Vec<NodeId>,
}

impl Survey<'_> {
    fn schema(&mut self, node: NodeId) -> Schema {
        let members = match self.document.json(node) {
            Json::Bool(all) => return Schema::Boolean(*all),
            Json::Object(members) => members,
            other => {
                let found = other.kind();
                self.reader
                    .invalid(node, format!("a schema is an object or a boolean, not {found}"));
                return Schema::Boolean(true);
            }
        };
        let alone = !self.dialect.siblings_of_ref() && members.contains_key("$ref");
        let mut keywords = Keywords::default();
        let mut asserts = false;
        for (key, member) in members {
            let value = member.value;
            match support(key, self.dialect) {
                Support::Definitions => {
                    self.enter(value, key, Verdict::Annotation, "holds schemas for references");
                    if let Json::Object(schemas) = self.document.json(value) {
                        self.definitions.extend(schemas.values().map(|member| member.value));
                    }
                }
                Support::Annotation(reason) => self.enter(value, key, Verdict::Annotation, reason),
                _ if alone && &**key != "$ref" => {
                    let reason = "beside `$ref`, which stands alone in this draft";
                    self.enter(value, key, Verdict::Annotation, reason);
                }
                Support::Refused => match constrains_nothing(self.document, key, value) {
                    Some((verdict, reason)) => self.enter(value, key, verdict, reason),
                    None => self.refuse(value, key),
                },
                Support::Exact => match self.reader.read(node, key, value, &mut keywords) {
                    Read::Applies => self.enter(value, key, Verdict::Exact, ""),
                    Read::Asserts => {
                        asserts = true;
                        self.enter(value, key, Verdict::Exact, "");
                        if &**key == "properties" {
                            keywords.parts.push(Part::Own);
                        }
                    }
                    Read::Other(verdict, reason) => self.enter(value, key, verdict, reason),
                },
            }
        }
        let placed = keywords.parts.iter().any(|part| matches!(part, Part::Own));
        if asserts && !placed {
            keywords.parts.push(Part::Own);
        }
        Schema::Keywords(Box::new(keywords))
    }

    /// Definitions that nothing refers to constrain nothing, whatever they hold.
    fn unused_definitions(&mut self) {
        for node in std::mem::take(&mut self.definitions) {
            if self.schemas.get(node).is_none() {
                let keyword = self.document.key(node).to_owned();
                let reason = "a definition that nothing refers to";
                self.enter(node, &keyword, Verdict::Annotation, reason);
            }
        }
    }

    fn enter(&mut self, value: NodeId, keyword: &str, verdict: Verdict, reason: &str) {
        let pointer = self.document.pointer(value);
        let entry = ReportEntry {
            pointer,
            keyword: keyword.to_owned(),
            verdict,
            reason: reason.to_owned(),
        };
        self.entries.push((self.document.span(value).start, entry));
    }

    fn refuse(&mut self, value: NodeId, keyword: &str) {
        let message = match self.document.json(value) {
            Json::String(name) if keyword == "format" => {
                format!("the format {name:?} is not supported yet")
            }
            _ => format!("the keyword `{keyword}` is not supported yet"),
        };
        let error = self
            .document
            .error("json-schema::unsupported-keyword", value, message)
            .with_help("remove the keyword, or say the same with `type`, `enum`, `anyOf`, `properties` and `items`");
        self.reader.errors.push(error);
    }
}
