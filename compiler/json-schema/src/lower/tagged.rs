//! Objects whose members are written as tags: the automata of objects in the layout [`Layout::Tagged`].
//!
//! A value in that layout is an alternation over the forms that its types have, each with what ends it. Values that hold
//! arrays or objects are rules of the layout, made from the queue as all rules are. JSON in a tag is written in any of the
//! layouts of the options.

use grammarc_grammar::automata::StateLimit;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, Origin, RuleId};

use super::{Emitter, INLINE, has_containers};
use crate::algebra::{Content, FormulaId, MemberName};
use crate::text_form::layout::Layout;
use crate::text_form::prelude::{Piece, space};
use crate::text_form::tags::{TagForm, ValueForm};
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

impl Emitter<'_> {
    /// The start rule: the objects of the root as tags, and with `all` its other values, which no tag ends. A schema that
    /// names no type of the root means objects.
    pub(super) fn tagged_document(&mut self, all: bool) -> Result<RuleId, Diagnostic> {
        let root = self.graph.root();
        self.layout = Layout::Tagged;
        let content = self.graph.content(root);
        let others = all && !has_all_types(content);
        if !others {
            self.check_objects(content)?;
        }
        let objects = match &content.objects {
            Some(objects) => Expr::alt(self.objects(objects)?),
            None => self.any_tagged_members()?,
        };
        let objects = match (self.tags, others) {
            (Some(form), true) => Expr::alt([objects, self.tagged_others(form, content)?]),
            _ => objects,
        };
        self.count += 1;
        let start = self.builder.declare("members");
        let origin = self.origin(root);
        self.builder.define(start, objects, origin);
        Ok(start)
    }

    /// The values of the root that are no objects, as they stand in a tag.
    fn tagged_others(&mut self, form: &TagForm, content: &Content) -> Result<Expr, Diagnostic> {
        let others = Content { objects: Some(Vec::new()), ..content.clone() };
        let any = self.without_end(form, &StringSet::all());
        let any = any.and_then(|any| any.raw(self.allowed));
        let any_string = any.map_err(|error| self.too_complex("strings", &error.to_string()))?;
        let unended = TagForm { close: Expr::Empty, any_string, ..form.clone() };
        let mut choices = Vec::with_capacity(form.values.len());
        for value in &form.values {
            let open = ValueForm { begin: Expr::Empty, ..value.clone() };
            choices.push(self.tagged_as(&unended, &open, &others)?);
        }
        Ok(Expr::alt(choices))
    }

    /// Strings without those that hold the text that ends one.
    fn without_end(&self, form: &TagForm, strings: &StringSet) -> Result<StringSet, StateLimit> {
        let limit = self.allowed;
        strings.minus(&StringSet::holding(&[&form.close_text], limit)?, limit)
    }

    /// The key once more behind a value, where the form has it there.
    pub(super) fn key_again(
        &mut self,
        form: &TagForm,
        name: &MemberName,
    ) -> Result<Expr, Diagnostic> {
        let Some([before, after]) = &form.key_again else { return Ok(Expr::Empty) };
        let MemberName::Key(key) = name else {
            let text = "keys that the schema does not name cannot be written in tags that end with the key";
            let error =
                self.algebra.document.error("json-schema::tag-key", self.at, text.to_owned());
            let help = "name all keys in `properties`, with `additionalProperties` false and without `patternProperties`";
            return Err(error.with_help(help));
        };
        let written = form.key(self.algebra.key(*key)).unwrap_or_default();
        Ok(Expr::seq([before.clone(), Expr::literal(written), after.clone()]))
    }

    /// The key of a member, with what stands around it.
    pub(super) fn tagged_key(
        &mut self,
        form: &TagForm,
        name: &MemberName,
    ) -> Result<Expr, Diagnostic> {
        let key = match name {
            MemberName::Names(names) => self.tagged_names(form, names)?,
            MemberName::Key(key) => {
                let key = self.algebra.key(*key);
                let Some(written) = form.key(key) else {
                    let text = format!("the key {key:?} cannot be written in a tag");
                    let error = self.algebra.document.error("json-schema::tag-key", self.at, text);
                    let help = "rename it, or write the value as JSON";
                    return Err(error.with_help(help));
                };
                Expr::literal(written)
            }
        };
        Ok(Expr::seq([form.before_key.clone(), key, form.after_key.clone()]))
    }

    fn tagged_names(&mut self, form: &TagForm, names: &StringSet) -> Result<Expr, Diagnostic> {
        let limit = self.allowed;
        let keys = StringSet::pattern(&form.keys(), limit).map_err(|_| limit.error());
        let text = keys.and_then(|keys| names.intersect(&keys, limit));
        let text = text.and_then(|keys| keys.raw(limit));
        text.map_err(|error| self.too_complex("keys", &error.to_string()))
    }

    /// A value inside tags, with its beginning and its end: a call of its rule, or its content where that is small.
    pub(super) fn tagged_value(&mut self, formula: FormulaId) -> Result<Expr, Diagnostic> {
        let index = self.graph.index(formula);
        let content = self.graph.content_at(index);
        if content.is_all() {
            return self.any_tagged();
        }
        if has_containers(content) {
            return Ok(Expr::Call(self.rule(formula, Layout::Tagged)));
        }
        if let Some(known) = &self.row(Layout::Tagged).scalars[index] {
            return Ok(known.clone());
        }
        let expr = self.tagged_content(content)?;
        let expr = match expr.size() {
            ..=INLINE => expr,
            _ => self.helper("tagged", expr),
        };
        self.row(Layout::Tagged).scalars[index] = Some(expr.clone());
        Ok(expr)
    }

    /// The content of a formula, in the forms of its types.
    pub(super) fn tagged_content(&mut self, content: &Content) -> Result<Expr, Diagnostic> {
        let Some(form) = self.tags else { return Ok(Expr::Never) };
        let mut choices = Vec::with_capacity(form.values.len());
        for value in &form.values {
            choices.push(self.tagged_as(form, value, content)?);
        }
        Ok(Expr::alt(choices))
    }

    /// The values of one form.
    fn tagged_as(
        &mut self,
        form: &TagForm,
        value: &ValueForm,
        content: &Content,
    ) -> Result<Expr, Diagnostic> {
        let has = |types| value.types.contains(types);
        let scalars = &content.scalars;
        let mut closed = Vec::new();
        if has(TypeSet::STRING) && !scalars.strings.is_none() {
            closed.push(self.raw_string(form, &scalars.strings)?);
            // Every other text is one of a string as well, so nobody could tell.
            if scalars.strings.is_all() {
                return Ok(Expr::seq([value.begin.clone(), Expr::alt(closed)]));
            }
        }
        let mut others = Vec::new();
        if has(TypeSet::NULL) && scalars.null {
            others.push(Expr::literal("null"));
        }
        if has(TypeSet::BOOLEAN) {
            let [no, yes] = &form.booleans;
            others.extend(scalars.no.then(|| no.clone()));
            others.extend(scalars.yes.then(|| yes.clone()));
        }
        if has(TypeSet::NUMBER) && !scalars.numbers.is_none() {
            others.push(self.number(&scalars.numbers)?);
        }
        let layouts = if value.nested { vec![Layout::Tagged] } else { self.layouts.clone() };
        let outer = self.layout;
        for layout in layouts {
            self.layout = layout;
            if has(TypeSet::ARRAY) {
                match &content.arrays {
                    Some(arrays) => {
                        for automaton in arrays {
                            others.push(self.array(automaton)?);
                        }
                    }
                    None if value.nested => others.push(self.any_tagged_items()?),
                    None => others.push(self.any(Piece::Array)),
                }
            }
            if has(TypeSet::OBJECT) {
                match &content.objects {
                    Some(objects) => others.extend(self.objects(objects)?),
                    None if value.nested => others.push(self.any_tagged_members()?),
                    None => others.push(self.any(Piece::Object)),
                }
            }
        }
        self.layout = outer;
        let others = Expr::alt(others);
        if others != Expr::Never {
            // Tags have whitespace around them anyway.
            let around = if value.nested { Expr::Empty } else { space(form.space) };
            closed.push(Expr::seq([around.clone(), others, around, form.close.clone()]));
        }
        Ok(Expr::seq([value.begin.clone(), Expr::alt(closed)]))
    }

    /// A string as it is, and what ends it.
    fn raw_string(&mut self, form: &TagForm, strings: &StringSet) -> Result<Expr, Diagnostic> {
        if strings.is_all() {
            return Ok(form.any_string.clone());
        }
        let limit = self.allowed;
        let text = self.without_end(form, strings).and_then(|written| {
            if !form.lines {
                return written.raw(limit);
            }
            // A line end before the string and one behind it are taken off, so one of its own needs another.
            let own = StringSet::pattern("^\\n|\\n$", limit).map_err(|_| limit.error())?;
            let (with, without) = (written.intersect(&own, limit)?, written.minus(&own, limit)?);
            let line = Expr::byte(b'\n');
            let between = Expr::seq([line.clone(), with.raw(limit)?, line.clone()]);
            let line = line.optional();
            Ok(Expr::alt([between, Expr::seq([line.clone(), without.raw(limit)?, line])]))
        });
        let text = text.map_err(|error| self.too_complex("strings", &error.to_string()))?;
        Ok(Expr::seq([text, form.close.clone()]))
    }

    /// Any value inside tags: a rule, for it may hold others.
    fn any_tagged(&mut self) -> Result<Expr, Diagnostic> {
        if let Some(rule) = self.any_tagged {
            return Ok(Expr::Call(rule));
        }
        self.count += 1;
        let rule = self.builder.declare("any-tagged");
        self.any_tagged = Some(rule);
        let any = Content::all();
        let expr = self.tagged_content(&any)?;
        self.builder.define(rule, expr, Origin::default());
        Ok(Expr::Call(rule))
    }

    fn any_tagged_members(&mut self) -> Result<Expr, Diagnostic> {
        let Some(form) = self.tags else { return Ok(Expr::Never) };
        let name = MemberName::Names(StringSet::all());
        let key = self.tagged_key(form, &name)?;
        let again = self.key_again(form, &name)?;
        let member = Expr::seq([key, self.any_tagged()?, again]);
        Ok(tags(member, form.space))
    }

    fn any_tagged_items(&mut self) -> Result<Expr, Diagnostic> {
        let Some(form) = self.tags else { return Ok(Expr::Never) };
        let item =
            Expr::seq([form.before_item.clone(), self.any_tagged()?, form.after_item.clone()]);
        Ok(tags(item, form.space))
    }
}

/// Whether some values of each type are left: the schema says nothing of types.
fn has_all_types(content: &Content) -> bool {
    let scalars = &content.scalars;
    let containers = |any: Option<bool>| any.is_none_or(|some| some);
    scalars.null
        && scalars.no
        && scalars.yes
        && !scalars.numbers.is_none()
        && !scalars.strings.is_none()
        && containers(content.arrays.as_ref().map(|arrays| !arrays.is_empty()))
        && containers(content.objects.as_ref().map(|objects| !objects.is_empty()))
}

/// Any number of tags with whitespace around them.
fn tags(tag: Expr, most: u32) -> Expr {
    Expr::seq([space(most), Expr::seq([tag, space(most)]).star()])
}
