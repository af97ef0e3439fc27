//! The choice of a set of kernels, by the features of the processor.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use std::sync::OnceLock;

use super::kernels::Kernels;
use super::logit::Logit;
use super::logit::sealed::Lane;
#[cfg(target_arch = "aarch64")]
use super::neon;
use super::scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::error::BufferError;

impl Kernels {
    /// Returns the fastest set of kernels that this processor runs. Chosen on the first call.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    pub fn fastest() -> &'static Self {
        static CHOSEN: OnceLock<Kernels> = OnceLock::new();
        CHOSEN.get_or_init(|| Self::available().pop().unwrap_or(scalar::KERNELS))
    }

    /// Returns the fastest set of kernels of a module. A constant, so that kernels without a caller are left out.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    #[inline(always)]
    pub fn fastest() -> &'static Self {
        &wasm::KERNELS
    }

    /// Returns all sets of kernels that this processor runs, fastest last. The first set runs on every processor.
    pub fn available() -> Vec<Self> {
        let sets = std::iter::once(scalar::KERNELS);
        #[cfg(target_arch = "x86_64")]
        let sets = sets.chain(x86::available());
        #[cfg(target_arch = "aarch64")]
        let sets = sets.chain(neon::available());
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        let sets = sets.chain([wasm::KERNELS]);
        sets.collect()
    }

    /// Returns the name of the instruction set: `scalar`, `avx2`, `avx512`, `neon` or `simd128`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sets the logits whose bit is clear to negative infinity. The other logits keep their bits, NaN included. Logit
    /// `t` has bit `t % 32` of word `t / 32`, as [`Mask::fill`](crate::Mask::fill) writes it. Words past the row are
    /// not read.
    ///
    /// # Errors
    ///
    /// There are fewer words than the row of logits needs.
    pub fn apply<L: Logit>(&self, words: &[u32], logits: &mut [L]) -> Result<(), BufferError> {
        let needed = logits.len().div_ceil(32);
        let found = words.len();
        let words = words.get(..needed).ok_or(BufferError { unit: "words", found, needed })?;
        L::Lane::apply(self, words, L::lanes_mut(logits));
        Ok(())
    }
}
