//! Models of the Llama architecture and similar ones, with many sequences in one batch.

use std::fs::File;
use std::path::Path;

use candle_core::quantized::gguf_file::Content;
use candle_core::{Device, Result, Tensor};
use candle_nn::ops::rms_norm;
use grammarc_generate::model::{Feed, Logits, Model, ModelError, ModelInfo, Rows, Seq};

use crate::cache::LayerCache;
use crate::config::Config;
use crate::error::OpenError;
use crate::layer::{Layer, Part};
use crate::metadata::Metadata;
use crate::rotation::Rotations;
use crate::weights::{Linear, Weights};

/// A model that runs on the CPU.
pub struct Llama {
    config: Config,
    embeddings: Tensor,
    layers: Vec<Layer>,
    norm: Tensor,
    head: Linear,
    rotations: Rotations,
    device: Device,
    logit_width: u32,
    context: usize,
    sequences: Vec<Option<Sequence>>,
}

/// The state of one sequence: its length in tokens, and the keys and values for each layer.
struct Sequence {
    len: usize,
    caches: Vec<LayerCache>,
}

impl Llama {
    /// Reads a model from an open file. `context` limits the tokens of a sequence below the model's
    /// own maximum. `sequences` is the maximum number of open sequences.
    ///
    /// # Errors
    ///
    /// The file lacks a value or a tensor, or the model has an unsupported architecture.
    pub fn read(
        content: &Content,
        file: &mut File,
        context: Option<usize>,
        sequences: usize,
    ) -> std::result::Result<Self, OpenError> {
        let device = Device::Cpu;
        let metadata = Metadata::new(content)?;
        let config = Config::new(&metadata)?;
        let context = context.map_or(config.context, |most| most.min(config.context));
        let mut weights = Weights::new(content, file, &device);
        let embeddings = weights.wide("token_embd.weight")?;
        let head = match weights.has("output.weight") {
            true => weights.linear("output")?,
            false => Linear::tied(embeddings.clone()),
        };
        let layers = (0..config.layers).map(|layer| Layer::new(&mut weights, layer));
        let layers = layers.collect::<Result<Vec<_>>>()?;
        let norm = weights.wide("output_norm.weight")?;
        let factors = weights.optional("rope_freqs.weight")?;
        let rotations = Rotations::new(&config.rotation, factors.as_ref(), context, &device)?;
        let (rows, width) = embeddings.dims2()?;
        if width != config.width {
            let sizes =
                format!("embeddings of {width} numbers do not fit a width of {}", config.width);
            return Err(OpenError::Size(sizes));
        }
        let logit_width = rows as u32;
        let sequences = (0..sequences.max(1)).map(|_| None).collect();
        Ok(Self {
            config,
            embeddings,
            layers,
            norm,
            head,
            rotations,
            device,
            logit_width,
            context,
            sequences,
        })
    }

    /// Reads a model from the file `path`. `context` and `sequences` are limits as in
    /// [`Llama::read`].
    ///
    /// # Errors
    ///
    /// The errors of [`Llama::read`], and a file that cannot be read.
    pub fn open(
        path: &Path,
        context: Option<usize>,
        sequences: usize,
    ) -> std::result::Result<Self, OpenError> {
        let read = |source| OpenError::Read { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(read)?;
        let content = Content::read(&mut file)?;
        Self::read(&content, &mut file, context, sequences)
    }

    /// Checks that the tokens of a feed exist and that the sequence does not exceed the context.
    fn check(&self, feed: &Feed<'_>) -> std::result::Result<(), ModelError> {
        let width = self.logit_width;
        if let Some(&token) = feed.tokens.iter().find(|token| **token >= width) {
            return Err(ModelError::Token { token, width });
        }
        let asked = self.len(feed.seq) + feed.tokens.len();
        let context = self.context;
        if asked > context { Err(ModelError::Context { asked, context }) } else { Ok(()) }
    }

    fn len(&self, seq: Seq) -> usize {
        self.sequences[seq.0 as usize].as_ref().map_or(0, |sequence| sequence.len)
    }

    /// Computes the requested logits of a batch. Writes keys and values to the caches; the caller
    /// updates the lengths of the sequences.
    fn forward(&mut self, batch: &[Feed<'_>], logits: &mut Logits) -> Result<()> {
        let tokens: Vec<u32> = batch.iter().flat_map(|feed| feed.tokens).copied().collect();
        let positions = batch.iter().flat_map(|feed| {
            let len = self.len(feed.seq);
            (len..len + feed.tokens.len()).map(|position| position as u32)
        });
        let positions: Vec<u32> = positions.collect();
        let count = tokens.len();
        let tokens = Tensor::from_vec(tokens, count, &self.device)?;
        let positions = Tensor::from_vec(positions, count, &self.device)?;
        let turned = self.rotations.at(&positions)?;
        let mut states = self.embeddings.index_select(&tokens, 0)?;
        for (at, layer) in self.layers.iter().enumerate() {
            let mut parts = parts(&mut self.sequences, batch, at);
            states = layer.forward(&self.config, &states, &turned, &mut parts)?;
        }
        let wanted: Vec<u32> = wanted(batch).collect();
        logits.clear(self.logit_width as usize);
        let rows = if wanted.is_empty() {
            Vec::new()
        } else {
            let count = wanted.len();
            let wanted = Tensor::from_vec(wanted, count, &self.device)?;
            let states = states.index_select(&wanted, 0)?;
            let normed = rms_norm(&states, &self.norm, self.config.norm_epsilon)?;
            self.head.forward(&normed)?.flatten_all()?.to_vec1::<f32>()?
        };
        let mut rest = &rows[..];
        for feed in batch {
            let length = feed.rows.count(feed.tokens.len()) * self.logit_width as usize;
            let (own, behind) = rest.split_at(length);
            logits.push(own);
            rest = behind;
        }
        Ok(())
    }
}

/// Returns the part of each feed of a batch, in the batch's order, with the sequence's cache for
/// `layer`.
fn parts<'s>(
    sequences: &'s mut [Option<Sequence>],
    batch: &[Feed<'_>],
    layer: usize,
) -> Vec<Part<'s>> {
    let mut start = 0;
    let places = batch.iter().map(|feed| {
        let place = (start, feed.tokens.len());
        start += feed.tokens.len();
        place
    });
    let mut places: Vec<(Seq, (usize, usize))> =
        batch.iter().map(|feed| feed.seq).zip(places).collect();
    places.sort_by_key(|(seq, _)| *seq);
    let mut parts = Vec::with_capacity(batch.len());
    let mut wanted = places.into_iter().peekable();
    for (number, sequence) in (0..).zip(sequences) {
        let Some((_, (start, tokens))) = wanted.next_if(|(seq, _)| seq.0 == number) else {
            continue;
        };
        if let Some(Sequence { len, caches }) = sequence {
            parts.push(Part { start, tokens, len: *len, cache: &mut caches[layer] });
        }
    }
    parts.sort_by_key(|part| part.start);
    parts
}

/// Returns the indices (within the batch) of the tokens after which logits are requested.
fn wanted(batch: &[Feed<'_>]) -> impl Iterator<Item = u32> {
    let mut end = 0;
    batch.iter().flat_map(move |feed| {
        end += feed.tokens.len() as u32;
        let count = match feed.rows {
            Rows::None => 0,
            Rows::Last => 1,
            Rows::All => feed.tokens.len() as u32,
        };
        end - count..end
    })
}

impl Model for Llama {
    fn info(&self) -> ModelInfo {
        let sequences = self.sequences.len();
        ModelInfo { logit_width: self.logit_width, context: self.context, sequences }
    }

    fn open(&mut self) -> std::result::Result<Seq, ModelError> {
        let most = self.sequences.len();
        let free = self.sequences.iter().position(Option::is_none);
        let free = free.ok_or(ModelError::Sequences { most })?;
        let Config { layers, kv_heads, head_width, .. } = self.config;
        let caches = (0..layers).map(|_| LayerCache::new(kv_heads, head_width, &self.device));
        let caches = caches.collect::<Result<Vec<_>>>().map_err(failed)?;
        self.sequences[free] = Some(Sequence { len: 0, caches });
        Ok(Seq(free as u32))
    }

    fn truncate(&mut self, seq: Seq, len: usize) {
        if let Some(Some(sequence)) = self.sequences.get_mut(seq.0 as usize) {
            sequence.len = sequence.len.min(len);
        }
    }

    fn close(&mut self, seq: Seq) {
        if let Some(sequence) = self.sequences.get_mut(seq.0 as usize) {
            *sequence = None;
        }
    }

    fn feed(
        &mut self,
        batch: &[Feed<'_>],
        logits: &mut Logits,
    ) -> std::result::Result<(), ModelError> {
        if batch.is_empty() {
            logits.clear(self.logit_width as usize);
            return Ok(());
        }
        batch.iter().try_for_each(|feed| self.check(feed))?;
        self.forward(batch, logits).map_err(failed)?;
        for feed in batch {
            if let Some(Some(sequence)) = self.sequences.get_mut(feed.seq.0 as usize) {
                sequence.len += feed.tokens.len();
            }
        }
        Ok(())
    }
}

fn failed(error: candle_core::Error) -> ModelError {
    ModelError::Failed(Box::new(error))
}
