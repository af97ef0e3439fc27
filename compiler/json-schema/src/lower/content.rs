//! Turns the content of a formula (scalars, arrays and objects) into an expression of the grammar.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, RuleId};

use super::array::array;
use super::emitter::{Emitter, has_containers};
use super::member_writer::Json;
use super::object::objects;
use super::tag_writer::{
    AnyContainers, Containers, Tags, any_members, in_all_forms, in_form, without_end,
};
use crate::algebra::Content;
use crate::text_form::layout::Layout;
use crate::text_form::prelude::space;
use crate::text_form::tags::{Root, TagForm, ValueForm};
use crate::values::pieces::Piece;
use crate::values::strings::StringSet;

/// Makes the start rule of the grammar: the values or objects of the schema as JSON with whitespace around them, or as
/// tags.
pub(super) fn start<'a>(emitter: &mut Emitter<'a>, wanted: Root<'a>) -> Result<RuleId, Diagnostic> {
    match wanted {
        Root::Tags { form, all } => tagged_document(emitter, form, all),
        Root::Value => document(emitter, false),
        Root::Object => document(emitter, true),
    }
}

/// Makes the start rule of JSON for all values of the schema, or for its objects alone. The document may be in any
/// layout (form of whitespace) that the options allow.
fn document(emitter: &mut Emitter<'_>, objects_alone: bool) -> Result<RuleId, Diagnostic> {
    let root = emitter.graph.root();
    let around = space(emitter.texts.rules.text.surround);
    let content = emitter.graph.content(root);
    let objects;
    let content = match objects_alone {
        true if !content.has_objects_alone() => {
            check_objects(emitter, content)?;
            objects = Content { objects: content.objects.clone(), ..Content::none() };
            &objects
        }
        _ if emitter.layouts.len() == 1 && around == Expr::Empty => {
            return Ok(emitter.rule(root, emitter.layout));
        }
        _ => content,
    };
    let several = has_containers(content);
    let layouts = emitter.layouts.clone().into_iter().take(if several { usize::MAX } else { 1 });
    let mut choices = Vec::new();
    for layout in layouts {
        // The values are written here and not in rules of their own, so that the common beginnings of all layouts
        // merge.
        emitter.layout = layout;
        choices.push(json(emitter, content)?);
    }
    let start = emitter.texts.rules.declare("document");
    let origin = emitter.origin(root);
    let document = Expr::seq([around.clone(), Expr::alt(choices), around]);
    emitter.texts.rules.builder.define(start, document, origin);
    Ok(start)
}

/// Returns the grammar expression of a content (the scalars, arrays and objects that satisfy a formula) in the current
/// layout. A tagged layout gives tags, any other layout JSON.
pub(super) fn content(emitter: &mut Emitter<'_>, content: &Content) -> Result<Expr, Diagnostic> {
    match emitter.tags_here() {
        Some(form) => in_all_forms(emitter, form, &content.scalars, content),
        None => json(emitter, content),
    }
}

/// Returns the grammar expression of a content (the scalars, arrays and objects that satisfy a formula) as JSON in the
/// current layout.
fn json(emitter: &mut Emitter<'_>, content: &Content) -> Result<Expr, Diagnostic> {
    if content.is_all() {
        return Ok(emitter.texts.rules.any(Piece::Value, emitter.layout));
    }
    let mut choices = emitter.texts.scalars(&content.scalars)?;
    choices.extend(content.arrays(emitter, false)?);
    choices.extend(content.objects(emitter, false)?);
    Ok(Expr::alt(choices))
}

impl Containers for Content {
    fn arrays(&self, emitter: &mut Emitter<'_>, nested: bool) -> Result<Vec<Expr>, Diagnostic> {
        let Some(arrays) = &self.arrays else { return AnyContainers.arrays(emitter, nested) };
        let one = |automaton| match emitter.tags_here() {
            Some(form) => array(emitter, &Tags(form), automaton),
            None => array(emitter, &Json, automaton),
        };
        arrays.iter().map(one).collect()
    }

    fn objects(&self, emitter: &mut Emitter<'_>, nested: bool) -> Result<Vec<Expr>, Diagnostic> {
        let Some(union) = &self.objects else { return AnyContainers.objects(emitter, nested) };
        match emitter.tags_here() {
            Some(form) => objects(emitter, &Tags(form), union),
            None => objects(emitter, &Json, union),
        }
    }
}

/// Returns an error if no object satisfies the schema. `content` has the scalars, arrays and objects that satisfy the
/// schema.
fn check_objects(emitter: &Emitter<'_>, content: &Content) -> Result<(), Diagnostic> {
    if content.objects.as_ref().is_none_or(|objects| !objects.is_empty()) {
        return Ok(());
    }
    let document = emitter.texts.types.logic.document;
    let text = "no value of the schema is an object, and only objects can be written here";
    let error = document.error("json-schema::no-object", document.root(), text.to_owned());
    Err(error.with_help("allow objects: arguments are one, with a member for each"))
}

/// Makes the start rule of a grammar of tags: the objects of the root schema, with their members as tags. With `all`,
/// also the other values of the root, which no closing tag ends. A schema that allows every type means objects alone.
fn tagged_document<'a>(
    emitter: &mut Emitter<'a>,
    form: &'a TagForm,
    all: bool,
) -> Result<RuleId, Diagnostic> {
    let root = emitter.graph.root();
    emitter.layout = Layout::Tagged;
    let content = emitter.graph.content(root);
    let has_others = all && !has_all_types(content);
    if !has_others {
        check_objects(emitter, content)?;
    }
    // The members of the root may have a notation of their own.
    let within = emitter.tags.replace(form);
    let objects = match &content.objects {
        Some(union) => objects(emitter, &Tags(form), union).map(Expr::alt),
        None => any_members(emitter, form),
    }?;
    emitter.tags = within;
    let objects = match has_others {
        true => Expr::alt([objects, tagged_others(emitter, form, content)?]),
        false => objects,
    };
    let start = emitter.texts.rules.declare("members");
    let origin = emitter.origin(root);
    emitter.texts.rules.builder.define(start, objects, origin);
    Ok(start)
}

/// Returns the grammar expression of those values of the root schema that are no objects, written as inside a tag.
fn tagged_others(
    emitter: &mut Emitter<'_>,
    form: &TagForm,
    content: &Content,
) -> Result<Expr, Diagnostic> {
    let others = Content { objects: Some(Vec::new()), ..content.clone() };
    let mut choices = Vec::with_capacity(form.values.len());
    for value in &form.values {
        let alone = match value.is_delimited {
            true => value.clone(),
            false => unended(emitter, value)?,
        };
        choices.push(in_form(emitter, form, &alone, &others.scalars, &others)?);
    }
    Ok(Expr::alt(choices))
}

/// Returns the notation of a value without the texts of a tag around it. Strings still cannot contain the text that would
/// end them.
fn unended(emitter: &Emitter<'_>, value: &ValueForm) -> Result<ValueForm, Diagnostic> {
    let any = without_end(emitter, &value.close_text, &StringSet::all());
    let any = any.and_then(|any| any.raw(emitter.texts.rules.allowed));
    let any_string =
        any.map_err(|error| emitter.texts.too_complex("strings", &error.to_string()))?;
    Ok(ValueForm { begin: Expr::Empty, close: Expr::Empty, any_string, ..value.clone() })
}

/// Returns whether values of every JSON type satisfy the root schema, so that the schema does not name a type.
/// `content` has these values.
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
