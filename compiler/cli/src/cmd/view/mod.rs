//! `grammarc view`: writes one HTML page that shows the automaton of a grammar artifact.
//!
//! ```text
//! artifact ─► choice ─► data ─► page ─► FILE.html
//!     └─ activations ─► search ─► texts ─┘ └ sizes, tokens
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `choice` | the rules and states that the page has |
//! | `activations`, `search`, `texts` | for each state, a shortest text that leads there |
//! | `sizes` | the bytes of each rule |
//! | `tokens` | the first tokens of a mask |
//! | `data` | the JSON data of the page |
//! | `page` | the page as one text |
//! | `page.html`, `page.css` | the template and its style |
//! | `machine.js` | the automaton, run in the page |
//! | `graph.js` | the drawing of the states around a state |
//! | `page.js` | the rules, the search and the description of a state |
//!
//! Invariant: the same artifact and options give the same bytes. The page makes no request.
//!
//! Tests: `tests/cli/view.rs`; in a browser, `tests/browser/test_view.py`.

mod activations;
mod choice;
mod data;
mod page;
mod search;
mod sizes;
mod texts;
mod tokens;

use std::path::PathBuf;

use clap::Args;
use grammarc_artifacts::{GrammarArtifact, write};
use grammarc_runtime::Grammar;
use serde::Serialize;

use self::choice::Choice;
pub(crate) use self::choice::LeftOut;
use self::texts::Texts;
use crate::args::ArtifactArgs;
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::vocabularies::{self, damaged};

/// Largest length of a page in bytes. Pages of common schemas have a twentieth of it.
const MOST_BYTES: usize = 5_000_000;

/// Limits on the states of a page and on the tokens of one mask. They are tried in order until the
/// page is within [`MOST_BYTES`]. The last pair is used in any case.
const LIMITS: [(u32, usize); 5] = [(5_000, 30), (5_000, 8), (2_000, 8), (800, 8), (200, 4)];

/// Arguments of `view`.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    artifact: ArtifactArgs,

    /// HTML file to write [default: the artifact's name with the extension .html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Rule to show, by name, in place of all; may be given several times
    ///
    /// A page has at most 5,000 states. Of a larger grammar it has those near the start, or those of
    /// the rules that this option names.
    #[arg(long, value_name = "NAME")]
    rule: Vec<String>,
}

/// The page that was written.
#[derive(Debug, Serialize)]
pub(crate) struct ViewFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: usize,
    pub(crate) rules: u32,
    pub(crate) states: u32,
    /// The numbers of rules and states that the page leaves out. `None` if it has every state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_out: Option<LeftOut>,
}

pub(crate) fn run(args: ViewArgs, output: &mut Output) -> Result<u8, Failure> {
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    check_names(grammar.artifact(), &args.rule)?;
    let path = args.output.unwrap_or_else(|| args.artifact.artifact.with_extension("html"));
    let (choice, page) = page_within_limits(&grammar, &args.rule)?;
    write::replace(&path, page.as_bytes()).map_err(|error| damaged(&path, error))?;
    output.answer(&ViewFile {
        path,
        bytes: page.len(),
        rules: choice.rule_count(),
        states: choice.state_count(),
        left_out: choice.left_out(),
    })?;
    Ok(0)
}

/// Returns an error if the grammar has no rule with one of these names.
fn check_names(artifact: &GrammarArtifact, names: &[String]) -> Result<(), Problem> {
    let rules = choice::reachable(&artifact.joined(), artifact.start_rule());
    let known: Vec<String> = rules.iter().map(|&rule| data::name_of(artifact, rule)).collect();
    match names.iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Problem::Option {
            option: "--rule",
            problem: format!("takes the name of a rule, and the grammar has no rule {name:?}"),
        }),
    }
}

/// Returns the page for the first pair of [`LIMITS`] whose page is short enough, or for the last.
fn page_within_limits(grammar: &Grammar, names: &[String]) -> Result<(Choice, String), Failure> {
    let artifact = grammar.artifact();
    let is_wanted = |rule| names.is_empty() || names.contains(&data::name_of(artifact, rule));
    let choice = |most| Choice::new(&artifact.joined(), artifact.start_rule(), most, is_wanted);
    let mut limits = LIMITS.into_iter();
    loop {
        let (most_states, most_tokens) = limits.next().unwrap_or(LIMITS[LIMITS.len() - 1]);
        let choice = choice(most_states);
        let texts = Texts::new(grammar, choice.states());
        let data = data::collect(grammar, &choice, &texts, most_tokens);
        let page = page::page(&artifact.meta().source_name, &data)
            .map_err(|error| Failure::from(std::io::Error::from(error)))?;
        if page.len() <= MOST_BYTES || limits.len() == 0 {
            return Ok((choice, page));
        }
    }
}
