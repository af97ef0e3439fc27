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
    let mut names = TAGS.map(|name| {
        let next = |mark: String| Next { mark, found: None };
        (name, next(format!("<{name}>")), next(format!("</{name}>")))
    });
    let mut from = 0;
    std::iter::from_fn(move || {
        let (_, inside, end, behind, name) = names
            .iter_mut()
            .filter_map(|(name, open, close)| {
                let at = open.find(text, from)?;
                let inside = at + open.mark.len();
                let end = close.find(text, inside)?;
                Some((at, inside, end, end + close.mark.len(), *name))
            })
            .min_by_key(|(at, ..)| *at)?;
        from = behind;
        Some(Tag { name, content: text[inside..end].trim() })
    })
}

/// Where a mark stands next. It is asked from places that never go back, so what was found holds until a place is behind it,
/// and nothing holds for good.
struct Next {
    mark: String,
    /// What was found, once it was looked for.
    found: Option<Option<usize>>,
}

impl Next {
    fn find(&mut self, text: &str, from: usize) -> Option<usize> {
        match self.found {
            Some(found) if found.is_none_or(|at| at >= from) => found,
            _ => {
                let found = memmem::find(&text.as_bytes()[from..], self.mark.as_bytes());
                *self.found.insert(found.map(|at| from + at))
            }
        }
    }
}
