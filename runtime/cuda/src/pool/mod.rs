//! The pool: the device's copy of tables, shared by all resident grammars.
//!
//! Addresses are reserved once, and memory is mapped to them as it is needed. So the pool never moves, and captured
//! graphs stay valid. If a device cannot map memory, the pool has its largest size from the beginning.
//!
//! A grammar's tables are one range. Those of its vocabulary are another: uploaded with its first grammar and dropped
//! with its last. Later uploads reuse the space of dropped tables, and are ordered after the work on their stream. A
//! host with several streams uploads on a stream that waits for the users of dropped tables.
//!
//! Tests: `src/tests/pool.rs` of this crate; unit tests in `space`.

pub(crate) mod space;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use grammarc_runtime::Grammar;
use grammarc_runtime::flat::FlatGrammar;

use self::space::Space;
use crate::driver::{Context, DevicePointer, Memory, Range, Stream};
use crate::error::CudaError;
use crate::image::{self, VocabularyParts};

/// Bytes of a word.
const WORD: u64 = 4;

/// Identifies a vocabulary: its tokens, and the rules that its grammars share.
type VocabularyKey = ([u8; 32], [u8; 32]);

/// The memory of the pool.
#[derive(Debug)]
enum Backing {
    Growing(Range),
    Fixed {
        _memory: Memory,
    },
    /// The host's memory: the host writes the patches.
    Host(Vec<Patch>),
}

/// Words that a host is to write, and the number of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Number of the first word.
    pub at: u32,
    /// The words.
    pub words: Vec<u32>,
}

/// The state that changes as grammars come and go.
#[derive(Debug)]
struct State {
    space: Space,
    backing: Backing,
}

/// The words of all tables on one device.
#[derive(Debug)]
pub(crate) struct Pool {
    /// `None` if the memory belongs to the host.
    context: Option<Arc<Context>>,
    base: DevicePointer,
    /// Limit in bytes.
    most: u64,
    state: Mutex<State>,
    vocabularies: Mutex<HashMap<VocabularyKey, Weak<ResidentVocabulary>>>,
}

/// Words of the pool, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Words {
    pool: Arc<Pool>,
    pub(crate) at: u32,
    pub(crate) len: u32,
}

impl Drop for Words {
    fn drop(&mut self) {
        locked(&self.pool.state).space.give(self.at, self.len);
    }
}

/// A vocabulary whose tables are in the pool.
#[derive(Debug)]
pub(crate) struct ResidentVocabulary {
    pub(crate) parts: VocabularyParts,
    _words: Words,
}

/// The memory use of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolUsage {
    /// Bytes of tables.
    pub used: u64,
    /// Bytes of device memory that the pool holds.
    pub held: u64,
    /// Limit of the pool in bytes.
    pub most: u64,
}

impl Pool {
    /// An empty pool of at most some bytes.
    pub(crate) fn new(context: &Arc<Context>, most: u64) -> Result<Arc<Self>, CudaError> {
        let most = most.min(u64::from(u32::MAX) * WORD);
        let (base, backing) = if context.maps {
            let range = Range::new(context, most)?;
            (range.pointer(), Backing::Growing(range))
        } else {
            let memory = Memory::new(context, most, 0, Stream::DEFAULT)?;
            (memory.pointer(), Backing::Fixed { _memory: memory })
        };
        Ok(Self::with(Some(Arc::clone(context)), base, most, backing))
    }

    /// An empty pool in memory of the host's, of at most some bytes.
    pub(crate) fn of_host(most: u64) -> Arc<Self> {
        let most = most.min(u64::from(u32::MAX) * WORD);
        Self::with(None, DevicePointer::NULL, most, Backing::Host(Vec::new()))
    }

    fn with(
        context: Option<Arc<Context>>,
        base: DevicePointer,
        most: u64,
        backing: Backing,
    ) -> Arc<Self> {
        let state = Mutex::new(State { space: Space::default(), backing });
        Arc::new(Self { context, base, most, state, vocabularies: Mutex::default() })
    }

    /// Returns the patches since the last call, which the host has to write in order. Empty for a pool on a device.
    pub(crate) fn patches(&self) -> Vec<Patch> {
        match &mut locked(&self.state).backing {
            Backing::Host(patches) => std::mem::take(patches),
            Backing::Growing(_) | Backing::Fixed { .. } => Vec::new(),
        }
    }

    /// The address of word 0.
    pub(crate) fn base(&self) -> DevicePointer {
        self.base
    }

    /// The memory use of the pool.
    pub(crate) fn usage(&self) -> PoolUsage {
        let state = locked(&self.state);
        let held = match &state.backing {
            Backing::Growing(range) => range.mapped(),
            Backing::Fixed { .. } => self.most,
            Backing::Host(_) => u64::from(state.space.end()) * WORD,
        };
        PoolUsage { used: u64::from(state.space.taken()) * WORD, held, most: self.most }
    }

    /// Takes words, whose memory is there when this returns.
    pub(crate) fn take(self: &Arc<Self>, words: u32) -> Result<Words, CudaError> {
        let mut state = locked(&self.state);
        let needed = (u64::from(state.space.end()) + u64::from(words)) * WORD;
        let full = CudaError::Full { needed, most: self.most };
        let Some(at) = state.space.take(words) else { return Err(full) };
        let bytes = u64::from(state.space.end()) * WORD;
        let grown = match &mut state.backing {
            _ if bytes > self.most => Err(full),
            Backing::Growing(range) => range.grow(bytes),
            Backing::Fixed { .. } | Backing::Host(_) => Ok(()),
        };
        if let Err(error) = grown {
            state.space.give(at, words);
            return Err(error);
        }
        drop(state);
        Ok(Words { pool: Arc::clone(self), at, len: words })
    }

    /// Writes words.
    pub(crate) fn write(&self, to: &Words, words: &[u32], stream: Stream) -> Result<(), CudaError> {
        let words = &words[..words.len().min(to.len as usize)];
        if let Some(context) = &self.context {
            return context.upload(self.base.offset(u64::from(to.at) * WORD), words, stream);
        }
        if let Backing::Host(patches) = &mut locked(&self.state).backing {
            patches.push(Patch { at: to.at, words: words.to_vec() });
        }
        Ok(())
    }

    /// Returns the tables of a grammar's vocabulary, and uploads them if necessary.
    pub(crate) fn vocabulary(
        self: &Arc<Self>,
        grammar: &Grammar,
        flat: &FlatGrammar<'_>,
        stream: Stream,
    ) -> Result<Arc<ResidentVocabulary>, CudaError> {
        let artifact = grammar.vocabulary().artifact();
        let key = (artifact.fingerprint(), artifact.shared_digest());
        // Locked during the upload, so that two threads do not upload the same tables.
        let mut vocabularies = locked(&self.vocabularies);
        if let Some(known) = vocabularies.get(&key).and_then(Weak::upgrade) {
            return Ok(known);
        }
        let (image, parts) = image::vocabulary(grammar, flat, &grammar.artifact().joined());
        let words = self.take(image.len())?;
        self.write(&words, &image.at(words.at), stream)?;
        let parts = parts.moved(words.at);
        let resident = Arc::new(ResidentVocabulary { parts, _words: words });
        vocabularies.retain(|_, known| known.strong_count() > 0);
        vocabularies.insert(key, Arc::downgrade(&resident));
        Ok(resident)
    }
}

/// A lock whose holder cannot leave its data half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
