//! The rules that are made for repetitions: the kinds of such rules, the rule that a repetition
//! calls, and the rule that each calls in turn.

use std::fmt;

use crate::ir::ByteSet;

/// The largest product of copies and expression nodes of a body for which a repetition is unrolled.
/// A larger repetition gets rules of its own.
const UNROLLED: usize = 32;

/// The most bodies in the prefix of a loop whose repetitions are optional. A repetition with more
/// required bodies gets a chain of rules before the loop, which serves that bound only.
pub(in crate::network) const MOST_PREFIX: u32 = 7;

/// The repetitions of a body that remain at some point, at least one. `{2,5}` has two required and
/// three optional repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) struct Run {
    /// The number of required repetitions, at least one.
    pub(in crate::network) least: u32,
    /// The optional repetitions after the required ones.
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

/// The optional repetitions of a [`Run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) enum More {
    /// At most this many repetitions.
    UpTo(u32),
    /// A countdown from this value in a register, and after it the repetitions of a chain.
    Counted(u32),
    /// Any number of repetitions.
    Any,
}

/// The byte sets of a bounded tail: a bounded run of bytes whose last byte comes from a set of its
/// own, as in `[a-z-]{0,61}[a-z]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) struct TailBytes {
    /// Bytes after which the run may continue.
    pub(in crate::network) any: ByteSet,
    /// Bytes with which the run may end.
    pub(in crate::network) last: ByteSet,
}

impl TailBytes {
    /// Returns `any` and then `last` as bit sets of 8 words of 32 bits each.
    pub(in crate::network) fn to_words(self) -> [u32; 16] {
        let (any, last) = (self.any.to_words(), self.last.to_words());
        std::array::from_fn(|at| if at < 8 { any[at] } else { last[at - 8] })
    }
}

/// A rule made for a repetition. `usize` fields are the number of the repeated body in
/// [`Bodies`](super::bodies::Bodies).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::network) enum RepeatRule {
    /// The body as a rule of its own.
    Body(usize),
    /// The body, and then the rest of a run.
    Chain(usize, Run),
    /// `prefix` bodies, a loop of the body with a countdown, and then the run `end`. An optional
    /// loop may be left before the countdown ends.
    Loop { body: usize, prefix: u32, end: Run, is_optional: bool },
    /// A bounded tail (byte run with a last byte of its own) of at most this many bytes, as a chain
    /// of rules.
    TailChain(TailBytes, u32),
    /// A loop with a countdown over the bytes of a bounded tail (byte run with a last byte of its
    /// own), followed by a chain.
    TailLoop(TailBytes),
}

/// A call of a rule that is made for a repetition.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct RepeatCall {
    /// The called rule.
    pub(in crate::network) rule: RepeatRule,
    /// The countdown with which the register of the call begins. 0 if the rule has no register.
    pub(in crate::network) count: u32,
}

impl RepeatRule {
    /// Returns the call for a run of a body. `longest` is the most repetitions that one token can
    /// begin. It exceeds every bound if registers are not used.
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

    /// Returns the call for a bounded tail (byte run with a last byte of its own) of at most `most`
    /// bytes. `longest` is the most bytes of it that one token can contain.
    pub(in crate::network) fn of_tail(bytes: TailBytes, most: u32, longest: u32) -> RepeatCall {
        match most.checked_sub(longest) {
            None | Some(0) => RepeatCall { rule: Self::TailChain(bytes, most), count: 0 },
            Some(count) => RepeatCall { rule: Self::TailLoop(bytes), count },
        }
    }

    /// Returns the call that ends this rule, in tail position. Returns `None` if the rule ends
    /// without a call.
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

/// Whether a repetition is unrolled: at most one copy, or a product of `copies` and the body's
/// `size` in expression nodes of at most [`UNROLLED`].
pub(in crate::network) fn is_small(copies: u32, size: usize) -> bool {
    copies <= 1 || (copies as usize).saturating_mul(size) <= UNROLLED
}
