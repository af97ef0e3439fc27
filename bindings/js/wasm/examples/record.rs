//! Records random walks over a grammar by the native runtime, for the tests of the module to replay.
//!
//! ```text
//! record VOCABULARY GRAMMAR WALKS STEPS SEED > FILE
//! ```
//!
//! Each step of a walk is three little-endian words: the token that was drawn, and two hashes of the mask that it was drawn
//! from. A walk ends with a step whose token is `u32::MAX`. Its hashes are those of the mask at the end.

use std::error::Error;
use std::io::{BufWriter, Write, stdout};

use grammarc_runtime::{Grammar, Matcher, Vocabulary};

/// Most allowed tokens among which one is drawn without regard for the rest. Beyond it, tokens are drawn at random until one is
/// allowed.
const FEW: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [vocabulary, grammar, walks, steps, seed] = &arguments[..] else {
        return Err("record VOCABULARY GRAMMAR WALKS STEPS SEED".into());
    };
    let vocabulary = Vocabulary::open(vocabulary)?;
    let grammar = Grammar::open(grammar, &vocabulary)?;
    let (walks, steps): (usize, usize) = (walks.parse()?, steps.parse()?);
    let mut random = Random(seed.parse::<u64>()? | 1);
    let mut out = BufWriter::new(stdout().lock());
    let width = vocabulary.logit_width();
    let mut words = vec![0; width.div_ceil(u32::BITS) as usize];
    for _ in 0..walks {
        let mut matcher = Matcher::new(&grammar);
        for step in 0..=steps {
            let mask = matcher.mask();
            mask.fill(&mut words)?;
            let count = mask.len();
            let is_last = step == steps || matcher.is_finished();
            let token = if is_last { u32::MAX } else { random.token(&words, width, count) };
            for word in [token, hash(&words, 0x811c_9dc5), hash(&words, 0x9e37_79b9)] {
                out.write_all(&word.to_le_bytes())?;
            }
            if is_last {
                break;
            }
            matcher.accept(token)?;
        }
    }
    Ok(out.flush()?)
}

/// Returns the FNV-1a hash of words.
fn hash(words: &[u32], basis: u32) -> u32 {
    words.iter().fold(basis, |hash, word| (hash ^ word).wrapping_mul(0x0100_0193))
}

/// An xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % limit as u64) as usize
    }

    /// Returns one of `count` allowed tokens.
    fn token(&mut self, words: &[u32], width: u32, count: usize) -> u32 {
        let is_set = |token: usize| words[token / 32] >> (token % 32) & 1 != 0;
        if count > FEW && self.below(2) == 0 {
            loop {
                let token = self.below(width as usize);
                if is_set(token) {
                    return token as u32;
                }
            }
        }
        let at = self.below(count);
        let mut allowed = (0..width as usize).filter(|&token| is_set(token));
        allowed.nth(at).unwrap_or_default() as u32
    }
}
