//! Tests of all formats: the table, the official suite, another implementation.

use super::FORMATS;

#[test]
fn the_table_is_sorted() {
    assert!(FORMATS.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn every_format_builds() {
    for format in &FORMATS {
        assert!(!format.automaton().is_never(), "{} accepts nothing", format.name);
    }
}
