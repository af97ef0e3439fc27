//! Lowering: the content graph as rules.
//!
//! A formula becomes one rule, and equal formulas the same rule. Few scalars are written where they are used, which saves a
//! frame. Rules are made from a queue and never recursively, so nesting costs no stack.
//!
//! | file | content |
//! | --- | --- |
//! | [`rules`] | rules under construction, and the shared ones that texts call |
//! | [`texts`] | texts of keys and scalars |
//! | [`emitter`] | the rules of formulas, by layout |
//! | [`member_writer`], [`tag_writer`] | keys, values and items as JSON and as tags |
//! | [`places`] | the graph of members or items, by what is written before |
//! | [`keys`], [`optional`] | many keys that may be left out, as one tree |
//! | [`array`], [`object`] | the automata of arrays and objects |
//! | [`content`] | the content of a formula, and the start rule |
//!
//! Tests: `tests/forms.rs` and `tests/cases.rs` beside this front end, `tests/tests/suite/{tags,tool_walks}.rs`.

mod array;
mod content;
mod emitter;
mod keys;
mod member_writer;
mod object;
mod optional;
mod places;
mod rules;
mod tag_writer;
mod texts;

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::Grammar;

use super::algebra::{ContentGraph, Types};
use super::document::NodeId;
use super::options::JsonSchemaOptions;
use super::text_form::layout::Layout;
use super::text_form::tags::Root;
use emitter::{Emitter, Queued};
use rules::Rules;
use texts::Texts;

/// Estimated bytes of a rule.
const BYTES_A_RULE: usize = 1 << 9;

/// The grammar of a schema.
pub(crate) struct SchemaGrammar {
    /// The grammar.
    pub(crate) grammar: Grammar,
    /// Schemas whose containers are written as empty at the deepest level of the text form, ascending.
    pub(crate) cut: Vec<NodeId>,
}

/// Makes the grammar of a content graph: JSON, or objects whose members are tags of a form.
///
/// # Errors
///
/// A limit or the budget exceeded; with tags, keys that cannot be in tags, or no objects.
pub(crate) fn lower(
    types: &Types<'_>,
    graph: &ContentGraph,
    options: &JsonSchemaOptions,
    wanted: Root<'_>,
    budget: &Budget,
) -> Result<SchemaGrammar, Diagnostic> {
    let document = types.logic.document;
    let rules = Rules::new(options.text, StateBudget::new(options.max_states, budget));
    let layouts = Layout::of(options.text.whitespace);
    let mut emitter = Emitter::new(Texts::new(types, rules), graph, wanted.tags(), layouts);
    let start = content::start(&mut emitter, wanted)?;
    let mut next = 0;
    while let Some(Queued { formula, layout, rule, origin }) = emitter.queue.get_mut(next) {
        next += 1;
        let (formula, rule, origin) = (*formula, *rule, std::mem::take(origin));
        emitter.layout = *layout;
        emitter.texts.at = types.logic.place(formula).unwrap_or(document.root());
        let expr = content::content(&mut emitter, graph.content(formula))?;
        emitter.texts.grow(BYTES_A_RULE)?;
        emitter.texts.rules.builder.define(rule, expr, origin);
        if emitter.texts.rules.count > options.max_rules {
            let text = format!("the schema takes more than {} rules", options.max_rules);
            let error = document.error("json-schema::rule-limit", emitter.texts.at, text);
            return Err(error.with_help(
                "simplify the schema here, or raise `--max-schema-rules` (the option `max-rules`)",
            ));
        }
    }
    let Emitter { texts, layouts, mut cut, .. } = emitter;
    // In one of several layouts, what is nested deeper is written in another.
    cut.retain(|_| layouts.len() == 1);
    cut.sort_unstable();
    cut.dedup();
    Ok(SchemaGrammar { grammar: texts.rules.builder.finish(start), cut })
}
