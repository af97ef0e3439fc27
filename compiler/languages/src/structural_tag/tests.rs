//! Tests single formats by example: accepted and refused texts, and errors with their places. The module [`super`]
//! lists the other tests of structural tags.

use serde_json::{Map, Value, json};

use super::*;
use crate::FrontEnd;
use crate::gbnf::GbnfOptions;
use crate::sources::{NamedSource, Sources};
use grammarc_grammar::ir::recognize::recognizes;

fn lowered(tag: &Value) -> Result<Lowered, Vec<Diagnostic>> {
    let source = Source::new("<test>", tag.to_string());
    let options = StructuralTagOptions::default();
    lower(source, &options, &ControlTokens::default(), &Budget::new())
}

#[track_caller]
fn check(tag: &Value, accepted: &[&str], refused: &[&str]) {
    let grammar = lowered(tag).unwrap_or_else(|errors| panic!("{errors:#?}")).grammar;
    for text in accepted {
        assert!(recognizes(&grammar, text.as_bytes()), "{text:?} is refused");
    }
    for text in refused {
        assert!(!recognizes(&grammar, text.as_bytes()), "{text:?} is accepted");
    }
}

/// Returns the code and the pointer of each error.
#[track_caller]
fn errors(tag: &Value) -> Vec<(&'static str, String)> {
    let errors = lowered(tag).expect_err("it has errors");
    let pointer = |error: &Diagnostic| error.pointer.clone().unwrap_or_default();
    errors.iter().map(|error| (error.code, pointer(error))).collect()
}

fn of_one(code: &'static str, pointer: &str) -> Vec<(&'static str, String)> {
    vec![(code, pointer.to_owned())]
}

fn constant(text: &str) -> Value {
    json!({"type": "const_string", "value": text})
}

fn tag(begin: &str, content: Value, end: Value) -> Value {
    json!({"type": "tag", "begin": begin, "content": content, "end": end})
}

#[test]
fn formats_are_put_together_as_they_are_named() {
    let sequence = json!({"type": "sequence", "elements": [
        constant("a"),
        {"type": "optional", "content": constant("b")},
        {"type": "or", "elements": [{"type": "star", "content": constant("c")}, {"type": "plus", "content": constant("d")}]},
        {"type": "repeat", "min": 1, "max": 2, "content": constant("e")},
        {"type": "repeat", "min": 1, "max": -1, "content": constant("f")},
    ]});
    let accepted = ["aef", "abeeff", "acccef", "addef"];
    check(&sequence, &accepted, &["a", "ae", "aeeef", "acdef", "abbef", "aeffg"]);
    let wrapped = json!({"type": "structural_tag", "format": sequence});
    check(&wrapped, &accepted, &[]);
}

#[test]
fn a_tag_ends_its_free_text() {
    let text = |excludes: Value| json!({"type": "any_text", "excludes": excludes});
    let one = tag("<a>", text(json!([])), json!("</a>"));
    check(
        &one,
        &["<a></a>", "<a>x < y</a>", "<a><</a>", "<a></b></a>"],
        &["<a>", "<a></a></a>", "<a>x</a>y"],
    );
    let several = tag("<a>", text(json!(["no"])), json!(["</a>", "<end>"]));
    check(&several, &["<a>n</a>", "<a>o<end>"], &["<a>no</a>", "<a></a><end>"]);
    // The end of the outer tag may not be in the text of the inner tag.
    let inner = tag("[", text(json!([])), json!("]"));
    let outer =
        tag("(", json!({"type": "sequence", "elements": [text(json!([])), inner]}), json!(")"));
    check(&outer, &["(x[y])", "([])"], &["(x)[y])", "(x[)])"]);
}

#[test]
fn triggers_lead_to_tags() {
    let number = json!({"type": "json_schema", "json_schema": {"type": "integer"}});
    let of = |more: Value| {
        let mut tags = json!({"type": "triggered_tags", "triggers": ["<f="], "tags": [
            tag("<f=get>", number.clone(), json!("</f>")),
            tag("<f=getAll>", constant("x"), json!("</f>")),
        ]});
        tags.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tags
    };
    let free = ["", "text", "a < b <f", "<f=get>1</f>", "a<f=getAll>x</f>b<f=get>-2</f>c"];
    check(&of(json!({})), &free, &["<f=", "<f=get>x</f>", "<f=put>1</f>", "<f=get>1"]);
    let first = of(json!({"at_least_one": true}));
    check(
        &first,
        &["<f=get>1</f>", "<f=get>1</f>text<f=get>2</f>"],
        &["", "text", "a<f=get>1</f>"],
    );
    let last = of(json!({"stop_after_first": true}));
    check(&last, &["text", "a<f=get>1</f>"], &["<f=get>1</f>text", "<f=get>1</f><f=get>1</f>"]);
    let one = of(json!({"at_least_one": true, "stop_after_first": true}));
    check(&one, &["<f=get>1</f>"], &["", "<f=get>1</f>b", "a<f=get>1</f>"]);
    check(&of(json!({"excludes": ["<think>"]})), &["<thin<f=get>1</f>"], &["<think>"]);
    let within = tag("{", of(json!({})), json!("}"));
    check(&within, &["{}", "{a<f=get>1</f>b}"], &["{a}b}", "{<f=get>}"]);
}

#[test]
fn patterns_lead_to_formats() {
    let rules = json!([["ab", constant("1")], ["b!", {"type": "regex", "pattern": "[0-9]+"}]]);
    let looped = json!({"type": "dispatch", "rules": rules, "excludes": ["x"]});
    check(&looped, &["", "a", "ab1", "aab1b!23ab1", "b!23y"], &["ab", "ab2", "x", "ab1x"]);
    let once = json!({"type": "dispatch", "rules": rules, "loop": false});
    check(&once, &["", "cab1", "b!7"], &["ab1a", "ab1ab1"]);
}

#[test]
fn tags_with_separators_have_nothing_between_else() {
    let tags = json!([tag("a", constant("1"), json!(";")), tag("b", constant("2"), json!(";"))]);
    let of = |least: bool, stop: bool| json!({"type": "tags_with_separator", "tags": tags, "separator": ",", "at_least_one": least, "stop_after_first": stop});
    check(&of(false, false), &["", "a1;", "b2;,a1;,a1;"], &["a1;,", "a1;b2;", ","]);
    check(&of(true, false), &["a1;,b2;"], &[""]);
    check(&of(false, true), &["", "a1;"], &["a1;,b2;"]);
    check(&of(true, true), &["b2;"], &["", "a1;,b2;"]);
}

#[test]
fn sources_within_a_tag_are_read_in_their_languages() {
    let grammar = json!({"type": "grammar", "grammar": "root ::= \"a\" b\nb ::= [0-9]+"});
    let schema = json!({"type": "json_schema", "json_schema": {
        "type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "$defs": {"n": {"enum": [1, 2]}},
    }});
    let both = json!({"type": "sequence", "elements": [grammar, schema]});
    check(&both, &[r#"a12{"n": 1}"#, r#"a1{"n":2}"#], &[r#"a{"n": 1}"#, r#"a1{"n": 3}"#]);
    let legacy = json!({"structures": [{"begin": "<f>", "schema": "{\"type\": \"null\"}", "end": "</f>"}], "triggers": ["<f"]});
    check(&legacy, &["a<f>null</f>b"], &["<f>1</f>"]);
    let any = json!({"type": "json_schema", "json_schema": {"properties": {"a": {}, "b": {}}, "required": ["a"], "type": "object"}, "any_order": true});
    check(&any, &[r#"{"b":1,"a":2}"#], &[r#"{"b":1}"#, r#"{"a":1,"a":2}"#]);
    let spaces = |count: u32| json!({"type": "json_schema", "json_schema": {"type": "array"}, "max_whitespace_cnt": count});
    check(&spaces(0), &["[1,2]"], &["[1, 2]"]);
    check(&spaces(2), &["[1,  2]"], &["[1,   2]"]);
}

#[test]
fn grammars_in_a_tag_find_the_sources_that_it_was_given() {
    let mut sources = Sources::default();
    let schema = Source::new("list", r#"{"type": "array", "items": {"type": "integer"}}"#);
    let named = NamedSource { language: "json-schema".into(), options: Map::new(), source: schema };
    sources.add("list", named);
    let tag = |name: &str| {
        json!({"type": "grammar", "grammar": format!("root ::= \"add \" @\"{name}\"")}).to_string()
    };
    let around = |name: &str| format!("root ::= \"<\" @structural-tag{} \">\"", tag(name));
    let of_tag = FrontEnd::StructuralTag(StructuralTagOptions {
        sources: sources.clone(),
        ..StructuralTagOptions::default()
    });
    let of_grammar = FrontEnd::Gbnf(GbnfOptions { sources, ..GbnfOptions::default() });
    let lower = |front_end: &FrontEnd, text: String| {
        front_end.lower(Source::new("<test>", text), &Budget::new())
    };
    // Sources passed along with the tag, or with a grammar that contains the tag.
    for (front_end, text, right, wrong) in [
        (&of_tag, tag("list"), "add [1, 2]", "add {}"),
        (&of_grammar, around("list"), "<add [1, 2]>", "<add {}>"),
    ] {
        let grammar = lower(front_end, text).unwrap_or_else(|errors| panic!("{errors:#?}")).grammar;
        assert!(recognizes(&grammar, right.as_bytes()) && !recognizes(&grammar, wrong.as_bytes()));
    }
    let report = lower(&of_tag, tag("list")).expect("a tag").report;
    let pointers: Vec<String> = report.entries().map(|entry| entry.pointer.to_owned()).collect();
    assert!(pointers.contains(&"list#/items/type".to_owned()), "{pointers:?}");
    let unknown = lower(&of_tag, tag("lists")).expect_err("there is no such source");
    assert_eq!(unknown.len(), 1, "{unknown:#?}");
    let pointed = unknown[0].labels[0].span.clone();
    assert_eq!(&tag("lists")[pointed], r#"@\"lists\""#);
    assert_eq!(unknown[0].pointer.as_deref(), Some("/grammar"));
}

#[test]
fn grammars_in_a_tag_are_of_the_syntax_that_it_says() {
    let lower = |tag: Value| {
        let front_end = FrontEnd::StructuralTag(StructuralTagOptions::default());
        front_end.lower(Source::new("<test>", tag.to_string()), &Budget::new())
    };
    let of = |syntax: Value, grammar: &str| json!({"type": "grammar", "grammar": grammar, "syntax": syntax});
    let lark = "start: A+\nA: /[ab]/";
    let ebnf = "root ::= [ab]+";
    for (tag, is_right) in [
        (of(json!("lark"), lark), true),
        (of(json!("ebnf"), ebnf), true),
        (of(Value::Null, ebnf), true),
        (of(json!("lark"), ebnf), false),
        (of(json!("ebnf"), lark), false),
    ] {
        let lowered = lower(tag.clone());
        assert_eq!(lowered.is_ok(), is_right, "{tag}");
        if let Ok(lowered) = lowered {
            let takes = |text: &str| recognizes(&lowered.grammar, text.as_bytes());
            assert!(takes("ab") && !takes("") && !takes("abc"), "{tag}");
        }
    }
    let unknown = lower(of(json!("gbnf"), ebnf)).expect_err("there is no such syntax");
    assert_eq!(unknown[0].pointer.as_deref(), Some("/syntax"));
    let wrong = lower(of(json!("lark"), "start: nothing")).expect_err("there is no such rule");
    assert_eq!(wrong[0].pointer.as_deref(), Some("/grammar"));
}

#[test]
fn characters_of_free_text_are_counted() {
    let text = json!({"type": "any_text", "max_chars": 3});
    check(&text, &["", "äöü", "abc"], &["abcd"]);
    let excluding = json!({"type": "any_text", "max_chars": 3, "excludes": ["ab"]});
    check(
        &excluding,
        &["bab", "aaa"].map(|text| if text == "bab" { "baa" } else { text }),
        &["ab", "aaaa", "bab"],
    );
}

#[test]
fn wrong_tags_are_refused_at_their_place() {
    let trigger = |triggers: Value, begin: &str| json!({"type": "triggered_tags", "triggers": triggers, "tags": [tag(begin, constant(""), json!("e"))]});
    assert_eq!(
        errors(&trigger(json!(["<f", "<f="]), "<g")),
        [
            ("structural-tag::nested-triggers", "/triggers/1".to_owned()),
            ("structural-tag::no-trigger", "/tags/0/begin".to_owned()),
        ]
    );
    assert_eq!(errors(&trigger(json!([]), "a")), of_one("structural-tag::empty", ""));
    assert_eq!(
        errors(&trigger(json!([""]), "a"))[0],
        ("structural-tag::empty", "/triggers/0".to_owned())
    );
    assert_eq!(
        errors(&json!({"type": "any_txt"})),
        of_one("structural-tag::unknown-type", "/type")
    );
    assert_eq!(
        errors(&json!({"type": "any_text", "exclude": []})),
        of_one("structural-tag::unknown-key", "/exclude")
    );
    assert_eq!(errors(&json!({"type": "const_string"})), of_one("structural-tag::missing", ""));
    assert_eq!(
        errors(&json!({"type": "sequence", "elements": []})),
        of_one("structural-tag::empty", "/elements")
    );
    assert_eq!(
        errors(&json!({"type": "repeat", "min": 2, "max": 1, "content": constant("a")})),
        of_one("structural-tag::range", "/max")
    );
    assert_eq!(
        errors(&json!({"type": "json_schema", "json_schema": {}, "style": "xml"})),
        of_one("structural-tag::unknown-style", "/style")
    );
    assert_eq!(errors(&json!(1)), of_one("structural-tag::type", ""));
    // An array is a list of tools, whose style has to be named.
    assert_eq!(errors(&json!([1])), of_one("structural-tag::missing", ""));
    let excluded = json!({"type": "dispatch", "rules": [["abc", constant("")]], "excludes": ["b"]});
    assert_eq!(errors(&excluded), of_one("structural-tag::excluded-trigger", "/excludes/0"));
    let inner = json!({"type": "or", "elements": [
        {"type": "json_schema", "json_schema": {"type": "object", "properties": {"a": {"type": "strin"}}}},
        {"type": "grammar", "grammar": "root ::= missing"},
        {"type": "regex", "pattern": "a\u{e9}("},
    ]});
    let found = errors(&inner);
    assert_eq!(found[0].1, "/elements/0/json_schema/properties/a/type");
    assert_eq!(found[1], ("gbnf::unknown-rule", "/elements/1/grammar".to_owned()));
    assert_eq!(found[2].1, "/elements/2/pattern");
}

#[test]
fn errors_in_inner_sources_point_into_their_text() {
    let text = r#"{"type": "grammar", "grammar": "root ::= \"\u00e9\"  missing"}"#;
    let source = Source::new("<test>", text);
    let options = StructuralTagOptions::default();
    let errors = lower(source, &options, &ControlTokens::default(), &Budget::new()).unwrap_err();
    assert_eq!(&text[errors[0].labels[0].span.clone()], "missing");
}

#[test]
fn excluded_texts_are_in_no_string_and_no_key() {
    let of = |schema: Value, excludes: Value| json!({"type": "json_schema", "json_schema": schema, "excludes": excludes, "max_whitespace_cnt": 0});
    let any = of(json!({"type": "object", "properties": {"a": true}}), json!(["<a>", "</a>"]));
    check(
        &any,
        &[r#"{"a":"<a"}"#, r#"{"a":["<","a>"],"<b>":{"x":[1,null]}}"#],
        &[
            r#"{"a":"<a>"}"#,
            r#"{"a":["x</a>y"]}"#,
            r#"{"<a>":1}"#,
            r#"{"b":{"c</a>":1}}"#,
            r#"{"b":[{"c":"<a>"}]}"#,
        ],
    );
    // Lengths, patterns and enumerated values still apply.
    let bounded = of(json!({"type": "string", "minLength": 2, "maxLength": 3}), json!(["ab"]));
    check(&bounded, &[r#""aa""#, r#""bba""#], &[r#""a""#, r#""ab""#, r#""xab""#, r#""aaaa""#]);
    let pattern = of(json!({"type": "string", "pattern": "^[ab]+$"}), json!(["ab"]));
    check(&pattern, &[r#""a""#, r#""bba""#], &[r#""ab""#, r#""bab""#, r#""c""#]);
    let listed = of(json!({"enum": ["x<a>", "y", {"k<a>": 1}, ["<a>"]]}), json!(["<a>"]));
    check(&listed, &[r#""y""#], &[r#""x<a>""#, r#"{"k<a>":1}"#, r#"["<a>"]"#]);
    // Exclusion applies to the written form: the escape of a line feed contains an `n`.
    let written = of(json!({"type": "string"}), json!(["nab"]));
    check(&written, &[r#""\nba""#, r#""ab""#], &[r#""nab""#, r#""\nab""#]);
    let refused = of(json!({"type": "string"}), json!(["a\\b"]));
    assert_eq!(errors(&refused), of_one("structural-tag::unsupported", "/excludes/0"));
    let xml = json!({"type": "json_schema", "style": "qwen_xml", "excludes": ["<x>"],
        "json_schema": {"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"], "additionalProperties": false}});
    check(&xml, &["<parameter=s>a<x</parameter>"], &["<parameter=s>a<x></parameter>"]);
}

#[test]
fn values_of_an_xml_style_that_are_no_objects_stand_as_they_are() {
    let of = |style: &str, schema: Value| json!({"type": "json_schema", "style": style, "json_schema": schema});
    check(&of("qwen_xml", json!({"type": "string"})), &["", "a < b", "\"x\""], &["a</parameter>"]);
    check(&of("deepseek_xml", json!({"type": "integer"})), &["1", "-20"], &["", "x", "1.5"]);
    let either = json!({"type": ["integer", "object"], "properties": {"a": {"type": "null"}}, "additionalProperties": false});
    check(
        &of("minimax_xml", either),
        &["7", "", "<parameter name=\"a\">null</parameter>"],
        &["null", "x"],
    );
    check(
        &of("glm_xml", json!({"type": "array", "items": {"type": "boolean"}})),
        &["[]", "[true, false]"],
        &["true", ""],
    );
    // A schema without a type denotes objects here.
    check(
        &of("qwen_xml", json!({"properties": {"a": {"type": "integer"}}})),
        &["", "<parameter=a>1</parameter>"],
        &["1", "null"],
    );
}

#[test]
fn members_stand_in_braces_at_every_depth() {
    let of =
        |schema: Value| json!({"type": "json_schema", "style": "gemma", "json_schema": schema});
    let nested = json!({"type": "object", "properties": {"y": {"type": "number"}, "X": {"type": "null"}}, "required": ["X", "y"], "additionalProperties": false});
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 4},
        "at": nested,
        "kinds": {"type": "array", "items": {"enum": ["a", "b", 3, true]}, "maxItems": 2},
        "a key": {"type": "boolean"},
    }});
    let good = [
        r#"{name:<|"|>x"\n<|"|>}"#,
        r#"{at:{X:null,y:1.5},name:<|"|><|"|>}"#,
        r#"{<|"|>a key<|"|>:true,kinds:[],name:<|"|>日本語<|"|>}"#,
        r#"{kinds:[<|"|>a<|"|>,3],name:<|"|>a<b}<|"|>}"#,
    ];
    let bad = [
        "",
        "{}",
        r#"name:<|"|>x<|"|>"#,
        r#"{name:"x"}"#,
        r#"{name:<|"|>abcde<|"|>}"#,
        r#"{name:<|"|>x<|"|>,at:{X:null,y:1}}"#,
        r#"{at:{y:1,X:null},name:<|"|>x<|"|>}"#,
        r#"{<|"|>name<|"|>:<|"|>x<|"|>}"#,
        r#"{a key:true,name:<|"|>x<|"|>}"#,
        r#"{kinds:[<|"|>c<|"|>],name:<|"|>x<|"|>}"#,
        r#"{kinds:[true,true,3],name:<|"|>x<|"|>}"#,
        r#"{name: <|"|>x<|"|>}"#,
        r#"{name:<|"|>x<|"|>,}"#,
    ];
    check(&of(schema.clone()), &good, &bad);
    let mut any_order = of(schema);
    any_order["any_order"] = true.into();
    any_order["max_whitespace_cnt"] = 1.into();
    let others =
        [r#"{name:<|"|>x<|"|>,at:{y:1,X:null}}"#, "{ name:<|\"|>x<|\"|> ,\nat:{X:null,y:1} }"];
    check(&any_order, &others, &[r#"{name:<|"|>x<|"|>,name:<|"|>x<|"|>}"#]);
    let any = of(json!({"type": ["object", "string", "array"]}));
    check(
        &any,
        &[r#"{a:[{b:null},[]],<|"|>c d<|"|>:<|"|>e<|"|>}"#, r#"<|"|>x<|"|>"#, "[1,{}]", "{}"],
        &["x", "1", "{a}", "{a:}", "[,]", r#"{"a":1}"#],
    );
}

#[test]
fn a_key_may_stand_behind_its_value_once_more() {
    let ns = "]<]minimax[>[";
    let of = |schema: Value| json!({"type": "json_schema", "style": "minimax_m3_xml", "json_schema": schema});
    let member = |key: &str, value: &str| format!("{ns}<{key}>{value}{ns}</{key}>");
    let item = |value: &str| member("item", value);
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["s"], "properties": {
        "s": {"type": "string"},
        "n": {"type": "integer"},
        "l": {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "boolean"}}, "required": ["b"], "additionalProperties": false}},
    }});
    let nested = member("l", &(item(&member("b", "true")) + &item(&member("b", "false"))));
    let (s, n) = (member("s", "a <b> c"), member("n", "-3"));
    let good = [s.clone(), format!("{s}{n}"), format!("{s}{n}{nested}"), member("s", "")];
    let crossed = format!("{ns}<s>x{ns}</n>");
    let bad = [
        n.clone(),
        crossed,
        member("s", ns),
        format!("{s}{}", member("n", "x")),
        format!("{s}{}", member("z", "1")),
    ];
    check(&of(schema), &good.each_ref().map(String::as_str), &bad.each_ref().map(String::as_str));
    check(
        &of(json!({"type": "array", "items": {"type": "string"}})),
        &["", &item("x")],
        &["x", &item(ns)],
    );
    // The end tag repeats the key, and two keys that the schema does not name cannot be compared.
    let open = of(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    assert_eq!(errors(&open), of_one("json-schema::tag-key", "/json_schema"));
}
