//! Reads the value of one keyword into [`Keywords`], checking that it is what the specification says.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::Verdict;

use super::dialect::Dialect;
use super::document::{Document, Json, NodeId};
use super::keyword::FORMATS;
use super::number::Decimal;
use super::resolve::resolve;
use super::schema::{Keywords, Part};
use super::types::TypeSet;

/// What a keyword turned out to be.
pub(crate) enum Read {
    /// It applies other schemas to the same instance.
    Applies,
    /// It says something about the instance itself.
    Asserts,
    /// Neither, or not quite, for this reason.
    Other(Verdict, &'static str),
}

/// Reads keyword values; an error is entered where it is found.
pub(crate) struct Reader<'a> {
    pub(crate) document: &'a Document,
    pub(crate) dialect: Dialect,
    /// Errors so far.
    pub(crate) errors: Vec<Diagnostic>,
    /// Schemas met and not yet read.
    pub(crate) queue: Vec<NodeId>,
}

impl Reader<'_> {
    /// Reads the keyword `key` of `schema`.
    pub(crate) fn read(
        &mut self,
        schema: NodeId,
        key: &str,
        value: NodeId,
        keywords: &mut Keywords,
    ) -> Read {
        match key {
            "$ref" => match resolve(self.document, self.dialect, schema, value) {
                Ok(target) => {
                    self.queue.push(target);
                    keywords.parts.push(Part::Schema(target));
                    return Read::Applies;
                }
                Err(error) => self.errors.push(error),
            },
            "anyOf" => {
                let branches = self.schema_list(key, value);
                keywords.parts.push(Part::Any(branches));
                return Read::Applies;
            }
            "type" => keywords.types = self.types(value),
            "enum" => match self.document.json(value) {
                Json::Array(values) => keywords.values.push(values.clone()),
                other => self.wrong(key, value, "an array", other.kind()),
            },
            "const" => keywords.values.push(vec![value]),
            "minLength" => keywords.length.min = self.least(key, value),
            "minItems" => keywords.count.min = self.least(key, value),
            "maxLength" | "maxItems" => match self.natural(key, value).map(u32::try_from) {
                Some(Ok(most)) if key == "maxLength" => keywords.length.max = Some(most),
                Some(Ok(most)) => keywords.count.max = Some(most),
                Some(Err(_)) => {
                    let reason = "bounds from 2^32 on are not counted";
                    return Read::Other(Verdict::Approximate, reason);
                }
                None => {}
            },
            "prefixItems" => keywords.prefix = self.schema_list(key, value),
            "items" => match self.document.json(value) {
                Json::Array(_) if self.dialect.tuple_items() && keywords.prefix.is_empty() => {
                    keywords.prefix = self.tuple(key, value);
                }
                _ => keywords.items = self.subschema(value),
            },
            "additionalItems" => {
                let tuple =
                    self.document.get(schema, "items").map(|items| self.document.json(items));
                if !matches!(tuple, Some(Json::Array(_))) {
                    let reason = "applies only beside an array of `items`";
                    return Read::Other(Verdict::Annotation, reason);
                }
                keywords.items = self.subschema(value);
            }
            "properties" => match self.document.json(value) {
                Json::Object(members) => {
                    for (name, member) in members {
                        self.queue.push(member.value);
                        keywords.properties.insert(name.clone(), member.value);
                    }
                }
                other => self.wrong(key, value, "an object of schemas", other.kind()),
            },
            "required" => keywords.required = self.names(key, value),
            "additionalProperties" => keywords.additional = self.subschema(value),
            _ => self.invalid(value, format!("the keyword `{key}` has no reader")),
        }
        Read::Asserts
    }

    /// Enters an error about a keyword value.
    pub(crate) fn invalid(&mut self, node: NodeId, text: String) {
        self.errors.push(self.document.error("json-schema::invalid-keyword", node, text));
    }

    fn wrong(&mut self, key: &str, node: NodeId, wanted: &str, found: &str) {
        self.invalid(node, format!("`{key}` takes {wanted}, not {found}"));
    }

    fn subschema(&mut self, node: NodeId) -> Option<NodeId> {
        self.queue.push(node);
        Some(node)
    }

    fn schema_list(&mut self, key: &str, node: NodeId) -> Vec<NodeId> {
        if matches!(self.document.json(node), Json::Array(schemas) if schemas.is_empty()) {
            self.invalid(node, format!("`{key}` takes at least one schema"));
        }
        self.tuple(key, node)
    }

    fn tuple(&mut self, key: &str, node: NodeId) -> Vec<NodeId> {
        match self.document.json(node) {
            Json::Array(schemas) => {
                self.queue.extend(schemas);
                schemas.clone()
            }
            other => {
                self.wrong(key, node, "an array of schemas", other.kind());
                Vec::new()
            }
        }
    }

    fn types(&mut self, node: NodeId) -> Option<TypeSet> {
        let names = match self.document.json(node) {
            Json::Array(names) if !names.is_empty() => names.clone(),
            _ => vec![node],
        };
        let mut types = TypeSet::NONE;
        for name in names {
            match self.document.json(name) {
                Json::String(text) => match TypeSet::named(text) {
                    Some(named) => types = types.union(named),
                    None => {
                        let help = "the types are null, boolean, integer, number, string, array and object";
                        let text = format!("{text:?} is not a JSON type");
                        let error = self.document.error("json-schema::invalid-keyword", name, text);
                        self.errors.push(error.with_help(help));
                    }
                },
                other => {
                    self.wrong("type", name, "the name of a type or a list of names", other.kind());
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
                Json::String(name) => names.push(name.clone()),
                other => self.wrong(key, item, "property names", other.kind()),
            }
        }
        names
    }

    fn natural(&mut self, key: &str, node: NodeId) -> Option<u64> {
        let natural = match self.document.json(node) {
            Json::Number(text) => Decimal::parse(text).natural(),
            _ => None,
        };
        if natural.is_none() {
            self.invalid(node, format!("`{key}` takes a whole number from 0 on"));
        }
        natural
    }

    fn least(&mut self, key: &str, node: NodeId) -> u32 {
        let Some(natural) = self.natural(key, node) else { return 0 };
        u32::try_from(natural).unwrap_or_else(|_| {
            self.invalid(node, format!("`{key}` is above the limit of {}", u32::MAX));
            0
        })
    }
}

/// A keyword of the specification that is not supported in general but holds a value that constrains nothing.
pub(crate) fn constrains_nothing(
    document: &Document,
    key: &str,
    node: NodeId,
) -> Option<(Verdict, &'static str)> {
    match (key, document.json(node)) {
        ("format", Json::String(name)) if FORMATS.binary_search(&&**name).is_err() => {
            Some((Verdict::Annotation, "unknown format"))
        }
        ("uniqueItems", Json::Bool(false)) => Some((Verdict::Exact, "")),
        ("unevaluatedItems" | "unevaluatedProperties", Json::Bool(true)) => {
            Some((Verdict::Exact, ""))
        }
        ("patternProperties", Json::Object(patterns)) if patterns.is_empty() => {
            Some((Verdict::Exact, ""))
        }
        ("minProperties", Json::Number(text)) if Decimal::parse(text).natural() == Some(0) => {
            Some((Verdict::Exact, ""))
        }
        _ => None,
    }
}
