//! No shortcut of the computation of masks changes a set of tokens, and each takes effect.
//!
//! The sources of the digests are compiled with all shortcuts and without each of them. What is compared are the sets that
//! the tables stand for: of each state the base mask and how many nodes its exit class has, of each return state the sets
//! of its follow entries. Numbers of masks and classes may be others.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZero;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiled, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::masks::{Shortcut, ShortcutCounts};
use grammarc_tests::vocabularies;
use rayon::prelude::*;

use super::digests::sources;

/// Each so many of the sources are compiled for a large vocabulary.
const STEP: usize = 6;

/// A number that equal sets of tokens have in common, and by chance alone different ones.
type SetHash = u64;

/// The hash of a mask's set, by way of its row of bits.
fn hash(shared: Tables<'_>, own: Tables<'_>, mask: u32) -> SetHash {
    let words = own.row_words as usize;
    let (tables, record) = match mask.checked_sub(own.bases.masks) {
        Some(at) => (own, own.masks[at as usize]),
        None => (shared, shared.masks[mask as usize]),
    };
    let mut row = match record.row {
        NONE => vec![0; words],
        row => match row.checked_sub(own.bases.rows) {
            Some(at) => own.rows[at as usize * words..][..words].to_vec(),
            None => shared.rows[row as usize * words..][..words].to_vec(),
        },
    };
    tables.minus(&record).iter().for_each(|&id| row[id as usize / 32] &= !(1 << (id % 32)));
    tables.plus(&record).iter().for_each(|&id| row[id as usize / 32] |= 1 << (id % 32));
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    hasher.finish()
}

/// By own state: its base mask, the nodes of its exit class, and its follow masks with the nodes of the next classes.
type Sets = Vec<(SetHash, u32, Vec<(SetHash, u32)>)>;

fn sets(vocabulary: &VocabularyArtifact, compiled: &Compiled) -> Sets {
    let (shared, own) = (vocabulary.tables(), compiled.data.tables.as_tables());
    let size = |class: u32| match class.checked_sub(shared.classes.len() as u32) {
        _ if class == NONE => 0,
        Some(at) => own.classes[at as usize].len,
        None => shared.classes[class as usize].len,
    };
    let mut known: HashMap<u32, SetHash> = HashMap::new();
    let mut set = |mask: u32| *known.entry(mask).or_insert_with(|| hash(shared, own, mask));
    let of_state = |index: usize| {
        let record = own.states[index];
        let follows = own.follows_of(index).iter();
        let mut follows: Vec<_> =
            follows.map(|entry| (set(entry.mask), size(entry.next))).collect();
        follows.sort_unstable();
        (set(record.base), size(record.exits), follows)
    };
    (0..own.state_count() as usize).map(of_state).collect()
}

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
    // Nothing is encoded ahead of the numbers on one thread. Long runs need longer tokens of one kind than these
    // vocabularies have; unit tests hold them.
    let exempt = [Shortcut::EncodeAhead, Shortcut::LongRuns];
    let idle = |shortcut: &Shortcut| !exempt.contains(shortcut) && counts.of(*shortcut) == 0;
    let idle: Vec<Shortcut> = Shortcut::ALL.into_iter().filter(idle).collect();
    assert!(idle.is_empty(), "no source needs {idle:?}");
}
