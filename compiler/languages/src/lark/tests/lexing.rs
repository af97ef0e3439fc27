//! Compares the lexer with llguidance's on random grammars. For each, the recorded file has all texts of up to four
//! characters over `ab ` that llguidance 1.9.1 accepts.
//!
//! Lazy rules of these grammars match two bytes at least. On a lazy terminal that matches the single byte that ended a
//! greedy one, llguidance continues, against its own documentation. A grammar with a warning may accept more than
//! llguidance; any other accepts the same.

use serde::Deserialize;

use super::try_lower;
use crate::lark::codes;
use grammarc_grammar::ir::recognize::accepted_prefixes;

const RECORDED: &str = include_str!("recorded.json");

#[derive(Deserialize)]
struct Recorded {
    grammar: String,
    accepted: Vec<String>,
}

/// Returns all texts of exactly four characters over `ab `.
fn texts() -> Vec<String> {
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        let longer =
            texts.iter().flat_map(|text| ["a", "b", " "].map(|more| format!("{text}{more}")));
        texts = longer.collect();
    }
    texts
}

#[expect(clippy::print_stdout, reason = "reports cite the counts")]
#[test]
fn terminals_end_where_the_lexer_of_llguidance_ends_them() {
    let recorded: Vec<Recorded> = serde_json::from_str(RECORDED).expect("grammars");
    let texts = texts();
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
        'texts: for text in &texts {
            let prefixes = accepted_prefixes(&lowered.grammar, text.as_bytes());
            for end in 0..=text.len() {
                let ours = prefixes.contains(&end);
                let theirs = accepted.iter().any(|accepted| *accepted == text[..end]);
                equal &= ours == theirs;
                if theirs && !ours || ours && !theirs && !is_wider {
                    let text = &text[..end];
                    wrong.push(format!("{grammar}{text:?}: {ours} here, {theirs} there"));
                    break 'texts;
                }
            }
        }
        exact += usize::from(equal);
        wider += usize::from(is_wider);
    }
    println!("{} grammars: {exact} equal, {wider} warned of", recorded.len());
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
    // Nearly all of the grammars accept exactly the same texts.
    assert!(exact * 10 > recorded.len() * 9, "{exact} of {}", recorded.len());
}
