//! Structural tags: JSON documents that describe free text with tags, which lead to schemas, grammars and patterns.
//!
//! ```text
//! {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<tool_call>"], "tags": [...]}}
//!
//! document -> formats (read) -> rules (lower), free text by Aho-Corasick (free_text)
//!                  ▲                │
//!                  └── refused ◄────┘ without the tools that do not compile (`on_refused`)
//! ```
//!
//! The formats are the formats of XGrammar 0.2.9, with the older form `structures`. A format denotes sequences of bytes
//! and special tokens:
//!
//! - The text of a special token of the vocabulary, also within a longer string, denotes that token ([`Tokens`]). The
//!   findings list these tokens.
//! - Free text is UTF-8 without special tokens. It does not contain triggers, excluded texts or the ends of the tags
//!   around it, neither as tokens nor spelled by other tokens. A trigger or end takes effect at its leftmost
//!   occurrence. It is not part of the text, so it may contain an excluded text.
//! - Schemas are read by the front end of JSON Schema with its options. With `any_order`, required keys come, and named
//!   keys come once. In objects of more than eight named keys, each may come again, and the report says so.
//!
//! There are three differences from XGrammar. Unknown keys and types are errors. A trigger may not contain another one.
//! `max_tokens` is left to the host, with a warning.
//!
//! | tests | of what |
//! | --- | --- |
//! | `tests.rs` | single formats by example, and errors with their places |
//! | `compiler/tests/structural_tags` | requests of tools and members as tags: verdicts of XGrammar, an oracle for members, errors |
//! | `tests/tests/suite/tags.rs` | random trees of formats: masks by brute force, texts by the definition of the formats |
//! | `tests/tests/suite/special.rs` | special tokens in the strings of tags and of grammars within |
//! | `tests/tests/suite/calls.rs` | calls as chat templates write them, token by token |
//! | `tests/tests/suite/tool_walks.rs` | tools of a benchmark with real vocabularies: calls that masks lead to are valid |
//! | `tests/tests/suite/splitter.rs` | outputs split into their parts (`runtime`) |
//! | `generate/calls/src/arguments/tests.rs` | arguments as tags converted to JSON (`generate/calls`) |

mod builder;
mod counts;
mod dispatch;
mod fields;
mod format;
mod inner_sources;
mod lower;
mod members;
mod options;
mod read;
mod refused;
mod refused_tool;
mod suffix;
#[cfg(test)]
mod tests;
mod texts;
mod tools;
mod triggers;

use super::inner;
use super::inner::NoInnerSources;
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, Lowered, Origin};
use grammarc_json_schema::document::{Codes, Document};

pub use members::{MemberStyle, ValueStyle};
pub use options::{OnRefused, StructuralTagOptions, Tokens};
pub use refused_tool::{RefusedTool, ToolState, refused_tools};

use builder::TagBuilder;
use inner_sources::InnerSources;
use lower::Lowering;
use refused::read_without_refused;
use texts::Texts;

const CODES: Codes =
    Codes { syntax: "structural-tag::syntax", duplicate_key: "structural-tag::duplicate-key" };

/// Returns the names of all styles for `{"type": "tools", "style": ...}`, without aliases.
pub fn styles() -> impl Iterator<Item = &'static str> {
    tools::styles()
}

/// Whether a source is a list of tools as a whole, and no structural tag: a JSON array, or an object with `tools` that
/// names no format. Such a source needs the option `style`. `false` if the text is no JSON. Cost: O(length of the text).
pub fn is_tool_list(text: &str) -> bool {
    let source = Source::new("", text);
    let parsed = Document::parse(&source, CODES, &Budget::new());
    parsed.is_ok_and(|(document, _)| tools::is_list(&document, document.root()))
}

/// Whether there is a style of tool calls with this name or alias.
pub fn is_style(name: &str) -> bool {
    tools::is_style(name)
}

/// Returns the notation of the arguments of tool calls in a style. The style is given by name or alias. `None` if the
/// style is unknown or writes arguments as JSON.
pub fn member_style(style: &str) -> Option<&'static MemberStyle> {
    tools::member_style(style)
}

/// Lowers a structural tag to the grammar IR. Grammars in the tag may not contain sources of other languages.
/// [`FrontEnd::lower_for`](super::FrontEnd::lower_for) accepts those too.
///
/// # Errors
///
/// Returns all errors of the document in the order in which they are found. They are errors of syntax, formats,
/// triggers, tokens and inner sources (schemas, grammars and patterns). If the budget is spent, returns that error
/// alone.
pub fn lower(
    source: Source,
    options: &StructuralTagOptions,
    controls: &ControlTokens,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_with(source, options, controls, &NoInnerSources, budget)
}

/// Lowers a structural tag to the grammar IR. `reader` lowers the sources of other languages in its grammars.
pub(crate) fn lower_with(
    source: Source,
    options: &StructuralTagOptions,
    controls: &ControlTokens,
    reader: &dyn inner::Reader,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    let parsed = Document::parse(&source, CODES, budget);
    let (document, _) = parsed.map_err(|error| vec![budget.blame(error)])?;
    budget.check_in_source()?;
    let texts = Texts::new(controls, options.tokens);
    let mut builder = TagBuilder::new(&source, &document, texts);
    let mut inner = InnerSources::new(options, reader, budget);
    let (format, left_out) =
        read_without_refused(&document, options, controls, &mut inner, &mut builder, budget)?;
    let mut lowering = Lowering::new(builder, inner);
    let root = lowering.builder.outer.builder.declare("root");
    let expr = lowering.format(&format);
    budget.check_in_source()?;
    let mut built = lowering.builder;
    if expr == Expr::Never && built.errors.is_empty() {
        let error = document.error(
            "structural-tag::nothing",
            document.root(),
            "no text is of the format".to_owned(),
        );
        built.errors.push(error);
    }
    if !built.errors.is_empty() {
        return Err(built.errors);
    }
    refused_tool::note(&left_out, &mut built);
    let origin =
        Origin { span: Some(document.span(document.root())), pointer: Some(String::new()) };
    let outer = built.finish();
    let mut builder = outer.builder;
    builder.define(root, expr, origin);
    let grammar = builder.finish(root);
    drop(document);
    let (report, findings, literals) = (outer.report, outer.findings, outer.literals);
    Ok(Lowered { source, grammar, report, findings, literals })
}
