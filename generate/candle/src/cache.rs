//! The attention keys and values of one sequence in one layer of the model (a KV cache).
//!
//! The capacity doubles as the sequence grows, so short sequences need little memory. Entries after the sequence's
//! length are stale and never read.

use candle_core::{DType, Device, Result, Tensor};

/// Initial capacity of a cache, in tokens. A longer sequence enlarges the cache to the next power
/// of two.
const ROOM: usize = 64;

/// The keys and values of a sequence in one layer. Each tensor has the shape `[heads, room,
/// width]`; `room` is the capacity in tokens.
pub(crate) struct LayerCache {
    keys: Tensor,
    values: Tensor,
    room: usize,
}

impl LayerCache {
    pub(crate) fn new(heads: usize, width: usize, device: &Device) -> Result<Self> {
        let empty = || Tensor::zeros((heads, ROOM, width), DType::F32, device);
        Ok(Self { keys: empty()?, values: empty()?, room: ROOM })
    }

    /// Stores the keys and values of new tokens, each `[heads, tokens, width]`, after the first
    /// `len` tokens of the sequence. Returns the keys and values of all tokens.
    pub(crate) fn write(
        &mut self,
        len: usize,
        keys: &Tensor,
        values: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        let (heads, tokens, width) = keys.dims3()?;
        let all = len + tokens;
        if all > self.room {
            let room = all.next_power_of_two();
            for tensor in [&mut self.keys, &mut self.values] {
                let wider = Tensor::zeros((heads, room, width), DType::F32, tensor.device())?;
                if len > 0 {
                    wider.slice_set(&tensor.narrow(1, 0, len)?.contiguous()?, 1, 0)?;
                }
                *tensor = wider;
            }
            self.room = room;
        }
        self.keys.slice_set(&keys.contiguous()?, 1, len)?;
        self.values.slice_set(&values.contiguous()?, 1, len)?;
        Ok((self.keys.narrow(1, 0, all)?, self.values.narrow(1, 0, all)?))
    }
}
