//! Splitters: the parts of an output.
//!
//! A call leaves the bytes of its pieces, one after the other, and as text a list of an object for each: `kind`, `call`,
//! `name`, `begins`, `isArguments` and `length`.

use std::fmt::Write as _;

use grammarc_runtime::error::BytesError;
use grammarc_runtime::{Grammar, Piece, Splitter};

use crate::failure::{self, OK, accepted};
use crate::json;
use crate::memory::{room, with};

/// Makes a splitter at the start of an output.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_new(grammar: *const Grammar) -> *mut Splitter {
    Box::into_raw(Box::new(Splitter::new(&*grammar)))
}

/// Frees a splitter.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_free(splitter: *mut Splitter) {
    drop(Box::from_raw(splitter));
}

/// Reads a token.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_push(splitter: *mut Splitter, token: u32) -> i32 {
    match (*splitter).push(token) {
        Ok(pieces) => leave(&*splitter, pieces),
        Err(error) => accepted(Err(error)),
    }
}

/// Reads the bytes in the room, or text in which special tokens are spelled.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_push_bytes(
    splitter: *mut Splitter,
    length: usize,
    is_spelled: bool,
) -> i32 {
    let input = room::<u8>(length);
    let pushed: Result<Vec<Piece>, BytesError> = match is_spelled {
        true => (*splitter).push_text(input),
        false => (*splitter).push_bytes(input),
    };
    match pushed {
        Ok(pieces) => leave(&*splitter, pieces),
        Err(error) => failure::bytes(error),
    }
}

/// Ends the output.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_finish(splitter: *mut Splitter) -> i32 {
    let pieces = (*splitter).finish();
    leave(&*splitter, pieces)
}

/// Leaves the names of the called tools, as a list.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_calls(splitter: *const Splitter) {
    let mut out = String::new();
    json::list(&mut out, (*splitter).calls(), json::string);
    with(|memory| memory.text = out);
}

/// Whether the output may end here.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_is_accepting(splitter: *const Splitter) -> bool {
    (*splitter).is_accepting()
}

/// Whether the output has ended.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_splitter_is_finished(splitter: *const Splitter) -> bool {
    (*splitter).is_finished()
}

fn leave(splitter: &Splitter, pieces: Vec<Piece>) -> i32 {
    with(|memory| {
        memory.text.clear();
        memory.bytes.clear();
        json::list(&mut memory.text, &pieces, |out, piece| {
            _ = write!(out, "{{\"kind\":\"{}\",\"call\":", piece.kind_name());
            json::number(out, piece.call);
            if let Some(name) = piece.call.and_then(|call| splitter.call_name(call)) {
                out.push_str(",\"name\":");
                json::string(out, name);
            }
            let (is_arguments, length) = (piece.is_arguments(), piece.bytes.len());
            _ = write!(
                out,
                ",\"begins\":{},\"isArguments\":{is_arguments},\"length\":{length}}}",
                piece.begins
            );
        });
        pieces.iter().for_each(|piece| memory.bytes.extend_from_slice(&piece.bytes));
    });
    OK
}
