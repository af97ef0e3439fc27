//! Tensors of a GGUF file.
//!
//! Types for which candle has vector instructions in this build stay quantized. The others are converted to 32 bits
//! when they are read, which is many times as fast as multiplying them one by one.

use std::fs::File;

use candle_core::quantized::gguf_file::Content;
use candle_core::quantized::{GgmlDType, QMatMul};
use candle_core::{Device, Module, Result, Tensor};

/// The tensors of an open file.
pub(crate) struct Weights<'f> {
    content: &'f Content,
    file: &'f mut File,
    device: &'f Device,
}

impl<'f> Weights<'f> {
    pub(crate) fn new(content: &'f Content, file: &'f mut File, device: &'f Device) -> Self {
        Self { content, file, device }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.content.tensor_infos.contains_key(name)
    }

    /// Returns a tensor in 32 bits.
    pub(crate) fn wide(&mut self, name: &str) -> Result<Tensor> {
        self.content.tensor(self.file, name, self.device)?.dequantize(self.device)
    }

    /// Returns a tensor in 32 bits. `None` if the file lacks it.
    pub(crate) fn optional(&mut self, name: &str) -> Result<Option<Tensor>> {
        if self.has(name) { self.wide(name).map(Some) } else { Ok(None) }
    }

    /// Returns a matrix by the name of its layer, with its optional bias.
    pub(crate) fn linear(&mut self, name: &str) -> Result<Linear> {
        let weight = self.content.tensor(self.file, &format!("{name}.weight"), self.device)?;
        let weight = match is_fast(weight.dtype()) {
            true => QMatMul::from_qtensor(weight)?,
            false => QMatMul::Tensor(weight.dequantize(self.device)?),
        };
        Ok(Linear { weight, bias: self.optional(&format!("{name}.bias"))? })
    }
}

/// Whether candle multiplies a type by vector instructions in this build.
fn is_fast(dtype: GgmlDType) -> bool {
    let vectors =
        cfg!(any(target_feature = "avx2", target_feature = "neon", target_feature = "simd128"));
    let known = matches!(
        dtype,
        GgmlDType::Q4_0
            | GgmlDType::Q8_0
            | GgmlDType::Q2K
            | GgmlDType::Q3K
            | GgmlDType::Q4K
            | GgmlDType::Q5K
            | GgmlDType::Q6K
    );
    vectors && known
}

/// A matrix with an optional bias.
pub(crate) struct Linear {
    weight: QMatMul,
    bias: Option<Tensor>,
}

impl Linear {
    /// Returns the product with a matrix that is also a table of embeddings.
    pub(crate) fn tied(weight: Tensor) -> Self {
        Self { weight: QMatMul::Tensor(weight), bias: None }
    }

    /// Multiplies rows.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let product = self.weight.forward(rows)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}
