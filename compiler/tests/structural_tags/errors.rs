//! The errors of a request of tools, each with its code and pointer.

use serde_json::{Value, json};

use super::lowered;

/// Codes and pointers of the errors.
fn errors(tag: &Value) -> Vec<(String, String)> {
    let errors = lowered(tag).err().unwrap_or_else(|| panic!("{tag} compiles"));
    // An error for a missing key or another type says itself what to do.
    let says_itself = |code: &str| code.ends_with("type") || code.ends_with("missing");
    for error in &errors {
        assert!(error.help.is_some() || says_itself(error.code), "{error:#?}");
    }
    let of = |error: &grammarc_compiler::diagnostics::Diagnostic| {
        (error.code.to_string(), error.pointer.clone().unwrap_or_default())
    };
    errors.iter().map(of).collect()
}

fn is_one(tag: &Value, code: &str, pointer: &str) {
    assert_eq!(errors(tag), [(format!("structural-tag::{code}"), pointer.to_owned())], "{tag}");
}

fn function(name: &str) -> Value {
    json!({"type": "function", "function": {"name": name}})
}

/// A request of two tools with these members besides.
fn request(others: Value) -> Value {
    let mut tag =
        json!({"type": "tools", "style": "qwen_3", "tools": [function("f"), function("g")]});
    for (key, value) in others.as_object().expect("an object") {
        tag[key] = value.clone();
    }
    tag
}

#[test]
fn unknown_names() {
    is_one(&request(json!({"style": "qwen_33"})), "unknown-style", "/style");
    for (style, said, unsaid) in [
        ("llama_4", "llama_3_1, llama_3_2", "did you mean"),
        ("mistal_v3", "did you mean `mistral_v3`", "there is"),
        ("unheard_of", "there are llama, qwen_3", "did you mean"),
    ] {
        let errors = lowered(&request(json!({"style": style}))).expect_err("an unknown style");
        let help = errors[0].help.as_deref().unwrap_or_default();
        assert!(help.contains(said) && !help.contains(unsaid), "{style}: {help}");
    }
    for style in ["hermes3", "Qwen-3", "qwen3_coder", "Llama-3.1", "GPT-OSS", "granite_4"] {
        assert!(lowered(&request(json!({"style": style}))).is_ok(), "{style}");
    }
    is_one(&request(json!({"tool_choice": "always"})), "unknown-value", "/tool_choice");
    is_one(&request(json!({"tool_choice": 1})), "type", "/tool_choice");
    let named = json!({"type": "function", "function": {"name": "h"}});
    is_one(&request(json!({"tool_choice": named})), "unknown-tool", "/tool_choice/function/name");
    let allowed =
        json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [named]}});
    is_one(
        &request(json!({"tool_choice": allowed})),
        "unknown-tool",
        "/tool_choice/allowed_tools/tools/0/function/name",
    );
    let built_in = json!({"type": "web_search"});
    is_one(&request(json!({"tool_choice": built_in})), "unknown-tool", "/tool_choice");
    is_one(&request(json!({"reasoning": {"open": "never"}})), "unknown-value", "/reasoning/open");
    is_one(&request(json!({"tool_choices": "auto"})), "unknown-key", "/tool_choices");
    let tool = json!({"type": "function", "function": {"name": "f", "paramters": {}}});
    is_one(&request(json!({"tools": [tool]})), "unknown-key", "/tools/0/function/paramters");
}

#[test]
fn tools_that_cannot_be_called() {
    is_one(
        &request(json!({"tools": [function("f"), function("f")]})),
        "duplicate-tool",
        "/tools/1/function/name",
    );
    is_one(&request(json!({"tools": [function("a b")]})), "tool-name", "/tools/0/function/name");
    is_one(&request(json!({"tools": [], "tool_choice": "required"})), "no-tools", "/tools");
    is_one(&request(json!({"tools": "f"})), "type", "/tools");
    is_one(
        &request(json!({"tools": [{"type": "function", "function": {}}]})),
        "missing",
        "/tools/0/function",
    );
    let tool = json!({"function": {"name": "f", "parameters": []}});
    is_one(&request(json!({"tools": [tool]})), "type", "/tools/0/function/parameters");
    is_one(&request(json!({"tools": [{"type": "web_search"}]})), "built-in-tool", "/tools/0");
    let tool = json!({"function": {"name": "f", "parameters": {"type": "string"}}});
    let found = errors(&request(json!({"tools": [tool]})));
    assert_eq!(found, [("json-schema::no-object".into(), "/tools/0/function/parameters".into())]);
    let tool =
        json!({"function": {"name": "f", "parameters": {"properties": {"a": {"type": "strin"}}}}});
    let found = errors(&request(json!({"tools": [tool]})));
    assert_eq!(found[0].1, "/tools/0/function/parameters/properties/a/type", "{found:?}");
}

#[test]
fn bounds_that_leave_nothing() {
    is_one(&request(json!({"calls": {"min": 3, "max": 2}})), "range", "/calls/min");
    is_one(&request(json!({"calls": {"min": 3, "unique": true}})), "range", "/calls/min");
    is_one(
        &request(json!({"calls": {"min": 2}, "parallel_tool_calls": false})),
        "range",
        "/calls/min",
    );
    is_one(
        &request(json!({"calls": {"max": 0}, "tool_choice": "required"})),
        "range",
        "/calls/max",
    );
    is_one(&request(json!({"calls": {"max": 65}})), "calls-limit", "");
    let tools: Vec<Value> = (0..9).map(|at| function(&format!("f{at}"))).collect();
    is_one(
        &request(json!({"tools": tools, "calls": {"unique": true}})),
        "calls-limit",
        "/calls/unique",
    );
    let llama = json!({"style": "llama", "reasoning": {"open": "written"}});
    is_one(&request(llama), "no-reasoning", "/reasoning");
}

#[test]
fn keys_that_tags_cannot_hold() {
    let tag = |style: &str| {
        json!({
            "type": "json_schema",
            "style": style,
            "json_schema": {"properties": {"a>\"b": {"type": "string"}}, "required": ["a>\"b"]}
        })
    };
    for style in ["qwen_xml", "minimax_xml", "deepseek_xml", "glm_xml", "cohere_xml", "kimi_k3_xml"]
    {
        let found = errors(&tag(style));
        assert_eq!(found, [("json-schema::tag-key".into(), "/json_schema".into())], "{style}");
    }
    is_one(&tag("xml"), "unknown-style", "/style");
}
