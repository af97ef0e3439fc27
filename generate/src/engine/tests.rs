//! Tests of engines with a model of pseudo-random logits.

use std::time::Duration;

use grammarc_json::JsonSchema;
use serde_json::json;

use super::{Choice, Engine, EngineOptions, EngineStats, StreamItem};
use crate::error::GenerateError;
use crate::fair::Client;
use crate::json_mode::JsonModeConfig;
use crate::output::{Collector, Finish, Output};
use crate::params::GenerateParams;
use crate::testing::{Noise, NoiseModel, decoder, run};

const NOISE: Noise = Noise { seed: 7, end: 6.0 };

fn params(seed: u64) -> GenerateParams {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "id": {"type": "integer"}}, "required": ["name"], "additionalProperties": false});
    let schema = Some(JsonSchema::from_value(schema).unwrap());
    let json_mode = Some(JsonModeConfig { schema, ..JsonModeConfig::default() });
    GenerateParams { max_tokens: 300, seed: Some(seed), json_mode, ..GenerateParams::default() }
}

fn engine(options: EngineOptions) -> Engine {
    Engine::start(Box::new(NoiseModel::new(NOISE, 8)), options).unwrap()
}

fn collect(receiver: &async_channel::Receiver<StreamItem>) -> Result<Output, GenerateError> {
    let mut collector = Collector::default();
    while let Ok(item) = receiver.recv_blocking() {
        collector.push(item?);
    }
    collector.finish().ok_or(GenerateError::Closed)
}

/// Waits until the counters satisfy `so`, and returns them. Gives up after a while, because an
/// output is counted only after its last event.
fn counted(engine: &Engine, so: impl Fn(&EngineStats) -> bool) -> EngineStats {
    for _ in 0..2000 {
        if so(&engine.stats()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    engine.stats()
}

#[test]
fn an_output_does_not_depend_on_those_beside_it() {
    let engine = engine(EngineOptions {
        parallel: 5,
        prompt_tokens: 3,
        events: 4,
        ..EngineOptions::default()
    });
    let receivers: Vec<_> = (0..40)
        .map(|seed| {
            engine.submit(decoder(&params(seed), false).unwrap(), Choice::default()).unwrap()
        })
        .collect();
    let outputs = std::thread::scope(|scope| {
        let readers: Vec<_> =
            receivers.iter().map(|receiver| scope.spawn(|| collect(receiver).unwrap())).collect();
        readers.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>()
    });
    for (seed, output) in (0..).zip(outputs) {
        let alone = run(&params(seed), false, 64, |sequence| NOISE.row(sequence)).unwrap().output;
        assert_eq!((output.text, output.finish), (alone.text, alone.finish));
    }
    let stats = counted(&engine, |stats| stats.finished == 40);
    assert_eq!((stats.submitted, stats.finished, stats.failed), (40, 40, 0));
}

#[test]
fn a_reader_that_is_gone_frees_its_slot() {
    let engine = engine(EngineOptions { parallel: 1, events: 1, ..EngineOptions::default() });
    let endless = GenerateParams {
        max_tokens: 4000,
        logit_bias: vec![(crate::testing::END, -100.0)],
        ..GenerateParams::default()
    };
    drop(engine.submit(decoder(&endless, false).unwrap(), Choice::default()).unwrap());
    let output =
        collect(&engine.submit(decoder(&params(1), false).unwrap(), Choice::default()).unwrap())
            .unwrap();
    assert!(!output.text.is_empty());
    assert_eq!(counted(&engine, |stats| stats.cancelled == 1).cancelled, 1);
}

#[test]
fn a_reader_that_is_slow_is_called_off_and_delays_nobody() {
    let options = EngineOptions {
        parallel: 2,
        events: 1,
        slow_reader: Duration::from_millis(50),
        ..EngineOptions::default()
    };
    let engine = engine(options);
    let endless = GenerateParams {
        max_tokens: 4000,
        logit_bias: vec![(crate::testing::END, -100.0)],
        ..GenerateParams::default()
    };
    let slow = engine.submit(decoder(&endless, false).unwrap(), Choice::default()).unwrap();
    collect(&engine.submit(decoder(&params(1), false).unwrap(), Choice::default()).unwrap())
        .unwrap();
    assert_eq!(counted(&engine, |stats| stats.cancelled > 0).cancelled, 1, "it was called off");
    assert!(matches!(collect(&slow), Err(GenerateError::Closed)));
}

#[test]
fn what_the_model_refuses_harms_no_other() {
    let mut model = NoiseModel::new(NOISE, 8);
    model.refuses = Some(66);
    let engine = Engine::start(
        Box::new(model),
        EngineOptions { prompt_tokens: 2, ..EngineOptions::default() },
    )
    .unwrap();
    // Prompts end with the refused token. A prompt whose output begins with a forced run is fed
    // beyond this token.
    let refused = engine
        .submit(
            decoder(&GenerateParams { seed: Some(1), ..GenerateParams::default() }, false).unwrap(),
            Choice::default(),
        )
        .unwrap();
    assert!(matches!(collect(&refused), Err(GenerateError::Model(_))));
    let stats = counted(&engine, |stats| stats.failed == 1);
    assert_eq!((stats.failed, stats.finished), (1, 0));
}

#[test]
fn a_full_queue_and_a_long_output_are_refused() {
    let engine =
        engine(EngineOptions { parallel: 1, waiting: 1, events: 1, ..EngineOptions::default() });
    let long = GenerateParams { max_tokens: 5000, ..GenerateParams::default() };
    let error = engine.submit(decoder(&long, false).unwrap(), Choice::default()).unwrap_err();
    assert!(matches!(error, GenerateError::Context { prompt: 2, max_tokens: 5000, context: 4096 }));
    let endless = GenerateParams {
        max_tokens: 4000,
        logit_bias: vec![(crate::testing::END, -100.0)],
        ..GenerateParams::default()
    };
    let mut held = Vec::new();
    let busy = (0..64).find_map(|_| {
        match engine.submit(decoder(&endless, false).unwrap(), Choice::default()) {
            Ok(receiver) => {
                held.push(receiver);
                None
            }
            Err(error) => Some(error),
        }
    });
    assert!(matches!(busy, Some(GenerateError::Busy { .. })));
}

#[test]
fn an_output_ends_at_its_deadline() {
    let engine = engine(EngineOptions::default());
    let params = GenerateParams {
        deadline: Some(Duration::from_millis(1)),
        max_tokens: 4000,
        logit_bias: vec![(crate::testing::END, -100.0)],
        ..GenerateParams::default()
    };
    let output =
        collect(&engine.submit(decoder(&params, false).unwrap(), Choice::default()).unwrap())
            .unwrap();
    assert_eq!(output.finish, Finish::Deadline);
}

#[test]
fn a_client_that_asks_for_much_does_not_keep_others_waiting() {
    let options = EngineOptions { parallel: 1, waiting: 64, ..EngineOptions::default() };
    let engine = Engine::start(Box::new(NoiseModel::new(NOISE, 1)), options).unwrap();
    let (greedy, modest) = (Client::named(&"greedy"), Client::named(&"modest"));
    let long = GenerateParams {
        max_tokens: 200,
        logit_bias: vec![(crate::testing::END, -100.0)],
        ..GenerateParams::default()
    };
    let mut held = Vec::new();
    let ask = |client, number, params: &GenerateParams| {
        engine.submit(decoder(params, false).unwrap(), Choice { client, number })
    };
    let busy = (0..32).find_map(|number| match ask(greedy, number, &long) {
        Ok(receiver) => {
            held.push(receiver);
            None
        }
        Err(error) => Some(error),
    });
    assert!(matches!(busy, Some(GenerateError::Busy { waiting: 16 })), "{busy:?}");
    // One output of the greedy client is in the slot. The next one is of the other client.
    let output = collect(&ask(modest, 0, &params(1)).unwrap()).unwrap();
    assert!(!output.text.is_empty());
    assert!(engine.stats().finished + engine.stats().cancelled < 4, "{:?}", engine.stats());
}
