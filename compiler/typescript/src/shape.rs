//! Shapes: object types as lists of members, before they become schemas.
//!
//! Closed objects in an intersection cannot be expressed by schemas side by side, so their members are merged here. A
//! union of object types is several shapes.

use std::ops::Range;

use serde_json::Value;

use super::scope::Ty;
use super::tags::Tag;

/// Most shapes (objects as lists of members) of one type. Unions within intersections multiply their shapes, so a type
/// with more is an error.
pub(super) const MAX_SHAPES: usize = 256;

/// The shape of an object type: its members, and what other keys are allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// The types of the values of other keys. If empty, no other keys are allowed.
    pub(super) rest: Vec<Rest<'a>>,
}

/// A member of an object type, by its key.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    pub(super) key: String,
    pub(super) span: Range<usize>,
    /// The types of the member's value, which must have all of them. An intersection of objects gives several.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) tags: Vec<Tag>,
}

/// A type of a member, from one of the objects in an intersection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// The type of the value. `None` allows any value.
    pub(super) ty: Option<Ty<'a>>,
    pub(super) is_optional: bool,
}

/// A rule for keys that no member has.
#[derive(Clone, Debug)]
pub(super) struct Rest<'a> {
    /// The regular expression that the keys match. `None` applies to all other keys.
    pub(super) pattern: Option<String>,
    /// The types of the values, which must have all of them. Without any, all values are allowed.
    pub(super) types: Vec<Ty<'a>>,
    pub(super) span: Range<usize>,
}

impl<'a> Shape<'a> {
    /// Adds a member. A member with the same key is replaced.
    pub(super) fn set(&mut self, member: Member<'a>) {
        match self.members.iter_mut().find(|known| known.key == member.key) {
            Some(known) => *known = member,
            None => self.members.push(member),
        }
    }

    /// Returns the intersection of two shapes: an object with the members of both.
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for member in &other.members {
            match both.members.iter_mut().find(|known| known.key == member.key) {
                Some(known) => {
                    known.parts.extend(&member.parts);
                    known.tags.extend(member.tags.iter().cloned());
                }
                None => both.members.push(member.clone()),
            }
        }
        for rest in &other.rest {
            match both.rest.iter_mut().find(|known| known.pattern == rest.pattern) {
                Some(known) => known.types.extend(&rest.types),
                None => both.rest.push(rest.clone()),
            }
        }
        both
    }
}

/// Returns the pairwise intersections of two unions of shapes (objects as lists of members). `None` if there are more
/// than 256.
pub(super) fn product<'a>(one: &[Shape<'a>], other: &[Shape<'a>]) -> Option<Vec<Shape<'a>>> {
    let is_small = one.len().saturating_mul(other.len()) <= MAX_SHAPES;
    let pairs = || one.iter().flat_map(|one| other.iter().map(|other| one.and(other)));
    is_small.then(|| pairs().collect())
}

/// Makes all members of the shapes (objects as lists of members) optional, or all of them required.
pub(super) fn set_optional(shapes: &mut [Shape<'_>], is_optional: bool) {
    let members = shapes.iter_mut().flat_map(|shape| &mut shape.members);
    let parts = members.flat_map(|member| &mut member.parts);
    parts.for_each(|part| part.is_optional = is_optional);
}

/// Keeps only the members of the given keys, or with `keep` false removes them.
pub(super) fn select(shapes: &mut [Shape<'_>], keys: &[Value], keep: bool) {
    let is_named = |member: &Member<'_>| keys.iter().any(|key| key.as_str() == Some(&member.key));
    for shape in shapes {
        shape.members.retain(|member| is_named(member) == keep);
        if keep {
            shape.rest.clear();
        }
    }
}

/// Returns the first of the given keys that no shape (an object as a list of members) has. `None` if the shapes have
/// all of them.
pub(super) fn unknown_key<'k>(shapes: &[Shape<'_>], keys: &'k [Value]) -> Option<&'k Value> {
    let members = shapes.iter().flat_map(|shape| &shape.members).map(|member| &member.key);
    keys.iter().find(|key| !members.clone().any(|known| key.as_str() == Some(known)))
}
