//! Tests of decoders, driven by scripted or pseudo-random logits.

use grammarc_json::{Change, JsonSchema, PartialJson};
use grammarc_runtime::ByteMatcher;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::error::GenerateError;
use crate::grammar::Grammar;
use crate::json_mode::JsonModeConfig;
use crate::output::{Event, Finish};
use crate::params::{EarlyStop, Forced, GenerateParams, Logprobs, OnLength, ProbLimit, Reasoning};
use crate::testing::{END, Noise, Ran, WIDTH, grammars, run};

/// Returns schemas whose texts have forced parts of all kinds.
fn schemas() -> Vec<Value> {
    let person = json!({"type": "object", "additionalProperties": false, "required": ["name", "value", "id"], "properties": {
        "name": {"type": "string", "maxLength": 12}, "value": {"enum": ["abc", "ab", true, null]}, "id": {"type": "integer"}}});
    vec![
        json!({"type": "array", "items": person, "minItems": 1, "maxItems": 3}),
        person,
        json!({"anyOf": [{"const": "日本"}, {"type": "boolean"}, {"type": "array", "items": {"type": "number"}}]}),
        json!({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1}),
    ]
}

fn params(schema: &Value) -> GenerateParams {
    let schema = JsonSchema::from_value(schema.clone()).expect("a schema");
    let mode = JsonModeConfig { schema: Some(schema), ..JsonModeConfig::default() };
    GenerateParams {
        max_tokens: 400,
        seed: Some(1),
        json_mode: Some(mode),
        ..GenerateParams::default()
    }
}

fn noise(seed: u64) -> impl Fn(&[u32]) -> Vec<f32> {
    move |sequence| Noise { seed, end: 6.0 }.row(sequence)
}

/// Returns the logits of a model that writes `text` and then ends. If its output differs from the
/// text, it writes `z`.
fn script(text: &'static str) -> impl Fn(&[u32]) -> Vec<f32> {
    let vocabulary = grammars().vocabulary().clone();
    move |sequence| {
        let written: Vec<u8> = sequence[2..]
            .iter()
            .flat_map(|&token| vocabulary.token_bytes(token))
            .copied()
            .collect();
        let rest = text.as_bytes().strip_prefix(&written[..]).unwrap_or(b"z");
        let fits = |token: u32| {
            let bytes = vocabulary.token_bytes(token);
            !bytes.is_empty() && rest.starts_with(bytes)
        };
        let best = (0..WIDTH as u32)
            .filter(|&token| token != END && fits(token))
            .max_by_key(|&token| vocabulary.token_bytes(token).len());
        let mut row = vec![0.0; WIDTH];
        row[best.unwrap_or(END) as usize] = 20.0;
        row
    }
}

/// Returns the text of all events. Checks that each part is sent once, and that the last event is
/// the end.
fn text(ran: &Ran) -> String {
    let text: String = ran
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, ran.output.text);
    let ends = ran.events.iter().filter(|event| matches!(event, Event::Finished(_))).count();
    assert!(ends == 1 && matches!(ran.events.last(), Some(Event::Finished(_))), "{:?}", ran.events);
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 64 }, ..ProptestConfig::default() })]

    #[test]
    fn exact_runs_change_nothing_but_the_calls_of_the_model(which in 0_usize..4, seed in any::<u64>(), temperature in 0_u8..2, chunk in 1_usize..9) {
        let base = GenerateParams { temperature: f32::from(temperature), ..params(&schemas()[which]) };
        let asked = run(&GenerateParams { forced: Forced::Off, ..base.clone() }, false, chunk, noise(seed)).unwrap();
        let exact = run(&GenerateParams { forced: Forced::Exact, ..base.clone() }, false, 8, noise(seed)).unwrap();
        prop_assert_eq!(&asked.tokens, &exact.tokens);
        prop_assert_eq!(text(&asked), text(&exact));
        prop_assert_eq!(&asked.output.finish, &exact.output.finish);
        prop_assert_eq!(exact.output.usage.forced_tokens + exact.output.usage.model_calls, asked.output.usage.model_calls);
    }

    #[test]
    fn drafts_change_nothing_but_the_calls_of_the_model(which in 0_usize..4, seed in any::<u64>(), temperature in 0_u8..2, chunk in 1_usize..9, top in prop::option::of(0_u32..3), max_tokens in 1_usize..60, close in any::<bool>(), below in prop::option::of(0.0_f32..0.4)) {
        let on_length = if close { OnLength::Close } else { OnLength::Truncate };
        let logprobs = top.map(|top| Logprobs { top, masked: false });
        let prob_limit = below.map(|below| ProbLimit { below, patience: 1 });
        let base = GenerateParams { temperature: f32::from(temperature), logprobs, max_tokens, on_length, prob_limit, ..params(&schemas()[which]) };
        let ran = |forced, chunk| run(&GenerateParams { forced, ..base.clone() }, false, chunk, noise(seed));
        let (asked, drafted) = match (ran(Forced::Off, chunk), ran(Forced::Draft, chunk)) {
            (Ok(asked), Ok(drafted)) => (asked, drafted),
            (Err(asked), Err(drafted)) => {
                prop_assert_eq!(asked.to_string(), drafted.to_string());
                return Ok(());
            }
            (asked, drafted) => return Err(TestCaseError::fail(format!("{:?} {:?}", asked.err(), drafted.err()))),
        };
        prop_assert_eq!(&asked.tokens, &drafted.tokens);
        prop_assert_eq!(text(&asked), text(&drafted));
        prop_assert_eq!(&asked.output.finish, &drafted.output.finish);
        prop_assert_eq!(&asked.output.logprobs, &drafted.output.logprobs);
        prop_assert_eq!(drafted.output.usage.forced_tokens, asked.output.usage.forced_tokens);
        prop_assert!(drafted.output.usage.model_calls <= asked.output.usage.model_calls);
    }

    #[test]
    fn log_probabilities_are_the_same_for_tokens_that_are_certain(which in 0_usize..4, seed in any::<u64>(), masked in any::<bool>(), chunk in 1_usize..9) {
        let base = GenerateParams { logprobs: Some(Logprobs { top: 2, masked }), ..params(&schemas()[which]) };
        let asked = run(&GenerateParams { forced: Forced::Off, ..base.clone() }, false, chunk, noise(seed)).unwrap();
        let exact = run(&GenerateParams { forced: Forced::Exact, ..base.clone() }, false, chunk, noise(seed)).unwrap();
        for ran in [&asked, &exact] {
            let reported: Vec<u32> = ran.output.logprobs.iter().map(|logprob| logprob.token).filter(|token| *token != END).collect();
            prop_assert_eq!(&reported, &ran.tokens);
        }
        prop_assert_eq!(asked.output.logprobs.iter().filter(|logprob| logprob.forced).count(), 0);
        for (one, other) in asked.output.logprobs.iter().zip(&exact.output.logprobs) {
            if !masked {
                prop_assert_eq!((one.token, one.logprob, &one.top), (other.token, other.logprob, &other.top));
            }
        }
    }

    #[test]
    fn whatever_runs_are_taken_a_finished_output_is_an_instance(which in 0_usize..4, seed in any::<u64>(), forced in 0_u8..4) {
        let forced = [Forced::Off, Forced::Exact, Forced::Canonical, Forced::Draft][usize::from(forced)];
        let schema = &schemas()[which];
        let ran = run(&GenerateParams { forced, ..params(schema) }, false, 64, noise(seed)).unwrap();
        let text = text(&ran);
        if ran.output.finish == Finish::Stop {
            let value = grammarc_json::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
            prop_assert!(JsonSchema::from_value(schema.clone()).unwrap().is_valid(&value), "{}", text);
        }
    }

    #[test]
    fn closed_outputs_are_instances_within_every_budget(which in 0_usize..4, seed in any::<u64>(), forced in 0_u8..4, max_tokens in 1_usize..60) {
        let forced = [Forced::Off, Forced::Exact, Forced::Canonical, Forced::Draft][usize::from(forced)];
        let schema = &schemas()[which];
        let params = GenerateParams { forced, max_tokens, on_length: OnLength::Close, ..params(schema) };
        match run(&params, false, 64, noise(seed)) {
            Ok(ran) => {
                prop_assert!(ran.tokens.len() <= max_tokens);
                let text = text(&ran);
                let value = grammarc_json::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
                prop_assert!(JsonSchema::from_value(schema.clone()).unwrap().is_valid(&value), "{}", text);
                prop_assert!(!ran.output.finish.is_cut());
            }
            Err(GenerateError::TooFewTokens { least, max_tokens: given }) => {
                prop_assert!(least > max_tokens && given == max_tokens);
                let enough = run(&GenerateParams { max_tokens: least, ..params }, false, 64, noise(seed));
                prop_assert!(enough.is_ok());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }

    #[test]
    fn a_stop_string_ends_the_output_before_its_first_occurrence(seed in any::<u64>(), stop in prop::sample::select(vec!["a", "e}", "\n\n", "7", "00,"])) {
        let free = GenerateParams { max_tokens: 60, seed: Some(seed), ..GenerateParams::default() };
        let whole = run(&free, false, 64, noise(seed)).unwrap();
        let stopped = GenerateParams { stop: vec![stop.to_owned()], ..free };
        let ran = run(&stopped, false, 64, noise(seed)).unwrap();
        match text(&whole).find(stop) {
            Some(at) => {
                // A character that the stop string cuts short is dropped at the end of the output.
                // Where the output continues, it is replaced.
                let complete = |text: &str| text.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned();
                prop_assert_eq!(complete(&text(&ran)), complete(&text(&whole)[..at]));
                prop_assert_eq!(&ran.output.finish, &Finish::StopString(stop.to_owned()));
            }
            None => prop_assert_eq!(text(&ran), text(&whole)),
        }
    }

    #[test]
    fn under_a_grammar_a_stop_string_leaves_a_text_of_it(seed in any::<u64>(), stop in prop::sample::select(vec![",", "1", "b"])) {
        let grammar = Grammar::from_regex("[0-9]+(,[0-9]+)*(ab)*");
        let params = GenerateParams { max_tokens: 40, seed: Some(seed), constraint: Some(grammar.clone()), stop: vec![stop.to_owned()], ..GenerateParams::default() };
        let ran = run(&params, false, 64, noise(seed)).unwrap();
        if matches!(ran.output.finish, Finish::StopString(_)) {
            let mut bytes = ByteMatcher::new(&grammars().compile(&grammar, None).unwrap());
            bytes.accept(text(&ran).as_bytes()).unwrap();
            prop_assert!(bytes.is_accepting(), "{}", text(&ran));
        }
    }
}

#[test]
fn runs_as_the_tokenizer_cuts_them_save_calls() {
    let count = |forced| {
        let params = GenerateParams { forced, temperature: 0.0, ..params(&schemas()[1]) };
        run(&params, false, 64, script(r#"{"name":"abc","value":null,"id":12}"#)).unwrap()
    };
    let (off, exact, canonical) =
        (count(Forced::Off), count(Forced::Exact), count(Forced::Canonical));
    assert_eq!(text(&off), text(&canonical));
    assert_eq!(off.tokens, canonical.tokens, "the script writes the longest tokens too");
    let calls = |ran: &Ran| ran.output.usage.model_calls;
    let draft = count(Forced::Draft);
    assert_eq!(off.tokens, draft.tokens);
    assert!(calls(&draft) < calls(&exact), "{draft:?}");
    assert!(
        calls(&canonical) < calls(&exact) && calls(&exact) <= calls(&off),
        "{off:?} {exact:?} {canonical:?}"
    );
}

fn price(early_stop: EarlyStop, overshoot: bool) -> GenerateParams {
    let constraint = Some(Grammar::from_regex("[0-9]+\\.[0-9]{2}"));
    GenerateParams {
        max_tokens: 20,
        temperature: 0.0,
        constraint,
        early_stop,
        overshoot,
        ..GenerateParams::default()
    }
}

#[test]
fn a_token_that_goes_past_the_end_is_cut() {
    // The texts `27.` and `00,` are tokens. The mask alone forbids the second.
    let ran = run(&price(EarlyStop::MustEnd, true), false, 8, script("27.00, thanks")).unwrap();
    assert_eq!((text(&ran).as_str(), &ran.output.finish), ("27.00", &Finish::Stop));
    assert!(ran.tokens.len() == 2, "{:?}", ran.tokens);
    let ran = run(&price(EarlyStop::MustEnd, false), false, 8, script("27.00, thanks")).unwrap();
    assert_eq!(text(&ran), "27.00");
}

#[test]
fn an_output_ends_where_it_was_asked_to() {
    let ended = |early_stop| {
        let constraint = Some(Grammar::from_regex("[0-9]+"));
        let params = GenerateParams { constraint, early_stop, ..price(EarlyStop::MustEnd, false) };
        text(&run(&params, false, 8, script("1200, thanks")).unwrap())
    };
    assert_eq!(ended(EarlyStop::First), "12");
    assert_eq!(ended(EarlyStop::Longest), "1200");
}

#[test]
fn what_must_end_is_not_asked_for_and_what_may_end_is() {
    let constraint = |pattern| GenerateParams {
        constraint: Some(Grammar::from_regex(pattern)),
        ..price(EarlyStop::MustEnd, false)
    };
    let must = run(&constraint("ab|abc"), false, 8, script("abc")).unwrap();
    assert_eq!((text(&must).as_str(), must.output.usage.model_calls), ("abc", 1));
    let may = run(&constraint("[0-9]+"), false, 8, script("1")).unwrap();
    assert_eq!((text(&may).as_str(), may.output.usage.model_calls), ("1", 2));
    let only = run(&constraint("true"), false, 8, script("no")).unwrap();
    assert_eq!((text(&only).as_str(), only.output.usage.model_calls), ("true", 0));
}

#[test]
fn an_output_whose_tokens_are_too_unlikely_ends_at_a_text_of_the_grammar() {
    let limit = Some(ProbLimit { below: 0.01, patience: 1 });
    let list = |text| {
        let constraint = Some(Grammar::from_regex("[0-9]+(,[0-9]+)*"));
        let params =
            GenerateParams { constraint, prob_limit: limit, ..price(EarlyStop::MustEnd, false) };
        run(&params, false, 8, script(text)).unwrap()
    };
    let ran = list("12,name");
    assert_eq!((text(&ran).as_str(), &ran.output.finish), ("12", &Finish::Unlikely));
    let closed = GenerateParams { prob_limit: limit, temperature: 0.0, ..params(&schemas()[1]) };
    let ran = run(&closed, false, 8, script("{\"name\":\"abc\",\"value\":the answer")).unwrap();
    assert_eq!(ran.output.finish, Finish::Unlikely);
    grammarc_json::parse(&text(&ran)).expect("it was closed");
}

#[test]
fn the_mass_of_a_mask_is_reported_for_each_token() {
    let constraint = Some(Grammar::from_regex("[0-9][a-c]"));
    let logprobs = Some(Logprobs::default());
    let (seed, forced) = (Some(7), Forced::Off);
    let params = GenerateParams { constraint, logprobs, seed, forced, ..GenerateParams::default() };
    let ran = run(&params, false, 8, noise(3)).unwrap();
    let share = |sequence: &[u32], allowed: std::ops::RangeInclusive<u8>| {
        let row: Vec<f64> =
            noise(3)(sequence).into_iter().map(|logit| f64::from(logit).exp()).collect();
        let kept: f64 = allowed.map(|byte| row[usize::from(byte)]).sum();
        kept / row.iter().sum::<f64>()
    };
    let masses: Vec<f64> =
        ran.output.logprobs.iter().map(|token| f64::from(token.mass.unwrap())).collect();
    let first = ran.tokens[0];
    let expected = [share(&[65, 66], b'0'..=b'9'), share(&[65, 66, first], b'a'..=b'c')];
    assert_eq!(masses.len(), 2);
    for (mass, expected) in masses.iter().zip(expected) {
        assert!((mass - expected).abs() < 1e-5, "{mass} {expected}");
    }
    let free = GenerateParams { logprobs, max_tokens: 3, ..GenerateParams::default() };
    let ran = run(&free, false, 8, noise(3)).unwrap();
    assert!(ran.output.logprobs.iter().all(|token| token.mass.is_none()));
}

#[test]
fn an_empty_token_ends_an_output_where_it_may_end() {
    let think = END + 1;
    let row = |sequence: &[u32]| {
        let mut row = vec![0.0; WIDTH];
        row[think as usize] = 30.0;
        row[if sequence.len() < 5 { usize::from(b'1') } else { END as usize }] = 20.0;
        row
    };
    let ended = |pattern: &str, empty_tokens_end| {
        let constraint = Some(Grammar::from_regex(pattern));
        let params =
            GenerateParams { constraint, empty_tokens_end, ..price(EarlyStop::MustEnd, false) };
        let ran = run(&params, false, 8, row).unwrap();
        assert_eq!(ran.output.finish, Finish::Stop);
        text(&ran)
    };
    assert_eq!(ended("1+", false), "111");
    assert_eq!(ended("1+", true), "1");
    assert_eq!(ended("(11)+", true), "11");
}

#[test]
fn reasoning_stands_apart_and_ends_within_its_tokens() {
    let params = |prefilled, max_tokens| {
        let reasoning =
            Reasoning { prefilled: Some(prefilled), max_tokens, ..Reasoning::default() };
        GenerateParams { reasoning: Some(reasoning), temperature: 0.0, ..params(&schemas()[1]) }
    };
    let answer = r#"{"name":"ab","value":true,"id":12}"#;
    let said = |prefilled: bool, most, script_text: &'static str| {
        let ran = run(&params(prefilled, most), prefilled, 8, script(script_text)).unwrap();
        (ran.output.reasoning.clone(), text(&ran))
    };
    let open = "<think>the na</think>{\"name\":\"ab\",\"value\":true,\"id\":12}";
    assert_eq!(said(false, None, open), ("the na".to_owned(), answer.to_owned()));
    let prefilled = "the na</think>{\"name\":\"ab\",\"value\":true,\"id\":12}";
    assert_eq!(said(true, None, prefilled), ("the na".to_owned(), answer.to_owned()));
    // After the maximum of reasoning tokens the model has left its script, so it writes an
    // arbitrary answer.
    let (reasoning, text) = said(true, Some(3), "abcabcabcabcabcabcabcabcabc");
    assert_eq!(reasoning, "abcabcabc");
    grammarc_json::parse(&text).expect("an answer");
}

#[test]
fn calls_of_tools_are_reported_with_their_arguments() {
    let tools = json!({"type": "tools", "style": "qwen_3", "tools": [
        {"type": "function", "function": {"name": "call", "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": false}}}]});
    let params = GenerateParams {
        max_tokens: 80,
        temperature: 0.0,
        constraint: Some(Grammar::from_tags(&tools)),
        ..GenerateParams::default()
    };
    let ran = run(&params, false, 8, script("the answer <tool_call>\n{\"name\": \"call\", \"arguments\": {\"id\":12}}\n</tool_call>")).unwrap();
    let calls: Vec<(&str, &str)> =
        ran.output.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("call", "{\"id\":12}")], "{:?}", ran.events);
    assert_eq!(text(&ran), "the answer ");
}

#[test]
fn characters_are_sent_whole() {
    let params = GenerateParams { max_tokens: 30, temperature: 0.0, ..GenerateParams::default() };
    // Only the tokens of its single bytes spell this character.
    let ran = run(&params, false, 8, script("a→b")).unwrap();
    let events: Vec<&Event> =
        ran.events.iter().filter(|event| matches!(event, Event::Text(_))).collect();
    assert_eq!(
        events,
        [&Event::Text("a".to_owned()), &Event::Text("→".to_owned()), &Event::Text("b".to_owned())]
    );
}

#[test]
fn changes_of_the_value_follow_their_texts_and_add_up_to_it() {
    for (number, schema) in schemas().into_iter().chain([json!({"type": "integer"})]).enumerate() {
        for forced in [Forced::Off, Forced::Canonical] {
            let mut params = GenerateParams { forced, ..params(&schema) };
            params.json_mode.as_mut().unwrap().changes = true;
            let ran = run(&params, false, 64, noise(number as u64)).unwrap();
            let mut value = Value::Null;
            let mut read = String::new();
            let mut partial = PartialJson::new(None);
            for event in &ran.events {
                match event {
                    Event::Text(text) => {
                        read.push_str(text);
                        partial.push(text).unwrap();
                    }
                    Event::Changed(changes) => {
                        for change in changes {
                            apply(&mut value, change);
                        }
                        // The value is never ahead of its text.
                        let known = partial.value().cloned().unwrap_or_else(|| value.clone());
                        assert_eq!(value, known, "{read}");
                    }
                    _ => {}
                }
            }
            if ran.output.finish == Finish::Stop {
                assert_eq!(value, grammarc_json::parse(&read).unwrap(), "{read}");
            }
            // The texts are the same as without changes.
            params.json_mode.as_mut().unwrap().changes = false;
            let without = run(&params, false, 64, noise(number as u64)).unwrap();
            assert_eq!(text(&ran), text(&without));
        }
    }
}

fn apply(value: &mut Value, change: &Change) {
    match change {
        Change::Added { pointer, value: new } => match pointer.rsplit_once('/') {
            None => *value = new.clone(),
            Some((around, key)) => match value.pointer_mut(around).expect("its container is there")
            {
                Value::Array(items) => items.push(new.clone()),
                Value::Object(members) => {
                    members.insert(key.replace("~1", "/").replace("~0", "~"), new.clone());
                }
                other => panic!("{other} has no parts"),
            },
        },
        Change::Grew { pointer, delta } => match value.pointer_mut(pointer) {
            Some(Value::String(text)) => text.push_str(delta),
            other => panic!("{other:?} does not grow"),
        },
        Change::Closed { pointer, .. } => assert!(value.pointer(pointer).is_some(), "{pointer}"),
    }
}
