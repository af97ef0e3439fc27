//! The options of languages that take no options by name.

use std::borrow::Cow;

use super::error::SettingsError;
use super::interface::{LanguageOptions, LowerContext, NamedOptions};
use super::language::Language;
use crate::canonical;
use crate::choice::{self, ChoiceOptions};
use crate::deny::Deny;
use crate::substring::{self, SubstringOptions};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;
#[cfg(feature = "regex")]
use grammarc_patterns::regex::{self, PatternOptions};

#[cfg(feature = "regex")]
impl LanguageOptions for PatternOptions {
    fn language(&self) -> Language {
        Language::Regex
    }

    fn set(&mut self, given: NamedOptions, _: &mut Vec<Deny>) -> Result<(), SettingsError> {
        given.none()
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        regex::lower(source, self, within.budget)
    }

    fn set_text_file(&mut self) {
        self.text_file = true;
    }

    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Borrowed(regex::pattern_of(text, self).as_bytes())
    }
}

impl LanguageOptions for ChoiceOptions {
    fn language(&self) -> Language {
        Language::Choice
    }

    fn set(&mut self, given: NamedOptions, _: &mut Vec<Deny>) -> Result<(), SettingsError> {
        given.none()
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        choice::lower(source, self, within.budget)
    }

    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Owned(canonical::spelling(text))
    }
}

impl LanguageOptions for SubstringOptions {
    fn language(&self) -> Language {
        Language::Substring
    }

    fn set(&mut self, given: NamedOptions, _: &mut Vec<Deny>) -> Result<(), SettingsError> {
        given.none()
    }

    fn lower(&self, source: Source, within: &LowerContext<'_>) -> Result<Lowered, Vec<Diagnostic>> {
        substring::lower(source, self, within.budget)
    }

    fn essence<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        Cow::Owned(canonical::spelling(text))
    }
}
