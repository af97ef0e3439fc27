//! "Did you mean": the known name nearest to an unknown one.

/// Names longer than this are not compared, which bounds the work of a comparison.
const MAX_LENGTH: usize = 64;

/// The candidate with the least edit distance from `name`, the first of several, if it is near enough to be a slip.
///
/// Cost: product of the lengths, per candidate.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // One slip in a short name, one more for every four characters of a long one.
    nearest_within(name, 1 + name.len() / 4, candidates)
}

/// Like [`nearest`], with an edit distance of at most `limit`.
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
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|&(distance, candidate)| distance <= limit && distance < candidate.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn one name into the other; case does not count.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let same = |i: usize, j: usize| a[i].eq_ignore_ascii_case(&b[j]);
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let substituted = above[j] + usize::from(!same(i, j));
            row[j + 1] = substituted.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j) {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("value", "Value", 0),
            ("value", "vlaue", 1),
            ("value", "values", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
            assert_eq!(distance(b.as_bytes(), a.as_bytes()), expected, "{b} {a}");
        }
    }

    #[test]
    fn only_near_names_are_offered() {
        let known = ["root", "object", "string", "x"];
        assert_eq!(nearest("strng", known), Some("string"));
        assert_eq!(nearest("Root", known), Some("root"));
        assert_eq!(nearest("number", known), None);
        assert_eq!(nearest("y", known), None);
        assert_eq!(nearest(&"a".repeat(1000), known), None);
    }
}
