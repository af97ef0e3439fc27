//! Tests of the whole runtime; those of one part are beside it.

mod batches;
mod catalogues;
mod definition;
mod directed;
mod drafts;
mod early;
mod endings;
mod picks;
