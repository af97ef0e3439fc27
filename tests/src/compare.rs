//! Holds the compiled masks of a case against the oracle, position by position.
//!
//! Positions are visited breadth first from the start, token by token, and then along random walks, which lead to the
//! ends of counted repetitions. At each: the mask bit by bit, the answer to every token that is tried, whether the text
//! may end, and that refused tokens and tokens taken back leave the exported position as it was.

use std::collections::VecDeque;

use grammarc_artifacts::sections::network::{NONE, StateRecord, state_flags};
use grammarc_compiler::compile::{CompileError, CompileOptions};
use grammarc_compiler::network::NetworkErrorKind;
use grammarc_runtime::error::AcceptError;
use grammarc_runtime::{Grammar, Matcher, MatcherOptions};

use crate::case::Case;
use crate::oracle::{Chart, Oracle};
use crate::random::Rng;

/// How much of a case is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Positions visited breadth first.
    pub positions: usize,
    /// Random walks.
    pub walks: usize,
    /// Tokens of a walk.
    pub steps: usize,
}

/// Configurations at which a position is given up: the number grows without bound in some ambiguous grammars.
const CONFIGURATIONS: usize = 1000;

/// Numbers of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Grammars that compiled.
    pub compiled: usize,
    /// Grammars without any text, by both accounts.
    pub empty: usize,
    /// Grammars whose automata have more states than the limit allows.
    pub refused: usize,
    /// Positions.
    pub positions: usize,
    /// Bits of masks.
    pub bits: usize,
    /// The longest text in tokens.
    pub longest: usize,
    /// Grammars with a text that has two parses.
    pub ambiguous: usize,
    /// Grammars with a position of several configurations.
    pub several: usize,
    /// Grammars with a countdown.
    pub counted: usize,
    /// Grammars with a set of marks in a register.
    pub pending: usize,
    /// Grammars so ambiguous that some position met the limit on configurations, and was not gone on from.
    pub limited: usize,
}

impl Counts {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            compiled: self.compiled + other.compiled,
            empty: self.empty + other.empty,
            refused: self.refused + other.refused,
            positions: self.positions + other.positions,
            bits: self.bits + other.bits,
            longest: self.longest.max(other.longest),
            ambiguous: self.ambiguous + other.ambiguous,
            several: self.several + other.several,
            counted: self.counted + other.counted,
            pending: self.pending + other.pending,
            limited: self.limited + other.limited,
        }
    }
}

/// A position at which the two differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The tokens that lead there.
    pub prefix: Vec<u32>,
    /// The difference in words.
    pub what: String,
}

/// Compares one case.
///
/// # Errors
///
/// The first [`Difference`].
pub fn compare(case: &Case, effort: Effort, seed: u64) -> Result<Counts, Difference> {
    compare_with(case, &CompileOptions::default(), effort, seed)
}

/// The same with these options.
///
/// # Errors
///
/// As [`compare`].
pub fn compare_with(
    case: &Case,
    options: &CompileOptions,
    effort: Effort,
    seed: u64,
) -> Result<Counts, Difference> {
    let oracle = case.oracle();
    let grammar = match case.compile_with(options) {
        Ok(grammar) => grammar,
        Err(error) => {
            let what = format!("compilation failed: {error}");
            return refused(&error, &oracle).ok_or(Difference { prefix: Vec::new(), what });
        }
    };
    if oracle.is_empty() {
        let what = "a grammar without any text was compiled".to_owned();
        return Err(Difference { prefix: Vec::new(), what });
    }
    let (counted, pending) = registers(&grammar);
    let mut visit = Visit {
        case,
        exact: oracle.is_spelled(),
        oracle: &oracle,
        counts: Counts { compiled: 1, counted, pending, ..Counts::default() },
    };
    let options = MatcherOptions::new().max_configurations(CONFIGURATIONS);
    let matcher = Matcher::with_options(&grammar, options)
        .map_err(|error| Difference { prefix: Vec::new(), what: error.to_string() })?;
    let sure = oracle.spelled(oracle.start());
    let start = Position { matcher, chart: oracle.start(), sure, prefix: Vec::new() };
    let mut queue = VecDeque::from([start.clone()]);
    let mut rng = Rng::new(seed);
    for _ in 0..effort.positions {
        let Some(mut position) = queue.pop_front() else { break };
        for token in visit.at(&mut position)? {
            if queue.len() < effort.positions {
                queue.push_back(visit.after(&position, token)?);
            }
        }
    }
    for _ in 0..effort.walks {
        let mut position = start.clone();
        for _ in 0..effort.steps {
            let allowed = visit.at(&mut position)?;
            let Some(token) = (!allowed.is_empty()).then(|| *rng.pick(&allowed)) else { break };
            position = visit.after(&position, token)?;
        }
    }
    Ok(visit.counts)
}

/// A grammar that does not compile, counted; `None` where it should: it met no limit, and by the oracle's account it has
/// a text that the vocabulary spells.
pub fn refused(error: &CompileError, oracle: &Oracle) -> Option<Counts> {
    let is_empty = match error {
        CompileError::Network(error) if error.kind == NetworkErrorKind::Empty => oracle.is_empty(),
        CompileError::Unspellable => {
            !oracle.is_spelled() && oracle.spelled(oracle.start()).is_none()
        }
        CompileError::Network(error)
            if matches!(
                error.kind,
                NetworkErrorKind::Limit { .. } | NetworkErrorKind::Sets { .. }
            ) =>
        {
            return Some(Counts { refused: 1, ..Counts::default() });
        }
        _ => false,
    };
    is_empty.then(|| Counts { empty: 1, ..Counts::default() })
}

/// Whether the grammar has a countdown, and whether it has a set in a register: 0 or 1.
fn registers(grammar: &Grammar) -> (usize, usize) {
    let states = grammar.artifact().tables().states.iter();
    let lowering = states.filter(|state| state.count_exit != NONE);
    let (pending, counted): (Vec<&StateRecord>, Vec<&StateRecord>) =
        lowering.partition(|state| state.flags & state_flags::CLEARS != 0);
    (usize::from(!counted.is_empty()), usize::from(!pending.is_empty()))
}

#[derive(Clone)]
struct Position {
    matcher: Matcher,
    chart: Chart,
    /// The readings that the vocabulary surely spells, where it does not spell all of the grammar.
    sure: Option<Chart>,
    prefix: Vec<u32>,
}

struct Visit<'a> {
    case: &'a Case,
    oracle: &'a Oracle,
    /// Whether the vocabulary spells the grammar, so that the mask is known to the bit.
    exact: bool,
    counts: Counts,
}

impl Visit<'_> {
    /// Compares one position and returns the tokens that continue from it.
    fn at(&mut self, position: &mut Position) -> Result<Vec<u32>, Difference> {
        let Position { matcher, chart, sure, prefix } = position;
        let differs = |what: String| Err(Difference { prefix: prefix.clone(), what });
        let complete = matcher.is_accepting();
        // If the vocabulary lacks a byte, readings that it does not surely spell may have been left out.
        let surely = |chart: Option<&Chart>| chart.is_some_and(|chart| self.oracle.complete(chart));
        let most = self.oracle.complete(chart);
        let least = if self.exact { most } else { surely(sure.as_ref()) };
        if complete && !most || !complete && least {
            return differs(format!("the text may end: {complete}, should be {}", !complete));
        }
        let before = matcher.export();
        // The bytes of exports that hold the number of configurations.
        let configurations = before.get(28..32).and_then(|bytes| bytes.try_into().ok());
        let configurations = configurations.map_or(0, u32::from_le_bytes);
        let bound = &matcher.grammar().artifact().meta().work;
        let (most, chain) = (bound.most_configurations, u64::from(bound.longest_chain));
        if configurations > most {
            return differs(format!("{configurations} configurations, more than the bound"));
        }
        let parts = matcher.mask().parts() as u64;
        if parts > u64::from(configurations) * (1 + chain) {
            return differs(format!("a mask of {parts} parts, more than the bound"));
        }
        if configurations > 1 {
            self.counts.several = 1;
        }
        if self.oracle.ambiguous(chart) {
            self.counts.ambiguous = 1;
        }
        let width = matcher.logit_width();
        let mut words = vec![0u32; width.div_ceil(32) as usize];
        let fits = matcher.mask().fill(&mut words);
        let length = matcher.mask().len();
        let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        if fits.is_err() || length != count {
            return differs(format!("the mask has {count} bits and says {length}"));
        }
        let mut allowed = Vec::new();
        for token in 0..width {
            let bit = words[token as usize / 32] >> (token % 32) & 1 == 1;
            let end = complete && self.case.end_tokens.contains(&token);
            // If the vocabulary lacks a byte the mask lies between what it surely spells and what bytes allow.
            let most = self.oracle.viable(chart, token);
            let least =
                if self.exact { most } else { self.sure_after(sure.as_ref(), token).is_some() };
            if bit && !(most || end) {
                return differs(format!("token {token} is allowed, should not be"));
            }
            // Tokens of a packed string set are found when they are asked for, but for those that meet a limit.
            let is_limited = || matches!(matcher.fork().accept(token), Err(AcceptError::Limit(_)));
            if !bit && (least || end) && !is_limited() {
                return differs(format!("token {token} is not allowed, should be"));
            }
            if matcher.mask().contains(token) != bit {
                return differs(format!("the mask is of two minds about token {token}"));
            }
            match matcher.accept(token) {
                Ok(()) if !bit => {
                    return differs(format!("token {token} is accepted, not allowed"));
                }
                Ok(()) => {
                    // An end token leaves no position to look at.
                    if !matcher.is_finished() || matcher.is_accepting() {
                        allowed.push(token);
                    }
                    if matcher.rollback(1).is_err() {
                        return differs(format!("token {token} cannot be taken back"));
                    }
                }
                Err(AcceptError::Limit(_)) => self.counts.limited = 1,
                Err(error) if bit => return differs(format!("token {token} is allowed: {error}")),
                Err(_) => {}
            }
            if matcher.export() != before {
                return differs(format!("the position was changed by trying token {token}"));
            }
        }
        let mut again = vec![0u32; words.len()];
        if matcher.mask().fill(&mut again).is_err() || again != words {
            return differs("the mask was changed by trying tokens".to_owned());
        }
        if allowed.is_empty() && !complete && self.counts.limited == 0 {
            return differs("dead end".to_owned());
        }
        self.counts.positions += 1;
        self.counts.bits += width as usize;
        self.counts.longest = self.counts.longest.max(prefix.len());
        Ok(allowed)
    }

    fn sure_after(&self, sure: Option<&Chart>, token: u32) -> Option<Chart> {
        self.oracle.after(sure?, token).and_then(|chart| self.oracle.spelled(chart))
    }

    fn after(&self, position: &Position, token: u32) -> Result<Position, Difference> {
        let mut next = position.clone();
        next.prefix.push(token);
        let chart = self.oracle.after(&position.chart, token);
        match (next.matcher.accept(token), chart) {
            (Ok(()), Some(chart)) => {
                next.chart = chart;
                next.sure = match self.exact {
                    true => None,
                    false => self.sure_after(position.sure.as_ref(), token),
                };
                Ok(next)
            }
            _ => Err(Difference {
                prefix: next.prefix,
                what: "an allowed token is not accepted".to_owned(),
            }),
        }
    }
}
