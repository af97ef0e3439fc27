//! Writes members and items as tags, and the values inside tags.
//!
//! A value inside tags is an alternation over the forms that its types have; each form includes the text that ends the
//! value. Values with arrays or objects are rules of the layout [`Layout::Tagged`], made from the worklist like all
//! rules. JSON inside a tag may be written in any layout of the options.

use grammarc_grammar::automata::StateLimit;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{ByteSet, Expr, Origin};

use super::emitter::{Emitter, has_containers};
use super::member_writer::MemberWriter;
use crate::algebra::{Content, FormulaId, MemberName, Scalars};
use crate::text_form::layout::Layout;
use crate::text_form::prelude::space;
use crate::text_form::tags::{TagForm, ValueForm};
use crate::values::pieces::Piece;
use crate::values::strings::escaped::CharState;
use crate::values::strings::{Place, StringSet};
use crate::values::types::TypeSet;

/// Writes members and items as tags of the given form.
pub(super) struct Tags<'f>(pub(super) &'f TagForm);

impl MemberWriter for Tags<'_> {
    /// Returns the grammar expression of a member's key, with the text of the tag before and after it.
    fn key(&self, emitter: &mut Emitter<'_>, name: &MemberName) -> Result<Expr, Diagnostic> {
        let form = self.0;
        let key = match name {
            MemberName::Names(names) => names_in_tags(emitter, form, names)?,
            MemberName::Key(key) => {
                let key = emitter.texts.types.objects.key(*key);
                let written = key_text(form, key);
                written.ok_or_else(|| {
                    let text = format!("the key {key:?} cannot be written in a tag");
                    key_error(emitter, text, "rename it, or write the value as JSON")
                })?
            }
        };
        let keys = &form.keys;
        let other = keys.other.as_ref().filter(|_| matches!(name, MemberName::Key(_)));
        let other =
            other.map(|[before, after]| Expr::seq([before.clone(), key.clone(), after.clone()]));
        let key = Expr::seq([keys.before.clone(), key, keys.after.clone()]);
        Ok(Expr::alt([key].into_iter().chain(other)))
    }

    fn value(
        &self,
        emitter: &mut Emitter<'_>,
        name: &MemberName,
        formula: FormulaId,
    ) -> Result<Expr, Diagnostic> {
        let value = value(emitter, self.0, formula)?;
        Ok(Expr::seq([value, key_again(emitter, self.0, name)?]))
    }

    fn item(&self, emitter: &mut Emitter<'_>, formula: FormulaId) -> Result<Expr, Diagnostic> {
        let Self(form) = self;
        let value = value(emitter, form, formula)?;
        Ok(item(form, value))
    }
}

/// Returns the grammar expression of a key in tags, verbatim or between quotes. `None` if it cannot be written.
fn key_text(form: &TagForm, key: &str) -> Option<Expr> {
    if let Some(written) = form.keys.text(key) {
        return Some(Expr::literal(written));
    }
    let (quotes, key) = form.keys.quoted(key)?;
    Some(Expr::seq([quotes.open.clone(), Expr::literal(key), quotes.close.clone()]))
}

/// Writes those values inside tags that are arrays or objects, in the current layout.
pub(super) trait Containers {
    /// Returns the grammar expressions of the arrays. `nested` says whether their items are tags again; otherwise they
    /// are JSON.
    fn arrays(&self, emitter: &mut Emitter<'_>, nested: bool) -> Result<Vec<Expr>, Diagnostic>;
    /// Returns the grammar expressions of the objects. `nested` says whether their members are tags again; otherwise
    /// they are JSON.
    fn objects(&self, emitter: &mut Emitter<'_>, nested: bool) -> Result<Vec<Expr>, Diagnostic>;
}

/// Writes every array and every object, whatever their items and members.
pub(super) struct AnyContainers;

impl Containers for AnyContainers {
    fn arrays(&self, emitter: &mut Emitter<'_>, nested: bool) -> Result<Vec<Expr>, Diagnostic> {
        Ok(vec![match nested {
            true => any_items(emitter)?,
            false => emitter.texts.rules.any(Piece::Array, emitter.layout),
        }])
    }

    fn objects(&self, emitter: &mut Emitter<'_>, nested: bool) -> Result<Vec<Expr>, Diagnostic> {
        Ok(vec![match nested {
            true => match emitter.tags {
                Some(form) => any_members(emitter, form.within())?,
                None => Expr::Never,
            },
            false => emitter.texts.rules.any(Piece::Object, emitter.layout),
        }])
    }
}

/// Writes neither arrays nor objects, for values that are scalars.
struct NoContainers;

impl Containers for NoContainers {
    fn arrays(&self, _: &mut Emitter<'_>, _: bool) -> Result<Vec<Expr>, Diagnostic> {
        Ok(Vec::new())
    }

    fn objects(&self, _: &mut Emitter<'_>, _: bool) -> Result<Vec<Expr>, Diagnostic> {
        Ok(Vec::new())
    }
}

/// Returns the grammar expression of a value inside tags, with the text that begins and ends it. The expression is a
/// call of the value's rule, or the scalars themselves if they are small.
fn value(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    formula: FormulaId,
) -> Result<Expr, Diagnostic> {
    let index = emitter.graph.index(formula);
    let content = emitter.graph.content_at(index);
    if content.is_all() {
        return any_value(emitter, form);
    }
    if has_containers(content) {
        return Ok(Expr::Call(emitter.rule(formula, Layout::Tagged)));
    }
    if let Some(known) = &emitter.row(Layout::Tagged).scalars[index] {
        return Ok(known.clone());
    }
    let expr = in_all_forms(emitter, form, &content.scalars, &NoContainers)?;
    let expr = emitter.small("tagged", expr);
    emitter.row(Layout::Tagged).scalars[index] = Some(expr.clone());
    Ok(expr)
}

/// Returns an alternation over the forms of values in tags (one for each group of types), each with the scalars, arrays
/// and objects of its types.
pub(super) fn in_all_forms(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    scalars: &Scalars,
    containers: &impl Containers,
) -> Result<Expr, Diagnostic> {
    let mut choices = Vec::with_capacity(form.values.len());
    for value in &form.values {
        choices.push(in_form(emitter, form, value, scalars, containers)?);
    }
    Ok(Expr::alt(choices))
}

/// Returns the grammar expression of the values in one form of tags, with the text that begins and ends such a value.
pub(super) fn in_form(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    value: &ValueForm,
    scalars: &Scalars,
    containers: &impl Containers,
) -> Result<Expr, Diagnostic> {
    let has = |types| value.types.contains(types);
    let (mut closed, mut others) = (Vec::new(), Vec::new());
    if value.is_quoted && has(TypeSet::STRING) && !scalars.strings.is_none() {
        others.push(string_literal(emitter, &scalars.strings)?);
    } else if has(TypeSet::STRING) && !scalars.strings.is_none() {
        closed.push(raw_string(emitter, form, value, &scalars.strings)?);
        // If all strings are allowed, every text of another type is also the text of a string.
        if scalars.strings.is_all() {
            return Ok(Expr::seq([value.begin.clone(), Expr::alt(closed)]));
        }
    }
    if has(TypeSet::NULL) && scalars.null {
        others.push(form.null.clone());
    }
    if has(TypeSet::BOOLEAN) {
        let [no, yes] = &form.booleans;
        others.extend(scalars.no.then(|| no.clone()));
        others.extend(scalars.yes.then(|| yes.clone()));
    }
    if has(TypeSet::NUMBER) && !scalars.numbers.is_none() {
        others.push(emitter.texts.number(&scalars.numbers)?);
    }
    let layouts = if value.nested { vec![Layout::Tagged] } else { emitter.layouts.clone() };
    let outer = emitter.layout;
    for layout in layouts {
        emitter.layout = layout;
        if has(TypeSet::ARRAY) {
            others.extend(containers.arrays(emitter, value.nested)?);
        }
        if has(TypeSet::OBJECT) {
            others.extend(containers.objects(emitter, value.nested)?);
        }
    }
    emitter.layout = outer;
    let others = Expr::alt(others);
    if others != Expr::Never {
        // Inside nested tags the expressions of the tags have whitespace already.
        let around = if value.nested { Expr::Empty } else { space(form.space) };
        closed.push(Expr::seq([around.clone(), others, around, value.close.clone()]));
    }
    Ok(Expr::seq([value.begin.clone(), Expr::alt(closed)]))
}

/// Returns those strings of a set that do not contain the text that ends a value or key in tags.
pub(super) fn without_end(
    emitter: &Emitter<'_>,
    close_text: &str,
    strings: &StringSet,
) -> Result<StringSet, StateLimit> {
    let limit = emitter.texts.rules.allowed;
    strings.minus(&StringSet::holding(&[close_text], limit)?, limit)
}

/// Returns the grammar expression of strings in tags, without quotes and escapes, with the text that ends a value.
fn raw_string(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    value: &ValueForm,
    strings: &StringSet,
) -> Result<Expr, Diagnostic> {
    if strings.is_all() {
        return Ok(value.any_string.clone());
    }
    let limit = emitter.texts.rules.allowed;
    let text = without_end(emitter, &value.close_text, strings).and_then(|written| {
        if !form.lines {
            return written.raw(limit);
        }
        // One line end before the string and one after it are dropped, so a string that begins or ends with a line end
        // needs another.
        let own = StringSet::pattern("^\\n|\\n$", limit).map_err(|_| limit.error())?;
        let (with, without) = (written.intersect(&own, limit)?, written.minus(&own, limit)?);
        let line = Expr::byte(b'\n');
        let between = Expr::seq([line.clone(), with.raw(limit)?, line.clone()]);
        let line = line.optional();
        Ok(Expr::alt([between, Expr::seq([line.clone(), without.raw(limit)?, line])]))
    });
    let text = text.map_err(|error| emitter.texts.too_complex("strings", &error.to_string()))?;
    Ok(Expr::seq([text, value.close.clone()]))
}

/// Returns the grammar expression of the literals of strings in Python's notation.
///
/// Between double quotes, a string is written as in JSON with shortest escapes, which has the same meaning in Python.
/// Between single quotes, arbitrary strings have escapes too; strings of a smaller set only if they need none.
fn string_literal(emitter: &mut Emitter<'_>, strings: &StringSet) -> Result<Expr, Diagnostic> {
    let is_all = strings.is_all();
    if let Some(known) = emitter.any_literal.as_ref().filter(|_| is_all) {
        return Ok(known.clone());
    }
    let double = emitter.texts.string(strings, Place::Value)?;
    let quote = Expr::byte(b'\'');
    if is_all {
        let quote_byte: ByteSet = [b'\''].into_iter().collect();
        let others = ["\"", "\\'"].map(Expr::literal);
        let character = [CharState::Boundary.edges_but(quote_byte)].into_iter().chain(others);
        let single = Expr::seq([quote.clone(), Expr::alt(character).star(), quote]);
        let literal = emitter.texts.rules.helper("literal", Expr::alt([double, single]));
        emitter.any_literal = Some(literal.clone());
        return Ok(literal);
    }
    let limit = emitter.texts.rules.allowed;
    let plain = StringSet::pattern("^[^'\\\\\\u0000-\\u001f\\u007f]*$", limit);
    let plain = plain.map_err(|_| limit.error()).and_then(|plain| strings.intersect(&plain, limit));
    // Beyond the limit, double quotes remain.
    let single = plain.and_then(|plain| plain.raw(limit)).ok();
    let single = single.map(|single| Expr::seq([quote.clone(), single, quote]));
    Ok(Expr::alt([double].into_iter().chain(single)))
}

/// Returns the grammar expression of those keys of a set that can be written in a tag.
fn names_in_tags(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    names: &StringSet,
) -> Result<Expr, Diagnostic> {
    let limit = emitter.texts.rules.allowed;
    let text = StringSet::pattern(&form.keys.pattern(), limit).map_err(|_| limit.error());
    let text = text.and_then(|verbatim| {
        let plain = names.intersect(&verbatim, limit)?.raw(limit)?;
        let Some(quotes) = &form.keys.quotes else { return Ok(plain) };
        let others = names.minus(&verbatim, limit)?;
        let others = without_end(emitter, &quotes.close_text, &others)?.raw(limit)?;
        let quoted = Expr::seq([quotes.open.clone(), others, quotes.close.clone()]);
        Ok(Expr::alt([plain, quoted]))
    });
    text.map_err(|error| emitter.texts.too_complex("keys", &error.to_string()))
}

/// Returns the grammar expression of the key after a value, if the form of tags repeats the key in an end tag. Fails
/// for a set of keys.
fn key_again(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    name: &MemberName,
) -> Result<Expr, Diagnostic> {
    let Some([before, after]) = &form.keys.again else { return Ok(Expr::Empty) };
    let MemberName::Key(key) = name else {
        let text =
            "keys that the schema does not name cannot be written in tags that end with the key";
        let help = "name all keys in `properties`, with `additionalProperties` false and without `patternProperties`";
        return Err(key_error(emitter, text.to_owned(), help));
    };
    let written = form.keys.text(emitter.texts.types.objects.key(*key)).unwrap_or_default();
    Ok(Expr::seq([before.clone(), Expr::literal(written), after.clone()]))
}

/// Returns the error of a key that cannot be written in a tag.
fn key_error(emitter: &Emitter<'_>, text: String, help: &str) -> Diagnostic {
    let document = emitter.texts.types.logic.document;
    document.error("json-schema::tag-key", emitter.texts.at, text).with_help(help)
}

/// Returns the grammar expression of any value inside tags: a call of a rule, since such a value may contain others.
fn any_value(emitter: &mut Emitter<'_>, form: &TagForm) -> Result<Expr, Diagnostic> {
    if let Some(rule) = emitter.any_tagged {
        return Ok(Expr::Call(rule));
    }
    let rule = emitter.texts.rules.declare("any-tagged");
    emitter.any_tagged = Some(rule);
    let expr = in_all_forms(emitter, form, &Content::all().scalars, &AnyContainers)?;
    emitter.texts.rules.builder.define(rule, expr, Origin::default());
    Ok(Expr::Call(rule))
}

/// Returns the grammar expression of any number of members as tags, with any keys and values.
pub(super) fn any_members(emitter: &mut Emitter<'_>, form: &TagForm) -> Result<Expr, Diagnostic> {
    let name = MemberName::Names(StringSet::all());
    let key = Tags(form).key(emitter, &name)?;
    let again = key_again(emitter, form, &name)?;
    let member = Expr::seq([key, any_value(emitter, form)?, again]);
    Ok(repeated(member, form, &form.objects))
}

/// Returns the grammar expression of any number of array items as tags, with any values.
fn any_items(emitter: &mut Emitter<'_>) -> Result<Expr, Diagnostic> {
    let Some(form) = emitter.tags.map(TagForm::within) else { return Ok(Expr::Never) };
    let value = any_value(emitter, form)?;
    Ok(repeated(item(form, value), form, &form.arrays))
}

/// Returns the grammar expression of an array item, with the text of the tag before and after it.
fn item(form: &TagForm, value: Expr) -> Expr {
    let [before, after] = form.item.clone();
    Expr::seq([before, value, after])
}

/// Returns the grammar expression of any number of tags between brackets, with whitespace before, between and after them.
fn repeated(tag: Expr, form: &TagForm, [open, close]: &[Expr; 2]) -> Expr {
    let more = Expr::seq([form.between(), tag.clone()]).star();
    let tags = Expr::seq([tag, more, form.end()]).optional();
    Expr::seq([open.clone(), space(form.space), tags, close.clone()])
}
