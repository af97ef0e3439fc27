//! The grammar artifact: a grammar's own tables, which continue the vocabulary's numbering, and their metadata.
//!
//! A grammar artifact is opened with the vocabulary artifact that it was compiled for, and keeps it. A *standalone* artifact
//! has the vocabulary embedded in one more section, byte for byte. It opens with that vocabulary or without. Each such
//! artifact takes the memory and the checks of a vocabulary.
//!
//! Tests: `tests/suite/round_trip.rs`, `tests/suite/standalone.rs`, `tests/suite/mismatch.rs`.

use std::any::Any;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::buffer::Buffer;
use crate::container::encode::{Encoder, Seal};
use crate::container::header::checksum;
use crate::container::{Container, Flat};
use crate::digests;
use crate::error::Error;
use crate::meta::{self, ArchivedStoredGrammar, GrammarMeta};
use crate::pool::MaskPool;
use crate::sections::kinds::{ArtifactKind, SectionKind};
use crate::sections::numbers::{GrammarRecord, TablesRecord};
use crate::stored::{self, StoredTables};
use crate::tables::{Joined, Tables, TablesData};
use crate::vocabulary::VocabularyArtifact;
use crate::{validate, write};

/// A grammar as the compiler builds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarData {
    /// Source, options, report and statistics.
    pub meta: GrammarMeta,
    /// Rule in whose initial state a sequence begins. It may be a shared rule.
    pub start_rule: u32,
    /// The grammar's own tables, with the totals of the vocabulary's as bases.
    pub tables: TablesData,
}

impl GrammarData {
    /// Writes the artifact into a buffer, for the vocabulary that the grammar was compiled for. Equal data gives equal bytes.
    /// The invariants are not checked here, but when the artifact is opened.
    pub fn to_bytes(&self, vocabulary: &VocabularyArtifact) -> Result<Buffer, Error> {
        self.encode(vocabulary, Seal::Now)
    }

    fn encode(&self, vocabulary: &VocabularyArtifact, seal: Seal) -> Result<Buffer, Error> {
        let meta = meta::encode_grammar(&self.meta)?;
        let record =
            GrammarRecord { start_rule: self.start_rule, token_count: vocabulary.token_count() };
        let regions = meta::encode_regions(&self.meta.regions)?;
        let tables = self.tables.as_tables();
        let numbers = TablesRecord::of(&tables);

        let mut encoder = Encoder::default();
        encoder.section(SectionKind::Meta, &meta);
        encoder.section(SectionKind::Grammar, std::slice::from_ref(&record));
        encoder.section(SectionKind::TokenDigests, vocabulary.token_digests());
        if let Some(regions) = &regions {
            encoder.section(SectionKind::Regions, regions);
        }
        stored::encode(&mut encoder, &numbers, &tables);
        let (fingerprint, shared) = (vocabulary.fingerprint(), vocabulary.shared_digest());
        encoder.finish(ArtifactKind::Grammar, fingerprint, shared, seal)
    }

    /// Returns the artifact for use in this process, without the checks of [`GrammarArtifact::from_buffer`]. The checksum is
    /// computed on first use. O(length) for a copy.
    ///
    /// A build with debug assertions makes the checks. Without them, readers of data that violates the invariants panic or
    /// find wrong masks. Memory safety does not depend on the invariants.
    ///
    /// # Errors
    ///
    /// A table is too long for the format.
    pub fn to_artifact(&self, vocabulary: &VocabularyArtifact) -> Result<GrammarArtifact, Error> {
        let container = Container::of_written(self.encode(vocabulary, Seal::Later)?)?;
        GrammarArtifact::of_compiled(container, Some(Unsealed::default()), vocabulary)
    }

    /// As [`to_artifact`](Self::to_artifact), with the checksum, for an artifact that is also written.
    ///
    /// # Errors
    ///
    /// A table is too long for the format.
    pub fn to_sealed_artifact(
        &self,
        vocabulary: &VocabularyArtifact,
    ) -> Result<GrammarArtifact, Error> {
        let buffer = self.to_bytes(vocabulary)?;
        let container = match cfg!(debug_assertions) {
            true => Container::parse_kind(buffer, ArtifactKind::Grammar)?,
            false => Container::of_written(buffer)?,
        };
        GrammarArtifact::of_compiled(container, None, vocabulary)
    }

    /// Writes the artifact to a file and replaces an older file atomically.
    pub fn write(&self, path: &Path, vocabulary: &VocabularyArtifact) -> Result<(), Error> {
        write::replace(path, &self.to_bytes(vocabulary)?)
    }
}

/// An opened grammar artifact, with its vocabulary. A clone shares the bytes.
#[derive(Clone, Debug)]
pub struct GrammarArtifact {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    container: Container,
    /// The sealed copy of an artifact that was compiled in this process and whose container has no checksum.
    unsealed: Option<Unsealed>,
    vocabulary: VocabularyArtifact,
    /// Decoded on first use. No step of the runtime reads it.
    meta: OnceLock<GrammarMeta>,
    record: GrammarRecord,
    tables: StoredTables,
    attachment: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The parts that an artifact just compiled in this process lacks. Matchers need none of them.
#[derive(Debug, Default)]
struct Unsealed {
    checksum: OnceLock<[u8; 32]>,
    /// The same bytes with their checksum.
    container: OnceLock<Container>,
}

impl GrammarArtifact {
    /// Maps and checks a grammar artifact. The file must not change while it is mapped: see [`Buffer::open`].
    pub fn open(path: &Path, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        Self::from_buffer(Buffer::open(path)?, vocabulary)
    }

    /// Reads a grammar artifact into the heap and checks it.
    pub fn read(path: &Path, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        Self::from_buffer(Buffer::read(path)?, vocabulary)
    }

    /// Maps and checks a standalone grammar artifact, with the vocabulary that is embedded in it. The file must not change while
    /// it is mapped: see [`Buffer::open`].
    pub fn open_standalone(path: &Path) -> Result<Self, Error> {
        Self::from_standalone(Buffer::open(path)?)
    }

    /// Reads a standalone grammar artifact into the heap and checks it.
    pub fn read_standalone(path: &Path) -> Result<Self, Error> {
        Self::from_standalone(Buffer::read(path)?)
    }

    /// Checks a standalone grammar artifact and its vocabulary, and reads both in place.
    ///
    /// # Errors
    ///
    /// [`Error::NotStandalone`] if no vocabulary is embedded, or the fault of either artifact.
    pub fn from_standalone(buffer: Buffer) -> Result<Self, Error> {
        let container = Container::parse_kind(buffer.clone(), ArtifactKind::Grammar)?;
        let Some(embedded) = container.directory().get(SectionKind::Embedded) else {
            let expected = meta::check_grammar(&container)?.vocabulary_name.to_string();
            return Err(Error::NotStandalone { expected });
        };
        let vocabulary = VocabularyArtifact::from_buffer(buffer.part(embedded.range.clone()))?;
        Self::from_container(container, None, &vocabulary)
    }

    /// Writes the grammar as a standalone artifact, with its vocabulary embedded.
    pub fn to_standalone(&self) -> Result<Buffer, Error> {
        let container = self.container();
        let embedded = self.vocabulary().container().buffer();
        let own = container.directory().entries().iter();
        let own =
            own.filter_map(|entry| Some((entry.kind?, &container.buffer()[entry.range.clone()])));
        let mut sections: Vec<_> = own.filter(|(kind, _)| *kind != SectionKind::Embedded).collect();
        sections.push((SectionKind::Embedded, &embedded[..]));
        sections.sort_unstable_by_key(|(kind, _)| *kind);
        let mut encoder = Encoder::default();
        sections.into_iter().for_each(|(kind, bytes)| encoder.bytes(kind, bytes));
        let header = container.header();
        let (fingerprint, shared) = (header.fingerprint, header.shared_digest);
        encoder.finish(ArtifactKind::Grammar, fingerprint, shared, Seal::Now)
    }

    /// Checks a grammar artifact and reads it in place.
    pub fn from_buffer(buffer: Buffer, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        let container = Container::parse_kind(buffer, ArtifactKind::Grammar)?;
        Self::from_container(container, None, vocabulary)
    }

    /// Returns the artifact in a container that this process has written.
    fn of_compiled(
        container: Container,
        unsealed: Option<Unsealed>,
        vocabulary: &VocabularyArtifact,
    ) -> Result<Self, Error> {
        match cfg!(debug_assertions) {
            true => Self::from_container(container, unsealed, vocabulary),
            false => Self::locate(container, unsealed, vocabulary),
        }
    }

    fn from_container(
        container: Container,
        unsealed: Option<Unsealed>,
        vocabulary: &VocabularyArtifact,
    ) -> Result<Self, Error> {
        let meta = meta::check_grammar(&container)?;
        check_vocabulary(&container, meta, vocabulary)?;
        let names = meta.rule_names.len();
        let regions = meta::count_regions(&container)?;
        let artifact = Self::locate(container, unsealed, vocabulary)?;
        let joined = artifact.joined();
        let nodes = vocabulary.trie().len() as u32;
        let (start, usable) = (artifact.start_rule(), vocabulary.usable_tokens());
        validate::grammar(joined, start, usable, nodes, names, regions)
            .map_err(|violation| Error::Invalid(Box::new(violation)))?;
        Ok(artifact)
    }

    /// Returns the artifact in a container, without checks.
    fn locate(
        container: Container,
        unsealed: Option<Unsealed>,
        vocabulary: &VocabularyArtifact,
    ) -> Result<Self, Error> {
        let inner = Inner {
            meta: OnceLock::new(),
            record: container.single(SectionKind::Grammar)?,
            tables: StoredTables::locate(&container)?,
            container,
            unsealed,
            vocabulary: vocabulary.clone(),
            attachment: OnceLock::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The bytes of the artifact, with its header and section table. For an artifact compiled in this process, the first call
    /// makes a copy with the checksum.
    pub fn container(&self) -> &Container {
        let Inner { container, unsealed, .. } = &*self.inner;
        let sealed = unsealed.as_ref().map(|unsealed| &unsealed.container);
        sealed.map_or(container, |sealed| sealed.get_or_init(|| container.sealed(self.checksum())))
    }

    /// Length of the artifact in bytes, mapped or on the heap.
    pub fn byte_length(&self) -> usize {
        self.inner.container.buffer().len()
    }

    /// Data that a reader derives from the artifact, shared by all handles. The first call makes it. There is room for one
    /// type: `None` if data of another type is there. The data must not hold this artifact, since that would be a cycle.
    pub fn attachment<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.inner.attachment.get_or_init(|| Box::new(make())).downcast_ref()
    }

    /// The vocabulary artifact that the grammar was opened with.
    pub fn vocabulary(&self) -> &VocabularyArtifact {
        &self.inner.vocabulary
    }

    /// Source, options, report and statistics.
    pub fn meta(&self) -> &GrammarMeta {
        let Inner { meta, container, .. } = &*self.inner;
        let copied = || meta::decode_grammar(container).expect("it was checked or just written");
        meta.get_or_init(copied)
    }

    /// Rule in whose initial state a sequence begins.
    pub fn start_rule(&self) -> u32 {
        self.inner.record.start_rule
    }

    /// State in which a sequence begins: the initial state of the start rule.
    pub fn start_state(&self) -> u32 {
        self.joined().rule(self.start_rule()).first_state
    }

    /// The grammar's own tables.
    #[inline]
    pub fn tables(&self) -> Tables<'_> {
        self.inner.tables.get(self.inner.container.buffer())
    }

    /// The vocabulary's masks and the grammar's own, in one numbering.
    #[inline]
    pub fn pool(&self) -> MaskPool<'_> {
        let own = self.inner.tables.masks(self.inner.container.buffer());
        MaskPool { shared: self.inner.vocabulary.masks(), own }
    }

    /// The vocabulary's tables and the grammar's own as one numbering. Some twenty slices are made from offsets, so
    /// take it once per step and not once per state.
    #[inline]
    pub fn joined(&self) -> Joined<'_> {
        Joined { shared: self.inner.vocabulary.tables(), own: self.tables() }
    }

    /// Checksum of the artifact's content, which identifies it. O(length) for the first call where the artifact was
    /// compiled in this process.
    pub fn checksum(&self) -> [u8; 32] {
        let Inner { container, unsealed, .. } = &*self.inner;
        match unsealed {
            Some(unsealed) => *unsealed.checksum.get_or_init(|| checksum(container.buffer())),
            None => container.header().checksum,
        }
    }
}

/// Checks that the grammar was compiled for this vocabulary and its shared rules.
fn check_vocabulary(
    container: &Container,
    meta: &ArchivedStoredGrammar<'_>,
    vocabulary: &VocabularyArtifact,
) -> Result<(), Error> {
    let header = container.header();
    let digests: Flat<u8> = container.flat(SectionKind::TokenDigests)?;
    let digests = digests.get(container.buffer());
    let token_count = container.single::<GrammarRecord>(SectionKind::Grammar)?.token_count;
    digests::check_length(digests, token_count)?;
    if header.fingerprint != vocabulary.fingerprint() {
        return Err(Error::VocabularyMismatch {
            expected: meta.vocabulary_name.to_string(),
            given: vocabulary.name().to_owned(),
            tokens: (token_count, vocabulary.token_count()),
            difference: digests::first_difference(digests, token_count, vocabulary.tokens()),
        });
    }
    if header.shared_digest != vocabulary.shared_digest() {
        return Err(Error::SharedRulesMismatch { given: vocabulary.name().to_owned() });
    }
    Ok(())
}
