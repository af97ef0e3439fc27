//! The members of an object: a list in the order of the text.
//!
//! Most objects of schemas have a few members, and comparing finds a key faster than hashing. With more, a sorted
//! index is kept beside the list. Either takes one allocation, of the right size.

use std::borrow::Cow;
use std::ops::Range;

use super::id::NodeId;

/// Greatest number of members whose keys are compared one by one.
const FEW: usize = 16;

/// A member of an object.
#[derive(Debug)]
pub struct Member {
    /// Byte range of the key, with its quotes.
    pub(crate) key_span: Range<usize>,
    /// The value.
    pub value: NodeId,
}

/// Members by decoded key, in the order of the text.
#[derive(Debug, Default)]
pub struct Members<'s> {
    list: Box<[(Cow<'s, str>, Member)]>,
    /// Indices into the list, sorted by key, if there are more than a few. Equal keys are in text order.
    by_key: Box<[u32]>,
}

impl<'s> Members<'s> {
    /// Builds the members. Also returns the first repetition of a key to end: the indices of its first and second
    /// occurrence.
    pub(super) fn new(
        members: impl Iterator<Item = (Cow<'s, str>, Member)>,
    ) -> (Self, Option<(usize, usize)>) {
        let list: Box<[_]> = members.collect();
        if list.len() <= FEW {
            let earlier = |at: usize| list[..at].iter().position(|(key, _)| *key == list[at].0);
            let repeated = (1..list.len()).find_map(|at| Some((earlier(at)?, at)));
            return (Self { list, by_key: Box::default() }, repeated);
        }
        let mut by_key: Box<[u32]> = (0..).take(list.len()).collect();
        by_key.sort_by(|&a, &b| list[a as usize].0.cmp(&list[b as usize].0));
        let runs = by_key.chunk_by(|&a, &b| list[a as usize].0 == list[b as usize].0);
        let repeated = runs.filter_map(|run| Some((*run.first()? as usize, *run.get(1)? as usize)));
        let repeated = repeated.min_by_key(|(_, second)| *second);
        (Self { list, by_key }, repeated)
    }

    /// Number of members.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The member with a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Member> {
        if self.by_key.is_empty() {
            return self.list.iter().find(|(known, _)| **known == *key).map(|(_, member)| member);
        }
        let place = self.by_key.binary_search_by(|&at| (*self.list[at as usize].0).cmp(key));
        place.ok().map(|place| &self.list[self.by_key[place] as usize].1)
    }

    /// The member with an index in the list.
    pub(crate) fn at(&self, place: usize) -> Option<(&str, &Member)> {
        self.list.get(place).map(|(key, member)| (&**key, member))
    }

    /// Key and member, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Member)> {
        self.list.iter().map(|(key, member)| (&**key, member))
    }

    /// The keys, in order.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.list.iter().map(|(key, _)| &**key)
    }

    /// The values, in order.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.list.iter().map(|(_, member)| member.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(keys: &[String]) -> (Members<'_>, Option<(usize, usize)>) {
        let all = keys
            .iter()
            .zip(0..)
            .map(|(key, at)| (key.as_str().into(), Member { key_span: 0..0, value: NodeId(at) }));
        Members::new(all)
    }

    #[test]
    fn few_and_many_members_are_found_by_key() {
        for count in [0, 1, FEW, FEW + 1, 100] {
            let keys: Vec<String> = (0..count).map(|at| format!("{}", at * 37 % 101)).collect();
            let (members, repeated) = members(&keys);
            assert_eq!((members.len(), repeated), (count, None));
            for (at, key) in keys.iter().enumerate() {
                assert_eq!(members.get(key).map(|member| member.value.index()), Some(at));
            }
            assert!(members.get("x").is_none());
            assert!(members.keys().eq(&keys));
        }
    }

    #[test]
    fn the_first_repetition_is_found() {
        for count in [6, 40] {
            let mut keys: Vec<String> = (0..count).map(|at| format!("{at}")).collect();
            keys[5] = "1".into();
            keys[4] = "2".into();
            assert_eq!(members(&keys).1, Some((2, 4)));
        }
    }
}
