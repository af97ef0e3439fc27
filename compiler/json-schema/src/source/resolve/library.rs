//! Prepares the registry of the `referencing` crate, with the document and all resources that it refers to.

use std::error::Error as StdError;
use std::sync::Arc;

use referencing::{Draft, Error, Registry, ResourceRef, Retrieve, SPECIFICATIONS, Uri};
use serde_json::Value;

use crate::document::{Document, Json, NodeId};
use crate::source::dialect::Dialect;
use crate::source::resources::Resources;

/// The base of a document that does not identify itself.
pub(super) const ROOT: &str = "json-schema:///";

/// The kinds of identifiers and references in a document.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    /// Whether there is any reference.
    pub(super) references: bool,
    /// Whether some reference leads to a published meta-schema.
    published: bool,
    /// Whether there is any `$id`.
    dollar_id: bool,
    /// Whether some `$id` is a fragment, which is an anchor before `$anchor`.
    fragment_id: bool,
    /// Whether some `id` is a string, which is an identifier before `$id`.
    old_id: bool,
    /// Whether some identifier does more than name the document: it may be invalid, or change the target of a
    /// pointer.
    beyond_name: bool,
    /// Whether some reference is not a plain pointer into the document.
    beyond_pointers: bool,
    /// Values of `$dynamicAnchor` and `$recursiveAnchor`.
    pub(super) anchors: Vec<NodeId>,
}

impl Spellings {
    /// Adds the nodes of a document from one on.
    pub(super) fn read(&mut self, document: &Document<'_>, from: usize) {
        for node in document.nodes().skip(from) {
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
                        self.beyond_name |= node != document.root() || !is_name(text);
                    }
                    "$ref" | "$dynamicRef" | "$recursiveRef" => {
                        self.references = true;
                        self.beyond_pointers |= key != "$ref" || pointer(text).is_none();
                        self.published |= text.contains("json-schema.org/");
                    }
                    "$id" => {
                        self.dollar_id = true;
                        self.beyond_name |= node != document.root() || !is_name(text);
                        self.published |= text.contains("json-schema.org/");
                        self.fragment_id |= text.len() > 1 && text.starts_with('#');
                    }
                    "$dynamicAnchor" | "$recursiveAnchor" => self.anchors.push(member.value),
                    _ => {}
                }
            }
        }
    }

    /// Whether the document has any identifier.
    pub(super) fn are_identified(&self) -> bool {
        self.dollar_id || self.old_id
    }

    /// Whether every reference is resolved by following its pointer in the document, without the library.
    pub(super) fn only_pointers(&self) -> bool {
        !self.beyond_name && self.anchors.is_empty() && !self.beyond_pointers
    }

    /// The draft by which the library reads identifiers. Without a declared draft it is inferred from the kind of
    /// identifiers.
    fn draft(&self, document: &Document<'_>, dialect: Dialect) -> Draft {
        let root_id = document.get(document.root(), "id").map(|id| document.json(id));
        match dialect.declared {
            true => dialect.draft.library(),
            false if self.fragment_id => Draft::Draft7,
            false if !self.dollar_id && matches!(root_id, Some(Json::String(_))) => Draft::Draft4,
            false => dialect.draft.library(),
        }
    }
}

/// Whether an identifier is a URI that only names a document: it is not a published one and has no fragment.
fn is_name(id: &str) -> bool {
    let name = id.strip_suffix('#').unwrap_or(id);
    !name.contains('#') && !name.contains("json-schema.org/") && Uri::parse(name).is_ok()
}

/// Returns the JSON pointer of a reference. `None` if the reference is anything else, or ambiguous.
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

/// A registry, which may ignore the identifiers of the document.
pub(super) struct Prepared<'t> {
    pub(super) registry: Registry<'t>,
    /// The reason for ignoring identifiers. `None` if they are used.
    pub(super) ignored: Option<Error>,
}

/// Prepares a registry for a document with the values `tree`. If the library rejects the document because of its
/// identifiers, these are removed.
pub(super) fn prepare<'t>(
    document: &Document<'_>,
    tree: &'t Value,
    dialect: Dialect,
    spellings: &Spellings,
    resources: &Resources,
) -> Result<Prepared<'t>, Error> {
    let draft = spellings.draft(document, dialect);
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

/// A document for the registry.
enum With<'t> {
    /// The value with its identifiers, unchanged.
    Identifiers(&'t Value),
    /// Without identifiers and references.
    Nothing(Value),
}

/// Removes identifiers and references, which the library would resolve.
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

/// Returns schemas from memory, and `null` for an unknown one. With an error the library would reject the document,
/// even for an unused reference.
struct Local(Resources);

impl Retrieve for Local {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn StdError + Send + Sync>> {
        Ok(self.0.get(uri.as_str()).cloned().unwrap_or(Value::Null))
    }
}

/// The base of the document, as the library knows it.
pub(super) fn root_uri() -> Arc<Uri<String>> {
    Arc::new(Uri::parse(ROOT.to_owned()).expect("the base is a URI"))
}
