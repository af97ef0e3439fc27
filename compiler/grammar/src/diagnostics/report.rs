//! The exactness report, which front ends fill in and artifacts store unchanged.

pub use grammarc_artifacts::{Report, ReportEntry, Verdict};
