//! Lengths as patterns: `^[\s\S]{m,n}$`, or the count of the only class of a pattern.
//!
//! Exact. Counts are at most [`MOST`], because targets refuse or drop larger ones.

use serde_json::{Map, Value, json};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;

/// The greatest count in a pattern.
const MOST: u64 = 100;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let takes_anchors = !task.pack.rules.iter().any(|rule| rule.id == "pattern-anchors");
    if !task.takes("pattern") || !takes_anchors {
        return None;
    }
    let schema = task.schema()?;
    let length = |keyword: &str| schema.get(keyword).map(whole);
    let (least, most) = (length("minLength"), length("maxLength"));
    let (least, most) =
        (least.unwrap_or(Some(0))?, most.map_or(Some(None), |most| most.map(Some))?);
    if least > MOST || most.is_some_and(|most| most > MOST || most < least) {
        return None;
    }
    let pattern = match schema.get("pattern") {
        None => format!(r"^[\s\S]{}$", count(least, most)),
        Some(pattern) => counted(pattern.as_str()?, least, most)?,
    };
    remove(schema);
    schema.insert("pattern".to_owned(), json!(pattern));
    Outcome::schema(Gives::Equal)
}

fn whole(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|at| at.fract() == 0.0 && *at >= 0.0).map(|at| at as u64))
}

fn remove(schema: &mut Map<String, Value>) {
    schema.shift_remove("minLength");
    schema.shift_remove("maxLength");
}

fn count(least: u64, most: Option<u64>) -> String {
    match (least, most) {
        (0, None) => "*".to_owned(),
        (least, None) => format!("{{{least},}}"),
        (least, Some(most)) if least == most => format!("{{{least}}}"),
        (least, Some(most)) => format!("{{{least},{most}}}"),
    }
}

/// Returns a pattern of the form `^[...]*$` or `^[...]+$` with a count in place of its repetition.
fn counted(pattern: &str, least: u64, most: Option<u64>) -> Option<String> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let (class, floor) = match inner.strip_suffix('*') {
        Some(class) => (class, 0),
        None => (inner.strip_suffix('+')?, 1),
    };
    let inside = class.strip_prefix('[')?.strip_suffix(']')?;
    let mut escaped = false;
    for letter in inside.chars() {
        if !escaped && matches!(letter, '[' | ']') {
            return None;
        }
        escaped = letter == '\\' && !escaped;
    }
    let least = least.max(floor);
    (!escaped && most.is_none_or(|most| most >= least))
        .then(|| format!("^{class}{}$", count(least, most)))
}
