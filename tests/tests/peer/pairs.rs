//! Grammars that both engines express exactly, over texts of each and random walks.

use grammarc_benches::inputs::sized;
use grammarc_benches::peer;
use grammarc_tests::random::Rng;

use crate::fixture::{Fixture, fixture};
use crate::lockstep::{Compared, End, Lockstep};
use crate::sources::{PAIRS, Pair};

/// Holds one pair to its texts and to random walks; the differences, as text.
fn judge(fixture: &Fixture, pair: &Pair, walks: usize) -> Result<Compared, String> {
    let named = |what: String| format!("{}: {what}", pair.name);
    let grammar = fixture.ours.grammar(pair.ours).map_err(named)?;
    let start = || -> Result<Lockstep<'_>, String> {
        let theirs = fixture.peer.matcher(pair.theirs).map_err(named)?;
        Ok(Lockstep::new(fixture, &grammar, theirs, &fixture.text_tokens))
    };
    let mut compared = Compared::default();
    let accepted = pair.accepted.iter().map(|text| (text, true));
    for (text, valid) in accepted.chain(pair.refused.iter().map(|text| (text, false))) {
        let mut lockstep = start()?;
        let end = lockstep.follow(&fixture.tokens(text));
        let end = end.map_err(|difference| named(format!("{text:?}: {difference}")))?;
        if (end == End::Accepted { may_end: true }) != valid {
            return Err(named(format!("{text:?}: both say {end:?}")));
        }
        compared += lockstep.compared;
    }
    for seed in 0..walks {
        let mut lockstep = start()?;
        lockstep
            .walk(&mut Rng::new(seed as u64))
            .map_err(|difference| named(format!("walk {seed}: {difference}")))?;
        compared += lockstep.compared;
    }
    Ok(compared)
}

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn masks_are_equal() {
    let Some(fixture) = fixture() else { return };
    let mut compared = Compared::default();
    let mut differences = Vec::new();
    for pair in PAIRS {
        match judge(fixture, pair, sized(4, 60)) {
            Ok(more) => compared += more,
            Err(difference) => differences.push(difference),
        }
    }
    eprintln!("{} pairs: {compared:?}", PAIRS.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A comparison that cannot fail proves nothing: sources that are nearly the same must differ.
#[test]
fn a_difference_is_found() {
    let Some(fixture) = fixture() else { return };
    for pair in PAIRS.iter().filter(|pair| pair.name == "uuid") {
        let altered = Pair {
            theirs: peer::Text::Regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-g]{12}"),
            ..*pair
        };
        assert!(judge(fixture, &altered, 0).is_err());
    }
}
