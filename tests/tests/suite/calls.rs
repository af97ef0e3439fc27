//! Calls of tools by tokens: what chat templates write is allowed token by token where the special tokens in it are tokens
//! of the vocabulary, and is not where they are spelled; walks by masks end, in every style.
//!
//! The transcripts are those of the compiler's tests, which say where they come from. The vocabulary has every byte, some
//! words, and the special tokens of all styles together.

use std::sync::OnceLock;

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::structural_tag::{self, StructuralTagOptions};
use grammarc_compiler::ir::Lowered;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::sources::compiled;
use grammarc_tests::vocabularies::{artifact, table};
use serde_json::{Value, json};

/// Special tokens of the families, and the one that ends a sequence.
pub(super) const SPECIAL: [&str; 68] = [
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "[CALL_ID]",
    "[ARGS]",
    "[THINK]",
    "[/THINK]",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁sep｜>",
    "｜DSML｜",
    "<|channel|>",
    "<|message|>",
    "<|constrain|>",
    "<|call|>",
    "<|start|>",
    "<|end|>",
    "<|return|>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_begin|>",
    "<|tool_call_end|>",
    "<|tool_call_argument_begin|>",
    "<|open|>",
    "<|close|>",
    "<|sep|>",
    "<minimax:tool_call>",
    "</minimax:tool_call>",
    "<|START_THINKING|>",
    "<|END_THINKING|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|tool_call>",
    "<tool_call|>",
    "<|\"|>",
    "<|channel>",
    "<channel|>",
    "]<]minimax[>[",
    "<mm:think>",
    "</mm:think>",
    "<|tool_call_start|>",
    "<|tool_call_end|>",
    "<think:opensource>",
    "</think:opensource>",
    "<tool_calls:opensource>",
    "</tool_calls:opensource>",
    "<tool_call:opensource>",
    "</tool_call:opensource>",
    "<tool_sep:opensource>",
    "<arg_key:opensource>",
    "</arg_key:opensource>",
    "<arg_value:opensource>",
    "</arg_value:opensource>",
    "<|im_start|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|user|>",
    "<pad>",
    "<eos>",
];

pub(super) const WORDS: [&str; 16] = [
    "\": ",
    ", \"",
    "\"}",
    "}}",
    "</",
    "name",
    "<function=",
    "parameter",
    ">\n",
    "\n\n",
    "get_weather",
    "plan",
    "city",
    "false",
    "</parameter>\n",
    "\" string=\"",
];

fn vocabulary() -> &'static VocabularyArtifact {
    static BUILT: OnceLock<VocabularyArtifact> = OnceLock::new();
    BUILT.get_or_init(|| {
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        let words = WORDS.map(|word| word.as_bytes().to_vec());
        artifact(&table(bytes.chain(words), &SPECIAL))
    })
}

pub(super) fn transcripts() -> Value {
    let text = include_str!("../../../compiler/tests/data/structural_tags/transcripts.json");
    serde_json::from_str(text).expect("the file is JSON")
}

/// Each transcript with the grammar of its tools.
pub(super) fn transcripts_with_grammars() -> Vec<(Value, Grammar)> {
    let file = transcripts();
    let mut known: Vec<(Value, Grammar)> = Vec::new();
    let cases = file["cases"].as_array().expect("cases").iter().map(|case| {
        let mut tag = case["tag"].clone();
        tag["tools"] = file["tools"].clone();
        let found = known.iter().find(|(other, _)| *other == tag);
        let grammar = found.map_or_else(|| grammar(&tag), |(_, grammar)| grammar.clone());
        if found.is_none() {
            known.push((tag, grammar.clone()));
        }
        (case.clone(), grammar)
    });
    cases.collect()
}

pub(super) fn grammar(tag: &Value) -> Grammar {
    let lowered = lowered(tag, vocabulary());
    compiled(vocabulary(), &lowered.unwrap_or_else(|errors| panic!("{tag}: {errors:#?}")))
}

fn lowered(tag: &Value, vocabulary: &VocabularyArtifact) -> Result<Lowered, Vec<Diagnostic>> {
    let controls = ControlTokens::of(vocabulary);
    let source = Source::new("calls", tag.to_string());
    let options = StructuralTagOptions::default();
    structural_tag::lower(source, &options, &controls, &Budget::new())
}

/// The tokens of a text: special ones, the longest first, words, and bytes.
pub(super) fn tokens(text: &str, spelled: bool) -> (Vec<u32>, usize) {
    tokens_among(text, &WORDS, if spelled { &[] } else { &SPECIAL })
}

/// The tokens of a text in a vocabulary of bytes, words and special tokens, in this order; and the number of special ones.
fn tokens_among(text: &str, words: &[&str], special: &[&str]) -> (Vec<u32>, usize) {
    let first = 256 + words.len() as u32;
    let special = (first..).zip(special.iter().copied());
    let mut known: Vec<(u32, &str)> = special.chain((256..).zip(words.iter().copied())).collect();
    known.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    let (mut tokens, mut count, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match known.iter().find(|(_, known)| rest.starts_with(known.as_bytes())) {
            Some(&(token, known)) => {
                count += usize::from(token >= first);
                tokens.push(token);
                at += known.len();
            }
            None => {
                tokens.push(u32::from(rest[0]));
                at += 1;
            }
        }
    }
    (tokens, count)
}

fn accepts(grammar: &Grammar, tokens: &[u32]) -> bool {
    let mut matcher = Matcher::new(grammar);
    matcher.validate(tokens) == tokens.len()
        && matcher.accept_many(tokens).is_ok()
        && matcher.is_accepting()
}

#[test]
fn transcripts_are_allowed_token_by_token() {
    let (mut by_token, mut by_text) = (0, 0);
    for (case, grammar) in &transcripts_with_grammars() {
        let text = case["text"].as_str().expect("a text");
        let (written, special) = tokens(text, false);
        assert!(accepts(grammar, &written), "{} {text:?}", case["template"]);
        by_token += usize::from(special > 0);
        by_text += usize::from(special == 0);
        // A model that writes its special tokens letter by letter does not call a tool.
        if special > 0 && case["scenario"] != "text" {
            let (spelled, _) = tokens(text, true);
            assert!(!accepts(grammar, &spelled), "{} {text:?}", case["template"]);
        }
    }
    assert!(by_token >= 80 && by_text >= 10, "{by_token} with special tokens, {by_text} without");
}

/// Hy3 has a suffix in its markers, which differs between checkpoints.
#[test]
fn markers_have_the_suffix_of_the_vocabulary() {
    let tool = json!({"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    let tag =
        json!({"type": "tools", "style": "hy_v3", "tools": [tool], "tool_choice": "required"});
    let members =
        json!({"type": "json_schema", "style": "hy_v3_xml", "json_schema": {"type": "object"}});
    let call = |suffix: &str| {
        let text = "<tool_calls>\n<tool_call>f<tool_sep>\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n</tool_call>\n</tool_calls>";
        text.replace('>', &format!("{suffix}>"))
    };
    let cases: [(&[&str], Option<&str>); 6] = [
        (&["<eos>"], Some("")),
        (&["<tool_calls>", "<arg_key>", "<eos>"], Some("")),
        (&["<tool_calls:a>", "</tool_calls:a>", "<arg_key:a>", "<eos>"], Some(":a")),
        // Neither is the suffix of a checkpoint.
        (&["<tool_calls_begin>", "<tool_calls:a b>", "<arg_key >", "<eos>"], Some("")),
        (&["<tool_calls:a>", "<tool_calls:b>", "<arg_key:a>", "<arg_key:b>", "<eos>"], None),
        (&["<tool_calls:a>", "<tool_calls>", "<arg_key:a>", "<arg_key>", "<eos>"], None),
    ];
    for (special, expected) in cases {
        let vocabulary = artifact(&table((0..=u8::MAX).map(|byte| vec![byte]), special));
        let Some(suffix) = expected else {
            for tag in [&tag, &members] {
                let errors = lowered(tag, &vocabulary).expect_err("there are several suffixes");
                assert_eq!(errors[0].code, "structural-tag::suffixes", "{special:?}");
            }
            continue;
        };
        let lowered = lowered(&tag, &vocabulary).expect("the tag compiles");
        let grammar = compiled(&vocabulary, &lowered);
        for other in ["", ":a", ":b"] {
            let (tokens, _) = tokens_among(&call(other), &[], special);
            assert_eq!(accepts(&grammar, &tokens), other == suffix, "{special:?} {other}");
        }
    }
}

#[test]
fn walks_end_in_every_style() {
    let file = transcripts();
    for style in structural_tag::styles() {
        let tag = json!({"type": "tools", "style": style, "tools": file["tools"], "tool_choice": "required"});
        let grammar = grammar(&tag);
        for number in 0..6 {
            let options = SampleOptions { max_tokens: 300, uniform: number % 2 == 0, seed: 7 };
            let sample = Sampler::new(&grammar, options).draw(number);
            let sample = sample.unwrap_or_else(|error| panic!("{style}, {number}: {error}"));
            let text = String::from_utf8_lossy(&sample.text);
            let mut tools = file["tools"].as_array().expect("tools").iter();
            let name = |tool: &Value| tool["function"]["name"].as_str().expect("a name").to_owned();
            let called = tools.any(|tool| text.contains(&name(tool)));
            assert!(called, "{style}, {number}: {text}");
        }
    }
}
