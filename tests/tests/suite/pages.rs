//! The examples on the pages of source languages and of schemas; `grammar_pages` has those on pages of single languages. Every block of a source
//! is compiled, and the texts named below it are accepted or refused. The table of figures in README.md is that of the newest results.
//!
//! The first word behind a fence is for who colours it; the second is the kind, where the first is not; a third names the source
//! for `@"name"` in blocks after it. Options of the language stand behind them, as a JSON object.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::settings::{Language, Settings};
use grammarc_compiler::frontend::sources::{NamedSource, Sources};
use grammarc_compiler::ir::recognize::recognizes;
use serde_json::Map;

/// Blocks that are no sources.
const OTHERS: [&str; 8] = ["sh", "text", "rust", "python", "toml", "c", "cpp", "console"];

/// A block of a source, and the texts below it.
#[derive(Debug)]
struct Example {
    kind: String,
    name: Option<String>,
    options: String,
    text: String,
    line: usize,
    accepted: Vec<String>,
    refused: Vec<String>,
}

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)
}

/// The texts in backquotes of a line, those in two as well.
fn texts(line: &str) -> Vec<String> {
    line.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut open: Option<Option<Example>> = None;
    for (number, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            match open.take() {
                Some(block) => examples.extend(block),
                None => {
                    let (info, options) = info.split_at(info.find('{').unwrap_or(info.len()));
                    let mut words = info.split_whitespace();
                    let tag = words.next().unwrap_or("text");
                    let kind = match (words.next(), tag) {
                        (Some(kind), _) => Some(kind),
                        (None, "json") => Some("json-schema"),
                        (None, "ts") => Some("typescript"),
                        (None, tag) if OTHERS.contains(&tag) => None,
                        (None, tag) => Some(tag),
                    };
                    let name = words.next().map(str::to_owned);
                    open = Some(kind.map(|kind| Example {
                        kind: kind.to_owned(),
                        name,
                        options: options.to_owned(),
                        text: String::new(),
                        line: number + 1,
                        accepted: Vec::new(),
                        refused: Vec::new(),
                    }));
                }
            }
        } else if let Some(block) = &mut open {
            if let Some(example) = block {
                example.text.push_str(line);
                example.text.push('\n');
            }
        } else if let Some(example) = examples.last_mut() {
            match line.split_once(": ") {
                Some(("Accepted", rest)) => example.accepted.extend(texts(rest)),
                Some(("Refused", rest)) => example.refused.extend(texts(rest)),
                _ => {}
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    examples
}

#[test]
fn examples_of_languages_say_what_is_true() {
    holds("grammars.md");
}

#[test]
fn examples_of_schemas_say_what_is_true() {
    holds("schemas.md");
}

#[test]
#[expect(clippy::print_stderr, reason = "what a test leaves out is said aloud")]
fn readme_has_the_newest_figures() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/readme.py");
    let Ok(output) = Command::new("python3").arg(script).arg("--check").output() else {
        eprintln!("SKIPPED: README's figures are not compared, because there is no python3");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles the examples of a page, and holds what is said of them.
fn holds(page_name: &str) {
    let page = page(page_name);
    let text = fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let mut sources = Sources::default();
    let found = examples(&text);
    assert!(!found.is_empty(), "{} has examples", page.display());
    for example in found {
        let place = format!("{}:{}", page.display(), example.line);
        let language = Language::named(&example.kind);
        let language = language.unwrap_or_else(|| panic!("{place}: no kind {}", example.kind));
        let text = example.text.trim_end();
        let settings = Settings::read(language, &example.options);
        let mut front_end = settings.unwrap_or_else(|e| panic!("{place}: {e}")).front_end;
        if let FrontEnd::Gbnf(options) = &mut front_end {
            options.sources = sources.clone();
        }
        let source = Source::new(place.as_str(), text);
        let lowered = front_end.lower(source.clone(), &Budget::new());
        let lowered = lowered.unwrap_or_else(|errors| panic!("{place}: {errors:#?}"));
        for text in &example.accepted {
            assert!(recognizes(&lowered.grammar, text.as_bytes()), "{place} refuses {text}");
        }
        for text in &example.refused {
            assert!(!recognizes(&lowered.grammar, text.as_bytes()), "{place} accepts {text}");
        }
        if let Some(name) = example.name {
            let language = language.name().to_owned();
            sources.add(name, NamedSource { language, options: Map::new(), source });
        }
    }
}

#[test]
fn blocks_and_texts_are_found() {
    let page = "```json choice a\n[\"x\"]\n```\n\nAccepted: `x`, `y`\n```sh\nls\n```\n```gbnf {\"start\": \"a\"}\na ::= \"a\"\n```\nRefused: `b`\n";
    let found = examples(page);
    let shown: Vec<_> = found.iter().map(|one| (one.kind.as_str(), one.text.as_str())).collect();
    assert_eq!(shown, [("choice", "[\"x\"]\n"), ("gbnf", "a ::= \"a\"\n")]);
    assert_eq!((found[0].accepted.len(), found[1].refused.len()), (2, 1));
    assert_eq!(found[0].name.as_deref(), Some("a"));
    assert_eq!((found[0].options.as_str(), found[1].options.as_str()), ("", "{\"start\": \"a\"}"));
}
