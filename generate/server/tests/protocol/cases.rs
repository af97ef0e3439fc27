//! Requests and what their replies hold, as data: `cases/*.json`.
//!
//! | field | |
//! | --- | --- |
//! | `path`, `body` | the request; `wish` in place of a body's prompt |
//! | `status` | 200 where nothing else is said |
//! | `holds` | values at pointers into the reply |
//! | `says`, `lacks` | texts that strings at pointers hold, and do not |
//! | `headers` | values of headers |
//! | `server` | options of the server: `tool_style`, `reasoning` |
//!
//! A request to an endpoint that streams is sent again as a stream, which has to give the same result.

use std::collections::HashMap;

use grammarc_server::ServerOptions;
use serde_json::{Map, Value, json};

use crate::client::{Reply, Server};

const FILES: [(&str, &str); 6] = [
    ("chat", include_str!("cases/chat.json")),
    ("constraints", include_str!("cases/constraints.json")),
    ("tools", include_str!("cases/tools.json")),
    ("responses", include_str!("cases/responses.json")),
    ("messages", include_str!("cases/messages.json")),
    ("errors", include_str!("cases/errors.json")),
];

/// The body of a case: a wish stands where the endpoint has its prompt.
fn body(case: &Value, path: &str) -> Value {
    let mut body = case.get("body").cloned().unwrap_or_else(|| json!({}));
    if body["tools"] == "TOOLS" {
        body["tools"] = tools();
    }
    if let Some(wish) = case["wish"].as_str() {
        let wish = format!("⟦{wish}⟧");
        match path {
            "/v1/completions" => body["prompt"] = json!(wish),
            "/v1/responses" => body["input"] = json!(wish),
            _ => body["messages"] = json!([{"role": "user", "content": wish}]),
        }
        if path != "/v1/repair" && body.get("temperature").is_none() {
            body["temperature"] = json!(0);
        }
    }
    body
}

/// The tools that cases name by `TOOLS`.
fn tools() -> Value {
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false});
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    let sum = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": numbers}, "required": ["a", "b"], "additionalProperties": false});
    let tool = |name: &str, parameters: &Value| json!({"type": "function", "function": {"name": name, "parameters": parameters, "strict": true}});
    json!([tool("get", &city), tool("add", &sum)])
}

fn options(server: &Value) -> ServerOptions {
    let mut options = ServerOptions::default();
    if let Some(style) = server["tool_style"].as_str() {
        options.tool_style = style.to_owned();
    }
    if server["reasoning"] == true {
        options.reasoning = Some(("<think>".to_owned(), "</think>".to_owned()));
    }
    options
}

/// The parts of a reply that are not as its case says.
fn differences(case: &Value, reply: &Reply) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, is: &Value, expected: &Value| {
        if is != expected {
            found.push(format!("{what} is {is} and not {expected}"));
        }
    };
    let status = case.get("status").cloned().unwrap_or_else(|| json!(200));
    compare("the status", &json!(reply.status.as_u16()), &status);
    let json = reply.json();
    let at = |pointer: &str| json.pointer(pointer).cloned().unwrap_or_default();
    for (pointer, value) in case["holds"].as_object().into_iter().flatten() {
        compare(pointer, &at(pointer), value);
    }
    for (header, value) in case["headers"].as_object().into_iter().flatten() {
        let found = reply.headers.get(header).and_then(|value| value.to_str().ok());
        compare(header, &json!(found), value);
    }
    for (pointer, text) in case["says"].as_object().into_iter().flatten() {
        let (shown, text) = (at(pointer), text.as_str().expect("a text"));
        if !shown.as_str().is_some_and(|shown| shown.contains(text)) {
            found.push(format!("{pointer} is {shown} without {text:?}"));
        }
    }
    for (pointer, text) in case["lacks"].as_object().into_iter().flatten() {
        let (shown, text) = (at(pointer), text.as_str().expect("a text"));
        if shown.as_str().is_none_or(|shown| shown.contains(text)) {
            found.push(format!("{pointer} is {shown}, with {text:?}"));
        }
    }
    found
}

/// Adds a text to what stands at a key.
fn append(object: &mut Value, key: &str, text: &Value) {
    if let Some(text) = text.as_str() {
        let before = object[key].as_str().unwrap_or_default();
        object[key] = Value::from(format!("{before}{text}"));
    }
}

/// The reply that the chunks of a chat or completion add up to.
fn of_chunks(reply: &Reply, name: &str) -> Value {
    let (frames, is_done) = reply.frames();
    assert!(is_done, "{name}: no [DONE]: {}", reply.text);
    let mut choices: Map<String, Value> = Map::new();
    let mut usage = Value::Null;
    for frame in &frames {
        if frame["choices"].as_array().is_some_and(Vec::is_empty) {
            usage = frame["usage"].clone();
        }
        for chunk in frame["choices"].as_array().expect("choices") {
            let index = chunk["index"].to_string();
            let choice = choices.entry(index).or_insert_with(|| {
                json!({"index": chunk["index"], "message": {}, "logprobs": null, "finish_reason": null})
            });
            assert_eq!(choice["finish_reason"], Value::Null, "{name}: a chunk behind the last");
            append(choice, "text", &chunk["text"]);
            for key in ["role", "content", "reasoning_content"] {
                append(&mut choice["message"], key, &chunk["delta"][key]);
            }
            for part in chunk["delta"]["tool_calls"].as_array().into_iter().flatten() {
                add_call(&mut choice["message"], part, name);
            }
            for (key, more) in chunk["logprobs"].as_object().into_iter().flatten() {
                let Value::Array(more) = more else { continue };
                let mut all = choice["logprobs"][key].as_array().cloned().unwrap_or_default();
                all.extend(more.iter().cloned());
                choice["logprobs"][key] = Value::Array(all);
            }
            choice["finish_reason"] = chunk["finish_reason"].clone();
            for (key, own) in chunk["x_grammarc"].as_object().into_iter().flatten() {
                match (&mut choice["x_grammarc"][key], own) {
                    (Value::Array(all), Value::Array(more)) => all.extend(more.iter().cloned()),
                    (place, own) => *place = own.clone(),
                }
            }
            if let Some(index) = choice.pointer("/x_grammarc/cut_call").and_then(Value::as_u64) {
                drop_call(choice, index as usize);
            }
        }
    }
    // Outputs come side by side.
    let mut choices: Vec<Value> = choices.into_iter().map(|(_, choice)| choice).collect();
    choices.sort_by_key(|choice| choice["index"].as_u64());
    json!({"choices": choices, "usage": usage})
}

/// Removes a call that was cut from the message of a stream: a whole reply does not have it.
fn drop_call(choice: &mut Value, index: usize) {
    let calls = choice["message"]["tool_calls"].as_array_mut().expect("the stream has a call");
    assert_eq!(calls.len(), index + 1, "the last call is the one that was cut");
    calls.pop();
    if calls.is_empty() {
        choice["message"].as_object_mut().expect("an object").shift_remove("tool_calls");
    }
    choice.as_object_mut().expect("an object").shift_remove("x_grammarc");
}

fn add_call(message: &mut Value, part: &Value, name: &str) {
    let mut calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    let index = part["index"].as_u64().expect("an index") as usize;
    if index == calls.len() {
        assert!(part["id"].is_string(), "{name}: the first part of a call has its id");
        let mut call = part.clone();
        call.as_object_mut().expect("an object").shift_remove("index");
        calls.push(call);
    } else {
        let kind = if part.get("custom").is_some() {
            ("custom", "input")
        } else {
            ("function", "arguments")
        };
        append(&mut calls[index][kind.0], kind.1, &part[kind.0][kind.1]);
    }
    message["tool_calls"] = Value::Array(calls);
}

/// A whole reply without what differs from request to request and what only whole replies have.
fn comparable(mut whole: Value) -> Value {
    for choice in whole["choices"].as_array_mut().into_iter().flatten() {
        let message = &mut choice["message"];
        if message.is_object() {
            message.as_object_mut().expect("an object").shift_remove("refusal");
            let is_blank = |text: &Value| text.as_str().is_none_or(|text| text.trim().is_empty());
            if message.get("tool_calls").is_some() && is_blank(&message["content"]) {
                message["content"] = Value::Null;
            }
        } else {
            choice["message"] = json!({});
        }
        if let Some(logprobs) = choice["logprobs"].as_object_mut() {
            logprobs.shift_remove("refusal");
        }
        for call in choice["message"]["tool_calls"].as_array_mut().into_iter().flatten() {
            call["id"] = Value::Null;
        }
        if choice["text"].is_null() {
            choice.as_object_mut().expect("an object").shift_remove("text");
        }
    }
    json!({"choices": whole["choices"], "usage": whole["usage"]})
}

/// The message that the events of a stream add up to. A call that was cut is not in it.
fn of_message_events(reply: &Reply, name: &str) -> Value {
    let (frames, _) = reply.frames();
    let mut message = frames[0]["message"].clone();
    assert_eq!(frames.last().expect("a frame")["type"], "message_stop", "{name}");
    let mut content: Vec<Value> = Vec::new();
    let mut inputs = String::new();
    for frame in &frames {
        match frame["type"].as_str().expect("a type") {
            "content_block_start" => {
                assert_eq!(frame["index"], json!(content.len()), "{name}: {frame}");
                inputs.clear();
                content.push(frame["content_block"].clone());
            }
            "content_block_delta" => {
                let (block, delta) = (content.last_mut().expect("it is open"), &frame["delta"]);
                append(block, "text", &delta["text"]);
                append(block, "thinking", &delta["thinking"]);
                inputs.push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            "content_block_stop" if !inputs.is_empty() => {
                let block = content.last_mut().expect("it is open");
                block["input"] = serde_json::from_str(&inputs).unwrap_or_default();
            }
            "message_delta" => {
                for key in ["stop_reason", "stop_sequence"] {
                    message[key] = frame["delta"][key].clone();
                }
                message["usage"] = frame["usage"].clone();
                message["x_grammarc"] = frame["x_grammarc"].clone();
            }
            _ => {}
        }
    }
    content.retain(|block| !(block["type"] == "tool_use" && block["input"].is_null()));
    if content.is_empty() {
        content.push(json!({"type": "text", "text": ""}));
    }
    message["content"] = Value::Array(content);
    message
}

/// A message without the number of its request.
fn without_number(mut message: Value) -> Value {
    message["id"] = Value::Null;
    for block in message["content"].as_array_mut().into_iter().flatten() {
        if block.get("id").is_some() {
            block["id"] = Value::Null;
        }
    }
    message
}

/// The response that a stream ends with, whose items are those that were added, grew and were done.
fn of_events(reply: &Reply, name: &str) -> Value {
    let (frames, _) = reply.frames();
    let mut items: HashMap<u64, String> = HashMap::new();
    for (number, frame) in frames.iter().enumerate() {
        assert_eq!(frame["sequence_number"], json!(number), "{name}: {frame}");
        let index = frame["output_index"].as_u64().unwrap_or_default();
        let kind = frame["type"].as_str().expect("a type");
        let joined = items.entry(index).or_default();
        match kind.rsplit_once('.').expect("a kind").1 {
            "delta" => joined.push_str(frame["delta"].as_str().expect("a text")),
            "done" => {
                let whole =
                    ["text", "arguments", "input"].into_iter().find_map(|key| frame[key].as_str());
                if let Some(whole) = whole {
                    assert_eq!(joined, whole, "{name}: {frame}");
                }
            }
            _ => {}
        }
        let is_end = ["completed", "incomplete"].iter().any(|end| kind.ends_with(end));
        assert_eq!(is_end, number + 1 == frames.len(), "{name}: {kind}");
    }
    frames.last().expect("a frame")["response"].clone()
}

/// A response without the number of its request.
fn without_ids(mut response: Value) -> Value {
    for key in ["id", "created_at"] {
        response[key] = Value::Null;
    }
    for item in response["output"].as_array_mut().into_iter().flatten() {
        item["id"] = Value::Null;
        if item.get("call_id").is_some() {
            item["call_id"] = Value::Null;
        }
    }
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_hold_what_is_written_of_them() {
    let mut servers: HashMap<String, Server> = HashMap::new();
    let (mut streamed, mut wrong) = (0, Vec::new());
    for (file, text) in FILES {
        let cases: Vec<Value> = serde_json::from_str(text).expect("the file is JSON");
        for case in &cases {
            let name = format!("{file}: {}", case["name"]);
            let server = servers
                .entry(case["server"].to_string())
                .or_insert_with(|| Server::new(options(&case["server"])))
                .clone();
            let path = case["path"].as_str().unwrap_or("/v1/chat/completions");
            let mut body = body(case, path);
            body["seed"] = json!(1);
            let whole = server.post(path, &body).await;
            let differences = differences(case, &whole);
            if !differences.is_empty() {
                wrong.push(format!("{name}: {}\n    {}", differences.join("; "), whole.text));
                continue;
            }
            if whole.status != 200 || body.get("stream").is_some() {
                continue;
            }
            body["stream"] = json!(true);
            let mut compare = |stream: Value, whole: Value| {
                if stream != whole {
                    wrong.push(format!("{name}: streamed\n    {stream}\n    {whole}"));
                }
            };
            match path {
                "/v1/chat/completions" | "/v1/completions" => {
                    body["stream_options"] = json!({"include_usage": true});
                    let stream = server.post(path, &body).await;
                    let found = comparable(of_chunks(&stream, &name));
                    compare(found, comparable(whole.json()));
                }
                "/v1/responses" => {
                    let stream = server.post(path, &body).await;
                    let found = without_ids(of_events(&stream, &name));
                    compare(found, without_ids(whole.json()));
                }
                "/v1/messages" => {
                    let stream = server.post(path, &body).await;
                    let found = without_number(of_message_events(&stream, &name));
                    compare(found, without_number(whole.json()));
                }
                _ => continue,
            }
            streamed += 1;
        }
    }
    assert!(wrong.is_empty(), "{} cases are wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(streamed > 40, "{streamed} cases were streamed too");
}
