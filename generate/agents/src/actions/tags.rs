//! The tags in which agents wrote actions before they wrote JSON: `<search>…</search>` and others.
//!
//! Tags within a turn (a JSON object with the fields of an action) do not count, even if the turn
//! is invalid. Its strings are data: a search for the text `<search>x</search>` is one search. Tags
//! count everywhere else, also within and after broken or incomplete JSON.

use std::ops::Range;

use memchr::memmem;

use super::extract::turns;

/// The names of the tags that are recognized.
pub const TAGS: [&str; 5] = ["answer", "search", "think", "bbox", "tools_call"];

/// A tag with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Name of the tag.
    pub name: &'static str,
    /// The text between the opening and the closing mark, without white space at its ends.
    pub content: &'t str,
    /// The whole tag as it is written, including both marks.
    pub raw: &'t str,
}

/// Returns the tags of a text from left to right. A tag extends to the next closing mark with its
/// name. Marks within a tag or within a turn are plain text. Cost: linear in the text for each
/// name, plus the search for turns.
pub fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut names = TAGS.map(|name| {
        let next = |mark: String| Next { mark, found: None };
        (name, next(format!("<{name}>")), next(format!("</{name}>")))
    });
    let data = Data(turns(text).map(|turn| turn.range).collect());
    let mut from = 0;
    std::iter::from_fn(move || {
        let (at, inside, end, behind, name) = names
            .iter_mut()
            .filter_map(|(name, open, close)| {
                let at = open.find(text, from, &data)?;
                let inside = at + open.mark.len();
                let end = close.find(text, inside, &data)?;
                Some((at, inside, end, end + close.mark.len(), *name))
            })
            .min_by_key(|(at, ..)| *at)?;
        from = behind;
        Some(Tag { name, content: text[inside..end].trim(), raw: &text[at..behind] })
    })
}

/// The byte ranges of the turns in a text, from left to right.
struct Data(Vec<Range<usize>>);

impl Data {
    /// Returns the end of the turn that contains the byte offset `at`. `None` if no turn contains
    /// it.
    fn end_around(&self, at: usize) -> Option<usize> {
        let turn = self.0.get(self.0.partition_point(|turn| turn.end <= at))?;
        turn.contains(&at).then_some(turn.end)
    }
}

/// A cached search for the next occurrence of a mark (`<name>` or `</name>`). Offsets of queries
/// never decrease. So a result stays valid until a query passes it, and a failed search stays
/// failed.
struct Next {
    mark: String,
    /// The result of the last search. `None` if there was no search; `Some(None)` if the mark was
    /// not found.
    found: Option<Option<usize>>,
}

impl Next {
    fn find(&mut self, text: &str, from: usize, data: &Data) -> Option<usize> {
        match self.found {
            Some(found) if found.is_none_or(|at| at >= from) => found,
            _ => *self.found.insert(self.look(text, from, data)),
        }
    }

    /// Returns the offset of the next occurrence at or after `from` that is not within a turn.
    /// `None` if there is none.
    fn look(&self, text: &str, mut from: usize, data: &Data) -> Option<usize> {
        loop {
            let at = from + memmem::find(&text.as_bytes()[from..], self.mark.as_bytes())?;
            match data.end_around(at) {
                Some(end) => from = end,
                None => return Some(at),
            }
        }
    }
}
