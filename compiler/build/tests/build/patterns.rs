//! The files that are sources, and the places of their artifacts.

use super::*;

fn with_sources(place: &Place, sources: &str) -> Result<Outcome, BuildError> {
    let head = MANIFEST.split("[[source]]").next().expect("a head");
    place.write("grammarc.toml", &format!("{head}{sources}"));
    place.build().run()
}

#[test]
fn patterns_are_expanded_and_the_output_is_no_source() {
    let place = Place::new();
    place.write("schemas/.hidden.json", "{");
    place.write("schemas/x/no.json", "{");
    place.write("schemas/list.gbnf", "root ::= \"a\"+");
    place.write("schemas/word", "[a-z]+");
    let sources = r#"
        [[source]]
        files = ["**/*.json", "schemas/point.json"]
        exclude = ["schemas/x/*"]
        [[source]]
        files = ["schemas/*.gbnf"]
        [[source]]
        files = ["schemas/word"]
        kind = "regex"
    "#;
    for _ in 0..2 {
        let outcome = with_sources(&place, sources).expect("it is right");
        assert!(outcome.is_complete(), "{:?}", outcome.refused);
        let expected =
            ["deep/flag", "list", "point", "word"].map(|name| format!("tiny/schemas/{name}.gmask"));
        assert_eq!(place.files()[2..], expected);
        // Folders are inputs, so that new files are noticed; those of the output are none.
        assert!(outcome.inputs.contains(&place.path("schemas/deep")));
        assert!(outcome.inputs.contains(&place.path("t.tiktoken")));
        assert!(!outcome.inputs.iter().any(|path| is_below(path, &place.path("masks"))));
    }
}

#[test]
fn sources_outside_the_folder_of_the_manifest_have_names_too() {
    let place = Place::new();
    place.write(
        "sub/grammarc.toml",
        &MANIFEST
            .replace("schemas/**/*.json", "../schemas/point.json")
            .replace("t.tiktoken", "../t.tiktoken"),
    );
    let outcome =
        Build::new().manifest(place.path("sub/grammarc.toml")).run().expect("it is right");
    assert_eq!(names(&outcome), ["tiny/schemas/point.gmask"]);
    assert_eq!(outcome.built[0].source, "../schemas/point.json");
}

#[test]
fn two_sources_do_not_share_an_artifact() {
    let place = Place::new();
    place.write("schemas/point.gbnf", "root ::= \"a\"+");
    let two = "[[source]]\nfiles = [\"schemas/point.*\"]";
    let error = with_sources(&place, two).expect_err("they collide");
    let [message] = messages(&error)[..] else { panic!("one") };
    assert!(message.contains("schemas/point.gbnf and schemas/point.json"), "{message}");
    // One source in two forms.
    let two = |folder: &str| {
        format!(
            "[[source]]\nfiles = [\"schemas/point.json\"]\n[[source]]\nfiles = [\"schemas/point.json\"]\nwhitespace = \"compact\"\n{folder}"
        )
    };
    with_sources(&place, &two("")).expect_err("they collide");
    let outcome = with_sources(&place, &two("folder = \"compact\"")).expect("they do not");
    assert_eq!(names(&outcome), ["tiny/schemas/point.gmask", "tiny/compact/schemas/point.gmask"]);
}

#[test]
fn errors_are_at_their_places() {
    let place = Place::new();
    let one = |sources: &str| {
        let error = with_sources(&place, sources).expect_err("it is wrong");
        messages(&error).join("; ")
    };
    assert_eq!(one("[[source]]\nfiles = [\"*.jsn\"]"), "files: \"*.jsn\" matches no file");
    assert!(
        one("[[source]]\nfiles = [\"t.*\"]").contains("cannot tell the language of t.tiktoken")
    );
    place.write("schemas/list.gbnf", "root ::= \"a\"+");
    let mixed = "[[source]]\nfiles = [\"schemas/*\"]\nwhitespace = \"compact\"";
    assert!(
        one(mixed)
            .contains("whitespace: it is for json-schema sources, and schemas/list.gbnf is gbnf")
    );
    place.write("grammarc.toml", &MANIFEST.replace("t.tiktoken", "missing.json"));
    let error = place.build().run().expect_err("there is no tokenizer");
    assert!(messages(&error)[0].starts_with("tokenizer: "), "{error}");
    assert!(error.to_string().contains("grammarc.toml:5:13: "), "{error}");
    place.remove("grammarc.toml");
    assert!(matches!(place.build().run(), Err(BuildError::Read { .. })));
}

#[test]
fn a_depfile_names_the_inputs() {
    let place = Place::new();
    place.write("schemas/with space.json", "{}");
    let outcome = place.run();
    place.build().write_depfile(&place.path("masks.d"), &outcome).expect("written");
    let text = String::from_utf8(place.read("masks.d")).expect("a text");
    let target = format!("{}: \\\n", place.path("masks/index.json").display());
    assert!(text.starts_with(&target), "{text}");
    for input in [
        "grammarc.toml",
        "t.tiktoken",
        "schemas",
        "schemas/point.json",
        "schemas/with\\ space.json",
    ] {
        let path = place.path(input).display().to_string();
        assert!(
            text.contains(&format!("  {path}")) && text.contains(&format!("\n{path}:\n")),
            "{input} in {text}"
        );
    }
}
