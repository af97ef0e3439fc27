//! The instances that MaskBench gives with each schema, through the masks token by token: valid ones are accepted,
//! others are not.

use grammarc_benches::inputs::{self, sized};
use grammarc_runtime::{Grammar, Matcher};

use crate::fixture;

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
    let (mut schemas, mut valid, mut invalid, mut tokens_judged) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for (case, grammar) in fixture.compiled(sized(150, fixture.cases.len())) {
        schemas += 1;
        for (at, instance) in case.instances.iter().enumerate() {
            let accepted = case.texts(instance).iter().any(|text| {
                let tokens = inputs::tokens(&fixture.tokenizer, text);
                tokens_judged += tokens.len();
                accepts(&grammar, &tokens)
            });
            *(if instance.valid { &mut valid } else { &mut invalid }) += 1;
            if accepted != instance.valid {
                wrong.push(format!("{}#{at}: {}", case.name, instance.value));
            }
        }
    }
    eprintln!(
        "{schemas} schemas, {valid} valid and {invalid} invalid instances, {tokens_judged} tokens, {} wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(valid > 0 && invalid > 0);
}
