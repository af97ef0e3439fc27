//! The header is what cbindgen makes of the sources, and a compiler takes it as C99 and as C++17.
//!
//! `GRAMMARC_BLESS=1` writes it.

#![cfg(unix)]

mod system;

use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config};
use grammarc_artifacts::write;

/// The files that it is made from, in the order in which it declares what they have.
const SOURCES: [&str; 8] =
    ["error", "vocabulary", "import", "compiler", "grammar", "matcher", "steps", "runs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_header_is_that_of_the_sources() {
    let sources = SOURCES.iter().chain(&["batch", "splitter", "calls"]).copied();
    check("cbindgen.toml", sources, "include/grammarc.h");
}

#[test]
fn the_header_for_devices_is_that_of_its_source() {
    check("cbindgen.cuda.toml", ["cuda_arguments", "cuda"], "include/grammarc_cuda.h");
}

/// A header is what cbindgen makes of its sources.
fn check<'s>(config: &str, sources: impl IntoIterator<Item = &'s str>, header: &str) {
    let config = Config::from_file(root().join(config)).expect("a configuration");
    let mut builder = Builder::new().with_config(config);
    for source in sources {
        builder = builder.with_src(root().join(format!("src/{source}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().expect("the sources are read").write(&mut made);
    let made = String::from_utf8(made).expect("UTF-8");
    let path = root().join(header);
    if std::env::var_os("GRAMMARC_BLESS").is_some() {
        write::replace(&path, made.as_bytes()).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "{header} is not that of the sources; GRAMMARC_BLESS=1 writes it");
}

/// The functions of a source, by the names that they have in C.
fn functions(source: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(source)).expect("a source");
    let mut names = Vec::new();
    for (at, _) in text.match_indices("extern \"C\" fn grammarc_") {
        let name = text[at..].split_whitespace().nth(3).unwrap_or_default();
        names.push(name.split('(').next().unwrap_or_default().to_owned());
    }
    names
}

#[test]
fn every_function_is_declared_and_documented() {
    let header = fs::read_to_string(root().join("include/grammarc.h")).expect("the header");
    let llama = fs::read_to_string(root().join("include/grammarc_llama.h")).expect("the header");
    let cuda = fs::read_to_string(root().join("include/grammarc_cuda.h")).unwrap_or_default();
    let mut count = 0;
    for entry in fs::read_dir(root().join("src")).expect("the sources") {
        let file = entry.expect("an entry").file_name().into_string().expect("a name");
        let header = match file.as_str() {
            "llama.rs" => &llama,
            "cuda.rs" => &cuda,
            _ => &header,
        };
        for name in functions(&format!("src/{file}")) {
            count += 1;
            let declared = (header.match_indices(&format!("{name}(")))
                .map(|(at, _)| &header[..at])
                .find(|before| before.rsplit('\n').nth(1).is_some_and(|line| line.trim() == "*/"));
            assert!(declared.is_some(), "{name} of {file} is not declared with a comment");
        }
    }
    assert!(count > 60, "only {count} functions were found");
}

#[test]
fn compilers_take_the_headers() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include \"grammarc_cuda.h\"\n#include \"grammarc_llama.h\"\n#include \"grammarc.h\"\nint main(void) { return 0; }\n";
    for (name, compiler, standard) in [
        ("c99.c", system::c(), "-std=c99"),
        ("c17.c", system::c(), "-std=c17"),
        ("cpp11.cpp", system::cpp(), "-std=c++11"),
        ("cpp17.cpp", system::cpp(), "-std=c++17"),
        ("cpp20.cpp", system::cpp(), "-std=c++20"),
    ] {
        let path = folder.path().join(name);
        write::replace(&path, text.as_bytes()).expect("it can be written");
        system::run(
            system::strict(compiler, standard)
                .arg("-c")
                .arg(&path)
                .arg("-o")
                .arg(folder.path().join("out.o")),
        );
    }
}
