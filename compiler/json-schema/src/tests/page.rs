//! `docs/json-schema.md`, generated from the table of support.
//!
//! The test fails if the page differs from the tables. With `GRAMMARC_BLESS=1` it writes the page instead. It then also
//! counts how many MaskBench schemas have each keyword or format, for which it needs the data.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use crate::{SupportRow, support_table};
use grammarc_test_data::{data, files};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json-schema.md");

const HEAD: &str = "\
# JSON Schema: which texts are accepted, and what becomes of each keyword

Made from the tables of support in `compiler/json-schema/src` by their test; not to be edited.

## Texts

A schema says which values are instances; the text form says which texts of an instance are accepted. Without options
that is the natural one: what models write, and nothing in which they could go on without end.

| option | form | texts |
| --- | --- | --- |
| `--whitespace` | `natural` (default) | at most one space after each `,` and `:`, and none elsewhere |
| | `compact` | none |
| | `spaced` | one space after each `,` and `:`, as Python's `json.dumps` writes |
| | `indented[:N]` | each item and member on a line of its own, after a line feed and N spaces (2) for each level; `\": \"` after keys; `{}` and `[]` closed at once |
| | `styled[:N]` | compact, spaced or indented, and the whole document in one of them: the first place where they differ tells which |
| | `flexible[:N]` | runs of up to N (19) spaces, tabs, line feeds and carriage returns wherever JSON allows them inside a document |
| `--separators ITEM KEY` | | these in place of each `,` and `:`, of up to 32 bytes, and no whitespace elsewhere |
| `--surround[=N]` | none by default | runs of up to N (4) characters of whitespace before the document, and behind it. The first piece of SentencePiece vocabularies, which is decoded without its space, needs one |
| `--numbers` | `natural` (default) | `any`, but digits alone where all numbers allowed are integers, and no `-0` there |
| | `canonical` | one text for each value: no exponent, no zeros at the end of a fraction, no `-0` |
| | `any` | every spelling of the value, within the bounds below |
| `--escapes` | `shortest` (default) | escapes where there must be one, the shortest there is |
| | `any` | every character in any way that JSON allows |
| `--key-order` | `schema` (default) | keys that the schema names in its order, then others |
| | `any` | any |
| | `any-once` | any, with each key that the schema names at most once |
| | `sorted` | keys that the schema names by name, without regard to case, then others |

Without `--surround` nothing stands before or behind the document, a line feed included.

What no keyword bounds is bounded here, so that no output is endless:

- **Digits**: 64 before the point, 64 behind it, and 4 in an exponent. Zeros at the start of an exponent are counted for
  themselves, and there are 4 at most: `1e-00001` is accepted and `1e-000001` is not. Digits that a keyword asks for
  (`const`, `minimum` and the like) are allowed, however many they are.
- **Exponents** of numbers that keywords constrain: any mantissa with an exponent from -3 to 3, and one in scientific
  notation (one digit before the point, not zero) with an exponent from -22 to 22, or beyond where it is plain that they
  make members. A set that a power of ten does not change (`\"minimum\": 0`) takes every exponent; one that takes more than
  96 states to distinguish multiples (`\"multipleOf\": 0.97`) takes none. Zeros at the end of a fraction are counted as
  its digits and change nothing else.
- **Depth** of indented text: text that is indented by its depth, at any depth, is no context-free language, so there are
  rules for each level, up to `--levels` (32). A container inside so many others is empty, `{}` or `[]`: this holds for
  values that nothing constrains and for recursive schemas. A schema that this makes narrower is entered in the report
  as such, and one that leaves it no document is refused with `json-schema::level-limit`. Styled text holds its indented
  form to the same, and has no limit in the others.

`--closed` treats objects with `properties` as closed, unless the schema allows other keys by `additionalProperties`,
`patternProperties` or `unevaluatedProperties`. Schemas that apply to one value together are closed together. What is
closed is entered in the report as narrower. `--dialect openapi-3.0` reads schemas of OpenAPI 3.0: `nullable` beside
`type` adds null, and `$ref` stands alone. `--formats annotated` reads `format` as an annotation.

## Keywords

Every keyword of a schema is entered in the report of its artifact as one of:

- **exact**: the grammar accepts the texts of exactly the instances that the specification accepts;
- **annotation**: constrains nothing, by the specification;
- **narrower**: accepts no wrong instance, and not all right ones;
- **approximate**: accepts more than the specification.

What is none of these is an error that names the place. A keyword outside the drafts in which it is defined is an
annotation if `$schema` names the draft, and counts if it does not. \"Share\" is the part of MaskBench's 3,427
development schemas that have the keyword anywhere.

";

const FORMATS: &str = "
## Formats

Other names are annotations.

| format | verdict | refuses, though it is right | share |
| --- | --- | --- | --: |
";

/// Maps the name of each keyword or format to the last column of its row: the share of schemas that have it.
type Shares = BTreeMap<String, String>;

fn page(shares: &[Shares; 2]) -> String {
    let mut page = HEAD.to_owned();
    page += "| keyword | drafts | verdict | except | share |\n| --- | --- | --- | --- | --: |\n";
    for row in support_table() {
        let SupportRow { name, drafts, verdict, note } = row;
        let share = shares[usize::from(drafts.is_none())].get(name).map_or("", String::as_str);
        match drafts {
            Some((since, until)) if since == until => {
                page += &format!("| `{name}` | {since} | {verdict} | {note} | {share} |\n");
            }
            Some((since, until)) => {
                page +=
                    &format!("| `{name}` | {since} to {until} | {verdict} | {note} | {share} |\n");
            }
            None => {
                if !page.contains(FORMATS) {
                    page += FORMATS;
                }
                page += &format!("| `{name}` | {verdict} | {note} | {share} |\n");
            }
        }
    }
    page
}

/// Returns the shares in the present page: of keywords, and of formats.
fn written(page: &str) -> [Shares; 2] {
    let (_, tables) = page.split_once("\n## Keywords").unwrap_or(("", page));
    let (keywords, formats) = tables.split_once("\n## Formats").unwrap_or((tables, ""));
    [keywords, formats].map(|part| {
        let rows = part.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
        rows.filter_map(|row| {
            let (name, _) = row.split_once('`')?;
            let (_, share) = row.rsplit_once("| ")?;
            Some((name.to_owned(), share.to_owned()))
        })
        .collect()
    })
}

/// Returns the share of schemas in a folder that have each keyword and each format.
fn counted(folder: &Path) -> [Shares; 2] {
    let mut counts = [BTreeMap::new(), BTreeMap::new()];
    let mut schemas = 0_u32;
    for (_, case) in files(folder) {
        let mut names = [Vec::new(), Vec::new()];
        collect(&case["schema"], &mut names);
        schemas += 1;
        for (names, counts) in names.iter_mut().zip(&mut counts) {
            names.sort_unstable();
            names.dedup();
            for name in names {
                *counts.entry((*name).to_owned()).or_insert(0_u32) += 1;
            }
        }
    }
    counts.map(|counts| {
        let share = |count| format!("{:.1} %", f64::from(count) * 100.0 / f64::from(schemas));
        counts.into_iter().map(|(name, count)| (name, share(count))).collect()
    })
}

/// Collects the keys that may be keywords, and the names of formats.
fn collect<'v>(value: &'v Value, names: &mut [Vec<&'v str>; 2]) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        Value::Object(members) => {
            for (key, value) in members {
                names[0].push(key);
                if let ("format", Value::String(format)) = (key.as_str(), value) {
                    names[1].push(format);
                }
                match (key.as_str(), value) {
                    ("enum" | "const" | "default" | "examples" | "example", _) => {}
                    // The keys of these objects are names, not keywords.
                    (
                        "properties" | "patternProperties" | "definitions" | "$defs"
                        | "dependencies" | "dependentSchemas",
                        Value::Object(schemas),
                    ) => schemas.values().for_each(|schema| collect(schema, names)),
                    _ => collect(value, names),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_page_is_what_the_tables_say() {
    let page_path = Path::new(PAGE);
    if env::var_os("GRAMMARC_BLESS").is_some() {
        let shares = counted(&data("maskbench").expect("MaskBench's schemas"));
        fs::create_dir_all(page_path.parent().expect("a folder")).expect("it can be made");
        grammarc_artifacts::write::replace(page_path, page(&shares).as_bytes())
            .expect("it can be written");
        return;
    }
    let found = fs::read_to_string(page_path).expect("docs/json-schema.md is there");
    let shares = written(&found);
    assert!(found == page(&shares), "docs/json-schema.md is old; see this test's head");
    assert!(shares[0]["properties"].ends_with(" %"), "the shares are kept");
}
