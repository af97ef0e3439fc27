//! Prepares the registry of the `referencing` crate with the document and all resources that it refers to.

use std::error::Error as StdError;
use std::sync::Arc;

use referencing::{Draft, Error, Registry, ResourceRef, Retrieve, SPECIFICATIONS, Uri};
use serde_json::Value;

use crate::document::{Document, Json, NodeId};
use crate::source::dialect::Dialect;
use crate::source::resources::Resources;

/// The base URI of a document that has no identifier.
pub(super) const ROOT: &str = "json-schema:///";

/// Which kinds of identifiers (such as `$id`) and references (such as `$ref`) occur in a document.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    /// Whether the document has any reference, such as `$ref`.
    pub(super) references: bool,
    /// Whether some reference leads to a published meta-schema.
    published: bool,
    /// Whether the document has any `$id`.
    dollar_id: bool,
    /// Whether some `$id` is a fragment, which is an anchor in drafts before `$anchor`.
    fragment_id: bool,
    /// Whether some `id` is a string, which is an identifier in drafts before `$id`.
    old_id: bool,
    /// Whether some identifier does more than name the document: it may be invalid, or change the target of a pointer.
    beyond_name: bool,
    /// Whether some reference is not a plain pointer into the document.
    beyond_pointers: bool,
    /// The places of the values of `$dynamicAnchor` and `$recursiveAnchor`.
    pub(super) anchors: Vec<NodeId>,
}

impl Spellings {
    /// Reads some values of a document, and records the identifiers and references in them. `root` is the place of the
    /// outermost schema.
    pub(super) fn read(
        &mut self,
        document: &Document<'_>,
        root: NodeId,
        nodes: impl Iterator<Item = NodeId>,
    ) {
        for node in nodes {
            let Json::Object(members) = document.json(node) else { continue };
            let named = |key: &str| key.starts_with('$') || key == "id";
            for (key, member) in members.iter().filter(|(key, _)| named(key)) {
                let text = match document.json(member.value) {
                    Json::String(text) => &**text,
                    _ => "",
                };
                match key {
                    "id" if !matches!(document.json(member.value), Json::String(_)) => {}
                    "id" => {
                        self.old_id = true;
                        self.beyond_name |= node != root || !is_name(text);
                    }
                    "$ref" | "$dynamicRef" | "$recursiveRef" => {
                        self.references = true;
                        self.beyond_pointers |= key != "$ref" || pointer(text).is_none();
                        self.published |= text.contains("json-schema.org/");
                    }
                    "$id" => {
                        self.dollar_id = true;
                        self.beyond_name |= node != root || !is_name(text);
                        self.published |= text.contains("json-schema.org/");
                        self.fragment_id |= text.len() > 1 && text.starts_with('#');
                    }
                    "$dynamicAnchor" | "$recursiveAnchor" => self.anchors.push(member.value),
                    _ => {}
                }
            }
        }
    }

    /// Returns whether the document has any identifier.
    pub(super) fn are_identified(&self) -> bool {
        self.dollar_id || self.old_id
    }

    /// Returns whether every reference is a pointer that can be followed in the document, without the library.
    pub(super) fn only_pointers(&self) -> bool {
        !self.beyond_name && self.anchors.is_empty() && !self.beyond_pointers
    }

    /// Returns the draft by whose rules the library reads identifiers. Without a declared draft it is inferred from the
    /// kinds of identifiers.
    pub(super) fn draft(&self, document: &Document<'_>, root: NodeId, dialect: Dialect) -> Draft {
        let root_id = document.get(root, "id").map(|id| document.json(id));
        match dialect.declared {
            true => dialect.draft.library(),
            false if self.fragment_id => Draft::Draft7,
            false if !self.dollar_id && matches!(root_id, Some(Json::String(_))) => Draft::Draft4,
            false => dialect.draft.library(),
        }
    }
}

/// Returns whether an identifier is a URI that only names a document: it is no published URI and has no fragment.
fn is_name(id: &str) -> bool {
    let name = id.strip_suffix('#').unwrap_or(id);
    !name.contains('#') && !name.contains("json-schema.org/") && Uri::parse(name).is_ok()
}

/// Returns the JSON pointer of a reference. Returns `None` if the reference is anything else, or ambiguous.
pub(super) fn pointer(reference: &str) -> Option<&str> {
    let pointer = reference.strip_prefix('#')?;
    let mut segments = pointer.split('/');
    let starts = segments.next().is_some_and(str::is_empty);
    let is_plain = |segment: &str| {
        let is_odd_index = segment.len() > 1 && segment.starts_with(['0', '+']);
        !segment.is_empty() && !segment.contains('%') && !is_odd_index
    };
    (starts && segments.all(is_plain)).then_some(pointer)
}

/// A registry (the reference library's index of schemas by URI), and the reason if it ignores the identifiers of the
/// document.
pub(super) struct Prepared<'t> {
    /// The registry: the reference library's index of schemas by URI.
    pub(super) registry: Registry<'t>,
    /// The library's reason for rejecting the identifiers, which are then ignored. `None` if they are used.
    pub(super) ignored: Option<Error>,
}

/// Prepares a registry (the reference library's index of schemas by URI) for a document. `tree` has the document's
/// values, and `draft` has the rules for its identifiers. If the library rejects the document because of its
/// identifiers, these are removed.
pub(super) fn prepare<'t>(
    tree: &'t Value,
    draft: Draft,
    spellings: &Spellings,
    resources: &Resources,
) -> Result<Prepared<'t>, Error> {
    let published = spellings.published || !resources.is_empty();
    let build = |with| -> Result<Registry<'t>, Error> {
        let builder = match with {
            With::Identifiers(tree) if published => {
                SPECIFICATIONS.add(ROOT, ResourceRef::new(tree, draft))?
            }
            With::Identifiers(tree) => Registry::new().add(ROOT, ResourceRef::new(tree, draft))?,
            With::Nothing(tree) => SPECIFICATIONS.add(ROOT, draft.create_resource(tree))?,
        };
        builder.draft(draft).retriever(Local(resources.clone())).prepare()
    };
    match build(With::Identifiers(tree)) {
        Ok(registry) => Ok(Prepared { registry, ignored: None }),
        Err(error) => {
            let mut bare = tree.clone();
            strip(&mut bare);
            let registry = build(With::Nothing(bare))?;
            Ok(Prepared { registry, ignored: Some(error) })
        }
    }
}

/// The document as the reference library gets it, with or without identifiers.
enum With<'t> {
    /// The value with its identifiers, unchanged.
    Identifiers(&'t Value),
    /// The value without identifiers and references.
    Nothing(Value),
}

/// Removes from a JSON value all identifiers and references, which the reference library would resolve.
fn strip(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::Object(members) => {
            members.retain(|key, value| {
                !(value.is_string() && matches!(key.as_str(), "$id" | "id" | "$schema" | "$ref"))
            });
            members.values_mut().for_each(strip);
        }
        _ => {}
    }
}

/// A retriever for the reference library that returns schemas from memory, and `null` for an unknown URI. An error
/// would make the library reject the document, even for an unused reference.
struct Local(Resources);

impl Retrieve for Local {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn StdError + Send + Sync>> {
        Ok(self.0.get(uri.as_str()).cloned().unwrap_or(Value::Null))
    }
}

/// Returns the base URI of the document in the reference library's registry of schemas.
pub(super) fn root_uri() -> Arc<Uri<String>> {
    Arc::new(Uri::parse(ROOT.to_owned()).expect("the base is a URI"))
}
