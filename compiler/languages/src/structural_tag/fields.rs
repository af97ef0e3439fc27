//! Reads the members of an object of a structural tag, each once and by its type.
//!
//! The reader records an error and continues, so one compilation reports all errors. A member that is never asked for
//! is an error; otherwise a misspelled option would be silently ignored.

use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::TokenRef;
use grammarc_grammar::suggest::nearest;
use grammarc_json_schema::document::{Document, Json, NodeId};

use super::format::{Text, Token};
use super::options::StructuralTagOptions;
use super::refused_tool::{Candidate, Refused, ToolState};

/// Reads the values of a document, with the errors found so far.
#[derive(Debug)]
pub(super) struct Reader<'d, 's> {
    pub(super) document: &'d Document<'s>,
    pub(super) options: &'d StructuralTagOptions,
    /// The special tokens of the vocabulary.
    pub(super) controls: &'d ControlTokens,
    pub(super) errors: Vec<Diagnostic>,
    /// The tools that are left out of the grammar, since they do not compile.
    pub(super) left_out: Vec<Refused>,
    /// The tools read so far that are left out if their arguments do not compile.
    pub(super) candidates: Vec<Candidate>,
}

impl<'d, 's> Reader<'d, 's> {
    /// Creates a reader that leaves out the tools `left_out`.
    pub(super) fn new(
        document: &'d Document<'s>,
        options: &'d StructuralTagOptions,
        controls: &'d ControlTokens,
        left_out: Vec<Refused>,
    ) -> Self {
        Self { document, options, controls, errors: Vec::new(), left_out, candidates: Vec::new() }
    }

    /// Returns the record of a tool that is left out. `None` if the tool is not left out.
    pub(super) fn left_out(&self, tool: NodeId) -> Option<&Refused> {
        self.left_out.iter().find(|left_out| left_out.at == tool)
    }

    /// Leaves out a tool that has `errors`, at least one.
    pub(super) fn leave_out(&mut self, tool: NodeId, name: &str, errors: &[Diagnostic]) {
        let state = ToolState::LeftOut;
        self.left_out.push(Refused::new(self.document, tool, name, state, errors));
    }

    /// Reports an error at the value `at` of the document. An empty `help` is left out.
    pub(super) fn error(&mut self, code: &'static str, at: NodeId, text: String, help: &str) {
        let error = self.document.error(code, at, text);
        self.errors.push(if help.is_empty() { error } else { error.with_help(help) });
    }

    /// Returns the members of the object `at`. If the value is no object, reports an error and returns `None`.
    pub(super) fn object(&mut self, at: NodeId) -> Option<Fields> {
        if let Json::Object(_) = self.document.json(at) {
            return Some(Fields { at, asked: Vec::new() });
        }
        self.wrong(at, "an object");
        None
    }

    /// Returns the items of the array `at`. If the value is no array, reports an error and returns no items.
    pub(super) fn items(&mut self, at: NodeId) -> Vec<NodeId> {
        if let Json::Array(items) = self.document.json(at) {
            return items.clone();
        }
        self.wrong(at, "an array");
        Vec::new()
    }

    /// Reads a string. If the value is no string, reports an error and returns `None`.
    pub(super) fn text(&mut self, at: NodeId) -> Option<Text> {
        if let Json::String(text) = self.document.json(at) {
            return Some(Text { text: text.clone().into_owned(), at });
        }
        self.wrong(at, "a string");
        None
    }

    /// Reads a token, given as its id (a number) or its text (a string). For other values, reports an error and returns
    /// `None`.
    pub(super) fn token(&mut self, at: NodeId) -> Option<Token> {
        let token = match self.document.json(at) {
            Json::String(text) => Some(TokenRef::Text(text.clone().into_owned())),
            Json::Number(number) => number.parse().ok().map(TokenRef::Id),
            _ => None,
        };
        if token.is_none() {
            self.wrong(at, "the id or the text of a token");
        }
        token.map(|token| Token { token, at })
    }

    /// Reports an error for a value of the wrong type. `expected` names the right one.
    pub(super) fn wrong(&mut self, at: NodeId, expected: &str) {
        let found = self.document.json(at).kind();
        self.error("structural-tag::type", at, format!("expected {expected}, found {found}"), "");
    }
}

/// The members of a JSON object, with the keys that were asked for so far.
pub(super) struct Fields {
    pub(super) at: NodeId,
    asked: Vec<&'static str>,
}

impl Fields {
    /// Returns the value of an optional member. `None` if the member is missing or `null`.
    pub(super) fn get(&mut self, reader: &Reader<'_, '_>, key: &'static str) -> Option<NodeId> {
        self.asked.push(key);
        let value = reader.document.get(self.at, key)?;
        (!matches!(reader.document.json(value), Json::Null)).then_some(value)
    }

    /// Returns the value of an optional member, `null` included. `None` if the member is missing.
    pub(super) fn value(&mut self, reader: &Reader<'_, '_>, key: &'static str) -> Option<NodeId> {
        self.asked.push(key);
        reader.document.get(self.at, key)
    }

    /// Returns the value of a required member. If it is missing, reports an error and returns `None`.
    pub(super) fn need(
        &mut self,
        reader: &mut Reader<'_, '_>,
        key: &'static str,
    ) -> Option<NodeId> {
        let value = self.value(reader, key);
        if value.is_none() {
            let text = format!("`{key}` is missing");
            reader.error("structural-tag::missing", self.at, text, "");
        }
        value
    }

    /// Reads a required member that is a string. Otherwise reports an error and returns `None`.
    pub(super) fn need_text(
        &mut self,
        reader: &mut Reader<'_, '_>,
        key: &'static str,
    ) -> Option<Text> {
        let value = self.need(reader, key)?;
        reader.text(value)
    }

    /// Reads an optional boolean member. Returns `default` if it is missing, or, with an error, of another type.
    pub(super) fn flag(
        &mut self,
        reader: &mut Reader<'_, '_>,
        key: &'static str,
        default: bool,
    ) -> bool {
        let Some(value) = self.get(reader, key) else { return default };
        match reader.document.json(value) {
            Json::Bool(flag) => *flag,
            _ => {
                reader.wrong(value, "a boolean");
                default
            }
        }
    }

    /// Reads an optional member that is a whole number from 0 to 4294967295, with its place. Other values are an error.
    pub(super) fn count(
        &mut self,
        reader: &mut Reader<'_, '_>,
        key: &'static str,
    ) -> Option<(u32, NodeId)> {
        let value = self.get(reader, key)?;
        let number = match reader.document.json(value) {
            Json::Number(number) => number.parse().ok(),
            _ => None,
        };
        if number.is_none() {
            reader.wrong(value, "a whole number that is not negative");
        }
        number.map(|number| (number, value))
    }

    /// Reads an optional member that is an array of strings. Returns no strings if it is missing; other values are
    /// errors.
    pub(super) fn texts(&mut self, reader: &mut Reader<'_, '_>, key: &'static str) -> Vec<Text> {
        let Some(list) = self.get(reader, key) else { return Vec::new() };
        let items = reader.items(list);
        items.into_iter().filter_map(|item| reader.text(item)).collect()
    }

    /// Reads an optional member that is an array of tokens. Returns no tokens if it is missing; other values are
    /// errors.
    pub(super) fn tokens(&mut self, reader: &mut Reader<'_, '_>, key: &'static str) -> Vec<Token> {
        let Some(list) = self.get(reader, key) else { return Vec::new() };
        let items = reader.items(list);
        items.into_iter().filter_map(|item| reader.token(item)).collect()
    }

    /// Reports an error for each member whose key was not asked for.
    pub(super) fn finish(self, reader: &mut Reader<'_, '_>) {
        let Json::Object(members) = reader.document.json(self.at) else { return };
        let unknown = members.iter().filter(|(key, _)| !self.asked.contains(key));
        let unknown: Vec<(String, NodeId)> =
            unknown.map(|(key, member)| (key.to_owned(), member.value)).collect();
        for (key, value) in unknown {
            let help = match nearest(&key, self.asked.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known here: {}", self.asked.join(", ")),
            };
            reader.error(
                "structural-tag::unknown-key",
                value,
                format!("unknown key `{key}`"),
                &help,
            );
        }
    }
}
