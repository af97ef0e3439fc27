//! Records of tools that a grammar leaves out because they do not compile.
//!
//! The report has an entry for each of them, from which [`excluded_tools`] reads the record again. The grammar accepts
//! less than the request allows, so the verdict is [`Verdict::Narrower`].

use std::fmt::Write as _;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::{Report, Verdict};
use grammarc_json_schema::document::{Document, NodeId};

use super::builder::TagBuilder;
use super::format::Format;

/// The keyword of the report's entries for tools that are left out.
const KEYWORD: &str = "on_refused";

/// The text between the name of a tool and the reason in an entry of the report. No name that a tool may have contains
/// it. Of a tool that is left out for its name, the name may be read back shorter.
const LEFT_OUT: &str = "` is left out: ";

/// A tool that a grammar leaves out, because it does not compile. No call of the tool is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedTool {
    /// The name of the tool.
    pub name: String,
    /// JSON pointer to the fault in the source.
    pub pointer: String,
    /// Code of the error, such as `json-schema::state-limit`.
    pub code: String,
    /// Message of the error.
    pub message: String,
}

impl ExcludedTool {
    /// Returns the reason of the report's entry.
    fn reason(&self) -> String {
        let Self { name, code, message, .. } = self;
        format!("the tool `{name}{LEFT_OUT}{code}: {message}")
    }
}

/// Returns the tools that a grammar leaves out, by the report of its compilation.
pub fn excluded_tools(report: &Report) -> Vec<ExcludedTool> {
    let entries = report.entries().filter(|entry| entry.keyword == KEYWORD);
    let tools = entries.filter_map(|entry| {
        let (name, reason) = entry.reason.strip_prefix("the tool `")?.split_once(LEFT_OUT)?;
        let (code, message) = reason.split_once(": ")?;
        let [name, pointer, code, message] =
            [name, entry.pointer, code, message].map(str::to_owned);
        Some(ExcludedTool { name, pointer, code, message })
    });
    tools.collect()
}

/// A tool that is left out, with its place.
#[derive(Clone, Debug)]
pub(super) struct LeftOut {
    /// The place of the tool in its list.
    pub(super) at: NodeId,
    pub(super) tool: ExcludedTool,
    /// The advice of the error, if it has any.
    help: Option<String>,
}

impl LeftOut {
    /// Creates the record of a tool that has `errors`, at least one.
    pub(super) fn new(
        document: &Document<'_>,
        at: NodeId,
        name: &str,
        errors: &[Diagnostic],
    ) -> Self {
        let first = errors.first();
        let own = first.and_then(|error| error.pointer.clone());
        let pointer = own.unwrap_or_else(|| document.pointer(at));
        let (code, message) = first.map_or(("", ""), |error| (error.code, error.message.as_str()));
        let [name, code, message] = [name, code, message].map(str::to_owned);
        let help = first.and_then(|error| error.help.clone());
        Self { at, tool: ExcludedTool { name, pointer, code, message }, help }
    }

    /// Returns the advice for a request that cannot do without the tool.
    pub(super) fn help(&self) -> String {
        let ExcludedTool { name, pointer, code, message } = &self.tool;
        let help = self.help.iter().map(|help| format!("; {help}")).collect::<String>();
        format!("`{name}` does not compile: {message} ({code} at {pointer}){help}")
    }
}

/// The arguments of a tool that is left out if they do not compile.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The place of the tool in its list.
    pub(super) at: NodeId,
    pub(super) name: String,
    pub(super) arguments: Format,
}

/// Adds the tools that are left out to the report and the findings.
pub(super) fn note(left_out: &[LeftOut], builder: &mut TagBuilder<'_>) {
    for LeftOut { at, tool, help } in left_out {
        let pointer = |text: &mut String| _ = text.write_str(&tool.pointer);
        builder.outer.report.add(pointer, KEYWORD, Verdict::Narrower, tool.reason().into());
        let ExcludedTool { name, message, .. } = tool;
        let text = format!("the tool `{name}` is left out, because it does not compile: {message}");
        let warning = Diagnostic::warning("structural-tag::excluded-tool", text);
        let warning = builder.document.place(warning, *at);
        let help = help.clone().unwrap_or_else(|| "the model cannot call it".to_owned());
        builder.outer.findings.push(warning.with_help(help).with_pointer(tool.pointer.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_has_what_was_left_out() {
        let [name, pointer] = ["a.b: c", "/tools/0"].map(str::to_owned);
        let (code, message) = ("x::y".to_owned(), "too large: 7 of `5`".to_owned());
        let tool = ExcludedTool { name, pointer, code, message };
        let mut report = Report::default();
        report.add(|text| text.push_str("/a/type"), "type", Verdict::Exact, "".into());
        let pointer = |text: &mut String| text.push_str(&tool.pointer);
        report.add(pointer, KEYWORD, Verdict::Narrower, tool.reason().into());
        assert_eq!(excluded_tools(&report), [tool]);
    }
}
