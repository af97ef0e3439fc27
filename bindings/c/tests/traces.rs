//! Random traces: what is done with a matcher in Rust is done again in C, and every word of every mask is the same.
//!
//! 10,000 traces, and 100,000 with `GRAMMARC_FULL=1`. The C program reads the artifacts and what was done from a pipe, so it is the
//! program and its library that are held, and not another binding of Rust's.

#![cfg(unix)]

mod system;

use std::io::{BufWriter, Read};
use std::process::Stdio;

use grammarc_tests::traces;
use grammarc_tests::vocabularies::full;

#[test]
fn masks_in_c_are_those_in_rust() {
    let count = if full() { 100_000 } else { 10_000 };
    let folder = tempfile::tempdir().expect("a folder");
    let program = system::Program::new(folder.path(), "replay.c", system::Way::Plain);
    let mut child = program.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let child = child.as_mut().expect("it starts");
    let written = traces::write(count, BufWriter::new(child.stdin.take().expect("a pipe")));
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    let status = child.wait().expect("it ends");
    assert!(status.success(), "{status}: the place is above; the pipe: {written:?}");
    let steps = written.expect("it reads to the end");
    assert_eq!(said, format!("{count} traces, {steps} steps\n"));
}
