//! Families of schemas that grow in one quantity, each with an accepted and a rejected text.

use serde_json::{Map, Value, json};

/// A family of schemas that grow in one quantity.
pub(super) struct Family {
    /// The quantity that grows.
    pub(super) name: &'static str,
    /// The sizes that are measured.
    pub(super) sizes: &'static [usize],
    /// The schema of a size.
    pub(super) example: fn(usize) -> Example,
}

/// A schema and two texts, by which a wrong grammar is noticed.
pub(super) struct Example {
    pub(super) schema: Value,
    pub(super) valid: String,
    pub(super) invalid: String,
}

const THOUSANDS: &[usize] = &[10, 30, 100, 300, 1_000, 3_000, 10_000];

/// Every family, in the order of the table.
pub(super) const FAMILIES: [Family; 9] = [
    Family { name: "required properties", sizes: THOUSANDS, example: required },
    Family { name: "optional properties", sizes: THOUSANDS, example: optional },
    Family { name: "nested objects", sizes: &[2, 4, 8, 16, 32, 60], example: nested },
    Family { name: "definitions in a chain", sizes: THOUSANDS, example: definitions },
    Family {
        name: "values of an enum",
        sizes: &[10, 100, 1_000, 10_000, 100_000],
        example: values,
    },
    Family { name: "branches of anyOf", sizes: &[10, 30, 100, 300, 1_000], example: branches },
    Family { name: "maxLength", sizes: BOUNDS, example: max_length },
    Family { name: "maxItems", sizes: BOUNDS, example: max_items },
    Family { name: "bound in a pattern", sizes: &[10, 100, 1_000, 10_000], example: pattern },
];

const BOUNDS: &[usize] = &[10, 100, 1_000, 10_000, 100_000, 1_000_000];

/// Names that share beginnings, as real ones do.
fn name(number: usize) -> String {
    let kinds = ["name", "date", "count", "address", "is_active"];
    format!("{}_{number}", kinds[number % kinds.len()])
}

fn members(size: usize) -> Map<String, Value> {
    let types = ["string", "integer", "boolean", "number"];
    (0..size).map(|n| (name(n), json!({ "type": types[n % types.len()] }))).collect()
}

fn instance(size: usize) -> Map<String, Value> {
    let values = [json!("text"), json!(12), json!(true), json!(0.5)];
    (0..size).map(|n| (name(n), values[n % values.len()].clone())).collect()
}

fn object(size: usize, required: bool) -> Value {
    let members = members(size);
    let names: Vec<&String> = members.keys().filter(|_| required).collect();
    json!({
        "type": "object",
        "required": names,
        "properties": members,
        "additionalProperties": false,
    })
}

fn required(size: usize) -> Example {
    let whole = instance(size);
    let mut short = whole.clone();
    short.shift_remove(&name(size / 2));
    Example {
        schema: object(size, true),
        valid: Value::Object(whole).to_string(),
        invalid: Value::Object(short).to_string(),
    }
}

fn optional(size: usize) -> Example {
    let every_other = instance(size).into_iter().step_by(2).collect();
    Example {
        schema: object(size, false),
        valid: Value::Object(every_other).to_string(),
        invalid: json!({ name(size): "text" }).to_string(),
    }
}

fn nested(size: usize) -> Example {
    let schema = (0..size).fold(json!({ "type": "integer" }), |inner, level| {
        json!({
            "type": "object",
            "properties": { name(level): inner, "other": { "type": "string" } },
            "required": [name(level)],
            "additionalProperties": false,
        })
    });
    let wrap = |inner: Value| {
        (0..size).fold(inner, |inner, level| json!({ name(level): inner })).to_string()
    };
    Example { schema, valid: wrap(json!(7)), invalid: wrap(json!("7")) }
}

fn definitions(size: usize) -> Example {
    let definition = |n: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
        json!({
            "type": "object",
            "properties": { name(n): { "type": "integer" }, "next": next },
            "required": [name(n)],
            "additionalProperties": false,
        })
    };
    let mut definitions: Map<String, Value> =
        (0..size).map(|n| (format!("d{n}"), definition(n))).collect();
    definitions.insert(format!("d{size}"), json!({ "type": "boolean" }));
    let (first, second) = (name(0), name(1));
    Example {
        schema: json!({ "$ref": "#/$defs/d0", "$defs": definitions }),
        valid: json!({ first.as_str(): 1, "next": { second.as_str(): 2 } }).to_string(),
        invalid: json!({ first: 1, "next": { second: true } }).to_string(),
    }
}

fn values(size: usize) -> Example {
    let value = |n: usize| format!("{}-{}", name(n), n.wrapping_mul(2_654_435_761) % 1_000_003);
    let all: Vec<String> = (0..size).map(value).collect();
    Example {
        valid: json!(all[size / 2]).to_string(),
        invalid: json!(format!("{}x", all[size / 2])).to_string(),
        schema: json!({ "enum": all }),
    }
}

fn branches(size: usize) -> Example {
    let branch = |n: usize| {
        json!({
            "type": "object",
            "properties": { "kind": { "const": name(n) }, name(n): { "type": "integer" } },
            "required": ["kind", name(n)],
            "additionalProperties": false,
        })
    };
    let last = name(size - 1);
    Example {
        schema: json!({ "anyOf": (0..size).map(branch).collect::<Vec<_>>() }),
        valid: json!({ "kind": last.as_str(), last.as_str(): 3 }).to_string(),
        invalid: json!({ "kind": name(0), last: 3 }).to_string(),
    }
}

fn max_length(size: usize) -> Example {
    Example {
        schema: json!({ "type": "string", "maxLength": size }),
        valid: json!("a".repeat(size)).to_string(),
        invalid: json!("a".repeat(size + 1)).to_string(),
    }
}

fn max_items(size: usize) -> Example {
    Example {
        schema: json!({ "type": "array", "items": { "type": "integer" }, "maxItems": size }),
        valid: json!(vec![1; size]).to_string(),
        invalid: json!(vec![1; size + 1]).to_string(),
    }
}

fn pattern(size: usize) -> Example {
    Example {
        schema: json!({ "type": "string", "pattern": format!("^[a-f]{{2,{size}}}$") }),
        valid: json!("af".repeat(size / 2)).to_string(),
        invalid: json!("a".repeat(size + 1)).to_string(),
    }
}
