//! Calls are read as they were meant: what chat templates write of known calls is read as these calls, however the output is
//! divided into tokens or texts.
//!
//! The calls are those of the scenarios in `compiler/tests/data/structural_tags/render.py`.

use grammarc_calls::{Calls, Part};
use grammarc_runtime::Grammar;
use grammarc_tests::random::Rng;
use serde_json::{Value, json};

use super::calls::{grammar, tokens, transcripts, transcripts_with_grammars};

/// Number of random divisions of each transcript, by tokens and by text.
const DIVISIONS: usize = 25;

/// What was read of an output.
#[derive(Debug, Default, PartialEq)]
struct Read {
    reasoning: String,
    text: String,
    calls: Vec<(String, String)>,
}

impl Read {
    fn add(&mut self, parts: Vec<Part>) {
        for part in parts {
            match part {
                Part::Reasoning(text) => self.reasoning += &text,
                Part::Text(text) => self.text += &text,
                Part::Call { index, name } => {
                    assert_eq!(index as usize, self.calls.len(), "calls come in order");
                    self.calls.push((name, String::new()));
                }
                Part::Arguments { index, delta } => self.calls[index as usize].1 += &delta,
            }
        }
    }

    /// The calls with their arguments as values. Keys are in any order.
    fn values(&self, about: &str) -> Vec<(String, Value)> {
        let value = |(name, json): &(String, String)| {
            let value = serde_json::from_str(json);
            let value = value.unwrap_or_else(|error| panic!("{about}: {name} {json:?}: {error}"));
            (name.clone(), value)
        };
        self.calls.iter().map(value).collect()
    }
}

/// The text and the calls of a scenario.
fn scenario(name: &str) -> (&'static str, Vec<(String, Value)>) {
    let weather = ("get_weather".to_owned(), json!({"city": "São Paulo", "days": 3, "unit": "C"}));
    let route = json!({
        "to": {"name": "The \"Old\" Inn", "lat": 48.5},
        "stops": ["a<b", "c & d"],
        "note": "two lines\nof 日本語 <b>",
        "fast": true,
    });
    let route = ("plan_route".to_owned(), route);
    match name.split(',').next().expect("a name") {
        "no arguments" => ("", vec![("ping".to_owned(), json!({}))]),
        "one argument" => ("", vec![("find_place".to_owned(), json!({"name": "Bahnhof Köln"}))]),
        "one call" => ("", vec![weather]),
        "nested arguments" => ("", vec![route]),
        "two calls" => ("", vec![weather, route]),
        "text and a call" => ("Let me look.", vec![weather]),
        "text" => ("It is sunny.", Vec::new()),
        other => panic!("no scenario {other:?}"),
    }
}

fn reader(grammar: &Grammar, case: &Value, tools: &[Value]) -> Calls {
    Calls::of_style(grammar, case["tag"]["style"].as_str(), tools).expect("a style")
}

fn by_tokens(mut calls: Calls, tokens: &[u32]) -> Read {
    let mut read = Read::default();
    tokens.iter().for_each(|&token| read.add(calls.push(token)));
    read.add(calls.finish());
    assert_eq!(calls.left(), None);
    assert!(calls.names().eq(read.calls.iter().map(|(name, _)| name)));
    read
}

fn by_text(rng: &mut Rng, mut calls: Calls, text: &str, longest: usize) -> Read {
    let (mut read, mut rest) = (Read::default(), text.as_bytes());
    while !rest.is_empty() {
        let (part, more) = rest.split_at(1 + rng.below(rest.len().min(longest)));
        read.add(calls.push_text(part));
        rest = more;
    }
    read.add(calls.finish());
    assert_eq!(calls.left(), None);
    read
}

#[test]
fn calls_in_transcripts_are_read_however_they_are_divided() {
    let tools = transcripts()["tools"].as_array().expect("tools").clone();
    let mut rng = Rng::new(65);
    let mut outputs = 0;
    for (case, grammar) in &transcripts_with_grammars() {
        let text = case["text"].as_str().expect("a text");
        let (said, called) = scenario(case["scenario"].as_str().expect("a scenario"));
        let about = format!("{} {text:?}", case["template"]);
        let whole = by_tokens(reader(grammar, case, &tools), &tokens(text, false).0);
        assert_eq!(whole.values(&about), called, "{about}");
        // Some templates leave out the text before calls.
        let said = if text.contains(said) { said } else { "" };
        // One template writes the speaker before the text.
        assert!(whole.text.trim().ends_with(said), "{about}");
        for _ in 0..DIVISIONS {
            let longest = *rng.pick(&[1, 5, 20, 80]);
            let read = by_text(&mut rng, reader(grammar, case, &tools), text, longest);
            assert_eq!(read, whole, "{about}");
            outputs += 1;
        }
    }
    assert!(outputs >= 10_000, "{outputs} outputs were read");
}

#[test]
fn every_output_is_read() {
    let tools = transcripts()["tools"].as_array().expect("tools").clone();
    let mut rng = Rng::new(66);
    let mut left = 0;
    for (case, grammar) in &transcripts_with_grammars() {
        let text = case["text"].as_str().expect("a text");
        let at = rng.below(text.len());
        let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).expect("0 is one");
        // A byte that no grammar of calls allows behind most texts.
        let broken = format!("{}\u{1}\u{1}tail", &text[..at]);
        let mut calls = reader(grammar, case, &tools);
        let mut read = Read::default();
        for byte in broken.as_bytes() {
            read.add(calls.push_text(&[*byte]));
        }
        read.add(calls.finish());
        let mut again = reader(grammar, case, &tools);
        let mut whole = Read::default();
        whole.add(again.push_text(broken.as_bytes()));
        whole.add(again.finish());
        assert_eq!(read, whole, "{broken:?}");
        assert_eq!(calls.left(), again.left());
        if let Some(offset) = calls.left() {
            left += 1;
            assert!(read.text.ends_with(&broken[offset..]), "{broken:?} from {offset}");
        }
        // A prefix of the output, cut off: complete calls are whole, and the last one is named.
        let mut cut = reader(grammar, case, &tools);
        let mut read = Read::default();
        read.add(cut.push_text(&text.as_bytes()[..at]));
        let (parts, incomplete) = cut.cut();
        read.add(parts);
        let whole_calls = incomplete.map_or(read.calls.len(), |call| call as usize);
        let (_, called) = scenario(case["scenario"].as_str().expect("a scenario"));
        // Ended there, the incomplete call is not closed.
        if let Some(call) = incomplete {
            let (mut ended, mut whole) =
                (reader(grammar, case, &tools), reader(grammar, case, &tools));
            let (mut part, mut all) = (Read::default(), Read::default());
            part.add(ended.push_text(&text.as_bytes()[..at]));
            part.add(ended.finish());
            all.add(whole.push_text(text.as_bytes()));
            all.add(whole.finish());
            let [part, all] = [part, all].map(|read| read.calls[call as usize].1.clone());
            assert!(all.starts_with(&part), "{part:?} of {all:?}, {:?}", &text[..at]);
        }
        let about = format!("{} {:?}", case["template"], &text[..at]);
        assert!(read.calls.len() <= whole_calls + 1, "{about}");
        read.calls.truncate(whole_calls);
        assert_eq!(read.values(&about), called[..whole_calls], "{about}");
    }
    assert!(left >= 200, "{left} outputs left their grammar");
}

#[test]
fn calls_that_are_cut_off_are_not_closed_beside_free_text() {
    let tools = transcripts()["tools"].as_array().expect("tools").clone();
    let calls = json!({"type": "tools", "style": "qwen_3_coder", "tools": tools, "tool_choice": "required"});
    let format = json!({"type": "or", "elements": [calls, {"type": "any_text"}]});
    let grammar = grammar(&json!({"type": "structural_tag", "format": format}));
    let start = "<tool_call>\n<function=get_weather>\n<parameter=city>\nOs";
    for (more, arguments) in
        [("", r#"{"city":"Os"#), ("lo\n</parameter>\n<parameter=days>\n5", r#"{"city":"Oslo""#)]
    {
        let text = format!("{start}{more}");
        let reader = || Calls::of_style(&grammar, Some("qwen_3_coder"), &tools).expect("a style");
        let (mut ended, mut cut) = (reader(), reader());
        let (mut read, mut left) = (Read::default(), Read::default());
        read.add(ended.push_text(text.as_bytes()));
        read.add(ended.finish());
        left.add(cut.push_text(text.as_bytes()));
        let (parts, incomplete) = cut.cut();
        left.add(parts);
        assert_eq!(incomplete, Some(0));
        for read in [read, left] {
            assert_eq!(read.calls, [("get_weather".to_owned(), arguments.to_owned())], "{text:?}");
        }
    }
}

#[test]
fn unknown_styles_are_refused() {
    let (case, grammar) = &transcripts_with_grammars()[0];
    let error = Calls::of_style(grammar, Some("frob"), &[]).expect_err("it is unknown");
    assert!(error.to_string().contains("`frob`"));
    assert!(Calls::of_style(grammar, None, &[]).is_ok() && case["tag"].is_object());
}
