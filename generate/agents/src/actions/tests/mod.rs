//! Tests of the properties that the format of agents' actions has to have.

mod published;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AgentFormat, AgentTool, TAGS, extract_json_response, tags, with_end};

fn format() -> AgentFormat {
    let tool = |name, arguments| AgentTool::new(name, "", arguments);
    let query = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"], "additionalProperties": false});
    let boxes = json!({"type": "object", "properties": {"box": {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4}}, "required": ["box"]});
    AgentFormat::new(vec![tool("search", query), tool("bbox", boxes)]).expect("the names differ")
}

/// Returns texts with everything that confuses a counter of braces.
fn text() -> impl Strategy<Value = String> {
    "[a-c{}\\[\\]\"\\\\:,<>/\n日]{0,16}"
}

fn cases() -> ProptestConfig {
    let full = std::env::var_os("GRAMMARC_FULL").is_some_and(|value| value == "1");
    ProptestConfig { cases: if full { 10_000 } else { 256 }, ..ProptestConfig::default() }
}

/// Returns the matches of the regular expression `<(name)>(.*?)</\1>` from left to right, found one
/// position at a time.
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
        prop_assert_eq!(parsed.content, Value::from(query));
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
        // If an object followed the tags, it would have precedence.
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
        before in "[a-c\n ]{0,6}", think in "((</?(answer|search|think|bbox)>)|[a-c{}\" ]){0,12}", answer in "((</?(answer|search|think|bbox)>)|[a-c{}\" ]){0,12}"
    ) {
        let turn = json!({"think": think, "action": "gone", "arguments": {"query": answer}, "answer": answer}).to_string();
        let output = format!("{before}{turn}");
        prop_assert_eq!(tags(&output).next(), None);
    }

    #[test]
    fn nothing_panics_and_ends_are_appended_once(output in text(), end in "<end>|x") {
        let _ = format().parse(&output);
        let _ = format().failed(&output, &output);
        let _ = format().forced(&output, Value::from(output.clone()), &output);
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
    for content in [json!(question), json!({"query": question})] {
        let written = format().forced("search", content, "I look it up.").unwrap();
        assert_eq!(format().parse(&written).unwrap().content, question);
        let object: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(object["think"], "I look it up.");
        assert!(written.starts_with("{\"think\":"), "{written}");
    }
    assert!(format().forced("fly", json!({}), "").is_err());
    assert!(format().forced("search", json!(1), "").is_err());
    assert!(format().forced("search", json!({"question": "x"}), "").is_err());
}

#[test]
fn a_forced_answer_is_one() {
    let written = format().forced("answer", json!("42 }"), "done").unwrap();
    let parsed = format().parse(&written).unwrap();
    assert_eq!((parsed.action_type.as_str(), parsed.content), ("answer", json!("42 }")));
    assert!(format().schema().is_valid(&grammarc_json::parse(&written).unwrap()));
    assert!(format().forced("answer", Value::Null, "").is_err());
}

#[test]
fn an_action_that_failed_is_reported_with_its_form() {
    let message = format().failed("bbox", "there is no image `image_07`").message;
    assert!(message.contains("`bbox` failed") && message.contains("`image_07`"), "{message}");
    assert!(message.contains("\"box\"") && !message.contains("\"query\""), "{message}");
    let message = format().failed("fly", "no wings").message;
    assert!(message.contains("\"box\"") && message.contains("\"query\""), "{message}");
}

#[test]
fn the_content_of_a_tool_is_an_argument_or_all() {
    let arguments = json!({"type": "object", "properties": {"url": {"type": "string"}, "part": {"type": "integer"}}, "required": []});
    let with = |content: Option<&str>| {
        let content = content.map(str::to_owned);
        AgentFormat::new(vec![AgentTool {
            content,
            ..AgentTool::new("open", "", arguments.clone())
        }])
    };
    let text = |arguments: Value| {
        json!({"think": "", "action": "open", "arguments": arguments, "answer": null}).to_string()
    };
    let both = json!({"url": "x", "part": 2});
    let content =
        |content, arguments| with(content).unwrap().parse(&text(arguments)).unwrap().content;
    assert_eq!(content(None, both.clone()), both);
    assert_eq!(content(Some("part"), both), json!(2));
    assert_eq!(content(Some("part"), json!({})), Value::Null);
    let error = with(Some("query")).unwrap_err().to_string();
    assert!(error.contains("`open`") && error.contains("`query`"), "{error}");
}

#[test]
fn lists_of_outputs_are_read_and_kept() {
    let search =
        r#"{"think": "", "action": "search", "arguments": {"query": "a"}, "answer": null}"#;
    let invalid = search.replace("query", "q");
    let outputs = [
        format!("Well: {search} and {search}"),
        "<think>t</think> so <search> b </search> <answer>c</answer>".to_owned(),
        "I do not know".to_owned(),
        invalid.clone(),
        "<think>only</think> this <think>and</think>".to_owned(),
    ];
    let (actions, contents) = format().postprocess_predictions(&outputs);
    assert_eq!(
        actions.iter().map(Option::as_deref).collect::<Vec<_>>(),
        [Some("search"), Some("search"), None, None, Some("think")]
    );
    assert_eq!(contents, [Some(json!("a")), Some(json!("b")), None, None, Some(json!("only"))]);
    let kept = format().postprocess_responses(&outputs, "<end>");
    let expected = [
        search,
        "<think>t</think>\n<search> b </search>",
        "I do not know",
        &invalid,
        "<think>only</think>",
    ];
    assert_eq!(kept, expected.map(|text| format!("{text}<end>")));
    assert_eq!(format().postprocess_responses(&kept, "<end>"), kept, "the end stands there once");
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
    // An action after such a turn is read. So is an action inside an object that is not a turn.
    for output in [format!("{} {inner}", turn("gone")), format!(r#"{{"response": {inner}}}"#)] {
        assert_eq!(format().parse(&output).unwrap().raw_json.as_deref(), Some(inner), "{output}");
    }
}

#[test]
fn what_the_strings_of_a_refused_turn_say_is_no_call() {
    let tag = "</think><search>x</search><answer>y</answer>";
    let turns = [
        // Turns with an unknown action, with arguments that are no object, or with a duplicate key.
        // Each is rejected as a whole.
        format!(r#"{{"think": "{tag}", "action": "gone", "arguments": {{}}, "answer": null}}"#),
        format!(r#"{{"think": "{tag}", "action": "search", "arguments": 1, "answer": null}}"#),
        format!(
            r#"{{"think": "", "action": "gone", "arguments": {{"a": ["{tag}"]}}, "answer": "{tag}"}}"#
        ),
        format!(
            r#"{{"think": "", "action": "search", "arguments": {{}}, "arguments": {{}}, "answer": "{tag}"}}"#
        ),
    ];
    for turn in &turns {
        assert_eq!(tags(turn).next(), None, "{turn}");
        assert!(format().parse(turn).is_err(), "{turn}");
        // A tag before the turn is read.
        let output = format!("<search>first</search> {turn}");
        assert_eq!(format().parse(&output).unwrap().content, "first", "{output}");
    }
    // Tags after a turn are read. A turn within a tag is plain text, and the tag ends after it.
    for turn in &turns {
        let output = format!("{turn}\n<search>z</search>");
        assert_eq!(format().parse(&output).unwrap().content, "z", "{output}");
        let output = format!("<think>so: {turn}</think><bbox>1</bbox>");
        let found: Vec<_> = tags(&output).map(|tag| (tag.name, tag.content)).collect();
        assert_eq!(found, [("think", format!("so: {turn}").as_str()), ("bbox", "1")]);
    }
    let output = r#"<think>I write {"think": …}</think><search>z</search>"#;
    assert_eq!(format().parse(output).unwrap().content, "z");
    // An object that is not a turn hides no tags.
    assert_eq!(format().parse(r#"{"a": "<search>x</search>"}"#).unwrap().content, "x");
}

#[test]
fn tags_are_read_where_json_is_broken() {
    let broken = [
        r#"{"think": "x", "action": "search", "arguments": {"query": "#,
        r#"{"think": "he says "hm"", "action": "search", "arguments": {}, "answer": null}"#,
        r#"{"think": 'hm', "action": search}"#,
        r#"{"think": "no end, "#,
        r#"{"think": "x", "action": "search", "arguments": {"query": "y"}}"#,
    ];
    for turn in broken {
        for output in [
            format!("{turn}\n<search>z</search>"),
            format!("<think>hm</think>{turn} <search> z </search>\"}}"),
        ] {
            let parsed =
                format().parse(&output).unwrap_or_else(|error| panic!("{output}: {error}"));
            assert_eq!(
                (parsed.action_type.as_str(), parsed.content),
                ("search", json!("z")),
                "{output}"
            );
        }
    }
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
fn names_are_distinct() {
    let tool = AgentTool::new("answer", "", json!({}));
    assert!(AgentFormat::new(vec![tool]).is_err());
}
