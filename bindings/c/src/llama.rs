//! A sampler for llama.cpp: the functions of `include/grammarc_llama.h`.
//!
//! Nothing of llama.cpp is linked or included. The caller passes `llama_sampler_init`, and three structs of the public
//! header are declared here. A sampler is a table of functions and a context. A candidate is an id and two numbers.
//! Candidates are an array with its length. The table has grown before, so empty entries follow it, which a newer llama.cpp
//! reads as absent.
//!
//! Guarantees for hosts:
//!
//! - Candidates are identified by id, never by index: hosts sort and cut the list, or test a single candidate.
//! - Logits of forbidden candidates become negative infinity, and the list then counts as unsorted.
//! - After the host accepts a forbidden token, only end tokens are allowed, so a wrong sequence ends.
//!
//! Cost of an application: one fill of a mask, and one bit for each candidate.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::ptr::{self, NonNull};

use grammarc_runtime::Matcher;

use crate::args::array_mut;
use crate::error::grammarc_status::{self, *};
use crate::guard::guarded;
use crate::handles::{self, ask, boxed};
use crate::matcher::grammarc_matcher;
use crate::single::Exclusive as _;

/// A sampler of llama.cpp.
#[repr(C)]
#[derive(Debug)]
pub struct llama_sampler {
    iface: *const Table,
    context: *mut c_void,
}

/// `llama_token_data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Candidate {
    id: i32,
    logit: f32,
    p: f32,
}

/// `llama_token_data_array`.
#[repr(C)]
#[derive(Debug)]
struct Candidates {
    data: *mut Candidate,
    size: usize,
    selected: i64,
    sorted: bool,
}

/// `llama_sampler_i`, with empty entries for functions of later versions.
#[repr(C)]
struct Table {
    name: unsafe extern "C" fn(*const llama_sampler) -> *const c_char,
    accept: unsafe extern "C" fn(*mut llama_sampler, i32),
    apply: unsafe extern "C" fn(*mut llama_sampler, *mut Candidates),
    reset: unsafe extern "C" fn(*mut llama_sampler),
    clone: unsafe extern "C" fn(*const llama_sampler) -> *mut llama_sampler,
    free: unsafe extern "C" fn(*mut llama_sampler),
    later: [Option<unsafe extern "C" fn()>; 26],
}

static TABLE: Table = Table { name, accept, apply, reset, clone, free, later: [None; 26] };

const NAME: &CStr = c"grammarc";

/// `llama_sampler_init`. The parameters are a table of functions and a context.
pub type grammarc_llama_init =
    Option<unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut llama_sampler>;

/// Maximum number of candidates that are tested one by one. For more, a bitmask is filled first.
const FEW: usize = 64;

/// A matcher that is freed with its sampler. A separate allocation, since the host may hold a pointer to the matcher while
/// the sampler works.
struct Own(NonNull<grammarc_matcher>);

impl Own {
    fn new(matcher: Matcher) -> Self {
        Self(NonNull::from(Box::leak(Box::new(grammarc_matcher::new(matcher)))))
    }
}

impl Deref for Own {
    type Target = grammarc_matcher;

    fn deref(&self) -> &grammarc_matcher {
        // SAFETY: the matcher is freed in `drop`, and only shared references exist.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: the matcher was allocated in `new`, and is not used after its sampler.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// The state of a sampler.
struct Context {
    matcher: Own,
    init: grammarc_llama_init,
    /// The status of the first accepted token that was forbidden.
    status: grammarc_status,
    /// The end tokens, ascending.
    ends: Vec<u32>,
    /// Buffer for a bitmask.
    words: Vec<u32>,
}

impl Context {
    fn new(matcher: &grammarc_matcher, init: grammarc_llama_init) -> Result<Self, grammarc_status> {
        let matcher = matcher.single().with(|matcher| matcher.fork())?;
        let words = vec![0; matcher.logit_width().div_ceil(u32::BITS) as usize];
        let ends = matcher.end_tokens().to_vec();
        let matcher = Own::new(matcher);
        Ok(Self { matcher, init, status: GRAMMARC_OK, ends, words })
    }

    /// Forbids candidates, and returns whether any was forbidden.
    fn mask(&mut self, candidates: &mut [Candidate]) -> bool {
        let Self { matcher, words, .. } = self;
        if self.status == GRAMMARC_OK {
            let masked = matcher.single().with(|matcher| {
                let mask = matcher.mask();
                if candidates.len() <= FEW {
                    return Some(forbid(candidates, |token| mask.contains(token)));
                }
                mask.fill(words).ok()?;
                Some(forbid(candidates, |token| {
                    let word = words.get((token / u32::BITS) as usize);
                    word.is_some_and(|word| word >> (token % u32::BITS) & 1 == 1)
                }))
            });
            match masked {
                Ok(Some(changed)) => return changed,
                Ok(None) => self.status = GRAMMARC_INTERNAL,
                Err(status) => self.status = status,
            }
        }
        let ends = &self.ends;
        forbid(candidates, |token| ends.binary_search(&token).is_ok())
    }

    fn accept(&mut self, token: i32) {
        let token = u32::try_from(token).unwrap_or(u32::MAX);
        let accepted = self.matcher.single().with(|matcher| match matcher.accept(token) {
            Ok(()) => GRAMMARC_OK,
            // The mask of a finished sequence allows only the end tokens.
            Err(_) if matcher.is_finished() => GRAMMARC_OK,
            Err(grammarc_runtime::error::AcceptError::Limit(_)) => GRAMMARC_LIMIT,
            Err(_) => GRAMMARC_REFUSED,
        });
        let status = accepted.unwrap_or_else(|status| status);
        if self.status == GRAMMARC_OK {
            self.status = status;
        }
    }
}

/// Sets the logits of forbidden candidates to negative infinity. Returns whether there were any.
fn forbid(candidates: &mut [Candidate], allowed: impl Fn(u32) -> bool) -> bool {
    let mut changed = false;
    for candidate in candidates {
        if !u32::try_from(candidate.id).is_ok_and(&allowed) {
            candidate.logit = f32::NEG_INFINITY;
            changed = true;
        }
    }
    changed
}

/// Returns the context of a sampler. `None` for NULL and for another kind of sampler.
///
/// # Safety
///
/// `sampler` is NULL or is not freed meanwhile, and one thread at a time uses it.
unsafe fn context<'a>(sampler: *const llama_sampler) -> Option<&'a mut Context> {
    let sampler = sampler.as_ref()?;
    ptr::eq(sampler.iface, &TABLE).then(|| sampler.context.cast::<Context>().as_mut())?
}

/// Makes a sampler with a context. NULL if `llama_sampler_init` is NULL or returns NULL.
fn sampler(context: Context) -> *mut llama_sampler {
    let Some(init) = context.init else { return ptr::null_mut() };
    let context = boxed(context);
    let table = ptr::from_ref(&TABLE).cast_mut().cast::<c_void>();
    // SAFETY: `init` is `llama_sampler_init`, which stores the two pointers and does not write to the table.
    let made = unsafe { init(table, context.cast()) };
    if made.is_null() {
        // SAFETY: no sampler holds the context.
        drop(unsafe { Box::from_raw(context) });
    }
    made
}

/// Makes a sampler for llama.cpp at the position of `matcher`. The matcher is forked and stays the caller's.
///
/// `init` is `llama_sampler_init`. The sampler is freed by `llama_sampler_free`, or by the chain that contains it. NULL if `init`
/// or `matcher` is NULL, or if another thread uses the matcher.
///
/// The matcher's end tokens must be all ids for which `llama_vocab_is_eog` is true. The sampler must see only generated
/// tokens, not the prompt, and precede samplers that cut the list of candidates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_llama_sampler(
    init: grammarc_llama_init,
    matcher: *const grammarc_matcher,
) -> *mut llama_sampler {
    ask(matcher, ptr::null_mut(), |matcher| {
        Context::new(matcher, init).map_or(ptr::null_mut(), sampler)
    })
}

/// Returns GRAMMARC_OK while all accepted tokens were allowed, and then the status of the first forbidden one. From that
/// token on, the sampler allows only end tokens. GRAMMARC_ARGUMENT for NULL, and for another kind of sampler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_llama_sampler_status(
    sampler: *const llama_sampler,
) -> grammarc_status {
    context(sampler).map_or(GRAMMARC_ARGUMENT, |context| context.status)
}

/// Returns the matcher of a sampler, for queries of its position. The sampler owns the matcher, which lives as long as the
/// sampler. NULL for NULL, and for another kind of sampler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_llama_sampler_matcher(
    sampler: *const llama_sampler,
) -> *const grammarc_matcher {
    context(sampler).map_or(ptr::null(), |context| context.matcher.0.as_ptr().cast_const())
}

// The functions of `TABLE`. llama.cpp calls them with a sampler of this table, one call at a time, and `free` once.

unsafe extern "C" fn name(_: *const llama_sampler) -> *const c_char {
    NAME.as_ptr()
}

unsafe extern "C" fn accept(sampler: *mut llama_sampler, token: i32) {
    if let Some(context) = context(sampler) {
        let _ = guarded(|| context.accept(token));
    }
}

unsafe extern "C" fn apply(sampler: *mut llama_sampler, candidates: *mut Candidates) {
    let (Some(context), Some(list)) = (context(sampler), candidates.as_mut()) else { return };
    let Ok(candidates) = array_mut("the candidates", list.data, list.size) else { return };
    if guarded(|| context.mask(candidates)).unwrap_or(true) {
        list.sorted = false;
    }
}

unsafe extern "C" fn reset(sampler: *mut llama_sampler) {
    if let Some(context) = context(sampler) {
        context.status = context.matcher.single().renew(Matcher::reset);
    }
}

unsafe extern "C" fn clone(other: *const llama_sampler) -> *mut llama_sampler {
    let Some(other) = context(other) else { return ptr::null_mut() };
    let made = guarded(|| {
        let mut context = Context::new(&other.matcher, other.init).ok()?;
        context.status = other.status;
        Some(sampler(context))
    });
    made.ok().flatten().unwrap_or(ptr::null_mut())
}

unsafe extern "C" fn free(sampler: *mut llama_sampler) {
    if let Some(context) = context(sampler) {
        (*sampler).context = ptr::null_mut();
        handles::free(ptr::from_mut(context));
    }
}
