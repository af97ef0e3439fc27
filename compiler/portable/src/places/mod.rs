//! The places of a schema document: each subschema with its JSON pointer, its parent and the target of its reference.
//!
//! One iterative walk finds all subschemas, in the order of the text. A second pass resolves references within the
//! document. Strongly connected components (Tarjan) identify recursive references.
//!
//! | file | content |
//! | --- | --- |
//! | `place` | the types: a subschema, its reference, all subschemas |
//! | `walk` | finds the subschemas |
//! | `references` | resolves references |
//! | `keywords` | which keywords hold schemas |
//! | `pointer` | JSON pointers |
//! | `alone` | a part of a document as a document of its own |
//! | `answers` | answers about pairs of schemas, and their time |
//!
//! Cost: linear in the document, and one look-up for each reference. Tests: in `walk` and `references`, and all tests of
//! rules.

pub(crate) mod alone;
mod answers;
pub(crate) mod keywords;
mod place;
pub(crate) mod pointer;
mod references;
mod walk;

pub(crate) use answers::Answers;
pub(crate) use place::{Place, Places};
