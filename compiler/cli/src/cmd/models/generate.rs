//! `grammarc generate`: generates the output of a model for a prompt, constrained by a schema or a
//! grammar.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use grammarc_compiler::frontend::settings::Language;
use grammarc_generate::backend::{Chat, Generation as _, finish};
use grammarc_generate::output::{Collector, Usage};
use grammarc_generate::{
    EarlyStop, Event, Forced, GenerateError, GenerateParams, Grammar, JsonModeConfig, LlmBackend,
    Logprobs, OnLength, ProbLimit, Prompt, Reasoning,
};
use grammarc_json::EditKind;
use serde::Serialize;
use serde_json::{Value, json};

use super::open::OpenArgs;
use crate::cmd::outputs;
use crate::failure::{Failure, Problem};
use crate::output::Output;

/// Arguments of `generate`.
#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    open: OpenArgs,
    /// The prompt
    prompt: String,
    /// A message before the prompt that says how to answer
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// Continue the prompt as it is, without the model's chat template
    #[arg(long, conflicts_with = "system")]
    raw: bool,
    /// A JSON Schema that the output has to satisfy
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// A grammar that the output has to match; its language follows from the file's extension
    #[arg(long, value_name = "FILE", conflicts_with = "schema")]
    grammar: Option<PathBuf>,
    /// Generate lines of JSON, each an instance of --schema if it is given
    #[arg(long, conflicts_with = "grammar")]
    jsonl: bool,
    /// Maximum number of tokens of the output
    #[arg(long, value_name = "N", default_value_t = 512)]
    max_tokens: usize,
    /// Divides the logits; 0 always takes the most likely token
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    temperature: f32,
    /// Draw from the likeliest tokens whose probabilities sum to this number; 1 keeps all
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
    top_p: f32,
    /// Draw only from this number of likeliest tokens; 0 keeps all
    #[arg(long, value_name = "N", default_value_t = 0)]
    top_k: u32,
    /// Do not draw tokens whose probability is below this fraction of the highest one
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    min_p: f32,
    /// Seed of the draws; equal seeds give equal outputs
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A text that ends the output; may be given several times
    #[arg(long, value_name = "TEXT")]
    stop: Vec<String>,
    /// Close an output that reaches --max-tokens, so that it always matches the grammar
    #[arg(long)]
    close: bool,
    /// Reject keys that --schema does not declare, in objects with `properties` and without
    /// `additionalProperties`
    #[arg(long, requires = "schema")]
    closed: bool,
    /// Repair an output that is not JSON, such as a truncated one
    #[arg(long, conflicts_with_all = ["grammar", "jsonl"])]
    repair: bool,
    /// End the output when all tokens that the grammar allows together have less than this
    /// probability
    #[arg(long, value_name = "NUMBER")]
    prob_limit: Option<f32>,
    /// Number of consecutive tokens that have to be below --prob-limit
    #[arg(long, value_name = "N", default_value_t = 1, requires = "prob_limit")]
    patience: u32,
    /// When to stop an output that already matches its grammar
    #[arg(long, value_enum, default_value_t = Early::MustEnd)]
    early_stop: Early,
    /// Let tokens continue past the end of the grammar's text; the excess is removed
    #[arg(long)]
    overshoot: bool,
    /// Also end the output at special tokens and tokens with an empty text, if it may end there
    #[arg(long)]
    empty_tokens_end: bool,
    /// Let the model reason before the output, between these tags, such as <think> </think>
    #[arg(long, num_args = 2, value_names = ["OPEN", "CLOSE"])]
    reasoning: Option<Vec<String>>,
    /// Maximum number of tokens of the reasoning
    #[arg(long, value_name = "N", requires = "reasoning")]
    reasoning_max_tokens: Option<usize>,
    /// Print the probability of each token, and of all tokens together that the grammar allowed
    #[arg(long)]
    probabilities: bool,
    /// Which tokens that the grammar forces are added without a call of the model
    #[arg(long, value_enum, default_value_t = Runs::Canonical)]
    forced: Runs,
}

/// Which forced tokens are taken without a call of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Runs {
    /// No tokens
    Off,
    /// Tokens that are the only allowed one
    Exact,
    /// Bytes that are the only allowed ones, in the tokenizer's encoding
    Canonical,
    /// No tokens; the model verifies several forced ones with one call
    Draft,
}

/// When to stop an output that already matches its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Early {
    /// When nothing else can follow, or the model ends the output
    MustEnd,
    /// As soon as the output matches
    First,
    /// At the first token that the grammar rejects
    Longest,
}

/// A token of an output, with its probability.
#[derive(Debug, Serialize)]
pub(crate) struct TokenChance {
    pub(crate) token: String,
    pub(crate) probability: f32,
    /// Total probability of all tokens that the grammar allowed at this position. `None` if no
    /// grammar applied.
    pub(crate) mass: Option<f32>,
    pub(crate) forced: bool,
}

/// The result of one generation.
#[derive(Debug, Serialize)]
pub(crate) struct Generated {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) value: Option<Value>,
    pub(crate) calls: Vec<Value>,
    /// `stop`, `length`, `deadline`, or `unlikely` if --prob-limit ended the output.
    pub(crate) finish: &'static str,
    /// Whether the output ended before its text was complete.
    pub(crate) truncated: bool,
    pub(crate) prompt_tokens: usize,
    pub(crate) completion_tokens: usize,
    pub(crate) forced_tokens: usize,
    pub(crate) model_calls: usize,
    pub(crate) seed: u64,
    /// The tokens with their probabilities. Empty unless probabilities were requested.
    pub(crate) tokens: Vec<TokenChance>,
    /// Whether the output was repaired, so that `text` is not what the model wrote.
    pub(crate) repaired: bool,
    pub(crate) warnings: Vec<String>,
}

/// Generates an output. Returns exit code 0 if the output is complete, and 1 if it is truncated or
/// not as requested.
pub(crate) fn run(args: GenerateArgs, output: &mut Output) -> Result<u8, Failure> {
    let params = params(&args)?;
    let mode = params.json_mode.clone();
    let backend = args.open.open(1)?;
    let prompt = if args.raw {
        Prompt::Text(args.prompt)
    } else {
        let user = json!({"role": "user", "content": args.prompt});
        let system = args.system.map(|system| json!({"role": "system", "content": system}));
        Prompt::Chat(Chat {
            messages: system.into_iter().chain([user]).collect(),
            ..Chat::default()
        })
    };
    let mut generation = backend.start(prompt, params).map_err(failed)?;
    let mut collector = Collector::default();
    while let Some(event) = generation.next().map_err(failed)? {
        if let (Event::Text(text), true) = (&event, output.is_for_people()) {
            output.raw(|out| out.write_all(text.as_bytes()))?;
        }
        collector.push(event);
    }
    let whole = collector.finish().ok_or(GenerateError::Closed).map_err(failed)?;
    let truncated = whole.finish.is_cut();
    // A truncated output is not JSON unless it is repaired, and the answer says so. A complete one must be valid.
    let mode = mode.as_ref().filter(|mode| mode.repair || !truncated);
    let whole = finish(whole, mode).map_err(failed)?;
    let vocabulary = backend.vocabulary();
    let tokens = whole.logprobs.iter().map(|logprob| TokenChance {
        token: String::from_utf8_lossy(vocabulary.token_bytes(logprob.token)).into_owned(),
        probability: logprob.logprob.exp(),
        mass: logprob.mass,
        forced: logprob.forced,
    });
    let tokens = tokens.collect();
    let finish = whole.finish.detail().unwrap_or_else(|| whole.finish.reason());
    let Usage { prompt_tokens, completion_tokens, forced_tokens, model_calls, seed, .. } =
        whole.usage;
    let calls =
        whole.calls.iter().map(|call| json!({"name": call.name, "arguments": call.arguments}));
    output.answer(&Generated {
        calls: calls.collect(),
        text: whole.text,
        reasoning: whole.reasoning,
        value: whole.value,
        finish,
        truncated,
        prompt_tokens,
        completion_tokens,
        forced_tokens,
        model_calls,
        seed,
        tokens,
        repaired: whole.edits.iter().any(|edit| edit.kind != EditKind::Outside),
        warnings: whole.warnings,
    })?;
    Ok(u8::from(truncated))
}

fn params(args: &GenerateArgs) -> Result<GenerateParams, Failure> {
    let schema = outputs::schema(args.schema.as_deref())?;
    let mut params = GenerateParams {
        max_tokens: args.max_tokens,
        temperature: args.temperature,
        top_p: args.top_p,
        top_k: args.top_k,
        min_p: args.min_p,
        prob_limit: args.prob_limit.map(|below| ProbLimit { below, patience: args.patience }),
        early_stop: match args.early_stop {
            Early::MustEnd => EarlyStop::MustEnd,
            Early::First => EarlyStop::First,
            Early::Longest => EarlyStop::Longest,
        },
        overshoot: args.overshoot,
        empty_tokens_end: args.empty_tokens_end,
        reasoning: args.reasoning.clone().and_then(|tags| tags.try_into().ok()).map(
            |[open, close]: [String; 2]| {
                let max_tokens = args.reasoning_max_tokens;
                Reasoning { open, close, max_tokens, ..Reasoning::default() }
            },
        ),
        logprobs: args.probabilities.then(Logprobs::default),
        seed: args.seed,
        stop: args.stop.clone(),
        on_length: if args.close { OnLength::Close } else { OnLength::Truncate },
        forced: match args.forced {
            Runs::Off => Forced::Off,
            Runs::Exact => Forced::Exact,
            Runs::Canonical => Forced::Canonical,
            Runs::Draft => Forced::Draft,
        },
        ..GenerateParams::default()
    };
    if args.jsonl {
        let lines = Grammar::jsonl(schema.as_ref());
        let closed = args.closed.then(|| ("closed".to_owned(), Value::Bool(true)));
        params.constraint = Some(lines.with_options(closed));
    } else if schema.is_some() || args.repair {
        let (repair, closed) = (args.repair, args.closed);
        let mode = JsonModeConfig { schema, repair, closed, ..JsonModeConfig::default() };
        params.json_mode = Some(mode);
    } else if let Some(path) = &args.grammar {
        let name = path.to_string_lossy();
        let language = Language::of_file_name(&name).ok_or_else(|| {
            let help = Language::instead_of_file(&name);
            Problem::Kind { name: name.clone().into_owned(), help }
        })?;
        params.constraint = Some(Grammar::new(language, outputs::text(path)?));
    }
    Ok(params)
}

fn failed(error: GenerateError) -> Failure {
    let problem = error.to_string();
    match error {
        GenerateError::Json(_) => Failure::Found(Problem::Option { option: "the output", problem }),
        GenerateError::Grammar(_) => {
            Failure::Found(Problem::Option { option: "the grammar", problem })
        }
        _ => Failure::Tool(Problem::Option { option: "generate", problem }),
    }
}
