//! The committed PTX is what the pinned compiler makes of the kernels.

use std::path::Path;
use std::process::Command;

/// Exit status of a script whose environment cannot be made.
const NO_ENVIRONMENT: i32 = 77;

#[test]
#[expect(clippy::print_stderr, reason = "what a test leaves out is said aloud")]
fn the_ptx_is_that_of_the_sources() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/ptx.py");
    let output = Command::new("python3").arg(&script).arg("--check").output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: the PTX is not compared, because there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(NO_ENVIRONMENT) {
        eprintln!("SKIPPED: the PTX is not compared: {said}");
        return;
    }
    assert!(output.status.success(), "{said}");
}
