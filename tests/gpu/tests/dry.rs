//! The program that runs on a GPU, run over the emulated driver: everything but what its times mean.

use std::path::Path;
use std::process::Command;

use grammarc_artifacts::write;
use grammarc_tests::{sources, vocabularies};

#[test]
fn the_program_for_gpus_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let driver = folder.path().join("libemulated.so");
    let build = here.join("../../runtime/cuda/emulator/build");
    let built = Command::new(build).arg(&driver).status().expect("bash and a C++ compiler");
    assert!(built.success());

    let vocabulary = vocabularies::small();
    let kit = folder.path().join("kit");
    std::fs::create_dir(&kit).expect("a folder");
    write::replace(&kit.join("vocabulary.gvocab"), vocabulary.container().buffer())
        .expect("a file");
    for (name, language, text) in sources::folder() {
        let grammar = sources::compiled(
            vocabulary,
            &sources::lower(language, &name, &text).expect("it is right"),
        );
        let artifact = grammar.artifact().container().buffer();
        write::replace(&kit.join(format!("{name}.gmask")), artifact).expect("a file");
    }
    let report = folder.path().join("report.md");
    for quick in [&[][..], &["--quick"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_grammarc-gpu"))
            .args([&kit, &report, &driver])
            .args(quick)
            .output()
            .expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }
    let text = std::fs::read_to_string(&report).expect("a report");
    assert!(text.contains("| results that differ from the runtime's | 0 |"), "{text}");
}
