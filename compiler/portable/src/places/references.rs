//! Resolves references within a document, and finds recursive ones.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::keywords::is_definitions;
use super::place::{Places, Reference, ReferenceKind};
use super::pointer::decoded;

/// Resolves all references of the places, and marks recursive ones and schemas in use.
pub(super) fn resolve(places: &mut Places<'_>, document: &Value) {
    let anchors = anchors(places);
    let base = document.get("$id").or_else(|| document.get("id")).and_then(Value::as_str);
    for index in 0..places.all.len() {
        let place = &places.all[index];
        let string = |keyword| place.get(keyword).and_then(Value::as_str);
        let found = match (string("$ref"), string("$dynamicRef"), string("$recursiveRef")) {
            (Some(uri), ..) => Some((uri, false)),
            (None, Some(uri), _) | (None, None, Some(uri)) => Some((uri, true)),
            _ => None,
        };
        let Some((uri, dynamic)) = found else { continue };
        let reference = resolved(uri, base, dynamic, &places.by_pointer, &anchors);
        places.all[index].reference = Some(reference);
    }
    mark_recursive(places);
    mark_used(places);
}

/// Returns the index of each schema with an anchor, by the anchor's name.
fn anchors(places: &Places<'_>) -> FxHashMap<String, usize> {
    let mut anchors = FxHashMap::default();
    for (index, place) in places.all.iter().enumerate() {
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = place.get(keyword).and_then(Value::as_str) {
                anchors.entry(name.to_owned()).or_insert(index);
            }
        }
        let id = place.get("$id").or_else(|| place.get("id")).and_then(Value::as_str);
        if let Some(name) = id.and_then(|id| id.strip_prefix('#')) {
            anchors.entry(name.to_owned()).or_insert(index);
        }
    }
    anchors
}

fn resolved(
    uri: &str,
    base: Option<&str>,
    dynamic: bool,
    by_pointer: &FxHashMap<String, usize>,
    anchors: &FxHashMap<String, usize>,
) -> Reference {
    let (address, fragment) = uri.split_once('#').unwrap_or((uri, ""));
    let own = base.map(|base| base.split_once('#').map_or(base, |(address, _)| address));
    let is_own = address.is_empty() || own == Some(address);
    let has_escapes = fragment.contains(['~', '%']);
    let fragment = decoded(fragment);
    let last = fragment.rsplit('/').next().unwrap_or_default();
    let is_item = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    let segments = fragment.matches('/').count();
    let (kind, target) = match &*fragment {
        _ if !is_own => (ReferenceKind::Other, None),
        "" => (ReferenceKind::Root, Some(0)),
        pointer if pointer.starts_with('/') => {
            let kind = match pointer {
                _ if !address.is_empty() => ReferenceKind::Other,
                _ if has_escapes => ReferenceKind::Escaped,
                _ if segments == 2 && pointer.starts_with("/$defs/") => ReferenceKind::Defs,
                _ if segments == 2 && pointer.starts_with("/definitions/") => {
                    ReferenceKind::Definitions
                }
                _ if is_item => ReferenceKind::Item,
                _ => ReferenceKind::Pointer,
            };
            (kind, by_pointer.get(pointer).copied())
        }
        anchor => (ReferenceKind::Anchor, anchors.get(anchor).copied()),
    };
    let kind = if dynamic { ReferenceKind::Dynamic } else { kind };
    Reference { kind, target, recursive: false }
}

/// Marks recursive references: the reference and its target are in one strongly connected component.
fn mark_recursive(places: &mut Places<'_>) {
    let components = components(places);
    for index in 0..places.all.len() {
        if let Some(reference) = &mut places.all[index].reference {
            let target = reference.target;
            reference.recursive = target.is_some_and(|to| components[to] == components[index]);
        }
    }
}

/// Returns the number of the strongly connected component of each place, by Tarjan's algorithm with an explicit stack.
fn components(places: &Places<'_>) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let count = places.all.len();
    let next = |from: usize, at: usize| -> Option<usize> {
        let inside = &places.inside[from];
        let target = || places.all[from].reference.as_ref().and_then(|one| one.target);
        match inside.get(at) {
            Some(&to) => Some(to),
            None if at == inside.len() => target(),
            None => None,
        }
    };
    let (mut order, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut stack, mut counted, mut found) = (Vec::new(), 0, 0);
    for start in 0..count {
        if order[start] != NEW {
            continue;
        }
        let mut open = vec![(start, 0)];
        while let Some((node, at)) = open.pop() {
            if at == 0 {
                (order[node], low[node]) = (counted, counted);
                counted += 1;
                stack.push(node);
            }
            // Definitions inside a schema are no step of a value, and count only where a reference leads.
            match next(node, at) {
                Some(to) => {
                    open.push((node, at + 1));
                    let is_step = places.all[to].parent != Some(node)
                        || !is_definitions(places.all[to].keyword);
                    if !is_step {
                        continue;
                    }
                    if order[to] == NEW {
                        open.push((to, 0));
                    } else if component[to] == NEW {
                        low[node] = low[node].min(order[to]);
                    }
                }
                None => {
                    if low[node] == order[node] {
                        while let Some(member) = stack.pop() {
                            component[member] = found;
                            if member == node {
                                break;
                            }
                        }
                        found += 1;
                    }
                    if let Some(&(parent, _)) = open.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                }
            }
        }
    }
    component
}

/// Marks the schemas that can apply to a value: those inside the root, and the targets of references in marked schemas.
fn mark_used(places: &mut Places<'_>) {
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut places.all[index].used, true) {
            continue;
        }
        let inside = places.inside[index].iter().copied();
        open.extend(inside.filter(|&one| !is_definitions(places.all[one].keyword)));
        open.extend(places.all[index].reference.as_ref().and_then(|one| one.target));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_and_targets() {
        let schema = json!({
            "$id": "https://e.org/s", "$defs": {"a": {"$anchor": "n"}}, "definitions": {"b": {}},
            "allOf": [
                {"$ref": "#"}, {"$ref": "#/$defs/a"}, {"$ref": "#/definitions/b"}, {"$ref": "#/allOf/1"},
                {"$ref": "#n"}, {"$ref": "https://e.org/s#/$defs/a"}, {"$ref": "b.json"}, {"$dynamicRef": "#n"},
            ],
        });
        let places = Places::of(&schema);
        let found: Vec<_> = (0..8)
            .map(|at| {
                let place = &places.all[places.by_pointer[&format!("/allOf/{at}")]];
                let reference = place.reference.as_ref().unwrap();
                let target = reference.target.map(|to| &*places.all[to].pointer);
                (reference.kind.name(), target, reference.recursive)
            })
            .collect();
        let a = Some("/$defs/a");
        assert_eq!(
            found,
            [
                ("root", Some(""), true),
                ("defs", a, false),
                ("definitions", Some("/definitions/b"), false),
                ("item", Some("/allOf/1"), false),
                ("anchor", a, false),
                ("other", a, false),
                ("other", None, false),
                ("dynamic", a, false),
            ]
        );
    }
}
