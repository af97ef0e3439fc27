//! A sampler for llama.cpp: what is declared in `include/grammarc_llama.h`.
//!
//! Nothing of llama.cpp is linked or included. Three of its structs are known, which are part of its public header: a sampler
//! is a table of functions and a context, a candidate is an id and two numbers, candidates are an array with its length. The
//! table has grown before, so it is followed by empty places that a newer llama.cpp reads as "not there". The function that
//! makes a sampler is passed in.
//!
//! Hosts may rely on this: candidates are told by their id, never by their place, since hosts test a single one, or
//! have sorted or cut the list; logits that are forbidden become negative infinity, and the list is then no longer
//! sorted; a token that the grammar does not allow, once accepted, leaves nothing but end tokens allowed, so that a
//! sequence that went wrong ends instead of going on without a grammar. Cost of an application: one fill, and one bit
//! for each candidate.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Deref;
use std::ptr::{self, NonNull};

use grammarc_runtime::Matcher;

use crate::args::array_mut;
use crate::error::grammarc_status::{self, *};
use crate::guard::guarded;
use crate::matcher::grammarc_matcher;

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

/// `llama_sampler_i`, with room for what it may grow by.
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

/// `llama_sampler_init`: its parameters are a table of functions and a context.
pub type grammarc_llama_init =
    Option<unsafe extern "C" fn(*mut c_void, *mut c_void) -> *mut llama_sampler>;

/// Up to as many candidates are asked for one by one; for more, the mask is written out first.
const FEW: usize = 64;

/// A matcher that is freed with its sampler. It lies in memory of its own, since the host may hold a pointer to it while the
/// sampler works.
struct Own(NonNull<grammarc_matcher>);

impl Own {
    fn new(matcher: Matcher) -> Self {
        Self(NonNull::from(Box::leak(Box::new(grammarc_matcher::new(matcher)))))
    }
}

impl Deref for Own {
    type Target = grammarc_matcher;

    fn deref(&self) -> &grammarc_matcher {
        // SAFETY: it is freed when this is dropped, and only ever shared.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: `new` has made it, and nobody uses it after its sampler.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// The state of a sampler.
struct Context {
    matcher: Own,
    init: grammarc_llama_init,
    /// Of the first token that was accepted and not allowed.
    status: grammarc_status,
    ends: Vec<u32>,
    /// A row of the mask.
    words: Vec<u32>,
}

impl Context {
    fn new(matcher: &grammarc_matcher, init: grammarc_llama_init) -> Result<Self, grammarc_status> {
        let matcher = matcher.inner.with(|matcher| matcher.fork())?;
        let words = vec![0; matcher.logit_width().div_ceil(u32::BITS) as usize];
        let ends = matcher.end_tokens().to_vec();
        let matcher = Own::new(matcher);
        Ok(Self { matcher, init, status: GRAMMARC_OK, ends, words })
    }

    /// Forbids candidates, and says whether any was.
    fn mask(&mut self, candidates: &mut [Candidate]) -> bool {
        let Self { matcher, words, .. } = self;
        if self.status == GRAMMARC_OK {
            let masked = matcher.inner.with(|matcher| {
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
        let accepted = self.matcher.inner.with(|matcher| match matcher.accept(token) {
            Ok(()) => GRAMMARC_OK,
            // The mask of a finished sequence is the end tokens already.
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

/// The context of a sampler, if it is one of ours.
///
/// # Safety
///
/// NULL, or a sampler that is not freed meanwhile.
unsafe fn context<'a>(sampler: *const llama_sampler) -> Option<&'a mut Context> {
    // SAFETY: the caller's promise; the context of a sampler with our table is ours, and one thread at a time has it.
    unsafe {
        let sampler = sampler.as_ref()?;
        ptr::eq(sampler.iface, &TABLE).then(|| sampler.context.cast::<Context>().as_mut())?
    }
}

/// Makes a sampler of a context.
fn sampler(context: Context) -> *mut llama_sampler {
    let Some(init) = context.init else { return ptr::null_mut() };
    let context = Box::into_raw(Box::new(context));
    let table = ptr::from_ref(&TABLE).cast_mut().cast::<c_void>();
    // SAFETY: it is `llama_sampler_init`, which keeps the two pointers. It does not write to the table.
    let made = unsafe { init(table, context.cast()) };
    if made.is_null() {
        // SAFETY: nobody has it.
        drop(unsafe { Box::from_raw(context) });
    }
    made
}

/// A sampler for llama.cpp that allows what the grammar does, at the position of `matcher`, which is forked and stays the
/// caller's. `init` is `llama_sampler_init`. Freed by `llama_sampler_free` or by the chain that it is added to. NULL where
/// `init` or `matcher` is, and where another thread uses the matcher.
///
/// Give the matcher the model's end-of-generation tokens (every id for which `llama_vocab_is_eog` is true), and let the sampler
/// see generated tokens alone, not those of the prompt. It comes before samplers that cut the list of candidates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_llama_sampler(
    init: grammarc_llama_init,
    matcher: *const grammarc_matcher,
) -> *mut llama_sampler {
    // SAFETY: the caller keeps the header's rules.
    let matcher = unsafe { matcher.as_ref() };
    let made = guarded(|| Some(sampler(Context::new(matcher?, init).ok()?)));
    made.ok().flatten().unwrap_or(ptr::null_mut())
}

/// GRAMMARC_OK as long as all tokens that the sampler accepted were allowed; else the status of the first that was not, since
/// which it allows end tokens alone. GRAMMARC_ARGUMENT for a sampler of another kind, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_llama_sampler_status(
    sampler: *const llama_sampler,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { context(sampler) }.map_or(GRAMMARC_ARGUMENT, |context| context.status)
}

/// The matcher of a sampler, to be asked where it is and not to be freed. Lives as long as the sampler. NULL for a sampler of
/// another kind, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_llama_sampler_matcher(
    sampler: *const llama_sampler,
) -> *const grammarc_matcher {
    // SAFETY: the caller keeps the header's rules.
    unsafe { context(sampler) }
        .map_or(ptr::null(), |context| context.matcher.0.as_ptr().cast_const())
}

unsafe extern "C" fn name(_: *const llama_sampler) -> *const c_char {
    NAME.as_ptr()
}

unsafe extern "C" fn accept(sampler: *mut llama_sampler, token: i32) {
    // SAFETY: llama.cpp calls it with a sampler of this table.
    if let Some(context) = unsafe { context(sampler) } {
        let _ = guarded(|| context.accept(token));
    }
}

unsafe extern "C" fn apply(sampler: *mut llama_sampler, candidates: *mut Candidates) {
    // SAFETY: llama.cpp calls it with a sampler of this table and its list of candidates.
    unsafe {
        let (Some(context), Some(list)) = (context(sampler), candidates.as_mut()) else { return };
        let Ok(candidates) = array_mut("the candidates", list.data, list.size) else { return };
        if guarded(|| context.mask(candidates)).unwrap_or(true) {
            list.sorted = false;
        }
    }
}

unsafe extern "C" fn reset(sampler: *mut llama_sampler) {
    // SAFETY: llama.cpp calls it with a sampler of this table.
    if let Some(context) = unsafe { context(sampler) } {
        context.status = context.matcher.reset();
    }
}

unsafe extern "C" fn clone(other: *const llama_sampler) -> *mut llama_sampler {
    // SAFETY: llama.cpp calls it with a sampler of this table.
    let Some(other) = (unsafe { context(other) }) else { return ptr::null_mut() };
    let made = guarded(|| {
        let mut context = Context::new(&other.matcher, other.init).ok()?;
        context.status = other.status;
        Some(sampler(context))
    });
    made.ok().flatten().unwrap_or(ptr::null_mut())
}

unsafe extern "C" fn free(sampler: *mut llama_sampler) {
    // SAFETY: llama.cpp calls it once, with a sampler of this table, whose context `sampler` made.
    unsafe {
        if let Some(context) = context(sampler) {
            let context = Box::from_raw(ptr::from_mut(context));
            (*sampler).context = ptr::null_mut();
            let _ = guarded(|| drop(context));
        }
    }
}
