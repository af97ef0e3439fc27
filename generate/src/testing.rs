//! A small vocabulary, and a model with pseudo-random logits, for unit tests.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{Listed, VocabularyOptions, from_tokens};
use grammarc_runtime::Vocabulary;

use crate::decoder::{CompiledGrammars, Decoder, Setup, longest_token};
use crate::encode::{Encode, LongestMatch, drafter_of};
use crate::error::GenerateError;
use crate::grammars::Grammars;
use crate::model::{Feed, Logits, Model, ModelError, ModelInfo, Rows, Seq};
use crate::output::{Collector, Event, Output};
use crate::params::GenerateParams;

/// The vocabulary's text tokens of several bytes. They follow one token for each byte.
const WORDS: [&str; 40] = [
    "{\"", "\":", "\",\"", "\"}", "true", "false", "null", "name", "value", "id", "[[", "]]",
    "},{", ", ", ": ", "00", "00,", "12", "27.", ".0", "7.0", "call", "</", "ab", "abc", "é",
    "日本", "\n\n", "think", " the", "na", "me\":", "\":\"", "ue\":", "tru", "e}", "]}", "0,",
    "answer", "ing",
];
/// The vocabulary's special tokens. They follow the text tokens.
const SPECIALS: [&str; 5] = ["<end>", "<think>", "</think>", "<tool_call>", "</tool_call>"];

/// Length of the model's logit rows. The last two ids are padding without a token.
pub(crate) const WIDTH: usize = 256 + WORDS.len() + SPECIALS.len() + 2;

pub(crate) const END: u32 = (256 + WORDS.len()) as u32;

/// Returns the grammar compiler for the small vocabulary.
pub(crate) fn grammars() -> &'static Grammars {
    static GRAMMARS: OnceLock<Grammars> = OnceLock::new();
    GRAMMARS.get_or_init(|| {
        let bytes = (0..=255_u8).map(|byte| (vec![byte], Listed::Text));
        let words = WORDS.map(|word| (word.as_bytes().to_vec(), Listed::Text));
        let specials = SPECIALS.map(|name| (name.as_bytes().to_vec(), Listed::Special));
        let options = VocabularyOptions::new().end_tokens([END]);
        let table =
            from_tokens(bytes.chain(words).chain(specials), &options).expect("a vocabulary");
        let shared = prelude_grammar(&TextForm::COMMON);
        let data = build_vocabulary(&table, "small", &shared, None).expect("it is built");
        let artifact = VocabularyArtifact::from_buffer(data.to_bytes().expect("it is small"));
        Grammars::new(Vocabulary::from(artifact.expect("it is whole")), None)
    })
}

/// Pseudo-random logits that depend on a seed, the last four tokens and the length of the sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    pub(crate) seed: u64,
    /// Number that is added to the logit of the end token.
    pub(crate) end: f32,
}

impl Noise {
    pub(crate) fn row(&self, sequence: &[u32]) -> Vec<f32> {
        let tail = &sequence[sequence.len().saturating_sub(4)..];
        let logit = |token: usize| {
            let mut hasher = DefaultHasher::new();
            (self.seed, tail, sequence.len(), token).hash(&mut hasher);
            let unit = (hasher.finish() >> 40) as f32 / (1_u64 << 24) as f32;
            unit * 8.0 + if token == END as usize { self.end } else { 0.0 }
        };
        (0..WIDTH).map(logit).collect()
    }
}

/// The result of a generation that was run to its end.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) tokens: Vec<u32>,
    pub(crate) events: Vec<Event>,
    pub(crate) output: Output,
}

/// Creates a decoder for the small vocabulary.
pub(crate) fn decoder(
    params: &GenerateParams,
    in_reasoning: bool,
) -> Result<Decoder, GenerateError> {
    let vocabulary = grammars().vocabulary().clone();
    let encoder: Arc<dyn Encode> = Arc::new(LongestMatch::new(vocabulary.artifact()));
    let compiled = CompiledGrammars::compile(params, in_reasoning, grammars(), None)?;
    let setup = Setup {
        longest_token: longest_token(&vocabulary),
        vocabulary,
        logit_width: WIDTH as u32,
        drafter: Some(Arc::new(drafter_of(Arc::clone(&encoder)))),
        encoder: Some(encoder),
        prompt: vec![65, 66],
        in_reasoning,
        choice: 0,
        grammars: compiled,
    };
    Decoder::new(params.clone(), setup)
}

/// Runs a generation to its end. `row` computes the logits after a sequence. Tokens are fed in
/// parts of at most `chunk`.
pub(crate) fn run(
    params: &GenerateParams,
    in_reasoning: bool,
    chunk: usize,
    row: impl Fn(&[u32]) -> Vec<f32>,
) -> Result<Ran, GenerateError> {
    let mut decoder = decoder(params, in_reasoning)?;
    decoder.start()?;
    let mut read = Vec::new();
    let mut events = decoder.events();
    while let Some(feed) = decoder.feed() {
        read.truncate(feed.kept);
        assert_eq!(read.len(), feed.kept, "tokens that were never fed are kept");
        let part = feed.tokens.len().min(chunk);
        let wanted = if part < feed.tokens.len() && feed.rows == Rows::Last {
            Rows::None
        } else {
            feed.rows
        };
        let mut rows = Vec::new();
        for (at, &token) in feed.tokens[..part].iter().enumerate() {
            read.push(token);
            let all = wanted == Rows::All;
            if all || (wanted == Rows::Last && at + 1 == part) {
                rows.push(row(&read));
            }
        }
        decoder.fed(part);
        if wanted != Rows::None {
            decoder.choose(rows.iter_mut().map(Vec::as_mut_slice))?;
        }
        events.extend(decoder.events());
    }
    let mut collector = Collector::default();
    events.iter().cloned().for_each(|event| collector.push(event));
    let output = collector.finish().expect("the events have an end");
    Ok(Ran { tokens: decoder.tokens().to_vec(), events, output })
}

/// A model with pseudo-random logits that checks how it is called.
pub(crate) struct NoiseModel {
    pub(crate) noise: Noise,
    pub(crate) sequences: Vec<Option<Vec<u32>>>,
    /// A batch fails if one of its sequences ends with this token.
    pub(crate) refuses: Option<u32>,
}

impl NoiseModel {
    pub(crate) fn new(noise: Noise, sequences: usize) -> Self {
        Self { noise, sequences: vec![None; sequences], refuses: None }
    }
}

impl Model for NoiseModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { logit_width: WIDTH as u32, context: 4096, sequences: self.sequences.len() }
    }

    fn open(&mut self) -> Result<Seq, ModelError> {
        let most = self.sequences.len();
        let free = self.sequences.iter().position(Option::is_none);
        let free = free.ok_or(ModelError::Sequences { most })?;
        self.sequences[free] = Some(Vec::new());
        Ok(Seq(free as u32))
    }

    fn truncate(&mut self, seq: Seq, len: usize) {
        let sequence = self.sequences[seq.0 as usize].as_mut().expect("it is open");
        assert!(len <= sequence.len());
        sequence.truncate(len);
    }

    fn close(&mut self, seq: Seq) {
        assert!(self.sequences[seq.0 as usize].take().is_some(), "it is open");
    }

    fn feed(&mut self, batch: &[Feed<'_>], logits: &mut Logits) -> Result<(), ModelError> {
        let refused =
            |feed: &Feed<'_>| self.refuses.is_some() && feed.tokens.last().copied() == self.refuses;
        if let Some(feed) = batch.iter().find(|feed| refused(feed)) {
            return Err(ModelError::Token { token: feed.tokens[0], width: 0 });
        }
        logits.clear(WIDTH);
        for feed in batch {
            let sequence = self.sequences[feed.seq.0 as usize].as_mut().expect("it is open");
            let mut rows = Vec::new();
            for (at, &token) in feed.tokens.iter().enumerate() {
                sequence.push(token);
                let wanted = match feed.rows {
                    Rows::None => false,
                    Rows::Last => at + 1 == feed.tokens.len(),
                    Rows::All => true,
                };
                if wanted {
                    rows.extend(self.noise.row(sequence));
                }
            }
            logits.push(&rows);
        }
        Ok(())
    }
}
