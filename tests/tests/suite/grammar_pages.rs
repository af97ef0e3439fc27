//! The examples of the pages in `docs/grammars/`: each block with a language compiles, or is refused where it says so.

use std::fs;
use std::path::PathBuf;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::settings::Language;
use grammarc_tests::schemas::compiler;

/// Language, whether it is refused, and source of every example of a page.
fn examples(page: &str) -> Vec<(Language, bool, String)> {
    let mut found = Vec::new();
    let mut open: Option<(Language, bool, String)> = None;
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("```") {
            match open.take() {
                Some(example) => found.push(example),
                None => {
                    let (name, refused) = info.split_once(' ').unwrap_or((info, ""));
                    let language = Language::named(name);
                    open = language.map(|language| (language, refused == "refused", String::new()));
                }
            }
        } else if let Some((.., text)) = &mut open {
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

#[test]
fn examples_compile() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/grammars");
    for page in ["ebnf.md", "lark.md", "substring.md"] {
        let text = fs::read_to_string(folder.join(page)).expect("the page is there");
        let examples = examples(&text);
        assert!(examples.len() >= 2, "{page} has examples");
        for (language, is_refused, source) in examples {
            let front_end = FrontEnd::new(language).expect("it is built");
            let lowered = front_end.lower(Source::new(page, source.as_str()), &Budget::new());
            match (lowered, is_refused) {
                (Err(errors), true) => {
                    assert!(errors.iter().all(|error| !error.labels.is_empty()), "{source}");
                }
                (Err(errors), false) => panic!("{page}: {source}\n{errors:#?}"),
                (Ok(_), true) => panic!("{page}: {source}\nis not refused"),
                (Ok(lowered), false) => {
                    let options = CompileOptions::default();
                    let kind = front_end.kind();
                    let compiled = compiler().compile(&lowered, kind, &options, &Budget::new());
                    compiled.unwrap_or_else(|error| panic!("{page}: {source}\n{error}"));
                }
            }
        }
    }
}
