//! The metadata of a grammar as the archive stores it: JSON pointers and names in delta encoding.
//!
//! The length of a JSON pointer grows with its depth, and a schema has a report entry for each keyword. So the pointers
//! of `n` nested objects take O(n²) bytes, most of an artifact. In source order, a pointer shares most of its text with
//! the pointer before it. The *steps* of a text are its parts up to and including each `/`. A text is stored as the
//! number of steps that it shares with the text before it, and the rest.
//!
//! A stored byte may expand to many bytes. So the total length of the decoded texts is bounded ([`MOST_TEXT`]).
//!
//! Cost: O(stored bytes) to check, O(decoded bytes) to read.

use std::borrow::Cow;

use rkyv::with::AsOwned;
use rkyv::{Archive, Serialize};

use super::faults::{invalid, owned};
use super::records::{GrammarMeta, WorkBound};
use super::report::{Report, Verdict};
use crate::error::Error;

/// Largest total length in bytes of the decoded texts of one list. A longer list is an error, so that a small hostile
/// file takes little memory.
pub(super) const MOST_TEXT: usize = 1 << 28;

/// One text in delta encoding. A step of a text is a part up to and including a `/`.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize)]
pub(crate) struct Coded<'m> {
    /// Number of leading steps that the text shares with the text before it in the list.
    shared: u32,
    /// Text after the steps that are shared with the text before it.
    #[rkyv(with = AsOwned)]
    rest: Cow<'m, str>,
}

/// A [`ReportEntry`](super::ReportEntry) as the archive stores it.
#[derive(Archive, Serialize)]
pub(crate) struct StoredEntry<'m> {
    pointer: Coded<'m>,
    #[rkyv(with = AsOwned)]
    keyword: Cow<'m, str>,
    verdict: Verdict,
    #[rkyv(with = AsOwned)]
    reason: Cow<'m, str>,
}

/// A [`GrammarMeta`] as the archive stores it. The regions have a section of their own.
#[derive(Archive, Serialize)]
pub(crate) struct StoredGrammar<'m> {
    source_name: String,
    source_kind: String,
    source_hash: [u8; 32],
    compiler: String,
    pub(crate) vocabulary_name: String,
    options: Vec<(String, String)>,
    report: Vec<StoredEntry<'m>>,
    statistics: Vec<(String, u64)>,
    work: WorkBound,
    pub(crate) rule_names: Vec<Coded<'m>>,
}

impl<'m> StoredGrammar<'m> {
    /// Encodes the metadata of a grammar. Returns an error if the texts of a list exceed [`MOST_TEXT`] bytes.
    pub(super) fn new(meta: &'m GrammarMeta) -> Result<Self, Error> {
        let entries = meta.report.entries();
        let mut report = Vec::with_capacity(entries.len());
        let mut last = Before::default();
        for entry in entries {
            let pointer = last.encode(entry.pointer)?;
            let [keyword, reason] = [entry.keyword, entry.reason].map(Cow::from);
            report.push(StoredEntry { pointer, keyword, verdict: entry.verdict, reason });
        }
        let rule_names = encoded(meta.rule_names.iter().map(String::as_str))?;
        Ok(Self {
            source_name: meta.source_name.clone(),
            source_kind: meta.source_kind.clone(),
            source_hash: meta.source_hash,
            compiler: meta.compiler.clone(),
            vocabulary_name: meta.vocabulary_name.clone(),
            options: meta.options.clone(),
            report,
            statistics: meta.statistics.clone(),
            work: meta.work.clone(),
            rule_names,
        })
    }
}

impl ArchivedStoredGrammar<'_> {
    /// Returns the number of entries of the report.
    pub(crate) fn report_entries(&self) -> usize {
        self.report.len()
    }

    /// Decodes the metadata of a grammar, without its regions. Returns an error if a delta is invalid or the texts of a
    /// list exceed [`MOST_TEXT`] bytes.
    pub(super) fn read(&self) -> Result<GrammarMeta, Error> {
        let mut report = Report::with_capacity(self.report.len());
        let mut last = Last::default();
        for entry in self.report.iter() {
            let pointer = last.decode(entry.pointer.shared.into(), &entry.pointer.rest)?;
            let reason = String::from(&*entry.reason).into();
            report.add(
                |text| text.push_str(pointer),
                &entry.keyword,
                owned(&entry.verdict)?,
                reason,
            );
        }
        let mut last = Last::default();
        let names = self.rule_names.iter();
        let rule_names =
            names.map(|name| last.decode(name.shared.into(), &name.rest).map(str::to_owned));
        let rule_names: Result<_, Error> = rule_names.collect();
        Ok(GrammarMeta {
            source_name: owned(&self.source_name)?,
            source_kind: owned(&self.source_kind)?,
            source_hash: self.source_hash,
            compiler: owned(&self.compiler)?,
            vocabulary_name: owned(&self.vocabulary_name)?,
            options: owned(&self.options)?,
            report,
            statistics: owned(&self.statistics)?,
            work: owned(&self.work)?,
            rule_names: rule_names?,
            regions: Vec::new(),
        })
    }

    /// Checks the deltas: no text shares more steps than the text before it has. Returns an error otherwise, or if the
    /// texts of a list exceed [`MOST_TEXT`] bytes.
    pub(super) fn check(&self) -> Result<(), Error> {
        check(self.report.iter().map(|entry| &entry.pointer))?;
        check(self.rule_names.iter())
    }
}

fn check<'a, 'm: 'a>(mut texts: impl Iterator<Item = &'a ArchivedCoded<'m>>) -> Result<(), Error> {
    let mut last = Last::default();
    texts.try_for_each(|text| last.decode(text.shared.into(), &text.rest).map(|_| ()))
}

/// Encodes a list of texts. Returns an error if they exceed [`MOST_TEXT`] bytes.
fn encoded<'m>(texts: impl ExactSizeIterator<Item = &'m str>) -> Result<Vec<Coded<'m>>, Error> {
    let mut last = Before::default();
    texts.map(|text| last.encode(text)).collect()
}

/// A decoder of texts. It holds the text that was decoded last.
#[derive(Default)]
struct Last {
    text: String,
    /// For each step of the text, its exclusive end in bytes.
    ends: Vec<usize>,
    /// Total length in bytes of all texts so far.
    total: usize,
}

impl Last {
    /// Decodes the next text: the first `shared` steps of the last text, and `rest`. Returns an error if the last text
    /// has fewer steps, or if the total exceeds [`MOST_TEXT`] bytes.
    fn decode(&mut self, shared: u32, rest: &str) -> Result<&str, Error> {
        let shared = shared as usize;
        let kept = match shared.checked_sub(1) {
            None => Some(0),
            Some(last) => self.ends.get(last).copied(),
        };
        let Some(kept) = kept else {
            return Err(invalid("a text shares more steps with the one before than that has"));
        };
        self.ends.truncate(shared);
        self.text.truncate(kept);
        self.ends.extend(steps_of(rest).map(|end| kept + end));
        self.text.push_str(rest);
        self.total += self.text.len();
        if self.total > MOST_TEXT {
            return Err(invalid("the pointers or names are longer than any source's"));
        }
        Ok(&self.text)
    }
}

/// An encoder of texts. It holds the text that was encoded last.
#[derive(Default)]
struct Before<'m> {
    text: &'m str,
    /// For each step of the text, its exclusive end in bytes.
    ends: Vec<usize>,
    /// Total length in bytes of all texts so far.
    total: usize,
}

impl<'m> Before<'m> {
    /// Encodes the next text. Returns an error if the total length exceeds [`MOST_TEXT`] bytes.
    fn encode(&mut self, text: &'m str) -> Result<Coded<'m>, Error> {
        let same = count_same(self.text.as_bytes(), text.as_bytes());
        let shared = self.ends.partition_point(|&end| end <= same);
        self.ends.truncate(shared);
        let from = self.ends.last().copied().unwrap_or(0);
        self.ends.extend(steps_of(&text[from..]).map(|end| from + end));
        self.text = text;
        self.total += text.len();
        match self.total > MOST_TEXT {
            true => Err(Error::MetaEncode { detail: "they are too long".to_owned() }),
            false => Ok(Coded { shared: shared as u32, rest: text[from..].into() }),
        }
    }
}

/// Returns the exclusive end in bytes of each step of a text: the offset after each `/`.
fn steps_of(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices('/').map(|(at, _)| at + 1)
}

/// Returns the length in bytes of the common prefix of two texts.
fn count_same(one: &[u8], other: &[u8]) -> usize {
    let [blocks, others] = [one, other].map(|bytes| bytes.as_chunks::<16>().0);
    let same = 16 * blocks.iter().zip(others).take_while(|(a, b)| a == b).count();
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_are_read_as_they_were_written(texts in prop::collection::vec("(/?[aé]{0,2}){0,9}/?", 0..12)) {
            let (mut before, mut last) = (Before::default(), Last::default());
            for text in &texts {
                let coded = before.encode(text).unwrap();
                prop_assert!(coded.shared == 0 || coded.rest.len() < text.len());
                prop_assert_eq!(last.decode(coded.shared, &coded.rest).unwrap(), text);
            }
        }

        #[test]
        fn no_text_goes_on_from_steps_that_there_are_not(
            coded in prop::collection::vec((0u32..4, "[/aé]{0,4}"), 0..8)
        ) {
            let (mut last, mut before) = (Last::default(), String::new());
            for (shared, rest) in coded {
                let steps: Vec<&str> = before.split_inclusive('/').filter(|step| step.ends_with('/')).collect();
                let expected = steps.get(..shared as usize).map(|steps| steps.concat() + &rest);
                match last.decode(shared, &rest) {
                    Ok(text) => prop_assert_eq!(Some(text), expected.as_deref()),
                    Err(_) => {
                        prop_assert_eq!(expected, None);
                        break;
                    }
                }
                before = last.text.clone();
            }
        }
    }

    #[test]
    fn texts_that_decode_to_too_much_are_refused() {
        let mut last = Last::default();
        last.decode(0, &("x".repeat(MOST_TEXT / 4) + "/")).unwrap();
        let more = (0..4).map(|_| last.decode(1, "").map(str::len));
        assert!(more.collect::<Result<Vec<_>, _>>().is_err());
    }
}
