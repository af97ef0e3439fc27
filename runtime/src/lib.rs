//! The runtime of grammarc: hands a sampler the tokens that a grammar allows next.
//!
//! A compiler puts a grammar and its token masks into a grammar artifact. The vocabulary artifact has the masks that
//! all grammars of one tokenizer share. This crate maps the two files and follows a sequence through their tables.
//!
//! The crate has no parser and no regex engine. It walks over the vocabulary only if no mask is stored. A step
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
//! A position is a set of configurations, each a state and a stack of frames. Its mask is a union of stored masks: for
//! each configuration, the base mask of its state and the masks of its *follow chain*. The chain has the frames that a
//! token can reach into. Let *c* be the number of configurations, and *f* the length of the longest chain.
//!
//! | call | work |
//! | --- | --- |
//! | [`Matcher::mask`] | *c* x (1 + *f*) table entries; no mask is copied or composed |
//! | [`Matcher::accept`] | the bytes of the token x *c*, and the calls and returns of each byte |
//! | [`Matcher::accept_text`], [`Matcher::accept_bytes`] | the bytes of the text x *c*, and the calls and returns of each byte |
//! | [`Matcher::rollback`], [`Matcher::fork`] | constant; a fork copies its sequence before its first step |
//! | [`Mask::fill`], [`Mask::apply`] | the row of the host's logit width, once for each stored mask of the union |
//! | [`Mask::argmax`], [`Mask::sample`] | the allowed tokens of a sparse mask, otherwise the row, once or twice |
//! | [`Mask::log_mass`] | the allowed tokens or the forbidden ones, whichever are fewer; without the row's log-sum-exp, both |
//! | [`Mask::contains`] | a bit and two binary searches for each stored mask of the union |
//! | [`Matcher::fill_drafts`], [`Matcher::replay`] | a mask and an accept for each token |
//! | [`Matcher::ending`] | linear in the ending's bytes |
//! | [`batch`] | the sum of its rows, on one thread or many |
//!
//! The compiler derives bounds on *c* and *f*, prints them and records them in the artifact
//! ([`WorkBound`](grammarc_artifacts::WorkBound)). So the number of table reads for a mask is known before the first
//! token. It depends neither on the size of the vocabulary or the grammar, nor on the length of the output. There are
//! two qualifications:
//!
//! - A table read for a follow mask is a binary search among the entries of one return state.
//! - Some artifacts say *grows* in place of a number. Then *c* grows with the input, because ambiguities accumulate. Or
//!   *f* grows with the nesting, because a token may pass through any number of returns. The limits of
//!   [`MatcherOptions`] end that growth: [`Matcher::accept`] returns an error and does not change the matcher.
//!
//! Three cases take more than table reads:
//!
//! - A rule whose items must differ, such as `uniqueItems` over many values, or keys that `minProperties` counts. A
//!   mask walks the earlier items that begin with the text of the open one, and removes the few tokens that would
//!   repeat one. The artifact says whether its grammar has such rules.
//! - A packed string set, such as an `enum` of thousands of texts. A mask is a walk of bounded work along the token trie.
//! - An [unmasked](Grammar::early) grammar, whose masks are still computed. A mask is a walk without a bound.
//!
//! A sequence takes 32 bytes for each frame with its index, and 12 bytes for each configuration of the rollback window.
//! Frames are shared between configurations and positions, and right recursion adds none. Unreachable frames are
//! collected.
//!
//! # Tokens
//!
//! A grammar reads the bytes of text tokens and the ids of special tokens. Each matcher has a set of end tokens, chosen
//! by the host. They are allowed if the sequence may end, besides the tokens that the grammar allows. An end token that
//! the grammar does not take finishes the sequence. The host's logit row may be longer than the vocabulary's. Ids
//! beyond the vocabulary are never allowed.
//!
//! # Logits
//!
//! [`Mask::apply`], [`Mask::argmax`] and [`Mask::sample`] take rows of `f32`, [`F16`] or [`Bf16`] in place, at any
//! alignment. The logit of a forbidden token becomes negative infinity, NaN included. The logit of an allowed token
//! keeps its bits. The code is chosen once for the processor: AVX-512, AVX2, NEON or plain. A module of WebAssembly
//! that is built with `simd128` has a set of its own. All give the same bits.
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `drafter` | drafts for speculative decoding, in the spelling of the model's tokenizer |
//! | `mmap` (default) | mapped artifacts; without it, opening an artifact reads it into memory |
//! | `half` | rows of that crate's `f16` and `bf16` as logits |
//! | `rayon` | batches on the threads of a pool |
//!
//! # Rooms
//!
//! | module | content |
//! | --- | --- |
//! | `grammar`, `vocabulary` | opened artifacts, with the tables that are derived from them |
//! | `matcher`, `options`, [`error`] | what a host calls, and how calls fail |
//! | `lookahead`, `forced`, `drafts` | a sequence ahead of its matcher: tokens that are tried, forced runs, drafts |
//! | `explain` | why a token is refused, and where in the source that is said |
//! | `replay` | the masks of an output that is known |
//! | [`batch`] | many matchers at once |
//! | `bytes`, `positions` | matching without tokens: one text, or a search over many |
//! | [`flat`] | tables and positions as words, for devices |
//! | `step` | the position after bytes or a token |
//! | `position` | configurations, stacks, earlier positions, [exported](export) positions |
//! | `mask` | the stored masks that a position allows, and their union |
//! | `listed` | tokens that no stored mask has, found by walks along the token trie |
//! | `distinct` | items that must differ from those before them |
//! | `apply` | masks over rows of logits, and the choice of a token |
//! | `drafter` | drafts of tokens that the grammar forces, as chains and as trees |
//! | [`ending`] | the shortest way from a position to an end |
//! | `splitter` | the parts of an output: reasoning, text, calls of tools |
//!
//! Tests: `src/tests` against plain definitions; `tests/tests/suite` of the workspace for compiled grammars.

mod apply;
pub mod batch;
mod bytes;
mod distinct;
#[cfg(feature = "drafter")]
pub mod drafter;
mod drafts;
pub mod ending;
pub mod error;
mod explain;
pub mod flat;
mod forced;
mod grammar;
mod listed;
mod lookahead;
mod mask;
mod matcher;
mod options;
mod position;
mod positions;
mod replay;
mod sort;
mod splitter;
mod step;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use apply::Kernels;
pub use apply::formats::{Bf16, F16};
pub use apply::logit::Logit;
pub use bytes::ByteMatcher;
pub use explain::Explanation;
pub use forced::MAX_FORCED_RUN;
pub use grammar::Grammar;
pub use grammarc_artifacts::Error as OpenError;
pub use grammarc_artifacts::{Region, RegionKind};
pub use mask::union::{Mask, Tokens};
pub use matcher::Matcher;
pub use options::MatcherOptions;
pub use position::export;
pub use positions::{PositionId, Positions};
pub use splitter::{Piece, Splitter};
pub use vocabulary::Vocabulary;
