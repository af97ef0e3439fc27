//! Tokens that a host lists, from whatever tokenizer it has in memory.

use crate::draft::{Draft, MAX_ID, Role, Slot};
use crate::error::VocabularyError;
use crate::findings::readable;
use crate::options::VocabularyOptions;

use super::companions::Companions;

/// The entry of a token in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Listed {
    /// Text: the bytes are what the token adds to the output.
    Text,
    /// An added token that its tokenizer does not flag special: text, unless its name is that of a control marker
    /// (`<think>`, `[INST]`).
    Added,
    /// A control token: the bytes are its name, and it is never matched as text.
    Special,
    /// A row that no mask may allow.
    Unused,
}

/// Takes a list of tokens, the first with id 0. One without bytes is a hole.
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
