//! How many calls there may be, which, and what may stand around them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::verdicts;

/// Styles with calls in text, in a section and in messages: what one call without arguments is, between which of them,
/// before and behind all.
const STYLES: [(&str, [&str; 5]); 3] = [
    (
        "qwen_3",
        ["<tool_call>\n{\"name\": \"", "\", \"arguments\": {}}\n</tool_call>", "\n", "", ""],
    ),
    (
        "kimi",
        [
            "<|tool_call_begin|>functions.",
            ":0<|tool_call_argument_begin|>{}<|tool_call_end|>",
            "",
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
        ],
    ),
    (
        "harmony",
        [
            "<|channel|>commentary to=functions.",
            "<|constrain|>json<|message|>{}",
            "<|end|><|start|>assistant",
            "",
            "<|call|>",
        ],
    ),
];

const NAMES: [&str; 3] = ["f", "g", "gg"];

fn written(style: usize, calls: &[usize]) -> String {
    let [begin, end, between, before, behind] = STYLES[style].1;
    if calls.is_empty() {
        return String::new();
    }
    let calls: Vec<String> = calls.iter().map(|&at| format!("{begin}{}{end}", NAMES[at])).collect();
    format!("{before}{}{behind}", calls.join(between))
}

fn request(style: usize, others: Value) -> Value {
    let tools = NAMES.map(|name| json!({"type": "function", "function": {"name": name}}));
    let mut tag = json!({"type": "tools", "style": STYLES[style].0, "tools": tools});
    for (key, value) in others.as_object().expect("an object") {
        tag[key] = value.clone();
    }
    tag
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn bounds_are_kept(
        style in 0..STYLES.len(),
        min in 0..3u32,
        max in prop::option::of(0..4u32),
        unique: bool,
        is_parallel: bool,
        is_required: bool,
        lists in prop::collection::vec(prop::collection::vec(0..NAMES.len(), 0..5), 1..12),
    ) {
        let mut calls = json!({"min": min, "unique": unique});
        if let Some(max) = max {
            calls["max"] = max.into();
        }
        let choice = if is_required { "required" } else { "auto" };
        let others = json!({"calls": calls, "parallel_tool_calls": is_parallel, "tool_choice": choice});
        let most = [max, (!is_parallel).then_some(1), unique.then_some(3)];
        let most = most.into_iter().flatten().min();
        let least = min.max(u32::from(is_required));
        let texts: Vec<String> = lists.iter().map(|calls| written(style, calls)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = verdicts(&request(style, others), &texts);
        if most.is_some_and(|most| most < least) {
            prop_assert!(found.is_err());
            return Ok(());
        }
        for (calls, found) in lists.iter().zip(found.unwrap()) {
            let count = calls.len() as u32;
            let repeats = (1..calls.len()).any(|at| calls[..at].contains(&calls[at]));
            let expected = least <= count && most.is_none_or(|most| count <= most) && !(unique && repeats);
            prop_assert_eq!(found, expected, "{:?}", calls);
        }
    }
}

#[test]
fn text_stands_where_it_may() {
    let call = written(0, &[0]);
    let before = format!("Let me see.\n{call}");
    let cases = [
        (json!({}), [true, true, true]),
        (json!({"tool_choice": "required"}), [false, true, true]),
        (json!({"tool_choice": "required", "text_before": false}), [false, true, false]),
        (json!({"text_before": false}), [true, true, false]),
        (json!({"tool_choice": "none"}), [true, false, false]),
        (
            json!({"tool_choice": {"type": "function", "function": {"name": "f"}}}),
            [false, true, false],
        ),
        (
            json!({"tool_choice": {"type": "function", "name": "f"}, "text_before": true}),
            [false, true, true],
        ),
        (
            json!({"tool_choice": {"type": "function", "function": {"name": "g"}}}),
            [false, false, false],
        ),
        (
            json!({"tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "g"}]}}),
            [false, false, false],
        ),
    ];
    for (others, expected) in cases {
        let found = verdicts(&request(0, others.clone()), &["Hello.", &call, &before]).unwrap();
        assert_eq!(found, expected, "{others}");
    }
}

#[test]
fn reasoning_opens_as_it_is_said() {
    let texts = ["a</think>\n\nb", "<think>a</think>\n\nb", "b"];
    let cases = [
        (json!({"reasoning": true}), [true, true, false]),
        (json!({"reasoning": {"open": "written"}}), [false, true, false]),
        (json!({"reasoning": {"open": "optional"}}), [false, true, true]),
        (json!({"reasoning": false}), [false, false, true]),
    ];
    for (others, expected) in cases {
        let found = verdicts(&request(0, others.clone()), &texts).unwrap();
        assert_eq!(found, expected, "{others}");
    }
}

/// Arguments are an object, whatever the schema says of other values.
#[test]
fn arguments_are_objects() {
    let tools = json!([
        {"function": {"name": "open", "parameters": {"properties": {"a": {"type": "integer"}}}}},
        {"function": {"name": "loose", "strict": false, "parameters": {"type": "object", "required": ["a"]}}},
        {"function": {"name": "deep", "parameters": {"properties": {"a": {"$ref": "#"}}, "additionalProperties": false}}}
    ]);
    let tag = json!({"type": "structural_tag", "format": {"type": "tools", "style": "plain", "tools": tools, "tool_choice": "required", "text_before": false}});
    let call = |name: &str, arguments: &str| {
        format!("{{\"name\": \"{name}\", \"arguments\": {arguments}}}")
    };
    let cases = [
        ("open", "{\"a\": 1}", true),
        ("open", "{\"b\":[]}", true),
        ("open", "{\"a\": \"1\"}", false),
        ("open", "3", false),
        ("open", "[]", false),
        ("open", "null", false),
        ("loose", "{\"b\": 1}", true),
        ("loose", "1", false),
        ("deep", "{\"a\": {\"a\": 3}}", true),
        ("deep", "{\"a\": {\"b\": 3}}", false),
        ("deep", "3", false),
    ];
    for (name, arguments, expected) in cases {
        let found = verdicts(&tag, &[&call(name, arguments)]).unwrap();
        assert_eq!(found, [expected], "{name} {arguments}");
    }
}

/// Forms of calls that families write besides those of their templates, and forms that they never write.
#[test]
fn forms_of_families() {
    let tag = |style: &str, others: Value| {
        let mut tag = json!({"type": "tools", "style": style, "tools": [{"type": "function", "function": {"name": "f"}}]});
        for (key, value) in others.as_object().expect("an object") {
            tag[key] = value.clone();
        }
        tag
    };
    let channel_first = "<|channel|>commentary to=functions.f json<|message|>{}<|call|>";
    let constrained = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>";
    let early = "<|channel|>analysis<|message|>x<|return|>";
    let answered = "<|channel|>final<|message|>Hi<|return|>";
    let continued = format!("{early}<|start|>assistant{channel_first}");
    let thought =
        format!("<|channel|>analysis<|message|>x<|end|><|start|>assistant{channel_first}");
    let required = json!({"tool_choice": "required", "reasoning": true});
    let mistral = "[TOOL_CALLS]f[ARGS]{}";
    let minimax = "<minimax:tool_call>\n<invoke name=\"f\">\n</invoke>\n</minimax:tool_call>";
    let cases: [(Value, Vec<(String, bool)>); 6] = [
        (
            tag("harmony", required),
            vec![
                (channel_first.to_owned(), true),
                (constrained.to_owned(), true),
                (thought, true),
                (early.to_owned(), false),
                (answered.to_owned(), false),
                (continued, false),
            ],
        ),
        (
            tag("harmony", json!({"reasoning": true})),
            vec![
                (answered.to_owned(), true),
                (early.to_owned(), true),
                (format!("{answered}<|start|>assistant{channel_first}"), false),
                (format!("{channel_first}<|start|>assistant{channel_first}"), false),
            ],
        ),
        (
            tag("minimax", json!({})),
            vec![
                (format!("\n{minimax}"), true),
                (format!("\n</think>\n\n{minimax}"), true),
                ("Hello".to_owned(), true),
            ],
        ),
        (
            tag("mistral_v13", json!({})),
            vec![
                (format!("Hi{mistral}{mistral}"), true),
                ("Hi".to_owned(), true),
                (format!("{mistral} Done."), false),
                (format!("{mistral} {mistral}"), false),
            ],
        ),
        (
            tag("mistral_v11", json!({"calls": {"min": 1, "max": 2}})),
            vec![
                (format!("Hi{mistral}"), true),
                (format!("{mistral}{mistral}{mistral}"), false),
                (format!("{mistral}Hi"), false),
            ],
        ),
        (
            tag("mistral_v3", json!({})),
            vec![
                ("Hi[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {}}]".to_owned(), true),
                ("[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {}}] Done.".to_owned(), false),
            ],
        ),
    ];
    for (tag, texts) in cases {
        let (texts, expected): (Vec<String>, Vec<bool>) = texts.into_iter().unzip();
        let strings: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = verdicts(&tag, &strings).unwrap_or_else(|error| panic!("{tag}: {error}"));
        for ((text, expected), found) in texts.iter().zip(expected).zip(found) {
            assert_eq!(found, expected, "{tag}: {text}");
        }
    }
}
