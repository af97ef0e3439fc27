//! A subschema of a document, its reference, and the list of all subschemas.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::answers::Answers;
use super::pointer::push;

/// One subschema of a document.
#[derive(Clone, Debug)]
pub(crate) struct Place<'v> {
    /// The subschema.
    pub(crate) schema: &'v Value,
    /// The JSON pointer to the subschema.
    pub(crate) pointer: String,
    /// The index of the schema that holds this one. `None` for the root.
    pub(crate) parent: Option<usize>,
    /// The keyword of the parent that holds this schema. Empty for the root.
    pub(crate) keyword: &'v str,
    /// The name or index under which the keyword holds this schema. Empty if it holds one schema.
    pub(crate) name: String,
    /// The reference of this schema, if it has one.
    pub(crate) reference: Option<Reference>,
    /// Whether the schema can apply to a value. A definition that nothing refers to cannot.
    pub(crate) used: bool,
}

impl<'v> Place<'v> {
    /// Returns the keywords of the schema. `None` for `true` and `false`.
    pub(crate) fn members(&self) -> Option<&'v Map<String, Value>> {
        self.schema.as_object()
    }

    /// Returns the value of a keyword of the schema.
    pub(crate) fn get(&self, keyword: &str) -> Option<&'v Value> {
        self.members()?.get(keyword)
    }

    /// Whether this is the outermost schema.
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Returns the JSON pointer to a keyword of the schema.
    pub(crate) fn at(&self, keyword: &str) -> String {
        let mut pointer = self.pointer.clone();
        push(&mut pointer, keyword);
        pointer
    }
}

/// All subschemas of a document, the root first.
#[derive(Clone, Debug)]
pub(crate) struct Places<'v> {
    /// The subschemas, each before those inside it.
    pub(crate) all: Vec<Place<'v>>,
    /// The index of each subschema by its pointer.
    pub(crate) by_pointer: FxHashMap<String, usize>,
    /// The indices of the schemas directly inside each schema.
    pub(crate) inside: Vec<Vec<usize>>,
    /// Whether keywords beside `$ref` have no effect, because `$schema` declares draft 4, 6 or 7.
    pub(crate) references_alone: bool,
    /// The cache of answers about overlapping branches.
    pub(crate) answers: Answers,
}

impl<'v> Places<'v> {
    /// Returns the outermost schema.
    pub(crate) fn root(&self) -> &Place<'v> {
        &self.all[0]
    }
}

/// The form of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    /// `#`: the whole document.
    Root,
    /// `#/$defs/NAME`.
    Defs,
    /// `#/definitions/NAME`.
    Definitions,
    /// A pointer with escapes, such as `~1` or `%20`.
    Escaped,
    /// A pointer to an item of a list, such as `#/anyOf/0`.
    Item,
    /// Another pointer into the document.
    Pointer,
    /// `#NAME`: an anchor.
    Anchor,
    /// Another document, or a part of this one with its own `$id`.
    Other,
    /// `$dynamicRef` or `$recursiveRef`.
    Dynamic,
}

impl ReferenceKind {
    /// Returns the name of the kind in packs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Defs => "defs",
            Self::Definitions => "definitions",
            Self::Escaped => "escaped",
            Self::Item => "item",
            Self::Pointer => "pointer",
            Self::Anchor => "anchor",
            Self::Other => "other",
            Self::Dynamic => "dynamic",
        }
    }
}

/// The reference of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The form of the reference.
    pub(crate) kind: ReferenceKind,
    /// The index of the schema that the reference names. `None` if the document has no such schema.
    pub(crate) target: Option<usize>,
    /// Whether the reference is recursive: its target reaches the reference again.
    pub(crate) recursive: bool,
}
