//! What crosses the border besides numbers: the room for arguments, the results of the last call, buffers for files.
//!
//! A module has one thread, so thread-local values are the module's.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use grammarc_artifacts::AlignedBytes;

/// The results of the last call that had any, and the room for arguments.
pub(crate) struct Memory {
    /// Arguments. The unit gives them the alignment of every number.
    room: Vec<u64>,
    pub(crate) words: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: String,
    pub(crate) number: f64,
}

thread_local! {
    /// Without a destructor, and with a constant start, it needs no check on use.
    static MEMORY: RefCell<ManuallyDrop<Memory>> = const {
        RefCell::new(ManuallyDrop::new(Memory {
            room: Vec::new(),
            words: Vec::new(),
            bytes: Vec::new(),
            text: String::new(),
            number: 0.0,
        }))
    };
}

/// Runs work with the results.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&mut Memory) -> R) -> R {
    MEMORY.with_borrow_mut(|memory| work(memory))
}

/// Returns the first `count` elements of the room.
///
/// # Safety
///
/// The glue asked for a room of so many elements and wrote them. No other part of the room is in use.
pub(crate) unsafe fn room<'a, T>(count: usize) -> &'a mut [T] {
    with(|memory| {
        debug_assert!(count * size_of::<T>() <= memory.room.len() * size_of::<u64>());
        // SAFETY: the room has the elements, by the rules of this function, and any bits are a number.
        unsafe { std::slice::from_raw_parts_mut(memory.room.as_mut_ptr().cast(), count) }
    })
}

/// Returns the address of a room for `length` bytes, valid until the next call of this function.
#[unsafe(no_mangle)]
extern "C" fn grammarc_room(length: usize) -> *mut u64 {
    with(|memory| {
        let needed = length.div_ceil(size_of::<u64>());
        if memory.room.len() < needed {
            memory.room.resize(needed, 0);
        }
        memory.room.as_mut_ptr()
    })
}

/// Returns the address of the words that the last call left.
#[unsafe(no_mangle)]
extern "C" fn grammarc_words() -> *const u32 {
    with(|memory| memory.words.as_ptr())
}

/// Returns the number of those words.
#[unsafe(no_mangle)]
extern "C" fn grammarc_words_length() -> usize {
    with(|memory| memory.words.len())
}

/// Returns the address of the bytes that the last call left.
#[unsafe(no_mangle)]
extern "C" fn grammarc_bytes() -> *const u8 {
    with(|memory| memory.bytes.as_ptr())
}

/// Returns the number of those bytes.
#[unsafe(no_mangle)]
extern "C" fn grammarc_bytes_length() -> usize {
    with(|memory| memory.bytes.len())
}

/// Returns the address of the text that the last call left, in UTF-8.
#[unsafe(no_mangle)]
extern "C" fn grammarc_text() -> *const u8 {
    with(|memory| memory.text.as_ptr())
}

/// Returns the length of that text in bytes.
#[unsafe(no_mangle)]
extern "C" fn grammarc_text_length() -> usize {
    with(|memory| memory.text.len())
}

/// Returns the number that the last call left.
#[unsafe(no_mangle)]
extern "C" fn grammarc_number() -> f64 {
    with(|memory| memory.number)
}

/// Makes a buffer for a file of `length` bytes. Null if there is no memory for one.
#[unsafe(no_mangle)]
extern "C" fn grammarc_buffer_new(length: usize) -> *mut AlignedBytes {
    let bytes = AlignedBytes::zeroed(length).map(Box::new);
    bytes.map_or(std::ptr::null_mut(), Box::into_raw)
}

/// Returns the address of a buffer's bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_buffer_bytes(buffer: *mut AlignedBytes) -> *mut u8 {
    (*buffer).as_mut_ptr()
}

/// Frees a buffer that no artifact took over.
#[unsafe(no_mangle)]
unsafe extern "C" fn grammarc_buffer_free(buffer: *mut AlignedBytes) {
    drop(Box::from_raw(buffer));
}
