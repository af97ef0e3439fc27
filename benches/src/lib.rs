//! Code that the benches and the differential tests share: the inputs, and the two engines behind small handles.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`clock`] | wall time, and the CPU time of the process |
//! | [`counts`] | sums over the masks of known texts |
//! | [`densities`] | mask words from nearly empty to nearly full |
//! | [`fit`] | exponents of growth |
//! | [`inputs`] | the Llama 3.1 tokenizer and MaskBench, if the data is present |
//! | [`latency`] | times of the calls of a step |
//! | [`maskbench`] | schemas judged by valid and invalid instances |
//! | [`machine`] | the machine and the versions, for the head of a table |
//! | [`ours`] | a vocabulary artifact with the shared rules of JSON, and sources compiled for it |
//! | [`peer`] | llguidance over the same token bytes |
//! | [`plot`] | plots as SVG |
//! | [`table`] | percentiles and their output |
//! | [`threads`] | the number of parallel threads |
//!
//! Both engines get the token bytes of one vocabulary artifact, so a difference between them is in the masks and
//! never in the import.

pub mod clock;
pub mod counts;
pub mod densities;
pub mod edits;
pub mod fit;
pub mod inputs;
pub mod latency;
pub mod machine;
pub mod maskbench;
pub mod ours;
pub mod peer;
pub mod plot;
pub mod table;
pub mod threads;
