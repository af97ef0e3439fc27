//! The schemas that apply to the values on a path.

use grammarc_grammar::open_json::Step;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::schema::{Part, SchemaId, Schemas};

/// Schemas that apply to one value, in the order in which they are found.
pub(crate) type Applying = IndexSet<SchemaId, FxBuildHasher>;

/// Returns the schemas that apply to each value on a path, the outermost value first. All branches of `anyOf` and the
/// like count, even those that the text has ruled out.
///
/// Cost: linear in the keywords of these schemas.
pub(crate) fn applies(schemas: &Schemas, root: SchemaId, path: &[Step]) -> Vec<Applying> {
    let mut levels = vec![with_in_place(schemas, [root])];
    for step in path {
        let above = levels.last().into_iter().flatten();
        let parts = above.flat_map(|&id| schemas.parts(id));
        let below: Vec<SchemaId> = parts.flat_map(|(_, part)| below(part, step)).collect();
        levels.push(with_in_place(schemas, below));
    }
    levels
}

/// Returns schemas with those that they apply to the same value.
pub(crate) fn with_in_place(
    schemas: &Schemas,
    ids: impl IntoIterator<Item = SchemaId>,
) -> Applying {
    let mut all: Applying = ids.into_iter().collect();
    let mut next = 0;
    while let Some(&id) = all.get_index(next) {
        next += 1;
        for (_, part) in schemas.parts(id) {
            all.extend(part.in_place());
        }
    }
    all
}

/// Returns the schemas that a keyword applies to a member or item.
pub(crate) fn below(part: &Part, step: &Step) -> Vec<SchemaId> {
    match (part, step) {
        (Part::Properties(properties), Step::Key(key)) => {
            let of_key = properties.iter().filter(|(name, _)| **name == **key);
            of_key.map(|&(_, schema)| schema).collect()
        }
        (Part::Members(names, schema), Step::Key(key)) if names.contains(key) => vec![*schema],
        (Part::UnevaluatedProperties(schema), Step::Key(_)) => vec![*schema],
        (Part::Prefix(schemas), Step::Index(index)) => {
            schemas.get(*index).copied().into_iter().collect()
        }
        (Part::Items(from, schema), Step::Index(index)) if *index >= *from as usize => {
            vec![*schema]
        }
        (Part::Contains(schema, _) | Part::UnevaluatedItems(schema), Step::Index(_)) => {
            vec![*schema]
        }
        _ => Vec::new(),
    }
}
