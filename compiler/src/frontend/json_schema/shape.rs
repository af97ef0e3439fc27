//! Shapes: what a conjunction of schemas says about values of one JSON type, and the union of such shapes that a
//! conjunction comes to.

use super::document::NodeId;
use super::schema::Bounds;
use super::types::TypeSet;

/// Number of a conjunction in the shape graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ConjunctionId(u32);

impl ConjunctionId {
    /// The conjunction with this index.
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("the budget on shapes is below 2^32"))
    }

    /// Index into tables with one entry per conjunction.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Arrays with this many items, the first of which have schemas of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArrayShape {
    /// Schemas of the first items.
    pub(crate) prefix: Vec<ConjunctionId>,
    /// Schema of the items after those.
    pub(crate) items: ConjunctionId,
    /// How many items.
    pub(crate) count: Bounds,
}

/// A key with a schema of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Property {
    /// The key.
    pub(crate) key: Box<str>,
    /// Schema of its value; where nothing satisfies it, the key is forbidden.
    pub(crate) value: ConjunctionId,
    /// Whether every object has the key.
    pub(crate) required: bool,
}

/// Objects: keys in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectShape {
    /// Declared keys, then keys that are required and not declared.
    pub(crate) properties: Vec<Property>,
    /// Schema of the values of all other keys; where nothing satisfies it, there are none.
    pub(crate) additional: ConjunctionId,
}

/// What a conjunction comes to: the union of all fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Union {
    /// Types of which every value is in the union. The other fields hold nothing of these types.
    pub(crate) whole: TypeSet,
    /// Single values.
    pub(crate) values: Vec<NodeId>,
    /// Strings by length in characters: sorted, apart from each other.
    pub(crate) strings: Vec<Bounds>,
    /// Arrays.
    pub(crate) arrays: Vec<ArrayShape>,
    /// Objects.
    pub(crate) objects: Vec<ObjectShape>,
}

impl Union {
    /// Brings the fields to the form they promise: nothing twice, nothing that `whole` holds already.
    pub(crate) fn tidy(&mut self, type_of: impl Fn(NodeId) -> TypeSet) {
        let whole = self.whole;
        self.values.retain(|&value| !whole.contains(type_of(value)));
        if whole.contains(TypeSet::STRING) {
            self.strings.clear();
        }
        if whole.contains(TypeSet::ARRAY) {
            self.arrays.clear();
        }
        if whole.contains(TypeSet::OBJECT) {
            self.objects.clear();
        }
        merge_bounds(&mut self.strings);
        dedup(&mut self.arrays);
        dedup(&mut self.objects);
    }

    /// The conjunctions of children.
    pub(crate) fn children(&self) -> impl Iterator<Item = ConjunctionId> + '_ {
        let arrays = self.arrays.iter().flat_map(|shape| shape.prefix.iter().chain([&shape.items]));
        let objects = self.objects.iter().flat_map(|shape| {
            let values = shape.properties.iter().map(|property| &property.value);
            values.chain([&shape.additional])
        });
        arrays.chain(objects).copied()
    }
}

/// Joins ranges that overlap or touch.
fn merge_bounds(bounds: &mut Vec<Bounds>) {
    bounds.sort_unstable_by_key(|bounds| bounds.min);
    bounds.dedup_by(|next, kept| match kept.max {
        None => true,
        Some(max) if next.min <= max.saturating_add(1) => {
            kept.max = next.max.map(|next| next.max(max));
            true
        }
        Some(_) => false,
    });
}

/// Drops what occurs again.
pub(crate) fn dedup<T: Clone + Eq + std::hash::Hash>(items: &mut Vec<T>) {
    let mut seen = rustc_hash::FxHashSet::default();
    items.retain(|item| seen.insert(item.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join() {
        let range = |min, max| Bounds { min, max };
        let mut bounds = vec![
            range(9, Some(9)),
            range(0, Some(2)),
            range(3, Some(4)),
            range(6, Some(7)),
            range(6, Some(6)),
        ];
        merge_bounds(&mut bounds);
        assert_eq!(bounds, [range(0, Some(4)), range(6, Some(7)), range(9, Some(9))]);
        let mut bounds = vec![range(5, Some(9)), range(2, None), range(0, Some(0))];
        merge_bounds(&mut bounds);
        assert_eq!(bounds, [range(0, Some(0)), range(2, None)]);
    }
}
