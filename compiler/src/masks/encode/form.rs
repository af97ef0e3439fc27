//! The form of a token set: words that depend only on the set and on the vocabulary's bit rows.
//!
//! Sets are found in many ways, by a walk or as a difference to another set, and by several threads. Each set is
//! brought into its form, and equal sets have equal forms. A mask is made of the form (see [`pool`](super::pool)), so
//! an artifact does not show how a set was found.
//!
//! The form of a set is the first of these that applies:
//!
//! - A list, if the set has at most as many tokens as are [always listed](super::lengths::Lengths::always_listed).
//! - The difference to the nearest of the vocabulary's rows, if that is worth storing. Of equally near rows, the form
//!   takes the one with the nearer number of tokens, and then the first.
//! - A list, if the list takes less than half a row.
//! - The set's own bit row.
//!
//! The words are a head, a length, and lists or bits. The head is the row's id, [`NONE`] for a list, or [`BITS`] for a
//! bit row. The length is that of the minus list. The minus list and the plus list, or the bits, follow.

use grammarc_artifacts::sections::network::NONE;

/// The first word of a form (an encoded token set) that is a bit row (one bit per token). Takes the place of the id of
/// a vocabulary row.
pub(crate) const BITS: u32 = NONE - 1;

/// The form of a token set, parsed from its 32-bit words. It is a list, a bit row (one bit per token), or a difference
/// from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form<'w> {
    /// A list of the token ids of the set, ascending.
    List(&'w [u32]),
    /// The difference of the set from the vocabulary's bit row (one bit per token) with the id `row`. `minus` has the
    /// ids of tokens only in the row, and `plus` those only in the set, both ascending.
    Near { row: u32, minus: &'w [u32], plus: &'w [u32] },
    /// The set's own bit row: bit `id % 32` of word `id / 32` for each token id.
    Bits(&'w [u32]),
}

impl<'w> Form<'w> {
    /// Parses the 32-bit words of a form (an encoded token set). Panics on fewer than two words.
    pub(crate) fn of(words: &'w [u32]) -> Self {
        let (head, rest) = words.split_at(2);
        match head[0] {
            NONE => Self::List(rest),
            BITS => Self::Bits(rest),
            row => {
                let (minus, plus) = rest.split_at(head[1] as usize);
                Self::Near { row, minus, plus }
            }
        }
    }

    /// Replaces `words` by the 32-bit words of this form (an encoded token set).
    pub(crate) fn write(self, words: &mut Vec<u32>) {
        words.clear();
        match self {
            Self::List(ids) => {
                words.extend([NONE, 0]);
                words.extend_from_slice(ids);
            }
            Self::Near { row, minus, plus } => {
                words.extend([row, minus.len() as u32]);
                words.extend_from_slice(minus);
                words.extend_from_slice(plus);
            }
            Self::Bits(bits) => {
                words.extend([BITS, 0]);
                words.extend_from_slice(bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_as_they_were_written() {
        let mut words = Vec::new();
        let near = Form::Near { row: 7, minus: &[1, 2], plus: &[3] };
        for form in [Form::List(&[]), Form::List(&[4, 9]), near, Form::Bits(&[0, 5, 1])] {
            form.write(&mut words);
            assert_eq!(Form::of(&words), form);
        }
    }
}
