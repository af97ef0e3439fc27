//! All facts about an artifact, for people.

use std::io::{self, Write};

use super::facts;
use crate::cmd::facts::{ContentFacts, Facts, GrammarFacts, VocabularyFacts};
use crate::cmd::inspect::Inspected;
use crate::readable::{number, size};
use crate::render::Answer;

impl Answer for Inspected {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Facts { format, bytes, checksum, fingerprint, shared_digest, .. } = &self.facts;
        let kind = match &self.facts.content {
            ContentFacts::Grammar(_) => "grammar",
            ContentFacts::Vocabulary(_) => "vocabulary",
        };
        let path = self.path.display();
        writeln!(out, "{path}: {kind} artifact, format {format}, {}", size(*bytes))?;
        let checked = match self.validated {
            true => "header, checksum and every invariant",
            false => "header and checksum; give the vocabulary with --vocab to check the tables",
        };
        writeln!(out, "  checked     {checked}")?;
        match &self.facts.content {
            ContentFacts::Grammar(grammar) => origin_of_grammar(grammar, out)?,
            ContentFacts::Vocabulary(vocabulary) => origin_of_vocabulary(vocabulary, out)?,
        }
        facts::tables(&self.facts.tables, out)?;
        if let ContentFacts::Grammar(grammar) = &self.facts.content {
            facts::report(&grammar.report, self.whole_report, facts::PLACES, out)?;
            facts::bound(&grammar.bound, out)?;
        }
        writeln!(out, "  checksum    {checksum}")?;
        writeln!(out, "  fingerprint {fingerprint}")?;
        writeln!(out, "  shared      {shared_digest}")?;
        writeln!(out, "  sections{:>24}{:>16}", "records", "bytes")?;
        for section in &self.facts.sections {
            let (records, bytes) = (number(section.records), number(section.bytes));
            writeln!(out, "    {:16}{records:>12}{bytes:>16}", section.name)?;
        }
        Ok(())
    }
}

fn origin_of_grammar(grammar: &GrammarFacts, out: &mut dyn Write) -> io::Result<()> {
    let source = &grammar.source;
    writeln!(out, "  source      {}, {}, blake3 {}", source.name, source.kind, source.hash)?;
    writeln!(out, "  vocabulary  {}", grammar.vocabulary)?;
    writeln!(out, "  compiler    {}", grammar.compiler)?;
    let options: Vec<String> =
        grammar.options.0.iter().map(|(key, value)| format!("{key} {value}")).collect();
    if !options.is_empty() {
        writeln!(out, "  options     {}", options.join(", "))?;
    }
    Ok(())
}

fn origin_of_vocabulary(vocabulary: &VocabularyFacts, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  name        {}", vocabulary.name)?;
    writeln!(out, "  source      {}", vocabulary.source)?;
    writeln!(out, "  compiler    {}", vocabulary.compiler)?;
    for (key, value) in &vocabulary.properties.0 {
        writeln!(out, "    {key:24} {value:>12}")?;
    }
    for warning in &vocabulary.warnings {
        writeln!(out, "  warning     {warning}")?;
    }
    Ok(())
}
