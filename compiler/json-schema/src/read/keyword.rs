//! The table of support: every keyword of every draft, and how this front end treats it.
//!
//! This table is the single source. The survey looks up every keyword occurrence in it, messages quote it, and
//! `docs/json-schema.md` is generated from it.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::source::dialect::{Dialect, Draft};

/// How the front end treats a keyword of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// The keyword constrains instances, and the grammar expresses it exactly.
    Exact,
    /// The keyword holds schemas for others to refer to.
    Definitions,
    /// The keyword constrains nothing, for the given reason.
    Annotation(&'static str),
}

/// A keyword of JSON Schema.
#[derive(Debug)]
pub(crate) struct Keyword {
    /// The name of the keyword.
    pub(crate) name: &'static str,
    /// The first draft that defines the keyword.
    pub(crate) since: Draft,
    /// The last draft that defines the keyword.
    pub(crate) until: Draft,
    /// How the front end treats the keyword in the drafts that define it.
    pub(crate) support: Support,
    /// The occurrences of the keyword for which the report gives another verdict, in words; empty if there are none.
    pub(crate) except: &'static str,
}

const fn keyword(name: &'static str, since: Draft, until: Draft, support: Support) -> Keyword {
    Keyword { name, since, until, support, except: "" }
}

impl Keyword {
    const fn but(self, except: &'static str) -> Self {
        Self { except, ..self }
    }
}

use Draft::{Draft4 as D4, Draft6 as D6, Draft7 as D7, Draft201909 as D19, Draft202012 as D20};
use Support::{Annotation, Definitions, Exact};

/// The treatment of keywords that only name a schema or a place.
const NAMES: Support = Annotation("names a schema or a place");
/// The treatment of keywords whose values only people read.
const PEOPLE: Support = Annotation("is for people");
/// Exception of upper bounds in the table of keyword support: 32 bits do not hold them.
const BOUND: &str = "approximate for bounds from 2^32 on";
/// Exception of `properties` and `required` in the table of keyword support, about the order of keys.
const ORDER: &str = "narrower with keys in any order, where these have too many combinations";
/// Exception of `uniqueItems` in the table of keyword support.
const UNIQUE: &str = "approximate where equal items can be written differently (objects, arrays, numbers that are not in one text each), \
    in more than 1,024 items that must or may come, and under a negation or in one of several alternatives";
/// The treatment of keywords that describe a value without constraining it.
const HINT: Support = Annotation("describes the value and does not constrain it");

/// All keywords of drafts 4 to 2020-12, sorted by name.
pub(crate) const KEYWORDS: &[Keyword] = &[
    keyword("$anchor", D19, D20, NAMES),
    keyword("$comment", D7, D20, PEOPLE),
    keyword("$defs", D19, D20, Definitions),
    keyword("$dynamicAnchor", D20, D20, NAMES),
    keyword("$dynamicRef", D20, D20, Exact),
    keyword("$id", D6, D20, NAMES),
    keyword("$recursiveAnchor", D19, D19, NAMES),
    keyword("$recursiveRef", D19, D19, Exact),
    keyword("$ref", D4, D20, Exact),
    keyword("$schema", D4, D20, Annotation("names the draft")),
    keyword("$vocabulary", D19, D20, NAMES),
    keyword("additionalItems", D4, D19, Exact),
    keyword("additionalProperties", D4, D20, Exact),
    keyword("allOf", D4, D20, Exact),
    keyword("anyOf", D4, D20, Exact),
    keyword("const", D6, D20, Exact),
    keyword("contains", D6, D20, Exact),
    keyword("contentEncoding", D7, D20, HINT),
    keyword("contentMediaType", D7, D20, HINT),
    keyword("contentSchema", D19, D20, HINT),
    keyword("default", D4, D20, HINT),
    keyword("definitions", D4, D20, Definitions),
    keyword("dependencies", D4, D20, Exact),
    keyword("dependentRequired", D19, D20, Exact),
    keyword("dependentSchemas", D19, D20, Exact),
    keyword("deprecated", D19, D20, HINT),
    keyword("description", D4, D20, PEOPLE),
    keyword("else", D7, D20, Exact),
    keyword("enum", D4, D20, Exact),
    keyword("examples", D6, D20, PEOPLE),
    keyword("exclusiveMaximum", D4, D20, Exact),
    keyword("exclusiveMinimum", D4, D20, Exact),
    keyword("format", D4, D20, Exact)
        .but("an annotation for unknown names; narrower for some formats, see below"),
    keyword("id", D4, D4, NAMES),
    keyword("if", D7, D20, Exact),
    keyword("items", D4, D20, Exact),
    keyword("maxContains", D19, D20, Exact),
    keyword("maxItems", D4, D20, Exact).but(BOUND),
    keyword("maxLength", D4, D20, Exact).but(BOUND),
    keyword("maxProperties", D4, D20, Exact).but(BOUND),
    keyword("maximum", D4, D20, Exact),
    keyword("minContains", D19, D20, Exact),
    keyword("minItems", D4, D20, Exact),
    keyword("minLength", D4, D20, Exact),
    keyword("minProperties", D4, D20, Exact)
        .but("approximate where a key that the schema does not name counts twice: in any order, of a finite set of keys, beyond 128 members"),
    keyword("minimum", D4, D20, Exact),
    keyword("multipleOf", D4, D20, Exact)
        .but("refused where multiples take too large an automaton and more than 1,048,576 of them are within the bounds"),
    keyword("not", D4, D20, Exact),
    keyword("oneOf", D4, D20, Exact)
        .but("approximate where branches over objects overlap in too many ways to be distinguished"),
    keyword("pattern", D4, D20, Exact)
        .but("refused with backreferences; narrower where it is excluded up to a length over 64: none that is longer"),
    keyword("patternProperties", D4, D20, Exact).but("refused with backreferences"),
    keyword("prefixItems", D20, D20, Exact),
    keyword("properties", D4, D20, Exact).but(ORDER),
    keyword("propertyNames", D6, D20, Exact),
    keyword("readOnly", D7, D20, HINT),
    keyword("required", D4, D20, Exact).but(ORDER),
    keyword("then", D7, D20, Exact),
    keyword("title", D4, D20, PEOPLE),
    keyword("type", D4, D20, Exact),
    keyword("unevaluatedItems", D19, D20, Exact),
    keyword("unevaluatedProperties", D19, D20, Exact),
    keyword("uniqueItems", D4, D20, Exact)
        .but(UNIQUE),
    keyword("writeOnly", D7, D20, HINT),
];

/// Reason in the report: no draft defines the key, so it constrains nothing.
pub(crate) const UNKNOWN: &str = "unknown keyword";

/// Reason in the report: the keyword exists only in OpenAPI 3.0, and the schema has another dialect.
const OPENAPI_ALONE: &str = "a keyword of OpenAPI 3.0 alone";

/// Reason in the report: the keyword belongs to another draft than the one that `$schema` names.
const OTHER_DRAFT: &str = "not a keyword of the draft that `$schema` names";

/// Reason in the report: no draft defines the format, so it constrains nothing.
pub(crate) const UNKNOWN_FORMAT: &str = "unknown format";

/// Returns whether a reason of the report says that the dialect of a source lacks the keyword.
pub fn is_unknown(reason: &str) -> bool {
    [UNKNOWN, OPENAPI_ALONE, OTHER_DRAFT].contains(&reason)
}

/// Returns whether some draft defines a keyword of this name.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search_by_key(&name, |keyword| keyword.name).is_ok()
}

/// The keywords that OpenAPI 3.0 adds, sorted by name. `nullable` has an effect only in that dialect.
pub(crate) const OPENAPI: &[(&str, Support)] = &[
    ("components", Annotation("holds schemas for references")),
    (
        "discriminator",
        Annotation("names the member that tells branches apart, which these do themselves"),
    ),
    ("example", PEOPLE),
    ("externalDocs", PEOPLE),
    ("nullable", Exact),
    ("xml", Annotation("is for XML")),
];

/// Returns the treatment of the key `name` in a schema of the dialect. By the specification, keys that no draft or only
/// another draft defines are annotations. Without a declared draft the keywords of every draft count.
pub(crate) fn support(name: &str, dialect: Dialect) -> Support {
    static BY_NAME: LazyLock<FxHashMap<&str, &Keyword>> =
        LazyLock::new(|| KEYWORDS.iter().map(|keyword| (keyword.name, keyword)).collect());
    let Some(keyword) = BY_NAME.get(name) else { return openapi(name, dialect) };
    if dialect.omits(name) {
        return Annotation("belongs to a vocabulary that the meta-schema leaves out");
    }
    if !dialect.declared || (keyword.since..=keyword.until).contains(&dialect.draft) {
        return keyword.support;
    }
    match keyword.support {
        // A pointer may lead into any value, so these keywords hold schemas in every draft.
        Definitions => Definitions,
        Annotation(reason) => Annotation(reason),
        Exact => Annotation(OTHER_DRAFT),
    }
}

/// Returns the treatment of a key that no draft defines: a keyword of OpenAPI 3.0, or an unknown key.
fn openapi(name: &str, dialect: Dialect) -> Support {
    match OPENAPI.iter().find(|(known, _)| *known == name) {
        Some((_, Exact)) if !dialect.openapi => Annotation(OPENAPI_ALONE),
        Some(&(_, support)) => support,
        None => Annotation(UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(KEYWORDS.is_sorted_by(|a, b| a.name < b.name));
        assert!(OPENAPI.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn drafts_decide() {
        let draft4 = Dialect::declared(D4);
        let undeclared = Dialect::UNDECLARED;
        assert!(matches!(support("const", draft4), Annotation(_)));
        assert_eq!(support("const", undeclared), Exact);
        assert_eq!(support("additionalItems", undeclared), Exact);
        assert!(matches!(support("x-order", undeclared), Annotation("unknown keyword")));
        assert!(matches!(support("nullable", undeclared), Annotation(_)));
        assert_eq!(support("nullable", Dialect::OPENAPI), Exact);
        assert!(matches!(support("xml", Dialect::OPENAPI), Annotation("is for XML")));
    }
}
