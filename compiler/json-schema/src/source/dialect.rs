//! Dialects: which keywords a schema resource may use, and how `$schema` names its dialect.
//!
//! A dialect is a draft, possibly restricted by a meta-schema that the user gives: its `$vocabulary` may omit groups of
//! keywords. Without `$schema` the draft is 2020-12, and the spellings of older drafts are accepted as well. If the
//! options say so, a schema without `$schema` follows OpenAPI 3.0, whose schemas never have one.

use grammarc_grammar::diagnostics::Diagnostic;

use super::resources::Resources;
use crate::document::{Document, Json, NodeId};
use serde::Deserialize;

/// The dialect of a schema without `$schema`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaDialect {
    /// JSON Schema: draft 2020-12, and the spellings of older drafts.
    #[default]
    JsonSchema,
    /// OpenAPI 3.0: with `nullable`, and other keywords beside `$ref` are ignored.
    #[serde(rename = "openapi-3.0")]
    OpenApi30,
}

/// A draft of JSON Schema, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Draft {
    /// Draft 4 of JSON Schema, of 2013.
    Draft4,
    /// Draft 6 of JSON Schema, of 2017.
    Draft6,
    /// Draft 7 of JSON Schema, of 2018.
    Draft7,
    /// Draft 2019-09 of JSON Schema.
    Draft201909,
    /// Draft 2020-12 of JSON Schema.
    Draft202012,
}

impl Draft {
    /// Returns the draft of a meta-schema URI, or `None` for another URI.
    fn from_uri(uri: &str) -> Option<Self> {
        Self::from_library(referencing::Draft::from_schema_uri(uri))
    }

    /// Returns the draft as the reference library (crate `referencing`) names it.
    pub(crate) fn library(self) -> referencing::Draft {
        match self {
            Self::Draft4 => referencing::Draft::Draft4,
            Self::Draft6 => referencing::Draft::Draft6,
            Self::Draft7 => referencing::Draft::Draft7,
            Self::Draft201909 => referencing::Draft::Draft201909,
            Self::Draft202012 => referencing::Draft::Draft202012,
        }
    }

    /// Returns the draft that a draft of the reference library (crate `referencing`) denotes. Returns `None` for drafts
    /// that are not supported.
    fn from_library(draft: referencing::Draft) -> Option<Self> {
        match draft {
            referencing::Draft::Draft4 => Some(Self::Draft4),
            referencing::Draft::Draft6 => Some(Self::Draft6),
            referencing::Draft::Draft7 => Some(Self::Draft7),
            referencing::Draft::Draft201909 => Some(Self::Draft201909),
            referencing::Draft::Draft202012 => Some(Self::Draft202012),
            _ => None,
        }
    }
}

/// Groups of keywords that a meta-schema can omit, as bits of [`Dialect::omitted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vocabulary {
    Applicator = 1,
    Unevaluated = 2,
    Validation = 4,
    Format = 8,
}

impl Vocabulary {
    const ALL: [Self; 4] = [Self::Applicator, Self::Unevaluated, Self::Validation, Self::Format];

    /// Returns the group of a keyword, or `None` if no meta-schema can omit the keyword.
    fn of(keyword: &str, draft: Draft) -> Option<Self> {
        Some(match keyword {
            "unevaluatedItems" | "unevaluatedProperties" if draft == Draft::Draft202012 => {
                Self::Unevaluated
            }
            "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "dependentSchemas"
            | "else"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "patternProperties"
            | "prefixItems"
            | "properties"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties" => Self::Applicator,
            "const" | "dependentRequired" | "enum" | "exclusiveMaximum" | "exclusiveMinimum"
            | "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "maximum"
            | "minContains" | "minItems" | "minLength" | "minProperties" | "minimum"
            | "multipleOf" | "pattern" | "required" | "type" | "uniqueItems" => Self::Validation,
            "format" => Self::Format,
            _ => return None,
        })
    }

    /// Returns whether a vocabulary URI names this group.
    fn is_named(self, uri: &str) -> bool {
        let Some((start, name)) = uri.rsplit_once("/vocab/") else { return false };
        start.starts_with("https://json-schema.org/draft/")
            && match self {
                Self::Applicator => name == "applicator",
                Self::Unevaluated => name == "unevaluated",
                Self::Validation => name == "validation",
                Self::Format => name.starts_with("format"),
            }
    }
}

/// The dialect of a schema resource: a draft, with the keywords it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The draft of JSON Schema whose rules apply.
    pub(crate) draft: Draft,
    /// Whether `$schema` names the draft. Otherwise the spellings of older drafts are accepted as well.
    pub(crate) declared: bool,
    /// Whether the keywords of OpenAPI 3.0 have an effect.
    pub(crate) openapi: bool,
    /// The groups of keywords that the meta-schema omits, one bit each.
    omitted: u8,
}

/// Most meta-schemas that are followed from a schema to a draft. Beyond, the last one counts as draft 2020-12, so
/// circular meta-schemas end.
const MAX_META: usize = 8;

impl Dialect {
    /// The dialect of a schema that declares none: draft 2020-12.
    pub(crate) const UNDECLARED: Self =
        Self { draft: Draft::Draft202012, declared: false, openapi: false, omitted: 0 };

    /// The dialect of OpenAPI 3.0. Keywords of JSON Schema that OpenAPI lacks are accepted nevertheless.
    pub(crate) const OPENAPI: Self = Self { openapi: true, ..Self::UNDECLARED };

    /// Returns the dialect of a draft as it is published, with all its keywords.
    pub(crate) fn declared(draft: Draft) -> Self {
        Self { draft, declared: true, openapi: false, omitted: 0 }
    }

    /// Returns the dialect of a document without `$schema`, by the options.
    pub(crate) fn assumed(dialect: SchemaDialect) -> Self {
        match dialect {
            SchemaDialect::JsonSchema => Self::UNDECLARED,
            SchemaDialect::OpenApi30 => Self::OPENAPI,
        }
    }

    /// Returns the dialect of a resource whose outermost schema is `node`: that of its `$schema`, or `outer` without
    /// one. An unknown URI gets a warning and counts as undeclared.
    pub(crate) fn of(
        document: &Document<'_>,
        node: NodeId,
        outer: Self,
        resources: &Resources,
        findings: &mut Vec<Diagnostic>,
    ) -> Self {
        let Some(value) = document.get(node, "$schema") else { return outer };
        let named = match document.json(value) {
            Json::String(uri) => Self::named(uri, resources, MAX_META),
            _ => None,
        };
        named.unwrap_or_else(|| {
            let warning = Diagnostic::warning(
                "json-schema::unknown-dialect",
                "`$schema` names no known draft; read as draft 2020-12",
            )
            .with_help("name a draft, or give the meta-schema with `--registry`");
            findings.push(document.place(warning, value));
            Self::UNDECLARED
        })
    }

    /// Returns the dialect of a `$schema` URI: a draft, or a meta-schema that the user gives. Returns `None` for
    /// another URI. Follows at most `most` more meta-schemas.
    fn named(uri: &str, resources: &Resources, most: usize) -> Option<Self> {
        if let Some(draft) = Draft::from_uri(uri) {
            return Some(Self::declared(draft));
        }
        let meta = resources.named(uri)?;
        let mut dialect = match meta.get("$schema").and_then(serde_json::Value::as_str) {
            Some(above) if most > 0 => Self::named(above, resources, most - 1)?,
            _ => Self::declared(Draft::Draft202012),
        };
        if let Some(vocabularies) = meta.get("$vocabulary").and_then(serde_json::Value::as_object) {
            for group in Vocabulary::ALL {
                if !vocabularies.keys().any(|uri| group.is_named(uri)) {
                    dialect.omitted |= group as u8;
                }
            }
        }
        Some(dialect)
    }

    /// Returns the dialect of a draft of the reference library, or this dialect if the draft is not supported.
    pub(crate) fn or_draft(self, draft: referencing::Draft) -> Self {
        Draft::from_library(draft).map_or(self, Self::declared)
    }

    /// Returns whether the meta-schema omits the group of a keyword.
    pub(crate) fn omits(self, keyword: &str) -> bool {
        self.omitted != 0
            && Vocabulary::of(keyword, self.draft)
                .is_some_and(|group| self.omitted & group as u8 != 0)
    }

    /// Returns whether keywords beside a `$ref` have an effect in the dialect.
    pub(crate) fn siblings_of_ref(self) -> bool {
        self.draft >= Draft::Draft201909 && !self.openapi
    }

    /// Returns whether `prefixItems` is a keyword in the dialect.
    pub(crate) fn prefix_items(self) -> bool {
        !self.declared || self.draft >= Draft::Draft202012
    }

    /// Returns whether `minContains` and `maxContains` are keywords in the dialect.
    pub(crate) fn counts_contains(self) -> bool {
        !self.declared || self.draft >= Draft::Draft201909
    }

    /// Returns whether an array of schemas under `items` constrains the first items one by one.
    pub(crate) fn tuple_items(self) -> bool {
        !self.declared || self.draft <= Draft::Draft201909
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metaschemas_leave_vocabularies_out() {
        let vocabulary = |name| format!("https://json-schema.org/draft/2020-12/vocab/{name}");
        let mut resources = Resources::default();
        let meta = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$vocabulary": {vocabulary("applicator"): true, vocabulary("format-annotation"): false},
        });
        resources.add("http://x/meta", meta).unwrap();
        let below = json!({"$schema": "http://x/meta"});
        resources.add("http://x/below", below).unwrap();
        let dialect = Dialect::named("http://x/meta#", &resources, MAX_META).unwrap();
        assert!(dialect.omits("minimum") && dialect.omits("unevaluatedItems"));
        assert!(!dialect.omits("items") && !dialect.omits("format") && !dialect.omits("$ref"));
        assert_eq!(Dialect::named("http://x/below", &resources, MAX_META), Some(dialect));
        assert_eq!(Dialect::named("http://x/other", &resources, MAX_META), None);
    }

    #[test]
    fn circular_metaschemas_end() {
        let mut resources = Resources::default();
        resources.add("http://x/a", json!({"$schema": "http://x/a"})).unwrap();
        assert!(Dialect::named("http://x/a", &resources, MAX_META).is_some());
    }
}
