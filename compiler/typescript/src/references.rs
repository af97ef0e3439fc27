//! References to types by name: declarations with their arguments, type parameters, and types of the standard library.
//!
//! A declaration becomes a definition for each list of arguments, which are told apart by the schemas that they become.

use std::ops::Range;

use oxc_ast::ast::{
    TSType, TSTypeName, TSTypeParameterDeclaration, TSTypeParameterInstantiation, TSTypeReference,
};

use super::codes;
use super::declarations::Kind;
use super::translate::{Env, MAX_ERRORS, MAX_INSTANCES, Pending, Translator, Ty};
use super::written::Node;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::suggest::nearest;

impl<'a> Translator<'a> {
    /// The type parameters of a declaration.
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

    /// The type that a reference to a type parameter stands for.
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

    /// The number of the declaration that a reference names.
    pub(super) fn declared(&self, reference: &'a TSTypeReference<'a>) -> Option<usize> {
        match &reference.type_name {
            TSTypeName::IdentifierReference(name) => {
                self.declarations.by_name.get_index_of(name.name.as_str())
            }
            _ => None,
        }
    }

    pub(super) fn reference(
        &mut self,
        reference: &'a TSTypeReference<'a>,
        env: usize,
        span: &Range<usize>,
    ) -> Node {
        if let Some(ty) = self.parameter(reference, env) {
            return self.schema(ty);
        }
        let arguments = reference.type_arguments.as_deref();
        if let Some(at) = self.declared(reference) {
            let name = self.reference_to(at, arguments, env, span);
            return Node::keyword("$ref", name);
        }
        match &reference.type_name {
            TSTypeName::IdentifierReference(name) => {
                self.utility(name.name.as_str(), arguments, env, span)
            }
            TSTypeName::QualifiedName(_) => {
                let ty = self.member_of_enumeration(reference);
                ty.map_or_else(
                    || {
                        let help = "write the type where it is used";
                        self.unsupported(span.clone(), "a type of a namespace", help)
                    },
                    |value| Node::keyword("const", Node::value(value, span)),
                )
            }
            TSTypeName::ThisExpression(_) => {
                self.unsupported(span.clone(), "`this`", "write the name of the type")
            }
        }
    }

    /// A type of the standard library that is none of an object's.
    fn utility(
        &mut self,
        name: &'a str,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        env: usize,
        span: &Range<usize>,
    ) -> Node {
        let arguments: Vec<Ty<'a>> = arguments
            .map(|list| list.params.iter().map(|node| Ty { node, env }).collect())
            .unwrap_or_default();
        let text = |format: &str| {
            let mut schema = Node::of_type("string", span);
            schema.set("format", Node::value(format, span));
            schema
        };
        match (name, arguments.as_slice()) {
            ("Array" | "ReadonlyArray", &[items]) => self.array(items, span),
            ("Date", []) => text("date-time"),
            ("URL", []) => text("uri"),
            ("Readonly", &[ty]) => self.schema(ty),
            ("NonNullable", &[ty]) => {
                let mut parts = Vec::new();
                self.flatten(ty, &mut parts);
                let is_value = |part: &Ty<'_>| {
                    !matches!(part.node, TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_))
                };
                parts.retain(is_value);
                self.union(parts, span)
            }
            ("Exclude" | "Extract", &[from, what]) => {
                let values = self.selected(from, what, name == "Extract").unwrap_or_default();
                let values: Vec<_> =
                    values.into_iter().map(|value| Node::value(value, span)).collect();
                match values.is_empty() {
                    true => Node::value(false, span),
                    false => Node::keyword("enum", Node::list(values, span)),
                }
            }
            ("Partial" | "Required", &[_]) | ("Pick" | "Omit" | "Record", &[_, _]) => {
                let shapes = self.utility_shapes(name, &arguments, span);
                self.object(shapes, span)
            }
            _ => self.unknown(name, arguments.len(), span),
        }
    }

    /// Refuses a name that stands for no type here.
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

    /// The value of `$ref` for a declaration with arguments, whose definition is made later.
    pub(super) fn reference_to(
        &mut self,
        declaration: usize,
        arguments: Option<&'a TSTypeParameterInstantiation<'a>>,
        env: usize,
        span: &Range<usize>,
    ) -> Node {
        let texts: Vec<String> = match (self.parameters(declaration), arguments) {
            (Some(_), Some(list)) => {
                let arguments = list.params.iter();
                arguments.map(|node| self.schema(Ty { node, env }).write().text).collect()
            }
            _ => Vec::new(),
        };
        let (name, one) = self.declarations.by_name.get_index(declaration).expect("it is one");
        let id = (declaration, texts);
        let key = match self.keys.get(&id) {
            Some(key) => key.clone(),
            None => {
                self.available(name, &one.kind, span);
                let inner = self.instance(declaration, arguments, env, span);
                let numbered = (1..).map(|number| format!("{name}-{number}"));
                let mut names = std::iter::once((*name).to_owned()).chain(numbered);
                let key = names.find(|key| !self.taken.contains(key)).unwrap_or_default();
                self.taken.insert(key.clone());
                if let Some(env) = inner
                    && self.errors.len() < MAX_ERRORS
                {
                    self.queue.push_back(Pending { declaration, env, key: key.clone() });
                }
                self.keys.insert(id, key.clone());
                key
            }
        };
        Node::value(format!("#/$defs/{}", encoded(&key)), span)
    }

    /// Refuses names whose types are not in the source.
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

    /// The environment within a declaration that has these arguments.
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
}

/// A name within the fragment of a URI.
fn encoded(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'$' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}
