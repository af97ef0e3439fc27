//! How a reply is delivered: the number of outputs, streaming, and the first and last parts that
//! chats and completions share.

use std::sync::Arc;

use grammarc_generate::output::Usage;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::log::Record;
use crate::reply;
use crate::sse::data;

/// The values of the fields `n`, `stream` and `stream_options`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) choices: u32,
    pub(crate) stream: bool,
    pub(crate) include_usage: bool,
}

impl Delivery {
    /// Reads the fields of a request with `prompts` prompts. The fields of `stream_options` that
    /// `ignored` names are accepted without effect.
    ///
    /// # Errors
    ///
    /// A field is malformed, or the number of outputs for all prompts exceeds
    /// [`RequestLimits::choices`](crate::RequestLimits::choices).
    pub(crate) fn read(
        fields: &mut Fields,
        app: &App,
        prompts: usize,
        ignored: &[&'static str],
    ) -> Result<Self, ApiError> {
        let most = app.options.limits.choices;
        let choices = fields.whole("n")?.unwrap_or(1);
        if choices == 0 || choices > most {
            return Err(fields.wrong("n", format!("it is not between 1 and {most}")));
        }
        if choices.saturating_mul(prompts as u64) > most {
            let message = format!(
                "{prompts} prompts with {choices} outputs each are more than {most} outputs"
            );
            return Err(fields.wrong("prompt", message));
        }
        let stream = fields.flag("stream")?.unwrap_or(false);
        let mut include_usage = false;
        if let Some(mut options) = fields.object("stream_options")? {
            include_usage = options.flag("include_usage")?.unwrap_or(false);
            options.ignore(ignored);
            options.finish()?;
        }
        Ok(Self { choices: choices as u32, stream, include_usage })
    }
}

/// The fields with which a reply and each of its chunks begin.
pub(crate) struct Head {
    id: String,
    created: u64,
    pub(crate) app: Arc<App>,
}

impl Head {
    /// Creates the head for a new request. The reply's id starts with `prefix`.
    pub(crate) fn new(app: &Arc<App>, prefix: &str, record: &Record) -> Self {
        let (number, created) = app.request();
        let id = format!("{prefix}{number}");
        record.set_id(id.clone());
        Self { id, created, app: Arc::clone(app) }
    }

    /// Returns the id of the reply without its prefix.
    pub(crate) fn number(&self, prefix: &str) -> &str {
        self.id.trim_start_matches(prefix)
    }

    /// Returns an object with the type name `kind` and these choices.
    pub(crate) fn object(&self, kind: &str, choices: Vec<Value>) -> Value {
        json!({"id": self.id, "object": kind, "created": self.created, "model": self.app.options.model, "choices": choices})
    }

    /// Returns a complete reply: the choices, and the tokens that they took.
    pub(crate) fn reply(
        &self,
        kind: &str,
        choices: Vec<Value>,
        prompt_tokens: usize,
        usages: impl IntoIterator<Item = Usage>,
    ) -> Value {
        let mut reply = self.object(kind, choices);
        reply["usage"] = reply::usage(prompt_tokens, usages);
        reply
    }

    /// Returns the last frames of a stream: the usage if the request asks for it, and the end mark.
    pub(crate) fn end(
        &self,
        kind: &str,
        delivery: Delivery,
        prompt_tokens: usize,
        usages: &[Usage],
    ) -> String {
        let usage = delivery
            .include_usage
            .then(|| data(&self.reply(kind, Vec::new(), prompt_tokens, usages.iter().copied())));
        usage.unwrap_or_default() + "data: [DONE]\n\n"
    }
}
