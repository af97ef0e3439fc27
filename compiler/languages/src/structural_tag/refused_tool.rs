//! Records of tools that do not compile: a grammar leaves them out, or does not enforce all of their schemas.
//!
//! The report has an entry for each of them, from which [`refused_tools`] reads the record again.

use std::fmt::Write as _;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::{Report, Verdict};
use grammarc_json_schema::document::{Document, NodeId};

use super::builder::TagBuilder;
use super::format::Format;

/// The keyword of the report's entries for tools that do not compile.
const KEYWORD: &str = "on_refused";

/// What a grammar does with a tool that does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolState {
    /// It enforces only those parts of the tool's schema that compile.
    Loosened,
    /// It accepts any object as arguments of the tool.
    AnyObject,
    /// It accepts no call of the tool.
    LeftOut,
}

impl ToolState {
    /// All states.
    const ALL: [Self; 3] = [Self::Loosened, Self::AnyObject, Self::LeftOut];

    /// Returns the name of the state, such as `left-out`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loosened => "loosened",
            Self::AnyObject => "any-object",
            Self::LeftOut => "left-out",
        }
    }

    /// Returns the text between the name of a tool and the reason in an entry of the report. No name that a tool may have
    /// contains it. Of a tool that is left out for its name, the name may be read back shorter.
    fn words(self) -> &'static str {
        match self {
            Self::Loosened => "` is not enforced in part: ",
            Self::AnyObject => "` takes any object: ",
            Self::LeftOut => "` is left out: ",
        }
    }

    /// Whether the grammar accepts less than the request allows, or possibly more.
    fn verdict(self) -> Verdict {
        match self {
            Self::Loosened | Self::AnyObject => Verdict::Approximate,
            Self::LeftOut => Verdict::Narrower,
        }
    }
}

/// A tool that does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedTool {
    /// The name of the tool.
    pub name: String,
    /// What the grammar does with it.
    pub state: ToolState,
    /// JSON pointer to the fault in the source.
    pub pointer: String,
    /// Code of the error, such as `json-schema::state-limit`.
    pub code: String,
    /// Message of the error.
    pub message: String,
}

impl RefusedTool {
    /// Returns the reason of the report's entry.
    fn reason(&self) -> String {
        let Self { name, state, code, message, .. } = self;
        format!("the tool `{name}{}{code}: {message}", state.words())
    }
}

/// Returns the tools that do not compile, by the report of a grammar's compilation.
pub fn refused_tools(report: &Report) -> Vec<RefusedTool> {
    let entries = report.entries().filter(|entry| entry.keyword == KEYWORD);
    let tools = entries.filter_map(|entry| {
        let rest = entry.reason.strip_prefix("the tool `")?;
        // A message may quote words of another state: those of the entry come first.
        let found = ToolState::ALL.map(|state| Some((rest.find(state.words())?, state)));
        let (at, state) = found.into_iter().flatten().min_by_key(|&(at, _)| at)?;
        let (name, reason) = (&rest[..at], &rest[at + state.words().len()..]);
        let (code, message) = reason.split_once(": ")?;
        let [name, pointer, code, message] =
            [name, entry.pointer, code, message].map(str::to_owned);
        Some(RefusedTool { name, state, pointer, code, message })
    });
    tools.collect()
}

/// A tool that does not compile, with its place.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// The place of the tool in its list.
    pub(super) at: NodeId,
    pub(super) tool: RefusedTool,
    /// The advice of the error, if it has any.
    help: Option<String>,
}

impl Refused {
    /// Creates the record of a tool that has `errors`, at least one.
    pub(super) fn new(
        document: &Document<'_>,
        at: NodeId,
        name: &str,
        state: ToolState,
        errors: &[Diagnostic],
    ) -> Self {
        let first = errors.first();
        let own = first.and_then(|error| error.pointer.clone());
        let pointer = own.unwrap_or_else(|| document.pointer(at));
        let (code, message) = first.map_or(("", ""), |error| (error.code, error.message.as_str()));
        let [name, code, message] = [name, code, message].map(str::to_owned);
        let help = first.and_then(|error| error.help.clone());
        Self { at, tool: RefusedTool { name, state, pointer, code, message }, help }
    }

    /// Returns the advice for a request that cannot do without the tool.
    pub(super) fn help(&self) -> String {
        let RefusedTool { name, pointer, code, message, .. } = &self.tool;
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

/// Adds the tools that do not compile to the report and the findings.
pub(super) fn note(refused: &[Refused], builder: &mut TagBuilder<'_>) {
    for Refused { at, tool, help } in refused {
        let pointer = |text: &mut String| _ = text.write_str(&tool.pointer);
        builder.outer.report.add(pointer, KEYWORD, tool.state.verdict(), tool.reason().into());
        let RefusedTool { name, message, .. } = tool;
        let (code, text, then) = match tool.state {
            ToolState::LeftOut => (
                "structural-tag::excluded-tool",
                format!("the tool `{name}` is left out, because it does not compile: {message}"),
                "the model cannot call it",
            ),
            ToolState::Loosened => (
                "structural-tag::loosened-tool",
                format!("a part of the tool `{name}` is not enforced: {message}"),
                "validate its arguments before use",
            ),
            ToolState::AnyObject => (
                "structural-tag::loosened-tool",
                format!("the tool `{name}` takes any object: {message}"),
                "validate its arguments before use",
            ),
        };
        let warning = builder.document.place(Diagnostic::warning(code, text), *at);
        let help = help.clone().unwrap_or_else(|| then.to_owned());
        builder.outer.findings.push(warning.with_help(help).with_pointer(tool.pointer.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_has_what_was_left_out() {
        let [name, pointer] = ["a.b: c", "/tools/0"].map(str::to_owned);
        let (code, message) = (
            "x::y".to_owned(),
            "too large: 7 of `5` is not enforced in part: `5` is left out: x".to_owned(),
        );
        for state in ToolState::ALL {
            let [name, pointer, code, message] =
                [&name, &pointer, &code, &message].map(Clone::clone);
            let tool = RefusedTool { name, state, pointer, code, message };
            let mut report = Report::default();
            report.add(|text| text.push_str("/a/type"), "type", Verdict::Exact, "".into());
            let pointer = |text: &mut String| text.push_str(&tool.pointer);
            report.add(pointer, KEYWORD, state.verdict(), tool.reason().into());
            assert_eq!(refused_tools(&report), [tool]);
        }
    }
}
