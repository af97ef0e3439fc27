//! Tools of the tests of the whole: an oracle for masks, random cases, and the comparison of the two.
//!
//! | module | what |
//! | --- | --- |
//! | [`oracle`] | masks by brute force from the grammar IR alone |
//! | [`case`](mod@case) | a grammar and a vocabulary, and the way from there to a matcher |
//! | [`random`] | random cases, from a seed |
//! | [`mix`] | which kinds of grammar a run of random cases met |
//! | [`compare`] | holds the compiled masks of a case against the oracle |
//! | [`shrink`] | makes a failing case small |
//! | [`schemas`] | JSON schemas compiled for single bytes, and texts judged by the masks |
//! | [`sources`] | grammars from texts and from `grammars/` |
//! | [`tags`] | structural tags by their definition, and random ones |
//! | [`traces`] | what was done with matchers, as a stream that bindings are held to |
//! | [`vocabularies`] | vocabularies to compile for |
//! | [`processor_time`] | time spent, whatever else the machine does |
//! | [`layers`] | which room of the sources uses which |
//! | [`circles`] | which files of a crate use each other |
//!
//! The tests themselves are four binaries:
//!
//! | binary | what it holds the whole to |
//! | --- | --- |
//! | `suite` | promises, by oracles and random cases; needs no data |
//! | `maskbench` | real schemas and a real vocabulary: what the masks lead to is valid, what is valid passes |
//! | `schemas` | JSON Schema: the official suite, the `jsonschema` crate's verdicts, bounds, scale, hostile schemas |
//! | `peer` | llguidance's masks, bit by bit |

pub mod case;
pub mod circles;
pub mod compare;
pub mod counters;
pub mod layers;
mod methods;
pub mod mix;
pub mod oracle;
pub mod processor_time;
pub mod random;
pub mod schemas;
pub mod shrink;
pub mod sources;
pub mod tags;
pub mod traces;
pub mod vocabularies;
