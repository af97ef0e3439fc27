//! Suggestions ("did you mean"): finds the known name nearest to an unknown name.

/// The longest name that is compared, in bytes. Longer names are never suggested, which bounds the
/// work of a comparison.
const MAX_LENGTH: usize = 64;

/// Returns the candidate with the least edit distance from `name`, the first of equally near ones.
/// Returns `None` if no candidate is near enough to be a misspelling: within one edit, and one more
/// for every four bytes.
///
/// Cost: for each candidate, the product of the lengths of both names.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // One slip is allowed in a short name, and one more for every four bytes of a long name.
    nearest_within(name, 1 + name.len() / 4, candidates)
}

/// Returns the candidate with the least edit distance from `name`, the first of equally near ones.
/// Returns `None` if no candidate is within an edit distance of `limit`.
pub fn nearest_within<'a>(
    name: &str,
    limit: usize,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter(|candidate| {
            name.len().max(candidate.len()) <= MAX_LENGTH
                && name.len().abs_diff(candidate.len()) <= limit
        })
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit && distance < candidate.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the edit distance of two names: insertions, deletions, substitutions and swaps of
/// neighbours. Case is ignored.
fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_offered() {
        let known = ["root", "object", "string", "x"];
        assert_eq!(nearest("strng", known), Some("string"));
        assert_eq!(nearest("Root", known), Some("root"));
        assert_eq!(nearest("ojbect", known), Some("object"));
        assert_eq!(nearest("number", known), None);
        assert_eq!(nearest("y", known), None);
        assert_eq!(nearest("y", ["é"]), None, "letters are compared, not bytes");
        assert_eq!(nearest(&"a".repeat(1000), known), None);
    }
}
