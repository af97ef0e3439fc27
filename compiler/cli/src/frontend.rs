//! Sources: reading them, telling their language, and handing them to its front end.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::gbnf::{self, GbnfOptions};
use grammarc_compiler::frontend::regex::{self, PatternOptions};
use grammarc_compiler::ir::Lowered;

use crate::failure::{Failure, Problem};

/// A source's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// JSON Schema (.json)
    JsonSchema,
    /// GBNF, the grammar notation of llama.cpp (.gbnf)
    Gbnf,
    /// A regular expression that the whole text matches (.regex)
    Regex,
}

impl Kind {
    /// Its name in artifacts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::JsonSchema => "json-schema",
            Self::Gbnf => "gbnf",
            Self::Regex => "regex",
        }
    }

    /// The language of a file of this name.
    fn of(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)? {
            "json" => Some(Self::JsonSchema),
            "gbnf" => Some(Self::Gbnf),
            "regex" => Some(Self::Regex),
            _ => None,
        }
    }
}

/// A source and how to read it.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// JSON Schema, GBNF grammar or regular expression; `-` reads standard input
    pub(crate) source: PathBuf,

    /// The source's language [default: by its extension, .json, .gbnf or .regex]
    #[arg(long, value_enum)]
    kind: Option<Kind>,

    /// Start rule of a GBNF grammar [default: root]
    #[arg(long, value_name = "RULE")]
    start: Option<String>,

    /// Where a JSON document may have whitespace: `compact` is nowhere, `flexible:N` wherever JSON allows it in runs
    /// of up to N [default: compact]
    #[arg(long, value_name = "compact|flexible[:N]", value_parser = whitespace)]
    whitespace: Option<Whitespace>,

    /// Refuse a source that can only be compiled approximately
    #[arg(long, value_enum)]
    deny: Option<Deny>,
}

/// What a source must not need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// A grammar that accepts more than the source says
    Approximate,
}

/// A source after its front end.
pub(crate) struct Read_ {
    pub(crate) lowered: Lowered,
    pub(crate) kind: Kind,
    /// What to record of the options.
    pub(crate) options: Vec<(&'static str, String)>,
}
