//! Resolves names of types: declarations, type parameters, and instances of generic types.

use std::ops::Range;

use oxc_ast::ast::{
    TSType, TSTypeName, TSTypeParameterDeclaration, TSTypeParameterInstantiation, TSTypeReference,
};

use super::codes;
use super::declarations::Kind;
use super::schema_source::Node;
use super::scope::{Env, Scope, Ty};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::suggest::nearest;

/// Most instances of generic types in a source. Beyond that, a generic type is assumed to refer to
/// itself without end, which is an error.
const MAX_INSTANCES: usize = 10_000;

impl<'a> Scope<'a> {
    /// Returns the type parameters of a declaration. `None` if it has none.
    pub(super) fn parameters(
        &self,
        declaration: usize,
    ) -> Option<&'a TSTypeParameterDeclaration<'a>> {
        match &self.declarations.by_name[declaration].kind {
            Kind::Alias(alias) => alias.type_parameters.as_deref(),
            Kind::Interface(all) => all[0].type_parameters.as_deref(),
            _ => None,
        }
    }

    /// Returns the argument of the type parameter that a reference names, in an environment. `None`
    /// if it names no type parameter.
    pub(super) fn parameter(
        &self,
        reference: &'a TSTypeReference<'a>,
        env: usize,
    ) -> Option<Ty<'a>> {
        match &reference.type_name {
            TSTypeName::IdentifierReference(name) => {
                self.envs[env].get(name.name.as_str()).copied()
            }
            _ => None,
        }
    }

    /// Returns the index of the declaration that a reference names. `None` if the name is not
    /// declared.
    pub(super) fn declared(&self, reference: &'a TSTypeReference<'a>) -> Option<usize> {
        match &reference.type_name {
            TSTypeName::IdentifierReference(name) => {
                self.declarations.by_name.get_index_of(name.name.as_str())
            }
            _ => None,
        }
    }

    /// Reports an error if a name is imported or a class.
    pub(super) fn available(&mut self, name: &str, kind: &Kind<'_>, span: &Range<usize>) {
        let (code, text, help) = match kind {
            Kind::Imported => {
                let text = format!("`{name}` is imported, and other files are not read");
                (codes::IMPORTED, text, "put its declaration into this source")
            }
            Kind::Class => {
                let text = format!("`{name}` is a class, which says more than what its data is");
                (codes::UNSUPPORTED, text, "write its data as an interface")
            }
            _ => return,
        };
        self.error(Diagnostic::error(code, text).with_label(span.clone(), "").with_help(help));
    }

    /// Adds the environment of a declaration with type arguments, and returns its index.
    /// Environment 0 serves declarations without parameters. `None`, with an error, if the number
    /// of arguments is wrong or there are too many instances.
    pub(super) fn instance(
        &mut self,
        declaration: usize,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        env: usize,
        span: &Range<usize>,
    ) -> Option<usize> {
        let parameters = self.parameters(declaration).map(|list| list.params.as_slice());
        let parameters = parameters.unwrap_or_default();
        let arguments = arguments.map(|list| list.params.as_slice()).unwrap_or_default();
        let least = parameters.iter().filter(|parameter| parameter.default.is_none()).count();
        if !(least..=parameters.len()).contains(&arguments.len()) {
            let text = format!(
                "the type takes {} type arguments, and here are {}",
                parameters.len(),
                arguments.len()
            );
            self.error(Diagnostic::error(codes::ARGUMENTS, text).with_label(span.clone(), ""));
            return None;
        }
        if parameters.is_empty() {
            return Some(0);
        }
        if self.envs.len() > MAX_INSTANCES {
            let text = format!("generic types have more than {MAX_INSTANCES} instances");
            let error = Diagnostic::error(codes::CIRCLE, text).with_label(span.clone(), "here");
            self.error(error.with_help(
                "a generic type that refers to itself with larger arguments has no end",
            ));
            return None;
        }
        let inner = self.envs.len();
        self.envs.push(Env::default());
        for (at, parameter) in parameters.iter().enumerate() {
            let ty = match (arguments.get(at), &parameter.default) {
                (Some(node), _) => Ty { node, env },
                (None, Some(node)) => Ty { node, env: inner },
                (None, None) => continue,
            };
            self.envs[inner].insert(parameter.name.name.as_str(), ty);
        }
        Some(inner)
    }

    /// Reports the use of a name that is not declared, and returns the schema `false`.
    pub(super) fn unknown(&mut self, name: &str, arguments: usize, span: &Range<usize>) -> Node {
        const KNOWN: [(&str, usize); 13] = [
            ("Array", 1),
            ("ReadonlyArray", 1),
            ("Date", 0),
            ("URL", 0),
            ("Readonly", 1),
            ("NonNullable", 1),
            ("Exclude", 2),
            ("Extract", 2),
            ("Partial", 1),
            ("Required", 1),
            ("Pick", 2),
            ("Omit", 2),
            ("Record", 2),
        ];
        if let Some((_, takes)) = KNOWN.iter().find(|(known, _)| *known == name) {
            let text = format!("`{name}` takes {takes} type arguments, and here are {arguments}");
            let error = Diagnostic::error(codes::ARGUMENTS, text);
            self.error(error.with_label(span.clone(), ""));
            return Node::value(false, span);
        }
        let help = match name {
            "Map" | "WeakMap" => "an object with any keys is `Record<string, T>`",
            "Set" | "WeakSet" => {
                "a list is `T[]`, one without repetitions has the tag `@uniqueItems`"
            }
            "Promise" | "Awaited" => "write the type of the value itself",
            "Function" | "RegExp" | "Symbol" => "leave the member out",
            "Uppercase" | "Lowercase" | "Capitalize" | "Uncapitalize" => "write the texts out",
            "Parameters" | "ReturnType" | "InstanceType" | "ThisType" => "write the type itself",
            _ => "",
        };
        if !help.is_empty() {
            return self.unsupported(span.clone(), &format!("`{name}`"), help);
        }
        let names = self.declarations.by_name.keys().copied();
        let names = names.chain(KNOWN.iter().map(|(known, _)| *known));
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it in this source, which is all that is read".to_owned(),
        };
        let error =
            Diagnostic::error(codes::UNKNOWN_TYPE, format!("the type `{name}` is not declared"));
        self.error(error.with_label(span.clone(), "").with_help(help));
        Node::value(false, span)
    }

    /// Appends the parts of a union to `parts`, with nested unions and type parameters resolved.
    /// Any other type is its only part.
    pub(super) fn flatten(&mut self, ty: Ty<'a>, parts: &mut Vec<Ty<'a>>) {
        let span = self.span(ty);
        let entered = self.enter(&span);
        let Ty { node, env } = ty;
        match node {
            _ if !entered => {}
            TSType::TSUnionType(union) => {
                union.types.iter().for_each(|node| self.flatten(Ty { node, env }, parts));
            }
            TSType::TSParenthesizedType(inner) => {
                self.flatten(Ty { node: &inner.type_annotation, env }, parts);
            }
            TSType::TSTypeReference(reference) => match self.parameter(reference, env) {
                Some(ty) => self.flatten(ty, parts),
                None => parts.push(ty),
            },
            _ => parts.push(ty),
        }
        self.leave();
    }
}

/// Returns the types in a list of type arguments, in the environment `env`. Without a list, none.
pub(super) fn types_of<'a>(
    arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
    env: usize,
) -> Vec<Ty<'a>> {
    let list = arguments.map(|list| list.params.as_slice()).unwrap_or_default();
    list.iter().map(|node| Ty { node, env }).collect()
}

/// Returns the type of the elements of an array type. `None` for other types.
pub(super) fn element_of(list: Ty<'_>) -> Option<Ty<'_>> {
    let env = list.env;
    match list.node {
        TSType::TSArrayType(array) => Some(Ty { node: &array.element_type, env }),
        TSType::TSTypeReference(reference) => match &reference.type_name {
            TSTypeName::IdentifierReference(name)
                if matches!(name.name.as_str(), "Array" | "ReadonlyArray") =>
            {
                let node = reference.type_arguments.as_ref()?.params.first()?;
                Some(Ty { node, env })
            }
            _ => None,
        },
        _ => None,
    }
}
