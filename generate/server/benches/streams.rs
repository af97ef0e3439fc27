//! Measures the time from the logits of a token to its bytes at a client: `cargo bench -p
//! grammarc-server --bench streams -- [--vocabulary FILE]`
//!
//! Many clients stream at the same time over loopback sockets, under a grammar. The model writes
//! the number of its batch, with a token for three digits. So a client knows from which batch a
//! frame is, and the model records when the logits of this batch were ready. The latency between
//! the two is everything that this project adds to a token: mask, choice, event, frame and socket.
//! The outputs of all streams are chosen one after the other. The bench also measures without HTTP,
//! at the receiver of the engine's events.
//!
//! Without a vocabulary argument, the vocabulary has bytes and numbers only. A choice from it takes
//! almost no time, so the figure is that of a token that is already chosen. Times are wall times.
//! The clients use the same processor cores.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::vocabulary::{Listed, VocabularyOptions, from_tokens, import};
use grammarc_generate::encode::LongestMatch;
use grammarc_generate::engine::{Choice, EngineOptions};
use grammarc_generate::grammars::Grammars;
use grammarc_generate::local::LocalParts;
use grammarc_generate::model::{Feed, Logits, Model, ModelError, ModelInfo, Seq};
use grammarc_generate::{Event, GenerateParams, Grammar, Local, Prompt};
use grammarc_runtime::Vocabulary;
use grammarc_server::{ServerOptions, router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The regular expression that every stream's output has to match.
const NUMBERS: &str = "[0-9]*";

/// Number of tokens at the start of each output that are not measured, because the prompts of other
/// streams are read then.
const LEFT_OUT: usize = 10;

/// From logits to bytes at a client.
#[derive(Parser)]
struct Args {
    /// A tokenizer that has a token for each number of three digits, such as Llama 3.1's; a small one by default.
    #[arg(long)]
    vocabulary: Option<String>,
    /// Streams at once.
    #[arg(long, default_value_t = 64)]
    streams: usize,
    /// Tokens of each, at most 900.
    #[arg(long, default_value_t = 400)]
    tokens: usize,
    /// Milliseconds that the model takes for a batch.
    #[arg(long, default_value_t = 20)]
    pace: u64,
    /// Temperature of the draws; at 0 none is drawn.
    #[arg(long, default_value_t = 0.0)]
    temperature: f32,
    /// Cargo says so to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

/// For each batch of the model, the time at which its logits were ready.
type Stamps = Arc<Mutex<Vec<Instant>>>;

/// A model that writes the number of its batch.
struct Counting {
    width: usize,
    /// The ids of the tokens for the numbers 000 to 999, in order.
    numbers: Vec<u32>,
    open: Vec<bool>,
    pace: Duration,
    stamps: Stamps,
}

impl Model for Counting {
    fn info(&self) -> ModelInfo {
        let (logit_width, sequences) = (self.width as u32, self.open.len());
        ModelInfo { logit_width, context: 4096, sequences }
    }

    fn open(&mut self) -> Result<Seq, ModelError> {
        let most = self.open.len();
        let free = self.open.iter().position(|is_open| !is_open);
        let free = free.ok_or(ModelError::Sequences { most })?;
        self.open[free] = true;
        Ok(Seq(free as u32))
    }

    fn truncate(&mut self, _: Seq, _: usize) {}

    fn close(&mut self, seq: Seq) {
        self.open[seq.0 as usize] = false;
    }

    fn feed(&mut self, batch: &[Feed<'_>], logits: &mut Logits) -> Result<(), ModelError> {
        thread::sleep(self.pace);
        let mut stamps = self.stamps.lock().expect("no thread panics with it");
        let number = stamps.len() % self.numbers.len();
        let mut row = vec![0.0; self.width];
        row[self.numbers[number] as usize] = 30.0;
        logits.clear(self.width);
        for feed in batch {
            logits.push(&row.repeat(feed.rows.count(feed.tokens.len())));
        }
        stamps.push(Instant::now());
        Ok(())
    }
}

/// Imports the vocabulary that the arguments name. Without one, creates a vocabulary of bytes,
/// numbers and an end token.
fn vocabulary(spec: Option<&str>) -> Vocabulary {
    let table = match spec {
        Some(spec) => import(spec, &VocabularyOptions::new()).expect("it is a tokenizer"),
        None => {
            let bytes = (0..=255_u8).map(|byte| (vec![byte], Listed::Text));
            let numbers = (0..1000).map(|n| (format!("{n:03}").into_bytes(), Listed::Text));
            let end = [(b"<end>".to_vec(), Listed::Special)];
            let options = VocabularyOptions::new().end_tokens([256 + 1000_u32]);
            from_tokens(bytes.chain(numbers).chain(end), &options).expect("it is a vocabulary")
        }
    };
    let shared = prelude_grammar(&TextForm::COMMON);
    let data = build_vocabulary(&table, "streams", &shared, None).expect("it is built");
    let bytes = data.to_bytes().expect("it fits");
    Vocabulary::from(VocabularyArtifact::from_buffer(bytes).expect("it is whole"))
}

/// Creates a backend that runs the counting model.
fn backend(args: &Args, vocabulary: &Vocabulary, stamps: Stamps) -> Local {
    let artifact = vocabulary.artifact();
    let numbers = (0..1000).map(|number| {
        let text = format!("{number:03}");
        let mut tokens = 0..artifact.token_count();
        tokens
            .find(|&token| artifact.token_bytes(token) == text.as_bytes())
            .unwrap_or_else(|| panic!("the tokenizer has no token {text}"))
    });
    let model = Counting {
        width: artifact.logit_width() as usize,
        numbers: numbers.collect(),
        open: vec![false; args.streams],
        pace: Duration::from_millis(args.pace),
        stamps,
    };
    let parts = LocalParts {
        model: Box::new(model),
        grammars: Grammars::new(vocabulary.clone(), None),
        encoder: Arc::new(LongestMatch::new(artifact)),
        template: None,
        begin: Vec::new(),
    };
    let options = EngineOptions { parallel: args.streams, ..EngineOptions::default() };
    Local::start_engine(parts, options).expect("the system gives a thread")
}

/// A text that a client received, with the time of its arrival.
struct Came {
    text: String,
    at: Instant,
}

/// Returns the microseconds from the logits of each token to the arrival of its text. Leaves out
/// the first [`LEFT_OUT`] tokens.
fn delays(came: Vec<Came>, stamps: &[Instant]) -> Vec<f64> {
    let came = came.into_iter().filter(|came| !came.text.is_empty()).skip(LEFT_OUT);
    came.map(|Came { text, at }| {
        let number: usize = text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"));
        at.duration_since(stamps[number]).as_secs_f64() * 1e6
    })
    .collect()
}

/// Generates one output, and reads its events from the engine directly.
fn receive(backend: &Local, args: &Args) -> Vec<Came> {
    let params = GenerateParams {
        max_tokens: args.tokens,
        temperature: args.temperature,
        constraint: Some(Grammar::new(Language::Regex, NUMBERS)),
        ..GenerateParams::default()
    };
    let prompt = backend.tokens(&Prompt::Text("0".to_owned())).expect("it is spelled");
    let grammars = backend.prepare(&prompt, &params, None).expect("it compiles");
    let receiver =
        backend.start_choice(prompt, params, grammars, Choice::default()).expect("there is room");
    let mut came = Vec::new();
    while let Ok(event) = receiver.recv_blocking() {
        let at = Instant::now();
        if let Event::Text(text) = event.expect("nothing fails") {
            came.push(Came { text, at });
        }
    }
    came
}

/// Sends one request, and reads its stream over a socket.
fn request(address: SocketAddr, args: &Args) -> Vec<Came> {
    let body = json!({
        "prompt": "0", "stream": true, "max_tokens": args.tokens, "temperature": args.temperature,
        "structured_outputs": {"regex": NUMBERS},
    })
    .to_string();
    let mut socket = TcpStream::connect(address).expect("the server listens");
    write!(
        socket,
        "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("the server reads");
    let mut reader = BufReader::new(socket);
    let mut line = String::new();
    let mut came = Vec::new();
    while reader.read_line(&mut line).expect("the server writes text") > 0 {
        if let Some(data) = line.trim_end().strip_prefix("data: ") {
            came.push(Came { text: data.to_owned(), at: Instant::now() });
        }
        line.clear();
    }
    for frame in &mut came {
        let frame_json: Value = serde_json::from_str(&frame.text).unwrap_or_default();
        let text = frame_json["choices"][0]["text"].as_str().unwrap_or_default();
        frame.text = text.to_owned();
    }
    came
}

/// Runs one reader for each stream, each on a thread of its own. Returns the delays of all tokens
/// in microseconds.
fn all(args: &Args, stamps: &Stamps, read: impl Fn() -> Vec<Came> + Sync) -> Vec<f64> {
    let came: Vec<Vec<Came>> = thread::scope(|scope| {
        let readers: Vec<_> = (0..args.streams).map(|_| scope.spawn(&read)).collect();
        readers.into_iter().map(|reader| reader.join().expect("it reads")).collect()
    });
    let stamps = stamps.lock().expect("no thread panics with it");
    came.into_iter().flat_map(|came| delays(came, &stamps)).collect()
}

/// Prints percentiles of the delays, which are in microseconds.
fn print(name: &str, mut delays: Vec<f64>) {
    delays.sort_by(f64::total_cmp);
    let at = |share: f64| delays[((delays.len() - 1) as f64 * share).round() as usize];
    println!(
        "{name:<24} {:>7} tokens   p50 {:>6.0}   p90 {:>6.0}   p99 {:>6.0}   p99.9 {:>6.0}   max {:>6.0} µs",
        delays.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

fn main() {
    let args = Args::parse();
    assert!(args.tokens <= 900, "numbers of batches would repeat");
    let vocabulary = vocabulary(args.vocabulary.as_deref());
    let width = vocabulary.artifact().logit_width();
    println!(
        "{} streams of {} tokens, {width} logits, {} ms a batch",
        args.streams, args.tokens, args.pace
    );

    let stamps = Stamps::default();
    let local = backend(&args, &vocabulary, Arc::clone(&stamps));
    print("logits to event", all(&args, &stamps, || receive(&local, &args)));
    let stats = local.stats();
    println!(
        "{:<24} {:>7.2} µs a token",
        "masks and draws",
        stats.decode_nanos as f64 / 1e3 / stats.completion_tokens.max(1) as f64
    );

    let stamps = Stamps::default();
    let local = backend(&args, &vocabulary, Arc::clone(&stamps));
    let runtime = tokio::runtime::Runtime::new().expect("the system gives threads");
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let routes = router(local, ServerOptions::default());
    runtime.spawn(async move { axum::serve(listener, routes).await });
    print("logits to bytes (HTTP)", all(&args, &stamps, || request(address, &args)));
}
