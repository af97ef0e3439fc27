//! A second build does nothing, unless content has changed.

use std::num::NonZero;
use std::time::SystemTime;

use grammarc_compiler::frontend::deny::Deny;

use super::*;

const POINT_FILE: &str = "tiny/schemas/point.gmask";
const FLAG_FILE: &str = "tiny/schemas/deep/flag.gmask";

#[test]
fn only_what_has_changed_is_compiled() {
    let place = Place::new();
    assert_eq!(
        place.stale(),
        [("tiny.gvocab", Why::Missing), (FLAG_FILE, Why::Missing), (POINT_FILE, Why::Missing)]
            .map(|(file, why)| (file.to_owned(), why))
    );
    assert_eq!(place.files(), [""; 0], "a check writes nothing");
    let first = place.run();
    assert_eq!(names(&first), [FLAG_FILE, POINT_FILE]);
    assert!(first.vocabularies[0].built && first.is_complete());
    assert_eq!(place.files(), ["index.json", "tiny.gvocab", FLAG_FILE, POINT_FILE]);
    assert_eq!(place.stale(), []);
    let before = place.output();

    // Nothing has changed; times do not count.
    let now = SystemTime::now();
    let touched = fs::File::options().write(true).open(place.path("schemas/point.json"));
    touched.expect("it is there").set_modified(now).expect("it is ours");
    let second = place.run();
    assert_eq!((second.built.len(), second.fresh, second.vocabularies[0].built), (0, 2, false));
    assert_eq!(place.output(), before);

    place.write("schemas/point.json", &POINT.replace("integer", "number"));
    assert_eq!(place.stale(), [(POINT_FILE.to_owned(), Why::OutOfDate)]);
    let third = place.run();
    assert_eq!((names(&third), third.fresh), (vec![POINT_FILE], 1));
    assert_eq!(place.output()[FLAG_FILE], before[FLAG_FILE]);
    assert_ne!(place.output()[POINT_FILE], before[POINT_FILE]);
    // Back again, and all is as it was.
    place.write("schemas/point.json", POINT);
    place.run();
    assert_eq!(place.output(), before);
}

#[test]
fn options_vocabulary_and_limits_count() {
    let place = Place::new();
    place.run();
    let changed = |from: &str, to: &str| {
        place.write("grammarc.toml", &MANIFEST.replace(from, to));
        let outcome = place.run();
        (outcome.built.len(), outcome.vocabularies[0].built)
    };
    let end = "**/*.json\"]";
    assert_eq!(changed(end, &format!("{end}\nwhitespace = \"compact\"")), (2, false));
    assert_eq!(changed(end, &format!("{end}\ndeny = [\"approximate\"]")), (2, false));
    assert_eq!(changed("[[source]]", "[limits]\nmax-states = 5000\n[[source]]"), (2, false));
    assert_eq!(changed("", ""), (2, false));
    // A comment is nothing.
    assert_eq!(changed("[[source]]", "# here\n[[source]]"), (0, false));
    // Another set of end tokens is another vocabulary.
    assert_eq!(changed("[256]", "[\"<|end|>\", 10]"), (2, true));
    changed("", "");
    place.write("t.tiktoken", &ranks("word"));
    assert_eq!(place.stale().len(), 3);
    assert_eq!(changed("", ""), (2, true));
    assert_eq!(place.stale(), []);
}

#[test]
fn what_is_damaged_or_deleted_is_made_anew() {
    let place = Place::new();
    place.run();
    let before = place.output();
    for (name, left) in [(POINT_FILE, 1), (FLAG_FILE, 1), ("tiny.gvocab", 3)] {
        let whole = &before[name];
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        for damaged in [&flipped[..], &whole[..100], b""] {
            fs::write(place.path("masks").join(name), damaged).expect("written");
            let stale = place.stale();
            assert_eq!(stale.len(), left, "{stale:?}");
            assert!(stale.contains(&(name.to_owned(), Why::Damaged)));
            place.run();
            assert_eq!(place.output(), before);
        }
        place.remove(&format!("masks/{name}"));
        assert!(place.stale().contains(&(name.to_owned(), Why::Missing)));
        place.run();
        assert_eq!(place.output(), before);
    }
}

#[test]
fn what_belongs_to_no_source_is_deleted_where_the_index_has_it() {
    let place = Place::new();
    place.run();
    place.write("masks/tiny/schemas/mine.gmask", "somebody else's");
    place.remove("schemas/deep/flag.json");
    assert_eq!(place.stale(), [(FLAG_FILE.to_owned(), Why::Superfluous)]);
    let outcome = place.run();
    assert_eq!(outcome.removed, [FLAG_FILE]);
    assert_eq!(place.files(), ["index.json", "tiny.gvocab", "tiny/schemas/mine.gmask", POINT_FILE]);
    assert!(!place.path("masks/tiny/schemas/deep").exists(), "the folder was empty");
    // A vocabulary by another name.
    place.write("grammarc.toml", &MANIFEST.replace("\"tiny\"", "\"small\""));
    assert_eq!(place.run().removed, ["tiny.gvocab", POINT_FILE]);
    assert_eq!(
        place.files(),
        ["index.json", "small.gvocab", "small/schemas/point.gmask", "tiny/schemas/mine.gmask"]
    );
}

#[test]
fn an_index_that_leads_elsewhere_is_refused() {
    let place = Place::new();
    place.run();
    place.write("victim.json", "{}");
    let index = String::from_utf8(place.read("masks/index.json")).expect("JSON");
    place.write("masks/index.json", &index.replace(FLAG_FILE, "../victim.json"));
    assert!(matches!(place.build().run(), Err(BuildError::Index { .. })));
    assert!(place.path("victim.json").exists());
    place.write("masks/index.json", "{}");
    assert!(matches!(place.build().check(), Err(BuildError::Index { .. })));
}

#[test]
fn a_source_that_is_refused_stops_no_other() {
    let place = Place::new();
    place.run();
    place.write("schemas/point.json", r#"{"type": "objekt"}"#);
    place.write("schemas/more.json", r#"{"uniqueItems": true, "maxItems": 20}"#);
    place.write("schemas/text.json", "");
    fs::write(place.path("schemas/text.json"), b"{\"const\": \"\xff\"}").expect("written");
    let outcome = place.build().deny([Deny::Approximate]).run().expect("it can be built");
    let mut refused: Vec<_> =
        outcome.refused.iter().map(|one| (&*one.source.name, one.diagnostics[0].code)).collect();
    refused.sort_unstable();
    assert_eq!(
        refused,
        [
            ("schemas/more.json", "compile::approximate"),
            ("schemas/point.json", "json-schema::invalid-keyword"),
            ("schemas/text.json", "build::not-text"),
        ]
    );
    // The artifact of an earlier text of the source is not left to be taken for it.
    assert_eq!(place.files(), ["index.json", "tiny.gvocab", FLAG_FILE]);
    assert!(!outcome.is_complete());
    assert_eq!(outcome.removed, [POINT_FILE]);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = Place::new();
    for number in 0..20 {
        place.write(&format!("schemas/{number}.json"), &format!(r#"{{"const": {number}}}"#));
    }
    let build = |threads| {
        drop(fs::remove_dir_all(place.path("masks")));
        let threads = NonZero::new(threads).expect("not zero");
        let outcome = place.build().threads(threads).run().expect("it can be built");
        let names: Vec<String> = names(&outcome).into_iter().map(str::to_owned).collect();
        (names, place.output())
    };
    let one = build(1);
    assert_eq!(one.0.len(), 22);
    assert!(one == build(2) && one == build(7));
}
