//! The survey: from the root along every keyword that applies a schema, reads each schema once and enters every
//! keyword occurrence in the report. Collects all errors rather than the first.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::{ReportEntry, Verdict};

use super::dialect::Dialect;
use super::document::{Document, Json, NodeId};
use super::keyword::{Support, support};
use super::read::{Read, Reader};
use super::schema::{Part, Schema, SchemaId, Schemas};

/// What the survey finds.
pub(crate) struct Surveyed {
    /// The schemas that apply somewhere.
    pub(crate) schemas: Schemas,
    /// The schema of the whole document.
    pub(crate) root: SchemaId,
    /// Every keyword occurrence, with the place of its value.
    pub(crate) entries: Vec<(NodeId, ReportEntry)>,
}

/// Reads all schemas of the document. No automaton has more than `limit` states. Warnings go to `findings`.
pub(crate) fn survey(
    document: &Document,
    limit: usize,
    findings: &mut Vec<Diagnostic>,
) -> Result<Surveyed, Vec<Diagnostic>> {
    let dialect = Dialect::of(document, findings);
    let reader = Reader {
        document,
        dialect,
        limit,
        schemas: Schemas::default(),
        errors: Vec::new(),
        queue: Vec::new(),
    };
    let mut survey =
        Survey { document, dialect, entries: Vec::new(), reader, definitions: Vec::new() };
    let root = survey.reader.schema(document.root());
    while let Some((id, node)) = survey.reader.queue.pop() {
        let schema = survey.schema(node);
        survey.reader.schemas.insert(id, schema);
    }
    survey.unused_definitions();
    let Survey { mut entries, reader, .. } = survey;
    let Reader { schemas, mut errors, .. } = reader;
    if errors.is_empty() {
        errors.extend(schemas.check_in_place(document).err());
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.labels.first().map(|label| label.span.start));
        return Err(errors);
    }
    entries.sort_by_key(|(at, _)| *at);
    Ok(Surveyed { schemas, root, entries: entries.into_iter().map(|(_, entry)| entry).collect() })
}

struct Survey<'a> {
    document: &'a Document,
    dialect: Dialect,
    /// With the place of the keyword, to sort by.
    entries: Vec<(usize, (NodeId, ReportEntry))>,
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
        let mut parts = Vec::new();
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
                Support::Refused => self.refuse(value, key),
                Support::Exact => {
                    let (read, verdict, reason) = match self.reader.read(node, key, value) {
                        Read::Parts(read) => (read, Verdict::Exact, ""),
                        Read::But(read, verdict, reason) => (read, verdict, reason),
                    };
                    self.enter(value, key, verdict, reason);
                    parts.extend(read.into_iter().map(|part| (value, part)));
                }
            }
        }
        // Required keys that nothing declares come after all declared ones.
        parts.sort_by_key(|(_, part)| {
            matches!(part, Part::Required(_) | Part::DependentRequired(..) | Part::MemberCount(_))
        });
        Schema::Parts(parts)
    }

    /// Definitions that nothing refers to constrain nothing, whatever they hold.
    fn unused_definitions(&mut self) {
        for node in std::mem::take(&mut self.definitions) {
            if !self.reader.schemas.knows(node) {
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
        self.entries.push((self.document.span(value).start, (value, entry)));
    }

    fn refuse(&mut self, value: NodeId, keyword: &str) {
        let message = format!("the keyword `{keyword}` is not supported yet");
        let error = self
            .document
            .error("json-schema::unsupported-keyword", value, message)
            .with_help("refer to the schema with `$ref`");
        self.reader.errors.push(error);
    }
}
