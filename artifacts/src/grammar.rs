//! The grammar artifact: a grammar's own tables, which continue the vocabulary's numbering, and their metadata.
//!
//! A grammar artifact is opened with the vocabulary artifact that it was compiled for, and holds a handle of it. A
//! *standalone* artifact has the vocabulary embedded in one more section, byte for byte. It opens with that vocabulary
//! or without. Each such artifact takes the memory and the checks of a vocabulary.
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
use crate::meta::{self, ArchivedStoredGrammar, GrammarMeta, Places};
use crate::pool::MaskPool;
use crate::sections::kinds::{ArtifactKind, SectionKind};
use crate::sections::numbers::{GrammarRecord, TablesRecord};
use crate::stored::{self, StoredTables};
use crate::tables::{Joined, Tables, TablesData};
use crate::vocabulary::VocabularyArtifact;
use crate::{validate, write};

/// A grammar before it is written as an artifact: owned tables, as the compiler builds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarData {
    /// Names of the source and the compiler, options, exactness report and statistics.
    pub meta: GrammarMeta,
    /// Id of the rule in whose initial state a sequence begins. The rule may be a shared rule of the vocabulary.
    pub start_rule: u32,
    /// Tables of the grammar's own rules. Their ids continue those of the vocabulary: `bases` are the vocabulary's
    /// totals.
    pub tables: TablesData,
    /// Places in the source, for each of the grammar's own states. `None` leaves them out.
    pub places: Option<Places>,
}

impl GrammarData {
    /// Writes the artifact into a buffer, for the vocabulary that the grammar was compiled for. Equal data gives equal
    /// bytes. The invariants are not checked here, but when the artifact is opened.
    ///
    /// # Errors
    ///
    /// A table is too long for the format, or the metadata cannot be archived.
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
        let places = self.places.as_ref();
        let places =
            places.map(|places| meta::encode_places(places, &self.meta.report)).transpose()?;
        if let Some(places) = &places {
            encoder.section(SectionKind::Places, places);
        }
        let (fingerprint, shared) = (vocabulary.fingerprint(), vocabulary.shared_digest());
        encoder.finish(ArtifactKind::Grammar, fingerprint, shared, seal)
    }

    /// Returns the artifact for use in this process, without the checks of [`GrammarArtifact::from_buffer`]. The
    /// checksum is computed on first use. O(length) for a copy.
    ///
    /// A build with debug assertions does make the checks. Without them, readers of data that violates the invariants
    /// panic or find wrong masks. Memory safety does not depend on the invariants.
    ///
    /// # Errors
    ///
    /// A table is too long for the format, or the metadata cannot be archived.
    pub fn to_artifact(&self, vocabulary: &VocabularyArtifact) -> Result<GrammarArtifact, Error> {
        let container = Container::of_written(self.encode(vocabulary, Seal::Later)?)?;
        GrammarArtifact::of_compiled(container, Some(Unsealed::default()), vocabulary)
    }

    /// Returns the artifact as [`to_artifact`](Self::to_artifact) does, but computes the checksum at once. Meant for an
    /// artifact that is also written to a file.
    ///
    /// # Errors
    ///
    /// A table is too long for the format, or the metadata cannot be archived.
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

    /// Writes the artifact to a file. Replaces an older file atomically.
    ///
    /// # Errors
    ///
    /// A table is too long for the format, the metadata cannot be archived, or the file cannot be written.
    pub fn write(&self, path: &Path, vocabulary: &VocabularyArtifact) -> Result<(), Error> {
        write::replace(path, &self.to_bytes(vocabulary)?)
    }
}

/// An opened grammar artifact, with its vocabulary. Clones share the bytes.
#[derive(Clone, Debug)]
pub struct GrammarArtifact {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    container: Container,
    /// Checksum and sealed copy of an artifact that was compiled in this process without a checksum. `None` for other
    /// artifacts.
    unsealed: Option<Unsealed>,
    vocabulary: VocabularyArtifact,
    /// Metadata, decoded on first use. No step of the runtime reads it.
    meta: OnceLock<GrammarMeta>,
    /// Places of states, decoded on first use. `None` inside if there are none.
    places: OnceLock<Option<Places>>,
    record: GrammarRecord,
    tables: StoredTables,
    attachment: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The checksum, and a copy that contains it, for an artifact that was just compiled in this process. Matchers need
/// neither.
#[derive(Debug, Default)]
struct Unsealed {
    checksum: OnceLock<[u8; 32]>,
    /// Copy of the artifact's bytes with the checksum in the header.
    container: OnceLock<Container>,
}

impl GrammarArtifact {
    /// Maps a grammar artifact into memory and checks it. The file must not change while it is mapped: see
    /// [`Buffer::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be mapped, is not a valid grammar artifact, or was compiled for another vocabulary.
    pub fn open(path: &Path, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        Self::from_buffer(Buffer::open(path)?, vocabulary)
    }

    /// Reads a grammar artifact into the heap and checks it.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is not a valid grammar artifact, or was compiled for another vocabulary.
    pub fn read(path: &Path, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        Self::from_buffer(Buffer::read(path)?, vocabulary)
    }

    /// Maps a standalone grammar artifact into memory, with the vocabulary that is embedded in it, and checks both. The
    /// file must not change while it is mapped: see [`Buffer::open`].
    ///
    /// # Errors
    ///
    /// The file cannot be mapped, an artifact in it is invalid, or no vocabulary is embedded.
    pub fn open_standalone(path: &Path) -> Result<Self, Error> {
        Self::from_standalone(Buffer::open(path)?)
    }

    /// Reads a standalone grammar artifact into the heap and checks it, with its embedded vocabulary.
    ///
    /// # Errors
    ///
    /// The file cannot be read, an artifact in it is invalid, or no vocabulary is embedded.
    pub fn read_standalone(path: &Path) -> Result<Self, Error> {
        Self::from_standalone(Buffer::read(path)?)
    }

    /// Checks a standalone grammar artifact and its vocabulary, and reads both in place.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotStandalone`] if no vocabulary is embedded. Otherwise the first fault of either artifact.
    pub fn from_standalone(buffer: Buffer) -> Result<Self, Error> {
        let container = Container::parse_kind(buffer.clone(), ArtifactKind::Grammar)?;
        let Some(embedded) = container.directory().get(SectionKind::Embedded) else {
            let expected = meta::check_grammar(&container)?.vocabulary_name.to_string();
            return Err(Error::NotStandalone { expected });
        };
        let vocabulary = VocabularyArtifact::from_buffer(buffer.part(embedded.range.clone()))?;
        Self::from_container(container, None, &vocabulary)
    }

    /// Writes the grammar as a standalone artifact, with its vocabulary embedded. O(length of both artifacts).
    ///
    /// # Errors
    ///
    /// The two artifacts together are longer than the format allows.
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
    ///
    /// # Errors
    ///
    /// The bytes are not a valid grammar artifact, or it was compiled for another vocabulary.
    pub fn from_buffer(buffer: Buffer, vocabulary: &VocabularyArtifact) -> Result<Self, Error> {
        let container = Container::parse_kind(buffer, ArtifactKind::Grammar)?;
        Self::from_container(container, None, vocabulary)
    }

    /// Returns the artifact in a container that this process has written. Checks it only with debug assertions.
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
        let (names, entries) = (meta.rule_names.len(), meta.report_entries());
        let regions = meta::count_regions(&container)?;
        let artifact = Self::locate(container, unsealed, vocabulary)?;
        let joined = artifact.joined();
        let nodes = vocabulary.trie().len() as u32;
        let (start, usable) = (artifact.start_rule(), vocabulary.usable_tokens());
        validate::grammar(joined, start, usable, nodes, names, regions).map_err(Error::Invalid)?;
        let states = artifact.tables().state_count() as usize;
        meta::check_places(&artifact.inner.container, states, entries)?;
        Ok(artifact)
    }

    /// Returns the artifact in a container, without checks of its tables. Fails only if a section is missing.
    fn locate(
        container: Container,
        unsealed: Option<Unsealed>,
        vocabulary: &VocabularyArtifact,
    ) -> Result<Self, Error> {
        let inner = Inner {
            meta: OnceLock::new(),
            places: OnceLock::new(),
            record: container.single(SectionKind::Grammar)?,
            tables: StoredTables::locate(&container)?,
            container,
            unsealed,
            vocabulary: vocabulary.clone(),
            attachment: OnceLock::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the bytes of the artifact, with its header and section table. For an artifact compiled in this process
    /// without a checksum, the first call makes a copy with the checksum.
    pub fn container(&self) -> &Container {
        let Inner { container, unsealed, .. } = &*self.inner;
        let sealed = unsealed.as_ref().map(|unsealed| &unsealed.container);
        sealed.map_or(container, |sealed| sealed.get_or_init(|| container.sealed(self.checksum())))
    }

    /// Returns the length of the artifact in bytes, mapped or on the heap.
    pub fn byte_length(&self) -> usize {
        self.inner.container.buffer().len()
    }

    /// Returns data that a reader derives from the artifact, shared by all handles. The first call makes the data.
    /// There is room for data of one type. `None` if data of another type is attached. The data must not hold this
    /// artifact: that would be a reference cycle.
    pub fn attachment<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.inner.attachment.get_or_init(|| Box::new(make())).downcast_ref()
    }

    /// Returns the vocabulary artifact with which the grammar was opened.
    pub fn vocabulary(&self) -> &VocabularyArtifact {
        &self.inner.vocabulary
    }

    /// Returns the metadata: names of the source and the compiler, options, exactness report and statistics. The first
    /// call decodes them.
    pub fn meta(&self) -> &GrammarMeta {
        let Inner { meta, container, .. } = &*self.inner;
        meta.get_or_init(|| checked_before(meta::decode_grammar(container)))
    }

    /// Returns the places in the source, for each of the grammar's own states. `None` if the artifact has none. The first
    /// call decodes them.
    pub fn places(&self) -> Option<&Places> {
        let Inner { places, container, .. } = &*self.inner;
        let decoded = || meta::decode_places(container, &self.meta().report);
        places.get_or_init(|| checked_before(decoded())).as_ref()
    }

    /// Returns the id of the rule in whose initial state a sequence begins.
    pub fn start_rule(&self) -> u32 {
        self.inner.record.start_rule
    }

    /// Returns the id of the state in which a sequence begins: the initial state of the start rule.
    pub fn start_state(&self) -> u32 {
        self.joined().rule(self.start_rule()).first_state
    }

    /// Returns the tables of the grammar's own rules.
    #[inline]
    pub fn tables(&self) -> Tables<'_> {
        self.inner.tables.get(self.inner.container.buffer())
    }

    /// Returns the masks of the vocabulary and of the grammar, in one numbering.
    #[inline]
    pub fn pool(&self) -> MaskPool<'_> {
        let own = self.inner.tables.masks(self.inner.container.buffer());
        MaskPool { shared: self.inner.vocabulary.masks(), own }
    }

    /// Returns the tables of the vocabulary and of the grammar, in one numbering. The call makes some twenty slices
    /// from offsets, so call it once for a step and not once for a state.
    #[inline]
    pub fn joined(&self) -> Joined<'_> {
        Joined { shared: self.inner.vocabulary.tables(), own: self.tables() }
    }

    /// Returns the checksum of the artifact's content, which identifies it. For an artifact compiled in this process
    /// without a checksum, the first call computes it in O(length).
    pub fn checksum(&self) -> [u8; 32] {
        let Inner { container, unsealed, .. } = &*self.inner;
        match unsealed {
            Some(unsealed) => *unsealed.checksum.get_or_init(|| checksum(container.buffer())),
            None => container.header().checksum,
        }
    }
}

/// Returns the metadata of an artifact that was checked when it was opened, or has just been written.
fn checked_before<T>(decoded: Result<T, Error>) -> T {
    // Without `expect`, which would link the debug format of every error.
    decoded.unwrap_or_else(|_| unreachable!("the metadata was checked"))
}

/// Checks that the grammar was compiled for this vocabulary and its shared rules. Otherwise returns an error that
/// locates the first difference.
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
