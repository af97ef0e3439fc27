//! The hyperparameters of a model.

use crate::error::OpenError;
use crate::metadata::Metadata;

/// Architecture names of GGUF files that this crate computes. They differ from Llama only in
/// biases, norms and the order of rotated pairs.
const ARCHITECTURES: [&str; 4] = ["llama", "mistral", "qwen2", "qwen3"];

/// The hyperparameters of a model: its sizes and constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Config {
    pub(crate) layers: usize,
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// Number of heads of keys and values. Each of these heads serves `heads / kv_heads` query
    /// heads.
    pub(crate) kv_heads: usize,
    pub(crate) head_width: usize,
    pub(crate) context: usize,
    pub(crate) norm_epsilon: f32,
    pub(crate) rotation: Rotation,
}

/// The parameters of the rotary position embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rotation {
    /// Base of the rotation frequencies.
    pub(crate) base: f32,
    /// Divisor of the positions: a number above 1 stretches the context (linear scaling).
    pub(crate) stretch: f32,
    /// Number of values of each head that are rotated.
    pub(crate) width: usize,
    /// Whether each value is rotated with its neighbour. If false, each value in the first half of
    /// a head is rotated with its counterpart in the second half.
    pub(crate) neighbours: bool,
}

impl Config {
    pub(crate) fn new(metadata: &Metadata<'_>) -> Result<Self, OpenError> {
        let architecture = metadata.architecture;
        if !ARCHITECTURES.contains(&architecture) {
            let (found, known) = (architecture.to_owned(), ARCHITECTURES.join(", "));
            return Err(OpenError::Architecture { found, known });
        }
        let heads = metadata.size("attention.head_count")?;
        let width = metadata.size("embedding_length")?;
        let kv_heads = metadata.size("attention.head_count_kv").unwrap_or(heads);
        let head_width = metadata.size("attention.key_length").unwrap_or(width / heads.max(1));
        if heads == 0 || kv_heads == 0 || !heads.is_multiple_of(kv_heads) {
            let sizes =
                format!("{heads} heads of queries and {kv_heads} of keys do not go together");
            return Err(OpenError::Size(sizes));
        }
        let stretch = match metadata.word("rope.scaling.type") {
            None | Some("none") => 1.0,
            Some("linear") => metadata.number("rope.scaling.factor").unwrap_or(1.0),
            Some(found) => return Err(OpenError::Stretching { found: found.to_owned() }),
        };
        let rotated = metadata.size("rope.dimension_count").unwrap_or(head_width);
        if rotated != head_width || !rotated.is_multiple_of(2) {
            let sizes =
                format!("{rotated} of {head_width} numbers of a head are rotated; all have to be");
            return Err(OpenError::Size(sizes));
        }
        Ok(Self {
            layers: metadata.size("block_count")?,
            width,
            heads,
            kv_heads,
            head_width,
            context: metadata.size("context_length")?,
            norm_epsilon: metadata.number("attention.layer_norm_rms_epsilon").unwrap_or(1e-5),
            rotation: Rotation {
                base: metadata.number("rope.freq_base").unwrap_or(10_000.0),
                stretch,
                width: rotated,
                neighbours: matches!(architecture, "llama" | "mistral"),
            },
        })
    }
}
