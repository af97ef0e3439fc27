//! A token at which hosts end a turn is allowed only where the turn may end, in every style of calls.
//!
//! Hosts stop at their end tokens whatever a grammar says next. So at each position that random walks and shortest endings
//! pass, every end token is tried: where the mask has it, the output must be whole behind it, and nothing may follow.

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::structural_tag::{self, StructuralTagOptions, styles};
use grammarc_runtime::{Matcher, MatcherOptions};
use grammarc_tests::random::Rng;
use grammarc_tests::sources::compiled;
use grammarc_tests::vocabularies;
use serde_json::{Value, json};

/// End tokens of the families, of their published generation settings.
const ENDS: [&str; 14] = [
    "<|return|>",
    "<|call|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "</s>",
    "[e~[",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
    "<|observation|>",
    "<|user|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|end_of_msg|>",
    "[EOS]",
];

/// Control tokens that end no turn.
const OTHERS: [&str; 8] = [
    "<|end|>",
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<|constrain|>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "<|tool_call_end|>",
];

const WALKS: usize = 3;
const STEPS: usize = 40;
/// Steps of a walk after which its shortest ending is walked too.
const BETWEEN_ENDINGS: usize = 8;

fn vocabulary() -> VocabularyArtifact {
    let words = ["<tool_call>", "</tool_call>", "{\"name\": \"", "json", "assistant"];
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let texts = bytes.chain(words.map(|word| word.as_bytes().to_vec()));
    let special: Vec<&str> = ENDS.into_iter().chain(OTHERS).collect();
    vocabularies::artifact(&vocabularies::table(texts, &special))
}

/// Requests of a style that ask for everything that bounds calls.
fn requests(style: &str) -> Vec<Value> {
    let tools = ["f", "g"].map(|name| {
        let parameters = json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": false
        });
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    });
    let choices = [
        json!({}),
        json!({"tool_choice": "required"}),
        json!({"tool_choice": "required", "text_before": false}),
        json!({"tool_choice": {"type": "function", "function": {"name": "g"}}}),
        json!({"tool_choice": "none"}),
        json!({"calls": {"min": 2}}),
        json!({"calls": {"min": 1, "max": 2, "unique": true}}),
        json!({"parallel_tool_calls": false}),
    ];
    let reasoning =
        [json!(null), json!(true), json!({"open": "written"}), json!({"open": "optional"})];
    let mut requests = Vec::new();
    for choice in &choices {
        for reasoning in &reasoning {
            let mut tag =
                json!({"type": "tools", "style": style, "tools": tools, "reasoning": reasoning});
            for (key, value) in choice.as_object().expect("an object") {
                tag[key] = value.clone();
            }
            requests.push(tag);
        }
    }
    requests
}

/// Tries every end token at a position and returns how many were allowed.
fn check(matcher: &Matcher, ends: &[u32], tag: &Value) -> usize {
    let mut allowed = 0;
    for &end in ends {
        let mut host = matcher.fork();
        if !host.mask().contains(end) {
            continue;
        }
        allowed += 1;
        host.accept(end).expect("the mask has it");
        let is_whole = host.is_finished() || host.is_accepting();
        let goes_on = host.mask().iter().find(|token| !ends.contains(token));
        assert!(is_whole && goes_on.is_none(), "{tag}: the turn may end early, by token {end}");
    }
    allowed
}

/// A random token of a mask, control tokens as often as others.
fn any(matcher: &mut Matcher, rng: &mut Rng) -> Option<u32> {
    let allowed: Vec<u32> = matcher.mask().iter().collect();
    let special: Vec<u32> = allowed.iter().copied().filter(|&token| token > 260).collect();
    let from = if special.is_empty() || rng.one_in(2) { &allowed } else { &special };
    (!from.is_empty()).then(|| *rng.pick(from))
}

#[test]
fn no_turn_ends_before_its_calls() {
    let vocabulary = vocabulary();
    let controls = ControlTokens::of(&vocabulary);
    let named = |name: &&str| vocabulary.special_token(name.as_bytes()).expect("it is there");
    let ends: Vec<u32> = ENDS.iter().map(named).collect();
    let mut rng = Rng::new(1);
    let (mut tags, mut positions, mut allowed) = (0, 0, 0);
    for tag in styles().flat_map(requests) {
        let source = Source::new("tools", tag.to_string());
        let options = StructuralTagOptions::default();
        // Styles without reasoning refuse it.
        let Ok(lowered) = structural_tag::lower(source, &options, &controls, &Budget::new()) else {
            continue;
        };
        tags += 1;
        let grammar = compiled(&vocabulary, &lowered);
        let options = || MatcherOptions::new().end_tokens(ends.clone());
        for _ in 0..WALKS {
            let mut matcher = Matcher::with_options(&grammar, options()).expect("options");
            for step in 0..STEPS {
                allowed += check(&matcher, &ends, &tag);
                positions += 1;
                let mut shortest = matcher.fork();
                let mut rest = Vec::new();
                if step % BETWEEN_ENDINGS == 0 {
                    shortest.ending(&mut rest).unwrap_or_else(|error| panic!("{tag}: {error}"));
                }
                for token in rest {
                    shortest.accept(token).expect("the ending is allowed");
                    allowed += check(&shortest, &ends, &tag);
                    positions += 1;
                }
                let Some(token) = any(&mut matcher, &mut rng) else { break };
                matcher.accept(token).expect("the mask has it");
                if matcher.is_finished() {
                    break;
                }
            }
        }
    }
    eprintln!("{tags} tags, {positions} positions, {allowed} end tokens allowed, none early");
    assert!(tags > 400 && allowed > 2_000);
}
