//! The kernel for any processor, and for the tails of the others.

/// See the [module](super).
pub(crate) fn apply(words: &[u32], logits: &mut [f32]) {
    for (&word, logits) in words.iter().zip(logits.chunks_mut(32)) {
        match word {
            u32::MAX => {}
            0 => logits.fill(f32::NEG_INFINITY),
            _ => {
                for (bit, logit) in logits.iter_mut().enumerate() {
                    if word >> bit & 1 == 0 {
                        *logit = f32::NEG_INFINITY;
                    }
                }
            }
        }
    }
}
