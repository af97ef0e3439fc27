//! Assigns triggers to tags, and checks that the triggers are not ambiguous in free text.

use grammarc_json_schema::document::NodeId;

use super::fields::Reader;
use super::format::{Mark, Rule, Tag, Then};

/// Assigns each tag to the trigger that it begins with. A tag without exactly one such trigger is an error. Triggers
/// without a tag are added to `excludes`: free text may not contain them.
pub(super) fn rules(
    reader: &mut Reader<'_, '_>,
    triggers: &[Mark],
    tags: Vec<Tag>,
    excludes: &mut Vec<Mark>,
    at: NodeId,
) -> Vec<Rule> {
    if triggers.is_empty() {
        let message = "there are no triggers".to_owned();
        let help = "a trigger is how the tags begin; `tags_with_separator` needs none";
        reader.error("structural-tag::empty", at, message, help);
        return Vec::new();
    }
    check(reader, triggers.iter());
    let mut rules = Vec::with_capacity(tags.len());
    for tag in tags {
        let found: Vec<&Mark> =
            triggers.iter().filter(|trigger| begins(&tag.begin, trigger)).collect();
        match *found {
            [trigger] => {
                let then = Then::Tag(tag);
                rules.push(Rule { trigger: trigger.clone(), then, group: Some(0) });
            }
            [] => {
                let message = "the tag begins with no trigger".to_owned();
                let help = "add the beginning of the tag to the triggers";
                reader.error("structural-tag::no-trigger", tag.begin.at(), message, help);
            }
            _ => {
                let message = "the tag begins with several triggers".to_owned();
                let help = "leave out the longer ones: they are never reached";
                reader.error("structural-tag::several-triggers", tag.begin.at(), message, help);
            }
        }
    }
    let is_led = |trigger: &Mark| rules.iter().any(|rule| rule.trigger.at() == trigger.at());
    excludes.extend(triggers.iter().filter(|trigger| !is_led(trigger)).cloned());
    rules
}

fn begins(begin: &Mark, trigger: &Mark) -> bool {
    match (begin, trigger) {
        (Mark::Text(begin), Mark::Text(trigger)) => begin.text.starts_with(&trigger.text),
        (Mark::Token(begin), Mark::Token(trigger)) => begin.token == trigger.token,
        _ => false,
    }
}

/// Reports empty triggers, and triggers that contain another one. The inner trigger ends first, so free text never
/// reaches the end of the outer one.
pub(super) fn check<'t>(reader: &mut Reader<'_, '_>, triggers: impl Iterator<Item = &'t Mark>) {
    let mut known: Vec<&Mark> = Vec::new();
    for trigger in triggers {
        if let Mark::Text(text) = trigger
            && text.text.is_empty()
        {
            let message = "an empty trigger comes before every text".to_owned();
            let help = "name how the tags begin";
            reader.error("structural-tag::empty", trigger.at(), message, help);
            continue;
        }
        let contains = |outer: &Mark, inner: &Mark| match (outer, inner) {
            (Mark::Text(outer), Mark::Text(inner)) => outer.text.contains(&inner.text),
            (Mark::Token(outer), Mark::Token(inner)) => outer.token == inner.token,
            _ => false,
        };
        let other = known.iter().find(|other| contains(trigger, other) || contains(other, trigger));
        if let Some(&other) = other {
            let message =
                "one trigger is in another, so that the longer one is never reached".to_owned();
            let error =
                reader.document.error("structural-tag::nested-triggers", trigger.at(), message);
            let other = reader.document.span(other.at());
            let error = error.with_label(other, "the other one");
            reader.errors.push(error.with_help("leave out the longer one"));
            continue;
        }
        known.push(trigger);
    }
}
