//! Lists of tools in the forms of several protocols, and requests that leave out tools that do not compile.

use grammarc_compiler::budget::{Budget, BudgetError};
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::structural_tag::{
    self, OnRefused, RefusedTool, StructuralTagOptions, ToolState, refused_tools,
};
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::ir::recognize::recognizes;
use serde_json::{Value, json};

fn options(style: &str, on_refused: OnRefused) -> StructuralTagOptions {
    let style = Some(style.to_owned());
    StructuralTagOptions { style, on_refused, ..StructuralTagOptions::default() }
}

fn lowered(
    tag: &Value,
    options: &StructuralTagOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    let source = Source::new("tools.json", tag.to_string());
    structural_tag::lower(source, options, &ControlTokens::default(), budget)
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false})
}

/// A call in the style `qwen_3`.
fn call(name: &str, arguments: &str) -> String {
    format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
}

#[test]
fn lists_are_of_any_protocol() {
    let tool = |name: &str, key: &str| json!({"name": name, "description": "d", key: schema()});
    let chat = json!({"type": "function", "function": tool("f", "parameters")});
    let mut responses = tool("f", "parameters");
    responses["type"] = json!("function");
    let mut anthropic = tool("f", "input_schema");
    anthropic["cache_control"] = json!({"type": "ephemeral"});
    let mut custom = anthropic.clone();
    custom["type"] = json!("custom");
    let mut mcp = tool("f", "inputSchema");
    mcp["title"] = json!("F");
    mcp["outputSchema"] = json!({"type": "object"});
    mcp["annotations"] = json!({"readOnlyHint": true});
    for tool in [chat, responses, anthropic, custom, mcp] {
        let whole = json!([tool]);
        let result = json!({"tools": [tool], "nextCursor": null, "ttlMs": 1});
        let request = |tools: &Value| json!({"type": "tools", "tools": tools});
        for tag in [whole.clone(), result.clone(), request(&whole), request(&result)] {
            let options = options("Qwen-3", OnRefused::Request);
            let lowered = lowered(&tag, &options, &Budget::new());
            let grammar = lowered.unwrap_or_else(|errors| panic!("{tag}: {errors:#?}")).grammar;
            let takes = |text: &str| recognizes(&grammar, text.as_bytes());
            assert!(takes(&call("f", "{\"n\": 1}")) && takes("No."), "{tag}");
            assert!(!takes(&call("f", "{}")) && !takes(&call("g", "{\"n\": 1}")), "{tag}");
        }
    }
}

#[test]
fn lists_that_are_not_whole_or_not_clear() {
    let errors = |tag: &Value, options: &StructuralTagOptions| {
        let errors = lowered(tag, options, &Budget::new()).expect_err("there is an error");
        let found = errors.into_iter().map(|error| (error.code, error.pointer.unwrap_or_default()));
        found.collect::<Vec<_>>()
    };
    let own = options("qwen_3", OnRefused::Request);
    let is_one = |tag: Value, code: &'static str, pointer: &str| {
        assert_eq!(errors(&tag, &own), [(code, pointer.to_owned())], "{tag}");
    };
    let tool = json!({"name": "f", "inputSchema": schema()});
    let cursor = json!({"tools": [tool], "nextCursor": "2"});
    is_one(cursor, "structural-tag::partial-list", "/nextCursor");
    let both = json!([{"name": "f", "inputSchema": schema(), "input_schema": schema()}]);
    is_one(both, "structural-tag::two-schemas", "/0/inputSchema");
    let wrong = json!([{"name": "f", "inputSchma": schema()}]);
    is_one(wrong, "structural-tag::unknown-key", "/0/inputSchma");
    is_one(json!([1]), "structural-tag::type", "/0");
    let unnamed = StructuralTagOptions::default();
    assert_eq!(errors(&json!([tool]), &unnamed)[0].0, "structural-tag::missing");
    let unknown = options("qwen_33", OnRefused::Request);
    assert_eq!(errors(&json!([tool]), &unknown)[0].0, "structural-tag::unknown-style");
}

/// Tools that do not compile, each with the code of its error and the rest of its pointer.
fn bad_tools() -> Vec<(Value, &'static str, &'static str)> {
    let of = |member: Value| json!({"name": "bad", "parameters": {"properties": {"a": member}}});
    let unsupported = json!({"type": "strin"});
    vec![
        (of(unsupported), "json-schema::invalid-keyword", "/parameters/properties/a/type"),
        (
            json!({"name": "bad", "parameters": {"type": "string"}}),
            "json-schema::no-object",
            "/parameters",
        ),
        (json!({"name": "bad", "parameters": []}), "structural-tag::type", "/parameters"),
        (json!({"name": "bad", "input_pattern": "a("}), "regex::syntax", "/input_pattern"),
        (json!({"name": "b d", "parameters": schema()}), "structural-tag::tool-name", "/name"),
    ]
}

#[test]
fn a_tool_that_does_not_compile_is_left_out_and_reported() {
    let good = |name: &str| json!({"name": name, "parameters": schema()});
    for (bad, code, place) in bad_tools() {
        let tag = json!({"type": "tools", "style": "qwen_3", "tools": [good("f"), bad, good("g")]});
        let of = |on_refused: &str| {
            let mut tag = tag.clone();
            tag["on_refused"] = on_refused.into();
            lowered(&tag, &StructuralTagOptions::default(), &Budget::new())
        };
        let refused = of("request").expect_err("the whole request is refused");
        let Lowered { grammar, report, findings, .. } =
            of("exclude").unwrap_or_else(|errors| panic!("{bad}: {errors:#?}"));
        let excluded = refused_tools(&report);
        let name = bad["name"].as_str().expect("a name");
        let expected = RefusedTool {
            state: ToolState::LeftOut,
            name: name.to_owned(),
            pointer: format!("/tools/1{place}"),
            code: refused[0].code.to_owned(),
            message: refused[0].message.clone(),
        };
        assert_eq!(excluded, [expected], "{bad}");
        assert_eq!(excluded[0].code, code, "{bad}");
        let entry = report.entries().last().expect("an entry");
        assert_eq!(entry.verdict, Verdict::Narrower);
        assert!(findings.iter().any(|one| one.code == "structural-tag::excluded-tool"), "{bad}");
        let takes = |text: &str| recognizes(&grammar, text.as_bytes());
        assert!(takes(&call("f", "{\"n\": 1}")) && takes(&call("g", "{\"n\": 2}")), "{bad}");
        assert!(!takes(&call("f", "{}")) && !takes(&call(name, "{}")), "{bad}");
        assert!(!takes(&call(name, "{\"n\": 1}")) && !takes(&call(name, "{\"a\": \"\"}")), "{bad}");
        assert!(takes(&format!("I would call {name}.")));
        // The other tools have the grammar that they have alone.
        let mut alone = tag.clone();
        alone["tools"] = json!([good("f"), good("g")]);
        let alone = lowered(&alone, &StructuralTagOptions::default(), &Budget::new());
        let rules = |grammar: &grammarc_compiler::ir::Grammar| grammar.rules.len();
        assert_eq!(rules(&alone.expect("it compiles").grammar), rules(&grammar), "{bad}");
    }
}

#[test]
fn what_is_not_the_fault_of_one_tool_refuses_the_request() {
    let (bad, ..) = bad_tools().swap_remove(0);
    let good = json!({"name": "f", "parameters": schema()});
    let codes = |tag: Value| {
        let options = options("qwen_3", OnRefused::Exclude);
        let errors = lowered(&tag, &options, &Budget::new()).expect_err("it is refused");
        errors.iter().map(|error| error.code).collect::<Vec<_>>()
    };
    let named = |name: &str| json!({"type": "function", "function": {"name": name}});
    let request = |tools: Value, choice: Value| json!({"type": "tools", "tools": tools, "tool_choice": choice});
    let both = json!([bad, good]);
    let none_left = ["structural-tag::no-tools"];
    assert_eq!(codes(request(both.clone(), named("bad"))), none_left);
    assert_eq!(codes(request(json!([bad]), "required".into())), none_left);
    assert_eq!(codes(json!([good, good])), ["structural-tag::duplicate-tool"]);
    assert_eq!(codes(json!([bad, bad])), ["structural-tag::duplicate-tool"]);
    let mut unknown = request(both.clone(), "auto".into());
    unknown["style"] = json!("qwen_33");
    assert_eq!(codes(unknown), ["structural-tag::unknown-style"]);
    let mut unknown = request(both.clone(), "auto".into());
    unknown["on_refused"] = json!("ignore");
    assert_eq!(codes(unknown), ["structural-tag::unknown-value"]);
    // Tools that may not be called need not compile, and text alone needs none.
    let allowed = json!({"type": "allowed_tools", "mode": "required", "tools": [named("f")]});
    let options = options("qwen_3", OnRefused::Exclude);
    for choice in [allowed, named("f"), "none".into()] {
        let lowered = lowered(&request(both.clone(), choice), &options, &Budget::new());
        assert_eq!(refused_tools(&lowered.expect("it compiles").report), []);
    }
    let text = lowered(&request(json!([bad]), "auto".into()), &options, &Budget::new());
    let grammar = text.expect("it compiles").grammar;
    assert!(recognizes(&grammar, b"Hello.") && !recognizes(&grammar, call("bad", "{}").as_bytes()));
}

/// 24 tools are exact beside one whose string may have 10,000 characters, which is beyond the limit of this style. That
/// tool costs little more than its own automaton up to the limit.
#[test]
fn a_bound_that_is_too_large_costs_the_others_little() {
    let good = |at: usize| {
        json!({"name": format!("f{at}"), "inputSchema": {"type": "object", "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 100 + at},
            "when": {"type": "string", "format": "date-time"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000 * at},
            "tags": {"type": "array", "items": {"enum": ["a", "b", format!("c{at}")]}, "maxItems": 5},
        }, "required": ["query"], "additionalProperties": false}})
    };
    let long = json!({"type": "string", "maxLength": 10_000});
    let bad = json!({"name": "bad", "inputSchema": {"properties": {"a": long}}});
    let mut tools: Vec<Value> = (1..=24).map(good).collect();
    let options = options("qwen_3_coder", OnRefused::Exclude);
    let run = |tools: &[Value]| {
        let budget = Budget::new();
        let lowered = lowered(&Value::from(tools), &options, &budget);
        (lowered.unwrap_or_else(|errors| panic!("{errors:#?}")), budget.steps())
    };
    let (alone, steps_alone) = run(&tools);
    tools.insert(7, bad);
    let (with, steps) = run(&tools);
    let excluded = refused_tools(&with.report);
    assert_eq!(excluded.len(), 1);
    assert_eq!(excluded[0].pointer, "/7/inputSchema");
    assert_eq!(excluded[0].code, "json-schema::state-limit");
    assert_eq!(alone.grammar.rules.len(), with.grammar.rules.len());
    for at in [1, 7, 24] {
        let call = |query: usize| {
            let query = "x".repeat(query);
            format!(
                "<tool_call>\n<function=f{at}>\n<parameter=query>\n{query}\n</parameter>\n</function>\n</tool_call>"
            )
        };
        let takes = |count: usize| recognizes(&with.grammar, call(count).as_bytes());
        assert!(takes(100 + at) && !takes(101 + at) && !takes(0), "f{at}");
    }
    // Masks take most of a compilation, and the tool that is left out has none.
    assert!(10 * steps <= 15 * steps_alone, "{steps} and {steps_alone} steps");
}

/// A cancellation or a time limit is no tool's fault, so it never leaves out a tool.
#[test]
fn a_spent_budget_leaves_out_nothing() {
    let tag = json!([{"name": "f", "inputSchema": schema()}]);
    let budget = Budget::new().time_limit(std::time::Duration::ZERO);
    let errors = lowered(&tag, &options("qwen_3", OnRefused::Exclude), &budget);
    assert_eq!(errors.expect_err("no time is left")[0].code, "budget::time");
    assert!(matches!(budget.error(), Some(BudgetError::Time { .. })));
}
