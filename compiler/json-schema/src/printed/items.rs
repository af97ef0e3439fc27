//! Prints automata over items as array schemas: items by position, followed by a loop over further items.

use serde_json::{Map, Value, json};

use crate::algebra::automata::item_automaton::ItemAutomaton;
use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::Bounds;

/// Returns a schema for the arrays that an automaton accepts. `None` if the automaton counts, or if branches reach
/// different states. `print` returns the schema for the union of some formulas.
pub(super) fn items(
    automaton: &ItemAutomaton,
    print: &mut impl FnMut(&[FormulaId]) -> Option<Value>,
) -> Option<Value> {
    if !automaton.counters.is_empty() {
        return None;
    }
    let mut schema = Map::from_iter([("type".to_owned(), json!("array"))]);
    let (mut positions, mut least, mut rest) = (Vec::new(), None, json!(false));
    let mut at = 0;
    loop {
        let state = &automaton.states[at as usize];
        if state.end && least.is_none() {
            least = Some(positions.len() as u32);
        }
        // An array that may end here may end after more items too.
        if least.is_some() && !state.end {
            return None;
        }
        let values: Vec<FormulaId> = state.items.iter().map(|&(value, _)| value).collect();
        let mut targets = state.items.iter().map(|&(_, to)| to);
        let Some(to) = targets.next() else { break };
        if targets.any(|other| other != to) || positions.len() > automaton.states.len() {
            return None;
        }
        let printed = print(&values)?;
        if to == at {
            rest = printed;
            if let Some(Bounds { min, max }) = state.repeat {
                let before = positions.len() as u32;
                least = least.map(|least| if min > 0 { before + min } else { least });
                if let Some(max) = max {
                    schema.insert("maxItems".to_owned(), json!(before + max));
                }
            }
            break;
        }
        positions.push(printed);
        at = to;
    }
    let least = least?;
    if rest == json!(false) {
        schema.insert("maxItems".to_owned(), json!(positions.len()));
    }
    let is_uniform = positions.iter().all(|position| *position == positions[0]);
    let plain = positions
        .first()
        .filter(|first| is_uniform && (rest == json!(false) || rest == **first))
        .cloned();
    match plain {
        _ if positions.is_empty() && rest == json!(false) => {}
        Some(items) => {
            schema.insert("items".to_owned(), items);
        }
        None => {
            if !positions.is_empty() {
                schema.insert("prefixItems".to_owned(), Value::Array(positions));
            }
            if rest != json!({}) {
                schema.insert("items".to_owned(), rest);
            }
        }
    }
    if least > 0 {
        schema.insert("minItems".to_owned(), json!(least));
    }
    if automaton.distinct {
        schema.insert("uniqueItems".to_owned(), json!(true));
    }
    Some(Value::Object(schema))
}
