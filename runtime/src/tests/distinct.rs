//! Distinct rules, whose items must differ. Masks are compared with an oracle that splits the text into its items and
//! knows nothing of automata.

use std::collections::BTreeSet;

use grammarc_artifacts::TokenKind;
use grammarc_artifacts::sections::network::rule_flags;
use proptest::prelude::*;

use crate::testing::masks::text_of;
use crate::testing::network::{Network, Rule, State};
use crate::testing::{Rng, grammar, packed_strings};
use crate::{ByteMatcher, Grammar, Matcher};

/// The texts of an item, over the letters `b`, `c` and `d`.
#[derive(Clone, Debug)]
enum Language {
    /// Any text.
    Any,
    /// A text of `b` and `c` that ends with `d`.
    Ended,
    /// One of these texts.
    Some(BTreeSet<Vec<u8>>),
}

impl Language {
    /// Draws a language.
    fn random(random: &mut Rng) -> Self {
        match random.below(5) {
            0 => Self::Any,
            1 => Self::Ended,
            _ => {
                let (count, longest) = (2 + random.below(14), 2 + random.below(4));
                let text = |random: &mut Rng| {
                    let length = 1 + random.below(longest);
                    (0..length).map(|_| b'b' + random.below(3) as u8).collect()
                };
                Self::Some((0..count).map(|_| text(random)).collect())
            }
        }
    }

    /// Returns the rule of an infinite language.
    fn rule(&self) -> Rule {
        let state = State::default;
        match self {
            Self::Any => Rule::new([state().on(b"bcd", 1), state().on(b"bcd", 1).ending()]),
            Self::Ended => Rule::new([
                state().on(b"bc", 1),
                state().on(b"bc", 1).on(b"d", 2),
                state().ending(),
            ]),
            Self::Some(_) => Rule::default(),
        }
    }

    /// Whether an item begins with a text and is not among those used.
    fn has_left(&self, begin: &[u8], used: &BTreeSet<&[u8]>) -> bool {
        let letters = |from: &[u8]| begin.iter().all(|letter| from.contains(letter));
        match self {
            Self::Any => letters(b"bcd"),
            Self::Ended => match begin.iter().position(|&letter| letter == b'd') {
                Some(at) => {
                    at > 0 && at + 1 == begin.len() && letters(b"bcd") && !used.contains(begin)
                }
                None => letters(b"bc"),
            },
            Self::Some(texts) => {
                texts.iter().any(|text| text.starts_with(begin) && !used.contains(&text[..]))
            }
        }
    }

    /// Whether a text is an item.
    fn has(&self, text: &[u8]) -> bool {
        let ends = !text.is_empty() && self.has_left(text, &BTreeSet::new());
        match self {
            Self::Any => ends,
            Self::Ended => ends && text.ends_with(b"d"),
            Self::Some(texts) => texts.contains(text),
        }
    }
}

/// Lists of items. Each item follows an `a`, and an `e` ends the list, as a bracket ends an array. If items are keys,
/// an `f` and a value over `b` and `c` follow each.
#[derive(Clone, Debug)]
struct Lists {
    items: Language,
    are_keys: bool,
}

impl Lists {
    fn random(random: &mut Rng) -> Self {
        Self { items: Language::random(random), are_keys: random.one_in(3) }
    }

    /// Returns the grammars of the lists: of a finite language with states and with a packed string set.
    fn grammars(&self, random: &mut Rng, tokens: &[(Vec<u8>, TokenKind)]) -> Vec<Grammar> {
        let state = State::default;
        let next = |state: State| state.on(b"a", 1).on(b"e", 3);
        let list = match self.are_keys {
            false => vec![
                state().on(b"a", 1),
                state().call(1, Some(2), 0),
                next(state()),
                state().ending(),
            ],
            true => vec![
                state().on(b"a", 1),
                state().call(1, Some(2), 0),
                state().on(b"f", 4),
                state().ending(),
                state().on(b"bc", 5),
                next(state().on(b"bc", 5)),
            ],
        };
        let item = Rule::new([state().call(0, None, 0)]);
        let list = Rule::new(list).with(rule_flags::DISTINCT);
        let rules = vec![self.items.rule(), item.with(rule_flags::ITEM), list];
        let network = Network { rules, shared: 0 };
        match &self.items {
            Language::Some(texts) => {
                let stored = [1, 2, 1000][random.below(3)];
                packed_strings::both(&network, 0, texts, (tokens, &[0]), (random, stored)).into()
            }
            _ => vec![grammar(&network, tokens, &[0])],
        }
    }

    /// Whether a text can become a list. A list that ends needs no more items.
    fn begins(&self, text: &[u8]) -> bool {
        let Some(rest) = text.strip_prefix(b"a") else { return text.is_empty() };
        let is_whole = rest.ends_with(b"e");
        let rest = rest.strip_suffix(b"e").unwrap_or(rest);
        let parts: Vec<&[u8]> = rest.split(|&letter| letter == b'a').collect();
        let mut used = BTreeSet::new();
        for (at, part) in parts.iter().enumerate() {
            let is_last = at + 1 == parts.len();
            let is_open = is_last && !is_whole;
            let mut fields = part.split(|&letter| letter == b'f');
            let item = fields.next().unwrap_or_default();
            let value = fields.next();
            let has_value = value.is_some_and(|value| !value.is_empty() || is_open);
            let is_value = value.is_none_or(|value| value.iter().all(|byte| b"bc".contains(byte)));
            if fields.next().is_some() || value.is_some() && !self.are_keys || !is_value {
                return false;
            }
            if is_open && value.is_none() {
                return self.items.has_left(item, &used);
            }
            if !self.items.has(item) || !used.insert(item) || self.are_keys && !has_value {
                return false;
            }
        }
        true
    }
}

/// Draws many tokens over the letters, so that subtrees of the token trie are large. Token 0 is special.
fn vocabulary(random: &mut Rng) -> Vec<(Vec<u8>, TokenKind)> {
    let letter = |random: &mut Rng| b"abcdefbcda"[random.below(10)];
    let mut texts: BTreeSet<Vec<u8>> = (b'a'..=b'f').map(|letter| vec![letter]).collect();
    for _ in 0..random.below(200) {
        let length = 1 + random.below(7);
        texts.insert((0..length).map(|_| letter(random)).collect());
    }
    let special = (b"<end>".to_vec(), TokenKind::Special);
    [special].into_iter().chain(texts.into_iter().map(|text| (text, TokenKind::Text))).collect()
}

/// Returns the tokens of a matcher's mask, by each of its methods.
fn mask_of(matcher: &mut Matcher) -> Vec<u32> {
    let mask = matcher.mask();
    let mut words = vec![0; mask.width().div_ceil(32) as usize];
    mask.fill(&mut words).unwrap();
    let has = |&token: &u32| words[token as usize / 32] >> (token % 32) & 1 != 0;
    let filled: Vec<u32> = (0..mask.width()).filter(has).collect();
    let listed: Vec<u32> = mask.iter().collect();
    assert_eq!((mask.len(), mask.is_empty()), (listed.len(), listed.is_empty()));
    assert!((0..mask.width()).all(|token| mask.contains(token) == has(&token)));
    assert_eq!(filled, listed);
    listed
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Walks at random through lists, with rollbacks, forks and exports, and compares each mask with the oracle.
    #[test]
    fn masks_are_those_of_all_lists(seed: u64) {
        let random = &mut Rng::new(seed);
        let tokens = vocabulary(random);
        let lists = Lists::random(random);
        for grammar in lists.grammars(random, &tokens) {
            let mut forks = vec![(Matcher::new(&grammar), vec![Vec::new()])];
            for _ in 0..40 {
                let at = random.below(forks.len());
                let (mut matcher, mut texts) = forks.swap_remove(at);
                let text = texts[texts.len() - 1].clone();
                let begins = |&token: &u32| {
                    token > 0 && lists.begins(&[&text, text_of(&tokens[token as usize])].concat())
                };
                let mut expected: Vec<u32> = (0..tokens.len() as u32).filter(begins).collect();
                if text.ends_with(b"e") {
                    expected.insert(0, 0);
                }
                let shown = || format!("{lists:?} {}", text.escape_ascii());
                prop_assert_eq!(&mask_of(&mut matcher), &expected, "{}", shown());
                for token in 1..tokens.len() as u32 {
                    let is_accepted = matcher.validate(&[token]) == 1;
                    prop_assert_eq!(is_accepted, expected.contains(&token), "{} {}", shown(), token);
                }
                match random.below(8) {
                    0 => {
                        let back = random.below(texts.len().min(6));
                        if matcher.rollback(back).is_ok() {
                            texts.truncate(texts.len() - back);
                        }
                    }
                    1 if forks.len() < 3 => forks.push((matcher.fork(), texts.clone())),
                    2 => {
                        let exported = matcher.export();
                        matcher.import(&exported).unwrap();
                        prop_assert_eq!(matcher.export(), exported);
                        texts = vec![text];
                    }
                    _ if text.ends_with(b"e") => {
                        matcher.reset();
                        texts = vec![Vec::new()];
                    }
                    _ => {
                        let token = expected[random.below(expected.len())];
                        matcher.accept(token).unwrap();
                        texts.push([&text, text_of(&tokens[token as usize])].concat());
                    }
                }
                forks.push((matcher, texts));
            }
        }
    }

    #[test]
    fn bytes_are_those_of_all_lists(seed: u64) {
        let random = &mut Rng::new(seed);
        let tokens = vocabulary(random);
        let lists = Lists::random(random);
        for grammar in lists.grammars(random, &tokens) {
            let (mut matcher, mut text) = (ByteMatcher::new(&grammar), Vec::new());
            for _ in 0..60 {
                let begins = |&byte: &u8| lists.begins(&[&text[..], &[byte]].concat());
                let expected: Vec<u8> = (b'a'..=b'f').filter(begins).collect();
                prop_assert_eq!(&matcher.allowed_bytes().unwrap(), &expected, "{:?} {:?}", lists, text);
                let Some(&byte) = expected.get(random.below(expected.len().max(1))) else { break };
                matcher.accept(&[byte]).unwrap();
                text.push(byte);
            }
        }
    }
}
