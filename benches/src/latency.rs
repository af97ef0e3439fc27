//! Times of the calls of a step, token by token.
//!
//! A round takes a fresh matcher through a sequence of tokens and times the calls of a host at each: the mask
//! reference, a fill of a bitmask, an apply to a row of logits, and the accept. The row of logits is larger than most
//! second-level caches. So an accept finds the caches full of other data, as after a model; [`accepts`] times
//! consecutive accepts.
//!
//! Each mask is counted in the filled words and must allow the following token: an engine with a wrong mask gets no
//! times. Times are wall-clock nanoseconds and include one reading of the clock, some 20 ns ([`clock`]). The mask
//! reference is as short as this reading, so it is called [`REFERENCES`] times and its time is divided.

use std::hint::black_box;
use std::time::Instant;

use grammarc_runtime::error::{AcceptError, BufferError};
use grammarc_runtime::{Grammar, Matcher};
use thiserror::Error;

/// Calls of a mask reference in one measurement.
pub const REFERENCES: u32 = 32;

/// Looks at the clock for [`clock`].
const LOOKS: usize = 1_001;

/// The calls that are timed at each token, in this order.
pub const CALLS: [&str; 4] =
    ["mask reference", "fill of a bitmask", "apply to f32 logits", "accept"];

/// Nanoseconds at one token, in the order of [`CALLS`].
pub type Step = [f64; CALLS.len()];

/// Why there are no times.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LatencyError {
    /// A token was rejected.
    #[error("token {at} of the sequence was refused")]
    Accept {
        /// Index of the token.
        at: usize,
        /// Why.
        source: AcceptError,
    },
    /// A mask does not fit its buffer.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A filled mask differs from the counted one, or does not allow the following token.
    #[error(
        "the mask before token {at} of the sequence is wrong: {filled} tokens where {counted} are allowed, and the \
         token itself {}",
        if *.allows { "among them" } else { "not among them" }
    )]
    Mask {
        /// Index of the token.
        at: usize,
        /// Bits of the filled mask.
        filled: usize,
        /// Tokens by the mask's own count.
        counted: usize,
        /// Whether the token's bit is set.
        allows: bool,
    },
}

/// The times of every call along some tokens, one round.
///
/// # Errors
///
/// If the grammar does not accept the tokens, or a mask is wrong.
pub fn steps(grammar: &Grammar, tokens: &[u32]) -> Result<Vec<Step>, LatencyError> {
    let mut matcher = Matcher::new(grammar);
    let width = matcher.logit_width() as usize;
    let mut words = vec![0; width.div_ceil(32)];
    let mut logits = vec![0.0_f32; width];
    let step = |(at, &token): (usize, &u32)| {
        let start = Instant::now();
        for _ in 0..REFERENCES {
            black_box(matcher.mask());
        }
        let reference = nanoseconds(start) / f64::from(REFERENCES);
        let start = Instant::now();
        let filled = matcher.mask().fill(black_box(&mut words));
        let fill = nanoseconds(start);
        filled?;
        check(&mut matcher, &words, at, token)?;
        let start = Instant::now();
        let applied = matcher.mask().apply(black_box(&mut logits));
        let apply = nanoseconds(start);
        applied?;
        let start = Instant::now();
        let accepted = matcher.accept(token);
        let accept = nanoseconds(start);
        accepted.map_err(|source| LatencyError::Accept { at, source })?;
        Ok([reference, fill, apply, accept])
    };
    tokens.iter().enumerate().map(step).collect()
}

/// The times of accepts alone, one after the other.
///
/// # Errors
///
/// If the grammar does not accept the tokens.
pub fn accepts(grammar: &Grammar, tokens: &[u32]) -> Result<Vec<f64>, LatencyError> {
    let mut matcher = Matcher::new(grammar);
    let accept = |(at, &token): (usize, &u32)| {
        let start = Instant::now();
        let accepted = matcher.accept(black_box(token));
        let time = nanoseconds(start);
        accepted.map_err(|source| LatencyError::Accept { at, source })?;
        Ok(time)
    };
    tokens.iter().enumerate().map(accept).collect()
}

/// The time that a measurement of nothing shows, in nanoseconds.
pub fn clock() -> f64 {
    let mut looks: Vec<f64> = (0..LOOKS).map(|_| nanoseconds(Instant::now())).collect();
    looks.sort_unstable_by(f64::total_cmp);
    looks[LOOKS / 2]
}

fn check(matcher: &mut Matcher, words: &[u32], at: usize, token: u32) -> Result<(), LatencyError> {
    let filled = words.iter().map(|word| word.count_ones() as usize).sum();
    let counted = matcher.mask().len();
    let word = words.get((token / u32::BITS) as usize).copied().unwrap_or_default();
    let allows = word >> (token % u32::BITS) & 1 != 0;
    if filled == counted && allows {
        return Ok(());
    }
    Err(LatencyError::Mask { at, filled, counted, allows })
}

fn nanoseconds(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}
