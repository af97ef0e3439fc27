//! Reads the events of a reply: either a stream of server-sent events or one JSON object.

use std::io::{BufRead, BufReader, Read};

use grammarc_generate::Event;
use grammarc_generate::output::{Finish, Finished, Usage};
use serde_json::Value;
use ureq::http::Response;
use ureq::{Body, BodyReader};

use crate::error::{HttpError, begin};

/// Reads a reply of at most `most` bytes. `tell` receives each event, and returns `false` if the
/// caller is gone.
pub(crate) fn read(
    response: Response<Body>,
    most: usize,
    mut send: impl FnMut(Event) -> bool,
) -> Result<(), HttpError> {
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let mut reader =
        Limited { inner: BufReader::new(response.into_body().into_reader()), most, left: most };
    if !(200..300).contains(&status) {
        let text = reader.rest()?;
        return Err(HttpError::Status { status, begin: message(&text) });
    }
    let mut reading = Reading { status, parts: ReadParts::default() };
    if !is_stream {
        let text = reader.rest()?;
        reading.object(&text, "message", &mut send)?;
        return reading.end(&text, &mut send);
    }
    let mut line = Vec::new();
    loop {
        let read = reader.line(&mut line)?;
        if read == 0 {
            return reading.end(b"", &mut send);
        }
        let text = line.trim_ascii();
        let Some(data) = text.strip_prefix(b"data:").map(<[u8]>::trim_ascii) else {
            // Blank lines, comments and event names carry no data.
            if text.is_empty() || text.contains(&b':') {
                continue;
            }
            return Err(reading.wrong("a line of a stream is no field", text));
        };
        if data == b"[DONE]" {
            return reading.end(data, &mut send);
        }
        if !reading.object(data, "delta", &mut send)? {
            return Ok(());
        }
    }
}

/// Returns the message of an error object in OpenAI's form. Without one, returns the first bytes of
/// the text.
fn message(text: &[u8]) -> String {
    let parsed: Option<Value> = serde_json::from_slice(text).ok();
    let message = parsed.as_ref().and_then(|error| error.pointer("/error/message")?.as_str());
    message.map_or_else(|| begin(text), str::to_owned)
}

/// The body of a reply with a limit on its length in bytes.
struct Limited {
    inner: BufReader<BodyReader<'static>>,
    most: usize,
    left: usize,
}

impl Limited {
    fn line(&mut self, line: &mut Vec<u8>) -> Result<usize, HttpError> {
        line.clear();
        let limit = self.left as u64 + 1;
        let read = (&mut self.inner).take(limit).read_until(b'\n', line);
        self.spend(read.map_err(HttpError::Broken)?)
    }

    fn rest(&mut self) -> Result<Vec<u8>, HttpError> {
        let mut text = Vec::new();
        let limit = self.left as u64 + 1;
        let read = (&mut self.inner).take(limit).read_to_end(&mut text);
        self.spend(read.map_err(HttpError::Broken)?)?;
        Ok(text)
    }

    fn spend(&mut self, read: usize) -> Result<usize, HttpError> {
        let left = self.left.checked_sub(read);
        self.left = left.ok_or(HttpError::TooLarge { limit: self.most })?;
        Ok(read)
    }
}

/// The parts of a reply that were read so far: finish reason, usage and number of calls.
#[derive(Default)]
struct ReadParts {
    finish: Option<Finish>,
    usage: Usage,
    calls: u32,
}

struct Reading {
    status: u16,
    parts: ReadParts,
}

impl Reading {
    /// Reads one JSON object of the reply. `part` names the member of a choice with the new
    /// content: `delta` or `message`. Returns false if the caller is gone.
    fn object(
        &mut self,
        text: &[u8],
        part: &str,
        send: &mut impl FnMut(Event) -> bool,
    ) -> Result<bool, HttpError> {
        let object: Value = serde_json::from_slice(text)
            .map_err(|error| self.wrong(&format!("it is no JSON: {error}"), text))?;
        if object.get("error").is_some() {
            return Err(HttpError::Status { status: self.status, begin: message(text) });
        }
        let Some(choices) = object.get("choices").and_then(Value::as_array) else {
            return Err(self.wrong("it has no `choices`", text));
        };
        let count = |name: &str| {
            let found = object.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
            found.and_then(|count| usize::try_from(count).ok())
        };
        if let Some(tokens) = count("prompt_tokens") {
            self.parts.usage.prompt_tokens = tokens;
        }
        if let Some(tokens) = count("completion_tokens") {
            self.parts.usage.completion_tokens = tokens;
        }
        let Some(choice) = choices.first() else { return Ok(true) };
        let new = choice.get(part).unwrap_or(&Value::Null);
        let mut events = Vec::new();
        let text_of =
            |name: &str| new.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        events.extend(text_of("reasoning_content").map(|text| Event::Reasoning(text.to_owned())));
        events.extend(text_of("content").map(|text| Event::Text(text.to_owned())));
        for call in new.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.call(call, &mut events);
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            None => {}
            Some("length") => self.parts.finish = Some(Finish::Length { closed: false }),
            Some(_) => self.parts.finish = Some(Finish::Stop),
        }
        Ok(events.into_iter().all(send))
    }

    /// Reads a part of a tool call: the start of a new call, or more arguments of the last call.
    fn call(&mut self, call: &Value, events: &mut Vec<Event>) {
        let function = call.get("function").unwrap_or(&Value::Null);
        let name = function.get("name").and_then(Value::as_str);
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            events.push(Event::Call { index: self.parts.calls, name: name.to_owned() });
            self.parts.calls += 1;
        }
        let delta = function.get("arguments").and_then(Value::as_str);
        if let (Some(delta), Some(index)) = (delta, self.parts.calls.checked_sub(1)) {
            events.push(Event::Arguments { index, delta: delta.to_owned() });
        }
    }

    /// Sends the final event. Fails if the reply had no finish reason.
    fn end(&mut self, text: &[u8], send: &mut impl FnMut(Event) -> bool) -> Result<(), HttpError> {
        let ReadParts { finish, usage, calls } = std::mem::take(&mut self.parts);
        let Some(finish) = finish else {
            return Err(self.wrong("it ended without a `finish_reason`", text));
        };
        let cut_call = calls.checked_sub(1).filter(|_| finish.is_cut());
        send(Event::Finished(Finished { finish, cut_call, usage }));
        Ok(())
    }

    fn wrong(&self, problem: &str, text: &[u8]) -> HttpError {
        let problem = problem.to_owned();
        HttpError::Protocol { status: self.status, problem, begin: begin(text) }
    }
}
