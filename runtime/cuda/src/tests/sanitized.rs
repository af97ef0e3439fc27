//! The checks once more, in a process of their own, with every access of the kernels watched.

use std::process::Command;

use super::emulator::SANITIZER;

/// AddressSanitizer has to be in the process from its beginning. Positions and logits, pools and samples: each check once.
#[test]
#[expect(clippy::print_stderr, reason = "what a test leaves out is said aloud")]
fn no_access_is_out_of_bounds() {
    let find =
        Command::new("g++").arg("-print-file-name=libasan.so").output().expect("a C++ compiler");
    let library = String::from_utf8_lossy(&find.stdout).trim().to_owned();
    if !library.contains('/') {
        eprintln!("skipped: the C++ compiler has no AddressSanitizer");
        return;
    }
    let tests = [
        "logits_and_bitmasks",
        "a_slot_",
        "the_greatest",
        "draws_are_the_references",
        "grammars_come",
    ];
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(tests)
        .env(SANITIZER, "address,undefined")
        .env("LD_PRELOAD", library)
        // Memory that the process still holds at its end is not the kernels'.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("6 passed"), "{said}");
}
