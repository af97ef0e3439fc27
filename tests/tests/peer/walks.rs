//! Random walks by mask alone, finished by the shortest completion: there is never a dead end, and every text parses
//! and validates. And the instances that MaskBench gives with each schema, through the masks token by token.

use grammarc_benches::inputs::{Case, maskbench};
use grammarc_benches::ours::Text;
use grammarc_runtime::{Grammar, Matcher};
use serde_json::Value;

use crate::completion::Completion;
use crate::fixture::{Fixture, fixture, sized};
use crate::random::Random;

/// Longest walk, in tokens.
const WALK: usize = 60;

/// The schemas that compile, spread over all of MaskBench, the same on every run.
fn compiled(fixture: &Fixture, count: usize) -> Vec<(Case, Grammar)> {
    let cases = maskbench();
    let step = (cases.len() / (count * 2).max(1)).max(1);
    let spread = (0..step).flat_map(|from| cases.iter().skip(from).step_by(step));
    let grammars = spread.filter_map(|case| {
        let text = case.schema.to_string();
        Some((case.clone(), fixture.ours.grammar(Text::JsonSchema(&text)).ok()?))
    });
    grammars.take(count).collect()
}

/// The tokens of one walk and its completion.
fn walk(
    grammar: &Grammar,
    completion: &Completion<'_>,
    random: &mut Random,
) -> Result<Vec<u32>, String> {
    let vocabulary = grammar.vocabulary();
    let mut matcher = Matcher::new(grammar);
    let mut tokens = Vec::new();
    let length = random.below(WALK);
    for _ in 0..length {
        let allowed: Vec<u32> = matcher.mask().iter().collect();
        if allowed.is_empty() {
            return Err(format!("a dead end after {}", text(grammar, &tokens)));
        }
        let token = random.token(&allowed, |token| vocabulary.token_bytes(token).len());
        matcher.accept(token).map_err(|error| error.to_string())?;
        if matcher.is_finished() {
            return Ok(tokens);
        }
        tokens.push(token);
    }
    let rest = completion.of(&matcher);
    tokens.extend(rest.ok_or_else(|| format!("no completion of {}", text(grammar, &tokens)))?);
    Ok(tokens)
}

fn text(grammar: &Grammar, tokens: &[u32]) -> String {
    let bytes: Vec<u8> = tokens
        .iter()
        .flat_map(|&token| grammar.vocabulary().token_bytes(token).iter().copied())
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn every_walk_ends_in_an_instance() {
    let Some(fixture) = fixture() else { return };
    let schemas = compiled(fixture, sized(60, 300));
    let (mut walks, mut tokens) = (0, 0);
    let mut wrong = Vec::new();
    for (case, grammar) in &schemas {
        let validator = jsonschema::validator_for(&case.schema).expect("a schema that compiles");
        let completion = Completion::new(grammar);
        for seed in 0..sized(3, 20) as u64 {
            let walked = match walk(grammar, &completion, &mut Random::new(seed + 1)) {
                Ok(walked) => walked,
                Err(what) => {
                    wrong.push(format!("{} walk {seed}: {what}", case.name));
                    continue;
                }
            };
            walks += 1;
            tokens += walked.len();
            let text = text(grammar, &walked);
            match serde_json::from_str::<Value>(&text) {
                Err(error) => wrong.push(format!("{} walk {seed}: {error}: {text}", case.name)),
                Ok(value) => {
                    if let Err(error) = validator.validate(&value) {
                        wrong.push(format!("{} walk {seed}: {error}: {text}", case.name));
                    }
                }
            }
        }
    }
    eprintln!("{} schemas, {walks} walks, {tokens} tokens, {} wrong", schemas.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a text's tokens are all in the masks and accepted, and it may end.
fn accepts(grammar: &Grammar, tokens: &[u32]) -> bool {
    let mut matcher = Matcher::new(grammar);
    for &token in tokens {
        let allowed = matcher.mask().contains(token);
        assert_eq!(allowed, matcher.accept(token).is_ok(), "the mask and the matcher agree");
        if !allowed {
            return false;
        }
    }
    matcher.is_accepting()
}

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn instances_are_judged_as_given() {
    let Some(fixture) = fixture() else { return };
    let schemas = compiled(fixture, sized(150, usize::MAX / 4));
    let (mut valid, mut invalid, mut tokens_judged) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (case, grammar) in &schemas {
        for (at, instance) in case.instances.iter().enumerate() {
            let accepted = case.texts(instance).iter().any(|text| {
                let tokens = fixture.tokens(text);
                tokens_judged += tokens.len();
                accepts(grammar, &tokens)
            });
            *(if instance.valid { &mut valid } else { &mut invalid }) += 1;
            if accepted != instance.valid {
                wrong.push(format!("{}#{at}: {}", case.name, instance.value));
            }
        }
    }
    eprintln!(
        "{} schemas, {valid} valid and {invalid} invalid instances, {tokens_judged} tokens, {} wrong",
        schemas.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
