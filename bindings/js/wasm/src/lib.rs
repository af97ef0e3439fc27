//! The WebAssembly module of the npm package `grammarc`: the runtime behind plain exports, for glue that is written by hand.
//!
//! Handles, numbers and ranges of bytes cross the border, as in the C header. Handles are addresses. The glue frees each
//! once, and never uses one after that. The module imports nothing.
//!
//! # Arguments and results
//!
//! The glue writes lists of tokens, bytes, texts and rows of logits to the *room* of [`memory`]. A call returns a number,
//! and leaves lists in `words`, `bytes` or `text` until the next call. A call that fails returns -1 or a null handle. It
//! leaves an error in `text`: a code, a line feed, and the message. `grammarc_number` then has the token or the offset.
//!
//! # Panics
//!
//! A panic leaves its message and ends the call by a trap. The glue reads `grammarc_panic_message` and makes no other call.
//!
//! | file | content |
//! | --- | --- |
//! | `memory` | the room, results, buffers for files |
//! | `failure` | errors by code, the hook for panics |
//! | `json` | a writer of JSON texts |
//! | `vocabulary`, `grammar` | opened artifacts |
//! | `matcher`, `steps`, `runs` | matchers: made and moved, masks and choices, lists |
//! | `splitter` | the parts of an output |
//!
//! Tests: `bindings/js/tests`.

#![allow(unsafe_code, reason = "it is the border to JavaScript")]
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "an exported function relies on the glue: handles are live, and the room has as many elements as it says"
)]

mod failure;
mod grammar;
mod json;
mod matcher;
mod memory;
mod runs;
mod splitter;
mod steps;
mod vocabulary;
