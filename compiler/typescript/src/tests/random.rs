//! Tests random types: their values must be accepted, and other values are judged by an independent checker.
//!
//! A type is written as TypeScript. [`Type::has`] decides from the generated type whether a value is one of its values.
//! It shares no code with the front end.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::{accepts, lowered};

#[derive(Clone, Debug)]
enum Type {
    String,
    Number,
    Boolean,
    Null,
    Literal(Value),
    Array(Box<Type>),
    /// A tuple: its items, the number of required items at the start, and the type of further items.
    Tuple(Vec<Type>, usize, Option<Box<Type>>),
    /// An object: the key, type and optionality of each member.
    Object(Vec<(String, Type, bool)>),
    /// An intersection of two objects, each with the key, type and optionality of its members.
    Intersection(Vec<(String, Type, bool)>, Vec<(String, Type, bool)>),
    Partial(Vec<(String, Type, bool)>),
    Omit(Vec<(String, Type, bool)>, String),
    Record(Box<Type>),
    Union(Vec<Type>),
    /// The template `user-` followed by a number.
    Template,
    /// A recursive type: an array of itself, or a boolean.
    Recursive,
}

const KEYS: [&str; 5] = ["a", "b", "c d", "e\"", "é"];

impl Type {
    fn write(&self) -> String {
        match self {
            Self::String => "string".into(),
            Self::Number => "number".into(),
            Self::Boolean => "boolean".into(),
            Self::Null => "null".into(),
            Self::Literal(value) => value.to_string(),
            Self::Array(items) => format!("({})[]", items.write()),
            Self::Tuple(items, least, rest) => {
                let items = items.iter().enumerate();
                let items = items.map(|(at, item)| {
                    format!("({}){}", item.write(), if at < *least { "" } else { "?" })
                });
                let rest = rest.iter().map(|rest| format!("...({})[]", rest.write()));
                format!("[{}]", items.chain(rest).collect::<Vec<_>>().join(", "))
            }
            Self::Object(members) => object(members),
            Self::Intersection(one, other) => format!("({} & {})", object(one), object(other)),
            Self::Partial(members) => format!("Partial<{}>", object(members)),
            Self::Omit(members, key) => format!("Omit<{}, {}>", object(members), json!(key)),
            Self::Record(values) => format!("Record<string, {}>", values.write()),
            Self::Union(parts) => {
                let parts: Vec<_> = parts.iter().map(Self::write).collect();
                format!("({})", parts.join(" | "))
            }
            Self::Template => "`user-${number}`".into(),
            Self::Recursive => "Recursive".into(),
        }
    }

    /// Whether a value is a value of the type.
    fn has(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::String, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Boolean | Self::Recursive, Value::Bool(_))
            | (Self::Null, Value::Null) => true,
            (Self::Literal(literal), value) => literal == value,
            (Self::Array(items), Value::Array(values)) => values.iter().all(|one| items.has(one)),
            (Self::Tuple(items, least, rest), Value::Array(values)) => {
                values.len() >= *least
                    && values.iter().enumerate().all(|(at, value)| match (items.get(at), rest) {
                        (Some(item), _) => item.has(value),
                        (None, Some(rest)) => rest.has(value),
                        (None, None) => false,
                    })
            }
            (Self::Object(members), Value::Object(values)) => has_members(members, values),
            (Self::Intersection(one, other), Value::Object(values)) => {
                let part = |members: &[(String, Type, bool)]| {
                    members.iter().all(|(key, ty, is_optional)| match values.get(key) {
                        Some(value) => ty.has(value),
                        None => *is_optional,
                    })
                };
                let known = |key: &String| one.iter().chain(other).any(|(known, ..)| known == key);
                part(one) && part(other) && values.keys().all(known)
            }
            (Self::Partial(members), Value::Object(values)) => {
                let all = members.iter().map(|(key, ty, _)| (key.clone(), ty.clone(), true));
                has_members(&all.collect::<Vec<_>>(), values)
            }
            (Self::Omit(members, key), Value::Object(values)) => {
                let left = members.iter().filter(|(known, ..)| known != key);
                has_members(&left.cloned().collect::<Vec<_>>(), values)
            }
            (Self::Record(of), Value::Object(values)) => values.values().all(|one| of.has(one)),
            (Self::Union(parts), value) => parts.iter().any(|part| part.has(value)),
            (Self::Template, Value::String(text)) => text
                .strip_prefix("user-")
                .is_some_and(|rest| serde_json::from_str::<serde_json::Number>(rest).is_ok()),
            (Self::Recursive, Value::Array(values)) => values.iter().all(|one| self.has(one)),
            _ => false,
        }
    }

    /// Returns a value of the type, chosen by `choices`. The type must have a finite value.
    fn value(&self, choices: &mut impl Iterator<Item = usize>) -> Value {
        let mut next = |below: usize| choices.next().unwrap_or(0) % below.max(1);
        match self {
            Self::String => json!(["", "a", "é\"\\", "user-1"][next(4)]),
            Self::Number => [json!(0), json!(-12), json!(1.5), json!(7)][next(4)].clone(),
            Self::Boolean => json!(next(2) == 0),
            Self::Null => Value::Null,
            Self::Literal(value) => value.clone(),
            Self::Array(items) => (0..next(3)).map(|_| items.value(choices)).collect(),
            Self::Tuple(items, least, rest) => {
                let count = least + next(items.len() - least + 1);
                let mut all: Vec<_> =
                    items[..count].iter().map(|item| item.value(choices)).collect();
                if let (Some(rest), true) = (rest, count == items.len()) {
                    all.push(rest.value(choices));
                }
                all.into()
            }
            Self::Object(members) => members_of(members, choices),
            // A key in both objects has the same type, so one value suits both.
            Self::Intersection(one, other) => {
                let Value::Object(mut values) = members_of(one, choices) else { unreachable!() };
                for (key, ty, is_optional) in other {
                    if !values.contains_key(key) && !one.iter().any(|(known, ..)| known == key) {
                        if !*is_optional {
                            values.insert(key.clone(), ty.value(choices));
                        }
                    } else if !*is_optional && !values.contains_key(key) {
                        let (_, ty, _) =
                            one.iter().find(|(known, ..)| known == key).expect("it is");
                        values.insert(key.clone(), ty.value(choices));
                    }
                }
                in_order(values, one.iter().chain(other).map(|(key, ..)| key))
            }
            Self::Partial(members) => {
                let all = members.iter().map(|(key, ty, _)| (key.clone(), ty.clone(), true));
                members_of(&all.collect::<Vec<_>>(), choices)
            }
            Self::Omit(members, key) => {
                let left = members.iter().filter(|(known, ..)| known != key);
                members_of(&left.cloned().collect::<Vec<_>>(), choices)
            }
            Self::Record(values) => {
                (0..next(3)).map(|at| (KEYS[at].to_owned(), values.value(choices))).collect()
            }
            Self::Union(parts) => parts[next(parts.len())].value(choices),
            Self::Template => json!(["user-0", "user--1.5", "user-1e5"][next(3)]),
            Self::Recursive => [json!(true), json!([]), json!([false, [true]])][next(3)].clone(),
        }
    }
}

fn object(members: &[(String, Type, bool)]) -> String {
    let members = members.iter().map(|(key, ty, is_optional)| {
        format!("{}{}: {}", json!(key), if *is_optional { "?" } else { "" }, ty.write())
    });
    format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
}

fn has_members(members: &[(String, Type, bool)], values: &Map<String, Value>) -> bool {
    members.iter().all(|(key, ty, is_optional)| match values.get(key) {
        Some(value) => ty.has(value),
        None => *is_optional,
    }) && values.keys().all(|key| members.iter().any(|(known, ..)| known == key))
}

fn members_of(
    members: &[(String, Type, bool)],
    choices: &mut impl Iterator<Item = usize>,
) -> Value {
    let mut values = Map::new();
    for (key, ty, is_optional) in members {
        if !is_optional || choices.next().unwrap_or(0).is_multiple_of(2) {
            values.insert(key.clone(), ty.value(choices));
        }
    }
    values.into()
}

fn in_order<'a>(mut values: Map<String, Value>, keys: impl Iterator<Item = &'a String>) -> Value {
    let mut ordered = Map::new();
    for key in keys {
        if let Some(value) = values.remove(key) {
            ordered.insert(key.clone(), value);
        }
    }
    ordered.into()
}

fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        Just(Type::String),
        Just(Type::Number),
        Just(Type::Boolean),
        Just(Type::Null),
        Just(Type::Template),
        Just(Type::Recursive),
        prop::sample::select(vec![json!("a"), json!(1), json!(-2), json!(true), json!("é\"")])
            .prop_map(Type::Literal),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let members = members(inner.clone());
        let scalar = prop_oneof![Just(Type::Number), Just(Type::String), Just(Type::Boolean)];
        prop_oneof![
            inner.clone().prop_map(|items| Type::Array(Box::new(items))),
            (
                prop::collection::vec(inner.clone(), 0..3),
                any::<Index>(),
                prop::option::of(inner.clone())
            )
                .prop_map(|(items, least, rest)| {
                    let least = least.index(items.len() + 1);
                    Type::Tuple(items, least, rest.map(Box::new))
                }),
            members.clone().prop_map(Type::Object),
            members.clone().prop_map(Type::Partial),
            (members.clone(), prop::sample::select(KEYS.to_vec()))
                .prop_map(|(members, key)| Type::Omit(members, key.to_owned())),
            (members, scalar).prop_map(|(members, scalar)| {
                // The first key is in both objects, with the same type.
                let mut other = vec![("z".to_owned(), scalar, false)];
                if let Some((key, ty, is_optional)) = members.first() {
                    other.insert(0, (key.clone(), ty.clone(), !is_optional));
                }
                Type::Intersection(members, other)
            }),
            inner.clone().prop_map(|values| Type::Record(Box::new(values))),
            prop::collection::vec(inner, 1..4).prop_map(Type::Union),
        ]
    })
}

fn members(
    inner: impl Strategy<Value = Type> + 'static,
) -> impl Strategy<Value = Vec<(String, Type, bool)>> + Clone {
    let all =
        prop::collection::vec((prop::sample::select(KEYS.to_vec()), inner, any::<bool>()), 0..4);
    let all = all.prop_map(|members| {
        let mut kept: Vec<(String, Type, bool)> = Vec::new();
        for (key, ty, is_optional) in members {
            if !kept.iter().any(|(known, ..)| known == key) {
                kept.push((key.to_owned(), ty, is_optional));
            }
        }
        kept
    });
    all.boxed()
}

/// Returns a value that differs from another in one place.
fn mutated(value: &Value, choices: &mut impl Iterator<Item = usize>) -> Value {
    let mut next = |below: usize| choices.next().unwrap_or(0) % below.max(1);
    let other = || {
        [
            json!(null),
            json!(1),
            json!("a"),
            json!("user-x"),
            json!([]),
            json!({}),
            json!(false),
            json!(2.5),
        ]
    };
    match value {
        Value::Array(values) if next(3) > 0 => {
            let mut values = values.clone();
            match next(3) {
                0 if !values.is_empty() => drop(values.remove(next(values.len()))),
                1 if !values.is_empty() => {
                    let at = next(values.len());
                    values[at] = mutated(&values[at], choices);
                }
                _ => values.push(other()[next(8)].clone()),
            }
            values.into()
        }
        Value::Object(members) if next(3) > 0 => {
            let mut members = members.clone();
            let keys: Vec<String> = members.keys().cloned().collect();
            match next(3) {
                0 if !keys.is_empty() => drop(members.shift_remove(&keys[next(keys.len())])),
                1 if !keys.is_empty() => {
                    let key = &keys[next(keys.len())];
                    let value = mutated(&members[key], choices);
                    members.insert(key.clone(), value);
                }
                _ => drop(members.insert("new".to_owned(), other()[next(8)].clone())),
            }
            members.into()
        }
        _ => other()[next(8)].clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn values_of_types_are_accepted_and_others_are_not(
        ty in types(),
        choices in prop::collection::vec(any::<usize>(), 400),
    ) {
        let text = format!("type Recursive = boolean | Recursive[];\nexport type Root = {};", ty.write());
        let lowered = lowered(&text);
        let mut choices = choices.into_iter();
        for _ in 0..5 {
            let value = ty.value(&mut choices);
            prop_assert!(ty.has(&value), "the checker refuses {} for {}", value, text);
            prop_assert!(accepts(&lowered, &value), "{} refuses {}", text, value);
            let other = mutated(&value, &mut choices);
            // New keys are last, where a record may accept them.
            if ty.has(&other) == accepts(&lowered, &other) {
                continue;
            }
            prop_assert!(ty.has(&other), "{} accepts {}", text, other);
            prop_assert!(other != value, "{} refuses {}", text, other);
            // A value of another part of the union has its keys in the order of that part.
            prop_assert!(has_objects(&other), "{} refuses {}", text, other);
        }
    }
}

fn has_objects(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.len() > 1 || members.values().any(has_objects),
        Value::Array(values) => values.iter().any(has_objects),
        _ => false,
    }
}
