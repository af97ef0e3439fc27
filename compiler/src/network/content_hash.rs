//! Content hashes: 128 bits of BLAKE3, by which rules and their expressions are recognised across compilations.

/// The content hash of a rule.
pub(super) type RuleHash = [u32; 4];

/// The content hash of an expression.
pub(super) type Digest = [u32; 4];

/// Returns the first 128 bits of the hash of some bytes.
pub(super) fn hash(bytes: &[u8]) -> [u32; 4] {
    let hash = blake3::hash(bytes);
    std::array::from_fn(|word| {
        u32::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[4 * word + byte]))
    })
}
