//! Rewritings of one place of a schema, each in its own file.
//!
//! A rewriting gets the document, the pointer to the place and the keyword at fault. It changes the document and
//! reports the effect on the values. If it does not apply, it returns `None` and leaves the document unchanged.
//!
//! | file | rewriting |
//! | --- | --- |
//! | `task` | what a rewriting gets and what it says |
//! | `closed` | objects without other members |
//! | `required` | members that every object has |
//! | `root` | an object as the outermost schema |
//! | `numbers` | bounds and multiples as lists of integers |
//! | `lengths` | lengths as patterns |
//! | `formats` | formats as patterns |
//! | `patterns` | anchors, classes and groups of patterns in plain form |
//! | `unions` | `oneOf`, lists of types and keywords beside unions as `anyOf` |
//! | `logic` | conjunctions and `unevaluated*` as one schema |
//! | `merging` | one schema for several that apply together, for `unions`, `logic` and `references` |
//! | `references` | references to definitions, copies in place of references |
//! | `tuples` | items by position as items of one schema |
//! | `printed` | the values of a schema in plain keywords, by the compiler |
//! | `names` | constants as lists of scalars and objects |

mod closed;
mod formats;
mod lengths;
mod logic;
mod merging;
mod names;
mod numbers;
mod patterns;
mod printed;
mod references;
mod required;
mod root;
mod task;
mod tuples;
mod unions;

use super::options::Gives;
pub(crate) use task::{Outcome, Task};

/// Applies a rewriting by its name. `None` if it does not apply, or if the name is unknown.
pub(crate) fn apply(name: &str, task: &mut Task<'_>) -> Option<Outcome> {
    match name {
        "closed" => closed::rewrite(task),
        "drop" => drop_keyword(task),
        "formats" => formats::rewrite(task),
        "lengths" => lengths::rewrite(task),
        "logic" => logic::rewrite(task),
        "names" => names::rewrite(task),
        "numbers" => numbers::rewrite(task),
        "one-required" => required::one(task),
        "patterns" => patterns::rewrite(task),
        "printed" => printed::rewrite(task),
        "references" => references::rewrite(task),
        "required" => required::rewrite(task),
        "root" => root::rewrite(task),
        "tuples" => tuples::rewrite(task),
        "unions" => unions::rewrite(task),
        _ => None,
    }
}

/// Removes the keyword at fault, with keywords that depend on it, such as `then` of `if`.
fn drop_keyword(task: &mut Task<'_>) -> Option<Outcome> {
    let keyword = task.keyword.to_owned();
    if keyword.is_empty() || keyword == "type" || keyword == "properties" {
        return None;
    }
    let schema = task.schema()?;
    schema.shift_remove(&keyword)?;
    // These say nothing without the keyword that they belong to.
    let dependents: &[&str] = match &*keyword {
        "if" => &["then", "else"],
        "contains" => &["minContains", "maxContains"],
        _ => &[],
    };
    dependents.iter().for_each(|dependent| {
        schema.shift_remove(*dependent);
    });
    let is_annotation = crate::places::keywords::is_annotation(&keyword);
    Outcome::keyword(if is_annotation { Gives::Equal } else { Gives::Wider })
}
