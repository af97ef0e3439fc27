//! `grammarc build`, and the function of CMake that calls it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use crate::Place;

const MANIFEST: &str = r#"
output = "masks"
[[vocabulary]]
name = "tiny"
tokenizer = "tiny.json"
[[source]]
files = ["*.schema"]
kind = "json-schema"
"#;

const SCHEMA: &str = r#"{"type": "object", "properties": {"x": {"type": "integer"}}}"#;

fn place() -> Place {
    Place::new().with("grammarc.toml", MANIFEST).with("p.schema", SCHEMA)
}

#[test]
fn builds_and_checks() {
    let place = place();
    let run = place.run(&["build", "--check"]).exits(1);
    assert!(run.stdout.contains("missing     tiny/p.gmask, from p.schema"), "{}", run.stdout);
    let run = place.run(&["build"]).exits(0);
    for part in ["compiled  tiny/p.gmask", "tiny.gvocab", "1 compiled (", "0 up to date"] {
        assert!(run.stdout.contains(part), "{part:?} in {}", run.stdout);
    }
    assert!(place.run(&["build", "--check"]).exits(0).stdout.contains("up to date"));
    let value = place.run(&["build", "--format", "json"]).exits(0).value();
    assert_eq!((&value["fresh"], &value["built"]), (&1.into(), &serde_json::json!([])));
    assert_eq!(value["vocabularies"][0]["built"], false);
    // The artifact is one like any other.
    place
        .run_with(&["check", "masks/tiny/p.gmask", "--vocab", "masks/tiny.gvocab", "-"], "{}")
        .exits(0);
    let place = place.with("p.schema", "{}").with("q.schema", "true");
    let value = place.run(&["build", "--check", "--format", "json"]).exits(1).value();
    assert_eq!(value["up_to_date"], false);
    let stale =
        [("tiny/p.gmask", "p.schema", "out-of-date"), ("tiny/q.gmask", "q.schema", "missing")];
    for (found, (file, source, why)) in value["stale"].as_array().expect("a list").iter().zip(stale)
    {
        assert_eq!(
            (&found["file"], &found["source"], &found["why"]),
            (&file.into(), &source.into(), &why.into())
        );
    }
}

#[test]
fn what_is_denied_or_refused_fails_the_build() {
    let place = place().with("u.schema", r#"{"uniqueItems": true, "maxItems": 20}"#);
    let run = place.run(&["build", "--deny", "approximate", "--format", "json"]).exits(1);
    assert_eq!(run.value()["refused"], 1);
    let errors = run.errors();
    let error =
        errors.iter().find(|error| error["code"] == "compile::approximate").expect("a finding");
    assert_eq!((&error["file"], &error["pointer"]), (&"u.schema".into(), &"/uniqueItems".into()));
    place.run(&["build"]).exits(0);
    // An artifact that was built without is not taken for one that was built with.
    place.run(&["build", "--check", "--deny", "approximate"]).exits(1);
    let place = place.with("u.schema", r#"{"type": "objekt"}"#);
    assert!(place.run(&["build"]).exits(1).stderr.contains("u.schema:1:"));
}

#[test]
fn errors_of_the_manifest_have_their_place() {
    let place = place().with("grammarc.toml", MANIFEST.replace("json-schema", "jsn"));
    let error = &place.run(&["build", "--format", "json"]).exits(1).errors()[0];
    assert_eq!((&error["code"], &error["line"]), (&"manifest::syntax".into(), &8.into()));
    let place = place.with("grammarc.toml", MANIFEST.replace("tiny.json", "missing.json"));
    let error = &place.run(&["build", "--format", "json"]).exits(1).errors()[0];
    assert_eq!((&error["code"], &error["line"]), (&"manifest::value".into(), &5.into()));
    let place = place.with("grammarc.toml", MANIFEST.replace("output", "# output"));
    assert!(place.run(&["build"]).exits(2).stderr.contains("no `output`"));
    place.run(&["build", "--manifest", "nowhere.toml", "-o", "masks"]).exits(2);
}

#[test]
fn what_was_built_is_taken_where_the_environment_names_it() {
    let place = place();
    place.run(&["build"]).exits(0);
    let compile = |layers: &str, flags: &[&str]| {
        let arguments =
            ["compile", "other.json", "--vocab", "masks/tiny.gvocab", "--format", "json"];
        let mut command = place.command(&[&arguments[..], flags].concat());
        let run: Output = command.env("GRAMMARC_ARTIFACTS", layers).output().expect("it starts");
        (run.status.code(), String::from_utf8(run.stdout).expect("UTF-8"))
    };
    std::fs::write(place.path("other.json"), SCHEMA.replace(' ', "\n")).expect("written");
    let cached = |run: &(Option<i32>, String)| run.1.contains("\"cached\":true");
    assert!(!cached(&compile("", &[])));
    let layers = std::env::join_paths(["masks", ""]).expect("paths");
    let run = compile(layers.to_str().expect("UTF-8"), &[]);
    assert!(cached(&run) && run.0 == Some(0), "{run:?}");
    assert_eq!(place.read("other.gmask"), place.read("masks/tiny/p.gmask"));
    assert!(!cached(&compile("masks", &["--whitespace", "compact"])));
    assert_eq!(compile("nowhere", &[]).0, Some(2));
    // A keyword that is denied is denied of an artifact too.
    let place = place.with("p.schema", r#"{"uniqueItems": true, "maxItems": 20}"#);
    place.run(&["build"]).exits(0);
    std::fs::copy(place.path("p.schema"), place.path("other.json")).expect("copied");
    let arguments =
        ["compile", "other.json", "--vocab", "masks/tiny.gvocab", "--deny", "approximate"];
    let status = place.command(&arguments).env("GRAMMARC_ARTIFACTS", "masks").status();
    assert_eq!(status.expect("it starts").code(), Some(1));
}

/// Makes of a tool's name its program: that of the system, or one installed from PyPI into a cache. None where neither is
/// to be had.
fn tool(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = std::env::split_paths(&folders).map(|f| f.join(name)).find(|p| p.is_file())
    {
        return Some(found);
    }
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/grammarc"));
    let cache = std::env::var_os("GRAMMARC_CACHE").map(PathBuf::from).or_else(home)?;
    let installed = cache.join("cmake/bin").join(name);
    if !installed.is_file() {
        let venv = Command::new("python3").args(["-m", "venv"]).arg(cache.join("cmake")).output();
        venv.ok().filter(|run| run.status.success())?;
        let pip = Command::new(cache.join("cmake/bin/pip"))
            .args(["install", "-q", "cmake", "ninja"])
            .output();
        pip.ok().filter(|run| run.status.success())?;
    }
    installed.is_file().then_some(installed)
}

/// Copies the files of a folder and of those in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("copied");
        }
    }
}

#[test]
fn cmake_builds_what_has_changed() {
    let (Some(cmake), Some(ninja)) = (tool("cmake"), tool("ninja")) else {
        use std::io::Write;
        _ = writeln!(std::io::stderr(), "SKIPPED: neither the system nor PyPI has cmake and ninja");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for generator in ["Ninja", "Unix Makefiles"] {
        let place = Place::new();
        copy(&root.join("examples/cmake"), &place.path("examples/cmake"));
        copy(&root.join("bindings/cmake"), &place.path("bindings/cmake"));
        let source = place.path("examples/cmake");
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&cmake);
            command.current_dir(&source).args(arguments);
            let run = command.output().expect("it starts");
            let text = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(run.status.success(), "{text}{}", String::from_utf8_lossy(&run.stderr));
            text
        };
        let binary = format!("-DGRAMMARC_EXECUTABLE={}", env!("CARGO_BIN_EXE_grammarc"));
        let make = format!("-DCMAKE_MAKE_PROGRAM={}", ninja.display());
        let mut configure = vec!["-S", ".", "-B", "build", "-G", generator, &binary];
        if generator == "Ninja" {
            configure.push(&make);
        }
        run(&configure);
        let build = || run(&["--build", "build"]);
        let compiled = |text: &str| text.contains("Compiling grammars");
        assert!(compiled(&build()), "{generator}");
        for file in [
            "index.json",
            "bytes.gvocab",
            "bytes/schemas/point.gmask",
            "bytes/schemas/answer.gmask",
        ] {
            assert!(source.join("build/masks").join(file).is_file(), "{file}");
        }
        assert!(!compiled(&build()), "{generator}: nothing has changed");
        let artifact = || {
            std::fs::metadata(source.join("build/masks/bytes/schemas/point.gmask"))
                .and_then(|f| f.modified())
                .expect("it is there")
        };
        let other = || {
            std::fs::metadata(source.join("build/masks/bytes/schemas/answer.gmask"))
                .and_then(|f| f.modified())
                .expect("it is there")
        };
        let before = (artifact(), other());
        // Make tells times to the second on some systems.
        let later = SystemTime::now() + Duration::from_secs(2);
        std::fs::write(source.join("schemas/point.json"), "{}").expect("written");
        std::fs::File::options()
            .write(true)
            .open(source.join("schemas/point.json"))
            .and_then(|file| file.set_modified(later))
            .expect("it is ours");
        assert!(compiled(&build()), "{generator}: a schema has changed");
        assert!(artifact() > before.0 && other() == before.1);
    }
}
