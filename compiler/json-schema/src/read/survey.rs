//! The survey: reads every schema that applies, each once, and enters every keyword occurrence in the report. It starts
//! at the root and follows every keyword that applies a schema. All errors are collected, not only the first.

use rustc_hash::FxHashSet;

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::advice::advice;
use super::keyword::{Support, support};
use super::lint::NULLABLE;
use super::schema::{Part, Schema, SchemaId, Schemas};
use super::{Found, INVALID, Queued, Read, Reader};
use crate::document::{Document, Json, NodeId, Tree};
use crate::options::{Formats, JsonSchemaOptions};
use crate::source::occurrence::Occurrence;
use crate::source::resolve::{Context, References};

/// Reason in the report: the keyword or schema does not compile, and the options say to go on without it.
const NOT_ENFORCED: &str = "not enforced, because it does not compile";

/// Estimated budget steps for reading a schema.
const STEPS_A_SCHEMA: usize = 1 << 6;

/// Estimated number of JSON values of a document for each schema, which only sets an initial capacity.
const VALUES_OF_SCHEMA: usize = 4;
/// Estimated number of JSON values of a document for each keyword, which only sets an initial capacity.
const VALUES_OF_KEYWORD: usize = 2;

/// The result of the survey, which reads all schemas of a document.
#[derive(Debug)]
pub(crate) struct Surveyed {
    /// All schemas that apply to some value.
    pub(crate) schemas: Schemas,
    /// The schema at each of the given places.
    pub(crate) roots: Vec<SchemaId>,
    /// Every keyword occurrence, in source order.
    pub(crate) occurrences: Vec<Occurrence>,
}

/// Reads all schemas of a document and all schemas that it refers to. Schemas of other resources are copied into the
/// document. Each of `roots` is a document of its own for references: the place of its outermost schema, and the same
/// document as values of the reference library. The schemas and keywords at `loosened` say nothing. Warnings are added to
/// `findings`.
pub(crate) fn survey(
    document: &mut Document<'_>,
    roots: &[(NodeId, &Tree<'_>)],
    options: &JsonSchemaOptions,
    loosened: &FxHashSet<NodeId>,
    budget: &Budget,
    findings: &mut Vec<Diagnostic>,
) -> Result<Surveyed, Vec<Diagnostic>> {
    let size = document.len();
    let mut occurrences = Vec::with_capacity(size / VALUES_OF_KEYWORD);
    let mut found = Found::with_capacity(size / VALUES_OF_SCHEMA);
    let mut ids = Vec::with_capacity(roots.len());
    for &(root, tree) in roots {
        let references = References::new(document, root, tree, &options.resources, options.dialect);
        let references = references.map_err(|error| vec![error])?;
        let context = references.root();
        let mut survey = Survey {
            document,
            references,
            limit: StateBudget::new(options.max_states, budget),
            formats: options.formats,
            loosened,
            occurrences,
            found,
            nullable: Vec::new(),
            definitions: Vec::new(),
            seen: Vec::new(),
        };
        ids.push(survey.found.schema(root, context));
        survey.read_all()?;
        survey.unused_definitions();
        findings.extend(survey.misread());
        findings.extend(survey.references.findings);
        (occurrences, found) = (survey.occurrences, survey.found);
    }
    let Found { schemas, mut errors, findings: warnings, .. } = found;
    findings.extend(warnings);
    if errors.is_empty() {
        errors.extend(schemas.check_in_place(document).err());
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.labels.first().map(|label| label.span.start));
        return Err(errors);
    }
    occurrences.sort_by_key(|occurrence| occurrence.value);
    Ok(Surveyed { schemas, roots: ids, occurrences })
}

/// The survey in progress: it reads all schemas of a document.
struct Survey<'a, 's> {
    /// The document, to which other resources are added.
    document: &'a mut Document<'s>,
    /// Resolves the references (such as `$ref`) of the document.
    references: References<'a>,
    /// The limit on the states of one automaton, with the budget.
    limit: StateBudget<'a>,
    /// Whether `format` constrains strings or is an annotation.
    formats: Formats,
    /// The places of schemas and keywords that say nothing, although they should.
    loosened: &'a FxHashSet<NodeId>,
    /// The keyword occurrences found so far, with their verdicts.
    occurrences: Vec<Occurrence>,
    /// The schemas, errors and warnings so far.
    found: Found,
    /// The places of `nullable: true` in dialects without that keyword.
    nullable: Vec<NodeId>,
    /// The places of all schemas in `$defs` and `definitions`.
    definitions: Vec<NodeId>,
    /// For each place, by index, whether its schema was read in some dynamic scope.
    seen: Vec<bool>,
}

impl Survey<'_, '_> {
    /// Reads all schemas in the queue, and those that they apply or refer to. Fails if there are too many dynamic
    /// scopes. Stops if the budget is spent.
    fn read_all(&mut self) -> Result<(), Vec<Diagnostic>> {
        while let Some(Queued { id, node, outside }) = self.found.queue.pop() {
            if self.limit.spend(STEPS_A_SCHEMA).is_err() {
                break;
            }
            let schema = self.schema(node, outside);
            if let Some(error) = self.references.too_much.take() {
                return Err(vec![error]);
            }
            self.found.schemas.insert(id, schema);
        }
        Ok(())
    }

    /// Reads the schema at a place. `outside` is the context around it. The dynamic scope affects only the targets of
    /// references, so errors, warnings and the report are recorded only in the first scope.
    fn schema(&mut self, node: NodeId, outside: Context) -> Schema {
        let is_first = self.see(node);
        let (occurrences, errors) = (self.occurrences.len(), self.found.errors.len());
        let findings = self.found.findings.len();
        let schema = self.read(node, outside);
        if !is_first {
            self.occurrences.truncate(occurrences);
            self.found.errors.truncate(errors);
            self.found.findings.truncate(findings);
        }
        schema
    }

    /// Records that the schema at a place was read. Returns whether this is the first time.
    fn see(&mut self, node: NodeId) -> bool {
        if self.seen.len() <= node.index() {
            self.seen.resize(self.document.len(), false);
        }
        !std::mem::replace(&mut self.seen[node.index()], true)
    }

    /// Reads the schema at a place: its boolean value, or its keywords.
    fn read(&mut self, node: NodeId, outside: Context) -> Schema {
        if self.loosened.contains(&node) {
            let (verdict, reason) = (Verdict::Approximate, NOT_ENFORCED);
            self.occurrences.push(Occurrence { value: node, verdict, reason });
            return Schema::Boolean(true);
        }
        match self.document.json(node) {
            Json::Bool(all) => return Schema::Boolean(*all),
            Json::Object(_) => {}
            other => {
                let text = format!("a schema is an object or a boolean, not {}", other.kind());
                let mut error = self.document.error(INVALID, node, text);
                error.help = advice(self.document, "", node);
                self.found.errors.push(error);
                return Schema::Boolean(true);
            }
        }
        let context = self.references.enter(self.document, node, outside);
        let followed = self.follow(node, context);
        let document = &*self.document;
        let Json::Object(members) = document.json(node) else { return Schema::Boolean(true) };
        let dialect = context.dialect;
        let alone = self.references.are_there()
            && !dialect.siblings_of_ref()
            && members.get("$ref").is_some();
        let mut reader = Reader {
            document,
            context,
            followed: &followed,
            limit: self.limit,
            formats: self.formats,
            found: &mut self.found,
        };
        let mut enter =
            |value, verdict, reason| self.occurrences.push(Occurrence { value, verdict, reason });
        let mut parts = Vec::with_capacity(members.len());
        for (key, member) in members.iter() {
            let value = member.value;
            match support(key, dialect) {
                Support::Definitions => {
                    enter(value, Verdict::Annotation, "holds schemas for references");
                    if let Json::Object(schemas) = document.json(value) {
                        self.definitions.extend(schemas.values());
                    }
                }
                Support::Annotation(reason) => {
                    if key == "nullable" && matches!(document.json(value), Json::Bool(true)) {
                        self.nullable.push(value);
                    }
                    enter(value, Verdict::Annotation, reason);
                }
                Support::Exact if alone && key != "$ref" => {
                    let reason = "beside `$ref`, which stands alone in this draft";
                    enter(value, Verdict::Annotation, reason);
                }
                Support::Exact if self.loosened.contains(&value) => {
                    enter(value, Verdict::Approximate, NOT_ENFORCED);
                }
                Support::Exact => {
                    let (read, verdict, reason) = match reader.read(node, key, value) {
                        Read::Parts(read) => (read, Verdict::Exact, ""),
                        Read::But(read, verdict, reason) => (read, verdict, reason),
                    };
                    enter(value, verdict, reason);
                    parts.extend(read.into_iter().map(|part| (value, part)));
                }
            }
        }
        // Keys of `required` that are not declared come after all declared keys.
        parts.sort_by_key(|(_, part)| {
            matches!(part, Part::Required(_) | Part::DependentRequired(..) | Part::MemberCount(_))
        });
        Schema::Parts(parts)
    }

    /// Resolves the references of a schema. Returns the place of each reference with its target; an unresolved
    /// reference is an error.
    fn follow(&mut self, node: NodeId, context: Context) -> Vec<(NodeId, SchemaId)> {
        let mut followed = Vec::new();
        if !self.references.are_there() {
            return followed;
        }
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(value) = self.document.get(node, keyword) else { continue };
            let is_exact = support(keyword, context.dialect) == Support::Exact;
            if !is_exact || self.loosened.contains(&value) {
                continue;
            }
            match self.references.follow(self.document, keyword, value, context) {
                Ok((target, context)) => {
                    followed.push((value, self.found.schema(target, context)));
                }
                Err(error) => self.found.errors.push(error),
            }
        }
        followed
    }

    /// Returns the warning about `nullable` in a dialect without that keyword, or `None` if it does not occur.
    fn misread(&self) -> Option<Diagnostic> {
        let &first = self.nullable.iter().min()?;
        let places: FxHashSet<NodeId> = self.nullable.iter().copied().collect();
        let others = match places.len() {
            1 => String::new(),
            count => format!(" (here and in {} other places)", count - 1),
        };
        let text = format!(
            "`nullable` is a keyword of OpenAPI 3.0 and means nothing in JSON Schema{others}"
        );
        let warning = Diagnostic::warning("json-schema::nullable", text).with_help(NULLABLE);
        Some(self.document.place(warning, first))
    }

    /// Reports definitions that nothing refers to as annotations.
    fn unused_definitions(&mut self) {
        for node in std::mem::take(&mut self.definitions) {
            if self.see(node) {
                let reason = "a definition that nothing refers to";
                let verdict = Verdict::Annotation;
                self.occurrences.push(Occurrence { value: node, verdict, reason });
            }
        }
    }
}
