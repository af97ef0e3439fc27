//! The installed library is found: by pkg-config, and by `find_package` of CMake.

#![cfg(unix)]
#![expect(clippy::print_stderr, reason = "a test says aloud what it leaves out")]

mod system;

use std::path::Path;
use std::process::Command;

use grammarc_artifacts::write;
use system::{has, run};

/// A program that needs no arguments.
const PROGRAM: &str = "tests/c/contract.cpp";

/// The headers, libraries and files for tools, below a folder.
fn install(prefix: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("install");
    run(Command::new(script).arg(prefix).arg(system::libraries()));
}

fn says_ok(command: &mut Command) {
    assert!(run(command).stdout.ends_with(b"ok\n"));
}

#[test]
fn pkg_config_finds_it() {
    if !has("pkg-config") {
        eprintln!("SKIPPED: pkg-config is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // It may be moved.
    install(&folder.path().join("first"));
    let prefix = folder.path().join("a folder of its own");
    std::fs::rename(folder.path().join("first"), &prefix).expect("it can be moved");
    let ask = |arguments: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
        let output = run(command.args(arguments).arg("grammarc"));
        let text = String::from_utf8(output.stdout).expect("text").trim().replace("\\ ", "\u{1}");
        text.split_whitespace().map(|one| one.replace('\u{1}', " ")).collect::<Vec<_>>()
    };
    assert_eq!(ask(&["--modversion"]), [env!("CARGO_PKG_VERSION")]);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(PROGRAM);
    let shared = folder.path().join("shared");
    run(system::cpp()
        .arg("-std=c++17")
        .arg(&program)
        .arg("-o")
        .arg(&shared)
        .args(ask(&["--cflags", "--libs"]))
        .arg("-lpthread"));
    says_ok(Command::new(&shared).env("LD_LIBRARY_PATH", prefix.join("lib")));
    // The static library goes by its name, since a linker prefers the shared one.
    let mut libraries = ask(&["--static", "--libs"]);
    libraries.iter_mut().filter(|one| *one == "-lgrammarc").for_each(|one| {
        *one = prefix.join("lib/libgrammarc.a").to_string_lossy().into_owned();
    });
    let alone = folder.path().join("alone");
    run(system::cpp()
        .arg("-std=c++17")
        .arg(&program)
        .arg("-o")
        .arg(&alone)
        .args(ask(&["--cflags"]))
        .args(libraries));
    says_ok(&mut Command::new(&alone));
}

#[test]
fn cmake_finds_it() {
    if !has("cmake") {
        eprintln!("SKIPPED: cmake is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let prefix = folder.path().join("prefix");
    install(&prefix);
    let project = format!(
        "cmake_minimum_required(VERSION 3.15)\nproject(found CXX)\nset(CMAKE_CXX_STANDARD 17)\n\
         find_package(Grammarc {version} REQUIRED)\nfind_package(Threads REQUIRED)\n\
         foreach(kind IN ITEMS grammarc static)\n\
         add_executable(with_${{kind}} {program})\n\
         target_link_libraries(with_${{kind}} PRIVATE Grammarc::${{kind}} Threads::Threads)\n\
         endforeach()\n\
         find_package(Grammarc 99.0 QUIET)\nif(Grammarc_FOUND)\nmessage(FATAL_ERROR \"too new\")\nendif()\n",
        version = env!("CARGO_PKG_VERSION"),
        program = Path::new(env!("CARGO_MANIFEST_DIR")).join(PROGRAM).display(),
    );
    let source = folder.path().join("CMakeLists.txt");
    write::replace(&source, project.as_bytes()).expect("it can be written");
    let build = folder.path().join("build");
    let found = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    run(Command::new("cmake").arg("-S").arg(folder.path()).arg("-B").arg(&build).arg(found));
    run(Command::new("cmake").arg("--build").arg(&build));
    for kind in ["with_grammarc", "with_static"] {
        says_ok(&mut Command::new(build.join(kind)));
    }
}
