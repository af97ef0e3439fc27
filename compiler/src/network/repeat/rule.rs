//! The rules made for repetitions: which there are, where a repetition enters them, and which each calls.

use std::fmt;

use crate::ir::ByteSet;

/// Copies times nodes of the body up to which a repetition is unrolled.
const UNROLLED: usize = 32;

/// Most bodies in the prefix of a loop whose repetitions are optional. More are a chain before the loop, for that bound
/// alone.
pub(in crate::network) const MOST_PREFIX: u32 = 7;

/// The rest of a repetition: at least one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) struct Run {
    /// Required repetitions, at least one.
    pub(in crate::network) least: u32,
    /// The optional repetitions after them.
    pub(in crate::network) more: More,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, more } = *self;
        match more {
            More::UpTo(more) => write!(f, "{{{least},{}}}", u64::from(least) + u64::from(more)),
            More::Counted(_) => write!(f, "{{{least},n}}"),
            More::Any => write!(f, "{{{least},}}"),
        }
    }
}

/// Optional repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) enum More {
    /// At most this many.
    UpTo(u32),
    /// A countdown from this value, and then those of a chain.
    Counted(u32),
    /// Any number.
    Any,
}

/// The bytes of a bounded run with a tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) struct TailBytes {
    /// Bytes after which the run may continue.
    pub(in crate::network) any: ByteSet,
    /// Bytes that may be the last.
    pub(in crate::network) last: ByteSet,
}

impl TailBytes {
    /// Returns both sets as words.
    pub(in crate::network) fn to_words(self) -> [u32; 16] {
        let (any, last) = (self.any.to_words(), self.last.to_words());
        std::array::from_fn(|at| if at < 8 { any[at] } else { last[at - 8] })
    }
}

/// A rule made for a repetition of a body, by the body's number in [`Bodies`](super::bodies::Bodies).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) enum RepeatRule {
    /// The body as a rule.
    Body(usize),
    /// The body, and then the rest of a run.
    Chain(usize, Run),
    /// The loop before a run. `prefix` bodies stand before it. An optional loop may be left before the countdown ends.
    Loop { body: usize, prefix: u32, end: Run, is_optional: bool },
    /// At most this many bytes, with a tail.
    TailChain(TailBytes, u32),
    /// The loop before these.
    TailLoop(TailBytes),
}

/// A call of a rule made for a repetition.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct RepeatCall {
    /// The rule.
    pub(in crate::network) rule: RepeatRule,
    /// The register that the activation starts with; 0 for none.
    pub(in crate::network) count: u32,
}

impl RepeatRule {
    /// Returns the call of a run. `longest` is the most repetitions that one token can begin, and greater than any
    /// bound where nothing is counted.
    pub(in crate::network) fn of_run(body: usize, run: Run, longest: u32) -> RepeatCall {
        let Run { least, more } = run;
        let (rule, count) = match more {
            _ if least > longest => {
                let end = Run { least: longest, more };
                (Self::Loop { body, prefix: 0, end, is_optional: false }, least - longest)
            }
            More::Counted(count) if least <= MOST_PREFIX + 1 => {
                let end = Run { least: 1, more: More::UpTo(longest - 1) };
                (Self::Loop { body, prefix: least - 1, end, is_optional: true }, count)
            }
            _ => (Self::Chain(body, run), 0),
        };
        RepeatCall { rule, count }
    }

    /// Returns the call of at most `most` bytes with a tail.
    pub(in crate::network) fn of_tail(bytes: TailBytes, most: u32, longest: u32) -> RepeatCall {
        match most.checked_sub(longest) {
            None | Some(0) => RepeatCall { rule: Self::TailChain(bytes, most), count: 0 },
            Some(count) => RepeatCall { rule: Self::TailLoop(bytes), count },
        }
    }

    /// Returns the call in tail position of this rule, if it has one.
    pub(in crate::network) fn rest(self, longest: u32) -> Option<RepeatCall> {
        let (body, rest) = match self {
            Self::Body(_) | Self::TailChain(_, 1) => return None,
            Self::TailChain(bytes, most) => {
                return Some(RepeatCall { rule: Self::TailChain(bytes, most - 1), count: 0 });
            }
            Self::TailLoop(bytes) => {
                return Some(RepeatCall { rule: Self::TailChain(bytes, longest), count: 0 });
            }
            Self::Loop { body, end, .. } => (body, end),
            Self::Chain(body, Run { least: 1, more }) => match more {
                More::Any | More::UpTo(0) => return None,
                More::UpTo(more) => (body, Run { least: 1, more: More::UpTo(more - 1) }),
                More::Counted(_) => unreachable!("the rule of such a run is a loop"),
            },
            Self::Chain(body, Run { least, more }) => (body, Run { least: least - 1, more }),
        };
        Some(Self::of_run(body, rest, longest))
    }
}

/// Whether so many copies of a body of this size are unrolled.
pub(in crate::network) fn is_small(copies: u32, size: usize) -> bool {
    copies <= 1 || (copies as usize).saturating_mul(size) <= UNROLLED
}
