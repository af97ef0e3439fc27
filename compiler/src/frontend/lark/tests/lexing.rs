//! The lexer against llguidance's: all texts of up to five characters over `ab ` that llguidance 1.9.1 accepts, for
//! random grammars, as it was asked byte by byte.
//!
//! Where a grammar is warned of, it may accept more; else the two are equal.

use serde::Deserialize;

use super::super::codes;
use super::try_lower;
use crate::ir::recognize::recognizes;

const RECORDED: &str = include_str!("recorded.json");

#[derive(Deserialize)]
struct Recorded {
    grammar: String,
    accepted: Vec<String>,
}

/// A grammar that llguidance reads otherwise than it documents: it accepts `aa` for the group, and not `aaaa` for it twice.
const OTHERWISE: &str = "start: ((/(?:(?:(?: ){1,2}|(?:a|[ab]))|(?:a |bb))/)+ T0 r0){2}\nr0[lazy]: T0 \"a\"\nT0: /(?:(?:a|b)(?:a|[ab]))*/\n";

fn texts(most: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let to = texts.len();
        for at in from..to {
            for more in ["a", "b", " "] {
                texts.push(format!("{}{more}", texts[at]));
            }
        }
        from = to;
    }
    texts
}

#[test]
fn terminals_end_where_the_lexer_of_llguidance_ends_them() {
    let recorded: Vec<Recorded> = serde_json::from_str(RECORDED).expect("grammars");
    let texts = texts(5);
    let (mut exact, mut wider, mut wrong) = (0, 0, Vec::new());
    for Recorded { grammar, accepted } in &recorded {
        let lowered = match try_lower(grammar) {
            Ok(lowered) => lowered,
            Err(errors) => {
                wrong.push(format!("{grammar}{errors:?}"));
                continue;
            }
        };
        let is_wider = lowered.findings.iter().any(|finding| finding.code == codes::LEXING);
        let mut equal = true;
        for text in &texts {
            let (ours, theirs) =
                (recognizes(&lowered.grammar, text.as_bytes()), accepted.contains(text));
            equal &= ours == theirs;
            if theirs && !ours || ours && !theirs && !is_wider && grammar != OTHERWISE {
                wrong.push(format!("{grammar}{text:?}: {ours} here, {theirs} there"));
                break;
            }
        }
        exact += usize::from(equal);
        wider += usize::from(is_wider);
    }
    println!("{} grammars: {exact} equal, {wider} warned of", recorded.len());
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
    // Nearly all are said exactly.
    assert!(exact * 10 > recorded.len() * 9, "{exact} of {}", recorded.len());
}
