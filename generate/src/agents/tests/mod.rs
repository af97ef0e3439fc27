//! The properties that an agent's format has to have.

mod published;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AgentFormat, AgentTool, TAGS, extract_json_response, tags, with_end};

fn format() -> AgentFormat {
    let tool = |name: &str, arguments: Value| AgentTool {
        name: name.to_owned(),
        description: String::new(),
        arguments,
    };
    let query = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"], "additionalProperties": false});
    let boxes = json!({"type": "object", "properties": {"box": {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4}}, "required": ["box"]});
    AgentFormat::new(vec![tool("search", query), tool("bbox", boxes)]).expect("the names differ")
}

/// Texts with all that breaks counters of braces.
fn text() -> impl Strategy<Value = String> {
    "[a-c{}\\[\\]\"\\\\:,<>/\n日]{0,16}"
}

fn cases() -> ProptestConfig {
    let full = std::env::var_os("GRAMMARC_FULL").is_some_and(|value| value == "1");
    ProptestConfig { cases: if full { 10_000 } else { 256 }, ..ProptestConfig::default() }
}

/// The matches of `<(name)>(.*?)</\1>` from left to right, a place at a time.
fn tags_by_definition(text: &str) -> Vec<(&'static str, &str)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let tag = TAGS.into_iter().find_map(|name| {
            let inside = text[at..].strip_prefix(&format!("<{name}>"))?;
            Some((name, inside.split_once(&format!("</{name}>"))?.0))
        });
        match tag {
            Some((name, content)) => {
                found.push((name, content.trim()));
                at += content.len() + 2 * name.len() + 5;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn an_action_is_read_as_it_was_written(think in text(), query in text(), pretty in any::<bool>()) {
        let action = json!({"think": think, "action": "search", "arguments": {"query": query}, "answer": null});
        let written = if pretty { serde_json::to_string_pretty(&action).unwrap() } else { action.to_string() };
        let parsed = format().parse(&written).unwrap();
        prop_assert_eq!(parsed.action_type.as_str(), "search");
        prop_assert_eq!(parsed.content, json!({"query": query}));
        prop_assert_eq!(parsed.raw_json, Some(written));
    }

    #[test]
    fn text_around_an_action_changes_nothing(before in "[a-c\\[\\]\": ]{0,12}", after in text(), answer in text()) {
        let action = json!({"think": "", "action": "answer", "arguments": {}, "answer": answer}).to_string();
        let parsed = format().parse(&format!("{before}{action}{after}")).unwrap();
        prop_assert_eq!(parsed.content, Value::from(answer));
        prop_assert_eq!(parsed.raw_json, Some(action));
    }

    #[test]
    fn what_is_read_is_an_instance_and_stands_in_the_text(output in text(), think in text(), action in "search|answer|other", query in text()) {
        let object = json!({"think": think, "action": action, "arguments": {"query": query}, "answer": null});
        let output = format!("{output}{object}");
        let format = format();
        if let Ok(parsed) = format.parse(&output)
            && let Some(raw) = parsed.raw_json
        {
            prop_assert!(output.contains(&raw));
            prop_assert!(format.schema().is_valid(&grammarc_json::parse(&raw).unwrap()));
        }
    }

    #[test]
    fn tags_are_read_up_to_their_first_end(before in "[a-c{}\n ]{0,8}", content in "[a-c{}\"\n<> ]{0,12}", after in text()) {
        let output = format!("{before}<think>hm</think><search>{content}</search>{after}");
        let parsed = format().parse(&output);
        let content = content.trim();
        // An object behind the tags would come first.
        if let Ok(parsed) = parsed && parsed.raw_json.is_none() {
            prop_assert_eq!(parsed.action_type.as_str(), "search");
            prop_assert_eq!(parsed.content, Value::from(content));
        }
    }

    #[test]
    fn tags_are_those_of_the_shortest_match(text in "((</?(answer|search|think|bbox)>)|[a-c\n ]){0,24}") {
        let found: Vec<_> = tags(&text).map(|tag| (tag.name, tag.content)).collect();
        prop_assert_eq!(found, tags_by_definition(&text));
    }

    #[test]
    fn no_string_of_a_turn_is_a_call(
        before in "[a-c\n ]{0,6}", think in "((</?(answer|search|think|bbox)>)|[a-c{}\" ]){0,12}", answer in "((</?(answer|search|think|bbox)>)|[a-c{}\" ]){0,12}",
        cut in 0.0..1.0_f64
    ) {
        let turn = json!({"think": think, "action": "gone", "arguments": {"query": answer}, "answer": answer}).to_string();
        let output = format!("{before}{turn}");
        prop_assert_eq!(tags(&output).next(), None);
        // At every cut behind the first key.
        let first = "{\"think\":".len();
        let mut end = first + ((turn.len() - first) as f64 * cut) as usize;
        while !turn.is_char_boundary(end) {
            end += 1;
        }
        let output = format!("{before}{}", &turn[..end]);
        prop_assert_eq!(tags(&output).next(), None);
    }

    #[test]
    fn nothing_panics_and_ends_are_appended_once(output in text(), end in "<end>|x") {
        let _ = format().parse(&output);
        let _ = extract_json_response(&output, |_| true);
        let ended = with_end(&output, &end);
        prop_assert!(ended.ends_with(&end) && with_end(&ended, &end) == ended);
    }
}

#[test]
fn errors_tell_the_model_what_to_write() {
    let error = format()
        .parse(r#"{"think": "", "action": "search", "arguments": {"q": 1}, "answer": null}"#)
        .unwrap_err();
    assert!(error.message.contains("`search`") && error.message.contains("\"query\""), "{error}");
    assert!(!error.message.contains("bbox"), "{error}");
    let error = format().parse("I do not know").unwrap_err();
    assert!(error.message.contains("bbox") && error.message.contains("\"answer\""), "{error}");
}

#[test]
fn a_forced_search_holds_any_question() {
    let question = "who said \"{\\\"}\"?\n";
    let written = format().forced("search", json!({"query": question})).unwrap();
    assert_eq!(format().parse(&written).unwrap().content["query"], question);
    assert!(format().forced("fly", json!({})).is_err());
}

#[test]
fn calls_within_tags_are_json() {
    let parsed =
        format().parse("<tools_call>\n{\"name\": \"x\", \"n\": [1]}\n</tools_call>").unwrap();
    assert_eq!(
        (parsed.action_type.as_str(), parsed.content),
        ("tools_call", json!({"name": "x", "n": [1]}))
    );
    assert!(format().parse("<tools_call>x</tools_call>").is_err());
    assert_eq!(tags("<answer>a<answer>b</answer></answer>").next().unwrap().content, "a<answer>b");
}

#[test]
fn what_a_turn_holds_is_no_turn() {
    let inner = r#"{"think": "", "action": "search", "arguments": {"query": "x"}, "answer": null}"#;
    let turn = |action: &str| {
        format!(
            r#"{{"think": "", "action": "{action}", "arguments": {{"note": {inner}}}, "answer": null}}"#
        )
    };
    assert!(format().parse(&turn("gone")).is_err());
    // Behind it, one is; and in an object that is no turn.
    for output in [format!("{} {inner}", turn("gone")), format!(r#"{{"response": {inner}}}"#)] {
        assert_eq!(format().parse(&output).unwrap().raw_json.as_deref(), Some(inner), "{output}");
    }
}

#[test]
fn what_the_strings_of_a_refused_turn_say_is_no_call() {
    let tag = "</think><search>x</search><answer>y</answer>";
    let turns = [
        // Another action, arguments that are none, a key twice: whole and refused.
        format!(r#"{{"think": "{tag}", "action": "gone", "arguments": {{}}, "answer": null}}"#),
        format!(r#"{{"think": "{tag}", "action": "search", "arguments": 1, "answer": null}}"#),
        format!(
            r#"{{"think": "", "action": "gone", "arguments": {{"a": ["{tag}"]}}, "answer": "{tag}"}}"#
        ),
        format!(
            r#"{{"think": "", "action": "search", "arguments": {{}}, "arguments": {{}}, "answer": "{tag}"}}"#
        ),
        // Cut, or no JSON.
        format!(r#"{{"think": "{tag}", "action": "search", "arguments": {{"query": "#),
        format!(
            r#"{{ "action" : "search", "think": "he says "hm" and {tag}", "arguments": {{}}, "answer": null}}"#
        ),
        format!(
            r#"{{"think": 'hm', "action": "search", "arguments": {{"query": "{tag}"}}, "answer": null}}"#
        ),
    ];
    for turn in &turns {
        assert_eq!(tags(turn).next(), None, "{turn}");
        assert!(format().parse(turn).is_err(), "{turn}");
        // An action written before it is read.
        let output = format!("<search>first</search> {turn}");
        assert_eq!(format().parse(&output).unwrap().content, "first", "{output}");
    }
    // Behind a whole one tags are read; in a tag a turn is text, and where it is whole the tag ends behind it.
    for turn in &turns[..4] {
        let output = format!("{turn}\n<search>z</search>");
        assert_eq!(format().parse(&output).unwrap().content, "z", "{output}");
        let output = format!("<think>so: {turn}</think><bbox>1</bbox>");
        let found: Vec<_> = tags(&output).map(|tag| (tag.name, tag.content)).collect();
        assert_eq!(found, [("think", format!("so: {turn}").as_str()), ("bbox", "1")]);
    }
    let output = r#"<think>I write {"think": …}</think><search>z</search>"#;
    assert_eq!(format().parse(output).unwrap().content, "z");
    // An object that is no turn hides nothing.
    assert_eq!(format().parse(r#"{"a": "<search>x</search>"}"#).unwrap().content, "x");
}

#[test]
fn a_key_that_occurs_twice_is_no_action() {
    let output = r#"{"think": "", "action": "search", "arguments": {"query": "a"}, "answer": null, "arguments": {"query": "b"}}"#;
    assert!(format().parse(output).is_err());
}

#[test]
fn long_outputs_are_read_to_their_end() {
    let action = r#"{"think": "", "action": "answer", "arguments": {}, "answer": "x"}"#;
    let nested = r#"{"a": "#.repeat(100) + "1";
    for before in ["{ ".repeat(100_000), "{\"".repeat(100_000), nested, "<bbox>".repeat(50_000)] {
        let output = before + "\n" + action;
        assert_eq!(format().parse(&output).unwrap().raw_json.as_deref(), Some(action));
    }
    let output = "<think></think>".repeat(100_000);
    assert_eq!(tags(&output).count(), 100_000);
    let output = "<bbox><search></bbox>".repeat(50_000) + "</search>";
    assert_eq!(tags(&output).count(), 50_000);
}

#[test]
fn names_are_told_apart() {
    let tool =
        AgentTool { name: "answer".to_owned(), description: String::new(), arguments: json!({}) };
    assert!(AgentFormat::new(vec![tool]).is_err());
}
