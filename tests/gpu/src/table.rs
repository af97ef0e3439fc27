//! The report: one table in Markdown.

use std::fmt::Write;

/// Rows of a figure, with what it is, what it was, and beside it what it is compared to.
#[derive(Debug, Default)]
pub(crate) struct Table(String);

impl Table {
    pub(crate) fn new(device: &str) -> Self {
        Self(format!(
            "# Kernels on {device}\n\n| what | figure | beside it |\n| --- | --: | --- |\n"
        ))
    }

    pub(crate) fn row(
        &mut self,
        what: impl std::fmt::Display,
        figure: impl std::fmt::Display,
        beside: impl std::fmt::Display,
    ) {
        _ = writeln!(self.0, "| {what} | {figure} | {beside} |");
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}
