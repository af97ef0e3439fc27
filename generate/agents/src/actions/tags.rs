//! The tags that agents wrote before they wrote JSON: `<search>…</search>` and others.
//!
//! The contents of a whole turn in JSON are data, even if the turn is refused: a search for the text
//! `<search>x</search>` is one search. So marks within a turn are not tags. Elsewhere they are, including within and
//! after broken or incomplete JSON.

use std::ops::Range;

use memchr::memmem;

use super::extract::turns;

/// The names of the tags.
pub const TAGS: [&str; 5] = ["answer", "search", "think", "bbox", "tools_call"];

/// A tag and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'t> {
    /// Its name.
    pub name: &'static str,
    /// The text up to its end, without white space at either side.
    pub content: &'t str,
    /// The whole tag as it was written, with its marks.
    pub raw: &'t str,
}

/// Returns the tags of a text from left to right. A tag extends to the next end of its name; marks within a tag or a
/// turn are text. Linear in the text for each name, plus the cost of its objects.
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

/// The ranges of turns in a text, from left to right.
struct Data(Vec<Range<usize>>);

impl Data {
    /// Returns the end of the turn that contains a place.
    fn end_around(&self, at: usize) -> Option<usize> {
        let turn = self.0.get(self.0.partition_point(|turn| turn.end <= at))?;
        turn.contains(&at).then_some(turn.end)
    }
}

/// The next occurrence of a mark, cached. The places of queries never decrease, so a result stays valid until a query
/// passes it; a failed search stays valid for good.
struct Next {
    mark: String,
    /// The result of the last search, if there was one.
    found: Option<Option<usize>>,
}

impl Next {
    fn find(&mut self, text: &str, from: usize, data: &Data) -> Option<usize> {
        match self.found {
            Some(found) if found.is_none_or(|at| at >= from) => found,
            _ => *self.found.insert(self.look(text, from, data)),
        }
    }

    /// Returns the next occurrence from `from` on that is in no turn.
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
