//! Calls of a matcher in any order, held against a matcher that took the accepted tokens alone.

use std::sync::OnceLock;

use grammarc_artifacts::GrammarArtifact;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::schemas::compiler;

use crate::artifacts::originals;
use crate::input::Input;

/// Calls of one run.
const CALLS: usize = 200;

fn grammars() -> &'static [Grammar] {
    static GRAMMARS: OnceLock<Vec<Grammar>> = OnceLock::new();
    GRAMMARS.get_or_init(|| {
        let open = |buffer: &_| {
            let artifact =
                GrammarArtifact::from_buffer(Clone::clone(buffer), compiler().vocabulary());
            Grammar::from_artifact(artifact.expect("an artifact"))
        };
        originals().iter().map(open).collect()
    })
}

/// The words of the mask.
fn words(matcher: &mut Matcher) -> Vec<u32> {
    let mut words = vec![0; matcher.logit_width().div_ceil(32) as usize];
    matcher.mask().fill(&mut words).expect("the buffer fits");
    words
}

/// Makes calls of a matcher, chosen by the bytes.
///
/// # Panics
///
/// If the matcher's state differs from that after its accepted tokens.
pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let grammars = grammars();
    let grammar = &grammars[input.below(grammars.len())];
    let mut matcher = Matcher::new(grammar);
    let mut accepted: Vec<u32> = Vec::new();
    for _ in 0..CALLS {
        if input.is_spent() {
            break;
        }
        match input.byte() % 12 {
            0..=5 => {
                let allowed: Vec<u32> = matcher.mask().iter().take(256).collect();
                if !allowed.is_empty() {
                    let token = allowed[input.below(allowed.len())];
                    // A limit on configurations may reject a token that the mask allows.
                    if matcher.accept(token).is_ok() {
                        accepted.push(token);
                    }
                }
            }
            6 => {
                let (token, allowed) = (u32::from(input.byte()), words(&mut matcher));
                let is_allowed = allowed[(token / 32) as usize] >> (token % 32) & 1 == 1;
                if matcher.accept(token).is_ok() {
                    assert!(is_allowed, "token {token} was taken against its mask");
                    accepted.push(token);
                }
            }
            7 => {
                let count = input.below(8);
                if matcher.rollback(count).is_ok() {
                    accepted.truncate(accepted.len() - count);
                }
            }
            8 => matcher = matcher.fork(),
            9 => {
                let position = matcher.export();
                let mut other = Matcher::new(grammar);
                if other.import(&position).is_ok() {
                    assert_eq!(words(&mut other), words(&mut matcher), "a position that travelled");
                }
            }
            10 => {
                let draft: Vec<u32> = (0..4).map(|_| u32::from(input.byte())).collect();
                let before = words(&mut matcher);
                let valid = matcher.validate(&draft);
                assert!(
                    valid <= draft.len() && words(&mut matcher) == before,
                    "a validation that moved"
                );
            }
            _ => {
                matcher.reset();
                accepted.clear();
            }
        }
    }
    let mut plain = Matcher::new(grammar);
    for &token in &accepted {
        assert!(plain.accept(token).is_ok(), "a token that was accepted before");
    }
    assert_eq!(words(&mut plain), words(&mut matcher), "masks after {accepted:?}");
    assert_eq!(plain.is_accepting(), matcher.is_accepting());
}
