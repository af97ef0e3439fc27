//! Expands a request for tool calls to formats, with the texts of its style.
//!
//! Each tool and each form of a call becomes one tag. Triggers in the text lead to calls, or to the section that
//! contains all calls. Bounds on the number of calls become bounds on tags.

use crate::structural_tag::format::{
    Counted, Dispatch, Format, Kind, Mark, Role, Rule, Schema, Style as Members, Syntax, Tag, Text,
    Then,
};
use crate::structural_tag::members;
use crate::structural_tag::options::OnRefused;
use crate::structural_tag::suffix;
use grammarc_json_schema::document::NodeId;

use super::choice::Choice;
use super::list::{Input, Tool};
use super::request::{Open, Request};
use super::style::{Call, Message, Messages, Part, Response, Section};

/// Returns the format of all outputs that a request allows.
pub(super) fn expand(request: &Request) -> Format {
    let style = request.style;
    if let Some(messages) = &style.messages {
        return request.messages(messages);
    }
    let content = match &style.response {
        Some(response) => request.response(response),
        None => request.text(),
    };
    request.with_reasoning(content)
}

impl Request {
    fn format(&self, kind: Kind) -> Format {
        Format { kind, at: self.at }
    }

    fn written(&self, text: &str) -> Text {
        Text { text: suffix::with(&self.suffix, text), at: self.at }
    }

    fn constant(&self, text: &str) -> Format {
        self.format(Kind::Const(self.written(text)))
    }

    fn sequence(&self, parts: Vec<Format>) -> Format {
        self.format(Kind::Sequence(parts))
    }

    fn repeat(&self, content: Format, min: u32, max: Option<u32>) -> Format {
        self.format(Kind::Repeat { content: Box::new(content), min, max })
    }

    fn any_text(&self, excludes: &[String], max_tokens: Option<NodeId>) -> Format {
        let excludes = excludes.iter().map(|text| self.written(text)).collect();
        self.format(Kind::AnyText { excludes, max_tokens, max_chars: None })
    }

    /// Returns the format of reasoning followed by `content`, the rest of the output. Without reasoning, returns
    /// `content`.
    fn with_reasoning(&self, content: Format) -> Format {
        let Some(style) = &self.style.reasoning else { return content };
        let Some(reasoning) = self.reasoning else {
            return match style.none.as_str() {
                "" => content,
                none => {
                    let none = self.repeat(self.constant(none), 0, Some(1));
                    self.sequence(vec![none, content])
                }
            };
        };
        let begin = match reasoning.open {
            Open::Prefilled => "",
            Open::Written | Open::Optional => style.begin.as_str(),
        };
        let text = self.any_text(&style.excludes, reasoning.max_tokens);
        let tag = self.tag(begin, text, &[style.end.as_str()]);
        let tag = Tag { role: Role::Reasoning, ..tag };
        let mut parts = vec![self.format(Kind::Tag(tag))];
        if !style.behind.is_empty() {
            parts.push(self.constant(&style.behind));
        }
        if reasoning.open == Open::Optional {
            let mut ways = vec![self.sequence(parts)];
            // An empty reasoning that begins as any other is one already.
            if !style.none.is_empty() && !style.none.starts_with(&style.begin) {
                ways.push(self.constant(&style.none));
            }
            parts = vec![self.repeat(self.format(Kind::Or(ways)), 0, Some(1))];
        }
        parts.push(content);
        self.sequence(parts)
    }

    /// Returns the format of text with calls in it. The calls stand alone or in a section.
    fn text(&self) -> Format {
        let style = self.style;
        if self.choice == Choice::None || self.tools.is_empty() || self.max == Some(0) {
            return self.text_alone();
        }
        let dispatch =
            match &style.section {
                Some(section) => {
                    let tag = self.section(section);
                    let trigger = match (section.trigger.as_str(), &section.begin[..]) {
                        ("", [Part::Text(begin), ..]) => begin.as_str(),
                        (trigger, _) => trigger,
                    };
                    // The bounds apply to all calls, so all calls are in one section.
                    let is_one = self.max.is_some() || self.min > 1 || style.calls_end;
                    let (max, ends_with_tag) = (is_one.then_some(1), style.calls_end);
                    let mut rules = self.spans();
                    rules.push(self.rule(trigger, tag, Some(0)));
                    let min = self.min.min(1);
                    Dispatch { rules, max, min, ends_with_tag, ..self.dispatch() }
                }
                None => {
                    let mut rules = self.spans();
                    for (group, tool) in (0..).zip(&self.tools) {
                        let forms = self.forms(tool).iter();
                        rules.extend(forms.map(|call| {
                            self.rule(&call.trigger, self.call(tool, call), Some(group))
                        }));
                    }
                    let &Self { min, max, unique, .. } = self;
                    let in_a_row = style.calls_end;
                    Dispatch { rules, max, min, unique, in_a_row, ..self.dispatch() }
                }
            };
        if self.text_before && style.alone.is_none() {
            return self.format(Kind::Dispatch(dispatch));
        }
        let calls = match &style.section {
            Some(section) => {
                let tag = self.format(Kind::Tag(self.section(section)));
                let lead = self.repeat(self.constant(&section.lead), 0, Some(1));
                let parts = if section.lead.is_empty() { vec![tag] } else { vec![lead, tag] };
                self.sequence(parts)
            }
            None if self.choice == Choice::Named => {
                let tags = dispatch.rules.into_iter().filter_map(|rule| match rule.then {
                    Then::Tag(tag) => Some(self.format(Kind::Tag(tag))),
                    Then::Format(_) => None,
                });
                self.format(Kind::Or(tags.collect()))
            }
            None => {
                let min = dispatch.min.max(1);
                let first = Dispatch { begins_with_tag: true, min, ..dispatch };
                self.format(Kind::Dispatch(first))
            }
        };
        match self.min {
            0 => self.format(Kind::Or(vec![self.text_alone(), calls])),
            _ => calls,
        }
    }

    /// Returns the format of text without calls. The text may not contain the beginning of a call.
    fn text_alone(&self) -> Format {
        let style = self.style;
        let mut excludes: Vec<String> = Vec::new();
        match &style.section {
            Some(_) if let Some(begin) = &style.alone => {
                let names = self.tools.iter().map(|tool| &tool.name.text);
                excludes.extend(names.map(|name| begin.replace("{name}", name)));
            }
            Some(section) => {
                let begin = section.begin.iter().take(1).filter_map(|part| match part {
                    Part::Text(text) => Some(text.clone()),
                    Part::Pattern { .. } => None,
                });
                match section.trigger.as_str() {
                    "" => excludes.extend(begin),
                    trigger => excludes.push(trigger.to_owned()),
                }
            }
            None => excludes.extend(style.calls.iter().map(|call| call.trigger.clone())),
        }
        excludes.dedup();
        excludes.extend(style.excludes.iter().cloned());
        if style.text.is_empty() {
            return self.any_text(&excludes, None);
        }
        let excludes = excludes.iter().map(|text| Mark::Text(self.written(text))).collect();
        self.format(Kind::Dispatch(Dispatch { rules: self.spans(), excludes, ..self.dispatch() }))
    }

    /// Returns rules for text in tags, for families that write such.
    fn spans(&self) -> Vec<Rule> {
        let span = |message: &Message| self.rule(&message.begin, self.message(message, None), None);
        self.style.text.iter().map(span).collect()
    }

    fn message(&self, message: &Message, max_tokens: Option<NodeId>) -> Tag {
        let ends: Vec<&str> = message.end.iter().map(String::as_str).collect();
        self.tag(&message.begin, self.any_text(&[], max_tokens), &ends)
    }

    fn dispatch(&self) -> Dispatch {
        let excludes = self.style.excludes.iter();
        let excludes = excludes.map(|text| Mark::Text(self.written(text)));
        Dispatch::of(Vec::new(), excludes.collect())
    }

    fn rule(&self, trigger: &str, tag: Tag, group: Option<u32>) -> Rule {
        Rule { trigger: Mark::Text(self.written(trigger)), then: Then::Tag(tag), group }
    }

    /// Returns the tag of the section that contains all calls.
    fn section(&self, section: &'static Section) -> Tag {
        let calls = self.separated(&section.separator, self.min.max(1), self.max);
        self.parts("", &section.begin, calls, &section.end, self.at)
    }

    fn separated(&self, separator: &str, min: u32, max: Option<u32>) -> Format {
        let mut tags = Vec::new();
        for (group, tool) in (0..).zip(&self.tools) {
            tags.extend(self.forms(tool).iter().map(|call| (self.call(tool, call), Some(group))));
        }
        let (separator, unique) = (self.written(separator), self.unique);
        if unique.is_some() {
            let last = Vec::new();
            let counted = Counted { tags, separator, last, min, max, unique };
            return self.format(Kind::Counted(counted));
        }
        let tags = tags.into_iter().map(|(tag, _)| tag).collect();
        self.format(Kind::Separated { tags, separator, min, max })
    }

    fn forms(&self, tool: &Tool) -> &'static [Call] {
        match tool.built_in {
            Some(_) => &self.style.built_in,
            None => &self.style.calls,
        }
    }

    /// Returns the format of the arguments of a tool.
    pub(super) fn arguments(&self, tool: &Tool) -> Format {
        match tool.input {
            Some(Input::Grammar(at)) => Format { kind: Kind::Grammar(at, Syntax::Ebnf), at },
            Some(Input::Pattern(at)) => Format { kind: Kind::Regex(at), at },
            None => {
                let style =
                    members::named(&self.style.arguments).map_or(Members::Json, Members::Xml);
                let schema = Schema {
                    schema: tool.parameters,
                    style,
                    any_order: self.any_order,
                    max_whitespace: self.max_whitespace,
                    is_object: true,
                    excludes: Vec::new(),
                    is_loosened: self.on_refused == OnRefused::Loosen && !tool.is_strict,
                };
                let at = tool.parameters.unwrap_or(tool.name.at);
                Format { kind: Kind::Schema(schema), at }
            }
        }
    }

    /// Returns the tag of a call of a tool, in one of the forms of the style.
    fn call(&self, tool: &Tool, call: &'static Call) -> Tag {
        let mut arguments = self.arguments(tool);
        let members = members::style(&self.style.arguments);
        if tool.input.is_some() && members.is_some_and(|style| style.lines) {
            // Members have their last line end themselves.
            arguments = self.sequence(vec![arguments, self.constant("\n")]);
        }
        let name = &tool.name;
        let tag = self.parts(&name.text, &call.begin, arguments, &call.end, name.at);
        Tag { role: Role::Call(name.text.clone()), ..tag }
    }

    /// Returns a tag with the markup of `begin` and `end` around a content. `{name}` in the markup becomes the name of
    /// the tool.
    fn parts(
        &self,
        name: &str,
        begin: &'static [Part],
        content: Format,
        end: &'static [Part],
        at: NodeId,
    ) -> Tag {
        let text = |text: &str| Text {
            text: suffix::with(&self.suffix, text).replace("{name}", name),
            at,
        };
        let mark = |part: Option<&Part>| match part {
            Some(Part::Text(part)) => Mark::Text(text(part)),
            Some(Part::Pattern { .. }) | None => Mark::Text(text("")),
        };
        let format = |part: &'static Part| match part {
            Part::Text(part) => Format { kind: Kind::Const(text(part)), at },
            Part::Pattern { pattern } => Format { kind: Kind::Pattern(pattern), at },
        };
        let before = begin.iter().skip(1).map(format);
        let behind = end.iter().take(end.len().saturating_sub(1)).map(format);
        let mut all: Vec<Format> = before.chain([content]).chain(behind).collect();
        let content = match all.len() {
            1 => all.swap_remove(0),
            _ => Format { kind: Kind::Sequence(all), at },
        };
        let (begin, end) = (mark(begin.first()), mark(end.last()));
        let goes_on = self.style.messages.iter().map(|messages| Mark::Text(text(&messages.end)));
        let end = [end].into_iter().chain(goes_on).collect();
        Tag { at, begin, content: Box::new(content), end, role: Role::Tag }
    }

    fn tag(&self, begin: &str, content: Format, end: &[&str]) -> Tag {
        let end = end.iter().map(|end| Mark::Text(self.written(end))).collect();
        let begin = Mark::Text(self.written(begin));
        Tag { at: self.at, begin, content: Box::new(content), end, role: Role::Tag }
    }

    /// Returns the format of a response in tags, and of a section of calls if calls are allowed.
    fn response(&self, response: &Response) -> Format {
        let begin = if self.reasoning.is_some() { response.begin.as_str() } else { "" };
        let text = match self.text_before {
            true => self.any_text(&self.style.excludes, None),
            false => self.constant(""),
        };
        let mut parts = vec![self.format(Kind::Tag(self.tag(begin, text, &[&response.end])))];
        let may_call = self.choice != Choice::None && !self.tools.is_empty() && self.max != Some(0);
        if let Some(section) = self.style.section.as_ref().filter(|_| may_call) {
            let section = self.format(Kind::Tag(self.section(section)));
            parts.push(match self.min {
                0 => self.repeat(section, 0, Some(1)),
                _ => section,
            });
        }
        parts.push(self.constant(&response.finish));
        self.sequence(parts)
    }

    /// Returns the format of an output that consists of messages with a separator between them. Calls are messages too.
    fn messages(&self, messages: &Messages) -> Format {
        let mut others: Vec<Tag> = Vec::new();
        if self.text_before {
            others.extend(messages.text.iter().map(|text| self.message(text, None)));
        }
        if let Some(reasoning) = self.reasoning {
            let all = messages.reasoning.iter();
            others.extend(all.map(|text| {
                let tag = self.message(text, reasoning.max_tokens);
                Tag { role: Role::Reasoning, ..tag }
            }));
        }
        let mut tags: Vec<(Tag, Option<u32>)> = others.into_iter().map(|tag| (tag, None)).collect();
        let has_calls =
            self.choice != Choice::None && !self.tools.is_empty() && self.max != Some(0);
        let of_calls: &[Tool] = if has_calls { &self.tools } else { &[] };
        for (group, tool) in (0..).zip(of_calls) {
            tags.extend(self.forms(tool).iter().map(|call| (self.call(tool, call), Some(group))));
        }
        let (separator, last) = (self.written(&messages.separator), &messages.last);
        let last = last.iter().map(|end| self.written(end)).collect();
        let (min, max, unique) =
            if has_calls { (self.min, self.max, self.unique) } else { (0, None, None) };
        self.format(Kind::Counted(Counted { tags, separator, last, min, max, unique }))
    }
}
