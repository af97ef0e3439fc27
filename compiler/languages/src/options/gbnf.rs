//! Reads and records the options of GBNF and EBNF by name.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions, Recorded};
use super::language::Language;
use super::named_sources::{self, SourceSettings};
use crate::deny::Deny;
use crate::gbnf::{self, GbnfOptions, Notation};
use crate::sources::{NamedSource, Sources};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

/// The options of GBNF and EBNF, as given by name.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GbnfSettings {
    start: Option<String>,
    sources: BTreeMap<String, SourceSettings>,
}

impl LanguageOptions for GbnfOptions {
    fn language(&self) -> Language {
        match self.notation {
            Notation::Gbnf => Language::Gbnf,
            Notation::Xgrammar => Language::Ebnf,
        }
    }

    fn set(&mut self, given: NamedOptions, _: &mut Vec<Deny>) -> Result<(), SettingsError> {
        let given: GbnfSettings = given.read()?;
        if let Some(start) = given.start {
            self.start = start;
        }
        self.sources = named_sources::sources(given.sources);
        Ok(())
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        gbnf::lower_with(source, self, within.reader, within.budget)
    }

    fn recorded(&self) -> Recorded {
        let mut recorded = vec![("start", self.start.clone())];
        recorded.extend(named_sources::recorded(&self.sources));
        recorded
    }

    fn depends_on_vocabulary(&self, text: &str) -> bool {
        may_have_tags(text, &self.sources)
    }

    fn sources(&mut self) -> Option<&mut Sources> {
        Some(&mut self.sources)
    }
}

/// Whether a GBNF text, or a source it may refer to, may contain a structural tag. May be true without one, but is
/// never false if there is one.
fn may_have_tags(text: &str, sources: &Sources) -> bool {
    let is_tag = |name: &str| Language::named(name) == Some(Language::StructuralTag);
    let stand_in = |text: &str| {
        text.match_indices('@').any(|(at, _)| {
            let rest = &text[at + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
            is_tag(&rest[..end.unwrap_or(rest.len())])
        })
    };
    stand_in(text)
        || sources.iter().any(|(_, NamedSource { language, options, source })| {
            // The options of a source may contain further sources.
            is_tag(language) || options.contains_key("sources") || stand_in(&source.text)
        })
}
