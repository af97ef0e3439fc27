//! How keys, values and items are written inside a container: as JSON here, as tags in [`tag_writer`](super::tag_writer).

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Expr;

use super::emitter::Emitter;
use crate::algebra::{FormulaId, MemberName};
use crate::values::strings::Place;

/// Writes the members and items of a container.
pub(super) trait MemberWriter {
    /// The key of a member.
    fn key(&self, emitter: &mut Emitter<'_>, name: &MemberName) -> Result<Expr, Diagnostic>;

    /// The value of a member.
    fn value(
        &self,
        emitter: &mut Emitter<'_>,
        name: &MemberName,
        formula: FormulaId,
    ) -> Result<Expr, Diagnostic>;

    /// An item of an array.
    fn item(&self, emitter: &mut Emitter<'_>, formula: FormulaId) -> Result<Expr, Diagnostic>;
}

/// Members and items as JSON.
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
