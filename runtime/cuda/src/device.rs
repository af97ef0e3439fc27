//! A device with the kernels loaded and a pool of tables.

use std::path::PathBuf;
use std::sync::Arc;

use bytemuck::{NoUninit, Zeroable};
use grammarc_runtime::Matcher;

use crate::driver::{Context, DevicePointer, Kernel, LaunchShape, Module, Stream};
use crate::error::CudaError;
use crate::layout::{AdvanceParams, ApplyParams, BitmaskParams, FillParams, SampleParams};
use crate::logits::DeviceLogits;
use crate::pool::{Pool, PoolUsage};
use crate::resident::Resident;

/// The kernels, as `kernels/ptx.py` makes them of `kernels/grammarc.cu`.
const PTX: &str = include_str!("../kernels/grammarc.ptx");

/// Columns that a block takes: 1,024 for each of 8 warps.
const BLOCK_COLUMNS: u32 = 8192;
/// Threads of a block.
const BLOCK: u32 = 256;
/// Threads of a block of sequences: few, so that some hundred of them are spread over the device.
const BLOCK_SEQUENCES: u32 = 64;
/// Number of rows from which a row is processed by fewer blocks, because the rows alone fill the device.
const MANY_ROWS: u32 = 64;
/// Chunks of such a row for each warp.
const CHUNKS_AHEAD: u32 = 4;
/// Greatest number of blocks in the second dimension of a grid.
const MOST_ROWS: u32 = 65_535;

/// Options for opening a device.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// The number of the device, as the driver counts them.
    pub ordinal: u32,
    /// Bytes that tables may take, at most 16 GB. Only addresses are reserved at first; memory is mapped as grammars
    /// are uploaded.
    pub pool_bytes: u64,
    /// The driver's library, if the system does not find it by name.
    pub driver: Option<PathBuf>,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self { ordinal: 0, pool_bytes: 4 << 30, driver: None }
    }
}

/// An open device. A clone is the same device.
#[derive(Clone, Debug)]
pub struct Device(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    kernels: Kernels,
    pool: Arc<Pool>,
    _module: Module,
    context: Arc<Context>,
}

#[derive(Debug)]
struct Kernels {
    apply: Kernel,
    apply_bitmask: Kernel,
    fill: Kernel,
    advance: Kernel,
    draft: Kernel,
    sample: Kernel,
}

/// A bitmask on the device: rows of `words` words, `stride` words apart. Bit t % 32 of word t / 32 is token t.
#[derive(Clone, Copy, Debug)]
pub struct DeviceBitmask {
    /// The first word of row 0.
    pub at: DevicePointer,
    /// Words of a row.
    pub words: u32,
    /// Words from one row to the next.
    pub stride: i64,
}

impl Device {
    /// Opens a device in its primary context and loads every kernel, so that none is loaded during a capture. Takes
    /// some tens of milliseconds, or a second if the driver has not compiled the kernels for this device before.
    ///
    /// # Errors
    ///
    /// There is no driver or no such device, or one of them is too old.
    pub fn open(options: &DeviceOptions) -> Result<Self, CudaError> {
        let context = Context::open(options.driver.as_deref(), options.ordinal)?;
        let module = Module::load(&context, PTX)?;
        let kernels = Kernels {
            apply: module.kernel(c"grammarc_apply")?,
            apply_bitmask: module.kernel(c"grammarc_apply_bitmask")?,
            fill: module.kernel(c"grammarc_fill")?,
            advance: module.kernel(c"grammarc_advance")?,
            draft: module.kernel(c"grammarc_draft")?,
            sample: module.kernel(c"grammarc_sample")?,
        };
        let pool = Pool::new(&context, options.pool_bytes)?;
        let device = Self(Arc::new(Opened { kernels, pool, _module: module, context }));
        device.touch()?;
        Ok(device)
    }

    /// Launches every kernel with nothing to do: a driver may load a kernel when it is first launched.
    fn touch(&self) -> Result<(), CudaError> {
        let Kernels { apply, apply_bitmask, fill, advance, draft, sample } = self.0.kernels;
        let shape = LaunchShape { grid: [1, 1], block: 32 };
        let stream = Stream::DEFAULT;
        self.launch(apply, shape, &ApplyParams::zeroed(), stream)?;
        self.launch(apply_bitmask, shape, &BitmaskParams::zeroed(), stream)?;
        self.launch(fill, shape, &FillParams::zeroed(), stream)?;
        self.launch(advance, shape, &AdvanceParams::zeroed(), stream)?;
        self.launch(draft, shape, &AdvanceParams::zeroed(), stream)?;
        self.launch(sample, shape, &SampleParams::zeroed(), stream)?;
        self.synchronize(stream)
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.0.context.name
    }

    /// The memory use of the pool.
    pub fn usage(&self) -> PoolUsage {
        self.0.pool.usage()
    }

    /// Copies a grammar's tables to the device, and those of its vocabulary unless they are there. The end tokens are
    /// those of the matcher, which does not advance. O(the artifact's size); the copy is on the stream.
    ///
    /// # Errors
    /// The pool is full, or the driver fails.
    /// The pool is full, or the driver refuses.
    pub fn upload(&self, matcher: &Matcher, stream: Stream) -> Result<Resident, CudaError> {
        Resident::upload(&self.0.pool, matcher, stream)
    }

    /// Writes negative infinity over the logits that a bitmask does not allow, and leaves the others unchanged. The
    /// bitmask covers `tokens` tokens: all others are not allowed. A number of [`DeviceLogits::numbers`] is a row of
    /// the bitmask.
    ///
    /// # Errors
    ///
    /// A row of the bitmask is too short for the tokens.
    pub fn apply_bitmask(
        &self,
        bitmask: &DeviceBitmask,
        tokens: u32,
        logits: &DeviceLogits,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let DeviceBitmask { at, words, stride } = *bitmask;
        if words < tokens.div_ceil(32) {
            return Err(CudaError::Words { words, tokens });
        }
        let params =
            BitmaskParams { bitmask: at.address(), stride, words, tokens, logits: logits.params };
        let shape = looped(logits.params.columns, logits.params.rows);
        self.launch_unless_empty(self.0.kernels.apply_bitmask, shape, &params, stream)
    }

    /// Waits for all work of a stream.
    ///
    /// # Errors
    ///
    /// Some of the work failed.
    pub fn synchronize(&self, stream: Stream) -> Result<(), CudaError> {
        self.0.context.synchronize(stream)
    }

    pub(crate) fn apply(
        &self,
        rows: DevicePointer,
        logits: &DeviceLogits,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let params = ApplyParams { pool: self.pool(), rows: rows.address(), logits: logits.params };
        let shape = looped(logits.params.columns, logits.params.rows);
        self.launch_unless_empty(self.0.kernels.apply, shape, &params, stream)
    }

    pub(crate) fn fill(
        &self,
        rows: DevicePointer,
        bitmask: &DeviceBitmask,
        count: u32,
        numbers: DevicePointer,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let DeviceBitmask { at, words, stride } = *bitmask;
        let (pool, rows, map) = (self.pool(), rows.address(), numbers.address());
        let params = FillParams { pool, rows, bitmask: at.address(), stride, words, count, map };
        let shape = shape(words.saturating_mul(32), count);
        self.launch_unless_empty(self.0.kernels.fill, shape, &params, stream)
    }

    pub(crate) fn advance(&self, params: &AdvanceParams, stream: Stream) -> Result<(), CudaError> {
        let kernel = if params.drafts == 0 { self.0.kernels.advance } else { self.0.kernels.draft };
        let grid = [params.count.div_ceil(BLOCK_SEQUENCES), 1];
        let shape = LaunchShape { grid, block: BLOCK_SEQUENCES };
        self.launch_unless_empty(kernel, shape, params, stream)
    }

    pub(crate) fn sample(&self, params: &SampleParams, stream: Stream) -> Result<(), CudaError> {
        let shape = shape(params.logits.columns, params.logits.rows);
        self.launch_unless_empty(self.0.kernels.sample, shape, params, stream)
    }

    /// The address of the pool.
    pub(crate) fn pool(&self) -> u64 {
        self.0.pool.base().address()
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.0.context
    }

    fn launch<P: NoUninit>(
        &self,
        kernel: Kernel,
        shape: LaunchShape,
        params: &P,
        stream: Stream,
    ) -> Result<(), CudaError> {
        self.0.context.launch(kernel, shape, params, stream)
    }

    /// The driver rejects a grid without blocks, and there is nothing to do.
    fn launch_unless_empty<P: NoUninit>(
        &self,
        kernel: Kernel,
        shape: LaunchShape,
        params: &P,
        stream: Stream,
    ) -> Result<(), CudaError> {
        if shape.grid.contains(&0) {
            return Ok(());
        }
        self.launch(kernel, shape, params, stream)
    }
}

/// Returns the grid and the block for some columns of some rows, each block taking its columns once.
fn shape(columns: u32, rows: u32) -> LaunchShape {
    LaunchShape { grid: [columns.div_ceil(BLOCK_COLUMNS), rows.min(MOST_ROWS)], block: BLOCK }
}

/// Like [`shape`], but a warp may process several chunks: with many rows, each has fewer blocks, which load ahead.
fn looped(columns: u32, rows: u32) -> LaunchShape {
    let LaunchShape { grid: [blocks, rows], block } = shape(columns, rows);
    let each = if rows < MANY_ROWS { 1 } else { CHUNKS_AHEAD };
    LaunchShape { grid: [blocks.div_ceil(each), rows], block }
}
