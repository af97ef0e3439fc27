//! Tests of all formats: the table, the official suite, another implementation.

mod peer;
mod suite;

use super::FORMATS;

#[test]
fn the_table_is_sorted() {
    assert!(FORMATS.is_sorted_by(|a, b| a.name < b.name));
}

/// Most states of the largest automaton, that of `idn-hostname`.
const MAX_STATES: usize = 6_000;

#[test]
#[expect(clippy::print_stderr, reason = "figures")]
fn every_format_builds() {
    for format in &FORMATS {
        let start = std::time::Instant::now();
        let dfa = format.automaton();
        assert!(!format.strings().is_none(), "{} has no strings", format.name);
        let edges: usize = dfa.states.iter().map(|state| state.edges.len()).sum();
        eprintln!(
            "{:24} {:6} states {:7} edges {:8.2} ms",
            format.name,
            dfa.states.len(),
            edges,
            start.elapsed().as_secs_f64() * 1e3
        );
        assert!(!dfa.is_never(), "{} accepts nothing", format.name);
        assert!(dfa.states.len() <= MAX_STATES, "{} has grown", format.name);
    }
}
