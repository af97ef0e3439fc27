//! The kernel for any processor, and for the tails of the others.
//!
//! It selects by arithmetic on the bits of a logit: a branch for each token is mispredicted so often in mixed masks
//! that it costs ten times the selection.

/// See the [module](super).
pub(crate) fn apply(words: &[u32], logits: &mut [f32]) {
    for (&word, logits) in words.iter().zip(logits.chunks_mut(32)) {
        match word {
            u32::MAX => {}
            0 => logits.fill(f32::NEG_INFINITY),
            _ => {
                for (bit, logit) in logits.iter_mut().enumerate() {
                    let allowed = 0u32.wrapping_sub(word >> bit & 1);
                    let forbidden = f32::NEG_INFINITY.to_bits() & !allowed;
                    *logit = f32::from_bits(logit.to_bits() & allowed | forbidden);
                }
            }
        }
    }
}
