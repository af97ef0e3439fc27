//! The exactness report, which front ends fill and artifacts keep as it is.

pub use grammarc_artifacts::{Report, ReportEntry, Verdict};
