//! The names of the rewritings, which packs use.

/// The names of the rewritings, in alphabetical order.
pub(crate) const NAMES: [&str; 15] = [
    "closed",
    "drop",
    "formats",
    "lengths",
    "logic",
    "names",
    "numbers",
    "one-required",
    "patterns",
    "printed",
    "references",
    "required",
    "root",
    "tuples",
    "unions",
];

/// Returns the default rewritings for a keyword, in the order of trial. Rewritings named by a pack are tried before
/// them.
pub(crate) fn of_keyword(keyword: &str) -> &'static [&'static str] {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            &["numbers", "drop"]
        }
        "minLength" | "maxLength" => &["lengths", "drop"],
        "pattern" => &["patterns", "printed", "drop"],
        "format" => &["formats", "drop"],
        "oneOf" => &["unions", "printed", "drop"],
        "anyOf" | "type" => &["unions", "logic", "drop"],
        "allOf"
        | "not"
        | "if"
        | "then"
        | "else"
        | "dependentSchemas"
        | "dependentRequired"
        | "dependencies"
        | "contains"
        | "minContains"
        | "maxContains"
        | "propertyNames"
        | "patternProperties"
        | "minProperties"
        | "maxProperties"
        | "unevaluatedItems"
        | "unevaluatedProperties" => &["logic", "printed", "drop"],
        "additionalProperties" => &["closed", "logic", "drop"],
        "required" => &["required", "drop"],
        "$ref" | "$dynamicRef" | "$recursiveRef" | "$anchor" | "$dynamicAnchor"
        | "$recursiveAnchor" | "definitions" | "$defs" => &["references", "drop"],
        "prefixItems" | "additionalItems" | "items" | "minItems" | "maxItems" => {
            &["tuples", "logic", "drop"]
        }
        "const" | "enum" | "$id" | "id" => &["names", "drop"],
        _ => &["drop"],
    }
}

/// Returns a description of a rewriting, as advice for changing the schema by hand.
pub(crate) fn advice(name: &str) -> &'static str {
    match name {
        "closed" => "set `\"additionalProperties\": false`",
        "formats" => "write the format as a `pattern`, or leave it out",
        "lengths" => "write the length as a `pattern`, or leave it out",
        "logic" => "write one schema that says the same with `properties`, `required` and `anyOf`",
        "names" => "write it as `enum` of scalars, or leave it out",
        "numbers" => "list the values in `enum` if they are few, or leave the bound out",
        "patterns" => {
            "write the pattern with `^`, `$` and classes in brackets alone, or leave it out"
        }
        "references" => "put the schema into `$defs`, or write it in place of the reference",
        "required" => "require every member, and let optional ones be `null`",
        "root" => "make the outermost schema an object, with this schema as its member",
        "tuples" => "use `items` with one schema",
        "unions" => "use `anyOf`",
        _ => "leave it out",
    }
}
