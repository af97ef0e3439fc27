//! The bytes of tokens: two words for each, and the long ones beside them.

use grammarc_artifacts::{TokenKind, Tokens};
use grammarc_runtime::flat::is_plain;

use super::writer::Writer;

/// Length value of a text whose bytes are in the table of long ones.
const LONG: u32 = 0x7f;
/// Flag of a text whose bytes are all plain.
const PLAIN: u32 = 0x80;
/// Number of bytes that fit in two words beside their length.
const SHORT: usize = 7;

/// Writes the texts of all tokens. Returns their offset, their number and the offset of the long ones.
pub(crate) fn write_texts(writer: &mut Writer, tokens: &Tokens<'_>) -> (u32, u32, u32) {
    let (mut words, mut long) = (Vec::new(), Vec::new());
    for token in 0..tokens.count() {
        let bytes = match tokens.kind_of(token) {
            TokenKind::Text => tokens.bytes_of(token),
            TokenKind::Special | TokenKind::Unused => &[],
        };
        words.extend(text(bytes, &mut long));
    }
    (writer.table(&words), tokens.count(), writer.bytes(&long))
}

fn text(bytes: &[u8], long: &mut Vec<u8>) -> [u32; 2] {
    let plain =
        if !bytes.is_empty() && bytes.iter().all(|&byte| is_plain(byte)) { PLAIN } else { 0 };
    if bytes.len() > SHORT {
        let at = long.len() as u32;
        long.extend_from_slice(bytes);
        return [LONG | plain | (bytes.len() as u32) << 8, at];
    }
    let mut word = [0; SHORT + 1];
    word[0] = bytes.len() as u8 | plain as u8;
    word[1..][..bytes.len()].copy_from_slice(bytes);
    let [a, b, c, d, e, f, g, h] = word;
    [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])]
}
