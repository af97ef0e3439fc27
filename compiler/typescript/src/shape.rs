//! Objects by their members, before they become schemas.
//!
//! A closed object in an intersection cannot be expressed by schemas beside each other, so its members are collected
//! here. A union of objects is several shapes.

use std::ops::Range;

use serde_json::Value;

use super::scope::Ty;
use super::tags::Tag;

/// Most shapes of one type: unions within intersections multiply. Beyond, the type is an error.
pub(super) const MAX_SHAPES: usize = 256;

/// An object.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// The types of other keys. Without any, other keys are refused.
    pub(super) rest: Vec<Rest<'a>>,
}

/// A member by its key.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    pub(super) key: String,
    pub(super) span: Range<usize>,
    /// The value has all of these types.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) tags: Vec<Tag>,
}

/// A member of one of the types in an intersection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// The type. Without one, any value is allowed.
    pub(super) ty: Option<Ty<'a>>,
    pub(super) is_optional: bool,
}

/// Keys without a member.
#[derive(Clone, Debug)]
pub(super) struct Rest<'a> {
    /// The pattern of these keys. `None` for all other keys.
    pub(super) pattern: Option<String>,
    /// The types of the values, which have all of them. Without any, any value is allowed.
    pub(super) types: Vec<Ty<'a>>,
    pub(super) span: Range<usize>,
}

impl<'a> Shape<'a> {
    /// Adds a member, or replaces the one with its key.
    pub(super) fn set(&mut self, member: Member<'a>) {
        match self.members.iter_mut().find(|known| known.key == member.key) {
            Some(known) => *known = member,
            None => self.members.push(member),
        }
    }

    /// Returns the intersection of two closed objects: the members of both.
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

/// Returns the pairwise intersections of two unions. `None` beyond [`MAX_SHAPES`].
pub(super) fn product<'a>(one: &[Shape<'a>], other: &[Shape<'a>]) -> Option<Vec<Shape<'a>>> {
    let is_small = one.len().saturating_mul(other.len()) <= MAX_SHAPES;
    let pairs = || one.iter().flat_map(|one| other.iter().map(|other| one.and(other)));
    is_small.then(|| pairs().collect())
}

/// Makes all members optional, or all required.
pub(super) fn set_optional(shapes: &mut [Shape<'_>], is_optional: bool) {
    let members = shapes.iter_mut().flat_map(|shape| &mut shape.members);
    let parts = members.flat_map(|member| &mut member.parts);
    parts.for_each(|part| part.is_optional = is_optional);
}

/// Keeps the members with these keys alone, or removes them.
pub(super) fn select(shapes: &mut [Shape<'_>], keys: &[Value], keep: bool) {
    let is_named = |member: &Member<'_>| keys.iter().any(|key| key.as_str() == Some(&member.key));
    for shape in shapes {
        shape.members.retain(|member| is_named(member) == keep);
        if keep {
            shape.rest.clear();
        }
    }
}

/// Returns the first key that no shape has.
pub(super) fn unknown_key<'k>(shapes: &[Shape<'_>], keys: &'k [Value]) -> Option<&'k Value> {
    let members = shapes.iter().flat_map(|shape| &shape.members).map(|member| &member.key);
    keys.iter().find(|key| !members.clone().any(|known| key.as_str() == Some(known)))
}
