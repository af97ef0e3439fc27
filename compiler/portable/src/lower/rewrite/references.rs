//! Rewrites references: to `$defs` of the root, as copies of their targets, and recursion as copies to a fixed depth.
//!
//! | at fault | instead | effect |
//! | --- | --- | --- |
//! | a reference of another form | its target as a definition in `$defs` | equal |
//! | keywords beside a reference | one schema, or `allOf`; else the reference alone | equal; wider |
//! | recursion | copies of the definitions to [`LEVELS`] levels, then nothing or anything | narrower or wider |
//! | a document elsewhere | anything | wider |

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::merging::merged;
use super::task::{Outcome, Task};
use crate::lower::options::{Gives, Keep};
use crate::lower::tree::{absorb_false, define, for_each_reference, free_name, remove_definitions};
use crate::places::Places;
use crate::places::keywords::is_annotation;
use crate::places::pointer::join;

/// Number of levels to which recursive definitions are unrolled.
const LEVELS: usize = 3;
/// Most subschemas of a document whose recursion is unrolled to [`LEVELS`] levels. Larger documents get one level.
const MOST_PLACES: usize = 400;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    match task.keyword {
        "definitions" => rename_definitions(task),
        "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" | "$defs" => unname(task),
        _ => reference(task),
    }
}

/// Moves `definitions` into `$defs`.
fn rename_definitions(task: &mut Task<'_>) -> Option<Outcome> {
    if !task.pointer.is_empty() {
        return unname(task);
    }
    let schema = task.schema()?;
    let definitions = schema.shift_remove("definitions")?;
    let slot = schema.entry("$defs").or_insert_with(|| json!({})).as_object_mut()?;
    let mut renamed = Vec::new();
    for (name, one) in definitions.as_object()? {
        let new = crate::lower::tree::free_name(&Value::Object(slot.clone()), name);
        renamed.push((join("#/definitions", name), join("#/$defs", &new)));
        slot.insert(new, one.clone());
    }
    for_each_reference(task.root, &mut |uri| {
        for (from, to) in &renamed {
            let rest =
                uri.strip_prefix(&**from).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let Some(rest) = rest {
                *uri = format!("{to}{rest}");
                break;
            }
        }
    });
    Outcome::schema(Gives::Equal)
}

/// Removes an anchor or a keyword with definitions, if no reference uses it.
fn unname(task: &mut Task<'_>) -> Option<Outcome> {
    let now = task.root.clone();
    let places = Places::of(&now);
    let kinds = ["anchor", "other", "dynamic"];
    let is_named = places
        .all
        .iter()
        .any(|place| place.reference.as_ref().is_some_and(|one| kinds.contains(&one.kind.name())));
    let inside = join(task.pointer, task.keyword);
    let is_used = places.all.iter().any(|place| {
        let reference = place.reference.as_ref().and_then(|one| one.target);
        reference.is_some_and(|to| places.all[to].pointer.starts_with(&inside))
    });
    let is_definitions = matches!(task.keyword, "$defs" | "definitions");
    if if is_definitions { is_used } else { is_named } {
        return None;
    }
    let keyword = task.keyword.to_owned();
    task.schema()?.shift_remove(&keyword)?;
    Outcome::keyword(Gives::Equal)
}

fn reference(task: &mut Task<'_>) -> Option<Outcome> {
    let now = task.root.clone();
    let places = Places::of(&now);
    let index = *places.by_pointer.get(task.pointer)?;
    let place = &places.all[index];
    let found = place.reference.as_ref()?;
    let Some(to) = found.target else {
        // What another document says is not known here.
        let schema = task.schema()?;
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            schema.shift_remove(keyword);
        }
        return Outcome::schema(Gives::Wider);
    };
    if found.kind.name() == "definitions" {
        return rename_definitions(&mut Task { pointer: "", ..task.again() });
    }
    let is_plain = matches!(found.kind.name(), "defs" | "root");
    if !is_plain {
        return hoist(task, &places, to);
    }
    let members = place.members()?;
    let beside: Vec<&String> =
        members.keys().filter(|keyword| *keyword != "$ref" && !is_annotation(keyword)).collect();
    if !beside.is_empty() {
        if let Some(merged) = merged(&now, members).filter(|_| !found.recursive) {
            *task.value()? = merged;
            return Outcome::schema(Gives::Equal);
        }
        let takes_all_of = task.takes("allOf") && task.pack.target != "anthropic-strict";
        let schema = task.schema()?;
        if takes_all_of && !schema.contains_key("allOf") {
            let uri = schema.shift_remove("$ref")?;
            schema.insert("allOf".to_owned(), json!([{ "$ref": uri }]));
            return Outcome::schema(Gives::Equal);
        }
        let beside: Vec<String> = beside.into_iter().cloned().collect();
        beside.iter().for_each(|keyword| {
            schema.shift_remove(keyword);
        });
        return Outcome::schema(Gives::Wider);
    }
    if found.recursive {
        if found.kind.name() == "root" {
            return hoist(task, &places, to);
        }
        return unroll(task, &places);
    }
    // A reference that the target refuses although it is plain: the schema itself in its place.
    let merged = merged(&now, members)?;
    *task.value()? = merged;
    Outcome::schema(Gives::Equal)
}

/// Copies the target of a reference to `$defs`, and redirects all references to it.
fn hoist(task: &mut Task<'_>, places: &Places<'_>, to: usize) -> Option<Outcome> {
    let found = &places.all[to];
    let referring: Vec<String> = places
        .all
        .iter()
        .filter(|place| place.reference.as_ref().is_some_and(|one| one.target == Some(to)))
        .map(|place| place.pointer.clone())
        .collect();
    let mut copy = found.schema.clone();
    let uri = if found.pointer.starts_with("/$defs/") && found.pointer.matches('/').count() == 2 {
        // Definitions with a name that needs escapes get a plain one.
        match found.pointer.contains('~') {
            false => format!("#{}", found.pointer),
            true => define(task.root, &found.name, copy)?,
        }
    } else {
        if let Some(members) = copy.as_object_mut() {
            let names = ["$defs", "definitions", "$schema", "$id", "$anchor"];
            members.retain(|keyword, _| !(found.pointer.is_empty() && names.contains(&&**keyword)));
        }
        let name = if found.name.is_empty() { found.keyword } else { &found.name };
        define(task.root, if name.is_empty() { "root" } else { name }, copy)?
    };
    let mut changed = referring;
    // The copy has copies of the references inside the target.
    let inside: Vec<String> = changed
        .iter()
        .filter_map(|pointer| pointer.strip_prefix(&*found.pointer))
        .map(|rest| format!("{}{rest}", &uri[1..]))
        .collect();
    changed.extend(inside);
    for pointer in changed {
        if let Some(schema) = task.root.pointer_mut(&pointer).and_then(Value::as_object_mut) {
            for keyword in ["$dynamicRef", "$recursiveRef"] {
                if schema.shift_remove(keyword).is_some() {
                    schema.insert("$ref".to_owned(), json!(uri));
                }
            }
            if let Some(own) = schema.get_mut("$ref") {
                *own = json!(uri);
            }
        }
    }
    Outcome::schema(Gives::Equal)
}

/// Unrolls all recursive definitions of the document to a fixed number of levels.
fn unroll(task: &mut Task<'_>, places: &Places<'_>) -> Option<Outcome> {
    let recursive: Vec<(String, String)> = places
        .all
        .iter()
        .filter(|place| place.reference.as_ref().is_some_and(|one| one.recursive))
        .filter_map(|place| {
            let uri = place.get("$ref")?.as_str()?;
            uri.starts_with("#/$defs/").then(|| (place.pointer.clone(), uri.to_owned()))
        })
        .collect();
    // All recursive references have to name definitions first.
    let all = places
        .all
        .iter()
        .filter(|place| place.reference.as_ref().is_some_and(|one| one.recursive))
        .count();
    if recursive.len() < all || recursive.is_empty() {
        return None;
    }
    let narrower = task.options.keep != Keep::Wider;
    let levels = if places.all.len() > MOST_PLACES { 1 } else { LEVELS };
    let leaf = json!(!narrower);
    let definitions = task.root.get("$defs")?.as_object()?.clone();
    let names: Vec<&String> = definitions
        .keys()
        .filter(|name| {
            let pointer = join("/$defs", name);
            recursive.iter().any(|(place, uri)| {
                *uri == format!("#{pointer}")
                    || place.starts_with(&format!("{pointer}/"))
                    || *place == pointer
            })
        })
        .collect();
    // The first level keeps its name. Names of others are free in the document.
    let mut taken = Value::Object(definitions.clone());
    let mut levels_of: FxHashMap<(String, usize), String> = FxHashMap::default();
    for name in &names {
        levels_of.insert((join("", name), 1), (*name).clone());
        for level in 2..=levels {
            let free = free_name(&taken, &format!("{name}_level_{level}"));
            taken[&free] = Value::Null;
            levels_of.insert((join("", name), level), free);
        }
    }
    let mut levelled: Vec<(String, Value)> = Vec::new();
    for level in 1..=levels {
        for name in &names {
            let pointer = join("/$defs", name);
            let mut copy = definitions.get(*name)?.clone();
            for (place, uri) in &recursive {
                let Some(rest) = place
                    .strip_prefix(&*pointer)
                    .filter(|rest| rest.is_empty() || rest.starts_with('/'))
                else {
                    continue;
                };
                let inner = copy.pointer_mut(rest)?;
                if level == levels {
                    *inner = leaf.clone();
                } else {
                    let name = uri.strip_prefix("#/$defs")?.to_owned();
                    let next = join("#/$defs", levels_of.get(&(name, level + 1))?);
                    inner.as_object_mut()?.insert("$ref".to_owned(), json!(next));
                }
            }
            let own = levels_of.get(&(join("", name), level))?;
            levelled.push((own.clone(), copy));
        }
    }
    let mut root = task.root.clone();
    let slot = root.get_mut("$defs")?.as_object_mut()?;
    for (name, schema) in levelled {
        slot.insert(name, schema);
    }
    // A leaf that allows nothing may forbid the definition that has it, and so on up.
    if narrower {
        for _ in 0..=levels * names.len() + 1 {
            if absorb_false(&mut root) {
                return None;
            }
            let gone: Vec<String> = root
                .get("$defs")
                .and_then(Value::as_object)
                .map(|all| {
                    all.iter()
                        .filter(|(_, one)| **one == json!(false))
                        .map(|(name, _)| join("#/$defs", name))
                        .collect()
                })
                .unwrap_or_default();
            if gone.is_empty() {
                break;
            }
            remove_definitions(&mut root, &gone);
        }
    }
    *task.root = root;
    Outcome::schema(if narrower { Gives::Narrower } else { Gives::Wider })
}
