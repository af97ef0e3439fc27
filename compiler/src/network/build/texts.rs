//! The rules of sets of many texts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::rules::Rules;
use super::source::Source;
use crate::ir::Texts;
use crate::network::error::NetworkErrorKind;
use crate::network::packed_string_set::{self, PackedStringSets, Refused};

/// The rules of sets of texts. Only texts whose bytes are all tokens by themselves are in them.
pub(super) struct TextRules<'a> {
    source: &'a Source<'a>,
    rules_of: FxHashMap<Arc<Texts>, usize>,
    packed: &'a mut PackedStringSets,
}

/// The rule of a set of texts.
pub(super) enum TextRule {
    /// The set is too small for a rule.
    Inline,
    /// The number of the rule.
    Of(usize),
    /// The rule is to be built from states.
    Unrolled,
}

impl<'a> TextRules<'a> {
    pub(super) fn new(source: &'a Source<'a>, packed: &'a mut PackedStringSets) -> Self {
        Self { source, rules_of: FxHashMap::default(), packed }
    }

    /// Returns the texts of a set that its rule has.
    pub(super) fn within<'t>(&self, texts: &'t Texts) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let letters = self.source.lexicon.single_bytes();
        texts.iter().filter(move |text| packed_string_set::is_of(text, letters))
    }

    /// Returns the texts of a set that its rule does not have.
    pub(super) fn others<'t>(&self, texts: &'t Texts) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let letters = self.source.lexicon.single_bytes();
        texts.iter().filter(move |text| !packed_string_set::is_of(text, letters))
    }

    /// Returns the rule of a set of texts, for all places that have the set. Packs the set if it can be packed.
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
        if !self.source.may_pack {
            return Ok(TextRule::Unrolled);
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

    /// Notes the rule of a set of texts.
    pub(super) fn note(&mut self, texts: &Arc<Texts>, rule: usize) {
        self.rules_of.insert(texts.clone(), rule);
    }
}
