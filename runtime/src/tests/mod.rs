//! Tests of the whole runtime; those of one part are beside it.

mod definition;
mod directed;
