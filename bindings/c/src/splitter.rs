//! Splitters: what an output of a grammar was made of.
//!
//! Pieces are handed out by pointer into memory of the splitter, which stays until it is asked for more: a call copies
//! nothing, and one that has no piece to give allocates none.

use std::ffi::c_char;
use std::ptr;

use grammarc_runtime::error::BytesError;
use grammarc_runtime::{Piece, RegionKind, Splitter};

use crate::args::{array, object};
use crate::error::grammarc_status::{self, *};
use crate::error::{grammarc_error, make};
use crate::grammar::grammarc_grammar;
use crate::guard::guarded;
use crate::out_params::write_out;
use crate::single::Single;
use crate::steps::accepted;

/// The kind of a piece of an output.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_piece_kind {
    /// Beginnings and ends of tags, separators, constant texts; everything, where the source has no parts to tell apart.
    GRAMMARC_PIECE_MARKUP = 0,
    /// Free text.
    GRAMMARC_PIECE_TEXT = 1,
    /// Free text that is the model's reasoning.
    GRAMMARC_PIECE_REASONING = 2,
    /// A JSON value.
    GRAMMARC_PIECE_JSON = 3,
    /// A value written as tags.
    GRAMMARC_PIECE_XML = 4,
    /// A text of an inner grammar.
    GRAMMARC_PIECE_GRAMMAR = 5,
    /// A text that a pattern matches.
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

/// The call of a piece that is in none.
pub const GRAMMARC_NO_CALL: u32 = u32::MAX;

/// A piece of an output. Its pointers are of the splitter: `bytes` until the next call that moves it, `name` as long as it lives.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_piece {
    /// The output: its bytes, and the texts of special tokens. Pieces need not end with a whole character.
    pub bytes: *const u8,
    /// Number of these, never 0.
    pub length: usize,
    /// The name of the tool that is called there, without a NUL after it. NULL outside calls.
    pub name: *const c_char,
    /// Its length.
    pub name_length: usize,
    /// The index of the call that it is in, or is markup of. GRAMMARC_NO_CALL outside calls.
    pub call: u32,
    /// One of `grammarc_piece_kind`. Of the arguments of a call is what has a call and is no markup.
    pub kind: u32,
    /// Whether a part of the output begins with it; else it goes on with the piece before.
    pub begins: bool,
}

/// Splits one output of a grammar as it comes: reasoning, text, calls of tools with their names and arguments.
///
/// A piece is handed out once it is certain. The bytes of all pieces in a row are the output, and how it was cut into tokens
/// changes nothing but where pieces of one part end. Of one thread at a time; it may move between threads. A call while another
/// thread is in one with the same splitter returns GRAMMARC_ARGUMENT. Not counted: grammarc_splitter_free(), once, when no
/// thread uses it.
#[derive(Debug)]
pub struct grammarc_splitter {
    inner: Single<Split>,
}

/// A splitter with what it has handed out last.
#[derive(Debug)]
struct Split {
    splitter: Splitter,
    pieces: Vec<Piece>,
    given: Vec<grammarc_piece>,
}

impl Split {
    /// Hands out pieces in place of those before.
    fn hand_out(&mut self, pieces: Vec<Piece>) {
        let Self { splitter, given, .. } = self;
        given.clear();
        given.extend(pieces.iter().map(|piece| {
            let name = piece.call.and_then(|call| splitter.calls().nth(call as usize));
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

/// Does work that ends with pieces, or with a status, and tells the caller of the pieces.
///
/// # Safety
///
/// `splitter` is NULL or was handed out and is not freed meanwhile; `pieces` and `count` are NULL or places for a pointer and
/// a number.
unsafe fn split(
    splitter: *const grammarc_splitter,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
    work: impl FnOnce(&mut Splitter) -> Result<Vec<Piece>, grammarc_status>,
) -> grammarc_status {
    // SAFETY: the caller's promise.
    let Some(splitter) = (unsafe { splitter.as_ref() }) else { return GRAMMARC_ARGUMENT };
    let done = splitter.inner.with(|split| {
        let made = match work(&mut split.splitter) {
            Ok(made) => made,
            Err(status) => return status,
        };
        split.hand_out(made);
        // SAFETY: the caller's promise.
        unsafe {
            write_out(pieces, split.given.as_ptr());
            write_out(count, split.given.len());
        }
        GRAMMARC_OK
    });
    done.unwrap_or_else(|status| status)
}

/// Asks a splitter; `otherwise` where there is no answer.
///
/// # Safety
///
/// As [`split`].
unsafe fn asked<R>(
    splitter: *const grammarc_splitter,
    otherwise: R,
    work: impl FnOnce(&Splitter) -> R,
) -> R {
    // SAFETY: the caller's promise.
    let splitter = unsafe { splitter.as_ref() };
    let answer =
        splitter.and_then(|splitter| splitter.inner.with(|split| work(&split.splitter)).ok());
    answer.unwrap_or(otherwise)
}

/// A splitter at the start of an output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_new(
    grammar: *const grammarc_grammar,
    out: *mut *mut grammarc_splitter,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let splitter = Splitter::new(object("the grammar", grammar)?.inner());
            let inner = Single::new(Split { splitter, pieces: Vec::new(), given: Vec::new() });
            Ok(Box::into_raw(Box::new(grammarc_splitter { inner })))
        })
    }
}

/// Frees a splitter with its pieces. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_free(splitter: *mut grammarc_splitter) {
    if !splitter.is_null() {
        // SAFETY: it was handed out by this library, and is not used again.
        let splitter = unsafe { Box::from_raw(splitter) };
        // A panic cannot be reported here, and must not leave the function.
        let _ = guarded(|| drop(splitter));
    }
}

/// Goes back to the start of an output and forgets what was read; a splitter that answered GRAMMARC_INTERNAL is whole again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_reset(
    splitter: *mut grammarc_splitter,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { splitter.as_ref() }.map_or(GRAMMARC_ARGUMENT, |splitter| {
        splitter.inner.renew(|split| {
            split.splitter = Splitter::new(split.splitter.grammar());
            split.hand_out(Vec::new());
        })
    })
}

/// Reads a token: `*pieces` are the `*count` pieces that are certain now, of the splitter and until the next call that moves it;
/// either place may be NULL. An end token of the vocabulary that the grammar does not take finishes the output where it may end.
///
/// GRAMMARC_REFUSED, GRAMMARC_FINISHED or GRAMMARC_LIMIT where the token is not allowed; the splitter is then as it was, and so are
/// the pieces of before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_push(
    splitter: *mut grammarc_splitter,
    token: u32,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        split(splitter, pieces, count, |splitter| {
            splitter.push(token).map_err(|error| accepted(Err(error)))
        })
    }
}

/// Reads bytes, as grammarc_splitter_push() reads a token. Special tokens are no bytes.
///
/// GRAMMARC_REFUSED or GRAMMARC_LIMIT at a byte that is not allowed, whose offset `*offset` is then; it may be NULL. The bytes
/// before it were read, and their pieces come with the next ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_push_bytes(
    splitter: *mut grammarc_splitter,
    bytes: *const u8,
    length: usize,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
    offset: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        split(splitter, pieces, count, |splitter| {
            let bytes = array("the bytes", bytes, length).map_err(|fault| fault.status())?;
            splitter.push_bytes(bytes).map_err(|error| {
                let (status, at) = match error {
                    BytesError::Refused { at } => (GRAMMARC_REFUSED, at),
                    BytesError::Limit { at, .. } => (GRAMMARC_LIMIT, at),
                    _ => return GRAMMARC_INTERNAL,
                };
                write_out(offset, at);
                status
            })
        })
    }
}

/// Ends the output and hands out the last pieces, as grammarc_splitter_push() does: also where the output was cut off, as
/// grammarc_splitter_is_accepting() would have told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_finish(
    splitter: *mut grammarc_splitter,
    pieces: *mut *const grammarc_piece,
    count: *mut usize,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { split(splitter, pieces, count, |splitter| Ok(splitter.finish())) }
}

/// How many calls there were so far. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_call_count(splitter: *const grammarc_splitter) -> usize {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(splitter, 0, |splitter| splitter.calls().len()) }
}

/// The name of the tool of a call, without a NUL after it: lives as long as the splitter. NULL where there was no such call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_call_name(
    splitter: *const grammarc_splitter,
    call: usize,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        asked(splitter, ptr::null(), |splitter| {
            splitter.calls().nth(call).map_or(ptr::null(), |name| {
                write_out(length, name.len());
                name.as_ptr().cast()
            })
        })
    }
}

/// Whether the output may end here. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_is_accepting(
    splitter: *const grammarc_splitter,
) -> bool {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(splitter, false, Splitter::is_accepting) }
}

/// Whether the output has ended. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_splitter_is_finished(splitter: *const grammarc_splitter) -> bool {
    // SAFETY: the caller keeps the header's rules.
    unsafe { asked(splitter, false, Splitter::is_finished) }
}

/// The name of a kind of piece, such as `text`; `unknown` for a number that is none. Never NULL, not to be freed.
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
