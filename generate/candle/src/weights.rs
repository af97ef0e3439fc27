//! The tensors of a GGUF file.
//!
//! A tensor stays quantized if candle has vector instructions for its type in this build. Other
//! tensors are converted to 32-bit floats when they are read. This is many times as fast as
//! multiplying their quantized values one by one.

use std::fs::File;

use candle_core::quantized::gguf_file::Content;
use candle_core::quantized::{GgmlDType, QMatMul};
use candle_core::{Device, Module, Result, Tensor};

/// Reads the tensors of an open GGUF file.
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

    /// Reads a tensor and converts it to 32-bit floats.
    pub(crate) fn wide(&mut self, name: &str) -> Result<Tensor> {
        self.content.tensor(self.file, name, self.device)?.dequantize(self.device)
    }

    /// Reads a tensor and converts it to 32-bit floats. `None` if the file lacks the tensor.
    pub(crate) fn optional(&mut self, name: &str) -> Result<Option<Tensor>> {
        if self.has(name) { self.wide(name).map(Some) } else { Ok(None) }
    }

    /// Reads the matrix `<name>.weight` and, if the file has it, the bias `<name>.bias`.
    pub(crate) fn linear(&mut self, name: &str) -> Result<Linear> {
        let weight = self.content.tensor(self.file, &format!("{name}.weight"), self.device)?;
        let weight = match is_fast(weight.dtype()) {
            true => QMatMul::from_qtensor(weight)?,
            false => QMatMul::Tensor(weight.dequantize(self.device)?),
        };
        Ok(Linear { weight, bias: self.optional(&format!("{name}.bias"))? })
    }
}

/// Whether candle has vector instructions for products with this type in this build.
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

/// A linear layer: a weight matrix with an optional bias.
pub(crate) struct Linear {
    weight: QMatMul,
    bias: Option<Tensor>,
}

impl Linear {
    /// Creates a layer without bias from a matrix that also serves as the embedding table.
    pub(crate) fn tied(weight: Tensor) -> Self {
        Self { weight: QMatMul::Tensor(weight), bias: None }
    }

    /// Multiplies rows by the matrix and adds the bias.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let product = self.weight.forward(rows)?;
        match &self.bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }
}
