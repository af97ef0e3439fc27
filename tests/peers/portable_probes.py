"""Probes of JSON Schema keywords: a small typed schema each, with texts that are instances and texts that are not.

Each row is (name, keyword, schema, right, wrong). A value is written as compact JSON with keys in its own order; `Text` is taken as it is.
The keywords `layout`, `key-order` and `spelling` are no keywords of JSON Schema: they probe how an instance may be written.
`portable.py` judges all texts with the `jsonschema` package before any engine sees them.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Text(str):
    """JSON as it is written, in place of a value."""


class Probe(NamedTuple):
    name: str
    keyword: str
    schema: Any
    right: list[Any]
    wrong: list[Any]


DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT2020 = "https://json-schema.org/draft/2020-12/schema"

INT = {"type": "integer"}
STR = {"type": "string"}


def integer(**more: Any) -> dict[str, Any]:
    return {"type": "integer", **more}


def number(**more: Any) -> dict[str, Any]:
    return {"type": "number", **more}


def string(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def array(**more: Any) -> dict[str, Any]:
    return {"type": "array", **more}


def members(properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """An object; `properties` come first."""
    return {"type": "object", **({"properties": properties} if properties is not None else {}), **more}


def closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """A closed object whose named members are required."""
    return members(properties, **({"required": list(required)} if required else {}), additionalProperties=False, **more)


def member(schema: Any, **more: Any) -> dict[str, Any]:
    """A closed object with one required member `a`."""
    return {**more, **closed({"a": schema}, "a")}


def matching(name: str, pattern: str, right: list[Any], wrong: list[Any], **more: Any) -> Probe:
    return Probe(f"pattern-{name}", "pattern", string(pattern=pattern, **more), right, wrong)


def formatted(name: str, right: list[Any], wrong: list[Any]) -> Probe:
    return Probe(f"format-{name}", "format", string(format=name), right, wrong)


def annotated(keyword: str, value: Any, right: str = "a") -> Probe:
    return Probe(f"annotation-{keyword}", keyword, string(**{keyword: value}), [right], [1])


TYPES = [
    Probe("type-string", "type", STR, ["", "é", 'a"b'], [1, None]),
    Probe("type-integer", "type", INT, [0, -3, 12345], [1.5, "1", Text("01")]),
    Probe("type-number", "type", {"type": "number"}, [0, -1.5, Text("1e5"), Text("1.25E-2")], ["1", Text("01"), Text("1.")]),
    Probe("type-boolean", "type", {"type": "boolean"}, [True, False], [0, "true"]),
    Probe("type-null", "type", {"type": "null"}, [None], [0, ""]),
    Probe("type-array", "type", {"type": "array"}, [[], [1, "a", None]], [{}, Text("[1,]")]),
    Probe("type-object", "type", {"type": "object"}, [{}, {"a": 1, "b": {"c": []}}], [[], Text('{"a":1,}')]),
    Probe("type-list", "type", {"type": ["string", "null"]}, ["a", None], [1, []]),
    Probe("type-list-with-bounds", "type", {"type": ["string", "integer"], "minimum": 1, "minLength": 1}, ["a", 1], [0, ""]),
    Probe("enum-strings", "enum", string(enum=["a", "b c"]), ["a", "b c"], ["b", "A"]),
    Probe("enum-scalars", "enum", {"enum": ["a", 1, None, True]}, ["a", 1, None, True], ["1", False]),
    Probe("enum-integers", "enum", integer(enum=[1, 10]), [1, 10], [0, 101]),
    Probe("enum-objects", "enum", members(enum=[{"a": 1}, {"a": [2]}]), [{"a": 1}, {"a": [2]}], [{"a": 2}, {}]),
    Probe("enum-beside-other-types", "enum", string(enum=["a", 1]), ["a"], [1]),
    Probe("const-string", "const", string(const="a"), ["a"], ["b", "aa"]),
    Probe("const-integer", "const", integer(const=7), [7], [70, -7]),
    Probe("const-object", "const", members(const={"a": 1, "b": [None]}), [{"a": 1, "b": [None]}], [{"a": 1}, {}]),
    Probe("const-array", "const", array(const=[1, 2]), [[1, 2]], [[1], [2, 1]]),
    Probe("schema-empty", "true", {}, [1, "a", {"a": []}], []),
    Probe("schema-true-in-properties", "true", member(True), [{"a": 1}, {"a": []}], [{}]),
    Probe("schema-false-in-properties", "false", closed({"a": False, "b": INT}), [{}, {"b": 1}], [{"a": 1}]),
    Probe("schema-false-in-items", "false", array(items=False), [[]], [[1]]),
    Probe("schema-false-at-root", "false", False, [], [1, {}]),
]

NUMBERS = [
    Probe("minimum-integer", "minimum", integer(minimum=3), [3, 100], [2, -5]),
    Probe("minimum-integer-negative", "minimum", integer(minimum=-12), [-12, 0, 7], [-13, -100]),
    Probe("minimum-integer-fraction", "minimum", integer(minimum=1.5), [2], [1]),
    Probe("minimum-integer-large", "minimum", integer(minimum=0), [12345678901234567890], [-1]),
    Probe("maximum-integer", "maximum", integer(maximum=10), [10, -100], [11, 100]),
    Probe("bounds-integer", "maximum", integer(minimum=5, maximum=120), [5, 99, 120], [4, 121, 1000]),
    Probe("exclusive-minimum-integer", "exclusiveMinimum", integer(exclusiveMinimum=3), [4, 30], [3, 0]),
    Probe("exclusive-maximum-integer", "exclusiveMaximum", integer(exclusiveMaximum=10), [9, -1], [10, 11]),
    Probe("minimum-number", "minimum", number(minimum=2.5), [2.5, 3], [2.4, 0, -1]),
    Probe("maximum-number", "maximum", number(maximum=2.5), [2.5, -3], [2.6, 30]),
    Probe("bounds-number", "maximum", number(minimum=0, maximum=1), [0, 0.5, 1], [-0.1, 1.1, 2]),
    Probe("bounds-number-exponent", "maximum", number(minimum=0, maximum=1), [Text("5e-1")], [Text("1e1"), Text("1e+1")]),
    Probe("exclusive-minimum-number", "exclusiveMinimum", number(exclusiveMinimum=0), [0.1, 3], [0, -1]),
    Probe("exclusive-maximum-number", "exclusiveMaximum", number(exclusiveMaximum=1), [0.9, -1], [1, 1.5]),
    Probe("exclusive-minimum-draft4", "exclusiveMinimum", {"$schema": "http://json-schema.org/draft-04/schema#", **integer(minimum=3, exclusiveMinimum=True)}, [4], [3]),
    Probe("multiple-of-integer", "multipleOf", integer(multipleOf=5), [0, 15, -5], [7, 11]),
    Probe("multiple-of-integer-bounded", "multipleOf", integer(multipleOf=5, minimum=0, maximum=20), [0, 20], [7, 25]),
    Probe("multiple-of-number", "multipleOf", number(multipleOf=0.5), [1.5, 2], [1.3, 0.1]),
    Probe("multiple-of-hundredth", "multipleOf", number(multipleOf=0.01), [1.25, 3], [1.255, 0.001]),
]

STRINGS = [
    Probe("min-length", "minLength", string(minLength=2), ["ab", "abc"], ["", "a"]),
    Probe("max-length", "maxLength", string(maxLength=3), ["", "abc"], ["abcd"]),
    Probe("lengths", "maxLength", string(minLength=1, maxLength=3), ["a", "abc"], ["", "abcd"]),
    Probe("max-length-code-points", "maxLength", string(maxLength=2), ["éé", "😀😀"], ["ééé"]),
    Probe("max-length-escapes", "maxLength", string(maxLength=1), [Text('"\\n"'), Text('"\\u00e9"')], [Text('"\\n\\n"')]),
    Probe("min-length-2001", "minLength", string(minLength=2001), ["a" * 2001], ["a" * 2000]),
    Probe("max-length-100", "maxLength", string(maxLength=100), ["a" * 100], ["a" * 101]),
    Probe("max-length-500", "maxLength", string(maxLength=500), ["a" * 500], ["a" * 501]),
    Probe("max-length-2000", "maxLength", string(maxLength=2000), ["a" * 2000], ["a" * 2001]),
    Probe("max-length-2001", "maxLength", string(maxLength=2001), ["a" * 2001], ["a" * 2002]),
    Probe("max-length-10000", "maxLength", string(maxLength=10000), ["a" * 10000], ["a" * 10001]),
    matching("anchored", "^[a-c]{2}$", ["ab", "cc"], ["a", "abc", "xy"]),
    matching("unanchored", "b", ["b", "abc"], ["ac", ""]),
    matching("anchored-at-start", "^ab", ["ab", "abc"], ["cab", ""]),
    matching("anchored-at-end", "ab$", ["ab", "cab"], ["abc", ""]),
    matching("digit", "^\\d{3}$", ["123"], ["12", "12a"]),
    matching("word", "^\\w+$", ["a_1"], ["a-1", ""]),
    matching("space", "^a\\sb$", ["a b"], ["ab", "a_b"]),
    matching("dot", "^a.c$", ["abc"], ["ac", "abbc"]),
    matching("negated-class", "^[^a]+$", ["bcd", "é"], ["bad", ""]),
    matching("alternatives", "^(ab|c)$", ["ab", "c"], ["a", "abc"]),
    matching("alternatives-with-own-anchors", "^a|b$", ["a", "ax", "xb"], ["xa", "bx"]),
    matching("non-capturing-group", "^(?:ab)+$", ["ab", "abab"], ["aba", ""]),
    matching("named-group", "^(?<x>ab)c$", ["abc"], ["ab"]),
    matching("lazy", "^a+?$", ["a", "aa"], ["", "b"]),
    matching("count-of-range", "^a{2,}$", ["aa", "aaaa"], ["a", ""]),
    matching("count-large", "^a{150}$", ["a" * 150], ["a" * 149, "a" * 151]),
    matching("hexadecimal-escape", "^\\x41\\u0042$", ["AB"], ["ab", "A"]),
    matching("escaped-punctuation", "^\\.\\/\\-$", ["./-"], ["a/-", ""]),
    matching("negative-lookahead", "^(?!ab)[a-c]+$", ["ba", "a"], ["ab", "abc"]),
    matching("lookahead", "^(?=.*[0-9])[a-z0-9]+$", ["a1"], ["ab"]),
    matching("lookbehind", "^[a-z]+(?<!b)$", ["aa"], ["ab"]),
    matching("word-boundary", "\\bcat\\b", ["cat", "a cat"], ["cats", ""]),
    matching("backreference", "^(a|b)\\1$", ["aa", "bb"], ["ab"]),
    matching("unicode-property", "^\\p{L}+$", ["aé"], ["a1", ""]),
    matching("not-ascii", "^é+$", ["éé"], ["e", ""]),
    matching("quotation-mark", '^"a"$', ['"a"'], ["a"]),
    matching("with-lengths", "^[a-c]+$", ["ab"], ["a", "abca", "xy"], minLength=2, maxLength=3),
    matching("with-format", "^2", ["2024-01-31"], ["1999-01-31", "2x"], format="date"),
    formatted("date", ["2024-01-31"], ["2024-13-01", "x", "2024-1-1"]),
    formatted("time", ["12:30:45Z", "12:30:45+02:00"], ["25:00:00Z", "x"]),
    formatted("date-time", ["2024-01-31T12:30:45Z"], ["2024-01-31", "x"]),
    formatted("duration", ["P1D", "PT2H"], ["1D", "x"]),
    formatted("email", ["ab@example.org"], ["ab", "x y"]),
    formatted("hostname", ["example.org"], ["-a-.org", "a b"]),
    formatted("ipv4", ["127.0.0.1"], ["256.0.0.1", "x"]),
    formatted("ipv6", ["::1", "2001:db8::1"], ["12345::", "x"]),
    formatted("uuid", ["12345678-1234-1234-1234-123456789abc"], ["12345678", "x"]),
    formatted("uri", ["https://example.org/a?b#c", "urn:a:b"], ["//a", "x y"]),
    formatted("uri-reference", ["/a/b", "https://example.org/"], ["a b", "\\\\a"]),
    formatted("uri-template", ["/a/{b}"], ["/a/{b"]),
    formatted("iri", ["https://example.org/é"], ["x y"]),
    formatted("json-pointer", ["", "/a/0"], ["a", "/~2"]),
    formatted("relative-json-pointer", ["0/a", "1#"], ["/a", "x"]),
    formatted("regex", ["a+"], ["a(", "["]),
    Probe("format-unknown", "format", string(format="x-phone"), ["", "+1 23"], [1]),
    Probe("format-with-lengths", "format", string(format="date", maxLength=10), ["2024-01-31"], ["x", "2024-13-01"]),
]

ARRAYS = [
    Probe("items", "items", array(items=INT), [[], [1, 2]], [["a"], [1, "a"]]),
    Probe("items-nested", "items", array(items=array(items=INT)), [[[1], []]], [[1], [["a"]]]),
    Probe("min-items", "minItems", array(items=INT, minItems=2), [[1, 2], [1, 2, 3]], [[], [1]]),
    Probe("max-items", "maxItems", array(items=INT, maxItems=2), [[], [1, 2]], [[1, 2, 3]]),
    Probe("max-items-zero", "maxItems", array(items=INT, maxItems=0), [[]], [[1]]),
    Probe("max-items-2000", "maxItems", array(items=INT, maxItems=2000), [[1] * 2000], [[1] * 2001]),
    Probe("max-items-2002", "maxItems", array(items=INT, maxItems=2002), [[1] * 2002], [[1] * 2003]),
    Probe("min-items-alone", "minItems", array(minItems=1), [[1], ["a", 2]], [[]]),
    Probe("unique-items", "uniqueItems", array(items=INT, uniqueItems=True), [[], [1, 2]], [[1, 1]]),
    Probe("unique-items-of-enum", "uniqueItems", array(items=string(enum=["a", "b"]), uniqueItems=True), [["b", "a"]], [["a", "a"]]),
    Probe("contains", "contains", array(contains={"const": 1}), [[1], [2, 1]], [[], [2]]),
    Probe("contains-with-items", "contains", array(items=INT, contains=integer(minimum=5)), [[5], [1, 7]], [[], [1]]),
    Probe("min-contains", "minContains", array(items=INT, contains={"const": 1}, minContains=2), [[1, 1]], [[1], [1, 2]]),
    Probe("max-contains", "maxContains", array(items=INT, contains={"const": 1}, maxContains=1), [[1, 2]], [[1, 1], [2]]),
    Probe("prefix-items", "prefixItems", array(prefixItems=[INT, STR]), [[1, "a"]], [["a", "a"], [1, 2]]),
    Probe("prefix-items-shorter", "prefixItems", array(prefixItems=[INT, STR]), [[], [1]], [["a"]]),
    Probe("prefix-items-longer", "prefixItems", array(prefixItems=[INT, STR]), [[1, "a", None]], [[1, 2, None]]),
    Probe("prefix-items-closed", "prefixItems", array(prefixItems=[INT, STR], items=False, minItems=2), [[1, "a"]], [[1], [1, "a", 2]]),
    Probe("prefix-items-with-items", "prefixItems", array(prefixItems=[INT], items=STR, minItems=1), [[1], [1, "a"]], [["a"], [1, 2]]),
    Probe("items-list", "items", {"$schema": DRAFT7, **array(items=[INT, STR])}, [[1, "a"]], [["a", "a"], [1, 2]]),
    Probe("additional-items-false", "additionalItems", {"$schema": DRAFT7, **array(items=[INT], additionalItems=False)}, [[1]], [[1, 2], ["a"]]),
    Probe("unevaluated-items", "unevaluatedItems", array(prefixItems=[INT], unevaluatedItems=False), [[1]], [["a"], [1, 2]]),
    Probe("unevaluated-items-all-of", "unevaluatedItems", array(allOf=[{"prefixItems": [INT]}], unevaluatedItems=False), [[1]], [["a"], [1, 2]]),
]

OBJECTS = [
    Probe("properties-closed", "properties", closed({"a": INT, "b": STR}, "a", "b"), [{"a": 1, "b": "x"}], [{"a": "x", "b": "x"}, {"a": 1, "b": 1}]),
    Probe("properties-open", "properties", members({"a": INT}, required=["a"]), [{"a": 1}], [{"a": "x"}]),
    Probe("properties-open-other-keys", "additionalProperties", members({"a": INT}, required=["a"]), [{"a": 1, "z": "x"}], [{"a": "x", "z": 1}]),
    Probe("properties-keys-not-ascii", "properties", closed({"é": INT, 'q"': INT}, "é", 'q"'), [{"é": 1, 'q"': 2}], [{"é": "x", 'q"': 2}]),
    Probe("properties-nested", "properties", member(closed({"b": INT}, "b")), [{"a": {"b": 1}}], [{"a": {}}, {"a": {"b": "x"}}]),
    Probe("properties-empty-closed", "additionalProperties", closed({}), [{}], [{"a": 1}]),
    Probe("required", "required", closed({"a": INT, "b": INT}, "a"), [{"a": 1}, {"a": 1, "b": 2}], [{}, {"b": 2}]),
    Probe("required-none", "required", closed({"a": INT, "b": INT}), [{}, {"a": 1}, {"b": 2}], [{"b": "x"}]),
    Probe("required-alone", "required", members(required=["a"]), [{"a": 1}, {"b": 2, "a": 1}], [{}, {"b": 2}]),
    Probe("required-not-in-properties", "required", members({"a": INT}, required=["b"]), [{"a": 1, "b": 2}], [{}, {"a": 1}]),
    Probe("additional-properties-false", "additionalProperties", closed({"a": INT}, "a"), [{"a": 1}], [{"a": 1, "b": 2}]),
    Probe("additional-properties-true", "additionalProperties", members({"a": INT}, additionalProperties=True), [{"a": 1, "b": "x"}, {"z": 1}], [{"a": "x"}]),
    Probe("additional-properties-schema", "additionalProperties", members(additionalProperties=INT), [{}, {"a": 1, "b": 2}], [{"a": "x"}]),
    Probe("additional-properties-beside-properties", "additionalProperties", members({"a": STR}, required=["a"], additionalProperties=INT), [{"a": "x"}, {"a": "x", "b": 2}], [{"a": "x", "b": "y"}, {"a": 1}]),
    Probe("pattern-properties", "patternProperties", members(patternProperties={"^x": INT}), [{"x1": 1}], [{"x1": "a"}]),
    Probe("pattern-properties-other-keys", "patternProperties", members(patternProperties={"^x": INT}), [{"x1": 1, "b": "a"}], [{"b": "a", "x1": "a"}]),
    Probe("pattern-properties-closed", "patternProperties", members(patternProperties={"^x[0-9]$": INT}, additionalProperties=False), [{"x1": 1}, {}], [{"x1": "a"}, {"b": 1}]),
    Probe("pattern-properties-unanchored", "patternProperties", members(patternProperties={"x": INT}, additionalProperties=False), [{"axb": 1}], [{"b": 1}]),
    Probe("pattern-properties-beside-properties", "patternProperties", members({"a": STR}, patternProperties={"^x[0-9]$": INT}, additionalProperties=False), [{"a": "b", "x1": 1}], [{"a": "b", "x1": "c"}]),
    Probe("property-names-pattern", "propertyNames", members(propertyNames={"pattern": "^[a-z]+$"}), [{"ab": 1}, {}], [{"A1": 1}]),
    Probe("property-names-enum", "propertyNames", members(propertyNames={"enum": ["a", "b"]}), [{"a": 1}], [{"c": 1}]),
    Probe("property-names-with-map", "propertyNames", members(propertyNames=string(pattern="^[a-z]+$"), additionalProperties=INT), [{"ab": 1}], [{"A1": 1}, {"ab": "x"}]),
    Probe("min-properties", "minProperties", members(additionalProperties=INT, minProperties=2), [{"a": 1, "b": 2}], [{}, {"a": 1}]),
    Probe("max-properties", "maxProperties", members(additionalProperties=INT, maxProperties=1), [{}, {"a": 1}], [{"a": 1, "b": 2}]),
    Probe("min-properties-beside-properties", "minProperties", closed({"a": INT, "b": INT}, minProperties=1), [{"a": 1}, {"b": 1}], [{}]),
    Probe("dependent-required", "dependentRequired", closed({"a": INT, "b": INT}, dependentRequired={"a": ["b"]}), [{}, {"b": 1}, {"a": 1, "b": 2}], [{"a": 1}]),
    Probe("dependent-schemas", "dependentSchemas", closed({"a": INT, "b": INT}, dependentSchemas={"a": {"required": ["b"]}}), [{}, {"a": 1, "b": 2}], [{"a": 1}]),
    Probe("dependencies-draft7", "dependencies", {"$schema": DRAFT7, **closed({"a": INT, "b": INT}, dependencies={"a": ["b"]})}, [{}, {"a": 1, "b": 2}], [{"a": 1}]),
    Probe("unevaluated-properties", "unevaluatedProperties", members({"a": INT}, unevaluatedProperties=False), [{"a": 1}, {}], [{"a": "x"}, {"b": 1}]),
    Probe("unevaluated-properties-all-of", "unevaluatedProperties", members(allOf=[members({"a": INT})], unevaluatedProperties=False), [{"a": 1}], [{"b": 1}, {"a": "x"}]),
]

LOGIC = [
    Probe("any-of", "anyOf", {"anyOf": [INT, STR]}, [1, "a"], [True, []]),
    Probe("any-of-objects", "anyOf", {"anyOf": [closed({"a": INT}, "a"), closed({"b": INT}, "b")]}, [{"a": 1}, {"b": 1}], [{}, {"a": 1, "b": 1}]),
    Probe("any-of-in-property", "anyOf", member({"anyOf": [INT, {"type": "null"}]}), [{"a": 1}, {"a": None}], [{"a": "x"}]),
    Probe("any-of-beside-properties", "anyOf", members({"a": INT, "b": INT}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]), [{"a": 1}, {"b": 1}], [{}]),
    Probe("any-of-beside-closed-properties", "anyOf", closed({"a": INT, "b": INT}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]), [{"a": 1}, {"a": 1, "b": 2}], [{}, {"a": "x"}]),
    Probe("any-of-beside-type", "anyOf", integer(anyOf=[{"maximum": 3}, {"minimum": 10}]), [3, 10], [5]),
    Probe("one-of-disjoint", "oneOf", {"oneOf": [INT, STR]}, [1, "a"], [True, []]),
    Probe("one-of-by-tag", "oneOf", {"oneOf": [closed({"k": {"const": "x"}, "v": INT}, "k", "v"), closed({"k": {"const": "y"}, "v": STR}, "k", "v")]}, [{"k": "x", "v": 1}, {"k": "y", "v": "a"}], [{"k": "x", "v": "a"}, {"k": "z", "v": 1}]),
    Probe("one-of-overlapping", "oneOf", {"oneOf": [integer(minimum=0, maximum=10), integer(minimum=5, maximum=20)]}, [0, 20], [7, 21]),
    Probe("one-of-overlapping-objects", "oneOf", {"oneOf": [members({"a": INT}, required=["a"]), members({"b": INT}, required=["b"])]}, [{"a": 1}, {"b": 1}], [{"a": 1, "b": 1}, {}]),
    Probe("all-of-objects", "allOf", {"allOf": [members({"a": INT}, required=["a"]), members({"b": STR}, required=["b"])]}, [{"a": 1, "b": "x"}], [{"a": 1}, {"a": 1, "b": 2}]),
    Probe("all-of-single-string", "allOf", {"allOf": [string(maxLength=2)]}, ["ab"], ["abc", 1]),
    Probe("all-of-single-object", "allOf", {"allOf": [closed({"a": INT}, "a")]}, [{"a": 1}], [{}, {"a": "x"}]),
    Probe("all-of-bounds", "allOf", {"allOf": [integer(minimum=3), integer(maximum=5)]}, [3, 5], [2, 6]),
    Probe("all-of-beside-properties", "allOf", members({"a": INT}, required=["a"], allOf=[members({"b": STR}, required=["b"])]), [{"a": 1, "b": "x"}], [{"a": 1}, {"a": "x", "b": "x"}]),
    Probe("all-of-beside-type-string", "allOf", string(allOf=[{"minLength": 2}]), ["ab"], ["a"]),
    Probe("all-of-with-reference", "allOf", {"allOf": [{"$ref": "#/$defs/x"}, members({"b": STR}, required=["b"])], "$defs": {"x": members({"a": INT}, required=["a"])}}, [{"a": 1, "b": "x"}], [{"a": 1}, {"a": "x", "b": "x"}]),
    Probe("not-const", "not", string(**{"not": {"const": "a"}}), ["b", "aa"], ["a"]),
    Probe("not-type", "not", {"not": STR}, [1, None], ["a"]),
    Probe("not-required", "not", closed({"a": INT, "b": INT}, **{"not": {"required": ["a", "b"]}}), [{"a": 1}, {}], [{"a": 1, "b": 2}]),
    Probe("if-then-else", "if", closed({"k": string(enum=["x", "y"]), "v": INT}, "k", **{"if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["v"]}}), [{"k": "y"}, {"k": "x", "v": 1}], [{"k": "x"}]),
    Probe("else", "else", closed({"k": string(enum=["x", "y"]), "v": INT}, "k", **{"if": {"properties": {"k": {"const": "x"}}}, "else": {"required": ["v"]}}), [{"k": "x"}, {"k": "y", "v": 1}], [{"k": "y"}]),
    Probe("if-alone", "if", integer(**{"if": {"minimum": 5}}), [1, 7], ["a"]),
]

NODE = members({"v": INT, "n": {"$ref": "#/$defs/node"}}, required=["v"], additionalProperties=False)

REFERENCES = [
    Probe("ref-defs", "$ref", member({"$ref": "#/$defs/x"}, **{"$defs": {"x": INT}}), [{"a": 1}], [{"a": "x"}, {}]),
    Probe("ref-definitions", "definitions", member({"$ref": "#/definitions/x"}, definitions={"x": INT}), [{"a": 1}], [{"a": "x"}, {}]),
    Probe("ref-at-root", "$ref", {"$ref": "#/$defs/x", "$defs": {"x": INT}}, [1], ["x"]),
    Probe("ref-to-property", "$ref", closed({"a": INT, "b": {"$ref": "#/properties/a"}}, "a", "b"), [{"a": 1, "b": 2}], [{"a": 1, "b": "x"}]),
    Probe("ref-chain", "$ref", {"$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/y"}, "y": INT}}, [1], ["x"]),
    Probe("ref-escapes", "$ref", {"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": INT}}, [1], ["x"]),
    Probe("ref-beside-keywords", "$ref", member({"$ref": "#/$defs/x", "maximum": 5}, **{"$defs": {"x": INT}}), [{"a": 5}], [{"a": 6}, {"a": "x"}]),
    Probe("ref-beside-description", "$ref", member({"$ref": "#/$defs/x", "description": "d"}, **{"$defs": {"x": INT}}), [{"a": 5}], [{"a": "x"}]),
    Probe("ref-to-array-item", "$ref", {"anyOf": [INT, array(items={"$ref": "#/anyOf/0"})]}, [1, [1]], [["x"]]),
    Probe("ref-recursion", "$ref", {"$ref": "#/$defs/node", "$defs": {"node": NODE}}, [{"v": 1}, {"v": 1, "n": {"v": 2, "n": {"v": 3}}}], [{"v": 1, "n": {}}, {"v": 1, "n": {"v": "x"}}]),
    Probe("ref-recursion-deep", "$ref", {"$ref": "#/$defs/node", "$defs": {"node": NODE}}, [{"v": 1, "n": {"v": 2, "n": {"v": 3, "n": {"v": 4, "n": {"v": 5, "n": {"v": 6}}}}}}], []),
    Probe("ref-recursion-to-root", "$ref", closed({"v": INT, "n": array(items={"$ref": "#"})}, "v"), [{"v": 1, "n": [{"v": 2, "n": []}]}], [{"v": 1, "n": [{}]}]),
    Probe("ref-mutual-recursion", "$ref", {"$ref": "#/$defs/x", "$defs": {"x": closed({"y": {"$ref": "#/$defs/y"}}), "y": array(items={"$ref": "#/$defs/x"})}}, [{}, {"y": [{}, {"y": []}]}], [{"y": {}}, {"y": [1]}]),
    Probe("ref-anchor", "$anchor", member({"$ref": "#x"}, **{"$defs": {"x": {"$anchor": "x", **INT}}}), [{"a": 1}], [{"a": "x"}]),
    Probe("ref-id", "$id", {"$id": "https://example.org/s", **member({"$ref": "x"}, **{"$defs": {"x": {"$id": "x", **INT}}})}, [{"a": 1}], [{"a": "x"}]),
    Probe("id-at-root", "$id", {"$id": "https://example.org/s", **member({"$ref": "#/$defs/x"}, **{"$defs": {"x": INT}})}, [{"a": 1}], [{"a": "x"}]),
    Probe("dynamic-ref", "$dynamicRef", {"$dynamicAnchor": "node", **closed({"v": INT, "n": {"$dynamicRef": "#node"}}, "v")}, [{"v": 1, "n": {"v": 2}}], [{"v": 1, "n": {}}, {"v": 1, "n": 1}]),
    Probe("dynamic-anchor-alone", "$dynamicAnchor", {"$dynamicAnchor": "node", **INT}, [1], ["x"]),
    Probe("anchor-alone", "$anchor", {"$anchor": "x", **INT}, [1], ["x"]),
    Probe("defs-unused", "$defs", {**INT, "$defs": {"x": STR}}, [1], ["x"]),
]

ANNOTATIONS = [
    annotated("$comment", "c"),
    annotated("contentEncoding", "base64", "not base64!"),
    annotated("contentMediaType", "application/json", "not json"),
    annotated("default", "b"),
    annotated("deprecated", True),
    annotated("description", "d"),
    annotated("examples", ["b"]),
    annotated("readOnly", True),
    annotated("title", "t"),
    annotated("writeOnly", True),
    annotated("nullable", True),
    annotated("x-unknown", {"a": 1}),
    annotated("propertyOrdering", ["a"]),
    Probe("annotation-contentSchema", "contentSchema", string(contentMediaType="application/json", contentSchema=INT), ["not json"], [1]),
    Probe("annotation-$schema", "$schema", {"$schema": DRAFT2020, **STR}, ["a"], [1]),
    Probe("annotation-$schema-draft7", "$schema", {"$schema": DRAFT7, **STR}, ["a"], [1]),
    Probe("annotation-discriminator", "discriminator", members({"k": STR}, required=["k"], discriminator={"propertyName": "k"}), [{"k": "x"}], [{"k": 1}]),
]

SPELLINGS = [
    Probe("layout-spaces", "layout", closed({"a": INT, "b": INT}, "a", "b"), [Text('{"a": 1, "b": 2}')], [Text('{"a": 1 "b": 2}')]),
    Probe("layout-lines", "layout", closed({"a": INT, "b": INT}, "a", "b"), [Text('{\n  "a": 1,\n  "b": 2\n}')], []),
    Probe("layout-compact", "layout", closed({"a": INT, "b": INT}, "a", "b"), [Text('{"a":1,"b":2}')], []),
    Probe("key-order-declared", "key-order", closed({"a": INT, "b": INT}, "a", "b"), [{"a": 1, "b": 2}], []),
    Probe("key-order-other", "key-order", closed({"a": INT, "b": INT}, "a", "b"), [{"b": 2, "a": 1}], []),
    Probe("key-order-optional-first", "key-order", closed({"a": INT, "b": INT}, "b"), [{"a": 1, "b": 2}], []),
    Probe("spelling-integer-with-fraction", "spelling", INT, [Text("1.0")], [Text("1.5")]),
    Probe("spelling-escaped-letter", "spelling", STR, [Text('"\\u0061"'), Text('"\\n"')], [Text('"\n"'), Text('"\\x"')]),
    Probe("spelling-escaped-enum", "spelling", string(enum=["a"]), [Text('"\\u0061"')], [Text('"\\u0062"')]),
    Probe("spelling-number-of-enum", "spelling", {"enum": [1]}, [Text("1.0")], [Text("1.5")]),
    Probe("spelling-escaped-key", "spelling", closed({"a": INT}, "a"), [Text('{"\\u0061":1}')], [Text('{"\\u0062":1}')]),
    Probe("duplicate-key", "spelling", closed({"a": INT}, "a"), [], [Text('{"a":"x","a":"x"}')]),
]

PROBES = [*TYPES, *NUMBERS, *STRINGS, *ARRAYS, *OBJECTS, *LOGIC, *REFERENCES, *ANNOTATIONS, *SPELLINGS]
