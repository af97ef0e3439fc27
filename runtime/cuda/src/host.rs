//! Tables for hosts that hold the pool themselves, for kernels of another kind over the same words, such as in
//! Triton.
//!
//! The host has an array of words on its device, writes the given patches, and passes rows and positions to its
//! kernels.

use std::sync::Arc;

use grammarc_runtime::Matcher;

use crate::driver::Stream;
use crate::error::CudaError;
use crate::layout::{Position, Row};
use crate::pool::{Patch, Pool, PoolUsage, Words};
use crate::resident::Resident;

/// Words of a row.
pub const ROW_WORDS: usize = size_of::<Row>() / 4;
/// Words of a position.
pub const POSITION_WORDS: usize = size_of::<Position>() / 4;

/// A pool in the host's memory.
#[derive(Clone, Debug)]
pub struct HostTables(Arc<Pool>);

/// A row, with the words of the pool that only it uses. They are freed on drop.
#[derive(Debug)]
pub struct HostRow {
    row: Row,
    _own: Option<Words>,
}

impl HostTables {
    /// Creates an empty pool of at most some bytes.
    pub fn new(most: u64) -> Self {
        Self(Pool::of_host(most))
    }

    /// Adds a grammar, with the end tokens of a matcher, which does not advance. Its vocabulary is added with its
    /// first grammar.
    ///
    /// # Errors
    ///
    /// The pool is full.
    pub fn upload(&self, matcher: &Matcher) -> Result<Resident, CudaError> {
        Resident::upload(&self.0, matcher, Stream::DEFAULT)
    }

    /// Returns the patches since the last call. The host has to write them in this order.
    pub fn patches(&self) -> Vec<Patch> {
        self.0.patches()
    }

    /// The memory use of the pool.
    pub fn usage(&self) -> PoolUsage {
        self.0.usage()
    }

    /// Returns the row of a matcher's mask. Its words are valid after the patches that this call may add.
    ///
    /// # Errors
    ///
    /// The matcher follows another grammar, or has other end tokens than the resident one, or the pool is full.
    pub fn row(&self, resident: &Resident, matcher: &mut Matcher) -> Result<HostRow, CudaError> {
        let (own, row) = resident.row(matcher, Stream::DEFAULT)?;
        Ok(HostRow { row, _own: own })
    }

    /// Returns the position of a matcher.
    ///
    /// # Errors
    ///
    /// The matcher follows another grammar or ends otherwise than the resident one.
    pub fn position(
        &self,
        resident: &Resident,
        matcher: &Matcher,
    ) -> Result<[u32; POSITION_WORDS], CudaError> {
        resident.check(matcher)?;
        Ok(bytemuck::cast(resident.position(matcher)))
    }
}

impl HostRow {
    /// The words of the row.
    pub fn words(&self) -> [u32; ROW_WORDS] {
        bytemuck::cast(self.row)
    }
}
