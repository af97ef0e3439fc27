//! `grammarc vocab`.

use serde_json::json;

use crate::{Place, WORDS, tokenizer};

#[test]
fn builds_an_artifact_and_sums_it_up() {
    let place = Place::new();
    let run = place.run(&["vocab", "tiny.json", "-o", "a.gvocab", "--end-token", "<|end|>"]);
    let run = run.exits(0);
    assert!(run.stdout.starts_with("a.gvocab: vocabulary tiny, "), "{}", run.stdout);
    assert!(run.stdout.contains("end tokens    266 <|end|>"), "{}", run.stdout);
    assert!(run.stdout.contains("missing bytes none"), "{}", run.stdout);
}

#[test]
fn answers_in_json() {
    let place = Place::new();
    let options =
        ["--format", "json", "--name", "t", "--logit-width", "300", "--special-id", "65,66"];
    let value = place
        .run(
            &[&["vocab", "tiny.json", "-o", "a.gvocab", "--end-token", "266"], &options[..]]
                .concat(),
        )
        .exits(0)
        .value();
    assert_eq!(value["path"], "a.gvocab");
    assert_eq!(value["name"], "t");
    assert_eq!(value["tokens"], 256 + WORDS.len() + 1);
    assert_eq!(value["special"], 3);
    assert_eq!(value["logit_width"], 300);
    assert_eq!(value["missing_bytes"], json!([65, 66]));
    assert_eq!(value["end_tokens"], json!([{"id": 266, "text": "<|end|>"}]));
    assert_eq!(value["bytes"], place.read("a.gvocab").len());
    assert!(value["shared"]["rules"].as_u64() > Some(0), "the JSON rules are shared: {value}");
}

#[test]
fn findings_stand_on_standard_error() {
    let mut tokenizer = tokenizer();
    let vocab = tokenizer["model"]["vocab"].as_object_mut().expect("a vocabulary");
    vocab.shift_remove("z");
    let place = Place::new().with("less.json", tokenizer.to_string());
    let run = place.run(&["vocab", "less.json", "-o", "a.gvocab", "--format", "json"]).exits(0);
    let errors = run.errors();
    assert!(!errors.is_empty());
    for error in &errors {
        assert_ne!(error["severity"], "error", "{error}");
        assert_eq!(error["file"], "less.json");
        assert!(
            error["code"].as_str().is_some_and(|code| code.starts_with("vocabulary::")),
            "{error}"
        );
    }
    assert_eq!(run.value()["missing_bytes"], json!([b'z']));
}

#[test]
fn the_same_input_gives_the_same_file() {
    let place = Place::new();
    for (name, threads) in [("a.gvocab", "1"), ("b.gvocab", "4")] {
        place.run(&["vocab", "tiny.json", "-o", name, "--threads", threads]).exits(0);
    }
    assert_eq!(place.read("a.gvocab"), place.read("b.gvocab"));
}

#[test]
fn a_tokenizer_may_be_missing_or_refused() {
    let word_piece = json!({"model": {"type": "WordPiece", "vocab": {"a": 0}}});
    let place = Place::new().with("wp.json", word_piece.to_string()).with("broken.json", "{");
    for (tokenizer, code) in [("nowhere.json", 2), ("wp.json", 1), ("broken.json", 1)] {
        let run = place.run(&["vocab", tokenizer, "-o", "a.gvocab"]).exits(code);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(run.stderr.contains(tokenizer), "{}", run.stderr);
        assert!(!place.path("a.gvocab").exists());
    }
}

#[test]
fn options_are_held_against_the_vocabulary() {
    let place = Place::new();
    for options in [["--end-token", "<|nowhere|>"], ["--text-id", "9999"], ["--logit-width", "3"]] {
        let arguments = [&["vocab", "tiny.json", "-o", "a.gvocab"], &options[..]].concat();
        let run = place.run(&arguments).exits(2);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}
