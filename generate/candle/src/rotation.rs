//! Rotary position embeddings: the sines and cosines for the positions of a batch.

use candle_core::{Device, Result, Tensor};
use candle_nn::rotary_emb::{rope, rope_i};

use crate::config::Rotation;

/// The sines and cosines for all positions of a model. Each of the two tables has `context × width
/// / 2` numbers of 32 bits.
pub(crate) struct Rotations {
    cos: Tensor,
    sin: Tensor,
    neighbours: bool,
}

/// The sines and cosines for the positions in one batch.
pub(crate) struct Turned {
    cos: Tensor,
    sin: Tensor,
    neighbours: bool,
}

impl Rotations {
    /// Computes the tables. `factors`, if the model has them, has one divisor for each frequency.
    pub(crate) fn new(
        rotation: &Rotation,
        factors: Option<&Tensor>,
        context: usize,
        device: &Device,
    ) -> Result<Self> {
        let half = rotation.width / 2;
        let factors = match factors {
            Some(factors) => factors.flatten_all()?.to_vec1::<f32>()?,
            None => Vec::new(),
        };
        let frequency = |pair: usize| {
            let exponent = 2.0 * pair as f64 / rotation.width as f64;
            let plain = f64::from(rotation.base).powf(-exponent) / f64::from(rotation.stretch);
            plain / f64::from(factors.get(pair).copied().unwrap_or(1.0))
        };
        let angles = (0..context).flat_map(|position| (0..half).map(move |pair| (position, pair)));
        let angles: Vec<f64> =
            angles.map(|(position, pair)| position as f64 * frequency(pair)).collect();
        let table = |of: fn(f64) -> f64| {
            let values: Vec<f32> = angles.iter().map(|&angle| of(angle) as f32).collect();
            Tensor::from_vec(values, (context, half), device)
        };
        let (cos, sin) = (table(f64::cos)?, table(f64::sin)?);
        Ok(Self { cos, sin, neighbours: rotation.neighbours })
    }

    /// Returns the sines and cosines for the given positions, in their order.
    pub(crate) fn at(&self, positions: &Tensor) -> Result<Turned> {
        let cos = self.cos.index_select(positions, 0)?;
        let sin = self.sin.index_select(positions, 0)?;
        Ok(Turned { cos, sin, neighbours: self.neighbours })
    }
}

impl Turned {
    /// Rotates the values of heads by their positions. Takes and returns `[heads, tokens, width]`.
    pub(crate) fn turn(&self, heads: &Tensor) -> Result<Tensor> {
        let batch = heads.unsqueeze(0)?.contiguous()?;
        let turned = match self.neighbours {
            true => rope_i(&batch, &self.cos, &self.sin)?,
            false => rope(&batch, &self.cos, &self.sin)?,
        };
        turned.squeeze(0)
    }
}
