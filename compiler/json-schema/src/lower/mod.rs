//! Lowering: turns the content graph into rules of the grammar.
//!
//! Each formula becomes one rule for each layout in which it occurs, and equal formulas share their rules. A few
//! scalars are inlined where they are used, which saves a stack frame. Rules are made from a worklist and never
//! recursively, so deep nesting does not use the call stack.
//!
//! | file | content |
//! | --- | --- |
//! | [`rules`] | rules under construction, and the shared rules that texts call |
//! | [`texts`] | texts of keys and scalars |
//! | [`emitter`] | the rules of formulas in each layout |
//! | [`member_writer`], [`tag_writer`] | keys, values and items as JSON and as tags |
//! | [`places`] | the graph of members or items, with a flag whether one is written before |
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
use super::text_form::tags::{Root, TagForm};
use emitter::{Emitter, Queued};
use rules::Rules;
use texts::Texts;

/// Estimated bytes of memory for a rule of the grammar.
const BYTES_A_RULE: usize = 1 << 9;

/// The grammar of a schema, and the places of schemas whose deepest values the grammar leaves out.
pub(crate) struct SchemaGrammar {
    /// The rules of the grammar.
    pub(crate) grammar: Grammar,
    /// Places of the schemas whose arrays and objects are written as empty at the deepest level of indented text,
    /// ascending. Empty if several layouts are allowed.
    pub(crate) cut: Vec<NodeId>,
}

/// Makes the grammar of a content graph (for each formula, the values that satisfy it). The document is JSON, or an
/// object whose members are tags.
///
/// # Errors
///
/// A limit or the budget is exceeded. With tags: some key cannot be written in a tag, or no value is an object.
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
    let mut emitter =
        Emitter::new(Texts::new(types, rules), graph, wanted.tags().map(TagForm::within), layouts);
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
    // With several layouts, a container that is too deep for one layout is written in another.
    cut.retain(|_| layouts.len() == 1);
    cut.sort_unstable();
    cut.dedup();
    Ok(SchemaGrammar { grammar: texts.rules.builder.finish(start), cut })
}
