//! Sets of bytes as words of 128 bits, one for each byte class. The bytes of a class are not distinguished.
//!
//! A printable character of ASCII has a class of its own, and so have tab, line feed and carriage return. The other
//! control characters share one class. Beyond ASCII, four continuation bytes of UTF-8 share a class, and so do a few
//! leading bytes.

use crate::ir::ByteSet;

/// For each byte, the index of the bit of its byte class, from 0 to 127. The bytes of a class share a bit.
const BITS: [u8; 256] = {
    let mut bits = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        bits[byte] = match byte as u8 {
            b'\t' => 9,
            b'\n' => 10,
            b'\r' => 13,
            other @ b' '..=0x7F => other,
            0..b' ' => 0,
            other @ 0x80..0xC0 => 14 + (other - 0x80) / 4,
            0xC0..0xD0 => 1,
            0xD0..0xE0 => 2,
            0xE0 => 3,
            0xE1 => 4,
            0xE2 => 5,
            0xE3 => 6,
            0xE4..0xEA => 7,
            0xEA..0xEE => 8,
            0xEE..0xF0 => 11,
            0xF0.. => 12,
        };
        byte += 1;
    }
    bits
};

/// Returns a set of byte classes, one bit each, that has only the class of `byte`. Some bytes share a class.
pub(crate) fn bit(byte: u8) -> u128 {
    1 << BITS[usize::from(byte)]
}

/// The ASCII control characters that share one entry in [`BITS`], as a word: bit `i` denotes the character code `i`.
const CONTROLS: u32 = !LONE_CONTROLS;
/// The control characters with a bit of their own in [`BITS`]: tab, line feed, carriage return. Bit `i` of the word
/// denotes the character code `i`.
const LONE_CONTROLS: u32 = 1 << b'\t' | 1 << b'\n' | 1 << b'\r';

/// Index of the first bit that continuation bytes of UTF-8 share.
const CONTINUING: u8 = BITS[0x80];

/// One entry for each bit that leading bytes of UTF-8 share. An entry has the word of a byte set with these bytes,
/// their bits in that word, and the shared bit. The word is 0 or 1, for the last two words of the set.
const LEADING: [(usize, u32, u128); 10] = {
    let mut leading = [(0, 0, 0); 10];
    let mut count = 0;
    let mut byte = 0xC0;
    while byte < 256 {
        let (word, bit) = (byte / 32 - 6, 1 << BITS[byte]);
        if count == 0 || leading[count - 1].2 != bit {
            leading[count] = (word, 0, bit);
            count += 1;
        }
        leading[count - 1].1 |= 1 << (byte % 32);
        byte += 1;
    }
    leading
};

/// Returns the byte classes of all bytes of a set, one bit each in a word of 128 bits. The bytes of a class are not
/// distinguished, so the result may cover more bytes than the set.
pub(crate) fn bits(bytes: ByteSet) -> u128 {
    let [controls, ascii @ .., c0, e0] = bytes.to_words();
    let [low, middle, high, more @ ..] = ascii.map(u128::from);
    let own = low << 32 | middle << 64 | high << 96 | u128::from(controls & LONE_CONTROLS);
    let shared = u128::from(controls & CONTROLS != 0);
    let continuing = any_of_four((more[0] | more[1] << 32) as u64);
    let mut all = own | shared | u128::from(continuing) << CONTINUING;
    if c0 | e0 != 0 {
        for (word, bytes, bit) in LEADING {
            all |= if [c0, e0][word] & bytes != 0 { bit } else { 0 };
        }
    }
    all
}

/// Returns, for each group of four bits of `bits` from the lowest on, whether any of them is set: one bit for each
/// group.
fn any_of_four(bits: u64) -> u16 {
    let two = bits | bits >> 1;
    let four = (two | two >> 2) & 0x1111_1111_1111_1111;
    // Each step doubles the number of group bits that are adjacent.
    let pairs = (four | four >> 3) & 0x0303_0303_0303_0303;
    let nibbles = (pairs | pairs >> 6) & 0x000F_000F_000F_000F;
    let bytes = (nibbles | nibbles >> 12) & 0x0000_00FF_0000_00FF;
    (bytes | bytes >> 24) as u16
}

/// Returns the byte classes, one bit each, whose bytes are all in `bytes`.
pub(crate) fn whole_bits(bytes: ByteSet) -> u128 {
    !bits(ByteSet::FULL.minus(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_a_set_are_those_of_its_bytes() {
        for lo in 0..=u8::MAX {
            for hi in lo..=u8::MAX {
                let expected = (lo..=hi).fold(0, |bits, byte| bits | bit(byte));
                assert_eq!(bits(ByteSet::range(lo, hi)), expected, "{lo:#x}..={hi:#x}");
            }
        }
    }
}
