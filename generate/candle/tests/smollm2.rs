//! SmolLM2 from its file: logits, batches, JSON of every kind.
//!
//! The file is looked for in `GRAMMARC_MODEL` and where `grammarc model smollm2` puts it. Without it the tests say so and do
//! nothing, but with `GRAMMARC_FULL=1` they fail. `GRAMMARC_GENERATIONS` says how many generations of each kind a schema has, or
//! which, as `100..120`: hundreds take hours, and may be made in parts.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use grammarc_agents::actions::{AgentFormat, AgentTool};
use grammarc_candle::{Llama, OpenOptions, models_folder, open};
use grammarc_generate::backend::Chat;
use grammarc_generate::engine::EngineOptions;
use grammarc_generate::model::{Feed, Logits, Model, Rows};
use grammarc_generate::{
    Finish, Forced, GenerateError, GenerateParams, Grammar, JsonModeConfig, LlmBackend, Local,
    OnLength, Output, Prompt,
};
use grammarc_json::{JsonSchema, JsonlOptions, parse_jsonl};
use serde_json::{Value, json};

/// The seeds of the generations of each kind a schema: `GRAMMARC_GENERATIONS`, 200 in the long form, else `few`.
fn generations(few: u64) -> Range<u64> {
    let Ok(asked) = std::env::var("GRAMMARC_GENERATIONS") else {
        return 0..if full() { 200 } else { few };
    };
    let number = |text: &str| text.parse().expect("GRAMMARC_GENERATIONS is a number or a range");
    match asked.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&asked),
    }
}

/// Sequences in one batch: with more of them a token takes less, since the weights are read once for all.
const SLOTS: usize = 32;

const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

fn full() -> bool {
    std::env::var_os("GRAMMARC_FULL").is_some_and(|value| value == "1")
}

#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn file() -> Option<PathBuf> {
    let named = std::env::var_os("GRAMMARC_MODEL").map(PathBuf::from);
    let kept = models_folder().map(|folder| folder.join(FILE));
    let found = named.or(kept).filter(|path| path.is_file());
    if found.is_none() {
        assert!(!full(), "there is no {FILE}: run `grammarc model smollm2`");
        eprintln!(
            "there is no {FILE}: the tests with a real model are skipped; `grammarc model smollm2` fetches it"
        );
    }
    found
}

/// One backend for all tests.
fn backend() -> Option<&'static Local> {
    static BACKEND: OnceLock<Option<Local>> = OnceLock::new();
    BACKEND
        .get_or_init(|| {
            let options = OpenOptions {
                context: Some(2048),
                sequences: Some(SLOTS),
                ..OpenOptions::default()
            };
            let parts = open(&file()?, &options).expect("the file is whole");
            let options =
                EngineOptions { parallel: SLOTS, waiting: 4096, ..EngineOptions::default() };
            Some(Local::start_engine(parts, options).expect("a thread"))
        })
        .as_ref()
}

fn chat(text: &str) -> Prompt {
    Prompt::Chat(Chat {
        messages: vec![json!({"role": "user", "content": text})],
        ..Chat::default()
    })
}

/// The likeliest tokens with their logits, and the logarithm of the sum.
fn summary(row: &[f32]) -> (Vec<(u32, f32)>, f64) {
    let mut all: Vec<(u32, f32)> = (0..).zip(row.iter().copied()).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = f64::from(all[0].1);
    let sum: f64 = row.iter().map(|&logit| (f64::from(logit) - most).exp()).sum();
    all.truncate(5);
    (all, most + sum.ln())
}

#[test]
fn logits_are_those_of_llama_cpp() {
    let Some(path) = file() else { return };
    let mut model = Llama::open(&path, Some(64), 2).unwrap();
    // By llama-cpp-python 0.3.36 from the same file, whose products are of 8-bit activations: hence the tolerance.
    struct Case {
        tokens: &'static [u32],
        top: [(u32, f32); 5],
        sum: f64,
    }
    let cases = [
        Case {
            tokens: &[504, 3575, 282, 4649, 314],
            top: [(7042, 17.344), (260, 14.804), (4528, 13.208), (1315, 13.149), (5145, 13.121)],
            sum: 17.6085,
        },
        Case {
            tokens: &[39428, 1245, 1799, 476, 4503, 81, 1002, 476, 6862, 1799],
            top: [(476, 20.629), (216, 19.205), (3688, 16.565), (13966, 15.656), (725, 15.082)],
            sum: 20.896,
        },
    ];
    let mut logits = Logits::default();
    for Case { tokens, top, sum } in cases {
        let seq = model.open().unwrap();
        model.feed(&[Feed { seq, tokens, rows: Rows::Last }], &mut logits).unwrap();
        let row = logits.rows(0).next_back().unwrap().to_vec();
        let (_, own_sum) = summary(&row);
        for (token, logit) in top {
            assert!(
                (row[token as usize] - logit).abs() < 0.5,
                "{token}: {} is not {logit}",
                row[token as usize]
            );
        }
        assert!((own_sum - sum).abs() < 0.5, "{own_sum} is not {sum}");
        model.close(seq);
    }
}

#[test]
fn a_batch_in_parts_gives_the_logits_of_each_sequence_alone() {
    let Some(path) = file() else { return };
    let mut model = Llama::open(&path, Some(256), 4).unwrap();
    let texts: [&[u32]; 3] = [
        &[504, 3575, 282, 4649, 314],
        &[39428, 1245, 1799, 476],
        &[4503, 81, 1002, 476, 6862, 1799, 476],
    ];
    let mut logits = Logits::default();
    let alone: Vec<Vec<f32>> = texts
        .iter()
        .map(|tokens| {
            let seq = model.open().unwrap();
            model.feed(&[Feed { seq, tokens, rows: Rows::Last }], &mut logits).unwrap();
            model.close(seq);
            logits.rows(0).next().unwrap().to_vec()
        })
        .collect();
    // Together: the first tokens without rows, some of them wrong and taken back, then the rest with all rows.
    let seqs: Vec<_> = texts.iter().map(|_| model.open().unwrap()).collect();
    let wrong = [[1, 2, 3, 4, 5]; 3];
    let mut first: Vec<Feed<'_>> = seqs
        .iter()
        .zip(&wrong)
        .map(|(&seq, tokens)| Feed { seq, tokens, rows: Rows::None })
        .collect();
    first.reverse();
    model.feed(&first, &mut logits).unwrap();
    for (&seq, tokens) in seqs.iter().zip(texts) {
        model.truncate(seq, 0);
        model.feed(&[Feed { seq, tokens: &tokens[..2], rows: Rows::None }], &mut logits).unwrap();
        assert_eq!(logits.rows(0).count(), 0);
    }
    let rest: Vec<Feed<'_>> = seqs
        .iter()
        .zip(texts)
        .map(|(&seq, tokens)| Feed { seq, tokens: &tokens[2..], rows: Rows::All })
        .collect();
    model.feed(&rest, &mut logits).unwrap();
    for (feed, alone) in alone.iter().enumerate() {
        let rows: Vec<&mut [f32]> = logits.rows(feed).collect();
        assert_eq!(rows.len(), texts[feed].len() - 2);
        let last = rows.last().unwrap();
        let most = last.iter().zip(alone).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(most < 1e-2, "logits differ by {most}");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_moves_nothing() {
    let Some(path) = file() else { return };
    let mut model = Llama::open(&path, Some(4), 1).unwrap();
    let seq = model.open().unwrap();
    assert!(model.open().is_err());
    let mut logits = Logits::default();
    assert!(
        model
            .feed(&[Feed { seq, tokens: &[1, 2, 3, 4, 5], rows: Rows::Last }], &mut logits)
            .is_err()
    );
    assert!(model.feed(&[Feed { seq, tokens: &[60_000], rows: Rows::Last }], &mut logits).is_err());
    model.feed(&[Feed { seq, tokens: &[1, 2, 3, 4], rows: Rows::Last }], &mut logits).unwrap();
}

/// Twenty schemas of the kinds that users have.
fn schemas() -> Vec<Value> {
    let object = |properties: Value| {
        let required: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    let text = json!({"type": "string", "maxLength": 40});
    let integer = json!({"type": "integer", "minimum": 0, "maximum": 1000});
    vec![
        object(json!({"name": text, "age": integer})),
        object(
            json!({"title": text, "tags": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 4}}),
        ),
        object(
            json!({"city": {"enum": ["Paris", "London", "Tokyo"]}, "visited": {"type": "boolean"}}),
        ),
        object(
            json!({"price": {"type": "number", "minimum": 0, "maximum": 10000}, "currency": {"enum": ["EUR", "USD"]}}),
        ),
        object(json!({"date": {"type": "string", "format": "date"}, "note": text})),
        object(
            json!({"id": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}, "ok": {"type": "boolean"}}),
        ),
        object(
            json!({"person": object(json!({"name": text, "email": {"type": "string", "pattern": "^[a-z]{1,10}@[a-z]{1,10}\\.com$"}}))}),
        ),
        object(
            json!({"items": {"type": "array", "minItems": 1, "maxItems": 3, "items": object(json!({"sku": text, "count": integer}))}}),
        ),
        object(
            json!({"kind": {"const": "event"}, "when": {"type": "string", "format": "date-time"}}),
        ),
        json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 99}, "minItems": 2, "maxItems": 5}),
        json!({"anyOf": [object(json!({"cat": text})), object(json!({"dog": text}))]}),
        object(
            json!({"optional": {"type": ["string", "null"], "maxLength": 20}, "level": {"enum": [1, 2, 3]}}),
        ),
        object(
            json!({"matrix": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": integer}}}),
        ),
        object(
            json!({"answer": text, "confidence": {"type": "number", "minimum": 0, "maximum": 1}}),
        ),
        object(
            json!({"ip": {"type": "string", "format": "ipv4"}, "port": {"type": "integer", "minimum": 1, "maximum": 65535}}),
        ),
        object(json!({"color": {"type": "string", "pattern": "^#[0-9a-f]{6}$"}})),
        object(
            json!({"tuple": {"type": "array", "prefixItems": [text, integer], "items": false, "minItems": 2}}),
        ),
        object(
            json!({"map": {"type": "object", "additionalProperties": integer, "maxProperties": 1}}),
        ),
        json!({"enum": ["yes", "no", "maybe"]}),
        object(
            json!({"summary": {"type": "string", "minLength": 5, "maxLength": 80}, "words": integer}),
        ),
    ]
}

fn closing(mode: JsonModeConfig, temperature: f32, max_tokens: usize, seed: u64) -> GenerateParams {
    GenerateParams {
        max_tokens,
        temperature,
        seed: Some(seed),
        on_length: OnLength::Close,
        json_mode: Some(mode),
        ..GenerateParams::default()
    }
}

/// Runs generations side by side, as many as the engine has slots.
fn all(jobs: Vec<(Prompt, GenerateParams)>) -> Vec<Result<Output, GenerateError>> {
    let backend = backend().expect("there is a model");
    let jobs: Vec<_> = jobs.into_iter().map(std::sync::Mutex::new).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done: Vec<_> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(job) = jobs.get(at) else { return done };
                let (prompt, params) = job.lock().unwrap().clone();
                done.push((at, backend.generate_output(prompt, params)));
            }
        };
        let threads: Vec<_> = (0..SLOTS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut done: Vec<_> = done;
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, output)| output).collect()
}

#[test]
#[expect(clippy::print_stderr, reason = "counts are the point")]
fn json_under_every_budget_is_valid() {
    if backend().is_none() {
        return;
    }
    let seeds = generations(1);
    let schemas: Vec<JsonSchema> =
        schemas().into_iter().map(|schema| JsonSchema::from_value(schema).unwrap()).collect();
    let mut jobs = Vec::new();
    for (at, schema) in (0..).zip(&schemas) {
        for seed in seeds.clone() {
            let mode = JsonModeConfig { schema: Some(schema.clone()), ..JsonModeConfig::default() };
            // One is greedy and one is not, of a schema or of two.
            let temperature = if (seed + at) % 2 == 0 { 0.0 } else { 1.0 };
            let max_tokens = 8 + (seed as usize * 37) % 90;
            let prompt = chat(&format!(
                "Write JSON, number {seed}, that follows this schema: {}",
                schema.text()
            ));
            jobs.push((prompt, closing(mode, temperature, max_tokens, seed)));
        }
    }
    let (mut valid, mut closed, mut refused, mut forced, mut tokens) = (0, 0, 0, 0, 0);
    for (at, output) in all(jobs).into_iter().enumerate() {
        match output {
            Ok(output) => {
                let schema = &schemas[at / (seeds.end - seeds.start) as usize];
                let value = output.value.expect("it was validated");
                assert!(schema.is_valid(&value), "{value}");
                assert!(output.usage.completion_tokens <= 98);
                valid += 1;
                closed += u32::from(matches!(output.finish, Finish::Length { closed: true }));
                forced += output.usage.forced_tokens;
                tokens += output.usage.completion_tokens;
            }
            Err(GenerateError::TooFewTokens { least, max_tokens }) => {
                assert!(least > max_tokens);
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    eprintln!(
        "json: {valid} valid, {closed} of them closed, {refused} refused for too few tokens; {forced} of {tokens} tokens forced"
    );
}

#[test]
#[expect(clippy::print_stderr, reason = "counts are the point")]
fn lines_calls_and_actions_under_every_budget_are_valid() {
    if backend().is_none() {
        return;
    }
    let seeds = generations(1);
    let (mut jobs, mut kinds) = (Vec::new(), Vec::new());
    for schema in schemas() {
        let schema = JsonSchema::from_value(schema).unwrap();
        // Arguments are an object.
        let is_object = schema.value().get("type").is_some_and(|kind| kind == "object");
        for seed in seeds.clone() {
            let base = GenerateParams {
                max_tokens: 60 + (seed as usize * 37) % 90,
                temperature: if seed % 2 == 0 { 0.0 } else { 1.0 },
                seed: Some(seed),
                on_length: OnLength::Close,
                ..GenerateParams::default()
            };
            let lines = Grammar::jsonl(Some(&schema));
            let asked = chat("Write some lines of JSON.");
            jobs.push((asked, GenerateParams { constraint: Some(lines), ..base.clone() }));
            kinds.push((Kind::Lines, schema.clone()));
            if !is_object {
                continue;
            }
            let tools = json!({"type": "tools", "style": "qwen_3", "tool_choice": "required", "calls": {"max": 2}, "tools": [
                {"type": "function", "function": {"name": "record", "parameters": schema.value()}}]});
            let tools = Grammar::from_tags(&tools);
            let asked = chat("Call the tool.");
            jobs.push((asked, GenerateParams { constraint: Some(tools), ..base.clone() }));
            kinds.push((Kind::Calls, schema.clone()));
            let mode = agent(&schema).json_mode();
            let asked = chat("Record something, or answer.");
            jobs.push((asked, GenerateParams { json_mode: Some(mode), ..base }));
            kinds.push((Kind::Actions, schema.clone()));
        }
    }
    let (mut lines, mut calls, mut actions, mut refused) = (0, 0, 0, 0);
    for (output, (kind, schema)) in all(jobs).into_iter().zip(kinds) {
        let output = match output {
            Ok(output) => output,
            Err(GenerateError::TooFewTokens { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        match kind {
            Kind::Lines => {
                let read = parse_jsonl(&output.text, Some(&schema), &JsonlOptions::default());
                assert!(read.skipped.is_empty() && !read.truncated, "{:?}", output.text);
                lines += read.items.len();
            }
            Kind::Calls => {
                assert!(!output.calls.is_empty(), "{output:?}");
                for call in &output.calls {
                    let value = grammarc_json::parse(&call.arguments).expect("arguments are JSON");
                    assert!(call.name == "record" && schema.is_valid(&value), "{call:?}");
                    calls += 1;
                }
            }
            Kind::Actions => {
                let action = agent(&schema).parse(&output.text).expect("it is an action");
                assert!(action.action_type == "answer" || schema.is_valid(&action.content));
                actions += 1;
            }
        }
    }
    eprintln!(
        "{lines} lines, {calls} calls and {actions} actions are valid, {refused} refused for too few tokens"
    );
}

/// A kind of output.
#[derive(Clone, Copy)]
enum Kind {
    Lines,
    Calls,
    Actions,
}

/// An agent with one tool, whose arguments a schema describes.
fn agent(schema: &JsonSchema) -> AgentFormat {
    AgentFormat::new(vec![AgentTool::new("record", "Records something", schema.value().clone())])
        .expect("one tool")
}

#[test]
#[expect(clippy::print_stderr, reason = "counts are the point")]
fn runs_as_the_tokenizer_cuts_them_give_the_same_text_and_save_calls() {
    if backend().is_none() {
        return;
    }
    let run = |forced| {
        let jobs = schemas().into_iter().map(|schema| {
            let prompt = chat(&format!("Write JSON that follows this schema: {schema}"));
            let schema = Some(JsonSchema::from_value(schema).unwrap());
            let json_mode = Some(JsonModeConfig { schema, ..JsonModeConfig::default() });
            (
                prompt,
                GenerateParams {
                    max_tokens: 120,
                    temperature: 0.0,
                    forced,
                    json_mode,
                    ..GenerateParams::default()
                },
            )
        });
        let outputs: Vec<Output> = all(jobs.collect()).into_iter().filter_map(Result::ok).collect();
        let calls: usize = outputs.iter().map(|output| output.usage.model_calls).sum();
        (outputs.into_iter().map(|output| output.text).collect::<Vec<_>>(), calls)
    };
    let (off, asked) = run(Forced::Off);
    let (exact, exact_calls) = run(Forced::Exact);
    let (canonical, calls) = run(Forced::Canonical);
    let (drafted, draft_calls) = run(Forced::Draft);
    let same = off.iter().zip(&canonical).filter(|(a, b)| a == b).count();
    let same_exact = off.iter().zip(&exact).filter(|(a, b)| a == b).count();
    let same_drafted = off.iter().zip(&drafted).filter(|(a, b)| a == b).count();
    eprintln!(
        "{same} of {} texts are the same under canonical runs, {same_exact} under exact ones, {same_drafted} with drafts; {asked} calls of the model, {exact_calls} with exact runs, {calls} with canonical ones, {draft_calls} with drafts",
        off.len()
    );
    // Batches round differently, so that a draw between equals may fall otherwise once.
    assert!(same_exact + 1 >= off.len() && calls < exact_calls && exact_calls < asked);
    assert!(same_drafted + 1 >= off.len() && draft_calls < exact_calls);
}
