//! The relation of the source and the lowered schema before stand-ins.
//!
//! The compiler reads some formats as fewer strings than they have. So a value that only one side seems to allow is no
//! proof: the other side may allow it in truth. An undecided question is asked again with these formats removed from
//! the other side. If this larger schema refuses a value, the schema itself refuses it too.

use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_json_schema::relation::{
    Compared, Refused, Relation, RelationOptions, Side, Which, relate,
};
use grammarc_json_schema::support_table;
use serde_json::{Value, json};

use super::options::LowerError;
use crate::places::Places;

/// Compares the source with the lowered schema. The inner error is the reason why the compiler refuses the lowered
/// schema.
pub(super) fn related(
    source: &Source,
    original: &Value,
    plain: &Value,
    options: &RelationOptions,
) -> Result<Result<Compared, String>, LowerError> {
    let lowered = Source::new("<lowered>", plain.to_string());
    let mut compared = match relate(source, &lowered, options) {
        Ok(compared) => compared,
        Err(Refused { side: Which::Left, errors }) => return Err(LowerError::Source(errors)),
        Err(Refused { errors, .. }) => {
            let text = errors.first().map_or_else(String::new, |error| error.to_string());
            return Ok(Err(format!("the lowered schema is refused: {text}")));
        }
    };
    let is_empty = |side: &Side| matches!(side, Side::Empty { assuming } if assuming.is_empty());
    if is_empty(&compared.left_only) && is_empty(&compared.both) {
        return Err(LowerError::NoInstances);
    }
    if is_empty(&compared.right_only) && is_empty(&compared.both) {
        return Err(LowerError::NothingLeft);
    }
    let is_unknown = |side: &Side| matches!(side, Side::Unknown(_));
    if is_unknown(&compared.left_only)
        && let Some(larger) = larger(plain)
    {
        let found = relate(source, &larger, options).ok().map(|found| found.left_only);
        compared.left_only =
            found.filter(|side| side.witness().is_some()).unwrap_or(compared.left_only);
    }
    if is_unknown(&compared.right_only)
        && let Some(larger) = larger(original)
    {
        let found = relate(&larger, &lowered, options).ok().map(|found| found.right_only);
        compared.right_only =
            found.filter(|side| side.witness().is_some()).unwrap_or(compared.right_only);
    }
    compared.relation = match (&compared.left_only, &compared.right_only, &compared.both) {
        (Side::Witness { .. }, Side::Empty { .. }, _) => Relation::Contains,
        (Side::Empty { .. }, Side::Witness { .. }, _) => Relation::Within,
        (Side::Witness { .. }, Side::Witness { .. }, Side::Witness { .. }) => Relation::Overlapping,
        _ => compared.relation,
    };
    Ok(Ok(compared))
}

/// Returns a schema without the formats that the compiler reads as fewer strings. `None` if there are none. Formats under a
/// negation stay, because the schema would become smaller without them.
fn larger(schema: &Value) -> Option<Source> {
    let places = Places::of(schema);
    let tested = tested(&places);
    let is_narrower = |name: &str| {
        support_table()
            .any(|row| row.drafts.is_none() && row.name == name && row.verdict == Verdict::Narrower)
    };
    let mut larger = schema.clone();
    let mut found = false;
    for (place, _) in places.all.iter().zip(tested).filter(|(_, is_tested)| !is_tested) {
        if place.get("format").and_then(Value::as_str).is_some_and(is_narrower)
            && let Some(members) = larger.pointer_mut(&place.pointer).and_then(Value::as_object_mut)
        {
            members.shift_remove("format");
            found = true;
        }
    }
    // Targets of references that the walk does not see keep their formats, which is as it was.
    found.then(|| Source::new("<larger>", json!(larger).to_string()))
}

/// Returns for each place whether it may be under a negation: inside `not`, `if`, `oneOf` or `contains`, or in the
/// target of a reference there.
fn tested(places: &Places<'_>) -> Vec<bool> {
    const TESTS: [&str; 4] = ["not", "if", "oneOf", "contains"];
    let mut tested = vec![false; places.all.len()];
    let is_test = |index: &usize| TESTS.contains(&places.all[*index].keyword);
    let mut open: Vec<usize> = (0..places.all.len()).filter(is_test).collect();
    while let Some(index) = open.pop() {
        if !std::mem::replace(&mut tested[index], true) {
            open.extend(&places.inside[index]);
            open.extend(places.all[index].reference.as_ref().and_then(|one| one.target));
        }
    }
    tested
}
