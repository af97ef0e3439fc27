//! Finds special tokens in a text, by name, as `<|im_end|>`, or by id, as `<[200012]>`.

use grammarc_artifacts::VocabularyArtifact;

/// The special tokens of a vocabulary, to be found in texts.
#[derive(Debug)]
pub(crate) struct SpecialTokens<'v> {
    vocabulary: &'v VocabularyArtifact,
    /// Names and ids by first byte, longer names first.
    names: Vec<(&'v [u8], u32)>,
}

impl<'v> SpecialTokens<'v> {
    /// Sorts the special tokens of a vocabulary. O(n log n) for n of them.
    pub(crate) fn new(vocabulary: &'v VocabularyArtifact) -> Self {
        let special = vocabulary.special_tokens().iter();
        let mut names: Vec<_> = special.map(|&id| (vocabulary.token_bytes(id), id)).collect();
        names.retain(|(name, _)| !name.is_empty());
        names.sort_by_key(|(name, _)| (name[0], std::cmp::Reverse(name.len())));
        Self { vocabulary, names }
    }

    /// Returns the tokens at the start of a text, each with the length of its name or id there. Longer names come
    /// first, and last an id, which may be that of any token.
    pub(crate) fn at<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, u32)> + 't {
        let first = text.first().copied();
        let from = self.names.partition_point(|(name, _)| Some(name[0]) < first);
        let named = self.names[from..].iter().take_while(move |(name, _)| Some(name[0]) == first);
        let named = named.filter(|(name, _)| text.starts_with(name));
        let by_id = by_id(text).filter(|(_, id)| *id < self.vocabulary.token_count());
        named.map(|(name, id)| (name.len(), *id)).chain(by_id)
    }
}

/// An id at the start of a text, as `<[7]>`: the length of this form, and the id.
fn by_id(text: &[u8]) -> Option<(usize, u32)> {
    let rest = text.strip_prefix(b"<[")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let id = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    rest[digits..].starts_with(b"]>").then_some((digits + 4, id))
}

#[cfg(test)]
mod tests {
    use super::by_id;

    #[test]
    fn ids_stand_in_brackets() {
        assert_eq!(by_id(b"<[12]>x"), Some((6, 12)));
        for none in [&b"<[]>"[..], b"<[1>", b"<[4294967296]>", b"[1]", b"<[-1]>", b""] {
            assert_eq!(by_id(none), None);
        }
    }
}
