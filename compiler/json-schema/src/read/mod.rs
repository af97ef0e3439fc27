//! Reads the value of one keyword and checks it against the specification.
//!
//! Tests: `tests/diagnostics.rs` of this front end; `tests/tests/schemas/{conformance,situations}.rs`.

pub(crate) mod advice;
pub(crate) mod applies;
pub(crate) mod close_objects;
pub(crate) mod exclude_texts;
pub(crate) mod keyword;
pub(crate) mod lint;
pub(crate) mod loosened;
pub(crate) mod required;
pub(crate) mod schema;
pub(crate) mod share;
pub(crate) mod survey;
pub(crate) mod table;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_patterns::dialects;
use grammarc_patterns::ecma::EcmaError;

use super::document::{Document, Json, NodeId};
use super::options::Formats;
use super::source::resolve::Context;
use super::values::formats::{Exactness, format};
use super::values::numbers::{Decimal, NumberSet};
use super::values::strings::StringSet;
use super::values::types::TypeSet;
use advice::{advice, of_type};
use keyword::UNKNOWN_FORMAT;
use schema::{Bounds, Part, SchemaId, Schemas};

/// Error code: the value of a keyword has the wrong type.
pub(crate) const INVALID: &str = "json-schema::invalid-keyword";

/// The constraints that one keyword states; most keywords state one.
pub(crate) type Parts = SmallVec<[Part; 1]>;

/// The result of reading the value of a keyword: the constraints it states.
pub(crate) enum Read {
    /// The constraints of a keyword that the grammar expresses exactly.
    Parts(Parts),
    /// The constraints of a keyword that the grammar does not express exactly, with the verdict and the reason for the
    /// report.
    But(Parts, Verdict, &'static str),
}

/// A schema that was found and not yet read.
#[derive(Debug)]
pub(crate) struct Queued {
    /// The number of the schema that is to be read.
    pub(crate) id: SchemaId,
    /// The place in the document of the schema that is to be read.
    pub(crate) node: NodeId,
    /// The context around the schema: its base URI, dynamic scope and dialect.
    pub(crate) outside: Context,
}

/// The schemas, errors and warnings so far.
#[derive(Debug)]
pub(crate) struct Found {
    /// All schemas found so far. The schemas in the queue are not read yet.
    pub(crate) schemas: Schemas,
    /// The errors in the schema document found so far.
    pub(crate) errors: Vec<Diagnostic>,
    /// The warnings about the schema document so far.
    pub(crate) findings: Vec<Diagnostic>,
    /// The schemas that were found and not yet read.
    pub(crate) queue: Vec<Queued>,
    /// Maps each pattern that was read to the strings that contain a match.
    patterns: FxHashMap<Box<str>, StringSet>,
}

impl Found {
    /// Creates an empty result with capacity for `schemas` schemas.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        let (errors, findings, queue) = (Vec::new(), Vec::new(), Vec::new());
        let schemas = Schemas::with_capacity(schemas);
        Self { schemas, errors, findings, queue, patterns: FxHashMap::default() }
    }

    /// Returns the schema at a node, and queues it if it is new. `outside` is the context around the node.
    pub(crate) fn schema(&mut self, node: NodeId, outside: Context) -> SchemaId {
        let (id, new) = self.schemas.id(node, outside.scope);
        if new {
            self.queue.push(Queued { id, node, outside });
        }
        id
    }
}

/// Reads the keyword values of one schema, and records errors.
pub(crate) struct Reader<'a> {
    /// The schema document.
    pub(crate) document: &'a Document<'a>,
    /// The context inside the schema: its base URI, dynamic scope and dialect.
    pub(crate) context: Context,
    /// The resolved references of the schema: the place of the keyword's value, and the target.
    pub(crate) followed: &'a [(NodeId, SchemaId)],
    /// The limit on the states of one automaton, with the budget.
    pub(crate) limit: StateBudget<'a>,
    /// Whether `format` constrains strings or is an annotation.
    pub(crate) formats: Formats,
    /// Receives the schemas, errors and warnings that are found while reading.
    pub(crate) found: &'a mut Found,
}

impl Reader<'_> {
    /// Reads the value of the keyword `key` of the schema at node `schema`. Errors are recorded, and the result is then
    /// empty.
    pub(crate) fn read(&mut self, schema: NodeId, key: &str, value: NodeId) -> Read {
        Read::Parts(match key {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let target = self.followed.iter().find(|(at, _)| *at == value);
                target.map(|&(_, target)| Part::All(vec![target])).into_iter().collect()
            }
            "allOf" => smallvec![Part::All(self.schema_list(key, value))],
            "anyOf" => smallvec![Part::Any(self.schema_list(key, value))],
            "oneOf" => smallvec![Part::One(self.schema_list(key, value))],
            "not" => smallvec![Part::Not(self.schema(value))],
            "if" => {
                let then = self.document.get(schema, "then").map(|node| self.schema(node));
                let otherwise = self.document.get(schema, "else").map(|node| self.schema(node));
                smallvec![Part::If(self.schema(value), then, otherwise)]
            }
            "then" | "else" => match self.document.get(schema, "if") {
                Some(_) => Parts::new(),
                None => return annotation("applies only beside `if`"),
            },
            "type" => {
                let types = self.types(value);
                let or_null = if self.is_nullable(schema) { TypeSet::NULL } else { TypeSet::NONE };
                types.map(|types| Part::Types(types.union(or_null))).into_iter().collect()
            }
            "nullable" => match (self.document.json(value), self.document.get(schema, "type")) {
                (Json::Bool(_), Some(_)) => Parts::new(),
                (Json::Bool(_), None) => return annotation("applies only beside `type`"),
                (other, _) => self.wrong(key, value, "a boolean", other.kind()),
            },
            "enum" => match self.document.json(value) {
                Json::Array(values) => smallvec![Part::Values(values.clone())],
                other => self.wrong(key, value, "an array", other.kind()),
            },
            "const" => smallvec![Part::Values(vec![value])],
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                self.number_keyword(schema, key, value)
            }
            "pattern" => self.pattern(value).map(Part::Strings).into_iter().collect(),
            "format" => return self.format(value),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" => {
                return self.count_keyword(key, value);
            }
            "prefixItems" => smallvec![Part::Prefix(self.schema_list(key, value))],
            "items" => self.items(schema, key, value),
            "additionalItems" => match self.document.get(schema, "items") {
                Some(items) => match self.document.json(items) {
                    Json::Array(items) if self.context.dialect.tuple_items() => {
                        smallvec![Part::Items(length(items), self.schema(value))]
                    }
                    _ => return annotation("applies only beside an array of `items`"),
                },
                None => return annotation("applies only beside an array of `items`"),
            },
            "contains" => {
                let min = self.sibling(schema, "minContains").unwrap_or(1);
                let max = self.sibling(schema, "maxContains");
                smallvec![Part::Contains(self.schema(value), Bounds { min, max })]
            }
            "minContains" | "maxContains" => {
                _ = self.natural(key, value);
                match self.document.get(schema, "contains") {
                    Some(_) => Parts::new(),
                    None => return annotation("applies only beside `contains`"),
                }
            }
            "uniqueItems" => match self.document.json(value) {
                Json::Bool(true) => smallvec![Part::UniqueItems],
                Json::Bool(false) => Parts::new(),
                other => self.wrong(key, value, "a boolean", other.kind()),
            },
            "properties" => match self.document.json(value) {
                Json::Object(members) => {
                    let properties = members.iter();
                    let properties = properties
                        .map(|(name, member)| (name.into(), self.schema(member.value)))
                        .collect();
                    smallvec![Part::Properties(properties)]
                }
                other => self.wrong(key, value, "an object of schemas", other.kind()),
            },
            "patternProperties" => match self.document.json(value) {
                Json::Object(members) => {
                    let mut parts = Parts::with_capacity(members.len());
                    for (pattern, member) in members.iter() {
                        let names = self.ecma(pattern, member.value);
                        let schema = self.schema(member.value);
                        parts.extend(names.map(|names| Part::Members(names, schema)));
                    }
                    parts
                }
                other => self.wrong(key, value, "an object of schemas", other.kind()),
            },
            "additionalProperties" => {
                let names = self.undeclared(schema, value);
                let schema = self.schema(value);
                names.map(|names| Part::Members(names, schema)).into_iter().collect()
            }
            "propertyNames" => smallvec![Part::Names(self.schema(value))],
            "required" => smallvec![Part::Required(self.names(key, value))],
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.dependencies(key, value)
            }
            "unevaluatedProperties" => smallvec![Part::UnevaluatedProperties(self.schema(value))],
            "unevaluatedItems" => smallvec![Part::UnevaluatedItems(self.schema(value))],
            _ => self.invalid(value, format!("the keyword `{key}` has no reader")),
        })
    }

    /// Records an error about the value of a keyword. Returns no constraint.
    fn invalid(&mut self, node: NodeId, text: String) -> Parts {
        self.found.errors.push(self.document.error(INVALID, node, text));
        Parts::new()
    }

    /// Records an error about a keyword whose value has the wrong type, with advice. Returns no constraint.
    fn wrong(&mut self, key: &str, node: NodeId, wanted: &str, found: &str) -> Parts {
        let text = format!("`{key}` takes {wanted}, not {found}");
        let mut error = self.document.error(INVALID, node, text);
        error.help = advice(self.document, key, node);
        self.found.errors.push(error);
        Parts::new()
    }

    /// Returns the schema at a node, and queues it if it is new.
    fn schema(&mut self, node: NodeId) -> SchemaId {
        self.found.schema(node, self.context)
    }

    fn schema_list(&mut self, key: &str, node: NodeId) -> Vec<SchemaId> {
        match self.document.json(node) {
            Json::Array(schemas) => {
                if schemas.is_empty() {
                    self.invalid(node, format!("`{key}` takes at least one schema"));
                }
                schemas.iter().map(|&schema| self.schema(schema)).collect()
            }
            other => {
                self.wrong(key, node, "an array of schemas", other.kind());
                Vec::new()
            }
        }
    }

    fn items(&mut self, schema: NodeId, key: &str, value: NodeId) -> Parts {
        match self.document.json(value) {
            Json::Array(items) if self.context.dialect.tuple_items() => {
                smallvec![Part::Prefix(items.iter().map(|&item| self.schema(item)).collect())]
            }
            Json::Array(_) => {
                self.wrong(key, value, "a schema (`prefixItems` takes an array)", "an array")
            }
            _ => {
                let prefix = self.document.get(schema, "prefixItems");
                let from = match prefix.map(|prefix| self.document.json(prefix)) {
                    Some(Json::Array(prefix)) if self.context.dialect.prefix_items() => {
                        length(prefix)
                    }
                    _ => 0,
                };
                smallvec![Part::Items(from, self.schema(value))]
            }
        }
    }

    /// Returns whether a schema of OpenAPI 3.0 has `nullable: true`, which adds null to its types.
    fn is_nullable(&self, schema: NodeId) -> bool {
        let nullable = self.document.get(schema, "nullable");
        let nullable = nullable.filter(|_| self.context.dialect.openapi);
        nullable.is_some_and(|value| matches!(self.document.json(value), Json::Bool(true)))
    }

    fn types(&mut self, node: NodeId) -> Option<TypeSet> {
        let names = match self.document.json(node) {
            Json::Array(names) if names.is_empty() => {
                let text = "`type` has an empty list, so no value is of a type in it".to_owned();
                let error = self.document.error(INVALID, node, text);
                let help = "name the types that are meant, or leave `type` out for any";
                self.found.errors.push(error.with_help(help));
                return None;
            }
            Json::Array(names) => &names[..],
            _ => &[node],
        };
        let mut types = TypeSet::NONE;
        for &name in names {
            match self.document.json(name) {
                Json::String(text) => match TypeSet::named(text, self.context.dialect.draft) {
                    Some(named) => types = types.union(named),
                    None => {
                        let wrapped = lint::wrapped_type(self.document, name);
                        let help = wrapped.unwrap_or_else(|| of_type(text));
                        let text = format!("{text:?} is not a JSON type");
                        let error = self.document.error(INVALID, name, text);
                        self.found.errors.push(error.with_help(help));
                    }
                },
                other => {
                    let found = other.kind();
                    self.wrong("type", name, "the name of a type or a list of names", found);
                }
            }
        }
        Some(types)
    }

    fn names(&mut self, key: &str, node: NodeId) -> Vec<Box<str>> {
        let Json::Array(items) = self.document.json(node) else {
            let found = self.document.json(node).kind();
            self.wrong(key, node, "an array of property names", found);
            return Vec::new();
        };
        let mut names = Vec::with_capacity(items.len());
        for &item in items {
            match self.document.json(item) {
                Json::String(name) => names.push((**name).into()),
                other => _ = self.wrong(key, item, "property names", other.kind()),
            }
        }
        names
    }

    fn dependencies(&mut self, key: &str, node: NodeId) -> Parts {
        let Json::Object(members) = self.document.json(node) else {
            return self.wrong(key, node, "an object", self.document.json(node).kind());
        };
        let mut parts = Parts::with_capacity(members.len());
        for (name, member) in members.iter() {
            let is_list = matches!(self.document.json(member.value), Json::Array(_));
            parts.push(match key {
                "dependentSchemas" => Part::DependentSchema(name.into(), self.schema(member.value)),
                "dependencies" if !is_list => {
                    Part::DependentSchema(name.into(), self.schema(member.value))
                }
                _ => Part::DependentRequired(name.into(), self.names(key, member.value)),
            });
        }
        parts
    }

    fn number_keyword(&mut self, schema: NodeId, key: &str, node: NodeId) -> Parts {
        let text = match (self.document.json(node), key) {
            (Json::Number(text), _) => text,
            // In draft 4 the value is a boolean, which makes the bound beside it exclusive.
            (Json::Bool(_), "exclusiveMinimum" | "exclusiveMaximum") => return Parts::new(),
            (other, _) => return self.wrong(key, node, "a number", other.kind()),
        };
        let flagged = |key: &str| {
            let flag = self.document.get(schema, key).map(|flag| self.document.json(flag));
            matches!(flag, Some(Json::Bool(true)))
        };
        let value = match Decimal::parse(text) {
            Ok(value) => value,
            Err(error) => {
                self.found.errors.push(self.document.error(
                    "json-schema::number-limit",
                    node,
                    error.to_string(),
                ));
                return Parts::new();
            }
        };
        let numbers = match key {
            "minimum" => NumberSet::at_least(&value, flagged("exclusiveMinimum")),
            "maximum" => NumberSet::at_most(&value, flagged("exclusiveMaximum")),
            "exclusiveMinimum" => NumberSet::at_least(&value, true),
            "exclusiveMaximum" => NumberSet::at_most(&value, true),
            _ if value.is_zero() || value.is_negative() => {
                return self.wrong(key, node, "a number above 0", text);
            }
            _ => match NumberSet::multiple_of(&value) {
                Some(numbers) => numbers,
                None => {
                    let text = format!("`multipleOf` {text} has too many digits");
                    let error = self.document.error("json-schema::number-limit", node, text);
                    self.found.errors.push(error.with_help("use a divisor of at most 300 digits"));
                    return Parts::new();
                }
            },
        };
        smallvec![Part::Numbers(numbers)]
    }

    fn pattern(&mut self, node: NodeId) -> Option<StringSet> {
        match self.document.json(node) {
            Json::String(text) => self.ecma(text, node),
            other => {
                self.wrong("pattern", node, "a regular expression", other.kind());
                None
            }
        }
    }

    /// Returns the strings that contain a match of a pattern, or `None` after recording an error. The pattern is the
    /// value at `node`, or its key.
    fn ecma(&mut self, text: &str, node: NodeId) -> Option<StringSet> {
        let is_key = !matches!(self.document.json(node), Json::String(own) if **own == *text);
        let error = match self.strings_of(text) {
            Ok(strings) => {
                if dialects::delimited(text) {
                    let warning = Diagnostic::warning(
                        "json-schema::delimited-pattern",
                        format!("the slashes of the pattern {text:?} are part of the text"),
                    );
                    let warning = self.document.place(warning, node);
                    self.found.findings.push(warning.with_help(dialects::DELIMITED));
                }
                return Some(strings);
            }
            Err(error) => error,
        };
        let message = format!("in the pattern {text:?}: {error}");
        let place = self.document.inside(node, is_key, &error.span);
        let error = Diagnostic::error("json-schema::pattern", message)
            .with_pointer(self.document.pointer(node))
            .with_label(place, "")
            .with_help(error.help());
        self.found.errors.push(error);
        None
    }

    fn strings_of(&mut self, pattern: &str) -> Result<StringSet, EcmaError> {
        if let Some(known) = self.found.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let strings = StringSet::pattern(pattern, self.limit)?;
        self.found.patterns.insert(pattern.into(), strings.clone());
        Ok(strings)
    }

    fn format(&mut self, node: NodeId) -> Read {
        let Json::String(name) = self.document.json(node) else {
            let found = self.document.json(node).kind();
            return Read::Parts(self.wrong("format", node, "the name of a format", found));
        };
        if self.formats == Formats::Annotated {
            return annotation("formats are annotations by the options given");
        }
        let Some(format) = format(name) else { return annotation(UNKNOWN_FORMAT) };
        let parts = smallvec![Part::Strings(format.strings())];
        match format.exactness {
            Exactness::Exact => Read::Parts(parts),
            Exactness::Narrower(reason) => Read::But(parts, Verdict::Narrower, reason),
        }
    }

    fn count_keyword(&mut self, key: &str, node: NodeId) -> Read {
        let Some(count) = self.natural(key, node) else { return Read::Parts(Parts::new()) };
        let bounds = match (u32::try_from(count), key.starts_with("min")) {
            (Ok(min), true) => Bounds::at_least(min),
            (Ok(max), false) => Bounds::at_most(max),
            (Err(_), true) => {
                let text = format!("`{key}` is above the limit of {}", u32::MAX);
                let error = self.document.error(INVALID, node, text);
                let help = format!("no text is that long: lower `{key}`, or leave it out");
                self.found.errors.push(error.with_help(help));
                return Read::Parts(Parts::new());
            }
            (Err(_), false) => {
                let reason = "bounds from 2^32 on are not counted";
                return Read::But(Parts::new(), Verdict::Approximate, reason);
            }
        };
        Read::Parts(smallvec![match key {
            "minLength" | "maxLength" => Part::Strings(StringSet::lengths(bounds.min, bounds.max)),
            "minItems" | "maxItems" => Part::ItemCount(bounds),
            _ => Part::MemberCount(bounds),
        }])
    }

    fn natural(&mut self, key: &str, node: NodeId) -> Option<u64> {
        let natural = match self.document.json(node) {
            Json::Number(text) => Decimal::parse(text).ok().and_then(|number| number.natural()),
            _ => None,
        };
        if natural.is_none() {
            let found = match self.document.json(node) {
                Json::Number(text) => text,
                other => other.kind(),
            };
            self.wrong(key, node, "a whole number from 0 on", found);
        }
        natural
    }

    /// Returns the count under the keyword `key` (`minContains` or `maxContains`) of a schema. Returns `None` if the
    /// keyword is absent, malformed, or not in the dialect. A malformed count is reported at its own keyword.
    fn sibling(&self, schema: NodeId, key: &str) -> Option<u32> {
        if !self.context.dialect.counts_contains() {
            return None;
        }
        match self.document.json(self.document.get(schema, key)?) {
            Json::Number(text) => {
                let natural = Decimal::parse(text).ok()?.natural()?;
                Some(u32::try_from(natural).unwrap_or(u32::MAX))
            }
            _ => None,
        }
    }

    /// Returns the keys that neither `properties` nor `patternProperties` of a schema name, or `None` after an error.
    fn undeclared(&mut self, schema: NodeId, place: NodeId) -> Option<StringSet> {
        let document = self.document;
        let mut others = match document.get(schema, "properties").map(|node| document.json(node)) {
            Some(Json::Object(members)) => {
                self.limited(StringSet::all_but(members.keys(), self.limit), place)?
            }
            _ => StringSet::all(),
        };
        let patterns = document.get(schema, "patternProperties").map(|node| document.json(node));
        if let Some(Json::Object(members)) = patterns {
            for pattern in members.keys() {
                // A malformed pattern is reported at its own keyword.
                let names = self.strings_of(pattern).ok()?;
                others = self.limited(others.minus(&names, self.limit), place)?;
            }
        }
        Some(others)
    }

    fn limited<T>(&mut self, result: Result<T, StateLimit>, node: NodeId) -> Option<T> {
        match result {
            Ok(result) => Some(result),
            Err(limit) => {
                let text = format!("the other keys take too large an automaton: {limit}");
                let error = self.document.error("json-schema::state-limit", node, text);
                let help = "simplify the patterns of `patternProperties`, or raise `--max-automaton-states` (the option \
                            `max-states`)";
                self.found.errors.push(error.with_help(help));
                None
            }
        }
    }
}

fn annotation(reason: &'static str) -> Read {
    Read::But(Parts::new(), Verdict::Annotation, reason)
}

fn length(items: &[NodeId]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}
