//! One transformer layer: attention and the feed-forward part, for all tokens of a batch.
//!
//! Products with weight matrices are computed for the tokens of all sequences at once. Attention is
//! computed for each sequence alone.

use candle_core::{D, DType, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};

use crate::cache::LayerCache;
use crate::config::Config;
use crate::rotation::Turned;
use crate::weights::{Linear, Weights};

/// The weights of a layer.
pub(crate) struct Layer {
    attention_norm: Tensor,
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    /// Norms of the query and the key of each head. `None` if the architecture has no such norms.
    query_norm: Option<Tensor>,
    key_norm: Option<Tensor>,
    feed_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// The part of a batch that belongs to one sequence.
pub(crate) struct Part<'c> {
    /// Index of the sequence's first token in the batch.
    pub(crate) start: usize,
    pub(crate) tokens: usize,
    /// Number of the sequence's tokens that are already in the cache.
    pub(crate) len: usize,
    pub(crate) cache: &'c mut LayerCache,
}

impl Layer {
    pub(crate) fn new(weights: &mut Weights<'_>, layer: usize) -> Result<Self> {
        let name = |part: &str| format!("blk.{layer}.{part}");
        Ok(Self {
            attention_norm: weights.wide(&name("attn_norm.weight"))?,
            query: weights.linear(&name("attn_q"))?,
            key: weights.linear(&name("attn_k"))?,
            value: weights.linear(&name("attn_v"))?,
            output: weights.linear(&name("attn_output"))?,
            query_norm: weights.optional(&name("attn_q_norm.weight"))?,
            key_norm: weights.optional(&name("attn_k_norm.weight"))?,
            feed_norm: weights.wide(&name("ffn_norm.weight"))?,
            gate: weights.linear(&name("ffn_gate"))?,
            up: weights.linear(&name("ffn_up"))?,
            down: weights.linear(&name("ffn_down"))?,
        })
    }

    /// Computes the layer. Takes and returns the hidden states of a batch's tokens, `[tokens,
    /// width]`.
    pub(crate) fn forward(
        &self,
        config: &Config,
        states: &Tensor,
        turned: &Turned,
        parts: &mut [Part<'_>],
    ) -> Result<Tensor> {
        let normed = rms_norm(states, &self.attention_norm, config.norm_epsilon)?;
        let attended = self.attend(config, &normed, turned, parts)?;
        let states = (states + self.output.forward(&attended)?)?;
        let normed = rms_norm(&states, &self.feed_norm, config.norm_epsilon)?;
        let gated = (silu(&self.gate.forward(&normed)?)? * self.up.forward(&normed)?)?;
        states + self.down.forward(&gated)?
    }

    fn attend(
        &self,
        config: &Config,
        normed: &Tensor,
        turned: &Turned,
        parts: &mut [Part<'_>],
    ) -> Result<Tensor> {
        let heads = |rows: Tensor, count: usize, norm: Option<&Tensor>| {
            let split = rows.reshape((rows.dim(0)?, count, config.head_width))?;
            let split = match norm {
                Some(norm) => rms_norm(&split.contiguous()?, norm, config.norm_epsilon)?,
                None => split,
            };
            split.transpose(0, 1)?.contiguous()
        };
        let query = heads(self.query.forward(normed)?, config.heads, self.query_norm.as_ref())?;
        let key = heads(self.key.forward(normed)?, config.kv_heads, self.key_norm.as_ref())?;
        let value = heads(self.value.forward(normed)?, config.kv_heads, None)?;
        let (query, key) = (turned.turn(&query)?, turned.turn(&key)?);
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            let of = |tensor: &Tensor| tensor.narrow(1, part.start, part.tokens)?.contiguous();
            let (keys, values) = part.cache.write(part.len, &of(&key)?, &of(&value)?)?;
            all.push(attention(config, &of(&query)?, &keys, &values, part.len)?);
        }
        Tensor::cat(&all, 0)
    }
}

/// Computes the attention of one sequence. Takes the queries `[heads, tokens, width]` of the new
/// tokens, and the keys and values of all tokens. Returns `[tokens, heads * width]`.
fn attention(
    config: &Config,
    query: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    len: usize,
) -> Result<Tensor> {
    let (heads, tokens, width) = query.dims3()?;
    let all = keys.dim(1)?;
    let shared = heads / config.kv_heads;
    // Query heads that share a key head become rows of one matrix.
    let rows = query.reshape((config.kv_heads, shared * tokens, width))?;
    let scores = (rows.matmul(&keys.transpose(1, 2)?)? * (1.0 / (width as f64).sqrt()))?;
    let scores = if tokens > 1 {
        let scores = scores.reshape((config.kv_heads, shared, tokens, all))?;
        let hidden = scores.broadcast_add(&causal(tokens, all, len, query)?)?;
        hidden.reshape((config.kv_heads, shared * tokens, all))?
    } else {
        scores
    };
    let attended = softmax_last_dim(&scores)?.matmul(&values.contiguous()?)?;
    attended.reshape((heads, tokens, width))?.transpose(0, 1)?.contiguous()?.flatten_from(D::Minus2)
}

/// Returns the causal mask that is added to attention scores: `[tokens, all]`. The entry is
/// negative infinity if the key's token comes after the query's token, and otherwise 0. `len` is
/// the number of tokens before the new ones.
fn causal(tokens: usize, all: usize, len: usize, like: &Tensor) -> Result<Tensor> {
    let hidden = (0..tokens).flat_map(|row| {
        (0..all).map(move |column| if column > len + row { f32::NEG_INFINITY } else { 0.0 })
    });
    Tensor::from_iter(hidden, like.device())?.reshape((tokens, all))?.to_dtype(DType::F32)
}
