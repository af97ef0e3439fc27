//! Readers of outputs: reasoning, text, and calls of tools with their arguments as JSON.
//!
//! Parts are returned by pointer into memory of the reader, valid until its next call. A call without parts allocates
//! nothing.

use std::ffi::c_char;
use std::ptr;

use ::grammarc_calls::{Calls, Part};
use serde_json::Value;

use crate::args::{self, array, object};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, grammarc_error, make};
use crate::grammar::grammarc_grammar;
use crate::handles::{boxed, free};
use crate::out_params::{lend, write_out};
use crate::single::{Single, asked, exclusive, on};
use crate::splitter::GRAMMARC_NO_CALL;

/// The kind of a part of an output.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_part_kind {
    /// Text of the output.
    GRAMMARC_PART_TEXT = 0,
    /// Text of the reasoning.
    GRAMMARC_PART_REASONING = 1,
    /// The start of a tool call, without a text.
    GRAMMARC_PART_CALL = 2,
    /// Text of the arguments of a tool call, as JSON.
    GRAMMARC_PART_ARGUMENTS = 3,
}

use grammarc_part_kind::*;

/// A part of an output, or the continuation of the part before it. The reader owns its memory: `text` is valid until the next
/// call that moves the reader, and `name` as long as the reader lives.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_part {
    /// The text to append, whole characters without a final NUL.
    pub text: *const c_char,
    /// Length of `text` in bytes.
    pub length: usize,
    /// The name of the called tool, without a final NUL. NULL outside of calls.
    pub name: *const c_char,
    /// Length of `name` in bytes.
    pub name_length: usize,
    /// The index of the tool call, from 0. GRAMMARC_NO_CALL outside of calls.
    pub call: u32,
    /// One of `grammarc_part_kind`.
    pub kind: u32,
}

/// Reads one output of a grammar: reasoning, text, and tool calls with their arguments as JSON.
///
/// Any output is read. From the first byte on that the grammar does not allow, all is text: see grammarc_calls_left(). The
/// arguments of a complete call, concatenated, are one JSON value. How the output is divided into tokens or texts only changes
/// where parts are divided.
///
/// Any thread may use it, one at a time. A concurrent call with the same reader returns GRAMMARC_ARGUMENT. Not counted: free it
/// once with grammarc_calls_free(), when no thread uses it.
#[derive(Debug)]
pub struct grammarc_calls {
    inner: Single<Reading>,
}

exclusive!(grammarc_calls: Reading);

/// A reader with the parts that it returned last.
#[derive(Debug)]
pub(crate) struct Reading {
    calls: Calls,
    parts: Vec<Part>,
    given: Vec<grammarc_part>,
}

impl Reading {
    /// Replaces the returned parts.
    fn hand_out(&mut self, parts: Vec<Part>) {
        let Self { calls, given, .. } = self;
        given.clear();
        given.extend(parts.iter().map(|part| {
            let (kind, call, text) = match part {
                Part::Text(text) => (GRAMMARC_PART_TEXT, None, text.as_str()),
                Part::Reasoning(text) => (GRAMMARC_PART_REASONING, None, text.as_str()),
                Part::Call { index, .. } => (GRAMMARC_PART_CALL, Some(*index), ""),
                Part::Arguments { index, delta } => {
                    (GRAMMARC_PART_ARGUMENTS, Some(*index), delta.as_str())
                }
            };
            let name = call.and_then(|call| calls.name(call));
            grammarc_part {
                text: text.as_ptr().cast(),
                length: text.len(),
                name: name.map_or(ptr::null(), |name| name.as_ptr().cast()),
                name_length: name.map_or(0, str::len),
                call: call.unwrap_or(GRAMMARC_NO_CALL),
                kind: kind as u32,
            }
        }));
        self.parts = parts;
    }
}

/// Runs work that returns parts or a status, and writes the parts to the out parameters.
///
/// # Safety
///
/// As [`on`]; `parts` and `count` are NULL or point to a pointer and a number.
unsafe fn read(
    calls: *const grammarc_calls,
    parts: *mut *const grammarc_part,
    count: *mut usize,
    work: impl FnOnce(&mut Calls) -> Result<Vec<Part>, grammarc_status>,
) -> grammarc_status {
    on(calls, |reading| match work(&mut reading.calls) {
        Ok(made) => {
            reading.hand_out(made);
            write_out(parts, lend(&reading.given, count));
            GRAMMARC_OK
        }
        Err(status) => status,
    })
}

/// Makes a reader at the start of an output.
///
/// `style` is the style of the tool calls in the request, such as `qwen_3_coder`; length 0 returns arguments as they are
/// written. `tools` is a JSON array of the request's tools, as in OpenAI's protocol; length 0 means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_new(
    grammar: *const grammarc_grammar,
    style: *const c_char,
    style_length: usize,
    tools: *const c_char,
    tools_length: usize,
    out: *mut *mut grammarc_calls,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let grammar = object("the grammar", grammar)?.inner();
        let style = args::text("the style", style, style_length)?;
        let tools = match args::text("the tools", tools, tools_length)? {
            "" => Vec::new(),
            text => serde_json::from_str::<Vec<Value>>(text)
                .map_err(|error| Fault::argument(format!("the tools: {error}")))?,
        };
        let style = (!style.is_empty()).then_some(style);
        let calls = Calls::of_style(grammar, style, &tools);
        let calls = calls.map_err(|error| Fault::argument(error.to_string()))?;
        let inner = Single::new(Reading { calls, parts: Vec::new(), given: Vec::new() });
        Ok(boxed(grammarc_calls { inner }))
    })
}

/// Frees a reader and its parts. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_free(calls: *mut grammarc_calls) {
    free(calls);
}

/// Reads a token, and returns the parts that are now certain.
///
/// `*parts` points to `*count` parts, valid until the next call that moves the reader. `parts` and `count` may be NULL. An end
/// token of the vocabulary ends the output, unless the grammar contains the token itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_push(
    calls: *mut grammarc_calls,
    token: u32,
    parts: *mut *const grammarc_part,
    count: *mut usize,
) -> grammarc_status {
    read(calls, parts, count, |calls| Ok(calls.push(token)))
}

/// Reads `length` bytes of text in which special tokens are spelled, and returns the parts that are now certain, as
/// grammarc_calls_push() does. The text may be cut anywhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_push_text(
    calls: *mut grammarc_calls,
    text: *const u8,
    length: usize,
    parts: *mut *const grammarc_part,
    count: *mut usize,
) -> grammarc_status {
    read(calls, parts, count, |calls| {
        let text = array("the text", text, length).map_err(|fault| fault.status())?;
        Ok(calls.push_text(text))
    })
}

/// Ends the output and returns the last parts, as grammarc_calls_push() does. If the output ends within a call, the arguments
/// of this call are incomplete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_finish(
    calls: *mut grammarc_calls,
    parts: *mut *const grammarc_part,
    count: *mut usize,
) -> grammarc_status {
    read(calls, parts, count, |calls| Ok(calls.finish()))
}

/// Ends an output that was cut off, as grammarc_calls_finish() does, without text that may begin a tag. `*incomplete` is the
/// index of the incomplete call, or GRAMMARC_NO_CALL; `incomplete` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_cut(
    calls: *mut grammarc_calls,
    parts: *mut *const grammarc_part,
    count: *mut usize,
    incomplete: *mut u32,
) -> grammarc_status {
    read(calls, parts, count, |calls| {
        let (parts, call) = calls.cut();
        write_out(incomplete, call.unwrap_or(GRAMMARC_NO_CALL));
        Ok(parts)
    })
}

/// Returns the offset in bytes from which on the output is not of the grammar. SIZE_MAX while it is, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_calls_left(calls: *const grammarc_calls) -> usize {
    asked(calls, usize::MAX, |reading| reading.calls.left().unwrap_or(usize::MAX))
}
