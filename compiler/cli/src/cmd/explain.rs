//! `grammarc explain`: reports the place and the cause of a refusal, and the bytes allowed there.

use std::path::{Path, PathBuf};

use clap::Args;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler, build_vocabulary};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::explain::{self, Blame, Explanation};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};
use grammarc_runtime::{ByteMatcher, Grammar};
use serde::Serialize;

use crate::args::ArtifactArgs;
use crate::cmd::check::{Place, place};
use crate::failure::Failure;
use crate::frontend::{Request, SourceArgs};
use crate::input::read_input;
use crate::output::Output;
use crate::vocabularies;

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// The text, or its beginning; `-` is standard input
    #[arg(required_unless_present = "after", conflicts_with = "after")]
    text: Option<PathBuf>,

    /// The text itself, in place of a file
    #[arg(long, value_name = "TEXT")]
    after: Option<String>,

    /// If all of the text is allowed, explain why it may not end there
    #[arg(long)]
    end: bool,

    /// Vocabulary artifact (.gvocab), if the source is a grammar artifact (.gmask) without its vocabulary
    #[arg(long, value_name = "FILE")]
    vocab: Option<PathBuf>,
}

/// The explanation of a text: why it is refused, or what may follow it.
#[derive(Debug, Serialize)]
pub(crate) struct Explained {
    pub(crate) file: String,
    /// `refused`, `ends-too-early` or `allowed`.
    pub(crate) verdict: &'static str,
    /// The place of the refused byte, or of the end of the text.
    #[serde(flatten)]
    pub(crate) place: Place,
    /// The refused byte. `None` if all bytes are allowed.
    pub(crate) byte: Option<u8>,
    /// JSON pointer to the innermost value at that place. `None` for a source that is no JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instance: Option<String>,
    /// Schemas or rules of the source that apply at that place.
    pub(crate) places: Vec<SourcePlace>,
    /// The cause: `one-of`, `together`, `key-order`, `text-form`, `syntax` or `unknown`. `None` if nothing is refused,
    /// or if the source is not a JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<&'static str>,
    /// The keywords to blame.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) blame: Vec<BlameValue>,
    /// The bytes that may follow there, ascending.
    pub(crate) next: Vec<u8>,
    /// Whether the text may end there.
    pub(crate) may_end: bool,
    /// The shortest text from there to an end.
    pub(crate) completion: Option<String>,
}

/// A place in the source.
#[derive(Debug, Serialize)]
pub(crate) struct SourcePlace {
    /// JSON pointer in a JSON Schema; otherwise the name of a rule.
    pub(crate) name: String,
    /// Line and column in the source, from 1. `None` without the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<(usize, usize)>,
}

/// A keyword that refuses a text.
#[derive(Debug, Serialize)]
pub(crate) struct BlameValue {
    pub(crate) pointer: String,
    pub(crate) keyword: String,
    /// The value of the keyword, as JSON.
    pub(crate) value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<(usize, usize)>,
}

/// Explains a text. Returns exit code 0 if it is allowed, otherwise 1.
pub(crate) fn run(args: ExplainArgs, output: &mut Output) -> Result<u8, Failure> {
    let (file, text) = match (&args.text, &args.after) {
        (Some(path), None) => read_input(path)?,
        (_, after) => ("<text>".to_owned(), after.clone().unwrap_or_default().into_bytes()),
    };
    let is_artifact = args.source.source.extension().is_some_and(|extension| extension == "gmask");
    let (grammar, source) = match is_artifact {
        true => {
            let artifact = args.source.source.clone();
            (vocabularies::open_grammar(&ArtifactArgs { artifact, vocab: args.vocab })?, None)
        }
        false => {
            let request = args.source.read()?;
            let lowered = request.lower(&Budget::new())?;
            (compiled(&request, &lowered)?, Some((request, lowered)))
        }
    };
    let found = ByteMatcher::new(&grammar).explain(&text);
    let (at, byte) = (found.accepted, found.byte);
    let verdict = match (byte, found.may_end) {
        (Some(_), _) => "refused",
        (None, false) if args.end => "ends-too-early",
        (None, _) => "allowed",
    };
    let mut explained = Explained {
        file,
        verdict,
        place: place(&text, at),
        byte,
        instance: None,
        places: Vec::new(),
        cause: None,
        blame: Vec::new(),
        next: found.next,
        may_end: found.may_end,
        completion: found.completion.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    };
    let names = |names: Vec<String>| {
        let of = |name| SourcePlace { name, position: None };
        names.into_iter().map(of).collect()
    };
    match &source {
        Some((Request { source, front_end: FrontEnd::JsonSchema(options), .. }, _)) => {
            let budget = Budget::new().time_limit(std::time::Duration::from_secs(10));
            let why = explain::explain(source, &text[..at], byte, options, &budget);
            let why = why
                .map_err(|diagnostics| Failure::Refused { source: source.clone(), diagnostics })?;
            explained.of_schema(source, why, verdict != "allowed");
        }
        Some((Request { source, .. }, lowered)) => {
            let place = |name: String| {
                let rule = lowered.grammar.rules.iter().find(|rule| rule.name == name);
                let span = rule.and_then(|rule| rule.origin.span.clone());
                SourcePlace { name, position: span.map(|span| position(source, span.start)) }
            };
            explained.places = found.rules.into_iter().map(place).collect();
        }
        None if found.places.is_empty() => explained.places = names(found.rules),
        None => explained.places = names(found.places),
    }
    output.answer(&explained)?;
    Ok(u8::from(verdict != "allowed"))
}

impl Explained {
    /// Adds the explanation from a JSON Schema. The cause is left out if nothing is refused.
    fn of_schema(&mut self, source: &Source, why: Explanation, is_refused: bool) {
        self.instance = Some(why.instance);
        let at =
            |span: Option<std::ops::Range<usize>>| span.map(|span| position(source, span.start));
        let places = why.places.into_iter();
        self.places = places
            .map(|place| SourcePlace { name: place.pointer, position: at(place.span) })
            .collect();
        if !is_refused {
            return;
        }
        self.cause = Some(why.cause.name());
        let value = |Blame { place, keyword, value }: &Blame| {
            let (pointer, keyword, value) = (place.pointer.clone(), keyword.clone(), value.clone());
            BlameValue { pointer, keyword, value, position: at(place.span.clone()) }
        };
        self.blame = why.cause.blame().iter().map(value).collect();
    }
}

/// Returns the line and column of a byte of the source, from 1.
fn position(source: &Source, at: usize) -> (usize, usize) {
    let Place { line, column, .. } = place(source.text.as_bytes(), at);
    (line, column)
}

/// Compiles a source for a vocabulary whose tokens are the single bytes.
fn compiled(request: &Request, lowered: &Lowered) -> Result<Grammar, Failure> {
    let bytes = (0..=u8::MAX).map(|byte| TokenEntry::text([byte]));
    let table = TokenTable::new("bytes", bytes.collect(), Vec::new());
    let refused = |diagnostics| Failure::Refused { source: request.source.clone(), diagnostics };
    let shared = prelude_grammar(&TextForm::COMMON);
    let one =
        |error: grammarc_compiler::compile::CompileError| refused(vec![error.to_diagnostic()]);
    let artifact = |error| vocabularies::damaged(Path::new("<bytes>"), error);
    let vocabulary = build_vocabulary(&table, "bytes", &shared, None).map_err(one)?;
    let vocabulary = vocabulary.to_bytes().map_err(artifact)?;
    let vocabulary =
        grammarc_artifacts::VocabularyArtifact::from_buffer(vocabulary).map_err(artifact)?;
    let compiler = Compiler::new(vocabulary);
    let options = CompileOptions::default();
    let compiled = compiler.compile_lowered(&request.with(&options), lowered, &Budget::new());
    let compiled = compiled.map_err(refused)?;
    Ok(Grammar::from_artifact(compiled.to_artifact(&compiler).map_err(one)?))
}
