//! Classifies keywords by their value: schemas, other values, or annotations.

/// The kind of value that a keyword has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One schema, as for `not`.
    Schema,
    /// A list of schemas, as for `anyOf`. `items` may hold one schema or a list.
    List,
    /// An object of schemas by name, as for `properties`.
    Named,
    /// No schema.
    Value,
}

/// Returns the kind of value that a keyword has.
pub(crate) fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "$defs" | "definitions" | "dependentSchemas" | "dependencies" | "patternProperties"
        | "properties" => Holds::Named,
        _ => Holds::Value,
    }
}

/// Whether a keyword holds definitions, which apply to a value only through references.
pub(crate) fn is_definitions(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}

/// Whether a keyword constrains no value by itself: annotations, identifiers and definitions.
pub(crate) fn is_annotation(keyword: &str) -> bool {
    const ANNOTATIONS: [&str; 29] = [
        "$anchor",
        "$comment",
        "$defs",
        "$dynamicAnchor",
        "$id",
        "$recursiveAnchor",
        "$schema",
        "$vocabulary",
        "components",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "externalDocs",
        "id",
        "nullable",
        "propertyOrdering",
        "readOnly",
        "title",
        "writeOnly",
        "x-order",
        "xml",
        "$async",
    ];
    ANNOTATIONS.contains(&keyword) || !is_known(keyword)
}

/// Whether some draft defines the keyword.
pub(crate) fn is_known(keyword: &str) -> bool {
    use std::sync::LazyLock;
    static KNOWN: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let rows = grammarc_json_schema::support_table();
        rows.filter(|row| row.drafts.is_some()).map(|row| row.name).collect()
    });
    KNOWN.contains(&keyword)
}

/// Returns the JSON types that a keyword constrains. Empty for keywords about values of every type.
pub(crate) fn types_of(keyword: &str) -> &'static [&'static str] {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            &["number"]
        }
        "minLength" | "maxLength" | "pattern" | "format" => &["string"],
        "items" | "prefixItems" | "additionalItems" | "minItems" | "maxItems" | "uniqueItems"
        | "contains" | "minContains" | "maxContains" | "unevaluatedItems" => &["array"],
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "dependencies"
        | "unevaluatedProperties" => &["object"],
        _ => &[],
    }
}
