//! blake3, the hash of checksums, fingerprints and digests.
//!
//! Native builds have the crate `blake3`, which is fastest. Its code for WebAssembly is unrolled and takes 9 KB of the
//! packed module, a twelfth. So modules have `compact`, a small implementation over `lanes` of numbers.
//!
//! Tests: this file compares both implementations.

#[cfg(any(test, target_family = "wasm"))]
mod compact;
#[cfg(any(test, target_family = "wasm"))]
mod lanes;

#[cfg(target_family = "wasm")]
use compact::Compact as Engine;

#[cfg(not(target_family = "wasm"))]
use blake3::Hasher as Engine;

/// A hash of bytes that come in parts.
pub(crate) struct Hasher(Engine);

impl Hasher {
    pub(crate) fn new() -> Self {
        Self(Engine::new())
    }

    /// Appends bytes. O(length).
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes.
    #[allow(clippy::useless_conversion, reason = "the crate has a type for hashes")]
    pub(crate) fn finalize(&self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Returns the hash of bytes. O(length).
pub(crate) fn hash(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::compact::Compact;

    /// Lengths around the borders of blocks, chunks and groups of chunks, in parts of several lengths.
    #[test]
    fn both_implementations_agree() {
        let bytes: Vec<u8> = (0..70_000u32).map(|at| (at % 251) as u8).collect();
        let borders = [0, 64, 1024, 2048, 3072, 4096, 5120, 8192, 12_288, 65_536];
        let lengths =
            borders.iter().flat_map(|&border: &usize| border.saturating_sub(1)..border + 2);
        for length in lengths {
            let bytes = &bytes[..length];
            let expected = *blake3::hash(bytes).as_bytes();
            for part in [1, 63, 1000, 1024, 4096, 5000, 70_000] {
                let mut hasher = Compact::new();
                bytes.chunks(part).for_each(|part| hasher.update(part));
                assert_eq!(hasher.finalize(), expected, "{length} bytes in parts of {part}");
            }
        }
    }
}
