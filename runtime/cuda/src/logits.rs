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

/// A matrix of logits on the device, `rows` by `columns`. Column c is token c unless it is said otherwise; a column whose token is
/// no token of the vocabulary is not allowed.
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

    /// The distance from one row to the next, in logits. Rows need not be aligned to more than a logit; those that are aligned to
    /// 16 bytes are written faster.
    pub fn stride(mut self, logits: i64) -> Self {
        self.params.stride = logits;
        self
    }

    /// The token of column 0, where the vocabulary is split over devices.
    pub fn first_token(mut self, token: u32) -> Self {
        self.params.first = token;
        self
    }

    /// For each row a number, i32 on the device: of the place or the row that it belongs to, or -1 to leave it as it is. Without
    /// it, row r has number r.
    pub fn numbers(mut self, numbers: DevicePointer) -> Self {
        self.params.map = numbers.address();
        self
    }

    /// For each column its token, i32 on the device, where a model that drafts has a vocabulary of its own; a negative one is not
    /// allowed.
    pub fn column_tokens(mut self, tokens: DevicePointer) -> Self {
        self.params.tokens = tokens.address();
        self
    }
}
