//! Runtime.
mod apply;
mod bytes;
pub mod error;
pub mod export;
mod forced;
mod grammar;
mod mask;
mod matcher;
mod options;
mod pool;
mod position;
mod sequence;
mod stack;
mod step;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trail;

pub use bytes::ByteMatcher;
pub use forced::MAX_FORCED_RUN;
pub use grammar::{Grammar, Vocabulary};
pub use mask::{Mask, Tokens};
pub use matcher::Matcher;
pub use options::MatcherOptions;
