//! Resolves references: `$ref`, `$dynamicRef` and `$recursiveRef`.
//!
//! The `referencing` crate (the library) knows URIs, identifiers, anchors and pointers of every draft, and the
//! published meta-schemas. [`library`] gives it the document, and [`places`] maps its values to places of the document.
//! A new resource is copied into the document. The library resolves only static references, since it would follow
//! dynamic anchors for every kind of reference. By the specification only dynamic references do so; [`scope`] resolves
//! these.
//!
//! Real documents have odd identifiers. Identifiers that the library rejects are ignored with a warning. A pointer
//! without a target in its own resource is tried from the root of the document, also with a warning.
//!
//! Most documents have no identifiers, and only references that are pointers into the document. These documents do not
//! need the library.
//!
//! Cost: in such a document, a walk along the pointer for each reference. In other documents, one pass for the
//! registry, one for the places, and a few hash look-ups for each reference.
//!
//! Tests: `tests/`: references by example, in the official suite and in MaskBench.

mod library;
mod places;
mod problem;
mod resource_table;
mod scope;

use std::sync::Arc;

use referencing::{Draft as LibraryDraft, Error, Registry, ResourceRef, Uri};
use rustc_hash::FxHashMap;

use grammarc_grammar::diagnostics::Diagnostic;

use super::dialect::Dialect;
use super::resources::Resources;
use crate::document::{Document, Json, NodeId, Tree};
use crate::source::dialect::SchemaDialect;

use library::{Prepared, Spellings};
use places::Places;
use problem::Problem;
use resource_table::{Resource, ResourceTable};
use scope::{Anchor, MAX_SCOPES, ResourceId, Scopes};

pub(crate) use scope::ScopeId;

/// The context of the references and keywords inside a schema: its resource, dynamic scope and dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    /// The resource (schema with a URI of its own) whose URI is the base of references.
    resource: ResourceId,
    /// The dynamic scope: the dynamic anchors of the resources (schemas with a URI of their own) entered so far.
    pub(crate) scope: ScopeId,
    /// The dialect, which decides which keywords have an effect.
    pub(crate) dialect: Dialect,
}

/// The target of a reference such as `$ref`.
#[derive(Clone, Copy, Debug)]
struct Target {
    /// The place of the schema that the reference names.
    node: NodeId,
    /// The resource (schema with a URI of its own) that contains the schema.
    resource: ResourceId,
}

/// Resolves the references in a document.
pub(crate) struct References<'t> {
    /// The registry (the reference library's index of schemas by URI); `None` until a reference needs it.
    registry: Option<Registry<'t>>,
    /// The place of the document's outermost schema.
    root: NodeId,
    /// The document as JSON values of the `referencing` crate (the library).
    tree: &'t Tree<'t>,
    /// Whether identifiers have an effect; `false` if the library rejected them.
    identified: bool,
    /// The schemas that the user gives by URI.
    given: &'t Resources,
    /// The dialect of the document.
    dialect: Dialect,
    /// Maps JSON values of the `referencing` crate (the library) to their places in the document.
    places: Places,
    /// The kinds of identifiers and references in the document.
    spellings: Spellings,
    /// The resources (schemas with a URI of their own) that were entered so far.
    resources: ResourceTable,
    /// Maps each resolved reference, as its resource and text, to the target.
    followed: FxHashMap<(ResourceId, Box<str>), Target>,
    /// The dynamic scopes (sets of dynamic anchors of entered resources) so far.
    scopes: Scopes,
    /// The warnings about references and identifiers so far.
    pub(crate) findings: Vec<Diagnostic>,
    /// The error of too many dynamic scopes; `None` if there are not too many. Results after this error are
    /// meaningless.
    pub(crate) too_much: Option<Diagnostic>,
}

impl<'t> References<'t> {
    /// Prepares the references of a document to itself, to the `given` schemas, and to published meta-schemas. `root` is
    /// the place of its outermost schema, and `tree` has the values of that. `assumed` is the dialect if the document
    /// has no `$schema`.
    pub(crate) fn new(
        document: &mut Document<'_>,
        root: NodeId,
        tree: &'t Tree<'t>,
        given: &'t Resources,
        assumed: SchemaDialect,
    ) -> Result<Self, Diagnostic> {
        let mut findings = Vec::new();
        let assumed = Dialect::assumed(assumed);
        let dialect = Dialect::of(document, root, assumed, given, &mut findings);
        let mut spellings = Spellings::default();
        spellings.read(document, root, document.inside_of(root));
        let mut references = References {
            registry: None,
            root,
            tree,
            identified: true,
            given,
            dialect,
            places: Places::default(),
            spellings,
            resources: ResourceTable::new(Resource {
                uri: library::root_uri(),
                node: root,
                draft: dialect.draft.library(),
                dialect,
                anchors: Vec::new(),
            }),
            followed: FxHashMap::default(),
            scopes: Scopes::default(),
            findings,
            too_much: None,
        };
        if references.spellings.references && !references.spellings.only_pointers() {
            references.prepare(document)?;
        }
        Ok(references)
    }

    /// Prepares the registry (the reference library's index of schemas by URI). Identifiers that the library rejects
    /// are ignored with a warning.
    fn prepare(&mut self, document: &mut Document<'_>) -> Result<(), Diagnostic> {
        let root = self.root;
        let unusable = |error: &Error| format!("the identifiers here are of no use: {error}");
        let tree = self.tree.value();
        let draft = self.spellings.draft(document, root, self.dialect);
        let prepared = library::prepare(tree, draft, &self.spellings, self.given);
        let Prepared { registry, ignored } = prepared
            .map_err(|error| document.error("json-schema::identifiers", root, unusable(&error)))?;
        if let Some(error) = ignored {
            self.identified = false;
            let text = format!("{}; read without them", unusable(&error));
            let warning = Diagnostic::warning("json-schema::identifiers", text).with_help(
                "an identifier is a URI, or a URI relative to that of the schema around it",
            );
            self.findings.push(document.place(warning, root));
        }
        self.resources.clear();
        let uri = library::root_uri();
        if let Ok(found) = registry.resolver((*uri).clone()).lookup("#") {
            self.places.note(document, found.contents(), root);
        }
        self.registry = Some(registry);
        if self.resource(document, &uri, root).is_none() {
            let text = "the document has no place among its own identifiers".to_owned();
            return Err(document.error("json-schema::identifiers", root, text));
        }
        Ok(())
    }

    /// Returns whether the part of the document read so far has a reference.
    pub(crate) fn are_there(&self) -> bool {
        self.spellings.references
    }

    /// Returns the context (resource, dynamic scope and dialect) around the document's outermost schema.
    pub(crate) fn root(&self) -> Context {
        Context { resource: ResourceId(0), scope: ScopeId::default(), dialect: self.dialect }
    }

    /// Returns the context (resource, dynamic scope and dialect) inside the schema at `node`, given the context around
    /// it. A schema with an identifier is a resource of its own.
    pub(crate) fn enter(
        &mut self,
        document: &mut Document<'_>,
        node: NodeId,
        outside: Context,
    ) -> Context {
        let mut context = outside;
        if self.spellings.are_identified()
            && self.resources.get(outside.resource).node != node
            && let Some(id) = self.identifier(document, node, outside)
        {
            match self.registry.as_ref().filter(|_| self.identified) {
                None => {
                    let outer = outside.dialect;
                    context.dialect =
                        Dialect::of(document, node, outer, self.given, &mut self.findings);
                }
                Some(registry) => {
                    let base = &self.resources.get(outside.resource).uri;
                    let uri = registry.resolve_uri(&base.borrow(), id.trim_end_matches('#'));
                    let resource = uri.ok().and_then(|uri| self.resource(document, &uri, node));
                    // A resource that the library does not know by its identifier stays part of the surrounding
                    // resource.
                    let known = resource.filter(|&id| self.resources.get(id).node == node);
                    if let Some(resource) = known {
                        context.resource = resource;
                        context.dialect = self.resources.get(resource).dialect;
                    }
                }
            }
        }
        self.inside(document, node, context)
    }

    /// Returns the context with the dynamic anchors of its resource added to the scope. Too many scopes are recorded as
    /// an error.
    fn inside(&mut self, document: &Document<'_>, node: NodeId, context: Context) -> Context {
        let anchors = &self.resources.get(context.resource).anchors;
        if let Some(scope) = self.scopes.inside(context.scope, anchors) {
            return Context { scope, ..context };
        }
        self.too_much.get_or_insert_with(|| {
            let text = format!("the schema is met in more than {MAX_SCOPES} dynamic scopes");
            let error = document.error("json-schema::scope-limit", node, text);
            error.with_help("use fewer dynamic anchors, or `$ref` instead of `$dynamicRef`")
        });
        context
    }

    /// Returns the identifier of a schema if it makes the schema a resource, otherwise `None`.
    fn identifier(
        &self,
        document: &Document<'_>,
        node: NodeId,
        context: Context,
    ) -> Option<Box<str>> {
        let draft = self.resources.get(context.resource).draft;
        let id = document.get(node, draft.id_keyword())?;
        let hidden = draft <= LibraryDraft::Draft7 && document.get(node, "$ref").is_some();
        match document.json(id) {
            Json::String(id) if !hidden && !id.starts_with('#') => Some((**id).into()),
            _ => None,
        }
    }

    /// Returns the target of a reference and the context there. `node` is the place of the keyword's value. Fails if
    /// there is no target.
    pub(crate) fn follow(
        &mut self,
        document: &mut Document<'_>,
        keyword: &str,
        node: NodeId,
        context: Context,
    ) -> Result<(NodeId, Context), Diagnostic> {
        let reference = match document.json(node) {
            Json::String(reference) => reference.clone(),
            other => {
                let text = format!("`{keyword}` takes a string, and this is {}", other.kind());
                return Err(document.error("json-schema::invalid-keyword", node, text));
            }
        };
        let mut target = self.find(document, node, &reference, context.resource)?;
        let anchor = match keyword {
            "$dynamicRef" => match document.get(target.node, "$dynamicAnchor") {
                Some(anchor) => match (document.json(anchor), reference.split_once('#')) {
                    (Json::String(name), Some((_, fragment))) if **name == *fragment => {
                        Some(fragment)
                    }
                    _ => None,
                },
                None => None,
            },
            "$recursiveRef" => match document.get(target.node, "$recursiveAnchor") {
                Some(anchor) => matches!(document.json(anchor), Json::Bool(true)).then_some(""),
                None => None,
            },
            _ => None,
        };
        if let Some(outermost) = anchor.and_then(|name| self.scopes.find(context.scope, name)) {
            target = Target { node: outermost.node, resource: outermost.resource };
        }
        let dialect = self.resources.get(target.resource).dialect;
        let context = Context { resource: target.resource, dialect, ..context };
        Ok((target.node, self.inside(document, node, context)))
    }

    /// Returns the target of a reference in the resource `from`, ignoring the dynamic scope.
    fn find(
        &mut self,
        document: &mut Document<'_>,
        node: NodeId,
        reference: &str,
        from: ResourceId,
    ) -> Result<Target, Diagnostic> {
        if let Some(&target) = self.followed.get(&(from, reference.into())) {
            return Ok(target);
        }
        if self.registry.is_none() {
            let place = library::pointer(reference);
            if let Some(node) = place.and_then(|place| document.walk(self.root, place)) {
                let target = Target { node, resource: from };
                self.followed.insert((from, reference.into()), target);
                return Ok(target);
            }
            // For a reference without a target, the reference library provides the message.
            self.prepare(document)?;
        }
        let target = match self.look_up(document, node, reference, from) {
            Ok(target) => target,
            Err(problem) => {
                let target = self.find_from_root(document, node, reference, from);
                target.ok_or_else(|| problem.at(document, node, reference))?
            }
        };
        self.followed.insert((from, reference.into()), target);
        Ok(target)
    }

    /// Looks up a reference in the registry (the reference library's index of schemas by URI).
    fn look_up(
        &mut self,
        document: &mut Document<'_>,
        node: NodeId,
        reference: &str,
        from: ResourceId,
    ) -> Result<Target, Problem> {
        let Some(registry) = &self.registry else { return Err(Problem::Nowhere) };
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if uri.is_empty() {
            from
        } else {
            let base = &self.resources.get(from).uri;
            let uri = registry.resolve_uri(&base.borrow(), uri)?;
            let missing = || Problem::Missing { uri: uri.to_string() };
            self.resource(document, &uri, node).ok_or_else(missing)?
        };
        let Resource { uri, node: outermost, .. } = self.resources.get(resource);
        if fragment.is_empty() {
            return Ok(Target { node: *outermost, resource });
        }
        let (Some(registry), uri) = (&self.registry, uri.clone()) else {
            return Err(Problem::Nowhere);
        };
        // The pointer may be percent-encoded as a whole.
        let pointer = fragment.strip_prefix("%2F").or_else(|| fragment.strip_prefix("%2f"));
        let fragment = match pointer {
            Some(pointer) => format!("#/{pointer}"),
            None => format!("#{fragment}"),
        };
        let found = registry.resolver((*uri).clone()).lookup(&fragment)?;
        let place = self.places.get(found.contents()).ok_or(Problem::Nowhere)?;
        let base = found.resolver().base_uri();
        let resource = match base == uri {
            true => resource,
            false => self.resource(document, &base, node).unwrap_or(resource),
        };
        Ok(Target { node: place, resource })
    }

    /// Returns the target of a pointer from the root of the document, after it failed in its own resource. Records a
    /// warning.
    fn find_from_root(
        &mut self,
        document: &Document<'_>,
        node: NodeId,
        reference: &str,
        from: ResourceId,
    ) -> Option<Target> {
        let outermost = document.outermost(node, self.root);
        let pointer = reference.strip_prefix('#').filter(|pointer| pointer.starts_with('/'))?;
        let target = document.walk(outermost, pointer)?;
        let uri = &self.resources.get(from).uri;
        let text = format!(
            "the reference {reference:?} points at nothing in the schema `{uri}` around it; read from the root of the document"
        );
        let warning = Diagnostic::warning("json-schema::reference-base", text).with_help(
            "remove the identifier around it, or write the URI of the document before the `#`",
        );
        self.findings.push(document.place(warning, node));
        Some(Target { node: target, resource: self.resources.at(outermost)? })
    }

    /// Returns the resource (schema with a URI of its own) of an absolute URI. A new resource is copied into the
    /// document. Returns `None` if no schema has the URI.
    fn resource(
        &mut self,
        document: &mut Document<'_>,
        uri: &Arc<Uri<String>>,
        reference: NodeId,
    ) -> Option<ResourceId> {
        if let Some(id) = self.resources.with_uri(uri) {
            return Some(id);
        }
        let registry = self.registry.as_ref()?;
        let found = registry.resolver((**uri).clone()).lookup("#").ok()?;
        let (contents, resolver, draft) = found.into_inner();
        if contents.is_null() {
            return None;
        }
        // The resource is entered under its own identifier, even if it was found by another URI.
        let own = resolver.in_subresource(ResourceRef::new(contents, draft)).ok();
        let own = own.filter(|_| self.identified).map(|own| own.base_uri());
        let own = own.filter(|own| own != uri).filter(|own| {
            let same = registry.resolver((**own).clone()).lookup("#");
            same.is_ok_and(|same| std::ptr::eq(same.contents(), contents))
        });
        let name = own.unwrap_or_else(|| uri.clone());
        if let Some(id) = self.resources.with_uri(&name) {
            self.resources.name(uri.clone(), id);
            return Some(id);
        }
        let node = match self.places.get(contents) {
            Some(node) => node,
            None => {
                let before = document.len();
                let node = document.graft(name.as_str(), contents, reference);
                self.places.note(document, contents, node);
                let new = document.nodes().skip(before);
                self.spellings.read(document, self.root, new);
                node
            }
        };
        let dialect = match self.resources.document() {
            None => self.dialect,
            Some(root) => {
                let like_root = draft == root.draft;
                let outer = if like_root { self.dialect } else { self.dialect.or_draft(draft) };
                Dialect::of(document, node, outer, self.given, &mut self.findings)
            }
        };
        let id = self.resources.next_id()?;
        let anchors = self.anchors(document, registry, &name, node, id);
        self.resources.push(Resource { uri: name.clone(), node, draft, dialect, anchors });
        self.resources.name(name, id);
        self.resources.name(uri.clone(), id);
        Some(id)
    }

    /// Returns the dynamic anchors (`$dynamicAnchor`, `$recursiveAnchor`) of a resource.
    fn anchors(
        &self,
        document: &Document<'_>,
        registry: &Registry<'_>,
        uri: &Arc<Uri<String>>,
        outermost: NodeId,
        resource: ResourceId,
    ) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for &value in &self.spellings.anchors {
            let Some(node) = document.parent(value) else { continue };
            match document.json(value) {
                Json::Bool(true) if node == outermost => {
                    anchors.push(Anchor { name: "".into(), node, resource });
                }
                Json::String(name)
                    if document.outermost(node, self.root)
                        == document.outermost(outermost, self.root) =>
                {
                    let found = registry.resolver((**uri).clone()).lookup(&format!("#{name}"));
                    let place = found.ok().and_then(|found| self.places.get(found.contents()));
                    if place == Some(node) {
                        anchors.push(Anchor { name: (**name).into(), node, resource });
                    }
                }
                _ => {}
            }
        }
        anchors
    }
}

#[cfg(test)]
mod tests;
