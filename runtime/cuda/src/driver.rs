//! The CUDA driver, loaded at run time. Only this file calls it.
//!
//! A library of bindings would link the toolkit, or impose its own ownership of memory and streams. Hosts own theirs,
//! and we need thirty functions. All `unsafe` of the crate is in this file. It rests on three facts:
//!
//! - The signatures below are those of the driver's interface, which does not change under a symbol's name.
//! - We free only memory that we allocated, and nothing is launched with it afterwards: owners cannot be cloned.
//! - Pointers of hosts come through [`DevicePointer::from_raw`] and [`Stream::from_raw`], whose callers guarantee
//!   their validity.
//!
//! Every call makes the device's primary context current, which PyTorch and all other users of the runtime interface
//! use. It restores the thread's context afterwards.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Arc;

use bytemuck::{NoUninit, Pod};
use libloading::Library;

use crate::error::CudaError;

/// Names under which the driver is looked for.
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcuda.so.1", "libcuda.so"];
#[cfg(windows)]
const NAMES: &[&str] = &["nvcuda.dll"];

/// The oldest driver that takes our PTX: CUDA 12.1.
const OLDEST: i32 = 12010;
/// The oldest devices: compute capability 8.0.
const CAPABILITY: (i32, i32) = (8, 0);

const MAJOR: c_int = 75;
const MINOR: c_int = 76;
const VIRTUAL_MEMORY: c_int = 102;

/// An address on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePointer(u64);

impl DevicePointer {
    /// No address: leaves out an optional table.
    pub const NULL: Self = Self(0);

    /// Wraps an address that the host owns.
    ///
    /// # Safety
    ///
    /// The address must be memory of the device that it is used with, with the length and alignment that the
    /// receiving call documents. It must stay valid until the launched work has ended, and nothing else may write to
    /// it until then.
    pub unsafe fn from_raw(address: u64) -> Self {
        Self(address)
    }

    /// The address.
    pub fn address(self) -> u64 {
        self.0
    }

    /// Memory of this process, which is the emulator's.
    #[cfg(test)]
    pub(crate) fn of<T>(slice: &mut [T]) -> Self {
        Self(slice.as_mut_ptr() as u64)
    }

    /// Returns the address some bytes later, within the same memory.
    pub(crate) fn offset(self, bytes: u64) -> Self {
        Self(self.0 + bytes)
    }
}

/// A stream of work on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(*mut c_void);

impl Stream {
    /// The default stream.
    pub const DEFAULT: Self = Self(ptr::null_mut());

    /// Wraps a stream that the host owns.
    ///
    /// # Safety
    ///
    /// The stream must belong to the device that it is used with, and be alive.
    pub unsafe fn from_raw(stream: *mut c_void) -> Self {
        Self(stream)
    }
}

// SAFETY: a stream is a handle of the driver, which may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

/// The threads that run a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchShape {
    /// Blocks, by column and row.
    pub(crate) grid: [u32; 2],
    /// Threads of a block.
    pub(crate) block: u32,
}

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel(*mut c_void);

// SAFETY: a kernel is a handle of the driver, which may be used from any thread.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

macro_rules! functions {
    ($($(#[$attribute:meta])* $name:ident = $symbol:literal ($($argument:ty),* $(,)?);)*) => {
        /// The functions of the driver, by their purpose.
        #[derive(Debug)]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            fn load(library: &Library) -> Result<Self, CudaError> {
                $(
                    // SAFETY: the symbol has this signature, and the library stays loaded as long as the owner of the
                    // functions.
                    let $name = unsafe {
                        library.get::<unsafe extern "C" fn($($argument),*) -> c_int>($symbol.as_bytes())
                    };
                    let $name = *$name.map_err(|_| CudaError::Function { name: $symbol })?;
                )*
                Ok(Self { $($name,)* })
            }
        }
    };
}

functions! {
    init = "cuInit"(c_uint);
    version = "cuDriverGetVersion"(*mut c_int);
    device_count = "cuDeviceGetCount"(*mut c_int);
    device = "cuDeviceGet"(*mut c_int, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    retain = "cuDevicePrimaryCtxRetain"(*mut *mut c_void, c_int);
    release = "cuDevicePrimaryCtxRelease_v2"(c_int);
    push = "cuCtxPushCurrent_v2"(*mut c_void);
    pop = "cuCtxPopCurrent_v2"(*mut *mut c_void);
    error_name = "cuGetErrorName"(c_int, *mut *const c_char);
    error_text = "cuGetErrorString"(c_int, *mut *const c_char);
    load_module = "cuModuleLoadData"(*mut *mut c_void, *const c_void);
    unload_module = "cuModuleUnload"(*mut c_void);
    function = "cuModuleGetFunction"(*mut *mut c_void, *mut c_void, *const c_char);
    launch = "cuLaunchKernel"(
        *mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_void, *mut *mut c_void, *mut *mut c_void,
    );
    allocate = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    upload = "cuMemcpyHtoDAsync_v2"(u64, *const c_void, usize, *mut c_void);
    download = "cuMemcpyDtoHAsync_v2"(*mut c_void, u64, usize, *mut c_void);
    set_words = "cuMemsetD32Async"(u64, c_uint, usize, *mut c_void);
    synchronize = "cuStreamSynchronize"(*mut c_void);
    granule = "cuMemGetAllocationGranularity"(*mut usize, *const AllocationOptions, c_int);
    reserve = "cuMemAddressReserve"(*mut u64, usize, usize, u64, u64);
    unreserve = "cuMemAddressFree"(u64, usize);
    create = "cuMemCreate"(*mut u64, usize, *const AllocationOptions, u64);
    destroy = "cuMemRelease"(u64);
    map = "cuMemMap"(u64, usize, usize, u64, u64);
    unmap = "cuMemUnmap"(u64, usize);
    allow = "cuMemSetAccess"(u64, usize, *const AccessOptions, usize);
}

/// `CUmemAllocationProp`: pinned memory of one device.
#[repr(C)]
#[derive(Debug, Default)]
struct AllocationOptions {
    kind: c_int,
    handle_types: c_int,
    location_kind: c_int,
    location: c_int,
    windows: u64,
    flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Debug)]
struct AccessOptions {
    location_kind: c_int,
    location: c_int,
    flags: c_int,
}

impl AllocationOptions {
    fn of(device: c_int) -> Self {
        Self { kind: 1, location_kind: 1, location: device, ..Self::default() }
    }
}

/// A device, opened: its primary context, retained, and the functions of the driver.
#[derive(Debug)]
pub(crate) struct Context {
    functions: Functions,
    context: *mut c_void,
    device: c_int,
    pub(crate) name: String,
    /// Whether memory can be mapped to reserved addresses.
    pub(crate) maps: bool,
    _library: Library,
}

// SAFETY: a context may be used from any thread; each call makes it current for itself.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Opens a device with the driver at a path, or with the system's.
    pub(crate) fn open(driver: Option<&Path>, ordinal: u32) -> Result<Arc<Self>, CudaError> {
        let library = load(driver)?;
        let functions = Functions::load(&library)?;
        let (mut version, mut count, mut device, mut context) = (0, 0, 0, ptr::null_mut());
        // SAFETY: each pointer is to a variable of the type that the driver writes.
        unsafe {
            functions.check("cuInit", (functions.init)(0))?;
            functions.check("cuDriverGetVersion", (functions.version)(&mut version))?;
            functions.check("cuDeviceGetCount", (functions.device_count)(&mut count))?;
        }
        if version < OLDEST {
            return Err(CudaError::OldDriver { found: version, needed: OLDEST });
        }
        let place = c_int::try_from(ordinal).ok().filter(|&ordinal| ordinal < count);
        let place = place.ok_or(CudaError::NoDevice { ordinal, count })?;
        // SAFETY: as above.
        unsafe {
            functions.check("cuDeviceGet", (functions.device)(&mut device, place))?;
        }
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: as above.
            let status = unsafe { (functions.attribute)(&mut value, attribute, device) };
            functions.check("cuDeviceGetAttribute", status).map(|()| value)
        };
        let capability = (attribute(MAJOR)?, attribute(MINOR)?);
        let maps = attribute(VIRTUAL_MEMORY)? != 0;
        if capability < CAPABILITY {
            return Err(CudaError::OldDevice { found: capability, needed: CAPABILITY });
        }
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the driver writes at most as many characters as the array has, and ends them with a zero; it writes
        // a context to the variable of the last pointer.
        let name = unsafe {
            functions.check(
                "cuDeviceGetName",
                (functions.device_name)(name.as_mut_ptr(), 255, device),
            )?;
            functions
                .check("cuDevicePrimaryCtxRetain", (functions.retain)(&mut context, device))?;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        };
        Ok(Arc::new(Self { functions, context, device, name, maps, _library: library }))
    }

    /// Calls a function of the driver with the context current.
    fn with(
        &self,
        call: &'static str,
        made: impl FnOnce(&Functions) -> c_int,
    ) -> Result<(), CudaError> {
        let mut before = ptr::null_mut();
        // SAFETY: the context is retained while this is alive, and the pushed context is popped again.
        unsafe {
            self.functions.check("cuCtxPushCurrent", (self.functions.push)(self.context))?;
            let status = made(&self.functions);
            (self.functions.pop)(&mut before);
            self.functions.check(call, status)
        }
    }

    /// Waits for all work of a stream.
    pub(crate) fn synchronize(&self, stream: Stream) -> Result<(), CudaError> {
        // SAFETY: the stream is alive, as its maker vouches.
        self.with("cuStreamSynchronize", |driver| unsafe { (driver.synchronize)(stream.0) })
    }

    /// Copies values to the device, in stream order. `from` may be changed as soon as this returns.
    pub(crate) fn upload<T: NoUninit>(
        &self,
        to: DevicePointer,
        from: &[T],
        stream: Stream,
    ) -> Result<(), CudaError> {
        if from.is_empty() {
            return Ok(());
        }
        let bytes: &[u8] = bytemuck::cast_slice(from);
        // SAFETY: the driver reads pageable memory before it returns; the target is ours or guaranteed by the caller.
        self.with("cuMemcpyHtoDAsync", |driver| unsafe {
            (driver.upload)(to.0, bytes.as_ptr().cast(), bytes.len(), stream.0)
        })
    }

    /// Reads values from the device, after all earlier work of the stream.
    pub(crate) fn download<T: Pod>(
        &self,
        from: DevicePointer,
        to: &mut [T],
        stream: Stream,
    ) -> Result<(), CudaError> {
        if to.is_empty() {
            return Ok(());
        }
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(to);
        // SAFETY: the source is ours or guaranteed by the caller, and the copy has ended when the stream has, before
        // `to` is used again.
        self.with("cuMemcpyDtoHAsync", |driver| unsafe {
            (driver.download)(bytes.as_mut_ptr().cast(), from.0, bytes.len(), stream.0)
        })?;
        self.synchronize(stream)
    }

    /// Launches a kernel that takes one struct by value.
    pub(crate) fn launch<P: NoUninit>(
        &self,
        kernel: Kernel,
        shape: LaunchShape,
        params: &P,
        stream: Stream,
    ) -> Result<(), CudaError> {
        let LaunchShape { grid, block } = shape;
        let mut params = [ptr::from_ref(params).cast_mut().cast::<c_void>()];
        // SAFETY: the driver copies the struct before it returns. Its pointers are to memory that is ours, or
        // guaranteed by the caller.
        self.with("cuLaunchKernel", |driver| unsafe {
            let (list, none) = (params.as_mut_ptr(), ptr::null_mut());
            (driver.launch)(kernel.0, grid[0], grid[1], 1, block, 1, 1, 0, stream.0, list, none)
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, when this was made. A driver that is shutting down fails, and nothing can be done.
        unsafe { (self.functions.release)(self.device) };
    }
}

impl Functions {
    fn check(&self, call: &'static str, status: c_int) -> Result<(), CudaError> {
        if status == 0 {
            return Ok(());
        }
        let text = |ask: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int| {
            let mut text = ptr::null();
            // SAFETY: the driver writes a pointer to its own text, or null for an unknown status.
            let known = unsafe { ask(status, &mut text) } == 0 && !text.is_null();
            // SAFETY: such a text ends with a zero and stays.
            known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let name = text(self.error_name).unwrap_or_else(|| status.to_string());
        let text = text(self.error_text).unwrap_or_default();
        Err(CudaError::Call { call, status, name, text })
    }
}

fn load(driver: Option<&Path>) -> Result<Library, CudaError> {
    let names = match driver {
        Some(path) => vec![path.to_path_buf()],
        None => NAMES.iter().map(PathBuf::from).collect(),
    };
    let mut tried = Vec::new();
    for name in names {
        // SAFETY: the driver's initializers are those of every CUDA program; the caller guarantees a path.
        match unsafe { Library::new(&name) } {
            Ok(library) => return Ok(library),
            Err(error) => tried.push(error.to_string()),
        }
    }
    Err(CudaError::NoDriver { tried })
}

/// A module of kernels, loaded.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    module: *mut c_void,
}

// SAFETY: a module is a handle of the driver, which may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads PTX, which the driver compiles for the device, or finds compiled in its cache.
    pub(crate) fn load(context: &Arc<Context>, ptx: &str) -> Result<Self, CudaError> {
        let text =
            CString::new(ptx).map_err(|_| CudaError::Function { name: "PTX without NUL" })?;
        let mut module = ptr::null_mut();
        // SAFETY: the text ends with a zero and is alive during the call.
        context.with("cuModuleLoadData", |driver| unsafe {
            (driver.load_module)(&mut module, text.as_ptr().cast())
        })?;
        Ok(Self { context: Arc::clone(context), module })
    }

    /// A kernel by its name.
    pub(crate) fn kernel(&self, name: &'static CStr) -> Result<Kernel, CudaError> {
        let mut kernel = ptr::null_mut();
        // SAFETY: the module is loaded, and the name ends with a zero.
        self.context.with("cuModuleGetFunction", |driver| unsafe {
            (driver.function)(&mut kernel, self.module, name.as_ptr())
        })?;
        Ok(Kernel(kernel))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded once; only the owner of the module uses its kernels.
        drop(
            self.context
                .with("cuModuleUnload", |driver| unsafe { (driver.unload_module)(self.module) }),
        );
    }
}

/// Memory of the device, which is freed on drop. Dropping waits for the work that uses it.
#[derive(Debug)]
pub(crate) struct Memory {
    context: Arc<Context>,
    at: DevicePointer,
}

impl Memory {
    /// Allocates memory of some bytes, with every word set to `fill`.
    pub(crate) fn new(
        context: &Arc<Context>,
        bytes: u64,
        fill: u32,
        stream: Stream,
    ) -> Result<Self, CudaError> {
        let mut at = 0;
        let bytes = bytes.next_multiple_of(4).max(4) as usize;
        // SAFETY: the driver writes an address.
        context.with("cuMemAlloc", |driver| unsafe { (driver.allocate)(&mut at, bytes) })?;
        let memory = Self { context: Arc::clone(context), at: DevicePointer(at) };
        // SAFETY: the memory is ours and as long.
        context.with("cuMemsetD32Async", |driver| unsafe {
            (driver.set_words)(at, fill, bytes / 4, stream.0)
        })?;
        Ok(memory)
    }

    pub(crate) fn pointer(&self) -> DevicePointer {
        self.at
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated once. The driver waits for the work that uses it.
        drop(self.context.with("cuMemFree", |driver| unsafe { (driver.free)(self.at.0) }));
    }
}

/// A range of addresses. Memory is mapped to its beginning and grows as it is needed.
#[derive(Debug)]
pub(crate) struct Range {
    context: Arc<Context>,
    at: u64,
    bytes: u64,
    granule: u64,
    /// The mapped pieces of memory: a handle and its size in bytes.
    mapped: Vec<(u64, u64)>,
}

impl Range {
    /// Reserves addresses.
    pub(crate) fn new(context: &Arc<Context>, bytes: u64) -> Result<Self, CudaError> {
        let (mut granule, mut at) = (0, 0);
        let options = AllocationOptions::of(context.device);
        // SAFETY: the driver reads the options and writes a size, and an address.
        context.with("cuMemGetAllocationGranularity", |driver| unsafe {
            (driver.granule)(&mut granule, &options, 1)
        })?;
        let bytes = bytes.next_multiple_of(granule.max(1) as u64);
        // SAFETY: as above.
        context.with("cuMemAddressReserve", |driver| unsafe {
            (driver.reserve)(&mut at, bytes as usize, 0, 0, 0)
        })?;
        Ok(Self {
            context: Arc::clone(context),
            at,
            bytes,
            granule: granule.max(1) as u64,
            mapped: Vec::new(),
        })
    }

    pub(crate) fn pointer(&self) -> DevicePointer {
        DevicePointer(self.at)
    }

    /// Bytes that memory is mapped to.
    pub(crate) fn mapped(&self) -> u64 {
        self.mapped.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Maps memory until at least `bytes` from the beginning are there.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), CudaError> {
        let mapped = self.mapped();
        if bytes <= mapped {
            return Ok(());
        }
        let piece = (bytes - mapped).next_multiple_of(self.granule);
        if mapped + piece > self.bytes {
            return Err(CudaError::Full { needed: bytes, most: self.bytes });
        }
        let options = AllocationOptions::of(self.context.device);
        let access = AccessOptions { location_kind: 1, location: self.context.device, flags: 3 };
        let at = self.at + mapped;
        let mut handle = 0;
        // SAFETY: the driver reads the options and writes a handle.
        self.context.with("cuMemCreate", |driver| unsafe {
            (driver.create)(&mut handle, piece as usize, &options, 0)
        })?;
        // SAFETY: the addresses are reserved and nothing is mapped to them; a piece that cannot be made readable is
        // unmapped.
        let made = self.context.with("cuMemMap", |driver| unsafe {
            match (driver.map)(at, piece as usize, 0, handle, 0) {
                0 => match (driver.allow)(at, piece as usize, &access, 1) {
                    0 => 0,
                    refused => {
                        (driver.unmap)(at, piece as usize);
                        refused
                    }
                },
                refused => refused,
            }
        });
        if let Err(error) = made {
            // SAFETY: made above, and mapped to nothing.
            drop(self.context.with("cuMemRelease", |driver| unsafe { (driver.destroy)(handle) }));
            return Err(error);
        }
        self.mapped.push((handle, piece));
        Ok(())
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: each piece is mapped once and released once, and the addresses are free of pieces when they are
        // given back. Work that still reads them has been waited for.
        drop(self.context.with("cuMemAddressFree", |driver| unsafe {
            (driver.synchronize)(ptr::null_mut());
            let mut at = self.at;
            for &(handle, bytes) in &self.mapped {
                (driver.unmap)(at, bytes as usize);
                (driver.destroy)(handle);
                at += bytes;
            }
            (driver.unreserve)(self.at, self.bytes as usize)
        }));
    }
}
