//! Grammars that refer to other files, and TypeScript.

use super::{MANIFEST, Place};

#[test]
fn a_grammar_is_made_anew_when_what_it_refers_to_changes() {
    let place = Place::new();
    let group = "files = [\"g/*.gbnf\"]\ninclude = [\"parts\", \"other=schemas/point.json\"]\n[[source]]\nfiles = [\"*.ts\"]\nstart = \"A\"\n";
    place.write("grammarc.toml", &MANIFEST.replace("files = [\"schemas/**/*.json\"]\n", group));
    place.write("g/a.gbnf", "root ::= @\"n.regex\" @\"other\"");
    place.write("parts/n.regex", "[0-9]+\n");
    place.write("types.ts", "export type A = 1;\nexport type B = 2;");
    assert_eq!(place.run().built.len(), 2);
    assert_eq!(place.stale(), []);
    place.write("parts/n.regex", "[0-8]+\n");
    assert_eq!(place.stale().len(), 1);
    assert_eq!(place.run().built.len(), 1);
    place.write("schemas/point.json", "true");
    assert_eq!(place.run().built.len(), 1);
    assert_eq!(place.stale(), []);
}
