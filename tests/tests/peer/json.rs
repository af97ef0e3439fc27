//! Any JSON value, over real documents: instances of MaskBench, in their real tokens.

use grammarc_benches::inputs::{maskbench, sized, spread};
use grammarc_benches::{ours, peer};
use grammarc_runtime::Grammar;

use crate::fixture::{Fixture, fixture};
use crate::lockstep::{Compared, End, Lockstep};
use crate::sources::{OUR_JSON, THEIR_JSON};

/// Longest document, in tokens: the few that are longer repeat themselves.
const LONGEST: usize = 2_000;

/// Tokens of compact texts of instances spread over all of MaskBench, the same on every run.
fn texts(fixture: &Fixture, count: usize) -> Vec<Vec<u32>> {
    let cases = maskbench();
    let first = spread(&cases, count).filter_map(|case| case.tests.first());
    let tokens = first.map(|instance| fixture.tokens(&instance.data.to_string()));
    tokens.filter(|tokens| tokens.len() <= LONGEST).take(count).collect()
}

fn compare(
    fixture: &Fixture,
    grammar: &Grammar,
    theirs: peer::Text<'_>,
    texts: &[Vec<u32>],
) -> Compared {
    let mut compared = Compared::default();
    for tokens in texts {
        let matcher = fixture.peer.matcher(theirs).expect("it takes the grammar");
        let mut lockstep = Lockstep::new(fixture, grammar, matcher, &fixture.text_tokens);
        let end = lockstep.follow(tokens).unwrap_or_else(|difference| panic!("{difference}"));
        assert_eq!(end, End::Accepted { may_end: true });
        compared += lockstep.compared;
    }
    compared
}

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn masks_are_equal_over_real_documents() {
    let Some(fixture) = fixture() else { return };
    let texts = texts(fixture, sized(210, 3_000));
    if texts.is_empty() {
        eprintln!("SKIPPED: no MaskBench; set GRAMMARC_DATA");
        return;
    }
    let grammar = fixture.ours.grammar(ours::Text::Natural("{}")).expect("it compiles");
    let compared = compare(fixture, &grammar, peer::Text::Lark(OUR_JSON), &texts);
    eprintln!("JSON, our text form: {compared:?}");
    assert!(compared.texts >= 200, "{compared:?}");

    let grammar = fixture.ours.grammar(ours::Text::Gbnf(THEIR_JSON)).expect("it compiles");
    let few = &texts[..sized(20, texts.len())];
    let compared = compare(fixture, &grammar, peer::Text::JsonSchema("{}"), few);
    eprintln!("JSON, llguidance's text form: {compared:?}");
}
