//! `docs/json-schema.md`, made of the table of support.
//!
//! The test fails where the page is not what the tables say. With `GRAMMARC_BLESS=1` it writes the page instead, and
//! counts again how many MaskBench schemas have each keyword or format, for which it needs the data.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

use crate::frontend::json_schema::{SupportRow, support_table};
use crate::testing::{data, files};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/json-schema.md");

const HEAD: &str = "\
# JSON Schema: what becomes of each keyword

Made from the tables of support in `compiler/src/frontend/json_schema` by their test; not to be edited.

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

/// What stands in the last column of a row for a name.
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

/// The shares as they stand in the page.
fn written(page: &str) -> [Shares; 2] {
    let (keywords, formats) = page.split_once("\n## Formats").unwrap_or((page, ""));
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

/// The share of schemas in a folder that have each keyword and each format.
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

/// The keys that may be keywords, and formats.
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
                    // The keys of these are names and not keywords.
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
