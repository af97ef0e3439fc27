//! The members of an object: a list in the order of the text.
//!
//! Most objects of schemas have few members, and comparing keys is then faster than hashing. An object with more
//! members has a sorted index beside the list. Both take one allocation of the exact size.

use std::borrow::Cow;
use std::ops::Range;

use super::id::NodeId;

/// Most members of an object whose keys are compared one by one. Larger objects have a sorted index.
const FEW: usize = 16;

/// A member of an object in a JSON document.
#[derive(Debug)]
pub struct Member {
    /// Byte range of the member's key in the document text, quotes included.
    pub(crate) key_span: Range<usize>,
    /// The node of the member's value in the document.
    pub value: NodeId,
}

/// The members of an object, found by decoded key, in the order of the document text.
#[derive(Debug, Default)]
pub struct Members<'s> {
    /// The members, each with its decoded key.
    list: Box<[(Cow<'s, str>, Member)]>,
    /// Indices into the list, sorted by key, if there are more than [`FEW`] members; otherwise empty. Equal keys stay
    /// in text order.
    by_key: Box<[u32]>,
}

impl<'s> Members<'s> {
    /// Builds the members of an object. If a key is repeated, also returns the indices of its first and second
    /// occurrence. If several keys are repeated, these are the indices of the key whose second occurrence comes first.
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

    /// Returns the number of members of the object.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the member with the decoded key `key`, or `None` if the object has no such member.
    pub(crate) fn get(&self, key: &str) -> Option<&Member> {
        if self.by_key.is_empty() {
            return self.list.iter().find(|(known, _)| **known == *key).map(|(_, member)| member);
        }
        let place = self.by_key.binary_search_by(|&at| (*self.list[at as usize].0).cmp(key));
        place.ok().map(|place| &self.list[self.by_key[place] as usize].1)
    }

    /// Returns the decoded key and the member at an index in text order, or `None` beyond the last member.
    pub(crate) fn at(&self, place: usize) -> Option<(&str, &Member)> {
        self.list.get(place).map(|(key, member)| (&**key, member))
    }

    /// Returns the decoded keys and the members of the object, in the order of the document text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Member)> {
        self.list.iter().map(|(key, member)| (&**key, member))
    }

    /// Returns the decoded keys of the object, in the order of the document text.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.list.iter().map(|(key, _)| &**key)
    }

    /// Returns the nodes of the members' values, in the order of the document text.
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
