//! Chooses the types of a call's arguments by the tool's schema.

use grammarc_json::JsonSchema;
use serde_json::{Map, Value};

/// Keywords at the root of a schema that can make the validity of one member depend on other
/// members.
const TOGETHER: [&str; 9] = [
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "dependentSchemas",
    "dependencies",
    "$ref",
    "$dynamicRef",
];

/// Maximum number of members with several readings that are tried in combination: at most 2^8
/// objects are validated. For further members, each reading is chosen alone.
pub(super) const MOST: u32 = 8;

/// Maximum number of violations that are considered at once.
const MOST_PARTS: usize = 64;

/// A member of the arguments. `readings` has the values that its text may denote, at least one, the
/// likelier first.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) readings: Vec<Value>,
}

/// The schema of a tool's arguments. Without a schema, any object is valid.
#[derive(Debug)]
pub(super) struct Types {
    schema: Option<JsonSchema>,
}

impl Types {
    pub(super) fn new(schema: Option<JsonSchema>) -> Self {
        Self { schema }
    }

    /// Whether the validity of a member may depend on other members.
    pub(super) fn depend(&self) -> bool {
        let root = self.schema.as_ref().and_then(|schema| schema.value().as_object());
        root.is_some_and(|root| TOGETHER.iter().any(|keyword| root.contains_key(*keyword)))
    }

    /// Whether the schema says of a member by itself that it is a string: by `type`, `const` or
    /// `enum` below `properties`. References are not followed, and in old drafts hide other keywords.
    pub(super) fn is_string(&self, key: &str) -> bool {
        let member =
            self.schema.as_ref().and_then(|schema| schema.value().get("properties")?.get(key));
        let Some(member) = member.filter(|member| member.get("$ref").is_none()) else {
            return false;
        };
        let values = member.get("enum").and_then(Value::as_array);
        member.get("type").is_some_and(|kind| kind == "string")
            || member.get("const").is_some_and(Value::is_string)
            || values.is_some_and(|values| values.iter().all(Value::is_string))
    }

    /// Returns the value of a member whose text may denote several values: the first of them, the
    /// likelier first, that the schema accepts. The other members are not considered. If the schema
    /// accepts none, returns the last.
    pub(super) fn alone(&self, member: Member) -> Value {
        let Member { key, mut readings } = member;
        let fits = |value: &Value| {
            let object = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
            self.violations(&object, false).is_empty()
        };
        let last = readings.len() - 1;
        let at = readings[..last].iter().position(fits).unwrap_or(last);
        readings.swap_remove(at)
    }

    /// Returns pointers to the parts of arguments that violate the schema, at most [`MOST_PARTS`]. Unless the object is
    /// `whole`, violations of the object itself are left out: they concern members that are not read yet.
    pub(super) fn violations(&self, object: &Value, whole: bool) -> Vec<String> {
        let Some(schema) = &self.schema else { return Vec::new() };
        let parts = schema.violated_parts(object).filter(|part| whole || !part.is_empty());
        parts.take(MOST_PARTS).collect()
    }

    /// Returns the first combination of readings that the schema accepts as an object. Readings of
    /// later members vary first. If there is none, each member's reading is chosen alone.
    pub(super) fn together(&self, members: &[Member]) -> Map<String, Value> {
        let open: Vec<usize> = (0..members.len())
            .filter(|&at| members[at].readings.len() > 1)
            .take(MOST as usize)
            .collect();
        let all = members.iter().map(|member| (member.key.clone(), self.alone(member.clone())));
        let alone: Map<String, Value> = all.collect();
        let Some(schema) = &self.schema else { return alone };
        for choice in 0..1_u32 << open.len() {
            let mut object = alone.clone();
            for (bit, &at) in open.iter().rev().enumerate() {
                let Member { key, readings } = &members[at];
                let reading = readings[(choice >> bit & 1) as usize].clone();
                object.insert(key.clone(), reading);
            }
            let object = Value::Object(object);
            if schema.is_valid(&object)
                && let Value::Object(object) = object
            {
                return object;
            }
        }
        alone
    }
}
