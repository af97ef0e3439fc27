//! Four numbers of 32 bits, on which an operation works at once: a vector of WebAssembly, or an array without vectors.

pub(super) use imp::Lanes;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod imp {
    use core::arch::wasm32::{
        i8x16_shuffle, i32x4_add, u32x4, u32x4_extract_lane, u32x4_shl, u32x4_shr, u32x4_splat,
        v128, v128_or, v128_xor,
    };

    #[derive(Clone, Copy)]
    pub(in super::super) struct Lanes(v128);

    impl Lanes {
        #[inline(always)]
        pub(in super::super) fn new([a, b, c, d]: [u32; 4]) -> Self {
            Self(u32x4(a, b, c, d))
        }

        #[inline(always)]
        pub(in super::super) fn splat(number: u32) -> Self {
            Self(u32x4_splat(number))
        }

        #[inline(always)]
        pub(in super::super) fn array(self) -> [u32; 4] {
            [
                u32x4_extract_lane::<0>(self.0),
                u32x4_extract_lane::<1>(self.0),
                u32x4_extract_lane::<2>(self.0),
                u32x4_extract_lane::<3>(self.0),
            ]
        }

        #[inline(always)]
        pub(in super::super) fn plus(self, other: Self) -> Self {
            Self(i32x4_add(self.0, other.0))
        }

        #[inline(always)]
        pub(in super::super) fn xor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }

        /// Rotates each number right. By whole bytes, this is a shuffle.
        #[inline(always)]
        pub(in super::super) fn rotated<const BITS: u32>(self) -> Self {
            let Self(n) = self;
            Self(match BITS {
                16 => i8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(n, n),
                8 => i8x16_shuffle::<1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12>(n, n),
                _ => v128_or(u32x4_shr(n, BITS), u32x4_shl(n, 32 - BITS)),
            })
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod imp {
    #[derive(Clone, Copy)]
    pub(in super::super) struct Lanes([u32; 4]);

    impl Lanes {
        pub(in super::super) fn new(numbers: [u32; 4]) -> Self {
            Self(numbers)
        }

        pub(in super::super) fn splat(number: u32) -> Self {
            Self([number; 4])
        }

        pub(in super::super) fn array(self) -> [u32; 4] {
            self.0
        }

        pub(in super::super) fn plus(self, other: Self) -> Self {
            Self(std::array::from_fn(|at| self.0[at].wrapping_add(other.0[at])))
        }

        pub(in super::super) fn xor(self, other: Self) -> Self {
            Self(std::array::from_fn(|at| self.0[at] ^ other.0[at]))
        }

        pub(in super::super) fn rotated<const BITS: u32>(self) -> Self {
            Self(self.0.map(|number| number.rotate_right(BITS)))
        }
    }
}
