//! Sets of numbers as schemas.

use serde_json::{Map, Value, json};

use super::decimal::Decimal;
use super::numerals::NumeralSet;
use super::periodic::Periodic;
use super::set::NumberSet;

/// Most numbers that are printed as a list.
const MOST_LISTED: usize = 64;
/// Most intervals that are printed.
const MOST_INTERVALS: usize = 4;

/// An end of an interval, with whether the number is in the set.
type End<'a> = Option<(&'a Decimal, bool)>;

impl NumeralSet {
    /// Returns schemas that together have the numbers of the set. `None` if it has too many intervals, or several
    /// divisors in one, or depends on the notation of numbers.
    pub(crate) fn printed(&self) -> Option<Vec<Value>> {
        let values = self.values()?;
        if self.is_none() {
            return Some(Vec::new());
        }
        if let Some(all) = values.finite(MOST_LISTED) {
            let all: Option<Vec<Value>> = all.iter().map(number).collect();
            return Some(vec![json!({ "enum": all? })]);
        }
        intervals(values)
    }
}

fn number(decimal: &Decimal) -> Option<Value> {
    serde_json::from_str(&decimal.text()).ok()
}

fn intervals(set: &NumberSet) -> Option<Vec<Value>> {
    let cuts = set.cuts();
    if cuts.len() > MOST_INTERVALS {
        return None;
    }
    let mut found = Vec::new();
    let mut alone = Vec::new();
    let sets = std::iter::once(set.first()).chain(cuts.iter().map(|cut| &cut.after));
    for (at, within) in sets.enumerate() {
        let low: End<'_> = at.checked_sub(1).map(|at| (&cuts[at].at, cuts[at].member));
        let high: End<'_> = cuts.get(at).map(|cut| (&cut.at, cut.member));
        if !is_empty(within) {
            found.push(interval(within, low, high)?);
        }
        // A number between two empty intervals, or that an interval of multiples does not reach.
        if let Some((value, true)) = high {
            let after = &cuts[at].after;
            let is_reached = |set: &Periodic| !is_empty(set) && set.contains(value);
            if !is_reached(within) && !is_reached(after) {
                alone.push(number(value)?);
            }
        }
    }
    if !alone.is_empty() {
        found.push(json!({ "enum": alone }));
    }
    Some(found)
}

fn is_empty(set: &Periodic) -> bool {
    set.is_constant() && !set.is_dense()
}

/// Returns the schema of the numbers of a set in an interval. An end is included if the number is in the set and
/// belongs to the interval's own multiples.
fn interval(within: &Periodic, low: End<'_>, high: End<'_>) -> Option<Value> {
    let mut schema = Map::new();
    let is_integer = match within.single() {
        _ if within.is_constant() => {
            schema.insert("type".to_owned(), json!("number"));
            false
        }
        None => return None,
        Some(divisor) => {
            let text = divisor.decimal();
            let is_one = text.text() == "1";
            let kind = if text.is_integer() { "integer" } else { "number" };
            schema.insert("type".to_owned(), json!(kind));
            if !is_one {
                schema.insert("multipleOf".to_owned(), number(&text)?);
            }
            text.is_integer()
        }
    };
    for (end, is_low) in [(low, true), (high, false)] {
        let Some((value, member)) = end else { continue };
        let (plain, exclusive) =
            if is_low { ("minimum", "exclusiveMinimum") } else { ("maximum", "exclusiveMaximum") };
        if member && within.contains(value) {
            schema.insert(plain.to_owned(), number(value)?);
            continue;
        }
        let next = value.text().parse::<i64>().ok().filter(|_| is_integer);
        match next.and_then(|next| next.checked_add(if is_low { 1 } else { -1 })) {
            Some(next) => schema.insert(plain.to_owned(), json!(next)),
            None => schema.insert(exclusive.to_owned(), number(value)?),
        };
    }
    Some(Value::Object(schema))
}
