//! Closed objects: schemas that name keys and say nothing of other keys take none.
//!
//! Closing is `unevaluatedProperties: false` on every schema of a value that names keys and says nothing of others, as
//! strict modes of model APIs have it. `{"type": "object"}` alone names none and is a free-form object, there as here.
//! A schema that applies to a value beside others (`allOf`, `$ref`, a branch) is not closed for itself, for it would
//! refuse the keys that the others declare. So there are up to three of each schema:
//!
//! | role | where it applies | what becomes of it |
//! | --- | --- | --- |
//! | `Whole` | to a value, alone | closed, where it names keys of objects and says nothing of other keys |
//! | `Beside` | to a value that another schema applies to | the schemas of its members and items are whole |
//! | `Test` | where accepting less would accept more: `not`, `if`, `contains`, which branch is the one of `oneOf` | as it is |
//!
//! Every instance of the closed schema is one of the schema. The branches of a schema that only hands its value on are
//! closed in its place. Linear in the schemas.

use rustc_hash::FxHashMap;

use super::schema::{Part, Schema, SchemaId, Schemas};
use crate::document::NodeId;
use crate::values::types::TypeSet;

/// The role of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Whole,
    Beside,
    Test,
}

/// Closed schemas.
pub(crate) struct Closed {
    pub(crate) schemas: Schemas,
    pub(crate) root: SchemaId,
    /// The places of those that are closed.
    pub(crate) places: Vec<NodeId>,
}

/// Closes what the root leads to.
pub(crate) fn close(open: &Schemas, root: SchemaId) -> Closed {
    let mut closing = Closing {
        open,
        closed: Schemas::with_capacity(open.len()),
        known: FxHashMap::default(),
        queue: Vec::new(),
        places: Vec::new(),
        about: vec![None; open.len()],
    };
    let root = closing.of(root, Role::Whole);
    while let Some((id, new, role)) = closing.queue.pop() {
        let schema = closing.schema(id, role);
        closing.closed.insert(new, schema);
    }
    let Closing { closed, mut places, .. } = closing;
    places.sort_unstable();
    places.dedup();
    Closed { schemas: closed, root, places }
}

struct Closing<'a> {
    open: &'a Schemas,
    closed: Schemas,
    known: FxHashMap<(SchemaId, Role), SchemaId>,
    /// Schemas that have a number and no content yet.
    queue: Vec<(SchemaId, SchemaId, Role)>,
    places: Vec<NodeId>,
    /// The facts about objects of each schema, once they are asked for.
    about: Vec<Option<About>>,
}

/// The facts about objects of a schema and those that apply beside it.
#[derive(Clone, Copy, Debug, Default)]
struct About {
    /// Something about objects.
    objects: bool,
    /// The names of keys: `properties`, without any in it too.
    names: bool,
    /// All values, one by one.
    values: bool,
}

impl Closing<'_> {
    /// The schema in a role.
    fn of(&mut self, id: SchemaId, role: Role) -> SchemaId {
        if let Some(&known) = self.known.get(&(id, role)) {
            return known;
        }
        let new = self.closed.add(self.open.node(id));
        self.known.insert((id, role), new);
        self.queue.push((id, new, role));
        new
    }

    fn schema(&mut self, id: SchemaId, role: Role) -> Schema {
        let parts = match self.open.get(id) {
            Schema::Boolean(all) => return Schema::Boolean(*all),
            Schema::Parts(parts) => parts,
        };
        let closes = role == Role::Whole && self.closes(id);
        let hands_on = closes && hands_on(parts);
        let beside = if hands_on { Role::Whole } else { Role::Beside };
        let mut new = Vec::with_capacity(parts.len() + 1);
        for (place, part) in parts {
            let (place, mut part) = (*place, part.clone());
            match (&mut part, role) {
                (_, Role::Test) | (Part::Not(_) | Part::Contains(..), _) => {
                    part.for_each_schema_mut(|child| *child = self.of(*child, Role::Test));
                }
                (Part::One(branches), _) => {
                    let any = branches.iter().map(|&branch| self.of(branch, beside)).collect();
                    let tests = branches.iter().map(|&branch| self.of(branch, Role::Test));
                    let one = vec![(place, Part::One(tests.collect()))];
                    new.push((place, Part::Not(self.not(place, one))));
                    part = Part::Any(any);
                }
                (Part::If(test, then, otherwise), _) => {
                    *test = self.of(*test, Role::Test);
                    for branch in [then, otherwise].into_iter().flatten() {
                        *branch = self.of(*branch, Role::Beside);
                    }
                }
                (Part::All(_) | Part::Any(_) | Part::DependentSchema(..), _) => {
                    part.for_each_schema_mut(|child| *child = self.of(*child, beside));
                }
                _ => part.for_each_schema_mut(|child| *child = self.of(*child, Role::Whole)),
            }
            new.push((place, part));
        }
        if closes && !hands_on {
            let place = self.open.node(id);
            let none = self.closed.add(place);
            self.closed.insert(none, Schema::Boolean(false));
            new.push((place, Part::UnevaluatedProperties(none)));
            self.places.push(place);
        }
        Schema::Parts(new)
    }

    /// A schema that says the opposite of these keywords. Under a `not`, they hold and evaluate nothing.
    fn not(&mut self, place: NodeId, parts: Vec<(NodeId, Part)>) -> SchemaId {
        let [inner, outer] = [(); 2].map(|()| self.closed.add(place));
        self.closed.insert(inner, Schema::Parts(parts));
        self.closed.insert(outer, Schema::Parts(vec![(place, Part::Not(inner))]));
        outer
    }

    /// Whether a schema that applies to a value alone takes no keys that it does not declare.
    fn closes(&mut self, id: SchemaId) -> bool {
        let speaks =
            |part: &Part| matches!(part, Part::Members(..) | Part::UnevaluatedProperties(_));
        let About { objects, names, values } = self.about(id);
        objects && names && !values && !self.open.parts(id).iter().any(|(_, part)| speaks(part))
    }

    /// The facts of a schema together with those beside it. In-place steps are few, one inside the other.
    fn about(&mut self, id: SchemaId) -> About {
        if let Some(known) = self.about[id.index()] {
            return known;
        }
        let open = self.open;
        let mut about = About::default();
        for (_, part) in open.parts(id) {
            about.objects |= match part {
                Part::Types(types) => types.contains(TypeSet::OBJECT),
                Part::Properties(_)
                | Part::Required(_)
                | Part::MemberCount(_)
                | Part::Names(_)
                | Part::DependentRequired(..)
                | Part::DependentSchema(..) => true,
                _ => false,
            };
            about.names |= matches!(part, Part::Properties(_));
            about.values |= matches!(part, Part::Values(_));
            let all = matches!(part, Part::All(_));
            if all || matches!(part, Part::Any(_) | Part::One(_) | Part::If(..)) {
                for beside in part.in_place() {
                    let beside = self.about(beside);
                    about.objects |= beside.objects;
                    about.names |= beside.names;
                    about.values |= all && beside.values;
                }
            }
        }
        self.about[id.index()] = Some(about);
        about
    }
}

/// Whether all that a schema says of keys it leaves to one keyword with schemas for the same value.
fn hands_on(parts: &[(NodeId, Part)]) -> bool {
    let mut handed = 0;
    for (_, part) in parts {
        match part {
            Part::All(one) if one.len() == 1 => handed += 1,
            Part::Any(_) | Part::One(_) => handed += 1,
            Part::All(_)
            | Part::If(..)
            | Part::DependentSchema(..)
            | Part::Properties(_)
            | Part::Members(..) => return false,
            _ => {}
        }
    }
    handed == 1
}
