//! A vocabulary as grammars use it: resolves token references, and bounds the repetitions within a token.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::sections::vocabulary::{TokenKind, Trie};
use rustc_hash::FxHashMap;

use grammarc_grammar::ir::{ByteSet, TokenRef};
use grammarc_grammar::lexicon::Lexicon;

/// Suffixes of text tokens, as byte strings, sorted and without duplicates.
type Tails = Arc<[Box<[u8]>]>;

/// A vocabulary artifact with a cache of the answers about it.
pub struct VocabularyLexicon {
    vocabulary: VocabularyArtifact,
    repetitions: Mutex<FxHashMap<(ByteSet, ByteSet, u32), u32>>,
    tails: Mutex<FxHashMap<(ByteSet, ByteSet), Tails>>,
}

impl VocabularyLexicon {
    /// Returns the lexicon of a vocabulary, with an empty cache.
    pub fn new(vocabulary: VocabularyArtifact) -> Self {
        Self { vocabulary, repetitions: Mutex::default(), tails: Mutex::default() }
    }

    /// Returns the vocabulary artifact.
    pub fn vocabulary(&self) -> &VocabularyArtifact {
        &self.vocabulary
    }

    fn count_repetitions(&self, first: ByteSet, alphabet: ByteSet, shortest: u32) -> u32 {
        let trie = self.vocabulary.trie();
        let mut most = 1;
        // For each open node: the end of its subtree, the repetitions begun so far, and the bytes since the last began.
        let mut path: Vec<(u32, u32, u32)> = vec![(trie.end[0], 0, u32::MAX)];
        let mut next = 1;
        while next < trie.len() as u32 {
            let node = next;
            while path.last().is_some_and(|&(end, ..)| end <= node) {
                path.pop();
            }
            let &(_, count, since) = path.last().unwrap_or(&(0, 0, u32::MAX));
            let end = trie.end[node as usize];
            // A string cannot begin more repetitions than it has bytes, and a subtree has at least as many nodes.
            if count + (end - node) <= most {
                next = end;
                continue;
            }
            next = node + 1;
            let byte = trie.byte[node as usize];
            let (count, since) = if !alphabet.contains(byte) {
                (0, u32::MAX)
            } else if first.contains(byte) && since >= shortest {
                (count + 1, 1)
            } else {
                (count, since.saturating_add(1))
            };
            most = most.max(count);
            path.push((end, count, since));
        }
        most
    }
}

/// Returns the cached answer to a question. If there is none, computes it with `find` and caches it.
fn remembered<K: Eq + Hash, V: Clone>(
    answers: &Mutex<FxHashMap<K, V>>,
    question: K,
    find: impl FnOnce() -> V,
) -> V {
    let lock = || answers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&question) {
        return known.clone();
    }
    let found = find();
    lock().insert(question, found.clone());
    found
}

impl Lexicon for VocabularyLexicon {
    fn resolve(&self, token: &TokenRef) -> Vec<u32> {
        match token {
            &TokenRef::Id(id) => match self.vocabulary.token_kind(id) {
                _ if id >= self.vocabulary.token_count() => Vec::new(),
                TokenKind::Unused => Vec::new(),
                TokenKind::Text | TokenKind::Special => vec![id],
            },
            TokenRef::Text(text) => match self.vocabulary.special_token(text.as_bytes()) {
                Some(id) => vec![id],
                None => self.vocabulary.lookup(text.as_bytes()).to_vec(),
            },
        }
    }

    fn all(&self) -> Vec<u32> {
        let vocabulary = &self.vocabulary;
        (0..vocabulary.token_count())
            .filter(|&id| vocabulary.token_kind(id) != TokenKind::Unused)
            .filter(|id| !vocabulary.end_tokens().contains(id))
            .collect()
    }

    /// Repetitions are counted greedily along each path of the trie. In a run of bytes of the alphabet, a first byte
    /// begins one if the last began at least `shortest` bytes before. Cost: O(nodes of the trie) if the answer is not
    /// cached.
    fn most_repetitions(&self, first: ByteSet, alphabet: ByteSet, shortest: u32) -> u32 {
        let key = (first, alphabet, shortest);
        remembered(&self.repetitions, key, || self.count_repetitions(first, alphabet, shortest))
    }

    fn single_bytes(&self) -> ByteSet {
        self.vocabulary.trie().single_bytes().collect()
    }

    fn trie(&self) -> Trie<'_> {
        self.vocabulary.trie()
    }

    /// Cost: O(bytes of all tokens) if the answer is not cached.
    fn tails(&self, first: ByteSet, with: ByteSet) -> Tails {
        remembered(&self.tails, (first, with), || {
            let mut tails = BTreeSet::new();
            for id in 0..self.vocabulary.token_count() {
                if self.vocabulary.token_kind(id) != TokenKind::Text {
                    continue;
                }
                let bytes = self.vocabulary.token_bytes(id);
                let Some(last) = bytes.iter().rposition(|&byte| with.contains(byte)) else {
                    continue;
                };
                let begins = (1..=last).filter(|&at| first.contains(bytes[at]));
                tails.extend(begins.map(|at| Box::from(&bytes[at..])));
            }
            tails.into_iter().collect()
        })
    }
}
