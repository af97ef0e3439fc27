//! Rows of logits on the device, as a host describes them.

use crate::driver::DevicePointer;
use crate::layout::LogitsParams;

/// Types of logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Dtype {
    /// 32 bits.
    F32 = 0,
    /// IEEE 754 binary16.
    F16 = 1,
    /// bfloat16.
    Bf16 = 2,
}

impl Dtype {
    /// Bytes of a logit.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

/// A matrix of logits on the device, `rows` by `columns`. Column c is token c unless it is said otherwise; a column
/// whose token is no token of the vocabulary is not allowed.
#[derive(Clone, Copy, Debug)]
pub struct DeviceLogits {
    pub(crate) params: LogitsParams,
}

impl DeviceLogits {
    /// Rows one after the other, at an address that is aligned for the type. `at` has `rows * columns` logits.
    pub fn new(at: DevicePointer, dtype: Dtype, rows: u32, columns: u32) -> Self {
        let stride = i64::from(columns);
        let (at, dtype) = (at.address(), dtype as u32);
        Self {
            params: LogitsParams { at, stride, columns, dtype, first: 0, rows, map: 0, tokens: 0 },
        }
    }

    /// Sets the distance between rows, in logits. Rows need only the alignment of a logit; rows aligned to 16 bytes
    /// are written faster.
    pub fn stride(mut self, logits: i64) -> Self {
        self.params.stride = logits;
        self
    }

    /// Sets the token of column 0, for a vocabulary that is split over devices.
    pub fn first_token(mut self, token: u32) -> Self {
        self.params.first = token;
        self
    }

    /// Sets a number for each row, i32 on the device: its place or row, or -1 to leave it unchanged. Without it, row
    /// r has number r.
    pub fn numbers(mut self, numbers: DevicePointer) -> Self {
        self.params.map = numbers.address();
        self
    }

    /// Sets the token of each column, i32 on the device, for a draft model with a vocabulary of its own. Negative
    /// ones are not allowed.
    pub fn column_tokens(mut self, tokens: DevicePointer) -> Self {
        self.params.tokens = tokens.address();
        self
    }
}
