//! The programs of `tests/c`, built by the system's compilers and run: as they are, with the address sanitizer, in valgrind.

#![cfg(unix)]
#![expect(clippy::print_stderr, reason = "a test says aloud what it leaves out")]

mod system;

use std::path::Path;
use std::process::Command;

use system::{Program, Way, has, run};

/// The ways to run a program here.
fn ways() -> Vec<Way> {
    let mut ways = vec![Way::Plain, Way::Static, Way::Sanitized];
    if has("valgrind") {
        ways.push(Way::Valgrind);
    } else {
        eprintln!("SKIPPED: no program is run in valgrind, because it is not installed");
    }
    ways
}

/// Runs a program in every way. It says `ok` at its end.
fn check(source: &str, arguments: impl Fn(Way, &Path) -> Vec<String>) {
    for way in ways() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = Program::new(folder.path(), source, way);
        let output = run(program.command().args(arguments(way, folder.path())));
        assert!(output.stdout.ends_with(b"ok\n"), "{source}, {way:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path of the test is text").to_owned()
}

#[test]
fn the_contract_holds_in_c() {
    check("contract.c", |_, _| Vec::new());
}

#[test]
fn the_interface_is_what_the_header_says() {
    check("interface.c", |_, folder| vec![text(folder)]);
}

#[test]
fn the_contract_holds_in_cpp() {
    check("contract.cpp", |_, _| Vec::new());
}

#[test]
fn outputs_are_split() {
    check("splitter.c", |_, _| Vec::new());
}

#[test]
fn calls_are_read() {
    check("calls.c", |_, _| Vec::new());
}

/// Fibers, which the emulator of devices is made of, are not for valgrind.
#[test]
fn masks_are_applied_on_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    let driver = folder.path().join("libemulated.so");
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/cuda/emulator/build");
    run(Command::new(build).arg(&driver));
    for way in [Way::Plain, Way::Static, Way::Sanitized] {
        let program = Program::new(folder.path(), "cuda.c", way);
        let output = run(program.command().arg(&driver));
        assert!(output.stdout.ends_with(b"ok\n"), "{way:?}");
        // The sanitizer warns of the jumps between fibers.
        assert!(way == Way::Sanitized || output.stderr.is_empty(), "{way:?}");
    }
}

#[test]
fn hostile_sources_are_answered() {
    let slow = |way| way == Way::Valgrind || way == Way::Sanitized;
    check("hostile.c", |way, _| if slow(way) { vec!["quick".to_owned()] } else { Vec::new() });
}

#[test]
fn the_library_is_loaded_twice() {
    let name = if cfg!(target_os = "macos") { "libgrammarc.dylib" } else { "libgrammarc.so" };
    check("loading.c", |_, folder| vec![text(&folder.join("lib").join(name))]);
}

#[test]
fn the_sampler_for_llama_does_what_llama_relies_on() {
    check("sampler.c", |_, _| Vec::new());
}

#[test]
fn the_wrapper_of_ten_functions_generates() {
    for way in ways() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = ["../../examples/ollama/structured.c", "../../examples/ollama/generate.c"];
        let program = Program::of(folder.path(), &sources, way);
        let output = run(&mut program.command());
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let degrees = value["degrees"].as_i64().expect("a number");
        assert!((-40..=50).contains(&degrees) && value["city"].is_string(), "{value}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
