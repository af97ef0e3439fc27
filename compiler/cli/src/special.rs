//! Finds special tokens in a text, either by name (`<|im_end|>`) or by id (`<[200012]>`).

use grammarc_artifacts::VocabularyArtifact;

/// The special tokens of a vocabulary, indexed for the search in texts.
#[derive(Debug)]
pub(crate) struct SpecialTokens<'v> {
    vocabulary: &'v VocabularyArtifact,
    /// Pairs of a special token's name and id. Sorted by the name's first byte, and for equal first
    /// bytes longer names first.
    names: Vec<(&'v [u8], u32)>,
}

impl<'v> SpecialTokens<'v> {
    /// Collects and sorts the special tokens of a vocabulary. O(n log n) for n special tokens.
    pub(crate) fn new(vocabulary: &'v VocabularyArtifact) -> Self {
        let special = vocabulary.special_tokens().iter();
        let mut names: Vec<_> = special.map(|&id| (vocabulary.token_bytes(id), id)).collect();
        names.retain(|(name, _)| !name.is_empty());
        names.sort_by_key(|(name, _)| (name[0], std::cmp::Reverse(name.len())));
        Self { vocabulary, names }
    }

    /// Returns the tokens that the start of a text names, each as (length of the name in bytes,
    /// id). Longer names come first. A token written by its id (`<[7]>`) comes last and may be any
    /// token.
    pub(crate) fn at<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = (usize, u32)> + 't {
        let first = text.first().copied();
        let from = self.names.partition_point(|(name, _)| Some(name[0]) < first);
        let named = self.names[from..].iter().take_while(move |(name, _)| Some(name[0]) == first);
        let named = named.filter(|(name, _)| text.starts_with(name));
        let by_id = by_id(text).filter(|(_, id)| *id < self.vocabulary.token_count());
        named.map(|(name, id)| (name.len(), *id)).chain(by_id)
    }
}

/// Returns the token that the start of a text names by its id, as in `<[7]>`: (length of this form
/// in bytes, id). `None` if there is none.
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
