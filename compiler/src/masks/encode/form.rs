//! The form of a token set: words that depend on the set and the vocabulary's rows alone.
//!
//! Sets are found in many ways, by a walk or as a difference to another set, and by several threads. Each is brought
//! into its form, and equal sets have equal forms. A mask is made of the form (see [`pool`](super::pool)), so an
//! artifact does not show how a set was found.
//!
//! The form of a set is the first of these that applies:
//!
//! - A list, if the set is so small that it is listed in any case.
//! - The difference to the nearest of the vocabulary's rows, if that is worth storing. Of equally near rows, the one
//!   with the
//!   nearer number of tokens is taken, and then the first.
//! - A list, if the list takes less than half a row.
//! - The set's row of bits.
//!
//! In words: the row's number, [`NONE`] for a list, or [`BITS`] for a row of bits; the length of the minus list; the
//! minus list and the plus list, or the bits.

use grammarc_artifacts::sections::network::NONE;

/// In place of a row's number where the bits follow.
pub(crate) const BITS: u32 = NONE - 1;

/// A form, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form<'w> {
    /// The tokens, ascending.
    List(&'w [u32]),
    /// A row of the vocabulary's, and how the set differs from it.
    Near { row: u32, minus: &'w [u32], plus: &'w [u32] },
    /// The words of a row of bits.
    Bits(&'w [u32]),
}

impl<'w> Form<'w> {
    /// The form in some words.
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

    /// Puts a list or a row of bits into words.
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
