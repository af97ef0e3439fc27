//! Tests the accepted texts of small grammars, with one source for each diagnostic.

use grammarc_grammar::budget::Budget;
use proptest::prelude::*;

use super::ast::{MAX_NESTING, Node, NodeKind};
use super::*;
use crate::test_support::{Errors, Texts, hold_errors, hold_texts, outline};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::recognize::recognizes;
use grammarc_grammar::ir::{Expr, Lowered, TokenRef, TokenSet};

fn try_lower(text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    lower(Source::new("test.gbnf", text), &GbnfOptions::default(), &Budget::new())
}

fn lowered(text: &str) -> Lowered {
    try_lower(text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

#[test]
fn languages() {
    let cases: &[Texts<'_>] = &[
        (r#"root ::= "abc""#, &["abc"], &["", "ab", "abcd"]),
        (r#"root ::= "a" "b" | "c""#, &["ab", "c"], &["a", "abc", "ac"]),
        (r#"root ::= | "a""#, &["", "a"], &["aa"]),
        (r#"root ::= "a" |"#, &["", "a"], &["aa"]),
        ("root ::=", &[""], &["a"]),
        (r#"root ::= """#, &[""], &["a"]),
        (r#"root ::= "" *"#, &[""], &["a"]),
        (r#"root ::= ("a" | "b")* "c"+ "d"?"#, &["c", "abacc", "bcd"], &["", "ab", "d", "cdd"]),
        (r#"root ::= "ab"{2}"#, &["abab"], &["ab", "abb", "ababab"]),
        (r#"root ::= "a"{2,}"#, &["aa", "aaaaa"], &["", "a"]),
        (r#"root ::= "a"{1,3}"#, &["a", "aa", "aaa"], &["", "aaaa"]),
        (r#"root ::= "a"{,2}"#, &["", "a", "aa"], &["aaa"]),
        (r#"root ::= "a"{2,-1}"#, &["aa", "aaaa"], &["", "a"]),
        (r#"root ::= "\?\/\'\0\a\f\v\e\b""#, &["?/'\0\x07\x0c\x0b\x1b\x08"], &["?"]),
        ("root ::= Token \"x\"\nToken ::= \"t\"", &["tx"], &["x"]),
        (r#"root ::= "a"{ 1 , 2 } "b""#, &["ab", "aab"], &["b", "aaab"]),
        (r#"root ::= "a"{0} "b""#, &["b"], &["ab"]),
        (r#"root ::= "a"{0,4294967294}"#, &["", "aaaa"], &["b"]),
        (r#"root ::= "a"?{2}"#, &["", "a", "aa"], &["aaa"]),
        (r#"root ::= "a" *"#, &["", "aa"], &["a*"]),
        (
            "root ::= TagDispatch((\"<a>\", a), excludes=(\"no\",)) \"!\"\na ::= [0-9]+",
            &["!", "hi<a!", "hi<a>12é<a>3!!", "n<a>1!"],
            &["<a>!", "no!", "hi<a>x!"],
        ),
        (
            "root ::= TagDispatch((\"<a>\", a), loop_after_dispatch=false)\na ::= \"x\"",
            &["", "hi", "hi<a>x"],
            &["hi<a>x.", "<a>"],
        ),
        (r#"root ::= "[" Substring("ab", "c") "]""#, &["[]", "[abc]", "[c]"], &["[a]", "[bc]"]),
        (r#"root ::= Regex("\\d+.")"#, &["12x", "1\n"], &["1", "١x"]),
        (r#"root ::= Regex("a.", flags="i")"#, &["Ax"], &["a\n"]),
        (r#"root ::= Regex(".*", json_string=true)"#, &["é", ""], &["\"", "\\", "\n"]),
        ("root ::= x \"z\"\nx[lazy] ::= [a-z]+ \"!\"?", &["az", "zz"], &["abz", "a!z"]),
        ("root[max_chars=2] ::= [a-zé]*", &["", "éa"], &["abc"]),
        ("root ::= x \"b\" | x \"bc\"\nx ::= \"a\" (= \"b\")", &["ab", "abc"], &["a"]),
        ("root ::= Token(1) | \"a\" ExcludeToken(1, 2)?", &["a"], &[""]),
        ("root ::= [a-c_]", &["a", "b", "c", "_"], &["d", "-", "", "ab"]),
        ("root ::= [a-]", &["a", "-"], &["b"]),
        ("root ::= [-a]", &["a", "-"], &["b"]),
        ("root ::= [+--]", &["+", ",", "-"], &["."]),
        ("root ::= [a\\-z]", &["a", "-", "z"], &["b"]),
        ("root ::= [a-c-e]", &["a", "b", "c", "-", "e"], &["d"]),
        ("root ::= [^a-c]", &["d", "\n", "é", "😀"], &["a", "c", "", "dd"]),
        (r#"root ::= [\]\[^"]"#, &["]", "[", "^", "\""], &["\\", "a"]),
        ("root ::= [^^]", &["a"], &["^"]),
        ("root ::= [ぁ-ゟ]+", &["ひらがな"], &["カ", "a"]),
        (r"root ::= [\x00-\x1F]", &["\0", "\x1f"], &[" "]),
        (r#"root ::= "\x41\u00e9\U0001F600\t\r\n\\\"\[\]\-""#, &["Aé😀\t\r\n\\\"[]-"], &["A"]),
        ("root ::= .", &["a", "\n", "é", "😀", "\0"], &["", "ab"]),
        ("root ::= .*", &["", "any\ntext ☃"], &[]),
        ("root ::= \"a\nb\"", &["a\nb"], &["ab"]),
        ("root ::= \"a\" # \"b\"\n", &["a"], &["ab"]),
        (
            "# head\n\n\nroot ::= # comment\n # another\n a b\na ::= \"a\"\r\nb ::= \"b\"\r\n",
            &["ab"],
            &[],
        ),
        ("root ::= \"a\" |\n\n  \"b\"", &["a", "b"], &["ab"]),
        ("root ::= \"a\"\n  | \"b\"\n  | \"c\"\nb ::= \"b\"", &["a", "b", "c"], &["ab"]),
        ("root ::= (\n \"a\" # one\n\n \"b\"\n | \"c\"\n*\n)", &["ab", "c", ""], &["a"]),
        ("root ::= (\"a\"\n) \"b\"", &["ab"], &["a"]),
        ("root ::= () \"a\"", &["a"], &[""]),
        ("\u{feff}root ::= \"a\"", &["a"], &[]),
        ("root ::= A_b-2 0x\nA_b-2 ::= \"a\"\n0x ::= \"x\"", &["ax"], &["a"]),
        ("root::=a\na::=\"a\"", &["a"], &[]),
        ("root ::= e\ne ::= e \"+\" e | [0-9]", &["1", "1+2", "1+2+3"], &["", "+", "1+"]),
        ("root ::= a\na ::= b \"x\" | \"y\"\nb ::= a |", &["y", "x", "yx", "xx"], &["", "xy"]),
        ("root ::= (\"(\" root \")\")?", &["", "()", "((()))"], &["(", "())"]),
    ];
    hold_texts(cases, try_lower);
}

#[test]
fn text_is_utf8_and_nothing_else() {
    let grammar = lowered("root ::= .").grammar;
    for bytes in [&b"\xC3"[..], b"\xC0\x80", b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\x80"] {
        assert!(!recognizes(&grammar, bytes), "{bytes:x?}");
    }
}

#[test]
fn tokens() {
    let text = "root ::= <think> !</think>* <[128009]> <|im end|>";
    let Expr::Seq(parts) = &lowered(text).grammar.rules[0].expr.clone() else { panic!() };
    let token = |source: &str, token: TokenRef, negated| {
        let start = text.find(source).expect("part of the text");
        Expr::Token(TokenSet { tokens: vec![(token, Some(start..start + source.len()))], negated })
    };
    let named = |text: &str| TokenRef::Text(text.to_owned());
    assert_eq!(parts[0], token("<think>", named("<think>"), false));
    assert_eq!(parts[1], token("!</think>", named("</think>"), true).star());
    assert_eq!(parts[2], token("<[128009]>", TokenRef::Id(128_009), false));
    assert_eq!(parts[3], token("<|im end|>", named("<|im end|>"), false));
}

#[test]
fn errors() {
    let cases: &[Errors<'_>] = &[
        ("", &[(codes::MISSING_ROOT, &[])]),
        ("main ::= \"a\"", &[(codes::MISSING_ROOT, &["main"])]),
        (
            "root ::= a 'b'",
            &[(codes::UNEXPECTED_CHARACTER, &["'"]), (codes::UNEXPECTED_CHARACTER, &["'"])],
        ),
        (
            "root := \"a\"",
            &[
                (codes::UNEXPECTED, &["root"]),
                (codes::UNEXPECTED_CHARACTER, &[":"]),
                (codes::UNEXPECTED_CHARACTER, &["="]),
            ],
        ),
        (
            "root ::= \"a\nother ::= [",
            &[(codes::UNTERMINATED_STRING, &["\"a"]), (codes::UNTERMINATED_CLASS, &["["])],
        ),
        ("root ::= \"a\nb ::= \"b\"\n", &[(codes::UNTERMINATED_STRING, &["\"", "\"a\nb ::= \""])]),
        ("root ::= <think\nb ::= \"b\"", &[(codes::UNTERMINATED_TOKEN, &["<think"])]),
        (
            "root ::= <[x]> <[4294967296]>",
            &[(codes::BAD_TOKEN_ID, &["<[x]>"]), (codes::BAD_TOKEN_ID, &["<[4294967296]>"])],
        ),
        ("root ::= ! \"a\"", &[(codes::UNEXPECTED_CHARACTER, &["!"])]),
        (
            r#"root ::= "\d \x4 \uD83D\uDE00 \U00110000" [\q-z]"#,
            &[
                (codes::BAD_ESCAPE, &[r"\d"]),
                (codes::BAD_ESCAPE, &[r"\x4"]),
                (codes::SURROGATE, &[r"\uD83D"]),
                (codes::SURROGATE, &[r"\uDE00"]),
                (codes::BAD_ESCAPE, &[r"\U00110000"]),
                (codes::BAD_ESCAPE, &[r"\q"]),
            ],
        ),
        (
            "root ::= [] [^] [z-a]",
            &[
                (codes::EMPTY_CLASS, &["[]"]),
                (codes::EMPTY_CLASS, &["[^]"]),
                (codes::REVERSED_RANGE, &["z-a"]),
            ],
        ),
        (r"root ::= [^\x00-\U0010FFFF]", &[(codes::EMPTY_CLASS, &[r"[^\x00-\U0010FFFF]"])]),
        (
            "root ::= \"a\"{}\na ::= \"a\"{,}\nb ::= \"b\"{x}\nc ::= \"c\"{1,2",
            &[
                (codes::BAD_BOUNDS, &["{}"]),
                (codes::BAD_BOUNDS, &["{,}"]),
                (codes::BAD_BOUNDS, &["x"]),
                (codes::BAD_BOUNDS, &["{1,2"]),
            ],
        ),
        ("root ::= \"a\"{4294967295}", &[(codes::BAD_BOUNDS, &["4294967295"])]),
        (
            "root ::= \"a\"{3,2} \"b\"{2,1}",
            &[(codes::REVERSED_BOUNDS, &["{3,2}"]), (codes::REVERSED_BOUNDS, &["{2,1}"])],
        ),
        (
            "root ::= * \"a\"\nb ::= | +",
            &[(codes::NOTHING_TO_REPEAT, &["*"]), (codes::NOTHING_TO_REPEAT, &["+"])],
        ),
        ("root ::= (\"a\" (\"b\"\nb ::= \"b\"", &[(codes::UNCLOSED_GROUP, &["(", "b"])]),
        (
            "root ::= \"a\")\nb ::= (\"b\"",
            &[(codes::UNEXPECTED, &[")"]), (codes::UNCLOSED_GROUP, &["("])],
        ),
        ("root ::= \"a\"\n \"b\"", &[(codes::UNEXPECTED, &["\"b\""])]),
        ("root ::= a a ::= \"a\"", &[(codes::UNEXPECTED, &["a"])]),
        ("root ::= ::= \"a\"", &[(codes::UNEXPECTED, &["::="])]),
        ("::= \"a\"", &[(codes::UNEXPECTED, &["::="])]),
        (
            "root ::= item itm\nitems ::= \"a\"\nroot ::= nothing-like-it",
            &[
                (codes::UNKNOWN_RULE, &["item"]),
                (codes::UNKNOWN_RULE, &["itm"]),
                (codes::DUPLICATE_RULE, &["root", "root"]),
                (codes::UNKNOWN_RULE, &["nothing-like-it"]),
            ],
        ),
        ("root ::= (\"a\" (= \"b\"))", &[(codes::LOOKAHEAD, &["("])]),
        ("root ::= x \"b\"\nx ::= \"a\" (= \"c\" [d])", &[(codes::LOOKAHEAD, &["(= \"c\" [d])"])]),
        (
            "root ::= Regex(\"a{\") x\nx ::= TagDispatch((\"a\" root))\ny ::= Token(x)",
            &[(codes::MACRO, &["root"]), (codes::MACRO, &["x"])],
        ),
        ("root ::= Regex(\"a{\")", &[(codes::MACRO, &["Regex(\"a{\")"])]),
        ("root ::= Regex(\"a(?=b)\")", &[(codes::MACRO, &["Regex(\"a(?=b)\")"])]),
        (
            "root ::= x\nx[capture=\"n\", max_char=3] ::= \"a\"",
            &[(codes::RULE_ATTRIBUTES, &["[capture=\"n\", max_char=3]"])],
        ),
        ("root[lazy] ::= \"a\" root?", &[(codes::RULE_ATTRIBUTES, &["[lazy]"])]),
        ("root ::= \"a\" root", &[(codes::ENDLESS_RULE, &["root", "root"])]),
        (
            "root ::= a | a root\na ::= \"x\" b\nb ::= a b?",
            &[(codes::ENDLESS_RULE, &["a", "b", "a"])],
        ),
        ("{\"type\": \"object\"}", &[(codes::IS_JSON, &["{"])]),
        ("root ::= x x | (x x)* x", &[(codes::UNKNOWN_RULE, &["x", "x", "x", "x"])]),
    ];
    hold_errors(cases, try_lower);
}

#[test]
fn commas_in_the_value_of_an_attribute_are_its_own() {
    assert!(try_lower("root ::= x\nx[capture=\"a,b\", max_chars=3] ::= \"a\"").is_ok());
}

#[test]
fn help_names_the_way_out() {
    let help = |text: &str| try_lower(text).expect_err(text)[0].help.clone().unwrap_or_default();
    assert_eq!(help("root ::= objct\nobject ::= \"{\""), "did you mean `object`?");
    assert_eq!(help("Root ::= \"a\""), "did you mean `Root`? name it as the start rule");
    assert!(help(r#"root ::= "\uD83D\uDE00""#).contains(r"\U0001F600"));
    assert!(help("root ::= \"a\"{3,2}").contains("{2,3}"));
    assert!(help("root ::= 'a'").contains("double quotes"));
}

#[test]
fn another_start_rule() {
    let source = Source::new("test.gbnf", "root ::= \"a\"\nother ::= \"b\"");
    let options = GbnfOptions { start: "other".to_owned(), ..GbnfOptions::default() };
    let lowered = lower(source.clone(), &options, &Budget::new()).expect("fine");
    assert!(recognizes(&lowered.grammar, b"b") && !recognizes(&lowered.grammar, b"a"));
    assert_eq!(outline(&source.text, &lowered.findings), [(codes::UNUSED_RULE, vec!["root"])]);
    let origin = lowered.grammar.rules[1].origin.span.clone().expect("a span");
    assert_eq!(&source.text[origin], "other");
}

#[test]
fn warnings() {
    let text = "root ::= a\na ::=\nb ::= c\nc ::= b\n";
    assert_eq!(
        outline(text, &lowered(text).findings),
        [
            (codes::EMPTY_RULE, vec!["a"]),
            (codes::UNUSED_RULE, vec!["b"]),
            (codes::UNUSED_RULE, vec!["c"]),
        ]
    );
    let text = "root ::= [sign] digit | [ab] | [x] | loop\nsign ::= \"-\"\ndigit ::= [0-9] | sign\nx ::= sign\nloop ::= x loop";
    let findings = lowered(text).findings;
    let warned = outline(text, &findings).into_iter();
    let warned: Vec<_> = warned.map(|(code, places)| (code, places[0])).collect();
    assert_eq!(warned, [(codes::CLASS_NAMES_RULE, "[sign]"), (codes::ENDLESS_RULE, "loop"),]);
}

#[test]
fn nesting_is_bounded() {
    let nested = |n: usize| format!("root ::= {}\"a\"{}", "(".repeat(n), ")".repeat(n));
    assert!(recognizes(&lowered(&nested(MAX_NESTING)).grammar, b"a"));
    let stacked = |n: usize| format!("root ::= \"a\"{}", "?".repeat(n));
    assert!(recognizes(&lowered(&stacked(MAX_NESTING)).grammar, b"a"));
    let both = format!("root ::= {}\"a\"{}", "(".repeat(150), ")?".repeat(150));
    for text in [
        nested(MAX_NESTING + 1),
        stacked(MAX_NESTING + 1),
        both,
        nested(100_000),
        stacked(100_000),
        format!("root ::= {}", "(".repeat(100_000)),
    ] {
        let errors = try_lower(&text).expect_err("too deep");
        assert_eq!(errors[0].code, codes::NESTED_TOO_DEEP);
        assert_eq!(errors.len(), 1);
    }
}

#[test]
fn errors_are_bounded() {
    for text in ["'\n".repeat(100_000), "root ::= \"\n".repeat(20_001), "(\n".repeat(50_000)] {
        let errors = try_lower(&text).expect_err("no grammar");
        assert!(errors.len() <= 51, "{}", errors.len());
    }
}

#[test]
fn long_grammars_are_quick() {
    let mut text = "root ::= r0\n".to_owned();
    for i in 0..50_000 {
        text += &format!("r{i} ::= \"a\" r{} | [^a]\n", (i + 1) % 50_000);
    }
    assert_eq!(lowered(&text).grammar.rules.len(), 50_001);
}

/// A rule that waits for many callees is not checked again for each of them.
#[test]
fn rules_that_wait_for_many_are_quick() {
    let count = 20_000;
    let names: Vec<_> = (0..count).map(|i| format!("r{i}")).collect();
    let rules = names.iter().map(|name| format!("{name} ::= \"a\"\n"));
    let text = format!("root ::= {}\n{}", names.join(" "), rules.collect::<String>());
    assert_eq!(lowered(&text).grammar.rules.len(), count + 1);
}

/// Generates random trees, which another function prints as GBNF.
fn nodes() -> impl Strategy<Value = Node> {
    let node = |kind| Node { kind, span: 0..0 };
    let leaf = prop_oneof![
        "[ab\"\\\\\\[\\]\n é😀-]{1,3}".prop_map(NodeKind::Literal),
        Just(NodeKind::Any),
        "[a-c]".prop_map(NodeKind::Call),
        (any::<bool>(), prop::collection::vec((any::<char>(), any::<char>()), 1..4)).prop_map(
            |(negated, ranges)| {
                let ranges = ranges.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
                NodeKind::Class(ast::Class { negated, ranges })
            }
        ),
        (any::<u32>(), any::<bool>())
            .prop_map(|(id, negated)| NodeKind::Token { token: TokenRef::Id(id), negated }),
        (prop::collection::vec(any::<u32>(), 1..3), any::<bool>())
            .prop_map(|(ids, negated)| NodeKind::Macro(ast::Macro::Tokens { ids, negated })),
        prop::collection::vec("[a\"é,)]{0,3}", 0..3)
            .prop_map(|chunks| NodeKind::Macro(ast::Macro::Substring(chunks))),
    ];
    leaf.prop_map(node).prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(NodeKind::Sequence),
            prop::collection::vec(inner.clone(), 2..4).prop_map(NodeKind::Alternation),
            (inner, 0..5u32, prop::option::of(5..u32::MAX)).prop_map(|(body, min, max)| {
                NodeKind::Repeat { body: Box::new(body), min, max }
            }),
        ]
        .prop_map(node)
    })
}

fn write(node: &Node) -> String {
    let join = |nodes: &[Node], by: &str| nodes.iter().map(write).collect::<Vec<_>>().join(by);
    let escape = |c: char| format!("\\U{:08x}", c as u32);
    match &node.kind {
        NodeKind::Alternation(choices) => format!("({})", join(choices, "|\n")),
        NodeKind::Sequence(parts) => format!("({})", join(parts, " # next\n")),
        NodeKind::Literal(text) => format!("\"{}\"", text.chars().map(escape).collect::<String>()),
        NodeKind::Class(class) => format!(
            "[{}{}]",
            if class.negated { "^" } else { "" },
            class.ranges.iter().map(|&(a, b)| escape(a) + "-" + &escape(b)).collect::<String>()
        ),
        NodeKind::Any => ".".to_owned(),
        NodeKind::Token { token: TokenRef::Id(id), negated } => {
            format!("{}<[{id}]>", if *negated { "!" } else { "" })
        }
        NodeKind::Token { token: TokenRef::Text(text), .. } => text.clone(),
        NodeKind::Call(name) => name.clone(),
        NodeKind::Macro(ast::Macro::Tokens { ids, negated }) => {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            format!("{}Token({})", if *negated { "Exclude" } else { "" }, ids.join(", "))
        }
        NodeKind::Macro(ast::Macro::Substring(chunks)) => {
            let text =
                |chunk: &String| format!("\"{}\"", chunk.chars().map(escape).collect::<String>());
            format!("Substring({})", chunks.iter().map(text).collect::<Vec<_>>().join(","))
        }
        NodeKind::Macro(other) => unreachable!("{other:?} is not drawn"),
        NodeKind::Inner(_) => unreachable!("the trees have no sources of other languages"),
        NodeKind::Repeat { body, min, max } => {
            format!("{}{{{min},{}}}", write(body), max.map_or(String::new(), |max| max.to_string()))
        }
    }
}

/// Returns a tree with all places removed.
fn bare(node: &Node) -> Node {
    let all = |nodes: &[Node]| nodes.iter().map(bare).collect();
    let kind = match &node.kind {
        NodeKind::Alternation(choices) => NodeKind::Alternation(all(choices)),
        NodeKind::Sequence(parts) => NodeKind::Sequence(all(parts)),
        NodeKind::Repeat { body, min, max } => {
            NodeKind::Repeat { body: Box::new(bare(body)), min: *min, max: *max }
        }
        other => other.clone(),
    };
    Node { kind, span: 0..0 }
}

proptest! {
    #[test]
    fn written_trees_parse_to_themselves(node in nodes()) {
        let text = format!("root ::= {}\n", write(&node));
        let ast = parse(&Source::new("test.gbnf", text), Notation::Gbnf, &Budget::new()).expect("a grammar");
        prop_assert_eq!(bare(&ast.rules[0].body), node);
    }

    #[test]
    fn no_source_panics(text in "([@/a-b\\[\\]\\^()|\"\\\\xu0-9{},.*+?<>!#\n é'-]|::=|\n[ab] ::=|root ::= |@regex|@a[{]){0,60}") {
        if let Err(errors) = try_lower(&text) {
            for label in errors.iter().flat_map(|d| &d.labels) {
                prop_assert!(text.get(label.span.clone()).is_some(), "{:?}", label);
            }
        }
    }
}
