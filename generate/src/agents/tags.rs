//! The tags that agents wrote before they wrote JSON: `<search>…</search>` and others.

use memchr::memmem;

/// The names of the tags.
pub const TAGS: [&str; 5] = ["answer", "search", "think", "bbox", "tools_call"];

/// A tag with what stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Its name.
    pub name: &'static str,
    /// The text up to its end, without white space around it.
    pub content: &'t str,
}

/// The tags of a text from left to right, each up to the next end of its name; what stands within one is no tag. Linear in the
/// text for each name.
pub fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (at, name, end) = TAGS
            .iter()
            .filter_map(|name| {
                let (open, close) = (format!("<{name}>"), format!("</{name}>"));
                let at = memmem::find(rest.as_bytes(), open.as_bytes())?;
                let from = at + open.len();
                let end = memmem::find(&rest.as_bytes()[from..], close.as_bytes())?;
                Some((at, *name, from + end))
            })
            .min_by_key(|(at, ..)| *at)?;
        let content = rest[at + name.len() + 2..end].trim();
        rest = &rest[end + name.len() + 3..];
        Some(Tag { name, content })
    })
}
