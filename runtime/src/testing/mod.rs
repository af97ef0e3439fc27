//! Test support: networks written by hand or drawn at random, their masks by brute force, and a naive machine.

use grammarc_artifacts::vocabulary::row_words;
use grammarc_artifacts::{
    GrammarArtifact, GrammarData, GrammarMeta, TablesData, TokenKind, TrieData, VocabularyArtifact,
    VocabularyData, VocabularyMeta,
};

use crate::{Grammar, Matcher, MatcherOptions};
use network::{Network, Shape};

pub(crate) mod masks;
pub(crate) mod network;
pub(crate) mod packed_strings;
pub(crate) mod reference;
pub(crate) mod unmasked;

pub(crate) use grammarc_test_data::Rng;

/// Returns the grammar of a network, opened from the bytes of its two artifacts.
pub(crate) fn grammar(network: &Network, tokens: &masks::Tokens, ends: &[u32]) -> Grammar {
    let width = tokens.len() as u32 + 3;
    let mut halves = network.tables(row_words(width));
    masks::build(network, tokens, &mut halves);
    of_tables(network, tokens, ends, halves)
}

/// Returns the grammar of tables that have their masks. `halves` are the tables of the shared and of the own rules.
pub(crate) fn of_tables(
    network: &Network,
    tokens: &masks::Tokens,
    ends: &[u32],
    [shared, own]: [TablesData; 2],
) -> Grammar {
    let width = tokens.len() as u32 + 3;
    let vocabulary = VocabularyData {
        meta: VocabularyMeta::default(),
        tokens: tokens.to_vec(),
        end_tokens: ends.to_vec(),
        logit_width: width,
        trie: TrieData::build(tokens).unwrap(),
        tables: shared,
        expressions: Vec::new(),
    };
    let vocabulary = VocabularyArtifact::from_buffer(vocabulary.to_bytes().unwrap()).unwrap();
    let data = GrammarData {
        meta: GrammarMeta::default(),
        start_rule: network.start() as u32,
        tables: own,
        places: None,
    };
    let buffer = data.to_bytes(&vocabulary).unwrap();
    Grammar::from_artifact(GrammarArtifact::from_buffer(buffer, &vocabulary).unwrap())
}

/// Token ids that token edges may have in a [`vocabulary`]: two special tokens, an end token and a text token.
pub(crate) const EDGE_TOKENS: &[u32] = &[1, 2, 3, 7];

/// Draws a vocabulary over the letters of random networks. Token 0 is unused, tokens 1 to 3 are special, and all others
/// are text. Some text tokens have equal bytes.
pub(crate) fn vocabulary(random: &mut Rng) -> Vec<(Vec<u8>, TokenKind)> {
    let special = |name: &str| (name.as_bytes().to_vec(), TokenKind::Special);
    let mut tokens =
        vec![(Vec::new(), TokenKind::Unused), special("<x>"), special("<y>"), special("<end>")];
    for letter in b'a'..b'e' {
        if !random.one_in(5) {
            tokens.push((vec![letter], TokenKind::Text));
        }
    }
    for _ in 0..8 + random.below(16) {
        let bytes = (0..1 + random.below(5)).map(|_| b'a' + random.below(4) as u8).collect();
        tokens.push((bytes, TokenKind::Text));
    }
    tokens
}

/// Returns matchers of some grammars, each a few tokens into its sequence. All have the logit width
/// `width`.
pub(crate) fn matchers(random: &mut Rng, count: usize, width: u32) -> Vec<Matcher> {
    let tokens = vocabulary(random);
    let shape = Shape { counts: false, tokens: EDGE_TOKENS };
    let grammars: Vec<_> =
        (0..3).map(|_| grammar(&Network::random(random, shape), &tokens, &[3])).collect();
    let walk = |_| {
        let grammar = &grammars[random.below(grammars.len())];
        let options = MatcherOptions::new().logit_width(width).max_configurations(100);
        let mut matcher = Matcher::with_options(grammar, options).unwrap();
        for _ in 0..random.below(5) {
            let allowed: Vec<u32> = matcher.mask().iter().collect();
            if allowed.is_empty() || matcher.accept(allowed[random.below(allowed.len())]).is_err() {
                break;
            }
        }
        matcher
    };
    (0..count).map(walk).collect()
}
