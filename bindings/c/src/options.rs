//! Versioned structs of options.
//!
//! The first field is the size of the struct in the caller's header. An older caller has fewer fields: the rest is
//! zero, the default of every field. A newer caller has more: they are ignored if they are zero, and refused
//! otherwise.

use std::mem::MaybeUninit;
use std::ptr;

use crate::error::Fault;

/// Maximum size of a struct, far above any struct of options. A larger size was never set, and is refused.
const MOST: usize = 4096;

/// A struct of options.
///
/// # Safety
///
/// `repr(C)`, begins with `struct_size: usize`, and is valid with all bytes zero: only integers and raw pointers.
pub(crate) unsafe trait Growing: Copy {
    /// Its name in C.
    const NAME: &'static str;
}

/// Implements [`Growing`] for structs whose fields are integers and raw pointers, the size first.
macro_rules! growing {
    ($($name:ident),+) => {$(
        const _: () = assert!(std::mem::offset_of!($name, struct_size) == 0);
        // SAFETY: integers and raw pointers alone, the size first.
        unsafe impl $crate::options::Growing for $name {
            const NAME: &'static str = stringify!($name);
        }
    )+};
}
pub(crate) use growing;

/// Sets an option to a number of the caller's. Zero leaves the default.
pub(crate) fn set<O, N: Copy + Default + PartialEq>(
    options: O,
    number: N,
    setter: impl FnOnce(O, N) -> O,
) -> O {
    if number == N::default() { options } else { setter(options, number) }
}

/// Reads options. NULL selects the defaults.
///
/// # Safety
///
/// `given` is NULL or points to as many bytes as its first field says.
pub(crate) unsafe fn read<T: Growing>(given: *const T) -> Result<T, Fault> {
    let mut options = MaybeUninit::<T>::zeroed();
    if given.is_null() {
        return Ok(options.assume_init());
    }
    let name = T::NAME;
    if !given.is_aligned() {
        return Err(Fault::argument(format!("{name} is not aligned")));
    }
    let size = given.cast::<usize>().read();
    if size < size_of::<usize>() || size > MOST || size % align_of::<usize>() != 0 {
        let text = format!("{name}.struct_size is {size}; set it to sizeof({name})");
        return Err(Fault::argument(text));
    }
    let known = size.min(size_of::<T>());
    let bytes = given.cast::<u8>();
    for at in known..size {
        if bytes.add(at).read() != 0 {
            let text = format!(
                "{name} has something set at byte {at}, which this version does not know; it is {}",
                env!("CARGO_PKG_VERSION")
            );
            return Err(Fault::argument(text));
        }
    }
    // Both structs have as many bytes. The bytes that are not copied are zero, so all fields are valid.
    ptr::copy_nonoverlapping(bytes, options.as_mut_ptr().cast::<u8>(), known);
    Ok(options.assume_init())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Now {
        struct_size: usize,
        one: u64,
        two: u64,
    }

    growing!(Now);

    fn read_words(words: &[usize]) -> Result<Now, Fault> {
        // SAFETY: the tests give as many words as they say.
        unsafe { read(words.as_ptr().cast::<Now>()) }
    }

    #[test]
    fn callers_of_before_and_later_are_understood() {
        // SAFETY: NULL is allowed.
        let none = unsafe { read::<Now>(ptr::null()) }.expect("defaults");
        assert_eq!((none.one, none.two), (0, 0));
        let before = read_words(&[16, 5, 99]).expect("a smaller struct");
        assert_eq!((before.one, before.two), (5, 0));
        let same = read_words(&[24, 5, 6]).expect("the same struct");
        assert_eq!((same.one, same.two), (5, 6));
        let later = read_words(&[40, 5, 6, 0, 0]).expect("a larger struct of which nothing is set");
        assert_eq!((later.one, later.two), (5, 6));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let unset = read_words(&[0, 5, 6]).expect_err("no size");
        assert!(unset.message().contains("sizeof(Now)"), "{}", unset.message());
        assert!(read_words(&[usize::MAX, 5, 6]).is_err());
        assert!(read_words(&[17, 5, 6]).is_err());
        let set = read_words(&[40, 5, 6, 0, 1]).expect_err("an unknown field is set");
        assert!(set.message().contains("byte 32"), "{}", set.message());
    }
}
