//! Tests of the whole runtime; those of one part are beside it.

mod batches;
mod definition;
mod directed;
mod distinct;
mod drafts;
mod endings;
mod masses;
mod packed_strings;
mod picks;
mod unmasked;
