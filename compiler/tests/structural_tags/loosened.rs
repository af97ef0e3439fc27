//! Requests of which some tools are not enforced as a whole, because parts of their schemas do not compile.

use grammarc_compiler::budget::Budget;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::structural_tag::{
    self, StructuralTagOptions, ToolState, refused_tools,
};
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::ir::recognize::recognizes;
use serde_json::{Value, json};

fn lowered(tools: &[Value], choice: &Value) -> Result<Lowered, Vec<Diagnostic>> {
    let tag = json!({"type": "tools", "style": "qwen_3", "tools": tools, "tool_choice": choice, "on_refused": "loosen"});
    let source = Source::new("tools.json", tag.to_string());
    let options = StructuralTagOptions::default();
    structural_tag::lower(source, &options, &ControlTokens::default(), &Budget::new())
}

fn call(name: &str, arguments: &str) -> String {
    format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
}

fn good(name: &str) -> Value {
    let n = json!({"type": "integer"});
    json!({"name": name, "parameters": {"type": "object", "properties": {"n": n}, "required": ["n"], "additionalProperties": false}})
}

fn bad(member: &Value) -> Value {
    json!({"name": "bad", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}, "a": member}, "required": ["n"], "additionalProperties": false}})
}

#[test]
fn the_other_tools_stay_exact_and_the_rest_of_the_tool_holds() {
    let cases = [
        (
            bad(&json!({"type": "string", "pattern": "("})),
            ToolState::Loosened,
            "/tools/1/parameters/properties/a/pattern",
        ),
        (
            bad(&json!({"type": "strin"})),
            ToolState::Loosened,
            "/tools/1/parameters/properties/a/type",
        ),
        (
            bad(&json!({"$ref": "#/$defs/none"})),
            ToolState::Loosened,
            "/tools/1/parameters/properties/a/$ref",
        ),
        (
            json!({"name": "bad", "parameters": {"required": "n"}}),
            ToolState::Loosened,
            "/tools/1/parameters/required",
        ),
        (
            json!({"name": "bad", "parameters": {"properties": {"a": {"pattern": "("}}, "unevaluatedProperties": false}}),
            ToolState::AnyObject,
            "/tools/1/parameters/properties/a/pattern",
        ),
        (
            json!({"name": "bad", "parameters": {"type": "string"}}),
            ToolState::LeftOut,
            "/tools/1/parameters",
        ),
        (json!({"name": "b d", "parameters": {}}), ToolState::LeftOut, "/tools/1/name"),
    ];
    for (bad, state, pointer) in cases {
        let found = lowered(&[good("f"), bad.clone(), good("g")], &json!("auto"));
        let Lowered { grammar, report, findings, .. } =
            found.unwrap_or_else(|errors| panic!("{bad}: {errors:#?}"));
        let refused = refused_tools(&report);
        assert_eq!(refused.len(), 1, "{bad}: {refused:#?}");
        assert_eq!((refused[0].state, refused[0].pointer.as_str()), (state, pointer), "{bad}");
        let code = match state {
            ToolState::LeftOut => "structural-tag::excluded-tool",
            _ => "structural-tag::loosened-tool",
        };
        assert!(findings.iter().any(|one| one.code == code), "{bad}");
        let takes = |text: &str| recognizes(&grammar, text.as_bytes());
        for name in ["f", "g"] {
            assert!(takes(&call(name, "{\"n\": 1}")), "{bad}");
            assert!(!takes(&call(name, "{}")) && !takes(&call(name, "{\"n\": \"\"}")), "{bad}");
        }
        let name = bad["name"].as_str().unwrap_or_default();
        let (whole, other) = (call(name, "{\"n\": 1, \"a\": \"x\"}"), call(name, "{\"n\": \"\"}"));
        assert_eq!(takes(&whole), state != ToolState::LeftOut, "{bad}");
        let is_open = state == ToolState::AnyObject || pointer.ends_with("required");
        assert_eq!(takes(&other), is_open, "{bad}");
        assert!(!takes(&call(name, "[]")), "{bad}");
    }
}

#[test]
fn strict_tools_and_named_tools_refuse_the_request() {
    let mut strict = bad(&json!({"type": "string", "pattern": "("}));
    strict["strict"] = json!(true);
    let errors = lowered(&[good("f"), strict], &json!("auto")).expect_err("strict means enforced");
    assert_eq!(errors[0].pointer.as_deref(), Some("/tools/1/parameters/properties/a/pattern"));
    // A named tool may be loosened, and not left out.
    let named = json!({"type": "function", "function": {"name": "bad"}});
    let loosened = bad(&json!({"pattern": "("}));
    assert!(lowered(&[good("f"), loosened], &named).is_ok());
    let none = json!({"name": "bad", "parameters": {"type": "string"}});
    let errors = lowered(&[good("f"), none], &named).expect_err("there is no call");
    assert_eq!(errors[0].code, "structural-tag::no-tools");
}
