//! Makes a draft from tokens that a host lists, for tokenizers of any format in the host's memory.

use crate::draft::{Draft, MAX_ID, Role, Slot};
use crate::error::VocabularyError;
use crate::findings::readable;
use crate::options::VocabularyOptions;

use super::companions::Companions;

/// The kind of a token in a list that a host gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Listed {
    /// A text token: its bytes are what it adds to the output.
    Text,
    /// An added token that its tokenizer does not flag special. It is text, unless its name looks like a control marker
    /// (`<think>`, `[INST]`).
    Added,
    /// A control token: its bytes are its name, which is never matched as text.
    Special,
    /// An id whose token no mask may allow.
    Unused,
}

/// Reads a list of tokens, of which the first has id 0. An entry without bytes is an id without a token. Fails if there
/// are more tokens than ids may exist.
pub(crate) fn read<T: AsRef<[u8]>>(
    tokens: impl IntoIterator<Item = (T, Listed)>,
    options: &VocabularyOptions,
) -> Result<Draft, VocabularyError> {
    let mut draft = Draft::new("vocabulary".to_owned());
    for (bytes, listed) in tokens {
        let bytes = bytes.as_ref();
        let id = draft.slots.len() as u32;
        if id > MAX_ID {
            return Err(VocabularyError::IdTooLarge { token: readable(bytes), id, limit: MAX_ID });
        }
        let role = match listed {
            _ if bytes.is_empty() => Role::Hole,
            Listed::Text => Role::Learned,
            Listed::Added => Role::Added,
            Listed::Special => Role::Control,
            Listed::Unused => Role::Unused,
        };
        draft.slots.push(Slot { bytes: bytes.to_vec(), role });
    }
    Companions::given(options)?.read(&mut draft, |_| None)?;
    Ok(draft)
}
