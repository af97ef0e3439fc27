//! A small vocabulary and a model that writes what its prompt wishes, so that the server is tested on machines without a model.
//!
//! A prompt wishes by `⟦…⟧`, the last of them: the model writes what stands in it, as far as the mask lets it, and ends. A
//! wish that ends with `…` is written again and again and never ends. Without a wish, and where a mask has led the output away from
//! it, the logits are noise of the prompt that likes what closes JSON.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::cache::{Cache, CacheOptions};
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{Listed, VocabularyOptions, from_tokens};
use grammarc_generate::Local;
use grammarc_generate::chat::ChatTemplate;
use grammarc_generate::encode::LongestMatch;
use grammarc_generate::engine::EngineOptions;
use grammarc_generate::grammars::{COMPILE_TIME, Grammars};
use grammarc_generate::local::LocalParts;
use grammarc_generate::model::{Feed, Logits, Model, ModelError, ModelInfo, Rows, Seq};
use grammarc_runtime::Vocabulary;
use serde_json::Map;

/// Longer tokens of the vocabulary, beside a token for each byte.
const WORDS: [&str; 24] = [
    "{\"",
    "\":",
    "\",\"",
    "\"}",
    "true",
    "false",
    "name",
    "arguments",
    "Oslo",
    "hello",
    "world",
    " the",
    " a",
    "parameter",
    "function",
    "</",
    "city",
    "日本",
    "é",
    "12",
    "00",
    ", ",
    ": ",
    "\n\n",
];
/// Special tokens behind them.
const SPECIALS: [&str; 8] = [
    "<end>",
    "<turn>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<arg_key>",
    "</arg_key>",
];

const END: u32 = (256 + WORDS.len()) as u32;

/// Length of a row of logits: two ids are padding.
const WIDTH: usize = 256 + WORDS.len() + SPECIALS.len() + 2;

/// Most tokens of a sequence.
pub(crate) const CONTEXT: usize = 4096;

/// The start of the answer of the assistant in the prompts of this template.
const ANSWER: &str = "assistant: ";

const TEMPLATE: &str = "\
{%- if tools %}tools: {{ tools | tojson }}\n{% endif -%}
{%- for m in messages -%}
<turn>{{ m.role }}: {{ m.content }}{% for c in m.tool_calls %} call {{ c.function.name }}({{ c.function.arguments | tojson }}){% endfor %}
{% endfor -%}
<turn>assistant: {% if enable_thinking %}<think>{% endif %}";

/// The vocabulary and its compiler, which all tests share.
fn grammars() -> &'static Grammars {
    static GRAMMARS: LazyLock<Grammars> = LazyLock::new(|| {
        let bytes = (0..=255_u8).map(|byte| (vec![byte], Listed::Text));
        let words = WORDS.map(|word| (word.as_bytes().to_vec(), Listed::Text));
        let specials = SPECIALS.map(|name| (name.as_bytes().to_vec(), Listed::Special));
        let options = VocabularyOptions::new().end_tokens([END]);
        let table =
            from_tokens(bytes.chain(words).chain(specials), &options).expect("a vocabulary");
        let shared = prelude_grammar(&TextForm::COMMON);
        let data = build_vocabulary(&table, "scripted", &shared, None).expect("it is built");
        let artifact = VocabularyArtifact::from_buffer(data.to_bytes().expect("it is small"));
        Grammars::new(Vocabulary::from(artifact.expect("it is whole")), None)
    });
    &GRAMMARS
}

/// A compiler for the vocabulary, with a cache of these options.
pub(crate) fn keeping(cache: CacheOptions) -> Grammars {
    let cache = Cache::open(cache).expect("the folder can be made");
    Grammars::with_cache(grammars().vocabulary().clone(), None, cache, COMPILE_TIME)
}

/// A backend over the model, which takes this long for a batch.
pub(crate) fn backend(options: EngineOptions, pace: Duration) -> Local {
    backend_with(grammars().clone(), options, pace)
}

/// The same with a compiler of its own.
pub(crate) fn backend_with(grammars: Grammars, options: EngineOptions, pace: Duration) -> Local {
    let vocabulary = grammars.vocabulary().clone();
    let encoder = Arc::new(LongestMatch::new(vocabulary.artifact()));
    let template = ChatTemplate::new(TEMPLATE, Map::new()).expect("a template");
    let sequences = vec![None; options.parallel];
    let model = Box::new(Scripted { vocabulary, sequences, pace });
    let parts = LocalParts { model, grammars, encoder, template: Some(template), begin: vec![] };
    Local::start_engine(parts, options).expect("a thread")
}

struct Scripted {
    vocabulary: Vocabulary,
    sequences: Vec<Option<Vec<u32>>>,
    pace: Duration,
}

/// The output that is wished for.
struct Wish<'t> {
    text: &'t [u8],
    is_endless: bool,
    /// The output so far.
    written: &'t [u8],
}

impl<'t> Wish<'t> {
    /// The wish of a sequence, prompt and output together.
    fn of(sequence: &'t [u8]) -> Option<Self> {
        let open = memchr::memmem::rfind(sequence, "⟦".as_bytes())? + "⟦".len();
        let length = memchr::memmem::find(&sequence[open..], "⟧".as_bytes())?;
        let text = &sequence[open..open + length];
        let behind = &sequence[open + length + "⟧".len()..];
        // In a chat the answer begins behind the next turn; a text goes on at once.
        let answer = memchr::memmem::find(behind, ANSWER.as_bytes());
        let mut written = &behind[answer.map_or(0, |at| at + ANSWER.len())..];
        // The prompt may open a reasoning.
        if answer.is_some() && !text.starts_with(b"<think>") {
            written = written.strip_prefix(b"<think>").unwrap_or(written);
        }
        let endless = text.strip_suffix("…".as_bytes());
        Some(Self { text: endless.unwrap_or(text), is_endless: endless.is_some(), written })
    }

    /// The rest of it; none if the output went another way.
    fn rest(&self) -> Option<&'t [u8]> {
        let text = self.text;
        if self.is_endless {
            let rounds = self.written.chunks(text.len().max(1));
            let follows = rounds.clone().all(|round| text.starts_with(round));
            return follows.then(|| &text[self.written.len() % text.len().max(1)..]);
        }
        text.strip_prefix(self.written)
    }
}

impl Scripted {
    fn row(&self, sequence: &[u32]) -> Vec<f32> {
        let spell = |token: usize| match token < WIDTH - 2 {
            true => self.vocabulary.token_bytes(token as u32),
            false => &[],
        };
        let text: Vec<u8> =
            sequence.iter().flat_map(|&token| spell(token as usize)).copied().collect();
        let wish = Wish::of(&text);
        let rest = wish.as_ref().and_then(Wish::rest);
        let mut row: Vec<f32> = (0..WIDTH).map(|token| noise(sequence, token)).collect();
        for (token, closes) in [(b'"', 3.0), (b'}', 4.0), (b']', 4.0)] {
            row[usize::from(token)] += closes;
        }
        row[END as usize] += 6.0;
        let Some(rest) = rest else { return row };
        if rest.is_empty() {
            row[END as usize] += 100.0;
        }
        for (token, logit) in row.iter_mut().enumerate() {
            let bytes = spell(token);
            if !bytes.is_empty() && rest.starts_with(bytes) {
                *logit += 50.0 + bytes.len() as f32;
            }
        }
        row
    }
}

/// A number from 0 to 4 that depends on the tokens so far and this one.
fn noise(sequence: &[u32], token: usize) -> f32 {
    let mut hasher = DefaultHasher::new();
    (sequence, token).hash(&mut hasher);
    (hasher.finish() >> 40) as f32 / (1_u64 << 22) as f32
}

impl Model for Scripted {
    fn info(&self) -> ModelInfo {
        let sequences = self.sequences.len();
        ModelInfo { logit_width: WIDTH as u32, context: CONTEXT, sequences }
    }

    fn open(&mut self) -> Result<Seq, ModelError> {
        let most = self.sequences.len();
        let free = self.sequences.iter().position(Option::is_none);
        let free = free.ok_or(ModelError::Sequences { most })?;
        self.sequences[free] = Some(Vec::new());
        Ok(Seq(free as u32))
    }

    fn truncate(&mut self, seq: Seq, len: usize) {
        self.sequences[seq.0 as usize].as_mut().expect("it is open").truncate(len);
    }

    fn close(&mut self, seq: Seq) {
        self.sequences[seq.0 as usize] = None;
    }

    fn feed(&mut self, batch: &[Feed<'_>], logits: &mut Logits) -> Result<(), ModelError> {
        std::thread::sleep(self.pace);
        // A token that no model has: its request fails, and no other.
        if let Some(token) = batch.iter().flat_map(|feed| feed.tokens).find(|t| **t >= END + 100) {
            return Err(ModelError::Token { token: *token, width: WIDTH as u32 });
        }
        logits.clear(WIDTH);
        for feed in batch {
            let place = feed.seq.0 as usize;
            let mut rows = Vec::new();
            for (at, &token) in feed.tokens.iter().enumerate() {
                self.sequences[place].as_mut().expect("it is open").push(token);
                let is_last = at + 1 == feed.tokens.len();
                if feed.rows == Rows::All || (feed.rows == Rows::Last && is_last) {
                    rows.extend(self.row(self.sequences[place].as_ref().expect("it is open")));
                }
            }
            logits.push(&rows);
        }
        Ok(())
    }
}
