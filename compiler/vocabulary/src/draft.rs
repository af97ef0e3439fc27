//! A draft: what an importer found for each id, before `resolve_tokens` turns it into a token table.
//!
//! A draft records what a source says. It decides only which token an id has if the source gives two: an added token
//! replaces a learned one, as in every host. Otherwise the first one stays.

use grammarc_grammar::diagnostics::Diagnostic;

use super::error::VocabularyError;
use super::findings::readable;
use super::options::EndToken;

/// Greatest accepted token id: 16 times the largest vocabulary in use. A larger id is an error, so that a damaged file
/// cannot take gigabytes of memory.
pub(super) const MAX_ID: u32 = (1 << 22) - 1;

/// What a source says about an id. Later roles are stronger claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// The source says nothing about the id.
    #[default]
    Hole,
    /// The id belongs to a row that no text ever becomes.
    Unused,
    /// The id belongs to a token of the model's own vocabulary.
    Learned,
    /// The id belongs to an added token that is not flagged special, or to a learned one with the name of a control
    /// piece.
    Added,
    /// The id belongs to a control token: flagged special, or named as the unknown, begin, end or padding token.
    Control,
}

/// What the source says about one id: its bytes and its role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) bytes: Vec<u8>,
    pub(super) role: Role,
}

/// The vocabulary as an importer read it, before its tokens are resolved.
#[derive(Debug)]
pub(super) struct Draft {
    /// The name of the vocabulary.
    pub(super) name: String,
    /// For each id, its bytes and its role by the source.
    pub(super) slots: Vec<Slot>,
    /// The end tokens that the source names, each with the file that names it.
    pub(super) end_tokens: Vec<(EndToken, String)>,
    /// The logit width that the source names, with the file that names it. `None` if it names none.
    pub(super) logit_width: Option<(u32, String)>,
    /// What the importer noticed: notes and warnings.
    pub(super) findings: Vec<Diagnostic>,
}

impl Draft {
    /// Returns a draft without any ids.
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            slots: Vec::new(),
            end_tokens: Vec::new(),
            logit_width: None,
            findings: Vec::new(),
        }
    }

    /// Gives an id its bytes and role. If the id already has other bytes, an added token replaces a learned one and
    /// otherwise the first stays, with a warning. An id above [`MAX_ID`] is an error.
    pub(super) fn claim(
        &mut self,
        id: u32,
        bytes: Vec<u8>,
        role: Role,
    ) -> Result<(), VocabularyError> {
        if id > MAX_ID {
            return Err(VocabularyError::IdTooLarge { token: readable(&bytes), id, limit: MAX_ID });
        }
        let at = id as usize;
        if at >= self.slots.len() {
            self.slots.resize_with(at + 1, Slot::default);
        }
        let slot = &mut self.slots[at];
        if slot.role == Role::Hole {
            *slot = Slot { bytes, role };
            return Ok(());
        }
        let added_to_learned = role >= Role::Added && slot.role < Role::Added;
        if slot.bytes == bytes {
            slot.role = slot.role.max(role);
            return Ok(());
        }
        let (kept, dropped) = if added_to_learned {
            let old = std::mem::replace(slot, Slot { bytes, role });
            (&slot.bytes, old.bytes)
        } else {
            (&slot.bytes, bytes)
        };
        self.findings.push(Diagnostic::warning(
            "vocabulary::id-twice",
            format!(
                "id {id} is claimed twice: it is {}, and {} has no id",
                readable(kept),
                readable(&dropped)
            ),
        ));
        Ok(())
    }

    /// Gives an id a stronger role. Does nothing if the id has no token or its role is as strong.
    pub(super) fn raise(&mut self, id: u32, role: Role) {
        if let Some(slot) = self.slots.get_mut(id as usize)
            && slot.role != Role::Hole
        {
            slot.role = slot.role.max(role);
        }
    }

    /// Returns the id of the token with exactly these bytes. Among several, the strongest role decides, and then the
    /// lowest id. `None` if there is no such token. Cost: O(number of ids).
    pub(super) fn find(&self, bytes: &[u8]) -> Option<u32> {
        (0..)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.role != Role::Hole && slot.bytes == bytes)
            .max_by_key(|&(id, slot)| (slot.role, std::cmp::Reverse(id)))
            .map(|(id, _)| id)
    }
}
