//! `grammarc debug mask`: shows the parse position and the mask after a text.

use clap::Args;
use grammarc::sample::position::Position;
use grammarc_artifacts::GrammarArtifact;
use grammarc_runtime::ending::{spell, units_of};
use grammarc_runtime::{Matcher, MatcherOptions};
use serde::Serialize;

use crate::args::ArtifactArgs;
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::special::SpecialTokens;
use crate::vocabularies;

/// Arguments of `debug mask`.
#[derive(Debug, Args)]
pub(crate) struct MaskArgs {
    #[command(flatten)]
    artifact: ArtifactArgs,

    /// Text before the mask, with special tokens by name or id: `<|end|>`, `<[7]>` [default: none]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    after: String,

    /// Maximum number of allowed tokens to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// The parse position after a text, and the mask there.
#[derive(Debug, Serialize)]
pub(crate) struct MaskText {
    pub(crate) after: String,
    /// The tokens that the text was split into.
    pub(crate) spelled: Vec<TokenText>,
    pub(crate) configurations: Vec<ConfigurationText>,
    /// Number of stored masks whose union is the mask.
    pub(crate) parts: usize,
    pub(crate) may_end: bool,
    /// Number of allowed tokens. End tokens do not count.
    pub(crate) count: usize,
    /// The first allowed tokens, at most as many as `--limit` says.
    pub(crate) tokens: Vec<TokenText>,
}

/// A token: its id and its bytes as text.
#[derive(Debug, Serialize)]
pub(crate) struct TokenText {
    pub(crate) id: u32,
    pub(crate) text: String,
    #[serde(skip)]
    pub(crate) bytes: Vec<u8>,
}

/// One parse of the text so far: a state and its call stack.
#[derive(Debug, Serialize)]
pub(crate) struct ConfigurationText {
    #[serde(flatten)]
    pub(crate) at: StateText,
    /// The states that the pending calls return to, the top of the stack first.
    pub(crate) stack: Vec<StateText>,
}

/// A state of the network, with the name of its rule.
#[derive(Debug, Serialize)]
pub(crate) struct StateText {
    pub(crate) state: u32,
    pub(crate) rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) countdown: Option<u32>,
}

pub(crate) fn run(args: MaskArgs, output: &mut Output) -> Result<u8, Failure> {
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    let artifact = grammar.artifact();
    let options = MatcherOptions::new().end_tokens([]).rollback_window(args.after.len() + 1);
    let mut matcher = Matcher::with_options(&grammar, options)
        .map_err(|error| Problem::Option { option: "--after", problem: error.to_string() })?;
    let Some(spelled) = reach(&mut matcher, args.after.as_bytes()) else {
        return Err(Failure::Found(Problem::Unreachable { text: args.after }));
    };
    let token = |id: u32| {
        let bytes = grammar.vocabulary().token_bytes(id).to_vec();
        TokenText { id, text: String::from_utf8_lossy(&bytes).into_owned(), bytes }
    };
    let position = Position::of(&matcher);
    let configurations = position.configurations.iter().map(|&at| ConfigurationText {
        at: state_text(artifact, at.state, at.count),
        stack: position.stack(at).map(|(ret, count)| state_text(artifact, ret, count)).collect(),
    });
    let configurations = configurations.collect();
    let may_end = matcher.is_accepting();
    let mask = matcher.mask();
    output.answer(&MaskText {
        spelled: spelled.into_iter().map(token).collect(),
        configurations,
        parts: mask.parts(),
        may_end,
        count: mask.len(),
        tokens: mask.iter().take(args.limit).map(token).collect(),
        after: args.after,
    })?;
    Ok(0)
}

/// Accepts tokens that spell the text, and special tokens where they are named. Returns the
/// accepted tokens. `None` if no allowed tokens spell the text.
fn reach(matcher: &mut Matcher, text: &[u8]) -> Option<Vec<u32>> {
    let grammar = matcher.grammar().clone();
    let special = SpecialTokens::new(grammar.vocabulary().artifact());
    let mut tokens = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let Some((len, id)) = special.at(&text[at..]).next() else {
            at += 1;
            continue;
        };
        tokens.extend(spell(matcher, &units_of(&text[from..at]))?);
        from = at;
        if matcher.accept(id).is_ok() {
            tokens.push(id);
            from += len;
        }
        at += len;
    }
    tokens.extend(spell(matcher, &units_of(&text[from..]))?);
    Some(tokens)
}

fn state_text(artifact: &GrammarArtifact, state: u32, count: u32) -> StateText {
    StateText { state, rule: rule_of(artifact, state), countdown: (count > 0).then_some(count) }
}

/// Returns the name of the rule that a state belongs to, or `rule N` if the rule has no name.
fn rule_of(artifact: &GrammarArtifact, state: u32) -> String {
    let joined = artifact.joined();
    let own = state >= joined.own.bases.states;
    let (tables, names) = if own {
        (joined.own, &artifact.meta().rule_names)
    } else {
        (joined.shared, &artifact.vocabulary().meta().rule_names)
    };
    let after = tables.rules.partition_point(|rule| rule.first_state <= state);
    let index = after.saturating_sub(1);
    let number = tables.bases.rules as usize + index;
    names.get(index).cloned().unwrap_or_else(|| format!("rule {number}"))
}
