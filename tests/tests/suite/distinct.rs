//! Items that differ from each other: masks, forced runs and positions, held against all texts of small languages.
//!
//! The languages are finite, so the oracle lists their texts and knows nothing of automata: a token is allowed where some
//! text begins with what was written and the token. Of those with words of any length the oracle knows the short ones,
//! and nothing is asked of others.
//!
//! `GRAMMARC_FULL=1` walks through more of them; `GRAMMARC_SEED` begins elsewhere.

use std::collections::BTreeSet;

use grammarc_compiler::ir::{Expr, Grammar, GrammarBuilder, Origin, RuleKind};
use grammarc_runtime::error::{AcceptError, LimitError};
use grammarc_runtime::{ByteMatcher, Matcher};
use grammarc_tests::case::{Case, compile};
use grammarc_tests::oracle::Token;
use grammarc_tests::random::Rng;
use grammarc_tests::vocabularies;

/// Letters of the longest words that the oracle knows where words have any length.
const LONGEST: usize = 5;

/// A language of texts, and a call of the rule that has them.
struct Language {
    texts: BTreeSet<String>,
    expr: Expr,
}

/// Texts of a few letters, of which some begin others.
fn words(rng: &mut Rng, builder: &mut GrammarBuilder) -> Language {
    let mut texts = BTreeSet::new();
    if rng.one_in(4) {
        let letters = Expr::alt([b'a', b'b'].map(Expr::byte));
        let mut words = vec![String::new()];
        for _ in 0..LONGEST {
            words = words
                .iter()
                .flat_map(|word| ["a", "b"].map(|end| format!("{word}{end}")))
                .collect();
            texts.extend(words.iter().cloned());
        }
        return Language { texts, expr: letters.plus() };
    }
    let count = 2 + rng.below(3);
    while texts.len() < count {
        let length = 1 + rng.below(3);
        texts.insert((0..length).map(|_| *rng.pick(&['a', 'b', '1'])).collect::<String>());
    }
    let expr = Expr::alt(texts.iter().map(Expr::literal));
    if rng.one_in(2) {
        return Language { texts, expr };
    }
    let rule = builder.declare("words");
    builder.define(rule, expr, Origin::default());
    Language { texts, expr: Expr::Call(rule) }
}

/// Arrays of `least` to `most` items of a language that all differ.
fn arrays(builder: &mut GrammarBuilder, items: &Language, least: usize, most: usize) -> Language {
    let item = builder.declare("item");
    builder.define_as(item, items.expr.clone(), Origin::default(), RuleKind::Item);
    let more = Expr::seq([Expr::byte(b','), Expr::Call(item)]);
    // The rest after so many items, from the last on.
    let mut rest = Expr::byte(b']');
    for count in (0..most).rev() {
        let next = if count == 0 { Expr::Call(item) } else { more.clone() };
        let end = if count >= least { Expr::byte(b']') } else { Expr::Never };
        rest = Expr::alt([end, Expr::seq([next, rest])]);
    }
    let rule = builder.declare("array");
    let expr = Expr::seq([Expr::byte(b'['), rest]);
    builder.define_as(rule, expr, Origin::default(), RuleKind::Distinct);
    let mut texts = BTreeSet::new();
    let mut open = vec![Vec::new()];
    while let Some(chosen) = open.pop() {
        if chosen.len() >= least {
            texts.insert(format!("[{}]", chosen.join(",")));
        }
        if chosen.len() < most {
            let others = items.texts.iter().filter(|text| !chosen.contains(*text));
            open.extend(others.map(|text| [&chosen[..], std::slice::from_ref(text)].concat()));
        }
    }
    Language { texts, expr: Expr::Call(rule) }
}

fn either(one: Language, other: Language) -> Language {
    let expr = Expr::alt([one.expr, other.expr]);
    Language { texts: one.texts.into_iter().chain(other.texts).collect(), expr }
}

/// Arrays of some numbers of items.
fn some_arrays(rng: &mut Rng, builder: &mut GrammarBuilder, items: &Language) -> Language {
    // One item more than there are is never reached, and must not be.
    let most = if items.texts.len() > 20 { 2 } else { 2 + rng.below(3) };
    let most = most.min(items.texts.len() + rng.below(2));
    let least = rng.below(most.min(items.texts.len()) + 1);
    arrays(builder, items, least, most)
}

/// A grammar and all its texts.
fn language(rng: &mut Rng) -> (Grammar, BTreeSet<String>) {
    let mut builder = GrammarBuilder::new();
    let rule = builder.declare("start");
    let items = words(rng, &mut builder);
    let any_length = items.texts.len() > 20;
    let one = some_arrays(rng, &mut builder, &items);
    let whole = match rng.below(4) {
        _ if any_length => one,
        0 => one,
        1 => {
            let others = words(rng, &mut builder);
            let other = some_arrays(rng, &mut builder, &others);
            either(one, other)
        }
        2 => {
            let two = Language {
                texts: one.texts.into_iter().filter(|text| text.len() < 6).collect(),
                expr: Expr::Never,
            };
            let two = Language { expr: Expr::alt(two.texts.iter().map(Expr::literal)), ..two };
            some_arrays(rng, &mut builder, &two)
        }
        _ => {
            let inner = arrays(&mut builder, &items, 0, 2);
            let few: Vec<String> = inner.texts.iter().cloned().collect();
            if few.len() > 10 { inner } else { arrays(&mut builder, &inner, 0, 3) }
        }
    };
    builder.define(
        rule,
        Expr::seq([Expr::byte(b'('), whole.expr, Expr::byte(b')')]),
        Origin::default(),
    );
    let texts = whole.texts.iter().map(|text| format!("({text})")).collect();
    (builder.finish(rule), texts)
}

/// Single bytes, pieces of texts, and two such glued together.
fn tokens(rng: &mut Rng, texts: &BTreeSet<String>) -> Vec<Token> {
    let mut pieces: BTreeSet<String> = "()[],ab1".chars().map(String::from).collect();
    let texts: Vec<&String> = texts.iter().collect();
    let piece = |rng: &mut Rng| {
        let text = rng.pick(&texts);
        let start = rng.below(text.len());
        let end = (start + 1 + rng.below(7)).min(text.len());
        &text[start..end]
    };
    for _ in 0..60 {
        let mut glued = piece(rng).to_owned();
        if rng.one_in(4) {
            glued += piece(rng);
        }
        pieces.insert(glued);
    }
    pieces.into_iter().map(|piece| Token::Text(piece.into_bytes())).collect()
}

/// All texts of a language, in order.
struct Texts(Vec<String>);

impl Texts {
    /// Whether it is known which of the texts that begin so there are.
    fn knows(&self, start: &str) -> bool {
        start.split(|letter: char| !letter.is_alphanumeric()).all(|word| word.len() < LONGEST)
    }

    fn begins(&self, start: &str) -> bool {
        let at = self.0.partition_point(|text| text.as_str() < start);
        self.0.get(at).is_some_and(|text| text.starts_with(start))
    }

    fn has(&self, text: &str) -> bool {
        self.0.binary_search_by(|known| known.as_str().cmp(text)).is_ok()
    }

    /// The bytes with which every text goes on, up to a place where one may end.
    fn forced(&self, start: &str) -> String {
        let mut text = start.to_owned();
        while !self.has(&text) {
            let next = "()[],ab1".chars().filter(|&next| self.begins(&format!("{text}{next}")));
            let next: Vec<char> = next.collect();
            let [next] = next[..] else { break };
            text.push(next);
        }
        text.split_off(start.len())
    }
}

/// Compares what a matcher says with the texts.
fn agree(matcher: &mut Matcher, tokens: &[Token], texts: &Texts, written: &str) {
    let mask = matcher.mask();
    let mut words = vec![0; mask.width().div_ceil(32) as usize];
    mask.fill(&mut words).expect("there is room");
    let listed: Vec<u32> = mask.iter().collect();
    let (mut allowed, mut unknown) = (Vec::new(), BTreeSet::new());
    for (id, token) in (0..).zip(tokens) {
        let Token::Text(bytes) = token else { unreachable!("all tokens are text") };
        let piece = std::str::from_utf8(bytes).expect("ASCII");
        if !texts.knows(&format!("{written}{piece}")) {
            unknown.insert(id);
            continue;
        }
        let expected = texts.begins(&format!("{written}{piece}"));
        assert_eq!(mask.contains(id), expected, "{written} and {piece}");
        assert_eq!(
            words[id as usize / 32] >> (id % 32) & 1 == 1,
            expected,
            "{written} and {piece}"
        );
        allowed.extend(expected.then_some(id));
    }
    allowed.extend(listed.iter().filter(|token| unknown.contains(*token)));
    allowed.sort_unstable();
    assert_eq!(listed, allowed);
    assert_eq!((mask.len(), mask.is_empty()), (allowed.len(), allowed.is_empty()));
    let logits: Vec<f32> = (0..mask.width()).map(|id| (id * 7 % 31) as f32).collect();
    let greatest = allowed.iter().copied().max_by_key(|&id| (id * 7 % 31, u32::MAX - id));
    assert_eq!(mask.argmax(&logits), Ok(greatest));
    assert_eq!(matcher.is_accepting(), texts.has(written), "{written}");
    let mut forced = Vec::new();
    matcher.forced_bytes(&mut forced);
    assert_eq!(forced.escape_ascii().to_string(), texts.forced(written), "{written}");
    for (id, token) in (0..).zip(tokens) {
        let taken = matcher.validate(&[id]) == 1;
        assert_eq!(taken, allowed.contains(&id), "{written} and {token:?}");
    }
}

/// A case with these tokens and no grammar of its own.
fn case(tokens: Vec<Token>) -> Case {
    Case {
        tokens,
        end_tokens: Vec::new(),
        rules: Vec::new(),
        kept: 0,
        shared: false,
        regions: Vec::new(),
    }
}

/// Walks at random through a language.
fn walk(seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let (grammar, texts) = language(&mut rng);
    let tokens = tokens(&mut rng, &texts);
    let texts = Texts(texts.into_iter().collect());
    let case = case(tokens.clone());
    let shown = grammar.to_string();
    let vocabulary = case.vocabulary().expect("the vocabulary compiles");
    let grammar = compile(vocabulary, grammar).unwrap_or_else(|error| panic!("{error}: {shown}"));
    let mut steps = 0;
    for _ in 0..6 {
        let mut matcher = Matcher::new(&grammar);
        let mut written = vec![String::new()];
        let mut after = Vec::new();
        loop {
            let text = written.last().expect("there is a first").clone();
            if !texts.knows(&format!("{text}a")) {
                break;
            }
            agree(&mut matcher, &tokens, &texts, &text);
            steps += 1;
            if texts.has(&text) || written.len() > 40 {
                break;
            }
            match rng.below(8) {
                0 if written.len() > 3 => {
                    let back = 1 + rng.below(2);
                    if matcher.rollback(back).is_ok() {
                        written.truncate(written.len() - back);
                    }
                }
                1 => {
                    let bytes = matcher.export();
                    let mut other = Matcher::new(&grammar);
                    other.import(&bytes).expect("an exported position");
                    assert_eq!(other.export(), bytes);
                    matcher = other;
                    written = vec![text];
                }
                _ => {
                    after.clear();
                    after.extend(matcher.mask().iter());
                    let token = *rng.pick(&after);
                    let Token::Text(bytes) = &tokens[token as usize] else { unreachable!() };
                    matcher.accept(token).expect("it was allowed");
                    written.push(format!("{text}{}", bytes.escape_ascii()));
                }
            }
        }
    }
    for text in texts.0.iter().filter(|text| texts.knows(text)).take(50) {
        let mut matcher = ByteMatcher::new(&grammar);
        assert!(matcher.accept(text.as_bytes()).is_ok() && matcher.is_accepting(), "{text}");
        for at in 0..text.len() {
            let mut matcher = ByteMatcher::new(&grammar);
            matcher.accept(&text.as_bytes()[..at]).expect("a text begins so");
            if !texts.knows(&format!("{}a", &text[..at])) {
                continue;
            }
            let bytes = "()[],ab1".bytes();
            let mut expected: Vec<u8> =
                bytes.filter(|&b| texts.begins(&format!("{}{}", &text[..at], b as char))).collect();
            expected.sort_unstable();
            assert_eq!(matcher.allowed_bytes(), Ok(expected), "{}", &text[..at]);
        }
    }
    steps
}

#[test]
fn masks_are_those_of_all_texts() {
    let seed = std::env::var("GRAMMARC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let cases = if vocabularies::full() { 3_000 } else { 150 };
    let steps: usize = (seed..seed + cases)
        .map(|seed| {
            std::panic::catch_unwind(|| walk(seed)).unwrap_or_else(|_| panic!("seed {seed}"))
        })
        .sum();
    eprintln!("{cases} languages, {steps} positions");
}

#[test]
fn a_search_for_a_new_item_ends() {
    // The text between two items is of many, and the second can only repeat the first.
    let mut builder = GrammarBuilder::new();
    let [start, rule, item] = ["start", "rule", "item"].map(|name| builder.declare(name));
    builder.define_as(item, Expr::byte(b'a'), Origin::default(), RuleKind::Item);
    let digit = || Expr::alt([Expr::byte(b'0'), Expr::byte(b'1')]);
    let between = (0..40).map(|_| digit());
    let end = [Expr::Call(item), Expr::byte(b']')];
    let items = [Expr::Call(item)].into_iter().chain(between).chain(end);
    builder.define_as(rule, Expr::seq(items), Origin::default(), RuleKind::Distinct);
    builder.define(start, Expr::Call(rule), Origin::default());
    let tokens: Vec<Token> = ["a", "0", "1", "]"].map(|text| Token::Text(text.into())).to_vec();
    let vocabulary = case(tokens).vocabulary().expect("the vocabulary compiles");
    let compiled = compile(vocabulary, builder.finish(start)).expect("a small grammar");
    let refused = Matcher::new(&compiled).accept(0);
    let Err(AcceptError::Limit(limit @ LimitError::NewItem { .. })) = refused else {
        panic!("{refused:?}");
    };
    assert!(limit.to_string().contains("no new item"), "{limit}");
}
