//! The tree keeps its layers: arrows between crates and between the rooms of some point the way that the
//! design says, files are of a size to be read, and each says at its head what it is.

use std::fs;
use std::path::{Path, PathBuf};

use grammarc_tests::layers::{Row, disorder, module_of, violations};

/// The crates by folder, and which others each may depend on, tests included.
pub(super) const CRATES: [Row<'_>; 30] = [
    ("tests/data", &[]),
    ("artifacts", &["tests/data"]),
    ("runtime", &["tests/data", "artifacts"]),
    ("compiler/grammar", &["artifacts"]),
    ("compiler/patterns", &["tests/data", "compiler/grammar"]),
    ("compiler/json-schema", &["tests/data", "artifacts", "compiler/grammar", "compiler/patterns"]),
    ("compiler/typescript", &["compiler/grammar", "compiler/json-schema"]),
    ("compiler/portable", &["tests/data", "compiler/grammar", "compiler/json-schema"]),
    (
        "compiler/languages",
        &[
            "artifacts",
            "compiler/grammar",
            "compiler/patterns",
            "compiler/json-schema",
            "compiler/typescript",
        ],
    ),
    ("compiler/vocabulary", &["tests/data", "artifacts", "compiler/grammar"]),
    ("compiler", &["artifacts", "compiler/grammar", "compiler/languages", "compiler/vocabulary"]),
    ("generate/json", &["tests/data", "artifacts", "compiler", "runtime"]),
    ("generate/calls", &["compiler", "runtime", "generate/json"]),
    ("generate", &["artifacts", "compiler", "runtime", "generate/calls", "generate/json"]),
    // Its tests compile the samples.
    ("generate/agents", &["artifacts", "compiler", "runtime", "generate/json", "generate"]),
    ("generate/http", &["generate"]),
    ("bindings/common", &["artifacts", "compiler", "compiler/portable", "runtime"]),
    (
        "generate/candle",
        &[
            "artifacts",
            "compiler",
            "runtime",
            "generate/json",
            "generate",
            "generate/agents",
            "bindings/common",
        ],
    ),
    // Its tests run a model.
    (
        "generate/server",
        &[
            "artifacts",
            "compiler",
            "runtime",
            "generate/calls",
            "generate/json",
            "generate",
            "generate/agents",
            "generate/candle",
            "bindings/common",
        ],
    ),
    ("compiler/build", &["artifacts", "compiler"]),
    (
        "compiler/cli",
        &[
            "artifacts",
            "compiler",
            "compiler/build",
            "compiler/portable",
            "runtime",
            "generate/json",
            "generate",
            "generate/agents",
            "generate/candle",
            "generate/server",
        ],
    ),
    ("examples/build-rs", &["artifacts", "compiler/build", "runtime"]),
    (
        "benches",
        &["tests/data", "artifacts", "compiler", "runtime", "generate/json", "compiler/cli"],
    ),
    (
        "tests",
        &[
            "tests/data",
            "artifacts",
            "compiler",
            "runtime",
            "generate/calls",
            "compiler/cli",
            "benches",
        ],
    ),
    ("fuzz", &["artifacts", "compiler", "runtime", "generate/json", "tests"]),
    ("runtime/cuda", &["artifacts", "compiler", "runtime", "tests"]),
    ("tests/gpu", &["tests/data", "artifacts", "compiler", "runtime", "runtime/cuda", "tests"]),
    (
        "bindings/c",
        &[
            "artifacts",
            "compiler",
            "runtime",
            "runtime/cuda",
            "generate/calls",
            "bindings/common",
            "tests",
        ],
    ),
    ("bindings/js/wasm", &["artifacts", "runtime"]),
    // Its tests ask a server.
    (
        "bindings/python",
        &[
            "artifacts",
            "compiler",
            "runtime",
            "runtime/cuda",
            "generate",
            "generate/agents",
            "generate/calls",
            "generate/json",
            "generate/server",
            "bindings/common",
            "tests",
        ],
    ),
];

/// The rooms that all crates of the compiler share.
const GRAMMAR: [Row<'_>; 13] = [
    ("graph", &[]),
    ("interner", &[]),
    ("insertion_set", &[]),
    ("diagnostics", &[]),
    ("suggest", &[]),
    ("other_language", &["diagnostics"]),
    ("budget", &["diagnostics"]),
    ("threads", &["budget"]),
    ("automata", &["graph", "interner", "budget"]),
    ("open_json", &[]),
    ("ir", &["graph", "diagnostics", "budget", "automata", "open_json"]),
    ("lexicon", &["ir"]),
    ("controls", &["diagnostics", "ir"]),
];

/// The rooms of JSON Schema.
const JSON_SCHEMA: [Row<'_>; 17] = [
    ("document", &[]),
    ("source", &["document"]),
    ("options", &["source"]),
    ("values", &["document", "options", "source"]),
    ("text_form", &["options", "values"]),
    ("read", &["document", "options", "source", "values"]),
    ("algebra", &["document", "options", "read", "values"]),
    ("lower", &["algebra", "document", "options", "read", "text_form", "values"]),
    ("place_graph", &["document", "read"]),
    (
        "passes",
        &["algebra", "document", "lower", "options", "place_graph", "read", "source", "text_form"],
    ),
    ("loosely", &["options", "passes", "text_form"]),
    ("variant", &["document", "read", "values"]),
    (
        "relation",
        &[
            "algebra",
            "document",
            "lower",
            "options",
            "passes",
            "read",
            "source",
            "text_form",
            "values",
        ],
    ),
    ("printed", &["algebra", "document", "options", "passes", "read", "relation", "values"]),
    ("witness", &["document", "read", "relation", "variant"]),
    (
        "explain",
        &["algebra", "document", "lower", "options", "passes", "read", "text_form", "variant"],
    ),
    // It calls the function that has the name of a room.
    ("rust_type", &["lower", "options", "passes"]),
];

/// The rooms of the compiler. Masks and what follows them know no front end.
const ROOMS: [Row<'_>; 10] = [
    ("network", &[]),
    ("masks", &["network"]),
    ("early_ends", &["network"]),
    ("costly", &["network"]),
    ("places", &[]),
    ("emit", &["network", "masks", "places"]),
    ("compile", &["network", "masks", "early_ends", "costly", "emit"]),
    ("from_source", &["compile"]),
    // Built for unit tests alone.
    ("samples", &["network", "compile"]),
    // Its tests set a limit.
    ("cache", &["network", "compile", "from_source", "samples"]),
];

/// The languages. Apart from those that are written in others, none knows another.
const LANGUAGES: [Row<'_>; 17] = [
    // Sources by name, and how a front end has those in its source read, whatever their languages.
    ("sources", &[]),
    ("inner", &["sources"]),
    // For tests alone.
    ("test_support", &[]),
    ("free_text", &[]),
    ("substring", &[]),
    ("gbnf", &["free_text", "inner", "test_support", "sources", "substring"]),
    ("choice", &[]),
    ("lark", &["inner", "test_support", "substring"]),
    ("structural_tag", &["free_text", "gbnf", "inner", "sources"]),
    ("builtin", &["gbnf", "inner"]),
    ("deny", &[]),
    ("canonical", &[]),
    // Options of all of them.
    (
        "options",
        &[
            "builtin",
            "canonical",
            "choice",
            "deny",
            "gbnf",
            "inner",
            "lark",
            "sources",
            "structural_tag",
            "substring",
        ],
    ),
    (
        "front_end",
        &[
            "builtin",
            "choice",
            "gbnf",
            "inner",
            "lark",
            "options",
            "sources",
            "structural_tag",
            "substring",
        ],
    ),
    ("settings", &["deny", "front_end", "options"]),
    ("nested", &["deny", "front_end", "inner", "settings", "sources"]),
    ("compose", &["front_end", "inner", "nested", "settings"]),
];

/// The rooms of the masks. Nothing that saves a walk knows the walk; sets are encoded without it.
const MASKS: [Row<'_>; 12] = [
    ("bits", &[]),
    ("limits", &[]),
    // The list of all shortcuts by name.
    ("shortcuts", &[]),
    ("trie", &["bits"]),
    ("outcome", &["bits", "trie"]),
    ("shared", &["bits", "outcome", "trie"]),
    ("equivalence", &["outcome", "shared", "shortcuts", "trie"]),
    // Built for unit tests alone.
    ("testing", &["equivalence", "shared"]),
    ("encode", &["bits", "outcome", "shared"]),
    ("walk", &["equivalence", "outcome", "shared", "shortcuts", "trie"]),
    ("derive", &["encode", "equivalence", "outcome", "shared", "shortcuts", "trie", "walk"]),
    (
        "fixpoint",
        &[
            "derive",
            "encode",
            "equivalence",
            "limits",
            "outcome",
            "shared",
            "shortcuts",
            "trie",
            "walk",
        ],
    ),
];

/// Longest file.
const MOST_LINES: usize = 600;

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(super) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Rust files below a folder but for build outputs, sorted, as paths below it with their texts.
pub(super) fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                let is_built = path.file_name().is_some_and(|name| name == "target");
                open.extend((!is_built).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    let name = |path: &Path| {
        let below = path.strip_prefix(folder).expect("it is below the folder");
        below.to_string_lossy().replace('\\', "/")
    };
    found.iter().map(|path| (name(path), read(path))).collect()
}

/// The quoted strings of a manifest's `members`.
fn members() -> Vec<String> {
    let manifest = read(&root().join("Cargo.toml"));
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.expect("the workspace lists its members");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The value of `name = "..."` in a manifest.
fn name(manifest: &str) -> &str {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = "));
    line.expect("a package has a name").trim_matches('"')
}

/// The names of a manifest's dependencies of all kinds.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            inside = header.ends_with("dependencies");
            // `[dependencies.name]` is another way to write one.
            if let Some((kind, name)) = header.rsplit_once('.')
                && kind.ends_with("dependencies")
            {
                found.push(name);
            }
        } else if inside {
            let end = line.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
            found.extend(end.map(|end| &line[..end]).filter(|name| !name.is_empty()));
        }
    }
    found
}

#[test]
fn crates_depend_the_right_way() {
    assert_eq!(disorder(&CRATES), None);
    let mut members = members();
    let mut listed = CRATES.map(|(folder, _)| folder.to_owned());
    members.sort();
    listed.sort();
    assert_eq!(members, listed, "the table lists the workspace's members");
    let manifest = |folder: &str| read(&root().join(folder).join("Cargo.toml"));
    for (folder, uses) in CRATES {
        let own = manifest(folder);
        for (other, _) in CRATES {
            let depends = dependencies(&own).contains(&name(&manifest(other)));
            let may = uses.contains(&other);
            assert!(
                !depends || may,
                "{folder} depends on {other}, against the order of the layers"
            );
        }
    }
}

#[test]
fn every_way_to_write_a_dependency_is_read() {
    let manifest = "name = \"x\"\n[dependencies]\na-b.workspace = true\nc = { path = \"..\" }\n# d = 1\n\n\
        [target.'cfg(unix)'.dev-dependencies]\ne = \"1\"\n[build-dependencies.f]\nversion = \"1\"\n[lints]\ng = 1\n";
    assert_eq!(dependencies(manifest), ["a-b", "c", "e", "f"]);
}

/// The tables of rooms: the crate's folder, the module that the rooms are in, and the table.
const TABLES: [(&str, &[&str], &[Row<'_>]); 5] = [
    ("compiler/grammar", &[], &GRAMMAR),
    ("compiler/json-schema", &[], &JSON_SCHEMA),
    ("compiler/languages", &[], &LANGUAGES),
    ("compiler", &[], &ROOMS),
    ("compiler", &["masks"], &MASKS),
];

/// The uses within a module of a crate that the table does not have, one a line.
fn arrows(folder: &str, within: &[&str], table: &[Row<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in files(&root().join(folder).join("src")) {
        // Unit tests may look from above.
        if module_of(&file).contains(&"tests") {
            continue;
        }
        let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let uses = violations(shipped, &module_of(&file), within, table);
        found.extend(uses.into_iter().map(|u| format!("{file}: {} uses {}", u.from, u.to)));
    }
    found
}

#[test]
fn rooms_of_the_compiler_are_used_the_right_way() {
    for (folder, within, table) in TABLES {
        assert_eq!(disorder(table), None);
        assert_eq!(arrows(folder, within, table), [""; 0], "arrows against the order of {folder}");
        // The table knows all rooms.
        for (file, _) in files(&root().join(folder).join("src")) {
            let rest = module_of(&file);
            if let Some([room, ..]) = rest.strip_prefix(within)
                && *room != "tests"
            {
                let is_listed = table.iter().any(|(listed, _)| listed == room);
                assert!(is_listed, "{folder}: {room} is in no table");
            }
        }
    }
}

#[test]
fn a_table_with_an_arrow_less_finds_it() {
    // Were the masks not allowed to know the network, the test above would name the files that do.
    let without: Vec<Row<'_>> = ROOMS
        .iter()
        .map(|&(room, uses)| if room == "masks" { (room, &[][..]) } else { (room, uses) })
        .collect();
    let found = arrows("compiler", &[], &without);
    let network = found.iter().filter(|line| line.ends_with("masks uses network")).count();
    assert!(network >= 5, "{found:?}");
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (folder, _) in CRATES {
        for (file, text) in files(&root().join(folder)) {
            // Crates within the folder of another are listed themselves.
            let inner = |(other, _): &Row<'_>| {
                let below = other.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
                below.is_some_and(|below| file.starts_with(&format!("{below}/")))
            };
            if CRATES.iter().any(inner) {
                continue;
            }
            count += 1;
            let lines = text.lines().count();
            if lines > MOST_LINES {
                wrong.push(format!("{folder}/{file} has {lines} lines"));
            }
            if !text.starts_with("//! ") {
                wrong.push(format!("{folder}/{file} does not begin with what it is"));
            }
        }
    }
    assert!(count > 150, "only {count} files were found");
    assert_eq!(wrong, [""; 0]);
}
