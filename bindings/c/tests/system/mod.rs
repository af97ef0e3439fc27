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

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// As it is, with the shared library.
    Plain,
    /// With the static library in it.
    Static,
    /// With the compiler's address sanitizer, which also finds what was never freed.
    Sanitized,
    /// In valgrind.
    Valgrind,
}

/// A program of `tests/c`, built.
pub(crate) struct Program {
    path: PathBuf,
    libraries: PathBuf,
    way: Way,
}

impl Program {
    /// Builds a program in a folder: with the libraries under the names that they are installed by.
    pub(crate) fn new(folder: &Path, source: &str, way: Way) -> Self {
        Self::of(folder, &[source], way)
    }

    /// As [`Self::new`], of several sources in one language, by their paths from `tests/c`.
    pub(crate) fn of(folder: &Path, names: &[&str], way: Way) -> Self {
        let libraries = folder.join("lib");
        lay_out(&libraries);
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
        let path = folder.join(format!("program.{way:?}"));
        let mut compiler = match names[0].ends_with(".cpp") {
            true => strict(cpp(), "-std=c++17"),
            false => strict(c(), "-std=gnu99"),
        };
        compiler.arg("-o").arg(&path).args(names.iter().map(|name| sources.join(name)));
        if way == Way::Sanitized {
            compiler.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        }
        match way {
            Way::Static => compiler.arg(libraries.join("libgrammarc.a")).args(NATIVE),
            _ => {
                compiler.arg("-L").arg(&libraries).args(["-lgrammarc", "-lpthread", "-ldl", "-lm"])
            }
        };
        run(&mut compiler);
        Self { path, libraries, way }
    }

    /// The command that runs it.
    pub(crate) fn command(&self) -> Command {
        let mut command = match self.way {
            Way::Valgrind => {
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
                let kinds = "--show-leak-kinds=definite";
                valgrind.args([kinds, "--errors-for-leak-kinds=definite", "--fair-sched=yes"]);
                let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/valgrind.supp");
                valgrind.arg(format!("--suppressions={}", known.display())).arg(&self.path);
                valgrind
            }
            _ => Command::new(&self.path),
        };
        command.env("LD_LIBRARY_PATH", &self.libraries).env("DYLD_LIBRARY_PATH", &self.libraries);
        command
    }
}

/// The system's libraries that the static library needs.
pub(crate) const NATIVE: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lc"];

/// Links to the libraries under the names that they are installed by.
fn lay_out(folder: &Path) {
    use std::os::unix::fs::symlink;
    if folder.exists() {
        return;
    }
    std::fs::create_dir_all(folder).expect("a folder");
    let (dynamic, numbered) = match cfg!(target_os = "macos") {
        true => ("dylib", "libgrammarc.1.dylib"),
        false => ("so", "libgrammarc.so.1"),
    };
    let built = |extension| libraries().join(format!("libgrammarc_c.{extension}"));
    symlink(built(dynamic), folder.join(format!("libgrammarc.{dynamic}"))).expect("a link");
    symlink(built(dynamic), folder.join(numbered)).expect("a link");
    symlink(built("a"), folder.join("libgrammarc.a")).expect("a link");
}
