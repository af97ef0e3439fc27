//! Random schemas in which keywords meet: two or three that act on values of one kind, on one value.
//!
//! A random schema over all keywords seldom has three that say something of the same members. Here every pair of keywords of
//! a kind comes up in turn, by the seed, with a third one drawn; each stands in the schema itself or below `not`,
//! `allOf`, `anyOf`, `oneOf` or `if`. Keys, texts and numbers come from alphabets of a few, in schemas and instances
//! alike, so that what keywords say overlaps. In recursive documents the values of members and items refer to up to five
//! definitions of the same make.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::random::Rng;

/// A kind of value, with the keywords that act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Objects.
    Objects,
    /// Arrays.
    Arrays,
    /// Strings.
    Strings,
    /// Numbers.
    Numbers,
}

const OBJECTS: &[&str] = &[
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "enum",
    "const",
];
const ARRAYS: &[&str] = &[
    "prefixItems",
    "items",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
    "enum",
    "const",
];
const STRINGS: &[&str] = &["minLength", "maxLength", "pattern", "enum", "const"];
const NUMBERS: &[&str] = &[
    "type",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "enum",
    "const",
];
/// Keywords that apply other schemas to the same value; they act on values of every kind.
const APPLICATORS: &[&str] = &["not", "allOf", "anyOf", "oneOf", "if"];

/// The keys of schemas and instances.
pub const KEYS: [&str; 5] = ["1", "2", "3", "a", "ab"];
const NAMES: [&str; 6] = ["^[0-9]$", "^a", "b$", "^[1a]", "^.$", "^[^2]"];
const TEXTS: [&str; 8] = ["", "a", "b", "ab", "ba", "aab", "é", "aé"];
const PATTERNS: [&str; 7] = ["^a", "b$", "^[ab]*$", "^.{2}$", "é", "^(?!a)", "^a?b?$"];
const FEW: [i32; 6] = [0, 1, 2, 3, 6, -2];
const DEFINITIONS: usize = 5;

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Objects, Self::Arrays, Self::Strings, Self::Numbers];

    /// The keywords that act on it alone.
    pub fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Objects => OBJECTS,
            Self::Arrays => ARRAYS,
            Self::Strings => STRINGS,
            Self::Numbers => NUMBERS,
        }
    }

    /// Every pair of keywords that may act on one value of the kind, those that apply other schemas included.
    pub fn pairs(self) -> Vec<[&'static str; 2]> {
        let all: Vec<&str> = self.keywords().iter().chain(APPLICATORS).copied().collect();
        let pairs = all.iter().enumerate();
        pairs.flat_map(|(at, &first)| all[at + 1..].iter().map(move |&b| [first, b])).collect()
    }
}

/// A schema of a seed, and what it is about.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// The document.
    pub schema: Value,
    /// The kind of value that its root is about.
    pub kind: Kind,
    /// Keywords that act on one value of the kind.
    pub keywords: BTreeSet<&'static str>,
}

/// The schema of a seed, in which a pair of keywords that depends on the seed alone meets, and mostly a third.
pub fn meeting(seed: u64, rng: &mut Rng) -> Meeting {
    let kinds = Kind::ALL.len() as u64;
    let kind = Kind::ALL[(seed % kinds) as usize];
    let pairs = kind.pairs();
    let pair = pairs[((seed / kinds) % pairs.len() as u64) as usize];
    let mut draw = Draw { recursive: false, keywords: BTreeSet::new() };
    let schema = draw.about(rng, kind, &pair, 2);
    Meeting { schema, kind, keywords: draw.keywords }
}

/// A recursive document of up to five definitions whose members and items refer to each other at random.
pub fn recursive(rng: &mut Rng) -> Value {
    let mut draw = Draw { recursive: true, keywords: BTreeSet::new() };
    let mut definitions = Map::new();
    for number in 0..1 + rng.below(DEFINITIONS) {
        let kind = *rng.pick(&[Kind::Objects, Kind::Objects, Kind::Arrays]);
        let pairs = kind.pairs();
        let pair = *rng.pick(&pairs);
        let mut schema = draw.about(rng, kind, &pair, 2);
        if rng.one_in(2) {
            // Something that ends, so that not all of them are empty.
            schema = json!({ "anyOf": [schema, { "type": *rng.pick(&["string", "null"]) }] });
        }
        definitions.insert(number.to_string(), schema);
    }
    // References to definitions that were not drawn lead to the last one.
    let last = definitions.len() - 1;
    let mut document = json!({ "$defs": definitions, "$ref": "#/$defs/0" });
    redirect(&mut document, last);
    document
}

fn redirect(value: &mut Value, last: usize) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get_mut("$ref")
                && let Some(number) = target.strip_prefix("#/$defs/")
                && number.parse::<usize>().is_ok_and(|number| number > last)
            {
                *target = format!("#/$defs/{last}");
            }
            members.values_mut().for_each(|member| redirect(member, last));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redirect(item, last)),
        _ => {}
    }
}

struct Draw {
    recursive: bool,
    keywords: BTreeSet<&'static str>,
}

impl Draw {
    /// A schema with these keywords and perhaps one more of the kind.
    fn about(&mut self, rng: &mut Rng, kind: Kind, names: &[&'static str], depth: usize) -> Value {
        let mut names = names.to_vec();
        if !rng.one_in(4) {
            names.push(*rng.pick(kind.keywords()));
        }
        let mut root = Map::new();
        for name in names {
            self.keywords.insert(name);
            let mut part = Map::new();
            self.keyword(rng, kind, name, depth, &mut part);
            match rng.below(6) {
                0 => wrap(&mut root, "not", Value::Object(part)),
                1 => wrap(&mut root, "not", json!({ "not": part })),
                2 => wrap(&mut root, "allOf", Value::Object(part)),
                3 => wrap(&mut root, "not", json!({ "allOf": [part] })),
                _ => {
                    for (key, value) in part {
                        match root.contains_key(&key) {
                            true => wrap(&mut root, "allOf", json!({ key: value })),
                            false => _ = root.insert(key, value),
                        }
                    }
                }
            }
        }
        if rng.one_in(3) {
            let is_type = match kind {
                Kind::Objects => "object",
                Kind::Arrays => "array",
                Kind::Strings => "string",
                Kind::Numbers => "number",
            };
            root.entry("type").or_insert(json!(is_type));
        }
        Value::Object(root)
    }

    /// A schema of the same value, with one keyword of the kind.
    fn alternative(&mut self, rng: &mut Rng, kind: Kind, depth: usize) -> Value {
        let name = *rng.pick(kind.keywords());
        self.keywords.insert(name);
        let mut part = Map::new();
        self.keyword(rng, kind, name, depth, &mut part);
        if rng.one_in(3) {
            let name = *rng.pick(kind.keywords());
            self.keywords.insert(name);
            self.keyword(rng, kind, name, depth, &mut part);
        }
        Value::Object(part)
    }

    fn keyword(
        &mut self,
        rng: &mut Rng,
        kind: Kind,
        name: &'static str,
        depth: usize,
        part: &mut Map<String, Value>,
    ) {
        let value = match name {
            "not" => self.alternative(rng, kind, depth),
            "allOf" | "anyOf" | "oneOf" => {
                (0..2 + rng.below(2)).map(|_| self.alternative(rng, kind, depth)).collect()
            }
            "if" => {
                for branch in ["then", "else"] {
                    if !rng.one_in(3) {
                        part.insert(branch.to_owned(), self.alternative(rng, kind, depth));
                    }
                }
                self.alternative(rng, kind, depth)
            }
            "properties" => self.by_name(rng, &KEYS, depth),
            "patternProperties" => self.by_name(rng, &NAMES, depth),
            "dependentSchemas" => {
                json!({ *rng.pick(&KEYS): self.alternative(rng, kind, depth.min(1)) })
            }
            "dependentRequired" => json!({ *rng.pick(&KEYS): keys(rng) }),
            "required" => keys(rng),
            "propertyNames" => match rng.below(3) {
                0 => json!({ "enum": keys(rng) }),
                1 => json!({ "not": { "enum": keys(rng) } }),
                _ => json!({ "pattern": rng.pick(&NAMES) }),
            },
            "minProperties" | "maxProperties" | "minItems" | "maxItems" | "minContains"
            | "maxContains" | "minLength" | "maxLength" => json!(rng.below(4)),
            "additionalProperties"
            | "unevaluatedProperties"
            | "items"
            | "unevaluatedItems"
            | "contains" => self.value(rng, depth),
            "prefixItems" => (0..1 + rng.below(2)).map(|_| self.value(rng, depth)).collect(),
            "uniqueItems" => json!(true),
            "pattern" => json!(rng.pick(&PATTERNS)),
            "type" => json!(rng.pick(&["integer", "number"])),
            "multipleOf" => rng.pick(&[json!(2), json!(3), json!(0.5), json!(1)]).clone(),
            "enum" => (0..1 + rng.below(3)).map(|_| instance(rng, kind, 1)).collect(),
            "const" => instance(rng, kind, 1),
            _ => number(rng),
        };
        part.insert(name.to_owned(), value);
    }

    fn by_name(&mut self, rng: &mut Rng, names: &[&str], depth: usize) -> Value {
        let members = (0..1 + rng.below(2))
            .map(|_| ((*rng.pick(names)).to_owned(), self.value(rng, depth)))
            .collect::<Vec<_>>();
        Value::Object(members.into_iter().collect())
    }

    /// A schema of the value of a member or item.
    fn value(&mut self, rng: &mut Rng, depth: usize) -> Value {
        if self.recursive && rng.one_in(2) {
            let target = json!({ "$ref": format!("#/$defs/{}", rng.below(DEFINITIONS)) });
            return if rng.one_in(6) { json!({ "not": target }) } else { target };
        }
        match rng.below(if depth > 0 { 8 } else { 6 }) {
            0 => json!(true),
            1 => json!(false),
            2 => json!({ "type": rng.pick(&["integer", "string", "object", "array"]) }),
            3 => json!({ "const": rng.pick(&FEW) }),
            4 => json!({ "enum": [rng.pick(&TEXTS), rng.pick(&FEW)] }),
            5 => json!({ "minimum": rng.pick(&FEW), "maxLength": rng.below(3) }),
            _ => {
                let kind = *rng.pick(&Kind::ALL);
                // Keywords of another value do not meet those of this one.
                let mut inner = Self { recursive: self.recursive, keywords: BTreeSet::new() };
                inner.alternative(rng, kind, depth - 1)
            }
        }
    }
}

/// Adds a schema under a keyword that applies it to the same value, beside those that are there.
fn wrap(root: &mut Map<String, Value>, name: &str, schema: Value) {
    match (name, root.get_mut(name)) {
        ("allOf", Some(Value::Array(all))) => all.push(schema),
        ("allOf", _) => _ = root.insert(name.to_owned(), json!([schema])),
        (_, None) => _ = root.insert(name.to_owned(), schema),
        (_, Some(_)) => wrap(root, "allOf", json!({ name: schema })),
    }
}

fn keys(rng: &mut Rng) -> Value {
    let first = rng.below(KEYS.len());
    let count = 1 + rng.below(2);
    (0..count).map(|at| json!(KEYS[(first + at) % KEYS.len()])).collect()
}

fn number(rng: &mut Rng) -> Value {
    if rng.one_in(5) { json!(1.5) } else { json!(rng.pick(&FEW)) }
}

/// An instance of a kind, mostly; its members and items are so many levels deep at most.
pub fn instance(rng: &mut Rng, kind: Kind, depth: usize) -> Value {
    let inner = |rng: &mut Rng| match rng.below(if depth > 1 { 6 } else { 4 }) {
        0 => json!(rng.pick(&TEXTS)),
        1 | 2 => number(rng),
        3 => rng.pick(&[json!(null), json!({}), json!([])]).clone(),
        _ => {
            let kind = *rng.pick(&[Kind::Objects, Kind::Arrays]);
            instance(rng, kind, depth - 1)
        }
    };
    match kind {
        Kind::Objects => {
            let members: Vec<_> =
                (0..rng.below(5)).map(|_| ((*rng.pick(&KEYS)).to_owned(), inner(rng))).collect();
            Value::Object(members.into_iter().collect())
        }
        Kind::Arrays => (0..rng.below(5)).map(|_| inner(rng)).collect(),
        Kind::Strings => json!(rng.pick(&TEXTS)),
        Kind::Numbers => number(rng),
    }
}
