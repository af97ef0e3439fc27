//! Tests of a cache over a vocabulary of single bytes, with folders that other programs have written to or damaged.

mod layers;
mod requests;

use std::collections::BTreeSet;
use std::fs;

use grammarc_artifacts::write;

use super::*;
use crate::budget::Budget;
use crate::frontend::gbnf::GbnfOptions;
use crate::frontend::json_schema::{JsonSchemaOptions, KeyOrder, Resources, TextForm};
use crate::frontend::regex::{Extent, PatternOptions};
use crate::frontend::sources::{NamedSource, Sources};
use crate::frontend::structural_tag::StructuralTagOptions;
use crate::network::NetworkLimits;

fn compiler(texts: impl Iterator<Item = Vec<u8>>) -> Compiler {
    Compiler::new(crate::samples::vocabulary(texts, &[TextForm::SHORT]))
}

fn bytes() -> Compiler {
    compiler((0..=255).map(|byte| vec![byte]))
}

/// Opens a cache that keeps artifacts only in files.
fn without_memory(folder: &Path) -> Cache {
    Cache::open(CacheOptions::new().folder(folder).memory_entries(0).refusals(0)).unwrap()
}

fn file(cache: &Cache, key: &Key) -> PathBuf {
    cache.path(key).unwrap()
}

/// Returns the paths of the cache's entries in its folder.
fn entries(cache: &Cache) -> Vec<PathBuf> {
    let entries = fs::read_dir(cache.folder().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "gmask")).collect()
}

fn schema(text: &str) -> Source {
    Source::new("s.json", text)
}

fn json_schema() -> FrontEnd {
    FrontEnd::JsonSchema(JsonSchemaOptions::default())
}

const POINT: &str = r#"{"properties": {"x": {"type": "integer"}}, "required": ["x"]}"#;

#[test]
fn keys_differ_where_artifacts_may() {
    let (compiler, front_end) = (bytes(), json_schema());
    let options = CompileOptions::default();
    let of = |front_end: &FrontEnd, source: &Source, options: &CompileOptions| {
        Key::new(compiler.vocabulary(), front_end, source, options)
    };
    let plain = of(&front_end, &schema(POINT), &options);
    assert_eq!(plain, of(&front_end, &schema(POINT), &options));
    let with = |change: fn(&mut JsonSchemaOptions)| {
        let mut options = JsonSchemaOptions::default();
        change(&mut options);
        FrontEnd::JsonSchema(options)
    };
    let resource = |uri: &str, text: &str| {
        let mut resources = Resources::default();
        resources.add(uri, serde_json::from_str(text).unwrap()).unwrap();
        FrontEnd::JsonSchema(JsonSchemaOptions { resources, ..JsonSchemaOptions::default() })
    };
    let tag = |given: &[(&str, &str)]| {
        let mut sources = Sources::default();
        for (name, text) in given {
            let source = Source::new(*name, *text);
            let (language, options) = ("json-schema".into(), serde_json::Map::new());
            sources.add(*name, NamedSource { language, options, source });
        }
        FrontEnd::StructuralTag(StructuralTagOptions { sources, ..StructuralTagOptions::default() })
    };
    let few = NetworkLimits { states: 9, ..NetworkLimits::default() };
    let other = compiler_with_a_word();
    let keys = [
        plain,
        of(&front_end, &schema(&format!("{POINT} ")), &options),
        of(&front_end, &Source::new("t.json", POINT), &options),
        of(&with(|options| options.text = TextForm::WIDE), &schema(POINT), &options),
        of(&with(|options| options.key_order = KeyOrder::Any), &schema(POINT), &options),
        of(&with(|options| options.max_rules = 7), &schema(POINT), &options),
        of(&resource("a:b", r#"{"p": 1, "q": 2}"#), &schema(POINT), &options),
        of(&resource("a:c", r#"{"p": 1, "q": 2}"#), &schema(POINT), &options),
        // The order of keys decides which texts are accepted.
        of(&resource("a:b", r#"{"q": 2, "p": 1}"#), &schema(POINT), &options),
        of(&front_end, &schema(POINT), &options.clone().network_limits(few)),
        of(&front_end, &schema(POINT), &options.clone().record("a", "bc")),
        of(&front_end, &schema(POINT), &options.clone().record("ab", "c")),
        of(&FrontEnd::Gbnf(GbnfOptions::default()), &schema(POINT), &options),
        of(
            &FrontEnd::Gbnf(GbnfOptions { start: "s".to_owned(), ..GbnfOptions::default() }),
            &schema(POINT),
            &options,
        ),
        of(&FrontEnd::Regex(PatternOptions::default()), &schema(POINT), &options),
        of(
            &FrontEnd::Regex(PatternOptions { extent: Extent::Part, ..PatternOptions::default() }),
            &schema(POINT),
            &options,
        ),
        Key::new(other.vocabulary(), &front_end, &schema(POINT), &options),
        of(&with(|options| options.key_order = KeyOrder::AnyOnce), &schema(POINT), &options),
        of(&tag(&[]), &schema(POINT), &options),
        of(&tag(&[("n", "1")]), &schema(POINT), &options),
        of(&tag(&[("m", "1")]), &schema(POINT), &options),
        of(&tag(&[("n", "2")]), &schema(POINT), &options),
        of(&tag(&[("n", "1"), ("m", "1")]), &schema(POINT), &options),
    ];
    let different: BTreeSet<Key> = keys.into_iter().collect();
    assert_eq!(different.len(), keys.len());
}

fn compiler_with_a_word() -> Compiler {
    compiler((0..=255).map(|byte| vec![byte]).chain([b"word".to_vec()]))
}

#[test]
fn the_second_request_is_a_hit_with_the_same_bytes() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = without_memory(&folder.path().join("made/on/the/way"));
    let ask = || {
        let (source, options) = (schema(POINT), CompileOptions::default());
        cache.get_or_compile(&compiler, &json_schema(), &source, &options, &Budget::new()).unwrap()
    };
    let made = ask();
    assert!(matches!(made.origin, Origin::Made));
    let found = ask();
    assert!(matches!(found.origin, Origin::Folder));
    let bytes = |cached: &Cached| cached.artifact.container().buffer().to_vec();
    assert_eq!(bytes(&found), bytes(&made));
    assert_eq!(entries(&cache).len(), 1);
}

#[test]
fn a_hit_does_not_read_the_source() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = without_memory(folder.path());
    let options = CompileOptions::default();
    let broken = schema("{ no JSON");
    let ask = || cache.get_or_compile(&compiler, &json_schema(), &broken, &options, &Budget::new());
    assert!(matches!(ask(), Err(CacheError::Refused(_))));
    // With another source's artifact under its key, it is not even looked at.
    let other = cache
        .get_or_compile(&compiler, &json_schema(), &schema("{}"), &options, &Budget::new())
        .unwrap();
    let key = Key::new(compiler.vocabulary(), &json_schema(), &broken, &options);
    cache.put(&key, other.artifact.container().buffer()).unwrap();
    assert!(matches!(ask().unwrap().origin, Origin::Folder));
}

#[test]
fn what_is_damaged_is_made_anew() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = without_memory(folder.path());
    let (source, options) = (schema(POINT), CompileOptions::default());
    let key = Key::new(compiler.vocabulary(), &json_schema(), &source, &options);
    let ask = || {
        cache.get_or_compile(&compiler, &json_schema(), &source, &options, &Budget::new()).unwrap()
    };
    let artifact = ask().artifact.container().buffer().to_vec();
    let whole = fs::read(file(&cache, &key)).unwrap();
    let flipped = |at: usize| {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        flipped
    };
    // The head, its padding, the artifact, an artifact without a head, a file that was cut.
    let damages =
        [flipped(0), flipped(20), flipped(60), flipped(whole.len() / 2), artifact.clone()];
    let cut = [&whole[..whole.len() / 2], &whole[..64], &whole[..63], b"", b"text"];
    for damaged in damages.iter().map(Vec::as_slice).chain(cut) {
        write::replace(&file(&cache, &key), damaged).unwrap();
        let again = ask();
        assert!(matches!(again.origin, Origin::Made));
        assert_eq!(**again.artifact.container().buffer(), artifact[..]);
        assert!(matches!(ask().origin, Origin::Folder));
    }
    fs::remove_file(file(&cache, &key)).unwrap();
    assert!(matches!(ask().origin, Origin::Made));
}

/// Requests that differ only in source, front end, options or vocabulary do not get each other's entries, even from a
/// renamed file.
#[test]
fn an_entry_serves_its_own_key_alone() {
    let folder = tempfile::tempdir().unwrap();
    let cache = without_memory(folder.path());
    let (bytes, word) = (bytes(), compiler_with_a_word());
    let any_order = JsonSchemaOptions { key_order: KeyOrder::Any, ..JsonSchemaOptions::default() };
    let options = CompileOptions::default();
    let requests = [
        (&bytes, json_schema(), schema(POINT), options.clone()),
        (&bytes, json_schema(), schema(r#"{"const": "other"}"#), options.clone()),
        (&bytes, json_schema(), Source::new("t.json", POINT), options.clone()),
        (&bytes, FrontEnd::JsonSchema(any_order), schema(POINT), options.clone()),
        (&bytes, json_schema(), schema(POINT), options.clone().record("a", "b")),
        (&word, json_schema(), schema(POINT), options),
    ];
    let ask = |at: usize| {
        let (compiler, front_end, source, options) = &requests[at];
        cache.get_or_compile(compiler, front_end, source, options, &Budget::new()).unwrap()
    };
    let files: Vec<PathBuf> = requests
        .iter()
        .map(|(compiler, front_end, source, options)| {
            file(&cache, &Key::new(compiler.vocabulary(), front_end, source, options))
        })
        .collect();
    let made: Vec<_> = (0..requests.len()).map(ask).collect();
    let whole: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    for (at, file) in files.iter().enumerate() {
        assert!(matches!(ask(at).origin, Origin::Folder));
        for other in (0..files.len()).filter(|other| *other != at) {
            write::replace(file, &whole[other]).unwrap();
            let again = ask(at);
            assert!(matches!(again.origin, Origin::Made), "{other} under the name of {at}");
            let bytes = |cached: &Cached| cached.artifact.container().buffer().to_vec();
            assert_eq!(bytes(&again), bytes(&made[at]));
            assert_eq!(fs::read(file).unwrap(), whole[at]);
        }
    }
}

/// Needs the right to change a file's owner, which tests in containers have.
#[cfg(unix)]
#[test]
fn a_file_of_another_user_is_not_taken() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = without_memory(folder.path());
    let (source, options) = (schema(POINT), CompileOptions::default());
    let ask = || {
        cache.get_or_compile(&compiler, &json_schema(), &source, &options, &Budget::new()).unwrap()
    };
    ask();
    let key = Key::new(compiler.vocabulary(), &json_schema(), &source, &options);
    if std::os::unix::fs::chown(file(&cache, &key), Some(65534), None).is_err() {
        return;
    }
    assert!(matches!(ask().origin, Origin::Made));
    assert!(matches!(ask().origin, Origin::Folder), "it was written anew");
}

#[test]
fn a_folder_that_takes_nothing_costs_the_keeping_alone() {
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = without_memory(&folder.path().join("gone"));
    fs::remove_dir(cache.folder().unwrap()).unwrap();
    let (source, options) = (schema(POINT), CompileOptions::default());
    let cached =
        cache.get_or_compile(&compiler, &json_schema(), &source, &options, &Budget::new()).unwrap();
    assert!(matches!(cached.origin, Origin::NotKept(KeepError::Write(Error::Io { .. }))));
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(matches!(Cache::new(file.path()), Err(Error::Io { action: "create", .. })));
}

#[test]
fn writers_beside_each_other_leave_whole_entries() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 12;
    let (compiler, folder) = (bytes(), tempfile::tempdir().unwrap());
    let cache = without_memory(folder.path());
    let options = CompileOptions::default();
    let sources =
        [schema(POINT), schema(r#"{"type": "boolean"}"#), schema(r#"{"enum": [1, "a"]}"#)];
    let expected: Vec<Vec<u8>> = sources
        .iter()
        .map(|source| {
            let lowered = json_schema().lower(source.clone(), &Budget::new()).unwrap();
            let compiled =
                compiler.compile(&lowered, "json-schema", &options, &Budget::new()).unwrap();
            compiled.to_buffer(&compiler).unwrap().to_vec()
        })
        .collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (cache, compiler, options, sources, expected) =
                (&cache, &compiler, &options, &sources, &expected);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let at = (round + thread) % sources.len();
                    let front_end = json_schema();
                    let cached = cache
                        .get_or_compile(compiler, &front_end, &sources[at], options, &Budget::new())
                        .unwrap();
                    assert_eq!(**cached.artifact.container().buffer(), expected[at][..]);
                    // Some rounds take the entry away, some damage it, below the others' feet.
                    let key = Key::new(compiler.vocabulary(), &front_end, &sources[at], options);
                    match round % 4 {
                        1 => drop(fs::remove_file(file(cache, &key))),
                        3 => write::replace(&file(cache, &key), &expected[at][..100]).unwrap(),
                        _ => {}
                    }
                }
            });
        }
    });
    let left = fs::read_dir(cache.folder().unwrap()).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let strays: Vec<String> =
        names.filter(|name| !name.ends_with(".gmask") && name != ".grammarc-swept").collect();
    assert_eq!(strays, Vec::<String>::new(), "no temporary file stays");
}
