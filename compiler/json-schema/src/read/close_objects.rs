//! Closes objects: a schema that declares keys, and has no keyword for other keys, then accepts no other keys.
//!
//! Closing adds `unevaluatedProperties: false` to every such schema, as in the strict modes of model APIs. `{"type":
//! "object"}` alone declares no keys and stays a free-form object. A schema may apply to a value together with others
//! (`allOf`, `$ref`, a branch). It is then not closed by itself, because it would reject the keys that the others
//! declare. So each schema has up to three versions:
//!
//! | role | where it applies | result |
//! | --- | --- | --- |
//! | `Whole` | alone to a value | closed, if it declares keys of objects and has no keyword for other keys |
//! | `Beside` | to a value that another schema applies to | open, but its members and items are `Whole` |
//! | `Test` | in `not`, `if`, `contains` and the tests of `oneOf`, where accepting less would accept more | unchanged |
//!
//! Every instance of the closed schema is an instance of the schema. If the only keyword about keys applies branches to
//! the same value, the branches are closed instead. Cost: linear in the schemas.

use rustc_hash::FxHashMap;

use super::schema::{Part, Schema, SchemaId, Schemas};
use crate::document::NodeId;
use crate::values::types::TypeSet;

/// The role in which a schema applies to a value, which decides whether it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    /// The schema applies alone to a value and may be closed (then it accepts no undeclared keys).
    Whole,
    /// Another schema applies to the same value, so the schema stays open. Its members and items may be closed.
    Beside,
    /// The schema is a test (`not`, `if`, `contains`), where accepting less would accept more elsewhere. It stays
    /// unchanged.
    Test,
}

/// The schemas of a document after closing objects.
pub(crate) struct Closed {
    /// All schemas that the closed root reaches.
    pub(crate) schemas: Schemas,
    /// The schema of the whole document.
    pub(crate) root: SchemaId,
    /// The places of the schemas that are closed (accept no undeclared keys), ascending.
    pub(crate) places: Vec<NodeId>,
}

/// Closes the objects of all schemas that `root` reaches.
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

/// The work of closing schemas, so that their objects accept no undeclared keys.
struct Closing<'a> {
    /// The schemas before closing their objects.
    open: &'a Schemas,
    /// The schemas after closing their objects, so far.
    closed: Schemas,
    /// Maps each schema before closing, in a role, to the schema after closing.
    known: FxHashMap<(SchemaId, Role), SchemaId>,
    /// Worklist of schemas after closing that are numbered but not yet built: number before closing, number after
    /// closing, and role.
    queue: Vec<(SchemaId, SchemaId, Role)>,
    /// The places of the schemas that are closed so far.
    places: Vec<NodeId>,
    /// For each schema before closing, the facts about its object keywords; `None` until they are needed.
    about: Vec<Option<About>>,
}

/// Facts about the object keywords of a schema and of the schemas that apply to the same value.
#[derive(Clone, Copy, Debug, Default)]
struct About {
    /// Whether any keyword of these schemas constrains objects.
    objects: bool,
    /// Whether some schema has `properties`, even if empty.
    names: bool,
    /// Whether some keyword lists values (`enum`, `const`).
    values: bool,
}

impl Closing<'_> {
    /// Returns the closed form of a schema in a role. If it does not exist yet, it is numbered and added to the
    /// worklist.
    fn of(&mut self, id: SchemaId, role: Role) -> SchemaId {
        if let Some(&known) = self.known.get(&(id, role)) {
            return known;
        }
        let new = self.closed.add(self.open.node(id));
        self.known.insert((id, role), new);
        self.queue.push((id, new, role));
        new
    }

    /// Builds the closed form of a schema in a role.
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

    /// Returns a schema that holds exactly if the keywords `parts` do not. Under a further `not` the keywords hold
    /// again, but evaluate no members.
    fn not(&mut self, place: NodeId, parts: Vec<(NodeId, Part)>) -> SchemaId {
        let [inner, outer] = [(); 2].map(|()| self.closed.add(place));
        self.closed.insert(inner, Schema::Parts(parts));
        self.closed.insert(outer, Schema::Parts(vec![(place, Part::Not(inner))]));
        outer
    }

    /// Returns whether a schema that applies alone to a value is closed, so that it accepts no undeclared keys.
    fn closes(&mut self, id: SchemaId) -> bool {
        let speaks =
            |part: &Part| matches!(part, Part::Members(..) | Part::UnevaluatedProperties(_));
        let About { objects, names, values } = self.about(id);
        objects && names && !values && !self.open.parts(id).iter().any(|(_, part)| speaks(part))
    }

    /// Returns the facts about a schema and about the schemas that apply to the same value. The nesting of such schemas
    /// is bounded.
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

/// Returns whether exactly one keyword applies schemas to the same value, and no other keyword constrains keys.
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
