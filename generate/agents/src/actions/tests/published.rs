//! The tests that were published with the format of agents' actions, by their meaning: 21 cases,
//! and four properties over random texts.
//!
//! The agent searches, crops and reads images, and answers. The published document is seed 002; the
//! properties have its numbers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases;
use crate::actions::{AgentFormat, AgentTool, extract_json_response, tags};

fn format() -> AgentFormat {
    let tool = |name, arguments| AgentTool::new(name, "", arguments);
    let query = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    let region =
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4});
    let part = json!({"type": "object", "properties": {"image_id": {"type": "string"}, "region": region}, "required": ["image_id", "region"]});
    let tools = vec![tool("search", query), tool("crop", part.clone()), tool("ocr", part)];
    AgentFormat::new(tools).expect("the names differ")
}

fn is_action(name: &str) -> bool {
    ["search", "crop", "ocr", "answer"].contains(&name)
}

fn action(name: &str, arguments: &Value, answer: &Value) -> String {
    json!({"think": "so", "action": name, "arguments": arguments, "answer": answer}).to_string()
}

#[test]
fn an_object_is_extracted_where_it_is_an_action() {
    let part = json!({"image_id": "image_01", "region": [0, 0, 100, 100]});
    let search = action("search", &json!({"query": "q"}), &Value::Null);
    let cases = [
        ("a search", search.clone(), true),
        ("a crop", action("crop", &part, &Value::Null), true),
        ("a reading", action("ocr", &part, &Value::Null), true),
        ("an answer", action("answer", &json!({}), &json!("Beijing")), true),
        ("within text", format!("some prefix {search} some suffix"), true),
        ("another action", action("fly", &json!({}), &Value::Null), false),
        ("a field is missing", search.replace("\"think\":\"so\",", ""), false),
        ("a brace is missing", search[..search.len() - 1].to_owned(), false),
        ("no JSON", "plain text without any JSON".to_owned(), false),
        ("arguments are no object", action("search", &json!("q"), &Value::Null), false),
    ];
    for (name, text, is_one) in cases {
        let found = extract_json_response(&text, is_action);
        assert_eq!(found.is_some(), is_one, "{name}");
        if let Some((raw, object)) = found {
            assert!(text.contains(raw), "{name}: verbatim");
            assert_eq!(
                serde_json::from_str::<Value>(raw).unwrap(),
                Value::Object(object),
                "{name}"
            );
            assert!(format().parse(&text).is_ok(), "{name}");
        } else {
            assert!(format().parse(&text).is_err(), "{name}");
        }
    }
}

#[test]
fn an_action_has_its_content() {
    let part = json!({"image_id": "image_01", "region": [0, 0, 50, 50]});
    let cases = [
        ("search", json!({"query": "my query"}), Value::Null, json!("my query")),
        ("crop", part.clone(), Value::Null, part.clone()),
        ("ocr", part.clone(), Value::Null, part),
        ("answer", json!({}), json!("The answer is 42"), json!("The answer is 42")),
    ];
    for (name, arguments, answer, content) in cases {
        let parsed = format().parse(&action(name, &arguments, &answer)).unwrap();
        assert_eq!((parsed.action_type.as_str(), parsed.content), (name, content));
    }
    assert!(format().parse("not valid json").is_err());
}

#[test]
fn tags_are_read_as_before() {
    let read = |text: &str| -> Vec<(&'static str, String)> {
        tags(text).map(|tag| (tag.name, tag.content.to_owned())).collect()
    };
    let of = |name, content: &str| (name, content.to_owned());
    assert_eq!(
        read("<think>reasoning</think><search>query text</search>"),
        [of("think", "reasoning"), of("search", "query text")]
    );
    assert_eq!(
        read("<think>done</think><answer>Beijing</answer>"),
        [of("think", "done"), of("answer", "Beijing")]
    );
    assert_eq!(
        read(r#"<think>need crop</think><tools_call>{"type": "crop"}</tools_call>"#),
        [of("think", "need crop"), of("tools_call", r#"{"type": "crop"}"#)]
    );
    assert_eq!(read("plain text without tags"), []);
}

#[test]
fn json_comes_before_tags_and_tags_where_there_is_none() {
    let json = action("search", &json!({"query": "of JSON"}), &Value::Null);
    let parsed = format().parse(&format!("{json}<search>of a tag</search>")).unwrap();
    assert_eq!(parsed.content, "of JSON");
    let text = "<think>reasoning</think><search>of a tag</search>";
    assert!(extract_json_response(text, is_action).is_none());
    let parsed = format().parse(text).unwrap();
    assert_eq!((parsed.action_type.as_str(), parsed.content), ("search", json!("of a tag")));
}

/// Returns a random action: its name, its arguments and its answer.
fn any_action() -> impl Strategy<Value = (&'static str, Value, Value)> {
    let region = (0..500_u32, 0..500_u32, 1..500_u32, 1..500_u32)
        .prop_map(|(x, y, width, height)| json!([x, y, x + width, y + height]));
    let part = (1..100_u32, region).prop_map(
        |(image, region)| json!({"image_id": format!("image_{image:02}"), "region": region}),
    );
    let search = any::<String>().prop_map(|query| ("search", json!({"query": query}), Value::Null));
    let look = (prop_oneof![Just("crop"), Just("ocr")], part)
        .prop_map(|(name, part)| (name, part, Value::Null));
    let answer = any::<String>().prop_map(|answer| ("answer", json!({}), json!(answer)));
    prop_oneof![search, look, answer]
}

/// Returns the content of an action, as the published document defines it.
fn content(name: &str, arguments: &Value, answer: &Value) -> Value {
    match name {
        "search" => arguments["query"].clone(),
        "answer" => answer.clone(),
        _ => arguments.clone(),
    }
}

/// Returns random text around an action, including parts of JSON. It contains no tags, because
/// these would be read.
fn around() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^<]{0,50}",
        "(\\{|\\}|\\[|\\]|\"|\\\\|:|,|\"think\"|\"action\": \"search\"|null|[a-z日 \n]){0,16}",
    ]
}

/// Returns JSON that is not an action: truncated, with a missing field, or with an unknown action.
/// Its strings contain no tags.
fn broken() -> impl Strategy<Value = String> {
    let query = "[^<]{0,20}";
    let cut = (query, any::<prop::sample::Index>()).prop_map(|(query, at)| {
        let whole = action("search", &json!({"query": query}), &Value::Null);
        let ends: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
        whole[..ends[at.index(ends.len())]].to_owned()
    });
    let lacking = (query, 0..4_usize).prop_map(|(query, at)| {
        let mut whole =
            json!({"think": "", "action": "search", "arguments": {"query": query}, "answer": null});
        let field = ["think", "action", "arguments", "answer"][at];
        whole.as_object_mut().expect("it is one").remove(field);
        whole.to_string()
    });
    let unknown = query.prop_map(|query| action("fly", &json!({"query": query}), &Value::Null));
    prop_oneof![Just(String::new()), cut, lacking, unknown]
}

proptest! {
    #![proptest_config(cases())]

    /// Property 1: parsing returns the action and the content that were written.
    #[test]
    fn any_action_is_read(think in any::<String>(), (name, arguments, answer) in any_action()) {
        let text = json!({"think": think, "action": name, "arguments": arguments, "answer": answer}).to_string();
        prop_assert_eq!(extract_json_response(&text, is_action).map(|(raw, _)| raw), Some(text.as_str()));
        let parsed = format().parse(&text).unwrap();
        prop_assert_eq!(parsed.action_type.as_str(), name);
        prop_assert_eq!(parsed.content, content(name, &arguments, &answer));
    }

    /// Property 2: an action is found in any text, and is kept as a whole with the end token after
    /// it.
    #[test]
    fn any_action_is_found_and_kept((name, arguments, answer) in any_action(), before in around(), after in around(), end in "<\\|im_end\\|>|</s>|") {
        let json = action(name, &arguments, &answer);
        let text = format!("{before}{json}{after}");
        prop_assert_eq!(extract_json_response(&text, is_action).map(|(raw, _)| raw), Some(json.as_str()));
        prop_assert_eq!(format().parse(&text).unwrap().raw_json, Some(json.clone()));
        prop_assert_eq!(format().postprocess_responses(&[text], &end), [json + &end]);
    }

    /// Property 3: tags are read if there is no action in JSON, even if there is JSON that is
    /// broken or lacks a field.
    #[test]
    fn any_tag_is_read(name in prop_oneof![Just("search"), Just("answer")], content in "[^<]{1,100}", before in around(), after in around(), broken in broken()) {
        let text = format!("{before}{broken}<think>reasoning</think><{name}>{content}</{name}>{after}");
        prop_assert!(extract_json_response(&text, is_action).is_none());
        let parsed = format().parse(&text).unwrap();
        prop_assert_eq!(parsed.action_type.as_str(), name);
        prop_assert_eq!(&parsed.content, &Value::from(content.trim()));
        prop_assert_eq!(parsed.raw_json, None);
        let read = format().postprocess_predictions(&[text]);
        prop_assert_eq!(read, (vec![Some(name.to_owned())], vec![Some(parsed.content)]));
    }

    /// Property 4: an action in JSON has precedence over tags, wherever these are.
    #[test]
    fn json_comes_before_tags((name, arguments, answer) in any_action(), before in around(), after in around(), tag in "[^<>{}]{0,20}", is_first in any::<bool>()) {
        let (json, tag) = (action(name, &arguments, &answer), format!("<search>{tag}</search>"));
        let both = if is_first { format!("{tag}{before}{json}") } else { format!("{json}{after}{tag}") };
        let parsed = format().parse(&both).unwrap();
        prop_assert_eq!(parsed.action_type.as_str(), name);
        prop_assert_eq!(parsed.content, content(name, &arguments, &answer));
        prop_assert_eq!(parsed.raw_json, Some(json));
    }
}
