//! The rules of formulas: one for each content and layout, made from a queue.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, Origin, RuleId};

use super::texts::Texts;
use crate::algebra::{Content, ContentGraph, FormulaId};
use crate::document::{NodeId, Pointers};
use crate::text_form::layout::{Gaps, Layout};
use crate::text_form::prelude::space;
use crate::text_form::tags::TagForm;
use crate::values::pieces::Piece;

/// Largest expression of scalars that is written where it is used, which saves a frame. Larger ones are rules.
pub(super) const INLINE: usize = 128;

/// A rule to be defined.
pub(super) struct Queued {
    pub(super) formula: FormulaId,
    pub(super) layout: Layout,
    pub(super) rule: RuleId,
    /// The place in the schema that the rule comes from.
    pub(super) origin: Origin,
}

/// The rules of formulas in one layout, by the index of the formula.
pub(super) struct Row {
    rules: Vec<Option<RuleId>>,
    /// Expressions of formulas that hold for scalars alone, or for everything.
    pub(super) scalars: Vec<Option<Expr>>,
}

/// The rules of formulas under construction.
pub(super) struct Emitter<'a> {
    pub(super) texts: Texts<'a>,
    pub(super) graph: &'a ContentGraph,
    /// How members are written that are tags.
    pub(super) tags: Option<&'a TagForm>,
    /// The layout of what is being written.
    pub(super) layout: Layout,
    /// The layouts of JSON.
    pub(super) layouts: Vec<Layout>,
    /// The rule of any value inside tags.
    pub(super) any_tagged: Option<RuleId>,
    /// By layout.
    rows: Vec<Option<Row>>,
    /// Pointers to the places that rules come from.
    pointers: Pointers<'a>,
    pub(super) queue: Vec<Queued>,
    /// Schemas of containers that are written as empty, because they are too deep.
    pub(super) cut: Vec<NodeId>,
}

impl<'a> Emitter<'a> {
    /// No rules yet. `layouts` are those of JSON.
    pub(super) fn new(
        texts: Texts<'a>,
        graph: &'a ContentGraph,
        tags: Option<&'a TagForm>,
        layouts: Vec<Layout>,
    ) -> Self {
        Self {
            graph,
            tags,
            layout: layouts[0],
            layouts,
            any_tagged: None,
            rows: Vec::new(),
            pointers: texts.types.logic.document.pointers(),
            queue: Vec::new(),
            cut: Vec::new(),
            texts,
        }
    }

    /// The values of a formula inside a container: a call of its rule, or its scalars if these are small.
    pub(super) fn refer(&mut self, formula: FormulaId) -> Result<Expr, Diagnostic> {
        let index = self.graph.index(formula);
        let content = self.graph.content_at(index);
        let is_scalar = !has_containers(content);
        let layout = if is_scalar { self.layout } else { self.layout.inside() };
        if let Some(expr) = &self.row(layout).scalars[index] {
            return Ok(expr.clone());
        }
        if !is_scalar && !content.is_all() {
            return Ok(Expr::Call(self.rule(formula, layout)));
        }
        let expr = match content.is_all() {
            true => self.texts.rules.any(Piece::Value, layout),
            false => Expr::alt(self.texts.scalars(&content.scalars)?),
        };
        let expr = self.small("scalars", expr);
        self.row(layout).scalars[index] = Some(expr.clone());
        Ok(expr)
    }

    /// The expression itself if it is small, otherwise a call of a new rule.
    pub(super) fn small(&mut self, name: &str, expr: Expr) -> Expr {
        match expr.size() {
            ..=INLINE => expr,
            _ => self.texts.rules.helper(name, expr),
        }
    }

    /// The rules of a layout.
    pub(super) fn row(&mut self, layout: Layout) -> &mut Row {
        let index = layout.index();
        if self.rows.len() <= index {
            self.rows.resize_with(index + 1, || None);
        }
        let formulas = self.graph.len();
        self.rows[index].get_or_insert_with(|| Row {
            rules: vec![None; formulas],
            scalars: vec![None; formulas],
        })
    }

    /// The rule of a formula in a layout. A new rule enters the queue.
    pub(super) fn rule(&mut self, formula: FormulaId, layout: Layout) -> RuleId {
        let index = self.graph.index(formula);
        if let Some(rule) = self.row(layout).rules[index] {
            return rule;
        }
        let origin = self.origin(formula);
        let name = match origin.pointer.as_deref() {
            None => "any",
            Some("") => "root",
            Some(pointer) => pointer,
        };
        let rule = self.texts.rules.declare(&layout.name(name));
        self.row(layout).rules[index] = Some(rule);
        self.queue.push(Queued { formula, layout, rule, origin });
        rule
    }

    /// The place that a formula comes from.
    pub(super) fn origin(&mut self, formula: FormulaId) -> Origin {
        let Texts { types, buffer, .. } = &mut self.texts;
        let Some(place) = types.logic.place(formula) else { return Origin::default() };
        buffer.clear();
        self.pointers.write(place, buffer);
        let span = types.logic.document.span(place);
        Origin { span: Some(span), pointer: Some(buffer.clone()) }
    }

    /// Notes that containers that may hold something are written as empty.
    pub(super) fn note_cut(&mut self) {
        self.cut.push(self.texts.at);
    }

    /// The tags, if the layout at hand has tags.
    pub(super) fn tags_here(&self) -> Option<&'a TagForm> {
        self.tags.filter(|_| self.layout == Layout::Tagged)
    }

    /// The whitespace between the tokens of a container in the layout at hand.
    pub(super) fn gaps(&mut self) -> Gaps {
        match self.tags_here() {
            Some(form) => self.layout.gaps(space(form.space)),
            None => self.texts.rules.gaps(self.layout),
        }
    }
}

/// Whether some values are arrays or objects.
pub(super) fn has_containers(content: &Content) -> bool {
    !(content.arrays.as_ref().is_some_and(Vec::is_empty)
        && content.objects.as_ref().is_some_and(Vec::is_empty))
}
