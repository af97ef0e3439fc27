//! The measured texts: valid instances of schemas, in real tokens that every engine accepts.

use std::collections::BTreeMap;
use std::io;

use grammarc_benches::counts::{Count, Counts};
use grammarc_benches::inputs::{self, Case};
use grammarc_benches::ours::Text;
use grammarc_benches::peer::{self, Peer};
use grammarc_runtime::error::AcceptError;
use grammarc_runtime::{Grammar, Matcher};

use crate::Bench;

/// Longest text, in tokens.
const LONGEST: usize = 2_000;

/// A schema that all engines compile, with tokens that all accept.
pub(crate) struct Run {
    /// The schema's name.
    pub(crate) id: String,
    /// Its text.
    pub(crate) schema: String,
    /// The schema compiled.
    pub(crate) grammar: Grammar,
    /// The compact text of one instance.
    pub(crate) text: String,
    /// Its tokens.
    pub(crate) tokens: Vec<u32>,
}

/// One text for each schema of the run that has one, after their masks were held against the expected counts.
pub(crate) fn all(bench: &Bench) -> io::Result<Vec<Run>> {
    let runs: Vec<Run> = bench.cases.iter().filter_map(|case| prepare(bench, case)).collect();
    let count = |run: &Run| Ok((run.id.clone(), Count::of(&run.grammar, &run.tokens)?));
    let found = runs.iter().map(count).collect::<Result<BTreeMap<_, _>, AcceptError>>();
    Counts::expected()?.check(&found.map_err(io::Error::other)?)?;
    Ok(runs)
}

/// Returns the text of a valid instance, if all engines accept it.
fn prepare(bench: &Bench, case: &Case) -> Option<Run> {
    let schema = case.schema.to_string();
    let grammar = bench.ours.grammar(Text::JsonSchema(&schema)).ok()?;
    let peers = [&bench.canonical, &bench.plain];
    let (text, tokens) =
        case.tests.iter().filter(|instance| instance.valid).find_map(|instance| {
            let text = inputs::texts(case, instance).remove(0);
            let tokens = inputs::tokens(&bench.tokenizer, &text);
            let taken = tokens.len() <= LONGEST
                && Matcher::new(&grammar).validate(&tokens) == tokens.len()
                && peers.iter().all(|peer| takes(peer, &schema, &tokens));
            taken.then_some((text, tokens))
        })?;
    Some(Run { id: case.id.clone(), schema, grammar, text, tokens })
}

fn takes(peer: &Peer, schema: &str, tokens: &[u32]) -> bool {
    let Ok(mut matcher) = peer.matcher(peer::Text::JsonSchema(schema)) else { return false };
    tokens.iter().all(|&token| {
        let mask = matcher.compute_mask_or_eos();
        mask.is_ok_and(|mask| mask.is_allowed(token)) && matcher.consume_token(token).is_ok()
    })
}
