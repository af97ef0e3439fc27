//! No shortcut of the computation of masks changes a set of tokens, and each takes effect.
//!
//! The sources of the digests are compiled with all shortcuts and without each of them. What is compared are the sets that
//! the tables stand for: of each state the base mask and how many nodes its exit class has, of each return state the sets
//! of its follow entries. Numbers of masks and classes may be others.

use std::collections::BTreeSet;
use std::num::NonZero;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiled, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::masks::{Shortcut, ShortcutCounts};
use grammarc_tests::vocabularies;
use rayon::prelude::*;

use super::digests::sources;

/// Each so many of the sources are compiled for a large vocabulary.
const STEP: usize = 6;

/// The tokens of a mask.
fn tokens(shared: Tables<'_>, own: Tables<'_>, mask: u32) -> BTreeSet<u32> {
    let words = own.row_words as usize;
    let (tables, record) = match mask.checked_sub(own.bases.masks) {
        Some(at) => (own, own.masks[at as usize]),
        None => (shared, shared.masks[mask as usize]),
    };
    let row = match record.row {
        NONE => &[][..],
        row => match row.checked_sub(own.bases.rows) {
            Some(at) => &own.rows[at as usize * words..][..words],
            None => &shared.rows[row as usize * words..][..words],
        },
    };
    let of_row = row.iter().zip(0u32..).flat_map(|(word, at)| {
        (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 32 * at + bit)
    });
    let mut all: BTreeSet<u32> = of_row.collect();
    tables.minus(&record).iter().for_each(|id| _ = all.remove(id));
    all.extend(tables.plus(&record));
    all
}

/// By own state: its base mask, the nodes of its exit class, and its follow masks with the nodes of the next classes.
type Sets = Vec<(BTreeSet<u32>, u32, Vec<(BTreeSet<u32>, u32)>)>;

fn sets(vocabulary: &VocabularyArtifact, compiled: &Compiled) -> Sets {
    let (shared, own) = (vocabulary.tables(), compiled.data.tables.as_tables());
    let size = |class: u32| match class.checked_sub(shared.classes.len() as u32) {
        _ if class == NONE => 0,
        Some(at) => own.classes[at as usize].len,
        None => shared.classes[class as usize].len,
    };
    let of_state = |index: usize| {
        let record = own.states[index];
        let follows = own.follows_of(index).iter();
        let follows = follows.map(|entry| (tokens(shared, own, entry.mask), size(entry.next)));
        let mut follows: Vec<_> = follows.collect();
        follows.sort();
        (tokens(shared, own, record.base), size(record.exits), follows)
    };
    (0..own.state_count() as usize).map(of_state).collect()
}

fn lowered(vocabulary: &VocabularyArtifact, step: usize) -> Vec<(String, Lowered)> {
    let lower =
        |(name, front_end, text): (String, grammarc_compiler::frontend::FrontEnd, String)| {
            let source = Source::new("source", text);
            let controls = front_end.controls(&source, vocabulary);
            let lowered = front_end.lower_for(source, &controls, &Budget::new());
            let lowered = lowered.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
            (name, lowered)
        };
    sources().into_iter().step_by(step).map(lower).collect()
}

#[test]
fn no_shortcut_changes_a_set_and_each_takes_effect() {
    let mut counts = ShortcutCounts::default();
    for (vocabulary, step) in [(vocabularies::small(), 1), (vocabularies::built_in(), STEP)] {
        let compiler = Compiler::on_threads(vocabulary.clone(), NonZero::new(1));
        let compile = |lowered: &Lowered, options: &CompileOptions| {
            compiler.compile(lowered, "test", options, &Budget::new()).expect("it compiles")
        };
        let lowered = lowered(vocabulary, step);
        let of_source = |(name, lowered): &(String, Lowered)| {
            let with_all = compile(lowered, &CompileOptions::default());
            let expected = sets(vocabulary, &with_all);
            let mut wrong = Vec::new();
            for shortcut in Shortcut::ALL {
                let without = CompileOptions::default().without_shortcut(shortcut);
                let compiled = compile(lowered, &without);
                if sets(vocabulary, &compiled) != expected {
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
    // Ahead of the numbers nothing is encoded on one thread.
    let idle =
        |shortcut: &Shortcut| *shortcut != Shortcut::EncodeAhead && counts.of(*shortcut) == 0;
    let idle: Vec<Shortcut> = Shortcut::ALL.into_iter().filter(idle).collect();
    assert!(idle.is_empty(), "no source needs {idle:?}");
}
