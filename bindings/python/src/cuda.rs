//! Grammars on CUDA devices: the classes below `grammarc.cuda`, which converts arrays to addresses.
//!
//! Addresses of device memory and of streams are trusted. `grammarc.cuda` checks types, shapes and devices of arrays
//! before it passes them on.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use grammarc_cuda::{
    CudaError, Device, DeviceBitmask, DeviceLogits, DeviceOptions, DevicePointer, DeviceTokens,
    Dtype, HostTables, Resident, RowTable, Sampling, Slots, Stream,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::matcher::Matcher;
use crate::raise;

/// Address, dtype, rows, columns, stride, first token, and the addresses of numbers and column tokens.
type Logits = (u64, u32, u32, u32, i64, u32, u64, u64);

/// Address, words of a row, and words from one row to the next.
type Bits = (u64, u32, i64);

/// Address, sequences, and tokens from one to the next.
type Tokens = (u64, u32, i64);

fn pointer(address: u64) -> DevicePointer {
    // SAFETY: the caller of the Python function vouches for it.
    unsafe { DevicePointer::from_raw(address) }
}

fn stream(stream: usize) -> Stream {
    // SAFETY: as above.
    unsafe { Stream::from_raw(stream as *mut c_void) }
}

fn logits(given: Logits) -> PyResult<DeviceLogits> {
    let (at, dtype, rows, columns, stride, first, numbers, tokens) = given;
    let dtype = match dtype {
        0 => Dtype::F32,
        1 => Dtype::F16,
        2 => Dtype::Bf16,
        _ => return Err(PyValueError::new_err("no type of logits")),
    };
    let logits =
        DeviceLogits::new(pointer(at), dtype, rows, columns).stride(stride).first_token(first);
    Ok(logits.numbers(pointer(numbers)).column_tokens(pointer(tokens)))
}

fn bitmask((at, words, stride): Bits) -> DeviceBitmask {
    DeviceBitmask { at: pointer(at), words, stride }
}

fn tokens((tokens, count, stride): Tokens, slots: u64) -> DeviceTokens {
    DeviceTokens { count, tokens: pointer(tokens), stride, slots: pointer(slots) }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work without Python's global lock.
fn done<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, CudaError> + Send,
) -> PyResult<T> {
    let result = raise::guarded(py, || Ok(py.detach(work)))?;
    result.map_err(|error| raise::cuda(py, &error))
}

/// A device, opened.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct CudaDevice(Device);

#[pymethods]
impl CudaDevice {
    #[new]
    fn new(
        py: Python<'_>,
        ordinal: u32,
        pool_bytes: u64,
        driver: Option<PathBuf>,
    ) -> PyResult<Self> {
        done(py, || Device::open(&DeviceOptions { ordinal, pool_bytes, driver })).map(Self)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    fn usage(&self) -> (u64, u64, u64) {
        let usage = self.0.usage();
        (usage.used, usage.held, usage.most)
    }

    fn upload(
        &self,
        py: Python<'_>,
        matcher: &Bound<'_, Matcher>,
        on: usize,
    ) -> PyResult<CudaGrammar> {
        let matcher = matcher.get();
        done(py, || self.0.upload(&matcher.lock(), stream(on))).map(CudaGrammar)
    }

    fn slots(&self, py: Python<'_>, slots: u32, drafts: u32, on: usize) -> PyResult<CudaSlots> {
        done(py, || self.0.slots(slots, drafts, stream(on)))
            .map(|slots| CudaSlots(Mutex::new(slots)))
    }

    fn rows(&self, py: Python<'_>, rows: u32, on: usize) -> PyResult<CudaRows> {
        done(py, || self.0.rows(rows, stream(on))).map(|rows| CudaRows(Mutex::new(rows)))
    }

    fn apply_bitmask(
        &self,
        py: Python<'_>,
        bits: Bits,
        tokens: u32,
        given: Logits,
        on: usize,
    ) -> PyResult<()> {
        let bitmask = bitmask(bits);
        let logits = logits(given)?;
        done(py, || self.0.apply_bitmask(&bitmask, tokens, &logits, stream(on)))
    }

    fn synchronize(&self, py: Python<'_>, on: usize) -> PyResult<()> {
        done(py, || self.0.synchronize(stream(on)))
    }
}

/// A grammar on a device.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct CudaGrammar(Resident);

#[pymethods]
impl CudaGrammar {
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// Sequences on a device.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct CudaSlots(Mutex<Slots>);

#[pymethods]
impl CudaSlots {
    #[getter]
    fn drafts(&self) -> u32 {
        locked(&self.0).drafts()
    }

    fn __len__(&self) -> usize {
        locked(&self.0).len() as usize
    }

    fn write(
        &self,
        py: Python<'_>,
        slot: u32,
        grammar: &Bound<'_, CudaGrammar>,
        matcher: &Bound<'_, Matcher>,
        on: usize,
    ) -> PyResult<()> {
        let (grammar, matcher) = (grammar.get(), matcher.get());
        done(py, || locked(&self.0).write(slot, &grammar.0, &mut matcher.lock(), stream(on)))
    }

    fn release(&self, py: Python<'_>, slot: u32, on: usize) -> PyResult<()> {
        done(py, || locked(&self.0).release(slot, stream(on)))
    }

    fn apply(&self, py: Python<'_>, given: Logits, on: usize) -> PyResult<()> {
        let logits = logits(given)?;
        done(py, || locked(&self.0).apply(&logits, stream(on)))
    }

    fn fill(&self, py: Python<'_>, bits: Bits, rows: u32, numbers: u64, on: usize) -> PyResult<()> {
        let bitmask = bitmask(bits);
        done(py, || locked(&self.0).fill(&bitmask, rows, pointer(numbers), stream(on)))
    }

    fn advance(
        &self,
        py: Python<'_>,
        given: Tokens,
        slots: u64,
        accepted: u64,
        on: usize,
    ) -> PyResult<()> {
        let tokens = tokens(given, slots);
        done(py, || locked(&self.0).advance(&tokens, pointer(accepted), stream(on)))
    }

    fn draft(
        &self,
        py: Python<'_>,
        given: Tokens,
        slots: u64,
        drafts: u32,
        allowed: u64,
        on: usize,
    ) -> PyResult<()> {
        let tokens = tokens(given, slots);
        done(py, || locked(&self.0).draft(&tokens, drafts, pointer(allowed), stream(on)))
    }

    fn sample(
        &self,
        py: Python<'_>,
        given: Logits,
        by_row: (u64, u64, u64, u64),
        slots: Option<u64>,
        on: usize,
    ) -> PyResult<()> {
        let logits = logits(given)?;
        let (tokens, temperatures, seeds, steps) = by_row;
        let sampling = Sampling {
            tokens: pointer(tokens),
            temperatures: pointer(temperatures),
            seeds: pointer(seeds),
            steps: pointer(steps),
        };
        done(py, || locked(&self.0).sample(&logits, &sampling, slots.map(pointer), stream(on)))
    }

    #[getter]
    fn status(&self) -> u64 {
        locked(&self.0).status().address()
    }

    fn statuses(&self, py: Python<'_>, on: usize) -> PyResult<Vec<(bool, bool, bool)>> {
        let statuses = done(py, || locked(&self.0).statuses(stream(on)))?;
        let three = |status: grammarc_cuda::Status| {
            (status.waits_for_host(), status.is_refused(), status.is_finished())
        };
        Ok(statuses.into_iter().map(three).collect())
    }
}

/// Rows of masks, by number.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct CudaRows(Mutex<RowTable>);

#[pymethods]
impl CudaRows {
    fn begin(&self) {
        locked(&self.0).begin();
    }

    fn number(
        &self,
        py: Python<'_>,
        grammar: &Bound<'_, CudaGrammar>,
        matcher: &Bound<'_, Matcher>,
        on: usize,
    ) -> PyResult<u32> {
        let (grammar, matcher) = (grammar.get(), matcher.get());
        done(py, || locked(&self.0).number(&grammar.0, &mut matcher.lock(), stream(on)))
    }

    fn flush(&self, py: Python<'_>, on: usize) -> PyResult<()> {
        done(py, || locked(&self.0).flush(stream(on)))
    }

    fn apply(&self, py: Python<'_>, given: Logits, on: usize) -> PyResult<()> {
        let logits = logits(given)?;
        done(py, || locked(&self.0).apply(&logits, stream(on)))
    }

    fn fill(&self, py: Python<'_>, bits: Bits, rows: u32, numbers: u64, on: usize) -> PyResult<()> {
        let bitmask = bitmask(bits);
        done(py, || locked(&self.0).fill(&bitmask, rows, pointer(numbers), stream(on)))
    }
}

/// Tables for kernels of the host that write to its own memory.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct CudaTables(HostTables);

#[pymethods]
impl CudaTables {
    #[new]
    fn new(pool_bytes: u64) -> Self {
        Self(HostTables::new(pool_bytes))
    }

    fn upload(&self, py: Python<'_>, matcher: &Bound<'_, Matcher>) -> PyResult<CudaGrammar> {
        let matcher = matcher.get();
        done(py, || self.0.upload(&matcher.lock())).map(CudaGrammar)
    }

    fn usage(&self) -> (u64, u64, u64) {
        let usage = self.0.usage();
        (usage.used, usage.held, usage.most)
    }

    /// Returns the patches since the last call: the index of the first word, and the words.
    fn patches<'py>(&self, py: Python<'py>) -> Vec<(u32, Bound<'py, PyBytes>)> {
        let patches = self.0.patches().into_iter();
        patches.map(|patch| (patch.at, words(py, &patch.words))).collect()
    }

    fn row(
        &self,
        py: Python<'_>,
        grammar: &Bound<'_, CudaGrammar>,
        matcher: &Bound<'_, Matcher>,
    ) -> PyResult<CudaRow> {
        let (grammar, matcher) = (grammar.get(), matcher.get());
        done(py, || self.0.row(&grammar.0, &mut matcher.lock())).map(CudaRow)
    }

    fn position<'py>(
        &self,
        py: Python<'py>,
        grammar: &Bound<'_, CudaGrammar>,
        matcher: &Bound<'_, Matcher>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (grammar, matcher) = (grammar.get(), matcher.get());
        let position = done(py, || self.0.position(&grammar.0, &matcher.lock()))?;
        Ok(words(py, &position))
    }
}

/// A row for kernels of the host, and the tables that only this row uses.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct CudaRow(grammarc_cuda::HostRow);

#[pymethods]
impl CudaRow {
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        words(py, &self.0.words())
    }
}

/// Returns words as bytes, little-endian.
fn words<'py>(py: Python<'py>, words: &[u32]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}
