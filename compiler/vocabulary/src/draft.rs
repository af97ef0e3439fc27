//! The result of an importer: a claim for each id, and hints about the rest. `resolve_tokens` turns it into a token table.
//!
//! A draft records what a source says and decides nothing but who owns an id that is claimed twice: an added token
//! wins over a learned one, as in every host, and of two equals the first wins.

use grammarc_grammar::diagnostics::Diagnostic;

use super::error::VocabularyError;
use super::findings::readable;
use super::options::EndToken;

/// The largest token id accepted: 16 times the largest vocabulary in use, so that a damaged id cannot take gigabytes.
pub(super) const MAX_ID: u32 = (1 << 22) - 1;

/// The role of an id by a source, weakest claim first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Nothing.
    #[default]
    Hole,
    /// A row that no text ever becomes.
    Unused,
    /// A token of the model's own vocabulary.
    Learned,
    /// An added token that is not flagged special, or a learned one with the name of a control piece.
    Added,
    /// A control token: flagged special, or named as the unknown, begin, end or padding token.
    Control,
}

/// The claim for one id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) bytes: Vec<u8>,
    pub(super) role: Role,
}

/// The result of an importer.
#[derive(Debug)]
pub(super) struct Draft {
    /// The source's name.
    pub(super) name: String,
    /// Claims by id.
    pub(super) slots: Vec<Slot>,
    /// End tokens that the source names, each with the file that names it.
    pub(super) end_tokens: Vec<(EndToken, String)>,
    /// Logit width that the source names, with the file that names it.
    pub(super) logit_width: Option<(u32, String)>,
    /// The importer's findings.
    pub(super) findings: Vec<Diagnostic>,
}

impl Draft {
    /// An empty draft.
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            slots: Vec::new(),
            end_tokens: Vec::new(),
            logit_width: None,
            findings: Vec::new(),
        }
    }

    /// Claims an id.
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

    /// Raises the claim of an id that exists; does nothing for a hole.
    pub(super) fn raise(&mut self, id: u32, role: Role) {
        if let Some(slot) = self.slots.get_mut(id as usize)
            && slot.role != Role::Hole
        {
            slot.role = slot.role.max(role);
        }
    }

    /// The id of the token with exactly these bytes: the one with the strongest claim, and of equals the lowest id.
    /// O(ids).
    pub(super) fn find(&self, bytes: &[u8]) -> Option<u32> {
        (0..)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.role != Role::Hole && slot.bytes == bytes)
            .max_by_key(|&(id, slot)| (slot.role, std::cmp::Reverse(id)))
            .map(|(id, _)| id)
    }
}
