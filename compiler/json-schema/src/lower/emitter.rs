//! Makes the rules of formulas: one rule for each formula and layout, from a worklist.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, Origin, RuleId};

use super::texts::Texts;
use crate::algebra::{Content, ContentGraph, FormulaId};
use crate::document::{NodeId, Pointers};
use crate::text_form::layout::{Gaps, Layout};
use crate::text_form::prelude::space;
use crate::text_form::tags::TagForm;
use crate::values::pieces::Piece;

/// Largest size of a grammar expression that is inlined where it is used, which saves a stack frame. Larger expressions
/// become rules.
pub(super) const INLINE: usize = 128;

/// A declared rule whose definition is still to be made.
pub(super) struct Queued {
    /// The formula over values; the rule accepts the texts of the values that satisfy it.
    pub(super) formula: FormulaId,
    /// The layout (form of whitespace, or tags) in which the rule writes the values.
    pub(super) layout: Layout,
    /// The grammar rule that is declared and still has no definition.
    pub(super) rule: RuleId,
    /// The place in the schema from which the rule comes.
    pub(super) origin: Origin,
}

/// The rules of all formulas in one layout (form of whitespace, or tags).
pub(super) struct Row {
    /// For each formula, by its index in the content graph, its rule in this layout; `None` until it is needed.
    rules: Vec<Option<RuleId>>,
    /// For each formula, by its index in the content graph, the expression of its values, if these are only scalars or
    /// all values. `None` until it is needed.
    pub(super) scalars: Vec<Option<Expr>>,
}

/// The rules of a grammar under construction.
pub(super) struct Emitter<'a> {
    /// The texts of keys and scalars, and the grammar's rules.
    pub(super) texts: Texts<'a>,
    /// For each formula over values, its content: the scalars, arrays and objects that satisfy it.
    pub(super) graph: &'a ContentGraph,
    /// How members are written as tags; `None` for a grammar of plain JSON.
    pub(super) tags: Option<&'a TagForm>,
    /// The layout (form of whitespace, or tags) of the expression under construction.
    pub(super) layout: Layout,
    /// The layouts (forms of whitespace) that the options allow for JSON.
    pub(super) layouts: Vec<Layout>,
    /// The rule of any value inside tags; `None` until it is needed.
    pub(super) any_tagged: Option<RuleId>,
    /// The literals of all strings in Python's notation; `None` until they are needed.
    pub(super) any_literal: Option<Expr>,
    /// For each layout, by its index, the rules of all formulas in this layout. `None` until the layout is first used.
    rows: Vec<Option<Row>>,
    /// Writes JSON pointers to the places of the schema from which rules come.
    pointers: Pointers<'a>,
    /// The declared rules, in the order in which they are defined.
    pub(super) queue: Vec<Queued>,
    /// Places of schemas whose arrays and objects are written as empty, since the layout allows no deeper level.
    pub(super) cut: Vec<NodeId>,
}

impl<'a> Emitter<'a> {
    /// Creates an emitter without rules. `layouts` has the layouts (forms of whitespace) that the options allow for
    /// JSON, at least one.
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
            any_literal: None,
            rows: Vec::new(),
            pointers: texts.types.logic.document.pointers(),
            queue: Vec::new(),
            cut: Vec::new(),
            texts,
        }
    }

    /// Returns the grammar expression of the values of a formula inside an array or object: a call of the formula's
    /// rule, or the scalars themselves if they are small.
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

    /// Returns the expression itself if its size is at most [`INLINE`], otherwise a call of a new rule.
    pub(super) fn small(&mut self, name: &str, expr: Expr) -> Expr {
        match expr.size() {
            ..=INLINE => expr,
            _ => self.texts.rules.helper(name, expr),
        }
    }

    /// Returns the rules of all formulas in a layout (form of whitespace, or tags).
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

    /// Returns the rule that writes the values of a formula in a layout. A new rule is added to the worklist.
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

    /// Returns the place in the schema document from which a formula comes.
    pub(super) fn origin(&mut self, formula: FormulaId) -> Origin {
        let Texts { types, buffer, .. } = &mut self.texts;
        let Some(place) = types.logic.place(formula) else { return Origin::default() };
        buffer.clear();
        self.pointers.write(place, buffer);
        let span = types.logic.document.span(place);
        Origin { span: Some(span), pointer: Some(buffer.clone()) }
    }

    /// Records that arrays or objects of the current schema are written as empty although they may have items or
    /// members.
    pub(super) fn note_cut(&mut self) {
        self.cut.push(self.texts.at);
    }

    /// Returns how members are written as tags if the current layout is tagged, otherwise `None`.
    pub(super) fn tags_here(&self) -> Option<&'a TagForm> {
        self.tags.filter(|_| self.layout == Layout::Tagged)
    }

    /// Returns the texts around the members of an object in the current layout: brackets, or what tags have there.
    pub(super) fn braces(&self) -> [Expr; 2] {
        match self.tags_here() {
            Some(form) => form.objects.clone(),
            None => b"{}".map(|bracket| self.layout.bracket(bracket)),
        }
    }

    /// Returns the texts around the items of an array in the current layout: brackets, or what tags have there.
    pub(super) fn brackets(&self) -> [Expr; 2] {
        match self.tags_here() {
            Some(form) => form.arrays.clone(),
            None => b"[]".map(|bracket| self.layout.bracket(bracket)),
        }
    }

    /// Returns the whitespace between the tokens of an array or object in the current layout.
    pub(super) fn gaps(&mut self) -> Gaps {
        match self.tags_here() {
            Some(form) => {
                let gaps = self.layout.gaps(space(form.space));
                Gaps { comma: form.between(), last: form.end(), ..gaps }
            }
            None => self.texts.rules.gaps(self.layout),
        }
    }
}

/// Returns whether some array or object is among the values of a content (the values that satisfy a formula).
pub(super) fn has_containers(content: &Content) -> bool {
    !(content.arrays.as_ref().is_some_and(Vec::is_empty)
        && content.objects.as_ref().is_some_and(Vec::is_empty))
}
