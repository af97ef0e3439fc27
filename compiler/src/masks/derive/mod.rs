//! Outcomes of states derived from those of their references, many at once.
//!
//! | file | what |
//! | --- | --- |
//! | [`batch`] | the differences of many states from their references in one pass over the trie |
//! | [`product`] | product states of such a batch, interned |
//! | [`early`] | states that differ from their references on short strings, one by one |
//! | [`cuts`] | graded states with few ticks left, from the same with many |
//! | `ticks` | the walks that find these |
//! | `tick_pairs` | how soon texts tell those from these |
//! | `covers` | graded states that do what another one does for as long as they go on |
//! | `rule_steps` | the steps of a rule with a graded counter |
//! | [`char_runs`] | states that stay within a class of characters: tokens by length |

pub(crate) mod batch;
pub(crate) mod char_runs;
mod covers;
pub(crate) mod cuts;
pub(crate) mod early;
pub(crate) mod product;
mod rule_steps;
mod tick_pairs;
mod ticks;
