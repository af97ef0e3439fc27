//! A process that is forked compiles: its compiler's threads are the first process's, and it makes its own.

use std::num::NonZero;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use grammarc_compiler::compile::Compiler;
use grammarc_tests::sources::{Language, artifact, lower};
use grammarc_tests::vocabularies;

/// Set in the process that forks.
const CHILD: &str = "GRAMMARC_FORK";

/// Time after which a process that was forked is taken to hang. It takes a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// A source that several threads are worth.
fn source() -> String {
    let names = (0..400).map(|at| format!(r#""key-{at}":{{"type":"string","maxLength":{at}}}"#));
    format!(r#"{{"properties":{{{}}}}}"#, names.collect::<Vec<_>>().join(","))
}

/// Compiles, forks, and compiles in both processes; whether the forked one made the same.
#[cfg(target_os = "linux")]
fn compiles_in_both() -> bool {
    let vocabulary = vocabularies::built_in().clone();
    let compiler = Compiler::on_threads(vocabulary, NonZero::new(3));
    let lowered = lower(Language::JsonSchema, "schema", &source()).expect("it is lowered");
    let compile = || artifact(&compiler, &lowered).expect("it compiles").to_vec();
    let before = compile();
    #[expect(unsafe_code, reason = "there is no safe way to fork, which is what is tested")]
    // SAFETY: the compiler's threads are idle and this test runs alone, so that no lock is held by a thread that the
    // forked process lacks.
    let forked = unsafe { libc::fork() };
    if forked == 0 {
        let same = compile() == before;
        #[expect(unsafe_code, reason = "the rest of the test is the first process's")]
        // SAFETY: it ends the process and touches no memory of it.
        unsafe {
            libc::_exit(i32::from(!same))
        }
    }
    let mut status = 0;
    #[expect(unsafe_code, reason = "the process is no child that the standard library knows")]
    // SAFETY: `status` is a place for the result, and the process is a child of this one.
    let waited = unsafe { libc::waitpid(forked, &raw mut status, 0) };
    waited == forked && status == 0 && compile() == before
}

#[cfg(target_os = "linux")]
#[test]
fn a_forked_process_compiles_on_threads_of_its_own() {
    if std::env::var_os(CHILD).is_some() {
        assert!(compiles_in_both());
        return;
    }
    // Alone in a process, and killed with its child where they hang.
    let program = std::env::current_exe().expect("a test is a program");
    let name = "fork::a_forked_process_compiles_on_threads_of_its_own";
    let mut child = Command::new(program)
        .args([name, "--exact", "--nocapture", "--test-threads", "1"])
        .env(CHILD, "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("the test runs in another process");
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it is a child of this process") {
            assert!(status.success(), "{status}");
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it is a child of this process");
    panic!("it hangs");
}
