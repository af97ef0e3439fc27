//! Content hashes: 128 bits of BLAKE3. They identify rules and their expressions across
//! compilations.

/// The content hash of a rule: 128 bits as four words of 32 bits.
pub(super) type RuleHash = [u32; 4];

/// The content hash of an expression: 128 bits as four words of 32 bits.
pub(super) type Digest = [u32; 4];

/// Returns the first 128 bits of the BLAKE3 hash of `bytes`.
pub(super) fn hash(bytes: &[u8]) -> [u32; 4] {
    let hash = blake3::hash(bytes);
    std::array::from_fn(|word| {
        u32::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[4 * word + byte]))
    })
}
