//! No shortcut of the computation of masks changes an artifact, and each takes effect.
//!
//! The sources of the digests are compiled with all shortcuts and without each of them, and the tables compared. The
//! vocabulary is built with all of them.

use std::num::NonZero;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::masks::{Shortcut, ShortcutCounts};
use grammarc_tests::vocabularies;
use rayon::prelude::*;

use super::digests::sources;

/// Each so many of the sources are compiled for a large vocabulary.
const STEP: usize = 6;

fn lowered(vocabulary: &VocabularyArtifact, step: usize) -> Vec<(String, Lowered)> {
    let lower = |(name, front_end, text): (String, FrontEnd, String)| {
        let source = Source::new("source", text);
        let controls = front_end.controls(&source, vocabulary);
        let lowered = front_end.lower_for(source, &controls, &Budget::new());
        let lowered = lowered.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        (name, lowered)
    };
    sources().into_iter().step_by(step).map(lower).collect()
}

#[test]
fn no_shortcut_changes_an_artifact_and_each_takes_effect() {
    let mut counts = ShortcutCounts::default();
    for (vocabulary, step) in [(vocabularies::small(), 1), (vocabularies::built_in(), STEP)] {
        let compiler = Compiler::on_threads(vocabulary.clone(), NonZero::new(1));
        let compile = |lowered: &Lowered, options: &CompileOptions| {
            compiler.compile(lowered, "test", options, &Budget::new()).expect("it compiles")
        };
        let lowered = lowered(vocabulary, step);
        let of_source = |(name, lowered): &(String, Lowered)| {
            let with_all = compile(lowered, &CompileOptions::default());
            let mut wrong = Vec::new();
            for shortcut in Shortcut::ALL {
                let without = CompileOptions::default().without_shortcut(shortcut);
                let compiled = compile(lowered, &without);
                if compiled.data.tables != with_all.data.tables {
                    wrong.push(format!("{name} without {shortcut:?}"));
                }
                assert_eq!(compiled.shortcuts.of(shortcut), 0, "{name}: {shortcut:?} is left out");
            }
            (wrong, with_all.shortcuts)
        };
        let found: Vec<(Vec<String>, ShortcutCounts)> = lowered.par_iter().map(of_source).collect();
        found.iter().for_each(|(_, more)| counts.append(more));
        let wrong: Vec<&String> = found.iter().flat_map(|(wrong, _)| wrong).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    eprintln!("{counts:#?}");
    // Nothing is encoded ahead of the numbers on one thread.
    let may_be_idle = |shortcut: &Shortcut| *shortcut == Shortcut::EncodeAhead;
    let idle = |shortcut: &Shortcut| !may_be_idle(shortcut) && counts.of(*shortcut) == 0;
    let idle: Vec<Shortcut> = Shortcut::ALL.into_iter().filter(idle).collect();
    assert!(idle.is_empty(), "no source needs {idle:?}");
}
