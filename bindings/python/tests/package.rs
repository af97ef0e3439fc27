//! The Python package: its wheel is built, installed into an environment without Rust, and tested there by its own tests.
//!
//! Needs Python 3.11 or later and, on the first run, the package index; without these it says so and does nothing, but with
//! `GRAMMARC_FULL=1` it fails.

use std::path::Path;
use std::process::Command;

/// Exit status of the script where the package index is not reachable.
const NO_ENVIRONMENT: i32 = 77;

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn the_package_passes_its_tests() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run.py");
    let new_enough = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let found = Command::new("python3").args(["-c", new_enough]).status();
    if !found.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("GRAMMARC_FULL").is_none(), "there is no Python 3.11");
        eprintln!("no Python 3.11 with venv: the tests of the Python package are skipped");
        return;
    }
    // Whatever cargo set for this process is not for the one that builds the wheel.
    let mut command = Command::new("python3");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_") && name != "CARGO_HOME" {
            command.env_remove(name);
        }
    }
    let status = command.arg(script).status().expect("python3 is there");
    if status.code() == Some(NO_ENVIRONMENT) && std::env::var_os("GRAMMARC_FULL").is_none() {
        eprintln!("no environment could be made: the tests of the Python package are skipped");
        return;
    }
    assert!(status.success(), "the tests of the Python package fail");
}
