//! The runtime of grammarc: hands a sampler the tokens that a grammar allows next.
//!
//! A grammar was compiled offline, together with its token masks, into a grammar artifact; the masks that all grammars
//! of one tokenizer share are in the vocabulary artifact. This crate maps the two files and follows a sequence through
//! their tables. It has no parser and no regex engine, walks over the vocabulary only where no mask is stored, and a step
//! allocates nothing once a matcher's buffers have grown.
//!
//! ```no_run
//! use grammarc_runtime::{Grammar, Matcher, Vocabulary};
//!
//! # fn logits_of_the_model(_: &[u32]) -> Vec<f32> { Vec::new() }
//! # fn sample(_: &[f32]) -> u32 { 0 }
//! let vocabulary = Vocabulary::open("llama3.gvocab")?;
//! let grammar = Grammar::open("invoice.gmask", &vocabulary)?;
//!
//! let mut matcher = Matcher::new(&grammar);
//! let mut tokens = Vec::new();
//! while !matcher.is_finished() {
//!     let mut logits = logits_of_the_model(&tokens);
//!     matcher.mask().apply(&mut logits)?;
//!     let token = sample(&logits);
//!     matcher.accept(token)?;
//!     tokens.push(token);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What O(1) per step means
//!
//! A position is a set of configurations, each a state and a stack of frames. The mask of a position is the union of
//! stored masks: for each configuration the base mask of its state, and the follow masks of the frames that a token
//! can reach into, which are the *follow chain*. Write *c* for the number of configurations and *f* for the length of
//! the longest chain.
//!
//! | call | work |
//! | --- | --- |
//! | [`Matcher::mask`] | *c* x (1 + *f*) table entries; no mask is copied or composed |
//! | [`Matcher::accept`] | the bytes of the token x *c*, plus the calls and returns that a byte passes through |
//! | [`Matcher::accept_text`] | the same for the bytes of the text |
//! | [`Matcher::rollback`], [`Matcher::fork`] | constant; a fork copies its sequence when it first moves |
//! | [`Mask::fill`], [`Mask::apply`] | the row of the host's logit width, once for each stored mask of the union |
//! | [`Mask::argmax`], [`Mask::sample`] | the allowed tokens of a sparse mask; else the row, once or twice |
//! | [`Mask::contains`] | a bit and two binary searches for each stored mask of the union |
//! | [`Matcher::fill_drafts`] | a mask and an accept for each draft |
//! | [`Matcher::ending`] | linear in the ending's bytes |
//! | [`batch`] | the sum of its rows, on one thread or many |
//!
//! The compiler derives bounds on *c* and *f* from the tables, records them in the artifact
//! ([`WorkBound`](grammarc_artifacts::WorkBound)) and prints them. So a mask reference takes a number of table reads
//! that is known before the first token and that does not depend on the size of the vocabulary, on the size of the
//! grammar or on the length generated. Two qualifications. A table read for a follow mask is a binary search among the
//! entries of one return state. And where the artifact says *grows* instead of a number, *c* grows with the input
//! because the grammar is ambiguous in ways that accumulate, or *f* with the nesting because a token may pass through
//! any number of returns; the limits of [`MatcherOptions`] end that growth, and [`Matcher::accept`] then returns an
//! error and leaves the matcher as it was.
//!
//! Three cases are not table reads. The first is a rule whose items must differ, such as `uniqueItems` over many values or keys
//! that `minProperties` counts. There a mask walks the earlier items that begin with the text of the open one, and removes the
//! few tokens that would repeat one. The artifact says whether its grammar has such rules. The second is a catalogue, such as
//! an `enum` of thousands of texts: a mask is a walk of bounded work along the token trie. The third is an
//! [early](Grammar::early) grammar, whose masks are still computed: it finds each by such a walk without a bound.
//!
//! The memory of a sequence is its frames, 16 bytes each and twice over with their index, and 12 bytes for each
//! configuration of the rollback window. Frames are shared between configurations and positions, right recursion makes
//! none, and those that are no longer reached are collected.
//!
//! # Tokens
//!
//! A grammar reads the bytes of text tokens and the ids of special tokens. End tokens are the host's, a set for each
//! matcher: they are allowed where the sequence may end, besides whatever the grammar allows, and one that the grammar
//! does not take itself finishes the sequence. The host's logit row may be longer than the vocabulary's; ids in
//! between are never allowed.
//!
//! # Logits
//!
//! [`Mask::apply`], [`Mask::argmax`] and [`Mask::sample`] take rows of `f32`, [`F16`] or [`Bf16`], where they lie and at any
//! alignment. The logit of a token that is not allowed becomes negative infinity, NaN included; that of an allowed
//! token keeps its bits. The code is chosen once for the processor: AVX-512, AVX2, NEON or plain, with the same result
//! to the last bit.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `mmap` (default) | artifacts that are mapped; without it, they are read into memory when they are opened |
//! | `half` | rows of that crate's `f16` and `bf16` as logits |
//! | `rayon` | batches on the threads of a pool |
//!
//! # Rooms
//!
//! | module | what it answers |
//! | --- | --- |
//! | `grammar` | opened artifacts |
//! | `matcher`, `options`, `forced`, `drafts`, `bytes` | what a host calls |
//! | [`ending`] | the shortest way from a position to an end |
//! | [`batch`] | many matchers at once |
//! | `splitter` | the parts of an output: reasoning, text, calls of tools |
//! | `sequence`, `trail` | one sequence: advance by a token, take back |
//! | `run`, `moves` | a token while there is one configuration and nothing to choose: nearly always |
//! | `step` | what one byte does to a position, however many configurations it has |
//! | `position`, `stack`, `state_ranges` | configurations, frames, sets of states |
//! | `positions` | many texts at once, their positions by number: for searches over texts |
//! | `distinct` | items that must differ from those before them |
//! | `chains` | which stored masks a position allows |
//! | `listing`, `catalogue`, `early`, `below` | tokens that no stored mask has: found by walks along the token trie |
//! | `mask`, `pool`, `lists` | stored masks and their tokens |
//! | `pick` | the greatest allowed logit, and draws |
//! | `logit`, `apply` | types of logits; mask words on rows of them: plain, AVX2, AVX-512, NEON |
//! | `texts` | the bytes of tokens |
//! | [`export`] | positions as bytes |
//! | [`error`] | one type of error for each kind of call |

mod apply;
pub mod batch;
mod below;
mod bytes;
mod catalogue;
mod chains;
mod distinct;
mod drafts;
mod early;
pub mod ending;
pub mod error;
pub mod export;
pub mod flat;
mod forced;
mod grammar;
mod listing;
mod lists;
mod logit;
mod mask;
mod matcher;
mod moves;
mod options;
mod parts;
mod pick;
mod pool;
mod position;
mod positions;
mod run;
mod sequence;
mod splitter;
mod stack;
mod state_ranges;
mod step;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod texts;
mod trail;
mod version;

pub use apply::Kernels;
pub use bytes::ByteMatcher;
pub use forced::MAX_FORCED_RUN;
pub use grammar::{Grammar, Vocabulary};
pub use grammarc_artifacts::Error as OpenError;
pub use grammarc_artifacts::{Region, RegionKind};
pub use logit::{Bf16, F16, Logit};
pub use mask::{Mask, Tokens};
pub use matcher::Matcher;
pub use options::MatcherOptions;
pub use positions::{PositionId, Positions};
pub use splitter::{Piece, Splitter};
