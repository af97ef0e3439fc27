//! How keys, values and items are written inside a container: as JSON here, and as tags in
//! [`tag_writer`](super::tag_writer).

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Expr;

use super::emitter::Emitter;
use crate::algebra::{FormulaId, MemberName};
use crate::values::strings::Place;

/// Writes the parts of an object or array (keys, values and items) as grammar expressions of JSON or of tags.
pub(super) trait MemberWriter {
    /// Returns the grammar expression of the key of a member, or of the set of its possible keys.
    fn key(&self, emitter: &mut Emitter<'_>, name: &MemberName) -> Result<Expr, Diagnostic>;

    /// Returns the grammar expression of the values that a member may have. `name` is the member's key or set of keys.
    fn value(
        &self,
        emitter: &mut Emitter<'_>,
        name: &MemberName,
        formula: FormulaId,
    ) -> Result<Expr, Diagnostic>;

    /// Returns the grammar expression of those array items that satisfy `formula`.
    fn item(&self, emitter: &mut Emitter<'_>, formula: FormulaId) -> Result<Expr, Diagnostic>;
}

/// Writes keys, values and items as JSON.
pub(super) struct Json;

impl MemberWriter for Json {
    fn key(&self, emitter: &mut Emitter<'_>, name: &MemberName) -> Result<Expr, Diagnostic> {
        match name {
            MemberName::Key(key) => emitter.texts.key(*key),
            MemberName::Names(names) => emitter.texts.string(names, Place::Key),
        }
    }

    fn value(
        &self,
        emitter: &mut Emitter<'_>,
        _: &MemberName,
        formula: FormulaId,
    ) -> Result<Expr, Diagnostic> {
        emitter.refer(formula)
    }

    fn item(&self, emitter: &mut Emitter<'_>, formula: FormulaId) -> Result<Expr, Diagnostic> {
        emitter.refer(formula)
    }
}
