//! The shortest way from a position to an end: the text that a host appends to an output that was cut off.
//!
//! ```text
//! position ─ costs ─► route: the shortest text, in bytes ─► fewest: its tokens ─► accept, on a fork
//!                        ▲                                                           │ refused
//!                        └──────── a token that the mask has, nearest an end ◄───────┘
//! ```
//!
//! | file | content |
//! | --- | --- |
//! | `search` | the ending of a position, as tokens |
//! | `costs` | for every state, the least cost to leave its rule, computed once for a grammar |
//! | `text_costs` | for every node of a packed string set, the length of the shortest text from there |
//! | `route` | the shortest text that ends a position |
//! | `fewest` | the fewest tokens that spell a text |
//! | `spell` | tokens of a text under the masks, with backtracking |
//!
//! A route depends on states and stacks alone. The vocabulary may be unable to spell it, or it may repeat an item that
//! must differ. So its tokens are tried on a fork. If one is refused, the search takes the token of the mask that is
//! nearest an end, and continues from there.
//!
//! Cost: O(bytes of the ending x longest token), and one pass over the mask for each refused token.
//!
//! Tests: `src/tests/endings.rs`; unit tests in `fewest`.

pub(crate) mod costs;
mod fewest;
mod route;
mod search;
mod spell;
mod text_costs;

pub use self::route::Unit;
pub(crate) use self::route::shortest;
pub use self::spell::{next_token, spell, units_of};
