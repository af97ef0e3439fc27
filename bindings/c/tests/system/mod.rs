//! The system's compilers and tools, and where Cargo has put the libraries.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The C compiler: `CC`, or `cc`.
pub(crate) fn c() -> Command {
    Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// The C++ compiler: `CXX`, or `c++`.
pub(crate) fn cpp() -> Command {
    Command::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()))
}

/// Warnings are errors, extensions of a standard too, and the headers are found.
pub(crate) fn strict(mut compiler: Command, standard: &str) -> Command {
    compiler.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"]);
    compiler.arg("-I").arg(include());
    compiler
}

/// The folder of the headers.
pub(crate) fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// The folder in which Cargo has put the libraries that this test was built with.
pub(crate) fn libraries() -> PathBuf {
    let test = env::current_exe().expect("the path of the test");
    test.parent().expect("the folder of the test").to_owned()
}

/// Runs a command, which has to succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}\n{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// Whether a tool is there.
pub(crate) fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}
