//! Network times token trie: base masks, exit classes and follow masks of every state and pair that can occur (DESIGN
//! section 3).
//!
//! | file | what |
//! | --- | --- |
//! | [`outcome`] | what becomes of byte strings: the tokens consumed, the nodes at which the rule is left |
//! | [`walk`] | runs a state over a subtree of the trie |
//! | [`sweep`] | runs wide states over whole subtrees |
//! | [`take`] | takes over the base mask of a shared state, but for the subtrees where the two part |
//! | [`moves`] | where single bytes lead, and on which a state parts from a shared one |
//! | [`part`] | an own state and a shared one side by side |
//! | [`pairs`] | on which bytes two such states part |
//! | [`parting`] | below which nodes they can |
//! | [`agree`] | for how many bytes states do the same |
//! | [`history`] | the classes of a state in all rounds |
//! | [`partition`] | classes of such states, one byte more in each round |
//! | [`doubles`] | states whose outcomes are those of others |
//! | [`endless`] | rules before a countdown, and rules without one that do the same |
//! | [`tails`] | states that do nothing but begin another rule |
//! | [`twins`] | states that do the same as another with every token |
//! | [`copies`] | states that do the same with every piece of a token |
//! | [`leads`] | where two states lead apart |
//! | [`pieces`] | the pieces of tokens |
//! | [`behind`] | what may come behind a string of a shared rule within a token |
//! | [`literals`] | states from which no token leads out of a literal |
//! | [`depart`] | derives base masks of states from those of others that do the same for some bytes |
//! | [`abreast`] | many such states on several threads |
//! | [`lanes`] | such states beside their models, many at once |
//! | [`stretch`] | states that stay within some characters for a while |
//! | [`beside`] | places of long chains, which part from their models with long strings alone |
//! | [`words`] | the strings of the trie by the kinds of their characters |
//! | [`nodes`] | what is below the nodes of the trie |
//! | [`rows`] | wide states as a table |
//! | [`shared`] | outcomes that the vocabulary's stored masks already tell |
//! | [`sources`] | which shared state goes to another on a byte |
//! | [`alike`] | shared states that do the same |
//! | [`same`] | shared states that do the same for some bytes |
//! | [`children`] | the children of the trie's nodes by their bytes |
//! | [`fronts`] | the nodes that some bytes lead to from those of an exit class |
//! | [`classes`] | interns sets of exit nodes |
//! | [`draw`] | draws sets of tokens as ids, rows or differences |
//! | [`ranks`] | the ranks of the tokens of masks that others are derived from |
//! | [`pool`] | turns sets of tokens into mask records: dense rows, differences, lists |
//! | [`remembered`] | outcomes below the root, shared by the walkers |
//! | [`kept`] | outcomes in blocks of memory that many share |
//! | [`ordered`] | brings token ids in order |
//! | [`reach`] | which pairs of return state and exit class can occur |
//! | [`chain`] | the longest chain of follow masks |
//! | [`rest`] | items that threads share |
//! | [`schedule`] | several threads, and results in the order of the work |
//! | [`compute`](mod@compute) | all of it for a network |
//! | [`spell`] | states in which no token may end, where the vocabulary lacks a byte |

mod abreast;
pub mod agree;
mod alike;
mod behind;
mod beside;
mod chain;
pub mod children;
pub mod classes;
pub mod compute;
mod copies;
mod depart;
mod doubles;
mod draw;
mod endless;
mod fronts;
mod history;
mod kept;
mod lanes;
mod leads;
mod literals;
mod moves;
mod nearest;
mod nodes;
mod ordered;
pub mod outcome;
mod pairs;
mod part;
mod parting;
mod partition;
mod pieces;
mod pool;
mod ranks;
mod reach;
mod remembered;
mod rest;
mod rows;
mod same;
mod schedule;
#[cfg(test)]
mod setting;
pub mod shared;
mod sources;
pub mod spell;
mod stretch;
mod sweep;
mod tails;
mod take;
mod twins;
pub mod walk;
mod words;

pub(crate) use compute::compute;
pub use compute::{MaskError, MaskLimits, Masks};
