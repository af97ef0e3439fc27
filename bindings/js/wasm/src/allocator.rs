//! The allocator: two-level segregated fits (Masmano, Ripoll, Crespo, Real, 2004), by the crate `rlsf`.
//!
//! The allocator of the standard library takes 3 KB more of the packed module. All memory is one region, which grows at its
//! end. So free neighbours always become one, and a longer file finds room. Cost: O(1) for a call.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut, slice_from_raw_parts_mut};

use rlsf::{FlexSource, FlexTlsf};

const PAGE: usize = 1 << 16;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator(UnsafeCell::new(FlexTlsf::new(Pages)));

/// Classes by power of two from 16 bytes on, each divided into eight.
struct Allocator(UnsafeCell<FlexTlsf<Pages, u32, u8, 28, 8>>);

// SAFETY: a module has one thread.
unsafe impl Sync for Allocator {}

// SAFETY: `FlexTlsf` keeps the contract, and no call of it makes another.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        (*self.0.get()).allocate(layout).map_or(null_mut(), NonNull::as_ptr)
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        (*self.0.get()).deallocate(NonNull::new_unchecked(address), layout.align());
    }
}

/// The pages of the module's memory behind its stack and its constants.
struct Pages;

// SAFETY: pages that `memory.grow` adds are nobody else's.
unsafe impl FlexSource for Pages {
    unsafe fn alloc(&mut self, least: usize) -> Option<NonNull<[u8]>> {
        let pages = least.div_ceil(PAGE);
        let first = memory_grow::<0>(pages);
        if first == usize::MAX {
            return None;
        }
        NonNull::new(slice_from_raw_parts_mut((first * PAGE) as *mut u8, pages * PAGE))
    }

    unsafe fn realloc_inplace_grow(
        &mut self,
        region: NonNull<[u8]>,
        least: usize,
    ) -> Option<usize> {
        let end = region.as_ptr().addr() + region.len();
        let pages = (least - region.len()).div_ceil(PAGE);
        if end != memory_size::<0>() * PAGE || memory_grow::<0>(pages) == usize::MAX {
            return None;
        }
        Some(region.len() + pages * PAGE)
    }

    fn supports_realloc_inplace_grow(&self) -> bool {
        true
    }

    fn min_align(&self) -> usize {
        PAGE
    }
}
