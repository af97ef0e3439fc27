//! The declarations of a source, and the choice of the root.
//!
//! Types, interfaces and enumerations are declarations. Imported names and classes are recorded too, and their use is
//! an error. Other statements are ignored: a file may contain code beside its types.

use std::ops::Range;

use indexmap::IndexMap;
use oxc_ast::ast::{
    BindingIdentifier, Declaration as Statement, ExportDefaultDeclarationKind, Expression,
    ImportDeclarationSpecifier, Program, Statement as TopLevel, TSEnumDeclaration,
    TSInterfaceDeclaration, TSTypeAliasDeclaration,
};
use oxc_span::{GetSpan, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::suggest::nearest;

/// Converts a span of the parser to a range of bytes.
pub(super) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// What a name is declared as.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    Alias(&'a TSTypeAliasDeclaration<'a>),
    /// All interfaces of this name, which TypeScript merges.
    Interface(Vec<&'a TSInterfaceDeclaration<'a>>),
    Enum(&'a TSEnumDeclaration<'a>),
    Imported,
    Class,
}

/// A declared name, with what it is declared as.
#[derive(Debug)]
pub(super) struct Declaration<'a> {
    pub(super) kind: Kind<'a>,
    /// The place of the name, in bytes.
    pub(super) span: Range<usize>,
    /// The byte offset at which each statement of the declaration starts, after its comment.
    pub(super) starts: Vec<u32>,
    is_exported: bool,
}

/// All declared names, in source order.
#[derive(Debug, Default)]
pub(super) struct Declarations<'a> {
    pub(super) by_name: IndexMap<&'a str, Declaration<'a>, FxBuildHasher>,
    default: Option<&'a str>,
    /// Maps the byte offset of a syntax node to the place of the block comment before the node.
    comments: FxHashMap<u32, Range<usize>>,
}

impl<'a> Declarations<'a> {
    /// Reads the declarations of a program. Names that are declared twice are reported.
    pub(super) fn read(program: &'a Program<'a>, errors: &mut Vec<Diagnostic>) -> Self {
        let mut all = Self::default();
        for comment in &program.comments {
            if comment.is_block() && comment.is_leading() {
                all.comments.insert(comment.attached_to, range(comment.span));
            }
        }
        for statement in &program.body {
            all.statement(statement, errors);
        }
        all.exports(program);
        all
    }

    /// Returns the place of the block comment before the syntax node at byte offset `at`. `None` if there is none.
    pub(super) fn comment(&self, at: u32) -> Option<Range<usize>> {
        self.comments.get(&at).cloned()
    }

    fn statement(&mut self, statement: &'a TopLevel<'a>, errors: &mut Vec<Diagnostic>) {
        let start = statement.span().start;
        match statement {
            TopLevel::ExportNamedDeclaration(export) => {
                if let Some(declaration) = &export.declaration {
                    self.declaration(declaration, start, true, errors);
                }
            }
            TopLevel::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                    self.default = Some(interface.id.name.as_str());
                    self.interface(interface, start, true, errors);
                }
                other => {
                    if let Some(Expression::Identifier(name)) = other.as_expression() {
                        self.default = Some(name.name.as_str());
                    }
                }
            },
            TopLevel::ImportDeclaration(import) => {
                for specifier in import.specifiers.iter().flatten() {
                    let local = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(one) => &one.local,
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => &one.local,
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => &one.local,
                    };
                    self.add(local, start, Kind::Imported, false, errors);
                }
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(declaration, start, false, errors);
                }
            }
        }
    }

    fn declaration(
        &mut self,
        statement: &'a Statement<'a>,
        start: u32,
        is_exported: bool,
        errors: &mut Vec<Diagnostic>,
    ) {
        match statement {
            Statement::TSTypeAliasDeclaration(alias) => {
                let kind = Kind::Alias(alias);
                self.add(&alias.id, start, kind, is_exported, errors);
            }
            Statement::TSInterfaceDeclaration(interface) => {
                self.interface(interface, start, is_exported, errors);
            }
            Statement::TSEnumDeclaration(one) => {
                let kind = Kind::Enum(one);
                self.add(&one.id, start, kind, is_exported, errors);
            }
            Statement::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    self.add(id, start, Kind::Class, false, errors);
                }
            }
            _ => {}
        }
    }

    fn interface(
        &mut self,
        interface: &'a TSInterfaceDeclaration<'a>,
        start: u32,
        is_exported: bool,
        errors: &mut Vec<Diagnostic>,
    ) {
        let kind = Kind::Interface(vec![interface]);
        let id = &interface.id;
        self.add(id, start, kind, is_exported, errors);
    }

    fn add(
        &mut self,
        id: &'a BindingIdentifier<'a>,
        start: u32,
        kind: Kind<'a>,
        is_exported: bool,
        errors: &mut Vec<Diagnostic>,
    ) {
        let (name, span) = (id.name.as_str(), range(id.span));
        let Some(known) = self.by_name.get_mut(name) else {
            self.by_name.insert(name, Declaration { kind, span, starts: vec![start], is_exported });
            return;
        };
        match (&mut known.kind, kind) {
            (Kind::Interface(all), Kind::Interface(more)) => {
                all.extend(more);
                known.starts.push(start);
                known.is_exported |= is_exported;
            }
            _ => errors.push(
                Diagnostic::error(codes::DUPLICATE, format!("`{name}` is declared twice"))
                    .with_label(span, "declared again here")
                    .with_label(known.span.clone(), "first declared here")
                    .with_help("rename or remove one"),
            ),
        }
    }

    /// Marks the names in `export { ... }` statements as exported.
    fn exports(&mut self, program: &'a Program<'a>) {
        for statement in &program.body {
            let TopLevel::ExportNamedDeclaration(export) = statement else { continue };
            if export.source.is_some() {
                continue;
            }
            for specifier in &export.specifiers {
                let name = specifier.local.name();
                if let Some(declaration) = self.by_name.get_mut(name.as_str()) {
                    declaration.is_exported = true;
                }
                if specifier.exported.name() == "default" {
                    self.default = self.by_name.get_key_value(name.as_str()).map(|(name, _)| *name);
                }
            }
        }
    }

    /// Returns the index of the root: the declaration `name` if given, and otherwise the default export, the last
    /// export, or the only declaration. If there are several declarations, a note names the chosen one. Fails if there
    /// is no such declaration.
    pub(super) fn root(
        &self,
        name: Option<&str>,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<usize, Diagnostic> {
        let own = |declaration: &Declaration<'_>| {
            !matches!(declaration.kind, Kind::Imported | Kind::Class)
        };
        let names = || self.by_name.iter().filter(|(_, one)| own(one)).map(|(name, _)| *name);
        if let Some(name) = name {
            let found = self.by_name.get_index_of(name).filter(|&at| own(&self.by_name[at]));
            return found.ok_or_else(|| {
                let text = format!("there is no type `{name}` in the source");
                let help = match nearest(name, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "name one of the source's types, interfaces and enumerations".to_owned()
                    }
                };
                Diagnostic::error(codes::MISSING_ROOT, text).with_label(0..0, "").with_help(help)
            });
        }
        let several = names().nth(1).is_some();
        let exported = self.by_name.values().rposition(|one| one.is_exported && own(one));
        let default = self.default.and_then(|name| self.by_name.get_index_of(name));
        let default = default.filter(|&at| own(&self.by_name[at]));
        let chosen = default.or(exported).or_else(|| {
            let only = self.by_name.values().position(own);
            only.filter(|_| !several)
        });
        let Some(at) = chosen else {
            let Some(last) = self.by_name.values().rfind(|one| own(one)) else {
                let text = "the source declares no type";
                let help = "write `export interface Name { ... }` or `export type Name = ...`";
                let error = Diagnostic::error(codes::MISSING_ROOT, text).with_help(help);
                return Err(error.with_label(0..0, ""));
            };
            let text = "the source declares several types, and exports none";
            let help = "put `export` before the one that texts are of, or name it as the start";
            let error = Diagnostic::error(codes::AMBIGUOUS_ROOT, text).with_help(help);
            return Err(error.with_label(last.span.clone(), "one of them"));
        };
        let (name, declaration) = self.by_name.get_index(at).expect("it was found there");
        if several {
            let text = format!("texts are of the type `{name}`");
            let note = Diagnostic::note(codes::ROOT, text).with_label(declaration.span.clone(), "");
            findings.push(note.with_help("name another as the start, if that is meant"));
        }
        Ok(at)
    }
}
