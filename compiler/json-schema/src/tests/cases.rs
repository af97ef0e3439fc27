//! Verdicts by keyword: a schema, texts it accepts, texts it does not.

use std::collections::BTreeMap;

use grammarc_grammar::budget::Budget;
use serde_json::json;

use super::{accepts, compile};
use crate::values::formats;
use crate::values::strings::Alphabet;
use crate::{DigitLimits, JsonSchemaOptions, Piece, TextForm, Whitespace, lower, prelude_grammar};
use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::ir::{Expr, Grammar};

struct Case {
    schema: &'static str,
    good: &'static [&'static str],
    bad: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        schema: "true",
        good: &["null", "[1,{\"a\":[]}]", "\"\\u0001é😀\\n\"", "-0.5", "{}"],
        bad: &[
            "",
            " 1",
            "1 ",
            "[1, 2]",
            "[,]",
            "{\"a\"}",
            "01",
            "1.",
            "1e5",
            "-0",
            "\"\\u0041\"",
            "\"\\/\"",
            "nul",
        ],
    },
    Case {
        schema: r#"{"type": ["string", "null"]}"#,
        good: &["null", "\"x\""],
        bad: &["1", "true", "{}"],
    },
    Case {
        schema: r#"{"type": "integer"}"#,
        good: &["0", "-12", "9007199254740993"],
        bad: &["1.0", "1e3", "007", "+1", "-", "-0"],
    },
    Case {
        schema: r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {}, "c": {"type": "null"}},
            "required": ["b"], "additionalProperties": false}"#,
        good: &[
            r#"{"b":1}"#,
            r#"{"a":1,"b":[]}"#,
            r#"{"a":1,"b":{},"c":null}"#,
            r#"{"b":"x","c":null}"#,
        ],
        bad: &[
            "{}",
            r#"{"a":1}"#,
            r#"{"b":1,"a":1}"#,
            r#"{"a":"1","b":1}"#,
            r#"{"b":1,"d":1}"#,
            r#"{"b":1,}"#,
            r#"{,"b":1}"#,
            r#"{"b":1,"b":1}"#,
        ],
    },
    // Undeclared keys differ from declared ones exactly, in prefixes, extensions and escapes.
    Case {
        schema: r#"{"type": "object", "properties": {"ab": {"type": "null"}, "a\"é": {"type": "null"}},
            "additionalProperties": {"type": "integer"}}"#,
        good: &[
            "{}",
            r#"{"ab":null,"a":1,"abc":2,"b":3,"":4}"#,
            r#"{"a\"é":null,"a\"":1,"a\"è":1,"a\\é":1,"a\u0000":1,"é":5}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"ac":1}"#,
        ],
        bad: &[
            r#"{"ab":1}"#,
            r#"{"a\"é":1}"#,
            r#"{"a":null}"#,
            r#"{"a":1,"ab":null}"#,
            r#"{"ab":null,"ab":null}"#,
            r#"{"abc":null}"#,
        ],
    },
    Case {
        schema: r#"{"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["z", "y"]}"#,
        good: &[r#"{"z":1,"y":2}"#, r#"{"x":1,"z":[],"y":2,"w":3}"#],
        bad: &[r#"{"y":1,"z":2}"#, r#"{"z":1}"#, r#"{"z":1,"y":2,"x":3}"#],
    },
    Case {
        schema: r#"{"properties": {"a": {"type": "integer"}}}"#,
        good: &["1", "\"a\"", "[]", r#"{"a":1}"#, r#"{"b":"a"}"#, "{}"],
        bad: &[r#"{"a":"b"}"#],
    },
    Case {
        schema: r#"{"type": "object", "properties": {"a": false, "b": {"type": "null"}}}"#,
        good: &["{}", r#"{"b":null,"c":1}"#],
        bad: &[r#"{"a":1}"#, r#"{"b":null,"a":1}"#],
    },
    Case {
        schema: r#"{"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 3}"#,
        good: &["[true,false]", "[true,true,true]"],
        bad: &["[]", "[true]", "[true,true,true,true]", "[true,1]", "[true,]"],
    },
    Case {
        schema: r#"{"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false, "type": "array"}"#,
        good: &["[]", "[1]", "[1,\"a\"]"],
        bad: &["[\"a\"]", "[1,\"a\",1]", "[1,2]"],
    },
    Case {
        schema: r#"{"prefixItems": [{"type": "integer"}, {"type": "string"}, {"type": "null"}], "minItems": 2,
            "maxItems": 4, "type": "array", "items": {"type": "integer"}}"#,
        good: &["[1,\"a\"]", "[1,\"a\",null]", "[1,\"a\",null,5]"],
        bad: &["[]", "[1]", "[1,\"a\",null,5,6]", "[1,\"a\",5]"],
    },
    Case {
        schema: r#"{"prefixItems": [{"type": "integer"}, false, {"type": "null"}], "type": "array"}"#,
        good: &["[]", "[1]"],
        bad: &["[1,null]", "[1,null,null]"],
    },
    Case {
        schema: r#"{"type": "array", "items": [{"type": "integer"}], "additionalItems": {"type": "null"}}"#,
        good: &["[]", "[1]", "[1,null,null]"],
        bad: &["[null]", "[1,1]"],
    },
    Case { schema: r#"{"type": "array", "maxItems": 0}"#, good: &["[]"], bad: &["[1]"] },
    Case {
        schema: r#"{"enum": [1, "a\n\"", null, {"x": [true, 1.50], "y": {}}, []]}"#,
        good: &["1", r#""a\n\"""#, "null", r#"{"x":[true,1.5],"y":{}}"#, "[]"],
        bad: &["2", "\"a\"", r#"{"y":{},"x":[true,1.5]}"#, r#"{"x":[true, 1.5],"y":{}}"#],
    },
    Case {
        schema: r#"{"enum": [1, "a", null, 1.5, "abcd"], "type": ["string", "integer"], "maxLength": 2}"#,
        good: &["1", "\"a\""],
        bad: &["null", "1.5", "\"abcd\""],
    },
    Case {
        schema: r#"{"const": {"a": 1}, "properties": {"a": {"type": "integer"}}}"#,
        good: &[r#"{"a":1}"#],
        bad: &["{}", "1"],
    },
    Case {
        schema: r#"{"type": "string", "minLength": 2, "maxLength": 3}"#,
        good: &["\"ab\"", "\"é😀\\n\"", "\"\\u0000\\\\\""],
        bad: &["\"a\"", "\"abcd\"", "\"\"", "1"],
    },
    Case {
        schema: r#"{"type": "string", "minLength": 1}"#,
        good: &["\"a\"", "\"\\n\"", "\"long one\""],
        bad: &["\"\""],
    },
    Case {
        schema: r#"{"anyOf": [{"type": "string", "maxLength": 1}, {"type": "string", "minLength": 3}, {"const": 5}]}"#,
        good: &["\"\"", "\"a\"", "\"abc\"", "5"],
        bad: &["\"ab\"", "6"],
    },
    // The siblings of anyOf hold in every branch.
    Case {
        schema: r#"{"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"],
            "anyOf": [{"properties": {"k": {"const": "a"}, "v": {"type": "integer"}}, "required": ["v"]},
                      {"properties": {"k": {"enum": ["b", 7]}}}]}"#,
        good: &[r#"{"k":"a","v":1}"#, r#"{"k":"b"}"#, r#"{"k":"b","v":"x"}"#],
        bad: &[r#"{"k":"a"}"#, r#"{"k":7}"#, r#"{"k":"a","v":"x"}"#, r#"{"v":1}"#],
    },
    Case {
        schema: r##"{"$defs": {"s": {"type": "string"}}, "$ref": "#/$defs/s", "maxLength": 1}"##,
        good: &["\"a\""],
        bad: &["\"ab\"", "1"],
    },
    Case {
        schema: r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"s": {"type": "string"}},
            "$ref": "#/definitions/s", "maxLength": 1}"##,
        good: &["\"a\"", "\"ab\""],
        bad: &["1"],
    },
    Case {
        schema: r##"{"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}},
            "required": ["v"], "additionalProperties": false}"##,
        good: &[r#"{"v":1}"#, r#"{"v":1,"next":{"v":2,"next":{"v":3}}}"#],
        bad: &[r#"{"v":1,"next":{}}"#, r#"{"v":1,"next":null}"#],
    },
    // Recursive schemas that meet: the intersection closes on itself.
    Case {
        schema: r##"{"$defs": {
              "a": {"type": "array", "items": {"$ref": "#/$defs/a"}},
              "b": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/b"}, "maxItems": 2}, {"type": "null"}]}},
            "$ref": "#/$defs/a", "anyOf": [{"$ref": "#/$defs/b"}]}"##,
        good: &["[]", "[[],[[]]]"],
        bad: &["null", "[[],[],[]]", "[null]", "[[[],[],[]]]"],
    },
    // A branch that only an infinite value satisfies is no branch.
    Case {
        schema: r##"{"$defs": {"inf": {"type": "object", "properties": {"x": {"$ref": "#/$defs/inf"}}, "required": ["x"]}},
            "anyOf": [{"$ref": "#/$defs/inf"}, {"type": "null"}]}"##,
        good: &["null"],
        bad: &["{}", r#"{"x":{}}"#],
    },
    Case {
        schema: r#"{"type": "object", "additionalProperties": {"type": "integer"}, "properties": {}}"#,
        good: &["{}", r#"{"a":1,"b":2}"#],
        bad: &[r#"{"a":"b"}"#],
    },
    Case {
        schema: r#"{"type": "object", "additionalProperties": false}"#,
        good: &["{}"],
        bad: &[r#"{"a":1}"#],
    },
    Case {
        schema: r#"{"allOf":[{"multipleOf":6.75},{"multipleOf":19},{"multipleOf":9.5},{"multipleOf":2.125}]}"#,
        good: &["8721", "-17442", "0", "\"8722\""],
        bad: &["128.25", "513", "8722", "17442.5"],
    },
    Case {
        schema: r#"{"type":"number","minimum":-1000,"maximum":-100,"not":{"anyOf":[
            {"multipleOf":6.75},{"multipleOf":19},{"multipleOf":9.5},{"multipleOf":2.125},{"multipleOf":7}]}}"#,
        good: &["-100", "-1000", "-500.123", "-143.1"],
        bad: &["-99", "-142.5", "-135", "-190", "-119", "-102", "-1001", "-142.50"],
    },
    Case {
        schema: r#"{"type":"integer","multipleOf":0.123456789,"minimum":0,"maximum":1e12}"#,
        good: &["0", "123456789", "999999990900"],
        bad: &["1", "123456788", "1000123446900"],
    },
];

#[test]
fn verdicts() {
    for Case { schema, good, bad } in CASES {
        let lowered = compile(schema).unwrap_or_else(|errors| panic!("{schema}: {errors:?}"));
        for text in *good {
            assert!(accepts(&lowered, text), "{schema} refuses {text}\n{}", lowered.grammar);
        }
        for text in *bad {
            assert!(!accepts(&lowered, text), "{schema} accepts {text}\n{}", lowered.grammar);
        }
    }
}

#[test]
fn optional_properties_in_every_combination() {
    let keys = ["a", "ab", "b", "c", "ca"];
    for required in 0..32u32 {
        let properties: Vec<_> = keys.iter().map(|key| format!("\"{key}\":{{}}")).collect();
        let needed: Vec<_> = (0..5).filter(|i| required >> i & 1 == 1).collect();
        let names: Vec<_> = needed.iter().map(|&i| format!("\"{}\"", keys[i])).collect();
        let schema = format!(
            r#"{{"type":"object","properties":{{{}}},"required":[{}],"additionalProperties":{{"type":"null"}}}}"#,
            properties.join(","),
            names.join(",")
        );
        let lowered = compile(&schema).unwrap();
        for present in 0..64u32 {
            let mut members: Vec<_> = (0..5)
                .filter(|i| present >> i & 1 == 1)
                .map(|i| format!("\"{}\":0", keys[i]))
                .collect();
            if present >> 5 == 1 {
                members.push("\"abc\":null".to_owned());
            }
            let text = format!("{{{}}}", members.join(","));
            assert_eq!(accepts(&lowered, &text), required & !present == 0, "{schema} {text}");
        }
    }
}

/// Returns the nesting depth of an expression.
fn depth(expr: &Expr) -> usize {
    1 + expr.children().iter().map(depth).max().unwrap_or(0)
}

#[test]
fn long_keys_and_tuples_do_not_nest() {
    let schema = |length: usize| {
        let items = vec![r#"{"type":"integer"}"#; length].join(",");
        let key = "k".repeat(length);
        format!(
            r#"{{"type":["array","object"],"properties":{{"{key}":{{"type":"null"}}}},"prefixItems":[{items}]}}"#
        )
    };
    let huge = compile(&schema(5_000)).unwrap();
    let deepest = huge.grammar.rules.iter().map(|rule| depth(&rule.expr)).max();
    assert!(deepest < Some(120), "{deepest:?}");

    let lowered = compile(&schema(200)).unwrap();
    let key = "k".repeat(200);
    assert!(accepts(&lowered, &format!(r#"{{"{key}":null,"{key}k":1,"{}":2}}"#, &key[1..])));
    assert!(!accepts(&lowered, &format!(r#"{{"{key}":1}}"#)));
    assert!(accepts(&lowered, &format!("[{}]", vec!["1"; 200].join(","))));
    assert!(!accepts(&lowered, &format!("[{},null]", vec!["1"; 199].join(","))));
}

#[test]
fn flexible_whitespace_is_bounded() {
    let options = JsonSchemaOptions {
        text: TextForm { whitespace: Whitespace::Flexible { max: 2 }, ..TextForm::SHORT },
        ..JsonSchemaOptions::default()
    };
    let schema = r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}},"b":{"const":[1,{}]}}}"#;
    let lowered = lower(Source::new("<test>", schema), &options, &Budget::new()).unwrap();
    let good = [
        r#"{"a":[1,2],"b":[1,{}]}"#,
        "{\n\t\"a\"  : \n[ \t1 ,\r\n2 ] , \"b\" : [ 1 , { } ] }",
        "{  }",
        "{ \"a\": [  ] }",
        "{\"c\" : [ 1 , { \"d\" : null } ] }",
    ];
    let bad = [
        " {}",
        "{} ",
        "{   }",
        "{\"a\":   []}",
        "{\"a\":[1 0]}",
        "{\"b\":[   1,{}]}",
        "{\"c\":[   ]}",
    ];
    for text in good {
        assert!(accepts(&lowered, text), "{text:?}");
    }
    for text in bad {
        assert!(!accepts(&lowered, text), "{text:?}");
    }
}

#[test]
fn digits_are_bounded() {
    let text = TextForm {
        digits: DigitLimits { integer: 2, fraction: 1, exponent: 0 },
        ..TextForm::SHORT
    };
    let options = JsonSchemaOptions { text, ..JsonSchemaOptions::default() };
    let lowered =
        lower(Source::new("<test>", r#"{"type":"number"}"#), &options, &Budget::new()).unwrap();
    for (number, good) in [("-99.9", true), ("100", false), ("1.25", false), ("1e1", false)] {
        assert_eq!(accepts(&lowered, number), good, "{number}");
    }
}

#[test]
fn equal_schemas_are_one_rule() {
    let point =
        r#"{"type":"object","title":"T","properties":{"x":{"type":"integer"}},"required":["x"]}"#;
    let schema = format!(
        r##"{{"$defs":{{"p":{point}}},"type":"object","properties":{{"a":{point},"b":{{"$ref":"#/$defs/p"}},
            "c":{{"anyOf":[{point},{point}]}}}}}}"##
    );
    let lowered = compile(&schema).unwrap();
    let own = lowered.grammar.rules.iter().filter(|rule| !rule.is_kept()).count();
    assert_eq!(own, 2, "{}", lowered.grammar);
}

/// Returns the content of a rule as a text, with names in place of rule numbers.
fn content(grammar: &Grammar, expr: &Expr) -> String {
    let parts = |parts: &[Expr]| {
        let parts: Vec<_> = parts.iter().map(|part| content(grammar, part)).collect();
        parts.join(" ")
    };
    match expr {
        Expr::Call(rule) => grammar.rule(*rule).name.clone(),
        Expr::Seq(all) => format!("seq({})", parts(all)),
        Expr::Alt(all) => format!("alt({})", parts(all)),
        Expr::Repeat { body, min, max } => format!("{min}..{max:?}({})", content(grammar, body)),
        other => other.to_string(),
    }
}

/// Maps the name of each kept rule to its content, as a text.
fn kept(grammar: &Grammar) -> BTreeMap<String, String> {
    let rules = grammar.rules.iter().filter(|rule| rule.is_kept());
    rules.map(|rule| (rule.name.clone(), content(grammar, &rule.expr))).collect()
}

#[test]
fn shared_rules_are_the_preludes() {
    let formats = formats::common().map(|format| format.name);
    let formats = formats.map(|name| json!({ "type": "string", "format": name }));
    // The names of the rules are patterns.
    let rests =
        Alphabet::all().iter().flat_map(|alphabet| [0, 1].map(|least| alphabet.rest(least).0));
    let rests = rests.map(|name| json!({ "type": "string", "pattern": format!("^{name}$") }));
    let strings: Vec<String> = formats.chain(rests).map(|schema| schema.to_string()).collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"integer"}},"b":{{"type":"string","minLength":1}},
        "c":{{"type":"array"}},"d":{{"type":"string","maxLength":5}},"e":{{"type":"string","maxLength":5}},
        "f":{{"type":"array","prefixItems":[{}]}}}}}}"#,
        strings.join(",")
    );
    for whitespace in [Whitespace::Compact, Whitespace::Flexible { max: 3 }] {
        let text = TextForm { whitespace, ..TextForm::SHORT };
        let options = JsonSchemaOptions { text, ..JsonSchemaOptions::default() };
        let source = Source::new("<test>", schema.as_str());
        let mut shared = kept(&lower(source, &options, &Budget::new()).unwrap().grammar);
        assert!(shared.remove("string-tail{0,5}").is_some());
        // Some rules of the prelude only let the network share their counts.
        let mut prelude = kept(&prelude_grammar(&[text]));
        prelude.retain(|name, _| {
            !["string-tail{", "characters{", "fraction"].iter().any(|begin| name.starts_with(begin))
        });
        assert_eq!(shared.keys().collect::<Vec<_>>(), prelude.keys().collect::<Vec<_>>());
        // A failure does not print the texts of formats, which are too long.
        assert!(shared == prelude);
        let all = Piece::ALL.len() - usize::from(whitespace == Whitespace::Compact);
        assert_eq!(prelude.len(), all + strings.len());
    }
}

#[test]
fn discriminated_branches_share_a_rule() {
    let branches = |values: &[&str]| {
        let branch = |value: &&str| {
            format!(
                r#"{{"type":"object","properties":{{"kind":{{"const":"{value}"}},"x":{{"type":"integer"}}}},"required":["kind"]}}"#
            )
        };
        let all: Vec<_> = values.iter().map(branch).collect();
        compile(&format!(r#"{{"anyOf":[{}]}}"#, all.join(","))).unwrap()
    };
    let own = |values: &[&str]| {
        branches(values).grammar.rules.iter().filter(|rule| !rule.is_kept()).count()
    };
    assert_eq!(own(&["a", "b", "c", "d", "e", "f"]), 1);
    let overlapping = compile(
        r#"{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{}},
            "anyOf":[{"required":["a"]},{"required":["b"]},{"required":["c"]},{"required":["d"]},{"required":["e"]}]}"#,
    )
    .unwrap();
    assert_eq!(overlapping.grammar.rules.iter().filter(|rule| !rule.is_kept()).count(), 1);
    assert!(accepts(&overlapping, r#"{"c":1,"x":2}"#) && !accepts(&overlapping, r#"{"x":2}"#));
}
