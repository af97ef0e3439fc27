//! Rows for hosts that advance on the CPU: four bytes for each row and step instead of 16 KB.
//!
//! The masks of positions repeat: most of a batch is within strings, numbers, or between the same two keys. So the
//! device keeps each row under a number, and the host sends numbers. A new row is sent with them, in 64 bytes.

use std::collections::HashMap;

use grammarc_runtime::Matcher;

use crate::device::{Device, DeviceBitmask};
use crate::driver::{DevicePointer, Memory, Stream};
use crate::error::CudaError;
use crate::layout::Row;
use crate::logits::DeviceLogits;
use crate::pool::Words;
use crate::resident::Resident;

/// A row of the table.
#[derive(Debug, Default)]
struct Kept {
    row: Option<Row>,
    /// The step in which the row was last requested.
    used: u64,
    /// The grammar whose parts the row uses. Its tables are not freed while the row exists.
    _resident: Option<Resident>,
    _own: Option<Words>,
}

/// Rows by number, on the device.
#[derive(Debug)]
pub struct RowTable {
    device: Device,
    rows: Memory,
    kept: Vec<Kept>,
    numbers: HashMap<Row, u32>,
    step: u64,
    /// The row at which the next search for a free one begins.
    hand: usize,
    /// Rows that are not yet on the device, by number.
    fresh: Vec<u32>,
}

impl Device {
    /// Creates a table of rows for a host that advances on its own: see [`RowTable`]. 64 bytes a row.
    ///
    /// # Errors
    ///
    /// The device has not as much memory.
    pub fn rows(&self, rows: u32, stream: Stream) -> Result<RowTable, CudaError> {
        RowTable::new(self, rows, stream)
    }
}

impl RowTable {
    fn new(device: &Device, rows: u32, stream: Stream) -> Result<Self, CudaError> {
        let bytes = u64::from(rows) * size_of::<Row>() as u64;
        Ok(Self {
            rows: Memory::new(device.context(), bytes, 0, stream)?,
            kept: (0..rows).map(|_| Kept::default()).collect(),
            numbers: HashMap::new(),
            step: 0,
            hand: 0,
            fresh: Vec::new(),
            device: device.clone(),
        })
    }

    /// Begins a step. Rows that are not requested in it may be reused. Work launched with them must have ended, or be
    /// on the stream of the step's [`flush`](Self::flush).
    pub fn begin(&mut self) {
        self.step += 1;
    }

    /// Returns the number of the row of a matcher's mask, for [`DeviceLogits::numbers`]. O(1), unless the mask is not
    /// a union of a few stored ones.
    ///
    /// # Errors
    /// All rows are in use in this step, the matcher follows another grammar or has other end tokens than the
    /// resident one, or the driver fails.
    pub fn number(
        &mut self,
        resident: &Resident,
        matcher: &mut Matcher,
        stream: Stream,
    ) -> Result<u32, CudaError> {
        let (own, row) = resident.row(matcher, stream)?;
        if let Some(&number) = self.numbers.get(&row) {
            self.kept[number as usize].used = self.step;
            return Ok(number);
        }
        let number = self.free()?;
        let kept =
            Kept { row: Some(row), used: self.step, _resident: Some(resident.clone()), _own: own };
        let before = std::mem::replace(&mut self.kept[number as usize], kept);
        if let Some(row) = before.row {
            self.numbers.remove(&row);
        }
        self.numbers.insert(row, number);
        self.fresh.push(number);
        Ok(number)
    }

    /// Copies the new rows to the device, adjacent ones together. Call it before launching work that uses them.
    ///
    /// # Errors
    ///
    /// The driver fails.
    pub fn flush(&mut self, stream: Stream) -> Result<(), CudaError> {
        self.fresh.sort_unstable();
        self.fresh.dedup();
        for run in self.fresh.chunk_by(|a, b| a + 1 == *b) {
            let rows: Vec<Row> = run.iter().filter_map(|&at| self.kept[at as usize].row).collect();
            let at = self.rows.pointer().offset(u64::from(run[0]) * size_of::<Row>() as u64);
            self.device.context().upload(at, &rows, stream)?;
        }
        self.fresh.clear();
        Ok(())
    }

    /// Writes negative infinity over the logits that are not allowed, and leaves the others unchanged. A row's number
    /// is a result of [`number`](Self::number).
    ///
    /// # Errors
    ///
    /// The driver fails.
    pub fn apply(&self, logits: &DeviceLogits, stream: Stream) -> Result<(), CudaError> {
        self.device.apply(self.rows.pointer(), logits, stream)
    }

    /// Writes masks as rows of a bitmask, for hosts that apply it themselves. `numbers` are by bitmask row.
    ///
    /// # Errors
    ///
    /// The driver fails.
    pub fn fill(
        &self,
        bitmask: &DeviceBitmask,
        rows: u32,
        numbers: DevicePointer,
        stream: Stream,
    ) -> Result<(), CudaError> {
        self.device.fill(self.rows.pointer(), bitmask, rows, numbers, stream)
    }

    /// Finds a row that is free or was not requested in this step, from the end of the last search on.
    fn free(&mut self) -> Result<u32, CudaError> {
        let rows = self.kept.len();
        for _ in 0..rows {
            let at = self.hand;
            self.hand = (at + 1) % rows;
            let kept = &self.kept[at];
            if kept.row.is_none() || kept.used < self.step {
                return Ok(at as u32);
            }
        }
        Err(CudaError::Rows { rows: rows as u32 })
    }
}
