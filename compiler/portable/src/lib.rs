//! Portable schemas: checks how providers and engines treat a JSON Schema, and rewrites it in the form that each
//! accepts.
//!
//! ```text
//! schema ── places ──► check ──► findings
//!              │         ▲
//!              └─────────┴─ pack: what a target does with each keyword
//!
//! schema ── lower ──► a schema that the target takes, and how both relate
//! ```
//!
//! | room | what it does |
//! | --- | --- |
//! | `pack` | packs of targets as data, each rule with source, date and certainty |
//! | `places` | walks a schema: each subschema with its pointer and reference |
//! | `predicates` | the conditions of rules |
//! | `check` | findings, counts over requests, diagnostics, SARIF |
//! | `answers` | differences and witnesses as data; lists of tools |
//! | `lower` | rewritings, stand-ins and the relation to the source |
//!
//! Tests: `tests/packs.rs`, `tests/engines.rs`, `tests/lower.rs`, `tests/maskbench.rs`.

mod answers;
mod check;
mod counts;
mod finding;
mod lower;
mod pack;
mod pack_error;
mod places;
mod predicates;
mod rewritings;

pub use answers::difference::{
    ChangeValue, Compatible, DiffError, Difference, ReasonValue, SideValue, differences,
};
pub use answers::tools::tools;
pub use answers::witnessed::{Undecided, Witnessed};
pub use check::diagnostics::diagnostics;
pub use check::notes::notes;
pub use check::sarif::sarif;
pub use check::{Tool, check, check_request};
pub use finding::{Certainty, Finding, Severity, Treatment};
pub use lower::lower;
pub use lower::options::{Gives, Keep, Lost, LowerError, LowerOptions, Lowered, Rewritten};
pub use lower::stand_ins::{Denotes, StandIn, unstand};
pub use pack::{OldPack, Pack, SourceOf, Unit, UnknownTarget, pack, packs};
pub use pack_error::PackError;
