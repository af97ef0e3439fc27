//! `grammarc generate`: what a model writes behind a prompt, under a schema or a grammar.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use grammarc_compiler::frontend::settings::Language;
use grammarc_generate::backend::{Chat, Generation as _, finish};
use grammarc_generate::output::{Collector, Usage};
use grammarc_generate::{
    Event, Forced, GenerateError, GenerateParams, Grammar, JsonModeConfig, LlmBackend, OnLength,
    Prompt,
};
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
    /// Go on with the prompt as it is, without the model's chat template
    #[arg(long, conflicts_with = "system")]
    raw: bool,
    /// A JSON Schema that the output has to meet
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// A grammar that the output has to be a text of; its language is told by the file's name
    #[arg(long, value_name = "FILE", conflicts_with = "schema")]
    grammar: Option<PathBuf>,
    /// Lines of JSON, each an instance of --schema where there is one
    #[arg(long, conflicts_with = "grammar")]
    jsonl: bool,
    /// Most tokens of the output
    #[arg(long, value_name = "N", default_value_t = 512)]
    max_tokens: usize,
    /// Divides the logits; 0 takes the most likely token always
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0)]
    temperature: f32,
    /// The share of probability of the tokens that are drawn from
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0)]
    top_p: f32,
    /// How many of the likeliest tokens are drawn from; 0 is all
    #[arg(long, value_name = "N", default_value_t = 0)]
    top_k: u32,
    /// Equal seeds draw equally
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A text that ends the output; may be given several times
    #[arg(long, value_name = "TEXT")]
    stop: Vec<String>,
    /// Close an output that has no tokens left, so that it is a text of the grammar whatever its length
    #[arg(long)]
    close: bool,
    /// Which certain tokens are taken without asking the model
    #[arg(long, value_enum, default_value_t = Runs::Canonical)]
    forced: Runs,
}

/// Which certain tokens are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Runs {
    /// None
    Off,
    /// Tokens that alone are allowed
    Exact,
    /// Bytes that alone are allowed, as the tokenizer cuts them
    Canonical,
}

/// An output.
#[derive(Debug, Serialize)]
pub(crate) struct Generated {
    pub(crate) text: String,
    pub(crate) value: Option<Value>,
    pub(crate) calls: Vec<Value>,
    pub(crate) finish: &'static str,
    /// The output ended before its text did.
    pub(crate) truncated: bool,
    pub(crate) prompt_tokens: usize,
    pub(crate) completion_tokens: usize,
    pub(crate) forced_tokens: usize,
    pub(crate) model_calls: usize,
    pub(crate) seed: u64,
    pub(crate) warnings: Vec<String>,
}

/// Generates: 0 where the output is whole, 1 where it is cut or not what was asked for.
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
    // An output that was cut is no JSON, and a warning says that it was cut; a whole one has to be right.
    let whole = finish(whole, mode.as_ref().filter(|_| !truncated)).map_err(failed)?;
    let Usage { prompt_tokens, completion_tokens, forced_tokens, model_calls, seed, .. } =
        whole.usage;
    let calls =
        whole.calls.iter().map(|call| json!({"name": call.name, "arguments": call.arguments}));
    output.answer(&Generated {
        calls: calls.collect(),
        text: whole.text,
        value: whole.value,
        finish: whole.finish.reason(),
        truncated,
        prompt_tokens,
        completion_tokens,
        forced_tokens,
        model_calls,
        seed,
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
        seed: args.seed,
        stop: args.stop.clone(),
        on_length: if args.close { OnLength::Close } else { OnLength::Truncate },
        forced: match args.forced {
            Runs::Off => Forced::Off,
            Runs::Exact => Forced::Exact,
            Runs::Canonical => Forced::Canonical,
        },
        ..GenerateParams::default()
    };
    if args.jsonl {
        params.constraint = Some(Grammar::jsonl(schema.as_ref()));
    } else if schema.is_some() {
        params.json_mode = Some(JsonModeConfig { schema, ..JsonModeConfig::default() });
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
