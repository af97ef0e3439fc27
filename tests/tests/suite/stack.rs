//! No source decides how deep the stack goes: hosts compile on threads with small ones.
//!
//! All sources of the tests, and sources that are nested in each construct of each language as deep as its front end
//! allows, and far deeper, are compiled on a thread with [`STACK`]: in a process of its own, since an overflow ends it.

use std::fmt::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::gbnf::GbnfOptions;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder};
use grammarc_compiler::frontend::lark::LarkOptions;
use grammarc_compiler::frontend::regex::PatternOptions;
use grammarc_compiler::frontend::typescript::TypeScriptOptions;
use grammarc_tests::sources::{Language, folder};
use grammarc_tests::vocabularies;

/// Bytes of the stack that a source is compiled on.
const STACK: usize = 512 << 10;

/// Set in the process that compiles.
const CHILD: &str = "GRAMMARC_SMALL_STACK";

/// How deep things are nested: about what front ends allow, and far more.
const DEEP: [usize; 6] = [60, 120, 190, 240, 2_000, 100_000];

fn nested(open: &str, within: &str, close: &str, depth: usize) -> String {
    [&open.repeat(depth), within, &close.repeat(depth)].concat()
}

/// Rules in each other, of which each nests what calls the next, up to about what is written into one.
fn within_each_other(open: &str, close: &str, depth: usize) -> String {
    let count = depth.min(70);
    let rules = (0..count).map(|at| {
        let call = format!("r{}", at + 1);
        format!("r{at} ::= {}\n", nested(open, &call, close, depth.min(4_000 / 3 / count)))
    });
    format!("root ::= r0\n{}r{count} ::= \"x\"\n", rules.collect::<String>())
}

/// Grammars, by what is nested in them.
fn grammars(depth: usize) -> Vec<(String, String)> {
    let root = |body: String| format!("root ::= {body}\n");
    let chain = |body: &dyn Fn(usize) -> String| {
        (0..depth).fold("root ::= r0\n".to_owned(), |mut text, at| {
            writeln!(text, "r{at} ::= {}", body(at + 1)).expect("it is text");
            text
        }) + &format!("r{depth} ::= \"x\"\n")
    };
    vec![
        ("groups".into(), root(nested("(", "\"a\"", ")", depth))),
        ("groups with more".into(), root(nested("(\"a\" ", "\"b\"", " \"c\")", depth))),
        ("choices".into(), root(nested("(\"a\" | ", "\"b\"", " | \"c\" \"d\")", depth))),
        ("stars".into(), root(nested("(\"a\" ", "\"b\"", " \"c\")*", depth))),
        ("options".into(), root(nested("(\"a\" ", "\"b\"", ")?", depth))),
        ("bounds".into(), root(nested("(\"a\" ", "\"b\"", "){2,3}", depth.min(12)))),
        ("bounds on bounds".into(), root(format!("\"a\"{}", "{0,2}".repeat(depth)))),
        ("marks on marks".into(), root(format!("\"a\"{}", "*?+".repeat(depth)))),
        ("large bounds".into(), root(nested("(\"a\" ", "\"b\"", "){0,900}", depth.min(190)))),
        ("open groups".into(), root("(".repeat(depth))),
        ("calls".into(), chain(&|at| format!("r{at}"))),
        ("calls behind a byte".into(), chain(&|at| format!("\"a\" r{at}"))),
        ("calls before a byte".into(), chain(&|at| format!("r{at} \"a\""))),
        ("calls between bytes".into(), chain(&|at| format!("\"(\" r{at} \")\""))),
        ("calls in choices".into(), chain(&|at| format!("\"a\" | \"b\" r{at}"))),
        ("calls in bounds".into(), chain(&|at| format!("(\"a\" r{at}){{0,70}}"))),
        ("left recursion".into(), chain(&|at| format!("r{at} \"a\" | r{} \"b\" | \"c\"", at / 2))),
        ("groups in calls in groups".into(), within_each_other("(\"a\" ", ")", depth)),
        ("stars in calls in stars".into(), within_each_other("(\"a\" ", ")*", depth)),
        ("bounds in calls in bounds".into(), within_each_other("(\"a\" ", "){0,3}", depth)),
    ]
}

fn patterns(depth: usize) -> Vec<(String, String)> {
    vec![
        ("groups".into(), nested("(?:", "a", ")", depth)),
        ("captures".into(), nested("(a", "b", "c)", depth)),
        ("choices".into(), nested("(a|", "b", "|cd)", depth)),
        ("stars".into(), nested("(?:a", "b", ")*", depth)),
        ("options".into(), nested("(?:a", "b", ")?", depth)),
        ("stars on stars".into(), format!("a{}", "*".repeat(depth))),
        ("bounds on bounds".into(), format!("a{}", "{0,2}".repeat(depth.min(20)))),
        ("classes".into(), nested("[a", "b", "]", depth)),
        ("anchors".into(), nested("(?:^a|", "b", "$)", depth)),
        ("open groups".into(), "(".repeat(depth)),
    ]
}

/// Schemas, by what is nested in them.
fn schemas(depth: usize) -> Vec<(String, String)> {
    let of = |name: &str, open: &str, within: &str, close: &str| {
        (name.to_owned(), nested(open, within, close, depth))
    };
    let ecma = |name: &str, pattern: String| {
        (format!("pattern: {name}"), format!("{{\"pattern\":{}}}", serde_json::json!(pattern)))
    };
    let chain = |name: &str, body: &dyn Fn(usize) -> String, last: &str| {
        let mut text = "{\"$ref\":\"#/$defs/d0\",\"$defs\":{".to_owned();
        for at in 0..depth {
            write!(text, "\"d{at}\":{},", body(at + 1)).expect("it is text");
        }
        write!(text, "\"d{depth}\":{last}}}}}").expect("it is text");
        (format!("chain: {name}"), text)
    };
    let reference = |at: usize| format!("{{\"$ref\":\"#/$defs/d{at}\"}}");
    let mut all = vec![
        of("properties", "{\"properties\":{\"a\":", "{}", "}}"),
        of(
            "required",
            "{\"required\":[\"a\"],\"additionalProperties\":false,\"properties\":{\"a\":",
            "true",
            "}}",
        ),
        of("items", "{\"items\":", "{\"type\":\"null\"}", "}"),
        of("prefixItems", "{\"prefixItems\":[", "{}", "]}"),
        of("contains", "{\"contains\":", "{\"const\":1}", "}"),
        of("additionalProperties", "{\"additionalProperties\":", "{}", "}"),
        of("not", "{\"not\":", "{\"type\":\"string\"}", "}"),
        of("allOf", "{\"allOf\":[", "{\"type\":\"string\"}", ",{\"minLength\":1}]}"),
        of("anyOf", "{\"anyOf\":[", "{\"type\":\"string\"}", ",{\"type\":\"null\"}]}"),
        of("oneOf", "{\"oneOf\":[", "{\"type\":\"string\"}", ",{\"type\":\"null\"}]}"),
        of("if", "{\"if\":", "{\"type\":\"string\"}", ",\"then\":{\"minLength\":1}}"),
        of("const", "{\"const\":", "1", "}").to_owned(),
        ("const of arrays".into(), format!("{{\"const\":{}}}", nested("[", "1", "]", depth))),
        (
            "const of objects".into(),
            format!("{{\"const\":{}}}", nested("{\"a\":", "1", "}", depth)),
        ),
        (
            "enum of both".into(),
            format!("{{\"enum\":[{},2]}}", nested("[{\"a\":", "1", "}]", depth)),
        ),
        ("unknown keywords".into(), format!("{{\"x\":{}}}", nested("[", "1", "]", depth))),
        ("open brackets".into(), "[".repeat(depth)),
        chain("properties", &|at| format!("{{\"properties\":{{\"a\":{}}}}}", reference(at)), "{}"),
        chain("items", &|at| format!("{{\"items\":{}}}", reference(at)), "{}"),
        chain("references", &reference, "{\"type\":\"string\"}"),
        chain(
            "allOf",
            &|at| format!("{{\"allOf\":[{},{{\"maxLength\":{at}}}]}}", reference(at)),
            "true",
        ),
        chain(
            "anyOf",
            &|at| format!("{{\"anyOf\":[{},{{\"const\":{at}}}]}}", reference(at)),
            "{\"type\":\"null\"}",
        ),
        chain("not", &|at| format!("{{\"not\":{}}}", reference(at)), "{\"type\":\"string\"}"),
        chain(
            "oneOf",
            &|at| format!("{{\"oneOf\":[{},{{\"const\":{at}}}]}}", reference(at)),
            "{\"type\":\"null\"}",
        ),
    ];
    all.extend([
        ecma("groups", nested("(?:", "a", ")", depth)),
        ecma("choices", nested("(a|", "b", "|cd)", depth)),
        ecma("stars", nested("(?:a", "b", ")*", depth)),
        ecma("lookahead", nested("(?=a", "b", ")", depth)),
        ecma("lookbehind", nested("(?<=a", "b", ")", depth)),
        ecma("negative lookahead", nested("(?!a", "b", ")", depth)),
        ecma("open groups", "(".repeat(depth)),
    ]);
    all
}

/// Types of TypeScript that nest in every way, and some that the parser alone sees.
fn types(depth: usize) -> Vec<(String, String)> {
    let of = |name: &str, text: String| (name.to_owned(), text);
    let ty = |open: &str, close: &str| format!("type A = {}", nested(open, "1", close, depth));
    let chain: String =
        (0..depth).map(|at| format!("type T{at} = {{ a: T{} }} | 1;\n", at + 1)).collect();
    let bases: String =
        (0..depth).map(|at| format!("interface I{at} extends I{} {{}}\n", at + 1)).collect();
    vec![
        of("members", ty("{ a: ", " }")),
        of("groups", ty("(", ")")),
        of("arrays", ty("", "[]")),
        of("tuples", ty("[", "]")),
        of("arguments", ty("Array<", ">")),
        of("utilities", format!("type A = {}", nested("Partial<", "{ a: 1 }", ">", depth))),
        of("unions", ty("1 | (", ")")),
        of("templates", ty("`a${", "}`")),
        of("conditional types", ty("1 extends 2 ? 3 : ", "")),
        of("functions", ty("() => ", "")),
        of("keys", ty("keyof ", "")),
        of("members of members", format!("type A = {}", nested("", "B", "[\"a\"]", depth))),
        of("names", format!("{chain}type T{depth} = 2; export default T0")),
        of("bases", format!("{bases}interface I{depth} {{ a: 1 }}; export default I0")),
        of(
            "expressions",
            format!("type A = 1; enum E {{ X = {} }}", nested("!(", "1", ")", depth)),
        ),
        of("statements", format!("type A = 1; {}", "if (a) ".repeat(depth))),
        of("open braces", format!("type A = {}", "{ a: ".repeat(depth))),
    ]
}

/// All sources, each with a name.
fn sources() -> Vec<(String, FrontEnd, String)> {
    let mut all = Vec::new();
    let gbnf = || FrontEnd::Gbnf(GbnfOptions::default());
    let regex = || FrontEnd::Regex(PatternOptions::default());
    let schema = |key_order| {
        FrontEnd::JsonSchema(JsonSchemaOptions { key_order, ..JsonSchemaOptions::default() })
    };
    for depth in DEEP {
        let name = |kind: &str, name: String| format!("{kind}, {depth} deep: {name}");
        all.extend(grammars(depth).into_iter().map(|(of, text)| (name("gbnf", of), gbnf(), text)));
        all.extend(
            patterns(depth).into_iter().map(|(of, text)| (name("regex", of), regex(), text)),
        );
        let typescript = || FrontEnd::TypeScript(TypeScriptOptions::default());
        let types = types(depth).into_iter();
        all.extend(types.map(|(of, text)| (name("typescript", of), typescript(), text)));
        all.push((name("gbnf", "schema within".to_owned()), gbnf(), {
            let schema = nested("{\"items\":", "{}", "}", depth);
            format!("root ::= {}", nested("(", &format!("@json-schema{schema}"), ")", depth))
        }));
        all.push((name("gbnf", "tag within".to_owned()), gbnf(), {
            let (open, close) = ("{\"type\": \"sequence\", \"elements\": [", "]}");
            let grammar = "{\"type\": \"grammar\", \"grammar\": \"root ::= @regex/a/\"}";
            let tag = nested(open, grammar, close, depth);
            format!("root ::= {}", nested("(", &format!("@structural-tag{tag}"), ")", depth))
        }));
        for order in [KeyOrder::Schema, KeyOrder::Any] {
            let schemas = schemas(depth).into_iter();
            all.extend(schemas.map(|(of, text)| (name("schema", of), schema(order), text)));
        }
    }
    all.extend(folder().into_iter().map(|(name, language, text)| {
        let front_end = match language {
            Language::Gbnf => gbnf(),
            Language::Regex => regex(),
            Language::JsonSchema => schema(KeyOrder::Schema),
            Language::Lark => FrontEnd::Lark(LarkOptions::default()),
        };
        (name, front_end, text)
    }));
    all
}

/// Compiles everything, each on a small stack, and says of each that it begins and ends.
#[expect(clippy::print_stdout, reason = "the parent process reads it")]
fn compile_all() {
    let vocabulary = vocabularies::small().clone();
    let compiler = Compiler::on_threads(vocabulary, std::num::NonZero::new(1));
    for (name, front_end, text) in sources() {
        println!("\nBEGIN {name}");
        let compile = || {
            let budget = Budget::new().time_limit(Duration::from_secs(2));
            let source = Source::new("source", text.as_str());
            match front_end.lower(source, &budget) {
                Err(errors) => errors[0].code.to_owned(),
                Ok(lowered) => {
                    let options = CompileOptions::default();
                    match compiler.compile(&lowered, front_end.kind(), &options, &budget) {
                        Ok(compiled) => format!("{} states", compiled.data.tables.states.len()),
                        Err(error) => error.to_diagnostic().code.to_owned(),
                    }
                }
            }
        };
        let outcome = thread::scope(|scope| {
            let small = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, compile);
            small.expect("a thread is started").join().expect("it does not panic")
        });
        println!("\nEND {name}: {outcome}");
    }
    println!("\nALL");
}

#[test]
fn every_source_compiles_on_a_small_stack() {
    if std::env::var_os(CHILD).is_some() {
        return compile_all();
    }
    let program = std::env::current_exe().expect("a test is a program");
    let name = "stack::every_source_compiles_on_a_small_stack";
    let output = Command::new(program)
        .args([name, "--exact", "--nocapture", "--test-threads", "1"])
        .env(CHILD, "1")
        .stderr(Stdio::piped())
        .output()
        .expect("the test runs in another process");
    let text = String::from_utf8_lossy(&output.stdout);
    let begun = text.lines().filter(|line| line.starts_with("BEGIN")).count();
    let last = text.lines().rfind(|line| line.starts_with("BEGIN"));
    if std::env::var_os("GRAMMARC_FULL").is_some() {
        text.lines().filter(|line| line.starts_with("END")).for_each(|line| eprintln!("{line}"));
    }
    assert!(text.lines().any(|line| line == "ALL"), "{last:?}, after {begun} sources");
    eprintln!("{begun} sources on {} KiB", STACK >> 10);
}
