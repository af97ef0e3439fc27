//! Structural tags are right: random trees of formats under a small vocabulary with special tokens.
//!
//! Masks are held bit by bit against brute force over the grammar that the front end makes, and the texts that masks
//! allow against the definition of the formats ([`grammarc_tests::tags`]), which shares nothing with the compiler. `GRAMMARC_TAGS`
//! sets the number of trees.

use grammarc_compiler::budget::Budget;
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::structural_tag::StructuralTagOptions;
use grammarc_compiler::ir::{Expr, RuleKind};
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::case::Case;
use grammarc_tests::compare::{Effort, compare};
use grammarc_tests::oracle::Token;
use grammarc_tests::random::Rng;
use grammarc_tests::tags::language::accepts;
use grammarc_tests::tags::{Format, SPECIAL, Symbol, random};
use rayon::prelude::*;

/// Tokens of several bytes, across the borders of special tokens' texts.
const PIECES: [&str; 8] = ["ab", "ba", "<t", "t>", "</", "é<", "a<t>", "/t"];

fn tokens() -> Vec<Token> {
    let bytes = "ab<>t/|xé".bytes().map(|byte| Token::Text(vec![byte]));
    let pieces = PIECES.iter().map(|piece| Token::Text(piece.as_bytes().to_vec()));
    let special = SPECIAL.iter().map(|name| Token::Special(name.as_bytes().to_vec()));
    let end = [Token::Special(b"<eos>".to_vec())];
    bytes.chain(pieces).chain(special).chain(end).collect()
}

/// The case of a tree; none where the front end refuses it.
fn case(format: &Format) -> Option<Case> {
    let tokens = tokens();
    let end_tokens = vec![tokens.len() as u32 - 1];
    let (rules, regions) = (Vec::new(), Vec::new());
    let empty = Case { tokens, end_tokens, rules, kept: 0, shared: false, regions };
    let vocabulary = empty.vocabulary().expect("it is small");
    let controls = ControlTokens::of(&vocabulary);
    let front_end = FrontEnd::StructuralTag(StructuralTagOptions::default());
    let source = Source::new("tag", format.json().to_string());
    let lowered = front_end.lower_for(source, &controls, &Budget::new()).ok()?;
    let start = lowered.grammar.start;
    let rules = lowered.grammar.rules;
    let is_region = |&at: &usize| matches!(rules[at].kind, RuleKind::Region(_));
    let regions = (0..rules.len()).filter(is_region).collect();
    let rules = rules.into_iter().map(|rule| rule.expr).chain([Expr::Call(start)]).collect();
    Some(Case { rules, regions, ..empty })
}

/// The tokens of a text one by one; special tokens are the last but the end.
fn read(grammar: &Grammar, text: &[Symbol]) -> bool {
    let mut matcher = Matcher::new(grammar);
    let vocabulary = grammar.vocabulary().artifact();
    let first_special = vocabulary.token_count() as usize - 1 - SPECIAL.len();
    let mut bytes = [0; 4];
    text.iter().all(|&symbol| match symbol {
        Symbol::Token(at) => matcher.accept((first_special + at) as u32).is_ok(),
        Symbol::Char(c) => c.encode_utf8(&mut bytes).bytes().all(|byte| {
            let id = vocabulary.lookup(&[byte])[0];
            matcher.accept(id).is_ok()
        }),
    }) && matcher.is_accepting()
}

/// A walk along the masks: its text, if it reached one that may end.
fn walked(grammar: &Grammar, rng: &mut Rng) -> Option<Vec<Symbol>> {
    let mut matcher = Matcher::new(grammar);
    let vocabulary = grammar.vocabulary().artifact();
    let first_special = vocabulary.token_count() - 1 - SPECIAL.len() as u32;
    let mut text = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    let flush = |bytes: &mut Vec<u8>, text: &mut Vec<Symbol>| {
        let found = String::from_utf8(std::mem::take(bytes)).expect("masks keep to UTF-8");
        text.extend(found.chars().map(Symbol::Char));
    };
    for _ in 0..16 {
        if matcher.is_accepting() && rng.one_in(4) {
            flush(&mut bytes, &mut text);
            return Some(text);
        }
        let allowed: Vec<u32> = matcher.mask().iter().collect();
        let token = *allowed.get(rng.below(allowed.len().max(1)))?;
        matcher.accept(token).expect("the mask allows it");
        if matcher.is_finished() {
            flush(&mut bytes, &mut text);
            return Some(text);
        }
        if token >= first_special {
            flush(&mut bytes, &mut text);
            text.push(Symbol::Token((token - first_special) as usize));
        } else {
            bytes.extend(vocabulary.token_bytes(token));
        }
    }
    None
}

#[derive(Debug, Default)]
struct Counts {
    compiled: usize,
    walked: usize,
    accepted: usize,
    refused: usize,
}

fn check(seed: u64) -> Result<Counts, String> {
    let mut rng = Rng::new(seed);
    let mut counts = Counts::default();
    let format = random::format(&mut rng, 4);
    let Some(case) = case(&format) else { return Ok(counts) };
    let effort = Effort { positions: 12, walks: 1, steps: 20 };
    let wrong = |what: String| format!("seed {seed}: {what}\n{}", format.json());
    let compared = compare(&case, effort, seed).map_err(|wrong_mask| {
        wrong(format!("after {:?}: {}", wrong_mask.prefix, wrong_mask.what))
    })?;
    let Ok(grammar) = case.compile() else { return Ok(counts) };
    counts.compiled = compared.compiled;
    for _ in 0..8 {
        let Some(text) = walked(&grammar, &mut rng) else { continue };
        counts.walked += 1;
        if !accepts(&format, &text) {
            return Err(wrong(format!("allowed, and not of the format: {text:?}")));
        }
    }
    for _ in 0..16 {
        let text = random::text(&mut rng, &format);
        let expected = accepts(&format, &text);
        counts.accepted += usize::from(expected);
        counts.refused += usize::from(!expected);
        if read(&grammar, &text) != expected {
            return Err(wrong(format!(
                "of the format: {expected}, and not by the masks: {text:?}"
            )));
        }
    }
    Ok(counts)
}

#[test]
#[expect(clippy::print_stdout, reason = "reports cite the counts")]
fn masks_of_random_trees_are_right() {
    let count = std::env::var("GRAMMARC_TAGS").ok().and_then(|count| count.parse().ok());
    let count: u64 = count.unwrap_or(300);
    let results: Vec<Result<Counts, String>> = (0..count).into_par_iter().map(check).collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {count} trees are wrong\n{}",
        wrong.len(),
        wrong.iter().take(3).map(|one| one.as_str()).collect::<Vec<_>>().join("\n\n")
    );
    let sum = |of: fn(&Counts) -> usize| results.iter().flatten().map(of).sum::<usize>() as u64;
    let [compiled, walked, accepted, refused] = [
        sum(|one| one.compiled),
        sum(|one| one.walked),
        sum(|one| one.accepted),
        sum(|one| one.refused),
    ];
    println!(
        "{count} trees: {compiled} compiled, {walked} walks, {accepted} texts accepted and {refused} refused"
    );
    assert!(compiled * 3 > count && walked > count && accepted > count && refused > count / 2);
}
