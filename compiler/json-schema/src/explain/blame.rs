//! The search for the keywords that refuse the next byte of a text.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::ir::Grammar;
use grammarc_grammar::ir::recognize::behind_within;

use super::found::{Blame, Cause, placed};
use crate::algebra::automata::layer::Automata;
use crate::algebra::content::explore::build;
use crate::algebra::content::merge::merge;
use crate::algebra::promises::Promises;
use crate::algebra::simplify::steps::Steps;
use crate::document::{Document, NodeId};
use crate::lower::lower;
use crate::options::{JsonSchemaOptions, KeyOrder, TextForm, Whitespace};
use crate::read::applies::Applying;
use crate::read::schema::{Part, Schema, SchemaId, Schemas};
use crate::read::share;
use crate::text_form::tags::Root;
use crate::variant::{Constants, looser};

/// Longest run of whitespace, in bytes, that counts as JSON. Beyond it, the cause is reported as syntax.
const MOST_WHITESPACE: u32 = 1 << 16;

/// Most keywords of one value that are tried in pairs. Pairs of later keywords are not found.
const MOST_IN_PAIRS: usize = 12;

/// A refused text, and the schema that refuses it.
pub(super) struct Search<'a> {
    /// The text of the schema document.
    pub(super) text: &'a str,
    pub(super) document: &'a Document<'a>,
    pub(super) root: SchemaId,
    pub(super) options: &'a JsonSchemaOptions,
    pub(super) budget: &'a Budget,
    /// The beginning of the text, up to the refused byte.
    pub(super) accepted: &'a [u8],
    /// The refused byte. `None` if the text may not end here.
    pub(super) next: Option<u8>,
}

/// A keyword of the source, with the parts of schemas that it became. A part is a schema and an index.
struct Keyword {
    place: NodeId,
    parts: Vec<(SchemaId, usize)>,
}

impl Search<'_> {
    /// Returns the cause of the refusal. `levels` has the schemas that apply to each value on the path to the end of
    /// the text, outermost first.
    pub(super) fn cause(&self, schemas: &mut Schemas, levels: &[Applying]) -> Cause {
        let whitespace = Whitespace::Flexible { max: MOST_WHITESPACE };
        let text = TextForm { whitespace, ..TextForm::WIDE };
        let any = JsonSchemaOptions { text, key_order: KeyOrder::Any, ..self.options.clone() };
        let every = schemas.add(self.document.root());
        schemas.insert(every, Schema::Boolean(true));
        let grammar = |schemas: &Schemas, root, options: &JsonSchemaOptions| {
            self.grammar(schemas, root, options).map(|grammar| self.accepts(&grammar))
        };
        if grammar(schemas, every, &any) == Some(false) {
            return Cause::Syntax;
        }
        if grammar(schemas, every, self.options) == Some(false) {
            return Cause::TextForm;
        }
        let any_order = JsonSchemaOptions { key_order: KeyOrder::AnyOnce, ..self.options.clone() };
        if !matches!(self.options.key_order, KeyOrder::Any | KeyOrder::AnyOnce)
            && grammar(schemas, self.root, &any_order) == Some(true)
        {
            return Cause::KeyOrder;
        }
        let constants = Constants::add(schemas, self.document.root());
        for level in levels.iter().rev() {
            let keywords = keywords(schemas, level);
            // References and branches come second: what they apply has keywords of its own here.
            let applies = |keyword: &&Keyword| {
                let parts = &mut keyword.parts.iter();
                parts.any(|&(id, index)| !schemas.parts(id)[index].1.in_place().is_empty())
            };
            let (second, first): (Vec<&Keyword>, Vec<&Keyword>) =
                keywords.iter().partition(applies);
            let mut found: Vec<NodeId> = Vec::new();
            for tried in [first, second] {
                let admits = |keyword: &&&Keyword| self.admits(schemas, &[**keyword], constants);
                let all = tried.iter().filter(admits).map(|keyword| keyword.place);
                found = all.collect();
                if !found.is_empty() {
                    break;
                }
            }
            if !found.is_empty() {
                // Mostly a text of another type is refused by more than `type` alone.
                let is_type = |&place: &NodeId| self.document.key(place) == "type";
                found.sort_by_key(|place| (is_type(place), *place));
                return Cause::OneOf(found.into_iter().map(|place| self.blame(place)).collect());
            }
            for (at, one) in keywords.iter().enumerate().take(MOST_IN_PAIRS) {
                let others = keywords[at + 1..].iter().take(MOST_IN_PAIRS);
                for other in others {
                    if self.admits(schemas, &[one, other], constants) {
                        let both = [one, other].map(|keyword| self.blame(keyword.place));
                        return Cause::Together(both.into());
                    }
                }
            }
            let all: Vec<&Keyword> = keywords.iter().collect();
            if all.len() > 2 && self.admits(schemas, &all, constants) {
                return Cause::Together(all.iter().map(|one| self.blame(one.place)).collect());
            }
        }
        Cause::Unknown
    }

    fn blame(&self, keyword: NodeId) -> Blame {
        const MOST: usize = 200;
        let place = placed(self.document, keyword);
        let span = place.span.is_some().then(|| self.document.span(keyword));
        let mut value = span.map_or("", |span| &self.text[span]).to_owned();
        if let Some((cut, _)) = value.char_indices().nth(MOST) {
            value.truncate(cut);
        }
        Blame { place, keyword: self.document.key(keyword).to_owned(), value }
    }

    /// Whether the refused byte is accepted if some keywords are loosened. `false` if a limit is met. `constants` has the
    /// schemas that loosened keywords name: all values, and none.
    fn admits(&self, schemas: &mut Schemas, keywords: &[&Keyword], constants: Constants) -> bool {
        let mut before = Vec::new();
        for &(id, index) in keywords.iter().flat_map(|keyword| &keyword.parts) {
            let part = schemas.parts(id)[index].1.clone();
            let new = match &part {
                Part::Required(_) => Part::Required(Vec::new()),
                part => looser(part, constants).swap_remove(0),
            };
            before.push((id, index, schemas.replace_part(id, index, new)));
        }
        schemas.share(share::first_equals(self.document, schemas));
        let grammar = self.grammar(schemas, self.root, self.options);
        for (id, index, part) in before {
            schemas.replace_part(id, index, part);
        }
        grammar.is_some_and(|grammar| self.accepts(&grammar))
    }

    /// Whether a grammar accepts the refused byte, or the end of the text, after the accepted bytes.
    fn accepts(&self, grammar: &Grammar) -> bool {
        let Some(behind) = behind_within(grammar, self.accepted, self.budget) else { return false };
        match self.next {
            Some(byte) => behind.bytes.contains(byte),
            None => behind.may_end,
        }
    }

    /// Returns the grammar of a schema. `None` if a limit is met, or no value satisfies the schema.
    fn grammar(
        &self,
        schemas: &Schemas,
        root: SchemaId,
        options: &JsonSchemaOptions,
    ) -> Option<Grammar> {
        self.budget.check().ok()?;
        let (promises, _) = Promises::attempts(options.key_order);
        let steps = Steps::default();
        let mut automata =
            Automata::new(self.document, schemas, promises, steps, options, self.budget);
        let root = automata.logic().schema(root);
        let mut graph = build(&mut automata, root).ok()?;
        merge(&mut graph, self.budget);
        let types = &automata.simplifier.types;
        Some(lower(types, &graph, options, Root::Value, self.budget).ok()?.grammar)
    }
}

/// Returns the keywords of some schemas, in source order.
fn keywords(schemas: &Schemas, of: &Applying) -> Vec<Keyword> {
    let mut keywords: Vec<Keyword> = Vec::new();
    for &id in of {
        for (index, (place, _)) in schemas.parts(id).iter().enumerate() {
            match keywords.iter_mut().find(|known| known.place == *place) {
                Some(known) => known.parts.push((id, index)),
                None => keywords.push(Keyword { place: *place, parts: vec![(id, index)] }),
            }
        }
    }
    keywords.retain(|keyword| {
        keyword
            .parts
            .iter()
            .any(|&(id, index)| schemas.parts(id)[index].1 != Part::Required(Vec::new()))
    });
    keywords.sort_by_key(|keyword| keyword.place);
    keywords
}
