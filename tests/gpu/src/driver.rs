//! The parts of CUDA that a host has and grammarc has not: memory, streams, captured graphs, clocks, kernels of others.
//!
//! All `unsafe` of the program. Failures end it: there is nobody to whom they could be reported better.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use grammarc_cuda::{DevicePointer, Stream};
use libloading::Library;

/// The driver.
pub(crate) struct Driver {
    library: Library,
    stream: *mut c_void,
}

/// Memory of the device, of so many elements.
pub(crate) struct Memory<'d, T> {
    driver: &'d Driver,
    at: u64,
    len: usize,
    element: std::marker::PhantomData<T>,
}

/// A captured graph.
pub(crate) struct Graph<'d> {
    driver: &'d Driver,
    graph: *mut c_void,
}

/// A kernel of somebody else.
pub(crate) struct Foreign(*mut c_void);

macro_rules! call {
    ($driver:expr, $name:literal ($($argument:expr => $type:ty),* $(,)?)) => {{
        // SAFETY: the symbol has this signature, and arguments are what it asks for.
        let status = unsafe {
            let function = $driver.library.get::<unsafe extern "C" fn($($type),*) -> c_int>($name.as_bytes());
            function.unwrap_or_else(|_| panic!("the driver has no {}", $name))($($argument),*)
        };
        assert_eq!(status, 0, "{}", $name);
    }};
}

impl Driver {
    /// The driver, with a stream of its own in the primary context of device 0.
    pub(crate) fn open(path: Option<&Path>) -> Self {
        let name = path.map_or_else(|| PathBuf::from("libcuda.so.1"), Path::to_path_buf);
        // SAFETY: the driver's initialisers are those of every CUDA program.
        let library = unsafe { Library::new(&name) }
            .unwrap_or_else(|error| panic!("{}: {error}", name.display()));
        let mut driver = Self { library, stream: ptr::null_mut() };
        let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
        call!(driver, "cuInit"(0 => c_uint));
        call!(driver, "cuDeviceGet"(&mut device => *mut c_int, 0 => c_int));
        call!(driver, "cuDevicePrimaryCtxRetain"(&mut context => *mut *mut c_void, device => c_int));
        call!(driver, "cuCtxPushCurrent_v2"(context => *mut c_void));
        // A stream that does not wait for the default one.
        call!(driver, "cuStreamCreate"(&mut stream => *mut *mut c_void, 1 => c_uint));
        driver.stream = stream;
        driver
    }

    pub(crate) fn stream(&self) -> Stream {
        // SAFETY: made above, and never destroyed.
        unsafe { Stream::from_raw(self.stream) }
    }

    /// Memory that holds these values.
    pub(crate) fn upload<T: Copy>(&self, values: &[T]) -> Memory<'_, T> {
        let mut at = 0u64;
        let bytes = size_of_val(values).max(4);
        call!(self, "cuMemAlloc_v2"(&mut at => *mut u64, bytes => usize));
        let memory =
            Memory { driver: self, at, len: values.len(), element: std::marker::PhantomData };
        memory.write(values);
        memory
    }

    pub(crate) fn synchronize(&self) {
        call!(self, "cuStreamSynchronize"(self.stream => *mut c_void));
    }

    /// The launches of a function as a graph.
    pub(crate) fn capture(&self, launches: impl FnOnce()) -> Graph<'_> {
        let (mut graph, mut made) = (ptr::null_mut(), ptr::null_mut());
        call!(self, "cuStreamBeginCapture_v2"(self.stream => *mut c_void, 0 => c_int));
        launches();
        call!(self, "cuStreamEndCapture"(self.stream => *mut c_void, &mut graph => *mut *mut c_void));
        call!(self, "cuGraphInstantiateWithFlags"(&mut made => *mut *mut c_void, graph => *mut c_void, 0 => u64));
        Graph { driver: self, graph: made }
    }

    /// Microseconds that a function's work takes, the least of `rounds`, each of `times` calls.
    pub(crate) fn time(&self, rounds: usize, times: usize, mut work: impl FnMut()) -> f64 {
        let (mut from, mut to) = (ptr::null_mut(), ptr::null_mut());
        call!(self, "cuEventCreate"(&mut from => *mut *mut c_void, 0 => c_uint));
        call!(self, "cuEventCreate"(&mut to => *mut *mut c_void, 0 => c_uint));
        work();
        let mut least = f64::INFINITY;
        for _ in 0..rounds {
            let mut passed = 0f32;
            call!(self, "cuEventRecord"(from => *mut c_void, self.stream => *mut c_void));
            (0..times).for_each(|_| work());
            call!(self, "cuEventRecord"(to => *mut c_void, self.stream => *mut c_void));
            call!(self, "cuEventSynchronize"(to => *mut c_void));
            call!(self, "cuEventElapsedTime"(&mut passed => *mut f32, from => *mut c_void, to => *mut c_void));
            least = least.min(f64::from(passed) * 1000.0 / times as f64);
        }
        least
    }

    /// A kernel from PTX.
    pub(crate) fn load(&self, ptx: &str, name: &str) -> Foreign {
        let (text, name) =
            (CString::new(ptx).unwrap_or_default(), CString::new(name).unwrap_or_default());
        let (mut module, mut kernel) = (ptr::null_mut(), ptr::null_mut());
        call!(self, "cuModuleLoadData"(&mut module => *mut *mut c_void, text.as_ptr().cast() => *const c_void));
        call!(self, "cuModuleGetFunction"(
            &mut kernel => *mut *mut c_void, module => *mut c_void, name.as_ptr() => *const c_char,
        ));
        Foreign(kernel)
    }

    /// Launches a kernel with arguments of 8 bytes each, of which it reads as many as each has.
    pub(crate) fn launch(
        &self,
        kernel: &Foreign,
        grid: [u32; 2],
        block: u32,
        shared: u32,
        arguments: &[u64],
    ) {
        let mut arguments = arguments.to_vec();
        let mut list: Vec<*mut c_void> =
            arguments.iter_mut().map(|argument| ptr::from_mut(argument).cast()).collect();
        call!(self, "cuLaunchKernel"(
            kernel.0 => *mut c_void, grid[0] => c_uint, grid[1] => c_uint, 1 => c_uint, block => c_uint, 1 => c_uint,
            1 => c_uint, shared => c_uint, self.stream => *mut c_void, list.as_mut_ptr() => *mut *mut c_void,
            ptr::null_mut() => *mut *mut c_void,
        ));
    }
}

impl<T: Copy> Memory<'_, T> {
    pub(crate) fn pointer(&self) -> DevicePointer {
        // SAFETY: memory of the device that lives as long as this, and users wait before it goes.
        unsafe { DevicePointer::from_raw(self.at) }
    }

    pub(crate) fn write(&self, values: &[T]) {
        assert!(values.len() <= self.len, "it fits");
        call!(self.driver, "cuMemcpyHtoDAsync_v2"(
            self.at => u64, values.as_ptr().cast() => *const c_void, size_of_val(values) => usize,
            self.driver.stream => *mut c_void,
        ));
    }

    /// The values, when all work is done.
    pub(crate) fn read(&self, fill: T) -> Vec<T> {
        let mut values = vec![fill; self.len];
        call!(self.driver, "cuMemcpyDtoHAsync_v2"(
            values.as_mut_ptr().cast() => *mut c_void, self.at => u64, size_of_val(&*values) => usize,
            self.driver.stream => *mut c_void,
        ));
        self.driver.synchronize();
        values
    }
}

impl<T> Drop for Memory<'_, T> {
    fn drop(&mut self) {
        self.driver.synchronize();
        call!(self.driver, "cuMemFree_v2"(self.at => u64));
    }
}

impl Graph<'_> {
    pub(crate) fn launch(&self) {
        call!(self.driver, "cuGraphLaunch"(self.graph => *mut c_void, self.driver.stream => *mut c_void));
    }
}
