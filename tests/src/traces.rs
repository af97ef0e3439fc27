//! Random traces of matchers, written as a stream: what was done, and every status and every word of every mask that came of it.
//!
//! The tests of a binding hold it to the stream, by a program in the binding's own language. Traces are over random grammars with
//! vocabularies of their own and, for every fourth grammar, over those of `grammars/`, whose masks have more words.
//!
//! The stream is of 32-bit numbers in this machine's byte order. A list is its length and its numbers, a blob its length and its
//! bytes; an operation is its number here and what `operation` writes behind it.

use std::io::{self, Write};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_runtime::error::AcceptError;
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};

use crate::random::{Rng, Spelling, case};
use crate::sources;
use crate::vocabularies::small;

/// Operations, in the order of their numbers.
#[derive(Clone, Copy)]
enum Operation {
    End,
    Case,
    Trace,
    Accept,
    Rollback,
    Reset,
    Fork,
    Position,
    Drafts,
    Validate,
    Forced,
    State,
}

/// Traces of one grammar.
const TRACES: usize = 20;
/// Operations of one trace; the state is written once more than that.
const OPERATIONS: usize = 24;

/// The stream.
struct Out<W: Write>(W);

impl<W: Write> Out<W> {
    fn number(&mut self, number: u32) -> io::Result<()> {
        self.0.write_all(&number.to_ne_bytes())
    }

    fn operation(&mut self, operation: Operation) -> io::Result<()> {
        self.number(operation as u32)
    }

    fn list(&mut self, numbers: &[u32]) -> io::Result<()> {
        self.number(numbers.len() as u32)?;
        numbers.iter().try_for_each(|&number| self.number(number))
    }

    fn blob(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.number(bytes.len() as u32)?;
        self.0.write_all(bytes)
    }
}

fn row_of(matcher: &Matcher) -> usize {
    matcher.logit_width().div_ceil(32) as usize
}

fn status(result: Result<(), AcceptError>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(AcceptError::Finished { .. }) => 2,
        Err(AcceptError::Limit(_)) => -3,
        Err(_) => 1,
    }
}

/// A token: nearly always one that is allowed.
fn token(matcher: &mut Matcher, rng: &mut Rng) -> u32 {
    let allowed: Vec<u32> = matcher.mask().iter().collect();
    match rng.below(8) {
        0 => rng.below(matcher.logit_width() as usize + 2) as u32,
        1 => [u32::MAX, u32::MAX - 1, 1 << 31, matcher.logit_width()][rng.below(4)],
        _ if allowed.is_empty() => 0,
        _ => *rng.pick(&allowed),
    }
}

fn tokens(matcher: &Matcher, rng: &mut Rng) -> Vec<u32> {
    let mut ahead = matcher.fork();
    let mut tokens = Vec::new();
    for _ in 0..rng.below(6) {
        let token = token(&mut ahead, rng);
        tokens.push(token);
        let _ = ahead.accept(token);
    }
    tokens
}

fn trace<W: Write>(grammar: &Grammar, rng: &mut Rng, out: &mut Out<W>) -> io::Result<()> {
    let own = grammar.vocabulary().logit_width();
    let width = own + rng.below(2) as u32 * 45;
    let window = [1, 3, 1024][rng.below(3)];
    let mut ends = grammar.vocabulary().end_tokens().to_vec();
    if rng.one_in(3) {
        ends.push(rng.below(width as usize) as u32);
    }
    let options = MatcherOptions::new().logit_width(width).rollback_window(window);
    let matcher = Matcher::with_options(grammar, options.end_tokens(ends.iter().copied()));
    let mut matcher = matcher.expect("the options fit");
    out.operation(Operation::Trace)?;
    out.number(width)?;
    out.number(window as u32)?;
    out.list(&ends)?;
    state(&mut matcher, rng, out)?;
    for _ in 0..OPERATIONS {
        operation(&mut matcher, rng, out)?;
        state(&mut matcher, rng, out)?;
    }
    Ok(())
}

fn operation<W: Write>(matcher: &mut Matcher, rng: &mut Rng, out: &mut Out<W>) -> io::Result<()> {
    match rng.below(24) {
        0 => {
            let asked = rng.below(5);
            let status = matcher.rollback(asked).map_or(-1, |()| 0);
            out.operation(Operation::Rollback)?;
            out.number(asked as u32)?;
            out.number(status as u32)
        }
        1 if rng.one_in(3) => {
            matcher.reset();
            out.operation(Operation::Reset)
        }
        2 => {
            *matcher = matcher.fork();
            out.operation(Operation::Fork)
        }
        3 => {
            let position = matcher.export();
            matcher.import(&position).expect("its own position");
            out.operation(Operation::Position)?;
            out.blob(&position)
        }
        4 | 5 => {
            let drafts = tokens(matcher, rng);
            let row = row_of(matcher) + rng.below(2);
            let mut words = vec![u32::MAX; row * (drafts.len() + 1)];
            let valid = matcher.fill_drafts(&drafts, &mut words, row).expect("there is room");
            out.operation(Operation::Drafts)?;
            out.list(&drafts)?;
            out.number(valid as u32)?;
            out.list(&words)
        }
        6 => {
            let tokens = tokens(matcher, rng);
            out.operation(Operation::Validate)?;
            out.list(&tokens)?;
            out.number(matcher.validate(&tokens) as u32)
        }
        7 => {
            let mut run = Vec::new();
            matcher.forced_tokens(&mut run);
            out.operation(Operation::Forced)?;
            out.list(&run)
        }
        _ => {
            let token = token(matcher, rng);
            out.operation(Operation::Accept)?;
            out.number(token)?;
            out.number(status(matcher.accept(token)) as u32)
        }
    }
}

fn state<W: Write>(matcher: &mut Matcher, rng: &mut Rng, out: &mut Out<W>) -> io::Result<()> {
    let mut words = vec![u32::MAX; row_of(matcher) + rng.below(2)];
    let accepting = matcher.is_accepting();
    let finished = matcher.is_finished();
    let depth = matcher.rollback_depth();
    let mask = matcher.mask();
    mask.fill(&mut words).expect("there is room");
    let flags = [mask.restricts(), accepting, finished];
    let flags = flags.iter().enumerate().map(|(at, &set)| u32::from(set) << at).sum();
    out.operation(Operation::State)?;
    out.number(flags)?;
    out.number(depth as u32)?;
    out.list(&words)
}

fn of_grammar<W: Write>(grammar: &Grammar, seed: u64, out: &mut Out<W>) -> io::Result<()> {
    out.operation(Operation::Case)?;
    out.blob(grammar.vocabulary().artifact().container().buffer())?;
    out.blob(grammar.artifact().container().buffer())?;
    let mut rng = Rng::new(seed);
    (0..TRACES).try_for_each(|_| trace(grammar, &mut rng, out))
}

/// Writes so many traces, a multiple of 20, and returns how many states they have.
///
/// # Errors
///
/// The errors of the writer.
///
/// # Panics
///
/// Panics if the compiler or the matcher refuses what it must take.
pub fn write(traces: usize, out: impl Write) -> io::Result<usize> {
    let out = &mut Out(out);
    let vocabulary: &VocabularyArtifact = small();
    let folder = sources::folder().into_iter().map(|(name, language, text)| {
        let lowered = sources::lower(language, &name, &text).expect("it is right");
        sources::compiled(vocabulary, &lowered)
    });
    let folder: Vec<Grammar> = folder.collect();
    let mut random = (0..).filter_map(|seed| case(seed, Spelling::Partial).compile().ok());
    for at in 0..traces / TRACES {
        let grammar = match at % 4 {
            0 => folder[at / 4 % folder.len()].clone(),
            _ => random.next().expect("there is always another seed"),
        };
        of_grammar(&grammar, at as u64, out)?;
    }
    out.operation(Operation::End)?;
    out.0.flush()?;
    Ok(traces * (OPERATIONS + 1))
}
