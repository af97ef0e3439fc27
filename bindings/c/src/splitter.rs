//! Splitters: split the output under a grammar into pieces of one kind.
//!
//! Pieces are returned by pointer into memory of the splitter, valid until its next call. A call without pieces allocates
//! nothing.

use std::ffi::c_char;
use std::ptr;

use grammarc_runtime::error::BytesError;
use grammarc_runtime::{Piece, RegionKind, Splitter};

use crate::args::{array, object};
use crate::error::grammarc_status::{self, *};
use crate::error::{grammarc_error, make};
use crate::grammar::grammarc_grammar;
use crate::handles::{boxed, free};
use crate::out_params::{lend, write_out};
use crate::single::{self, Single, asked, exclusive, on};
use crate::steps::accepted;

/// The kind of a piece of an output.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_piece_kind {
    /// Beginnings and ends of tags, separators and constant texts. If the source distinguishes no parts, the whole output.
    GRAMMARC_PIECE_MARKUP = 0,
    /// Free text.
    GRAMMARC_PIECE_TEXT = 1,
    /// The model's reasoning, as free text.
    GRAMMARC_PIECE_REASONING = 2,
    /// A JSON value.
    GRAMMARC_PIECE_JSON = 3,
    /// A value written as tags.
    GRAMMARC_PIECE_XML = 4,
    /// A text under an inner grammar.
    GRAMMARC_PIECE_GRAMMAR = 5,
    /// A text that matches a pattern.
    GRAMMARC_PIECE_PATTERN = 6,
}

use grammarc_piece_kind::*;

fn kind_of(piece: &Piece) -> grammarc_piece_kind {
    match piece.kind {
        Some(RegionKind::Text) => GRAMMARC_PIECE_TEXT,
        Some(RegionKind::Reasoning) => GRAMMARC_PIECE_REASONING,
        Some(RegionKind::Json) => GRAMMARC_PIECE_JSON,
        Some(RegionKind::Xml) => GRAMMARC_PIECE_XML,
        Some(RegionKind::Grammar) => GRAMMARC_PIECE_GRAMMAR,
        Some(RegionKind::Pattern) => GRAMMARC_PIECE_PATTERN,
        None | Some(RegionKind::Tag | RegionKind::Call) => GRAMMARC_PIECE_MARKUP,
    }
}

/// The value of `grammarc_piece.call` outside of calls.
pub const GRAMMARC_NO_CALL: u32 = u32::MAX;

/// A piece of an output. The splitter owns its memory: `bytes` is valid until the next call that moves the splitter, and
/// `name` as long as the splitter lives.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_piece {
    /// The bytes of the output, including the texts of special tokens. A piece may end inside a UTF-8 character.
    pub bytes: *const u8,
    /// Length of `bytes`, never 0.
    pub length: usize,
    /// The name of the called tool, without a final NUL. NULL outside of calls.
    pub name: *const c_char,
    /// Length of `name` in bytes.
    pub name_length: usize,
    /// The index of the tool call around the piece, from 0. GRAMMARC_NO_CALL outside of calls.
    pub call: u32,
    /// One of `grammarc_piece_kind`. Within a call, pieces other than markup are its arguments.
    pub kind: u32,
    /// Whether the piece begins a part of the output. Otherwise it continues the previous piece.
    pub begins: bool,
}

/// Splits one output of a grammar during its generation: reasoning, text, and tool calls with their names and arguments.
///
/// A piece is returned as soon as its kind is certain. All pieces concatenated are the output. The split into tokens
/// changes only the boundaries of pieces within one part.
///
/// Any thread may use it, one at a time. A concurrent call with the same splitter returns GRAMMARC_ARGUMENT. Not counted:
/// free it once with grammarc_splitter_free(), when no thread uses it.
#[derive(Debug)]
pub struct grammarc_splitter {
    inner: Single<Split>,
}

exclusive!(grammarc_splitter: Split);

/// A splitter with the pieces that it returned last.
#[derive(Debug)]
pub(crate) struct Split {
    splitter: Splitter,
    pieces: Vec<Piece>,
    given: Vec<grammarc_piece>,
}

impl Split {
    /// Replaces the returned pieces.
    fn hand_out(&mut self, pieces: Vec<Piece>) {
        let Self { splitter, given, .. } = self;
        given.clear();
        given.extend(pieces.iter().map(|piece| {
            let name = piece.call.and_then(|call| splitter.call_name(call));
            grammarc_piece {
                bytes: piece.bytes.as_ptr(),
                length: piece.bytes.len(),
                name: name.map_or(ptr::null(), |name| name.as_ptr().cast()),
                name_length: name.map_or(0, str::len),
                call: piece.call.unwrap_or(GRAMMARC_NO_CALL),
                kind: kind_of(piece) as u32,
                begins: piece.begins,
            }
        }));
        self.pieces = pieces;
    }
}

/// Runs work that returns pieces or a status, and writes the pieces to the out parameters.
///
/// # Safety
///
/// As [`on`]; `pieces` and `count` are NULL or point to a pointer and a number.
unsafe fn split(
    splitter: *const grammarc_splitter,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
    work: impl FnOnce(&mut Splitter) -> Result<Vec<Piece>, grammarc_status>,
) -> grammarc_status {
    on(splitter, |split| match work(&mut split.splitter) {
        Ok(made) => {
            split.hand_out(made);
            write_out(pieces, lend(&split.given, count));
            GRAMMARC_OK
        }
        Err(status) => status,
    })
}

/// Makes a splitter at the start of an output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_new(
    grammar: *const grammarc_grammar,
    out: *mut *mut grammarc_splitter,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let splitter = Splitter::new(object("the grammar", grammar)?.inner());
        let inner = Single::new(Split { splitter, pieces: Vec::new(), given: Vec::new() });
        Ok(boxed(grammarc_splitter { inner }))
    })
}

/// Frees a splitter and its pieces. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_free(splitter: *mut grammarc_splitter) {
    free(splitter);
}

/// Returns the splitter to the start of an output. A splitter that failed with GRAMMARC_INTERNAL becomes usable again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_reset(
    splitter: *mut grammarc_splitter,
) -> grammarc_status {
    single::reset(splitter, |split| {
        split.splitter = Splitter::new(split.splitter.grammar());
        split.hand_out(Vec::new());
    })
}

/// Reads a token, and returns the pieces that are now certain.
///
/// `*pieces` points to `*count` pieces, valid until the next call that moves the splitter. `pieces` and `count` may be NULL. An end
/// token of the vocabulary finishes the output if the output may end, unless the grammar contains the token itself.
///
/// GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the splitter and its pieces unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_push(
    splitter: *mut grammarc_splitter,
    token: u32,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
) -> grammarc_status {
    split(splitter, pieces, count, |splitter| {
        splitter.push(token).map_err(|error| accepted(Err(error)))
    })
}

/// Reads `length` bytes, as grammarc_splitter_push() reads a token. Special tokens cannot be written as bytes.
///
/// On GRAMMARC_REFUSED and GRAMMARC_LIMIT, `*offset` is the offset of the refused byte; `offset` may be NULL. The bytes
/// before it were read, and their pieces are returned by the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_push_bytes(
    splitter: *mut grammarc_splitter,
    bytes: *const u8,
    length: usize,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
    offset: *mut usize,
) -> grammarc_status {
    split(splitter, pieces, count, |splitter| {
        let bytes = array("the bytes", bytes, length).map_err(|fault| fault.status())?;
        splitter.push_bytes(bytes).map_err(|error| refused_byte(error, offset))
    })
}

/// Reads `length` bytes of text in which special tokens are spelled, for hosts that have no tokens, as
/// grammarc_splitter_push_bytes() reads bytes. Where the grammar reads a special token, its text may be that token, or bytes
/// that the grammar takes there. The text may be cut anywhere, within a special token too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_push_text(
    splitter: *mut grammarc_splitter,
    text: *const u8,
    length: usize,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
    offset: *mut usize,
) -> grammarc_status {
    split(splitter, pieces, count, |splitter| {
        let text = array("the text", text, length).map_err(|fault| fault.status())?;
        splitter.push_text(text).map_err(|error| refused_byte(error, offset))
    })
}

/// Returns the status of bytes that were not all read, and writes the offset of the first that was not.
///
/// # Safety
///
/// `offset` is NULL or points to memory for one number.
unsafe fn refused_byte(error: BytesError, offset: *mut usize) -> grammarc_status {
    write_out(offset, error.offset());
    match error {
        BytesError::Limit { .. } => GRAMMARC_LIMIT,
        _ => GRAMMARC_REFUSED,
    }
}

/// Ends the output and returns the last pieces, as grammarc_splitter_push() does. The output may be incomplete: check
/// grammarc_splitter_is_accepting() first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_finish(
    splitter: *mut grammarc_splitter,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
) -> grammarc_status {
    split(splitter, pieces, count, |splitter| Ok(splitter.finish()))
}

/// Returns the number of tool calls so far. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_call_count(splitter: *const grammarc_splitter) -> usize {
    asked(splitter, 0, |split| split.splitter.calls().len())
}

/// Returns the tool name of the call with an index, without a final NUL. `*length` is its length in bytes; `length` may be
/// NULL. The name lives as long as the splitter. NULL for an unknown call, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_call_name(
    splitter: *const grammarc_splitter,
    call: usize,
    length: *mut usize,
) -> *const c_char {
    asked(splitter, ptr::null(), |split| {
        let name = u32::try_from(call).ok().and_then(|call| split.splitter.call_name(call));
        name.map_or(ptr::null(), |name| lend(name.as_bytes(), length).cast())
    })
}

/// Whether the output may end at this position. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_is_accepting(
    splitter: *const grammarc_splitter,
) -> bool {
    asked(splitter, false, |split| split.splitter.is_accepting())
}

/// Whether the output has ended. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_is_finished(splitter: *const grammarc_splitter) -> bool {
    asked(splitter, false, |split| split.splitter.is_finished())
}

/// Returns the name of a piece's kind, such as `text`, or `unknown` for another number. Static text, never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_piece_kind_name(kind: u32) -> *const c_char {
    let names = [c"markup", c"text", c"reasoning", c"json", c"xml", c"grammar", c"pattern"];
    names.get(kind as usize).map_or(c"unknown", |name| name).as_ptr()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn kinds_have_the_names_of_the_runtime() {
        let kinds = RegionKind::ALL.into_iter().filter(|kind| !kind.is_tag()).map(Some);
        let mut numbers = Vec::new();
        for kind in kinds.chain([None]) {
            let piece = Piece { kind, region: None, call: None, begins: true, bytes: vec![b'x'] };
            let number = kind_of(&piece) as u32;
            // SAFETY: a text with a NUL at its end.
            let name = unsafe { CStr::from_ptr(grammarc_piece_kind_name(number)) };
            assert_eq!(name.to_str(), Ok(piece.kind_name()));
            numbers.push(number);
        }
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..7), "each kind has its number");
        // SAFETY: a text with a NUL at its end.
        assert_eq!(unsafe { CStr::from_ptr(grammarc_piece_kind_name(7)) }, c"unknown");
    }
}
