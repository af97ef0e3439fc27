//! Parses a TypeScript source with oxc.
//!
//! The parser recurses as deep as a source nests. So [`super::depth`] refuses deeper sources, and the parser runs on a
//! thread whose stack suffices for the limit. The stack of the caller does not matter.

use std::thread;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_span::SourceType;

use super::codes;
use super::depth::{self, Refused};
use grammarc_grammar::diagnostics::{Diagnostic, Source};

/// Most levels of nesting, as [`depth`] counts them. A deeper source is an error. Sources written by people have a few
/// dozen.
const MAX_DEPTH: usize = 2000;

/// Bytes of stack of the parser's thread: 32 KiB for each level, several times what a level takes. Only the pages that
/// are used take memory.
const STACK: usize = MAX_DEPTH << 15;

/// Most errors of the syntax that are reported. Further ones are dropped.
const MAX_ERRORS: usize = 50;

/// Parses a source, and calls `read` with its program on the parser's thread.
///
/// # Errors
///
/// Returns the errors of the syntax, or the errors of `read`, or that the system provides no thread.
pub(super) fn with_program<R: Send>(
    source: &Source,
    read: impl for<'a> FnOnce(&'a Program<'a>) -> Result<R, Vec<Diagnostic>> + Send,
) -> Result<R, Vec<Diagnostic>> {
    let too_long = u32::try_from(source.text.len()).is_err();
    let refused = match depth::check(&source.text, MAX_DEPTH) {
        _ if too_long => Some(
            Diagnostic::error(codes::SYNTAX, "the source is longer than 4 GiB")
                .with_label(0..0, ""),
        ),
        Ok(()) => None,
        Err(Refused::Deep(span)) => {
            let text = format!("types and statements are nested more than {MAX_DEPTH} deep");
            let help = "give inner types names of their own, and end members with `;`";
            let error = Diagnostic::error(codes::NESTED_TOO_DEEP, text).with_help(help);
            Some(error.with_label(span, "one too many"))
        }
        Err(Refused::Slash(span)) => {
            let text = "a slash that begins no comment";
            let help = "types have no divisions and no regular expressions: leave the statement out, which means nothing here";
            Some(Diagnostic::error(codes::SLASH, text).with_label(span, "").with_help(help))
        }
    };
    if let Some(refused) = refused {
        return Err(vec![refused]);
    }
    thread::scope(|scope| {
        let work = || {
            let allocator = Allocator::default();
            let parsed = Parser::new(&allocator, &source.text, SourceType::ts()).parse();
            if parsed.errors.is_empty() && !parsed.panicked {
                return read(allocator.alloc(parsed.program));
            }
            Err(parsed.errors.iter().take(MAX_ERRORS).map(error).collect())
        };
        let thread = thread::Builder::new().name("typescript".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                let text = format!("the system gives no thread to parse on: {error}");
                Err(vec![Diagnostic::error(codes::SYNTAX, text)])
            }
        }
    })
}

/// Converts an error of the parser to a diagnostic.
fn error(error: &OxcDiagnostic) -> Diagnostic {
    let mut found = Diagnostic::error(codes::SYNTAX, error.message.to_string());
    for label in error.labels.iter().flatten() {
        let span = label.offset()..label.offset() + label.len();
        found = found.with_label(span, label.label().unwrap_or_default());
    }
    match &error.help {
        Some(help) => found.with_help(help.to_string()),
        None => found,
    }
}
