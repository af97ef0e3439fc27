//! The rules made for sets of many texts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::rules::Rules;
use super::source::Source;
use crate::ir::Texts;
use crate::network::error::NetworkErrorKind;
use crate::network::packed_string_set::{self, PackedStringSets, Refused};

/// The rules made for sets of texts. A rule has only those texts of its set whose bytes are all
/// tokens by themselves.
pub(super) struct TextRules<'a> {
    /// The inputs of the construction.
    source: &'a Source<'a>,
    /// Maps each set of texts to the number of its rule.
    rules_of: FxHashMap<Arc<Texts>, usize>,
    /// The packed string sets (texts as a packed automaton) of the grammar.
    packed: &'a mut PackedStringSets,
}

/// How a set of texts is represented.
pub(super) enum TextRule {
    /// The set has too few texts for a rule, so its texts become states of the calling rule.
    Inline,
    /// The set has a rule, with this number.
    Of(usize),
}

impl<'a> TextRules<'a> {
    /// Returns a collection without rules.
    pub(super) fn new(source: &'a Source<'a>, packed: &'a mut PackedStringSets) -> Self {
        Self { source, rules_of: FxHashMap::default(), packed }
    }

    /// Returns the texts of a set that belong to its rule: those whose bytes are all tokens by
    /// themselves.
    pub(super) fn within<'t>(&self, texts: &'t Texts) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let letters = self.source.lexicon.single_bytes();
        texts.iter().filter(move |text| packed_string_set::is_of(text, letters))
    }

    /// Returns the texts of a set that do not belong to its rule: those with a byte that is no
    /// token by itself.
    pub(super) fn others<'t>(&self, texts: &'t Texts) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let letters = self.source.lexicon.single_bytes();
        texts.iter().filter(move |text| !packed_string_set::is_of(text, letters))
    }

    /// Returns how a set of texts is represented, the same for all its occurrences. Packs the set
    /// if it can be packed.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if the packed set is too large or the budget is spent.
    pub(super) fn rule(
        &mut self,
        rules: &mut Rules<'_>,
        texts: &Arc<Texts>,
    ) -> Result<TextRule, NetworkErrorKind> {
        if let Some(&rule) = self.rules_of.get(texts) {
            return Ok(TextRule::Of(rule));
        }
        let least = self.source.wanted.limits.packed_texts.max(1);
        if !self.source.is_grammar() || self.within(texts).count() < least {
            return Ok(TextRule::Inline);
        }
        let Source { lexicon, context, .. } = self.source;
        let packed = self.packed.of(texts, lexicon.single_bytes(), lexicon.trie(), context.budget);
        let packed = packed.map_err(|refused| match refused {
            Refused::Spent => self.source.too_large(),
            Refused::TooLong => {
                let limit = i32::MAX as usize;
                NetworkErrorKind::Limit { what: "bytes of a packed string set", limit }
            }
        })?;
        let rule = rules.add_packed(packed)?;
        self.rules_of.insert(texts.clone(), rule);
        Ok(TextRule::Of(rule))
    }
}
