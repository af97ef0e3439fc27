//! Prints automata over members as object schemas.
//!
//! Named keys come in a fixed order, so the automaton is a chain. Its states may branch by the value of a key. Each
//! path through the chain is a product over keys, and becomes one schema. Paths that join again are not merged.

use serde_json::{Map, Value, json};

use super::union::MOST_BRANCHES;
use crate::algebra::automata::member_automaton::{MemberAutomaton, MemberName};
use crate::algebra::automata::other_keys::keys_but;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::types::layer::Types;
use crate::read::schema::Bounds;

/// A path from the initial state of the automaton, as a product over keys.
#[derive(Clone, Default)]
struct Path {
    /// Index of the automaton's state at the end of the path.
    at: u32,
    /// For each transition of the path, the index of its key, the schemas of the member's value as formulas, and whether the
    /// member may be absent.
    keys: Vec<(u32, Vec<FormulaId>, bool)>,
}

/// Returns schemas whose union is the set of objects that an automaton accepts. `None` for too many paths, or for
/// states with counters or repetitions. `print` returns the schema for the union of some formulas.
pub(super) fn members(
    automaton: &MemberAutomaton,
    types: &Types<'_>,
    print: &mut impl FnMut(&[FormulaId]) -> Option<Value>,
) -> Option<Vec<Value>> {
    if automaton.marks != 0 {
        return None;
    }
    let (mut paths, mut ended) = (vec![Path::default()], Vec::new());
    while let Some(path) = paths.pop() {
        if paths.len() + ended.len() > MOST_BRANCHES || path.keys.len() > automaton.states.len() {
            return None;
        }
        let state = &automaton.states[path.at as usize];
        let is_last = state.skip.is_none()
            && state.members.iter().all(|member| member.name.is_set() && member.to == path.at);
        if is_last {
            ended.extend(state.end.then_some(path));
            continue;
        }
        if state.end || state.repeat.is_some() {
            return None;
        }
        paths.extend(steps(automaton, &path)?);
    }
    ended.iter().map(|path| object(automaton, path, types, print)).collect()
}

/// Extends a path by one key. Returns one path for each state that is reached. `None` if the state branches over
/// several keys.
fn steps(automaton: &MemberAutomaton, path: &Path) -> Option<Vec<Path>> {
    let state = &automaton.states[path.at as usize];
    let mut key = None;
    let mut targets: Vec<(u32, Vec<FormulaId>)> = Vec::new();
    for member in &state.members {
        let MemberName::Key(number) = member.name else { return None };
        if *key.get_or_insert(number) != number {
            return None;
        }
        match targets.iter_mut().find(|(to, _)| *to == member.to) {
            Some((_, values)) => values.push(member.value),
            None => targets.push((member.to, vec![member.value])),
        }
    }
    if let Some(skip) = state.skip.filter(|skip| targets.iter().all(|(to, _)| to != skip)) {
        targets.push((skip, Vec::new()));
    }
    let continued = targets.into_iter().map(|(to, values)| {
        let mut next = path.clone();
        next.at = to;
        if let Some(key) = key {
            next.keys.push((key, values, state.skip == Some(to)));
        }
        next
    });
    Some(continued.collect())
}

/// Returns the object schema of a complete path. `None` if no plain keywords express it.
fn object(
    automaton: &MemberAutomaton,
    path: &Path,
    types: &Types<'_>,
    print: &mut impl FnMut(&[FormulaId]) -> Option<Value>,
) -> Option<Value> {
    let last = &automaton.states[path.at as usize];
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (key, values, may_be_absent) in &path.keys {
        let name = types.objects.key(*key).to_owned();
        if !may_be_absent {
            required.push(name.clone());
        }
        let schema = if values.is_empty() { json!(false) } else { print(values)? };
        properties.insert(name, schema);
    }
    let rest = match &last.members[..] {
        [] => json!(false),
        [member] => {
            let keys: Vec<u32> = path.keys.iter().map(|(key, ..)| *key).collect();
            let MemberName::Names(names) = &member.name else { return None };
            if *names != keys_but(types, &keys) {
                return None;
            }
            print(&[member.value])?
        }
        _ => return None,
    };
    let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
    if rest == json!(false) {
        properties.retain(|_, member| *member != json!(false));
    }
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), Value::Object(properties));
    }
    if let Some(Bounds { min, max }) = last.repeat {
        // The loop counts the members that are not named.
        if !path.keys.is_empty() {
            return None;
        }
        schema.insert("minProperties".to_owned(), json!(min));
        if let Some(max) = max {
            schema.insert("maxProperties".to_owned(), json!(max));
        }
    }
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    if rest != json!({}) {
        schema.insert("additionalProperties".to_owned(), rest);
    }
    Some(Value::Object(schema))
}
