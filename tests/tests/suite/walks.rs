//! Walks by masks alone never meet a dead end, and what they write is in the language.
//!
//! The sampler of the command line draws them: tokens of the mask, and after a while the shortest completion. Finished
//! texts are judged by the naive recogniser, which reads the grammar's expressions, and where a grammar asks for whole
//! tokens by the oracle; JSON is parsed, and held against its schema with the `jsonschema` crate.
//!
//! By default grammars of the folder are compiled for a small vocabulary and the built-in one, `GRAMMARC_FULL=1` draws
//! more and adds Llama 3.1.

use std::collections::{BTreeMap, HashSet};

use grammarc::sample::{Sample, SampleError, SampleOptions, Sampler};
use grammarc_artifacts::{VocabularyArtifact, WorkBound};
use grammarc_compiler::ir::recognize::recognizes;
use grammarc_runtime::error::AcceptError;
use grammarc_runtime::{ByteMatcher, Grammar, Matcher, MatcherOptions};
use grammarc_tests::case::Case;
use grammarc_tests::compare::refused;
use grammarc_tests::mix::{Kind, Mix, count};
use grammarc_tests::random::{Rng, Spelling, case};
use grammarc_tests::sources::{Language, compiled, folder, lower};
use grammarc_tests::vocabularies;
use rayon::prelude::*;
use serde_json::Value;

/// Longest text that is given to the naive recogniser, whose cost grows with the cube of the length in the worst case.
const LONGEST_RECOGNIZED: usize = 600;

/// Bytes of the way to an end by which a search orders positions.
const AHEAD: usize = 256;

/// Positions that a search may meet.
const MOST_SEEN: usize = 400;

/// Configurations at which a search gives a position up.
const CONFIGURATIONS: usize = 300;

/// Numbers of the walks that were drawn.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    /// Grammars that compiled.
    grammars: usize,
    /// Grammars whose automata have more states than the limit allows.
    refused: usize,
    /// Finished.
    samples: usize,
    tokens: usize,
    /// The walks that the recogniser or the oracle judged.
    recognized: usize,
    /// Given up at a limit.
    undecided: usize,
}

impl Drawn {
    fn and(self, other: Self) -> Self {
        Self {
            grammars: self.grammars + other.grammars,
            refused: self.refused + other.refused,
            samples: self.samples + other.samples,
            tokens: self.tokens + other.tokens,
            recognized: self.recognized + other.recognized,
            undecided: self.undecided + other.undecided,
        }
    }
}

/// Draws one sample of a source, and judges it.
fn walk(
    (name, language, text): &(String, Language, String),
    grammar: &Grammar,
    options: SampleOptions,
    number: u64,
) -> Drawn {
    let sampler = Sampler::new(grammar, options);
    let sample = sampler.draw(number);
    let Sample { text: output, tokens, .. } =
        sample.unwrap_or_else(|error| panic!("{name}, {options:?}, sample {number}: {error}"));
    let shown = String::from_utf8_lossy(&output);
    let mut matcher = ByteMatcher::new(grammar);
    assert!(matcher.accept(&output).is_ok() && matcher.is_accepting(), "{name}: {shown}");
    let mut recognized = 0;
    if output.len() <= LONGEST_RECOGNIZED {
        let lowered = lower(*language, name, text).expect("it was lowered before");
        assert!(recognizes(&lowered.grammar, &output), "{name}, {options:?}, {number}: {shown}");
        recognized = 1;
    }
    if name.contains("jsonl") {
        let text = std::str::from_utf8(&output).expect("lines are text");
        for line in text.lines() {
            let parsed: Result<Value, _> = serde_json::from_str(line);
            assert!(parsed.is_ok(), "{name}, sample {number}: {line}: {shown}");
        }
    } else if name.contains("json") {
        let instance: Value = serde_json::from_slice(&output)
            .unwrap_or_else(|error| panic!("{name}, sample {number}: {error}: {shown}"));
        if *language == Language::JsonSchema {
            let schema: Value = serde_json::from_str(text).expect("a schema is JSON");
            let schema = jsonschema::validator_for(&schema).expect("a schema");
            assert!(schema.is_valid(&instance), "{name}, sample {number}: {shown}");
        }
    }
    Drawn { samples: 1, tokens: tokens.len(), recognized, ..Drawn::default() }
}

/// Walks over all grammars of the folder.
fn walks(vocabulary: &VocabularyArtifact, samples: u64, max_tokens: usize) {
    let sources = folder();
    assert!(sources.len() >= 8, "{} sources", sources.len());
    for source in sources {
        let (name, language, text) = &source;
        let lowered = lower(*language, name, text).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        let grammar = compiled(vocabulary, &lowered);
        let jobs = (0..samples).flat_map(|number| [(number, false), (number, true)]);
        let jobs: Vec<(u64, bool)> = jobs.collect();
        let drawn = jobs.into_par_iter().map(|(number, uniform)| {
            // Samples of all lengths, so that completions begin everywhere.
            let max_tokens = max_tokens >> (number % 4 * 2);
            let options = SampleOptions { seed: 1, max_tokens, uniform };
            walk(&source, &grammar, options, number)
        });
        let drawn = drawn.reduce(Drawn::default, Drawn::and);
        let bound = &grammar.artifact().meta().work;
        let (chain, most) = (bound.longest_chain, bound.most_configurations);
        eprintln!("{name}, {}: {drawn:?}, bounds {chain} and {most}", vocabulary.name());
        assert!(drawn.recognized * 4 >= drawn.samples, "{name}: {drawn:?}, too few short ones");
    }
}

#[test]
fn grammars_of_the_folder_have_no_dead_ends_in_a_small_vocabulary() {
    walks(vocabularies::small(), if vocabularies::full() { 400 } else { 40 }, 256);
}

#[test]
fn grammars_of_the_folder_have_no_dead_ends_in_the_built_in_vocabulary() {
    walks(vocabularies::built_in(), if vocabularies::full() { 100 } else { 4 }, 128);
}

#[test]
fn grammars_of_the_folder_have_no_dead_ends_in_llama() {
    if let Some(vocabulary) = vocabularies::llama() {
        walks(vocabulary, 100, 256);
    }
}

/// Walks over one random case, from masks alone. A grammar that does not compile has to have met a limit, or to have
/// no text that the vocabulary spells.
fn random_walks(case: &Case, seed: u64) -> Drawn {
    let oracle = case.oracle();
    let grammar = match case.compile() {
        Ok(grammar) => grammar,
        Err(error) => {
            let counts = refused(&error, &oracle);
            let counts = counts.unwrap_or_else(|| panic!("seed {seed}: {error}\n{case}"));
            return Drawn { refused: counts.refused, ..Drawn::default() };
        }
    };
    let ir = case.grammar();
    let mut kinds = Mix::new();
    count(&mut kinds, &ir, false);
    let reads_tokens =
        kinds.contains_key(&Kind::Tokens) || kinds.contains_key(&Kind::NegatedTokens);
    let mut drawn = Drawn { grammars: 1, ..Drawn::default() };
    // If configurations grow with the input a limit is met soon, so a low one is set.
    let grows = grammar.artifact().meta().work.most_configurations == WorkBound::UNBOUNDED;
    for (number, max_tokens) in [0, 1, 2, 5, 10, 20].into_iter().enumerate() {
        let options = SampleOptions { seed, max_tokens, uniform: number % 2 == 0 };
        let sample = (!grows).then(|| Sampler::new(&grammar, options).draw(number as u64));
        let finished = match sample {
            Some(Ok(sample)) => Some((sample.tokens, sample.text)),
            // The shortest text is not one that the vocabulary can spell.
            Some(Err(SampleError::Unfinished { .. })) if !oracle.is_spelled() => {
                search(&grammar, &mut Rng::new(seed), max_tokens)
            }
            Some(Err(error)) => panic!("seed {seed}, {max_tokens}: {error:?}\n{case}"),
            None => search(&grammar, &mut Rng::new(seed + number as u64), max_tokens),
        };
        let Some((tokens, text)) = finished else {
            drawn.undecided += 1;
            continue;
        };
        let shown = text.escape_ascii();
        if !reads_tokens && text.len() <= LONGEST_RECOGNIZED {
            assert!(recognizes(&ir, &text), "seed {seed}: {shown}\n{case}");
            drawn.recognized += 1;
        } else if tokens.len() <= 60 {
            let mut chart = Some(oracle.start());
            for &token in &tokens {
                chart = chart.and_then(|chart| oracle.after(&chart, token));
            }
            let complete = chart.is_some_and(|chart| oracle.complete(&chart));
            assert!(complete, "seed {seed}: {tokens:?}, {shown}\n{case}");
            drawn.recognized += 1;
        }
        drawn.samples += 1;
        drawn.tokens += tokens.len();
    }
    drawn
}

/// A random walk, brought to an end by searching over all tokens of the masks, positions that are close to an end in
/// bytes first. `None` where a limit was met.
///
/// # Panics
///
/// At a dead end: where no token is left to try.
fn search(grammar: &Grammar, rng: &mut Rng, tokens: usize) -> Option<(Vec<u32>, Vec<u8>)> {
    let options = MatcherOptions::new().end_tokens([]).max_configurations(CONFIGURATIONS);
    let mut matcher = Matcher::with_options(grammar, options).ok()?;
    let mut path = Vec::new();
    for _ in 0..tokens {
        let allowed: Vec<u32> = matcher.mask().iter().collect();
        if allowed.is_empty() {
            assert!(matcher.is_accepting(), "dead end after {path:?}");
            break;
        }
        let token = *rng.pick(&allowed);
        matcher.accept(token).ok()?;
        path.push(token);
    }
    let left = |matcher: &Matcher| {
        let units = matcher.route(AHEAD);
        units.expect("bytes lead to an end from everywhere").len()
    };
    let mut limited = false;
    let mut seen = HashSet::from([matcher.export()]);
    // By distance, and then by age.
    let mut open = BTreeMap::from([((0, 0), (matcher, path))]);
    while let Some((_, (mut matcher, path))) = open.pop_first() {
        if matcher.is_accepting() {
            let vocabulary = grammar.vocabulary();
            let text = path.iter().flat_map(|&token| vocabulary.token_bytes(token)).copied();
            let text = text.collect();
            return Some((path, text));
        }
        let allowed: Vec<u32> = matcher.mask().iter().collect();
        for token in allowed {
            let mut next = matcher.fork();
            match next.accept(token) {
                Ok(()) if seen.insert(next.export()) => {
                    let path = path.iter().copied().chain([token]).collect();
                    open.insert((left(&next), seen.len()), (next, path));
                }
                Ok(()) => {}
                Err(AcceptError::Limit(_)) => limited = true,
                Err(error) => panic!("a token of the mask is refused: {error}"),
            }
        }
        if seen.len() > MOST_SEEN {
            return None;
        }
    }
    assert!(limited, "dead end: no tokens of the masks lead to an end");
    None
}

fn random(spelling: Spelling, grammars: u64) {
    let grammars = if vocabularies::full() { grammars * 4 } else { grammars };
    let drawn = (0..grammars)
        .into_par_iter()
        .map(|seed| random_walks(&case(seed, spelling), seed))
        .reduce(Drawn::default, Drawn::and);
    eprintln!("{drawn:?} of {grammars}");
    assert!(drawn.refused * 1000 <= drawn.grammars, "{drawn:?}: too many meet a limit");
    // The rest have no text; these only have to be enough.
    assert!(drawn.grammars * 3 >= grammars as usize * 2, "{drawn:?} of {grammars}");
    assert!(drawn.recognized * 10 >= drawn.samples * 9, "{drawn:?}");
    assert!(drawn.undecided * 20 <= drawn.samples, "{drawn:?}");
}

#[test]
fn random_grammars_have_no_dead_ends() {
    random(Spelling::Whole, 800);
}

#[test]
fn random_grammars_have_no_dead_ends_where_the_vocabulary_lacks_bytes() {
    random(Spelling::Partial, 400);
}
