//! No file uses another that uses it, over however many others: what a file needs stands below it.
//!
//! Circles that are there already are in `circles.txt`, a line each: the folder of the crate, and the files below its
//! `src`. The list may only shrink: `GRAMMARC_BLESS=1` writes it, and refuses to where a file is new to a circle.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use grammarc_artifacts::write;
use grammarc_tests::circles::circles;

use super::layers::{CRATES, files, read, root};

type Circle = (String, BTreeSet<String>);

fn list() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite/circles.txt")
}

fn listed() -> Vec<Circle> {
    let text = read(&list());
    let lines = text.lines().map(|line| {
        let (folder, files) = line.split_once(": ").expect("a line has a folder and files");
        (folder.to_owned(), files.split(' ').map(str::to_owned).collect())
    });
    lines.collect()
}

fn found() -> Vec<Circle> {
    let of = |folder: &str| {
        let circles = circles(&files(&root().join(folder).join("src"))).into_iter();
        circles.map(|files| (folder.to_owned(), files)).collect::<Vec<_>>()
    };
    CRATES.iter().flat_map(|(folder, _)| of(folder)).collect()
}

#[test]
fn no_files_use_each_other_but_those_that_are_listed() {
    let (listed, found) = (listed(), found());
    let within = |circle: &&Circle| {
        listed.iter().any(|known| known.0 == circle.0 && circle.1.is_subset(&known.1))
    };
    let new: Vec<&Circle> = found.iter().filter(|circle| !within(circle)).collect();
    assert!(new.is_empty(), "files use each other that did not: {new:#?}");
    if std::env::var_os("GRAMMARC_BLESS").is_some() {
        let mut text = String::new();
        for (folder, files) in &found {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            writeln!(text, "{folder}: {}", files.join(" ")).expect("it is text");
        }
        return write::replace(&list(), text.as_bytes()).expect("the list is written");
    }
    assert_eq!(found, listed, "a circle is smaller than it was; GRAMMARC_BLESS=1 takes it");
}
