//! Measures what single keywords cost, by compiling without them, and gives advice.

use std::time::Instant;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use serde::Serialize;
use serde_json::Value;

use super::shares::Share;
use crate::frontend::Request;

/// Number of places, the largest first, whose keywords are left out in turn.
const PLACES: usize = 8;

/// Most keywords that are left out in turn. Each takes one compilation, so later keywords are not measured.
const MOST: usize = 24;

/// Keywords that are not measured, because they constrain no values themselves.
const OTHERS: [&str; 9] = [
    "title",
    "description",
    "default",
    "examples",
    "$comment",
    "$schema",
    "$id",
    "$defs",
    "definitions",
];

/// The savings of a grammar without one keyword.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Without {
    /// JSON pointer to the keyword.
    pub(crate) pointer: String,
    /// Bytes saved. Negative if the artifact grows.
    pub(crate) bytes: i64,
    /// Seconds of compilation saved. Negative if it takes longer.
    pub(crate) seconds: f64,
}

/// Compiles a JSON Schema once without each keyword of its largest places, and returns the savings. Empty for other
/// sources. Variants that do not compile are left out.
pub(super) fn each(
    request: &Request,
    compiler: &Compiler,
    places: &[Share],
    bytes: u64,
    seconds: f64,
) -> Vec<Without> {
    let FrontEnd::JsonSchema(_) = &request.front_end else { return Vec::new() };
    let Ok(schema) = serde_json::from_str::<Value>(&request.source.text) else { return Vec::new() };
    let dearest = places.iter().take(PLACES);
    let keywords = dearest.flat_map(|place| {
        let members = schema.pointer(&place.pointer).and_then(Value::as_object);
        let names = members.into_iter().flatten().map(|(name, _)| name.clone());
        let names = names.filter(|name| !OTHERS.contains(&name.as_str()));
        names.map(|name| (place.pointer.clone(), name))
    });
    let mut found: Vec<Without> = keywords
        .take(MOST)
        .filter_map(|(place, keyword)| {
            let mut without = schema.clone();
            without.pointer_mut(&place)?.as_object_mut()?.shift_remove(&keyword)?;
            let source = Source::new("without", without.to_string());
            let request = request.with_source(source);
            let start = Instant::now();
            let options = CompileOptions::default();
            let compiled = compiler.compile_source(&request.with(&options), &Budget::new()).ok()?;
            let artifact = compiled.to_artifact(compiler).ok()?;
            let taken = start.elapsed().as_secs_f64();
            let name = keyword.replace('~', "~0").replace('/', "~1");
            Some(Without {
                pointer: format!("{place}/{name}"),
                bytes: bytes as i64 - artifact.byte_length() as i64,
                seconds: seconds - taken,
            })
        })
        .collect();
    found.sort_by_key(|without| std::cmp::Reverse(without.bytes));
    found
}

/// Returns advice for keywords of places that take at least a tenth of the artifact.
pub(super) fn advice(source: &Source, places: &[Share], bytes: u64) -> Vec<String> {
    /// Keywords, each with advice.
    const ADVICE: [(&str, &str); 6] = [
        ("oneOf", "give the branches a required member with distinct constants, or use `anyOf`"),
        ("uniqueItems", "the runtime keeps the items: leave it out if duplicates do no harm"),
        ("patternProperties", "name the keys in `properties` where they are known"),
        ("pattern", "shorter counts and fewer alternatives take fewer states"),
        ("maxLength", "a length beside a pattern multiplies states: say it in one of both"),
        ("enum", "long lists of texts are packed; a pattern for common forms is smaller"),
    ];
    let Ok(schema) = serde_json::from_str::<Value>(&source.text) else { return Vec::new() };
    let dear = places.iter().filter(|place| place.bytes * 10.0 >= bytes as f64);
    let mut advice = Vec::new();
    for place in dear {
        let Some(members) = schema.pointer(&place.pointer).and_then(Value::as_object) else {
            continue;
        };
        for (keyword, what) in
            ADVICE.into_iter().filter(|(keyword, _)| members.contains_key(*keyword))
        {
            advice.push(format!("{}/{keyword}: {what}", place.pointer));
        }
    }
    advice
}
