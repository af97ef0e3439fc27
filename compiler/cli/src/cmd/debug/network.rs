//! `grammarc debug network`: shows the automaton of every rule, numbered as in the artifact.

use std::path::PathBuf;

use clap::Args;
use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::network::Network;
use serde::Serialize;

use crate::failure::Failure;
use crate::frontend::SourceArgs;
use crate::output::Output;
use crate::vocabularies;

/// Arguments of `debug network`.
#[derive(Debug, Args)]
pub(crate) struct NetworkArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// Vocabulary artifact (.gvocab), whose shared rules are numbered first
    #[arg(long, value_name = "FILE")]
    vocab: PathBuf,
}

/// The rules of the grammar itself, without the shared rules of the vocabulary.
#[derive(Debug, Serialize)]
pub(crate) struct NetworkText {
    rules: Vec<RuleText>,
    /// All rules as readable text, for people.
    #[serde(skip)]
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
struct RuleText {
    id: u32,
    name: String,
    root: bool,
    states: Vec<StateText>,
}

#[derive(Debug, Serialize)]
struct StateText {
    id: u32,
    r#final: bool,
    pop_only: bool,
    absorbing: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts_down_to: Option<u32>,
    bytes: Vec<ByteText>,
    calls: Vec<CallText>,
    tokens: Vec<TokenText>,
}

#[derive(Debug, Serialize)]
struct ByteText {
    lo: u8,
    hi: u8,
    target: u32,
}

#[derive(Debug, Serialize)]
struct CallText {
    callee: u32,
    /// State that the call returns to. `None` for a tail call, which pushes no frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    ret: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    countdown: Option<u32>,
}

#[derive(Debug, Serialize)]
struct TokenText {
    ids: Vec<u32>,
    target: u32,
}

pub(crate) fn run(args: NetworkArgs, output: &mut Output) -> Result<u8, Failure> {
    let budget = Budget::new();
    let (request, options) = (args.source.read()?, CompileOptions::default());
    let compiler = Compiler::new(vocabularies::open(&args.vocab)?);
    let begun = compiler.begin_source(&request.with(&options), &budget);
    let (lowered, begun) = begun
        .map_err(|diagnostics| Failure::Refused { source: request.source.clone(), diagnostics })?;
    output.diagnostics(&lowered.source, &lowered.findings)?;
    output.answer(&network_text(begun.network()))?;
    Ok(0)
}

fn network_text(network: &Network) -> NetworkText {
    let tables = network.tables.as_tables();
    let some = |number: u32| (number != NONE).then_some(number);
    let state = |id: u32| {
        let index = (id - tables.bases.states) as usize;
        let record = &tables.states[index];
        let flag = |bit| record.flags & bit != 0;
        let bytes = tables.byte_edges_of(index).iter();
        let calls = tables.call_edges_of(index).iter();
        let tokens = tables.token_edges_of(index).iter();
        StateText {
            id,
            r#final: flag(state_flags::FINAL),
            pop_only: flag(state_flags::POP_ONLY),
            absorbing: flag(state_flags::ABSORBING),
            counts_down_to: record.exit(),
            bytes: bytes
                .map(|edge| ByteText { lo: edge.lo(), hi: edge.hi(), target: edge.target })
                .collect(),
            calls: calls
                .map(|edge| CallText {
                    callee: edge.callee,
                    ret: some(edge.ret),
                    countdown: (edge.count > 0).then_some(edge.count),
                })
                .collect(),
            tokens: tokens
                .map(|edge| TokenText {
                    ids: network.token_sets[edge.tokens as usize].clone(),
                    target: edge.target,
                })
                .collect(),
        }
    };
    let rules = (tables.bases.rules..).zip(tables.rules.iter().zip(&network.rules));
    let rules = rules.map(|(id, (record, (name, _)))| RuleText {
        id,
        name: name.clone(),
        root: network.roots.contains(&id),
        states: (record.first_state..record.first_state + record.state_count).map(state).collect(),
    });
    NetworkText { rules: rules.collect(), text: network.to_string() }
}
