//! A case: a grammar, a vocabulary, and the way from there to a matcher.

use std::fmt;

use grammarc_artifacts::{GrammarArtifact, TokenKind, VocabularyArtifact};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileError, CompileOptions, Compiler, build_vocabulary};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::diagnostics::report::Report;
use grammarc_compiler::ir::{
    Expr, Grammar, Literals, Lowered, Origin, Region, RegionKind, Rule, RuleId, RuleKind,
};
use grammarc_compiler::vocabulary::{TokenEntry, TokenTable};

use crate::oracle::{Oracle, Token};

/// A grammar and a vocabulary.
#[derive(Clone, Debug)]
pub struct Case {
    /// The tokens by id.
    pub tokens: Vec<Token>,
    /// Ids that end a sequence.
    pub end_tokens: Vec<u32>,
    /// Right-hand sides of the rules; the last is the start rule.
    pub rules: Vec<Expr>,
    /// How many of the first rules are kept. They call none of the others.
    pub kept: usize,
    /// Whether the vocabulary artifact holds the kept rules.
    pub shared: bool,
    /// The rules that are regions, where they are not kept.
    pub regions: Vec<usize>,
}

impl Case {
    /// The grammar.
    pub fn grammar(&self) -> Grammar {
        self.first_rules(self.rules.len())
    }

    fn first_rules(&self, count: usize) -> Grammar {
        let rules = self.rules[..count].iter().enumerate().map(|(index, expr)| Rule {
            name: format!("r{index}"),
            expr: expr.clone(),
            origin: Origin::default(),
            kind: match index {
                _ if index < self.kept => RuleKind::Kept,
                _ if self.regions.contains(&index) => RuleKind::Region(index as u32 % 3),
                _ => RuleKind::Plain,
            },
        });
        Grammar {
            rules: rules.collect(),
            start: RuleId::new(count.saturating_sub(1)),
            regions: vec![Region::plain(RegionKind::Json); 3],
            places: None,
        }
    }

    /// The case's oracle.
    pub fn oracle(&self) -> Oracle {
        Oracle::new(&self.grammar(), &self.tokens, &self.end_tokens)
    }

    /// The vocabulary artifact.
    ///
    /// # Errors
    ///
    /// If the shared rules do not compile or the artifact is refused.
    pub fn vocabulary(&self) -> Result<VocabularyArtifact, CompileError> {
        let shared = self.first_rules(if self.shared { self.kept } else { 0 });
        let table = token_table(&self.tokens, &self.end_tokens);
        let data = build_vocabulary(&table, "test", &shared, None)?;
        Ok(VocabularyArtifact::from_buffer(data.to_bytes()?)?)
    }

    /// The compiled grammar, by way of the artifact's bytes.
    ///
    /// # Errors
    ///
    /// If the grammar does not compile or an artifact is refused.
    pub fn compile(&self) -> Result<grammarc_runtime::Grammar, CompileError> {
        self.compile_with(&CompileOptions::default())
    }

    /// The same with these options.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn compile_with(
        &self,
        options: &CompileOptions,
    ) -> Result<grammarc_runtime::Grammar, CompileError> {
        compile_with(self.vocabulary()?, self.grammar(), options)
    }
}

/// A token table for these tokens.
pub fn token_table(tokens: &[Token], end_tokens: &[u32]) -> TokenTable {
    let entry = |token: &Token| match token {
        Token::Text(bytes) => TokenEntry { bytes: bytes.clone(), kind: TokenKind::Text },
        Token::Special(name) => TokenEntry { bytes: name.clone(), kind: TokenKind::Special },
        Token::Unused => TokenEntry { bytes: Vec::new(), kind: TokenKind::Unused },
    };
    TokenTable {
        name: "test".to_owned(),
        tokens: tokens.iter().map(entry).collect(),
        end_tokens: end_tokens.to_vec(),
        logit_width: tokens.len() as u32 + 3,
        findings: Vec::new(),
    }
}

/// The result that a front end would have returned for the grammar.
pub fn lowered(grammar: Grammar) -> Lowered {
    Lowered {
        source: Source::new("test", ""),
        grammar,
        report: Report::default(),
        findings: Vec::new(),
        literals: Literals::default(),
    }
}

/// Compiles a grammar, writes its artifact, and opens that.
///
/// # Errors
///
/// If the grammar does not compile or the artifact is refused.
pub fn compile(
    vocabulary: VocabularyArtifact,
    grammar: Grammar,
) -> Result<grammarc_runtime::Grammar, CompileError> {
    compile_with(vocabulary, grammar, &CompileOptions::default())
}

fn compile_with(
    vocabulary: VocabularyArtifact,
    grammar: Grammar,
    options: &CompileOptions,
) -> Result<grammarc_runtime::Grammar, CompileError> {
    let compiler = Compiler::new(vocabulary);
    let compiled = compiler.compile(&lowered(grammar), "test", options, &Budget::new())?;
    let buffer = compiled.to_buffer(&compiler)?;
    let artifact = GrammarArtifact::from_buffer(buffer, compiler.vocabulary())?;
    Ok(grammarc_runtime::Grammar::from(artifact))
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, token) in self.tokens.iter().enumerate() {
            match token {
                Token::Text(bytes) => write!(f, "{id}={} ", bytes.escape_ascii())?,
                Token::Special(name) => write!(f, "{id}=<{}> ", name.escape_ascii())?,
                Token::Unused => {}
            }
        }
        let Self { end_tokens, kept, shared, regions, .. } = self;
        writeln!(f, "ends {end_tokens:?}, {kept} kept, shared {shared}, regions {regions:?}")?;
        write!(f, "{}", self.grammar())
    }
}
