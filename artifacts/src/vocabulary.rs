//! The vocabulary artifact: token bytes and kinds, the token trie, and the tables of the shared rules.
//!
//! # Lookup by bytes
//!
//! Ranks order the text tokens by their bytes, so [`VocabularyArtifact::lookup`] is a binary search over them. The
//! special tokens have a separate list in the same order. A map (an fst) would repeat the ranks and take about a
//! megabyte for a large vocabulary. A check of a hostile map would decode all of it.
//!
//! # Identity
//!
//! The fingerprint identifies the vocabulary: token bytes and kinds by id, end tokens, logit width. The shared rules
//! have a separate digest, because two compilers may precompute different rules for one vocabulary.
//!
//! Tests: `tests/suite/round_trip.rs`.

use std::any::Any;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::buffer::Buffer;
use crate::container::encode::{Encoder, Seal};
use crate::container::{Container, Flat};
use crate::error::Error;
use crate::meta::{self, VocabularyMeta};
use crate::pool::MaskTables;
use crate::sections::kinds::{ArtifactKind, SectionKind};
use crate::sections::numbers::{TablesRecord, VocabularyRecord};
use crate::sections::vocabulary::{ExpressionRecord, TokenKind, Trie};
use crate::stored::{self, StoredTables};
pub use crate::tables::row_words;
use crate::tables::{Tables, TablesData};
use crate::tokens::Tokens;
use crate::trie::TrieData;
use crate::{digests, validate, write};

/// A vocabulary before it is written as an artifact: owned data, as the compiler builds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyData {
    /// Name, source, properties and warnings.
    pub meta: VocabularyMeta,
    /// For each token id, the bytes and the kind of the token. A text token has at least one byte. The bytes of a
    /// special token are its name.
    pub tokens: Vec<(Vec<u8>, TokenKind)>,
    /// Ids of the tokens that end a sequence, ascending. Each is less than the number of tokens.
    pub end_tokens: Vec<u32>,
    /// Length of the model's logit row, in tokens. At least the number of tokens.
    pub logit_width: u32,
    /// Prefix tree of the text tokens, from [`TrieData::build`].
    pub trie: TrieData,
    /// Tables of the shared rules, with bases of zero. [`TablesData::empty`] if there are no shared rules.
    pub tables: TablesData,
    /// For each expression that a shared rule was compiled from, its digest and the rule. Ascending by digest, each
    /// digest once.
    pub expressions: Vec<ExpressionRecord>,
}

impl VocabularyData {
    /// Writes the artifact into a buffer. Equal data gives equal bytes. The invariants are not checked here, but when
    /// the artifact is opened.
    ///
    /// # Errors
    ///
    /// The data is too large for the format.
    pub fn to_bytes(&self) -> Result<Buffer, Error> {
        let meta = meta::encode_vocabulary(&self.meta)?;
        let (offsets, bytes) = self.token_bytes()?;
        let kinds: Vec<u8> = self.tokens.iter().map(|(_, kind)| *kind as u8).collect();
        let record =
            VocabularyRecord { token_count: kinds.len() as u32, logit_width: self.logit_width };
        let special = self.special_tokens();
        let tables = self.tables.as_tables();
        let numbers = TablesRecord::of(&tables);
        let tokens = Tokens {
            logit_width: self.logit_width,
            offsets: &offsets,
            bytes: &bytes,
            kinds: &kinds,
            end_tokens: &self.end_tokens,
            special_tokens: &special,
        };
        let digests: Vec<u8> = digests::token_digests(tokens, record.token_count).collect();

        let mut encoder = Encoder::default();
        encoder.section(SectionKind::Meta, &meta);
        encoder.section(SectionKind::Vocabulary, std::slice::from_ref(&record));
        encoder.section(SectionKind::TokenOffsets, &offsets);
        encoder.section(SectionKind::TokenBytes, &bytes);
        encoder.section(SectionKind::TokenKinds, &kinds);
        encoder.section(SectionKind::EndTokens, &self.end_tokens);
        encoder.section(SectionKind::SpecialTokens, &special);
        encoder.section(SectionKind::TrieByte, &self.trie.byte);
        encoder.section(SectionKind::TrieEnd, &self.trie.end);
        encoder.section(SectionKind::TrieRank, &self.trie.rank);
        encoder.section(SectionKind::TokenOfRank, &self.trie.token_of_rank);
        encoder.section(SectionKind::Expressions, &self.expressions);
        encoder.section(SectionKind::TokenDigests, &digests);
        stored::encode(&mut encoder, &numbers, &tables);
        let (fingerprint, shared) = (tokens.fingerprint(), stored::digest(&tables));
        encoder.finish(ArtifactKind::Vocabulary, fingerprint, shared, Seal::Now)
    }

    /// Writes the artifact to a file. Replaces an older file atomically.
    ///
    /// # Errors
    ///
    /// The data is too large for the format, or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        write::replace(path, &self.to_bytes()?)
    }

    fn token_bytes(&self) -> Result<(Vec<u32>, Vec<u8>), Error> {
        let limit = u64::from(u32::MAX);
        let count = self.tokens.len() as u64;
        if count >= limit {
            return Err(Error::TooLarge { what: "token count", limit, found: count });
        }
        let total: u64 = self.tokens.iter().map(|(bytes, _)| bytes.len() as u64).sum();
        if total > limit {
            return Err(Error::TooLarge { what: "length of all tokens", limit, found: total });
        }
        let mut offsets = Vec::with_capacity(self.tokens.len() + 1);
        let mut all = Vec::with_capacity(total as usize);
        for (bytes, _) in &self.tokens {
            offsets.push(all.len() as u32);
            all.extend_from_slice(bytes);
        }
        offsets.push(all.len() as u32);
        Ok((offsets, all))
    }

    fn special_tokens(&self) -> Vec<u32> {
        let key = |id: u32| (&self.tokens[id as usize].0, id);
        let mut special: Vec<u32> = (0..self.tokens.len() as u32)
            .filter(|&id| self.tokens[id as usize].1 == TokenKind::Special)
            .collect();
        special.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        special
    }
}

/// An opened vocabulary artifact. Clones share the bytes.
#[derive(Clone, Debug)]
pub struct VocabularyArtifact {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    container: Container,
    meta: VocabularyMeta,
    record: VocabularyRecord,
    tokens: StoredTokens,
    trie: StoredTrie,
    expressions: Flat<ExpressionRecord>,
    tables: StoredTables,
    usable: OnceLock<Vec<u32>>,
    attachment: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The ranges of the token arrays within the artifact's buffer.
#[derive(Debug)]
struct StoredTokens {
    offsets: Flat<u32>,
    bytes: Flat<u8>,
    kinds: Flat<u8>,
    ends: Flat<u32>,
    special: Flat<u32>,
    digests: Flat<u8>,
}

impl StoredTokens {
    fn locate(container: &Container) -> Result<Self, Error> {
        Ok(Self {
            offsets: container.flat(SectionKind::TokenOffsets)?,
            bytes: container.flat(SectionKind::TokenBytes)?,
            kinds: container.flat(SectionKind::TokenKinds)?,
            ends: container.flat(SectionKind::EndTokens)?,
            special: container.flat(SectionKind::SpecialTokens)?,
            digests: container.flat(SectionKind::TokenDigests)?,
        })
    }
}

/// The ranges of the token trie's arrays within the artifact's buffer.
#[derive(Debug)]
struct StoredTrie {
    byte: Flat<u8>,
    end: Flat<u32>,
    rank: Flat<u32>,
    token_of_rank: Flat<u32>,
}

impl StoredTrie {
    fn locate(container: &Container) -> Result<Self, Error> {
        Ok(Self {
            byte: container.flat(SectionKind::TrieByte)?,
            end: container.flat(SectionKind::TrieEnd)?,
            rank: container.flat(SectionKind::TrieRank)?,
            token_of_rank: container.flat(SectionKind::TokenOfRank)?,
        })
    }
}

impl VocabularyArtifact {
    /// Maps a vocabulary artifact into memory and checks it. The file must not change while it is mapped: see
    /// [`Buffer::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be mapped, or is not a valid vocabulary artifact.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::from_buffer(Buffer::open(path)?)
    }

    /// Reads a vocabulary artifact into the heap and checks it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not a valid vocabulary artifact.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::from_buffer(Buffer::read(path)?)
    }

    /// Checks a vocabulary artifact and reads it in place.
    ///
    /// # Errors
    ///
    /// The bytes are not a valid vocabulary artifact.
    pub fn from_buffer(buffer: Buffer) -> Result<Self, Error> {
        let container = Container::parse_kind(buffer, ArtifactKind::Vocabulary)?;
        let inner = Inner {
            meta: meta::decode_vocabulary(&container)?,
            record: container.single(SectionKind::Vocabulary)?,
            tokens: StoredTokens::locate(&container)?,
            trie: StoredTrie::locate(&container)?,
            expressions: container.flat(SectionKind::Expressions)?,
            tables: StoredTables::locate(&container)?,
            container,
            usable: OnceLock::new(),
            attachment: OnceLock::new(),
        };
        let artifact = Self { inner: Arc::new(inner) };
        artifact.validate()?;
        Ok(artifact)
    }

    /// Checks the invariants of all sections, and that the fingerprint and the digest in the header are those of the
    /// content.
    fn validate(&self) -> Result<(), Error> {
        let (tokens, own) = (self.tokens(), self.tables());
        let numbers = &self.inner.record;
        let (names, expressions) = (self.meta().rule_names.len(), self.expressions());
        digests::check_length(self.token_digests(), numbers.token_count)?;
        validate::vocabulary(numbers, &tokens, &self.trie(), own, expressions, names)
            .map_err(Error::Invalid)?;
        let identities = [
            ("fingerprint", self.fingerprint(), tokens.fingerprint()),
            ("digest of the shared tables", self.shared_digest(), stored::digest(&own)),
        ];
        for (field, expected, found) in identities {
            if found != expected {
                return Err(Error::Identity { field, expected, found });
            }
        }
        Ok(())
    }

    fn get<T: bytemuck::Pod>(&self, section: Flat<T>) -> &[T] {
        section.get(self.inner.container.buffer())
    }

    /// Returns the bytes of the artifact, with its header and section table.
    pub fn container(&self) -> &Container {
        &self.inner.container
    }

    /// Returns the metadata: name, source, properties and warnings.
    pub fn meta(&self) -> &VocabularyMeta {
        &self.inner.meta
    }

    /// Returns the name of the vocabulary, for display.
    pub fn name(&self) -> &str {
        &self.inner.meta.name
    }

    /// Returns the number of token ids. Ids are less than this.
    pub fn token_count(&self) -> u32 {
        self.inner.record.token_count
    }

    /// Returns the length of the model's logit row, in tokens.
    pub fn logit_width(&self) -> u32 {
        self.inner.record.logit_width
    }

    /// Returns the number of 32-bit words of a dense row: the logit width in bits, rounded up to 64 bytes.
    pub fn row_words(&self) -> u32 {
        row_words(self.logit_width())
    }

    /// Returns the bytes and kinds of all tokens, as borrowed arrays.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens {
            logit_width: self.inner.record.logit_width,
            offsets: self.get(self.inner.tokens.offsets),
            bytes: self.get(self.inner.tokens.bytes),
            kinds: self.get(self.inner.tokens.kinds),
            end_tokens: self.end_tokens(),
            special_tokens: self.special_tokens(),
        }
    }

    /// Returns the bytes of a text token, or the name of a special token. Empty for an id out of range.
    pub fn token_bytes(&self, id: u32) -> &[u8] {
        self.tokens().bytes_of(id)
    }

    /// Returns the kind of a token. [`TokenKind::Unused`] for an id out of range.
    pub fn token_kind(&self, id: u32) -> TokenKind {
        self.tokens().kind_of(id)
    }

    /// Returns the ids of the tokens that end a sequence, ascending.
    pub fn end_tokens(&self) -> &[u32] {
        self.get(self.inner.tokens.ends)
    }

    /// Returns the ids of the special tokens, ordered by name and then by id.
    pub fn special_tokens(&self) -> &[u32] {
        self.get(self.inner.tokens.special)
    }

    /// Returns the prefix tree of the text tokens.
    pub fn trie(&self) -> Trie<'_> {
        Trie {
            byte: self.get(self.inner.trie.byte),
            end: self.get(self.inner.trie.end),
            rank: self.get(self.inner.trie.rank),
            token_of_rank: self.get(self.inner.trie.token_of_rank),
        }
    }

    /// Returns the bitmask of the tokens that a mask may contain, text and special: token `t` is bit `t % 32` of word
    /// `t / 32`. A dense row may have more words. The first call computes the bitmask.
    pub fn usable_tokens(&self) -> &[u32] {
        self.inner.usable.get_or_init(|| self.tokens().usable())
    }

    /// Returns data that a reader derives from the artifact, shared by all handles. The first call makes the data.
    /// There is room for data of one type. `None` if data of another type is attached.
    pub fn attachment<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.inner.attachment.get_or_init(|| Box::new(make())).downcast_ref()
    }

    /// Returns the ids of the text tokens with these bytes, ascending. O(log n) comparisons.
    pub fn lookup(&self, bytes: &[u8]) -> &[u32] {
        self.tokens().find(self.get(self.inner.trie.token_of_rank), bytes)
    }

    /// Returns the id of the special token with a name. `None` if there is none, the lowest id if there are several.
    /// O(log n) comparisons.
    pub fn special_token(&self, name: &[u8]) -> Option<u32> {
        self.tokens().find(self.special_tokens(), name).first().copied()
    }

    /// Returns the fingerprint, which identifies the vocabulary: token bytes and kinds by id, end tokens, logit width.
    pub fn fingerprint(&self) -> [u8; 32] {
        self.inner.container.header().fingerprint
    }

    /// Returns the digest of the shared rules' tables, whose numbering a grammar continues.
    pub fn shared_digest(&self) -> [u8; 32] {
        self.inner.container.header().shared_digest
    }

    /// Returns the expressions from which the shared rules were compiled, as digest and rule, ascending by digest.
    pub fn expressions(&self) -> &[ExpressionRecord] {
        self.get(self.inner.expressions)
    }

    /// Returns the token digests: one byte for each group of tokens, to locate a difference. Grammar artifacts copy
    /// them.
    pub(crate) fn token_digests(&self) -> &[u8] {
        self.get(self.inner.tokens.digests)
    }

    /// Returns the stored masks of the vocabulary's shared rules.
    #[inline]
    pub(crate) fn masks(&self) -> MaskTables<'_> {
        self.inner.tables.masks(self.inner.container.buffer())
    }

    /// Returns the tables of the shared rules.
    pub fn tables(&self) -> Tables<'_> {
        self.inner.tables.get(self.inner.container.buffer())
    }
}
