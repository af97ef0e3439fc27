//! Places of states: explanations from an artifact alone name schemas that apply, as the source says.

use grammarc_artifacts::GrammarArtifact;
use grammarc_benches::inputs::{maskbench, sized, spread};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::from_source::SourceRequest;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::explain::places;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_runtime::{ByteMatcher, Grammar, Matcher};
use grammarc_tests::vocabularies;

fn options() -> JsonSchemaOptions {
    let text = TextForm { numbers: TextForm::DUMPS.numbers, ..TextForm::SHORT };
    JsonSchemaOptions { text, key_order: KeyOrder::Any, ..JsonSchemaOptions::default() }
}

fn artifact(compiler: &Compiler, schema: &str, with: bool) -> Option<GrammarArtifact> {
    let front_end = FrontEnd::JsonSchema(options());
    let request = SourceRequest {
        front_end: &front_end,
        source: &Source::new("schema.json", schema),
        deny: &[],
        options: &CompileOptions::default().places(with),
    };
    let compiled = compiler.compile_source(&request, &Budget::new()).ok()?;
    compiled.to_artifact(compiler).ok()
}

/// Returns what is wrong with the places along a text, and the number of places that were compared.
fn compared(schema: &str, grammar: &Grammar, text: &str) -> (Vec<String>, usize) {
    let source = Source::new("schema.json", schema);
    let report = &grammar.artifact().meta().report;
    let (mut wrong, mut count) = (Vec::new(), 0);
    let mut matcher = ByteMatcher::new(grammar);
    for at in 0..text.len() {
        let found = matcher.explain(b"").places;
        let known = places(&source, &text.as_bytes()[..at], &options(), &Budget::new());
        // A schema without keywords says nothing, and has no place.
        let has_keyword = |place: &String| {
            let mut entries = report.entries();
            entries.any(|entry| entry.pointer.rsplit_once('/').is_some_and(|(of, _)| of == place))
        };
        let known = known.into_iter().flatten().map(|place| place.pointer);
        let known: Vec<String> = known.filter(has_keyword).collect();
        if !known.is_empty() {
            count += 1;
            if !found.iter().any(|pointer| known.contains(pointer)) {
                wrong.push(format!("{:?}: {found:?}, not one of {known:?}", &text[..at]));
            }
        }
        if matcher.accept(&text.as_bytes()[at..=at]).is_err() {
            break;
        }
    }
    (wrong, count)
}

#[test]
fn places_are_among_those_of_the_source() {
    let compiler = Compiler::new(vocabularies::small().clone());
    let tree = r##"{"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}, "tags": {"type": "array", "prefixItems": [{"const": 1}], "items": {"enum": ["a", "b"]}}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "additionalProperties": {"type": "integer"}}}}"##;
    let text = r#"{"name":"ab","tags":[1,"a","b"],"x":12,"kids":[{"kids":[],"name":""},{"y":-3}]}"#;
    let artifact = artifact(&compiler, tree, true).expect("it compiles");
    let grammar = Grammar::from_artifact(artifact);
    let (wrong, count) = compared(tree, &grammar, text);
    assert!(wrong.is_empty() && count > 50, "{count}: {wrong:#?}");
    let mut matcher = ByteMatcher::new(&grammar);
    matcher.accept(b"{\"tags\":[1,\"").unwrap();
    let found = matcher.explain(b"c");
    assert_eq!(found.places, ["/$defs/tree/properties/tags/items"]);
    assert_eq!((found.accepted, found.byte, found.next), (0, Some(b'c'), vec![b'a', b'b']));
    assert_eq!(found.completion.as_deref(), Some(&b"a\"]}"[..]));
}

#[test]
fn tokens_are_explained_as_masks_allow_them() {
    let compiler = Compiler::new(vocabularies::small().clone());
    let schema = r#"{"type": "object", "properties": {"n": {"enum": ["one", "on", 12]}, "s": {"type": "string", "maxLength": 5}}}"#;
    let grammar = Grammar::from_artifact(artifact(&compiler, schema, true).expect("it compiles"));
    let mut allowed = 0;
    for before in ["", "{", "{\"n\":", "{\"n\":\"on", "{\"n\":12,\"s\":\"ab", "{\"s\":\"abcde"] {
        let mut matcher = Matcher::new(&grammar);
        matcher.accept_text(before.as_bytes()).expect("it begins a text");
        let mask: Vec<u32> = matcher.mask().iter().collect();
        for token in 0..vocabularies::small().token_count() {
            let found = matcher.explain(token);
            // The end token and the others that are no text have no bytes here.
            if vocabularies::small().special_tokens().contains(&token) {
                continue;
            }
            assert_eq!(found.is_allowed, mask.contains(&token), "{before}: {token}");
            allowed += usize::from(found.is_allowed);
            let bytes = grammar.vocabulary().token_bytes(token);
            let mut by_bytes = ByteMatcher::new(&grammar);
            by_bytes.accept(before.as_bytes()).expect("it begins a text");
            let accepted =
                bytes.iter().take_while(|byte| by_bytes.accept(&[**byte]).is_ok()).count();
            assert_eq!(
                (found.accepted, found.byte),
                (accepted, bytes.get(accepted).copied()),
                "{before}: {bytes:?}"
            );
            let follows = |byte: u8| {
                let mut by_bytes = ByteMatcher::new(&grammar);
                let bytes = [before.as_bytes(), &bytes[..accepted]].concat();
                by_bytes.accept(&bytes).expect("it is accepted");
                by_bytes.accept(&[byte]).is_ok()
            };
            let next: Vec<u8> = (0..=u8::MAX).filter(|&byte| follows(byte)).collect();
            assert_eq!(found.next, next, "{before}: {bytes:?}");
        }
    }
    assert!(allowed > 100, "{allowed}");
}

#[test]
fn places_of_maskbench_are_among_those_of_the_source() {
    let cases = maskbench();
    if cases.is_empty() {
        eprintln!("SKIPPED: no MaskBench; set GRAMMARC_DATA");
        return;
    }
    let compiler = Compiler::new(vocabularies::small().clone());
    let (mut wrong, mut count, mut shares) = (Vec::new(), 0, Vec::new());
    let number = sized(60, 1_000);
    for case in spread(&cases, number).take(number) {
        let schema = case.schema.to_string();
        let [Some(with), Some(without)] =
            [true, false].map(|with| artifact(&compiler, &schema, with))
        else {
            continue;
        };
        let bytes = with.byte_length() - without.byte_length();
        shares.push(100.0 * bytes as f64 / without.byte_length() as f64);
        assert!(without.places().is_none());
        let grammar = Grammar::from_artifact(with);
        let texts = case.tests.iter().map(|test| test.data.to_string());
        for text in texts.filter(|text| text.len() < 400).take(2) {
            let (new, more) = compared(&schema, &grammar, &text);
            wrong.extend(new.into_iter().map(|text| format!("{}: {text}", case.id)));
            count += more;
        }
    }
    shares.sort_by(f64::total_cmp);
    let at = |share: f64| shares[((shares.len() - 1) as f64 * share) as usize];
    eprintln!(
        "{} schemas, {count} places, {} wrong; {:.1}, {:.1} and {:.1} % of the artifact at p50, p90 and most",
        shares.len(),
        wrong.len(),
        at(0.5),
        at(0.9),
        at(1.0),
    );
    assert!(wrong.len() * 200 <= count, "{:#?}", &wrong[..wrong.len().min(12)]);
    assert!(count > 1_000);
}
