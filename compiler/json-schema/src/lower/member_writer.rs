//! How keys, values and items are written inside a container: as JSON here, and as tags in
//! [`tag_writer`](super::tag_writer).

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Expr;

use super::emitter::Emitter;
use crate::algebra::{FormulaId, MemberName};
use crate::values::strings::Place;

/// Writes the parts of a container: keys, values and items, as JSON or as tags.
pub(super) trait MemberWriter {
    /// Returns the expression of the keys of a member.
    fn key(&self, emitter: &mut Emitter<'_>, name: &MemberName) -> Result<Expr, Diagnostic>;

    /// Returns the expression of the values of a member. `name` is the member's key or set of keys.
    fn value(
        &self,
        emitter: &mut Emitter<'_>,
        name: &MemberName,
        formula: FormulaId,
    ) -> Result<Expr, Diagnostic>;

    /// Returns the expression of an item of an array.
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
