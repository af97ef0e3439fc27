//! Reads the metadata of a GGUF file, which precede the descriptions of its tensors.
//!
//! ```text
//! "GGUF", version u32, tensors u64, entries u64, entry*
//! entry  = key string, type u32, value            string = length u64, bytes
//! value  = number | flag | string | element type u32, count u64, value*
//! ```
//!
//! All numbers are little-endian. A model has gigabytes of tensors after the metadata, and some megabytes of the
//! metadata are merges and scores. So the file is read from a stream, wanted entries are kept, others are skipped, and
//! nothing after the last entry is read. No length in the file is trusted: memory grows only with the bytes that exist,
//! and the kept values have limits of their own.

use std::io::{self, Read};

use crate::draft::MAX_ID;
use crate::import::files::MAX_FILE_BYTES;

/// Most values of a list that is kept: one for each id that a vocabulary may have. A longer list is an error.
const MAX_VALUES: u64 = MAX_ID as u64 + 1;

/// Most entries that are kept, slightly more than the importer asks for. More are an error.
const MAX_ENTRIES: usize = 32;

/// The value of an entry of the metadata.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A whole number of any width. Numbers beyond 63 bits are clamped.
    Number(i64),
    /// A boolean of the metadata.
    Flag(bool),
    /// A string, which need not be valid UTF-8.
    Text(Vec<u8>),
    /// A list of strings.
    Texts(Vec<Vec<u8>>),
    /// A list of whole numbers.
    Numbers(Vec<i64>),
}

/// The reason why the metadata cannot be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// Reading the file failed.
    Input(io::Error),
    /// The file breaks the GGUF format; the text says how.
    Damage(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damage("it ends within its metadata".to_owned()),
            _ => Self::Input(error),
        }
    }
}

/// Reads the entries for which `wanted` is true, in file order. `wanted` gets the key of an entry, and whether its
/// value is a list. Numbers with fractions are skipped. Fails if the stream does, or if the format is broken: for
/// example if two wanted entries have one key.
pub(super) fn read(
    input: impl Read,
    wanted: impl Fn(&[u8], bool) -> bool,
) -> Result<Vec<(Vec<u8>, Value)>, Fault> {
    let mut stream = Stream(input.take(MAX_FILE_BYTES));
    if stream.bytes::<4>()? != *b"GGUF" {
        return damage("it does not begin with GGUF");
    }
    match u32::from_le_bytes(stream.bytes()?) {
        2 | 3 => {}
        version if version & 0xFFFF == 0 => {
            return damage("it is big-endian; gguf_convert_endian.py of llama.cpp turns it");
        }
        version => {
            return damage(format!(
                "its version is {version}, and 2 and 3 are known; convert the model again"
            ));
        }
    }
    let _tensors = stream.length()?;
    let mut entries = Vec::new();
    for _ in 0..stream.length()? {
        let key = stream.string()?;
        let kind = u32::from_le_bytes(stream.bytes()?);
        if !wanted(&key, kind == kind::LIST) {
            stream.pass(&key, kind)?;
        } else if entries.iter().any(|(found, _)| *found == key) {
            return damage(format!("{} stands there twice", String::from_utf8_lossy(&key)));
        } else if entries.len() == MAX_ENTRIES {
            return damage(format!("{} is one entry too many", String::from_utf8_lossy(&key)));
        } else if let Some(value) = stream.value(&key, kind)? {
            entries.push((key, value));
        }
    }
    Ok(entries)
}

fn damage<T>(problem: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damage(problem.into()))
}

/// The types of values, as numbers in the file.
mod kind {
    pub(super) const FLAG: u32 = 7;
    pub(super) const STRING: u32 = 8;
    pub(super) const LIST: u32 = 9;
    pub(super) const SIGNED: [u32; 4] = [1, 3, 5, 11];
    pub(super) const FRACTION: [u32; 2] = [6, 12];
}

/// Returns the width in bytes of a number or boolean of this type. `None` for other types.
fn width(kind: u32) -> Option<usize> {
    match kind {
        0 | 1 | kind::FLAG => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

struct Stream<R>(io::Take<R>);

impl<R: Read> Stream<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn length(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn string(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.length()?;
        let mut bytes = Vec::new();
        self.0.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(ended()) }
    }

    /// Reads a number of this type and of `width` bytes. `None` if it has a fraction.
    fn number(&mut self, kind: u32, width: usize) -> Result<Option<i64>, Fault> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes[..width])?;
        let unused = 64 - 8 * width as u32;
        let number = u64::from_le_bytes(bytes);
        Ok(if kind::FRACTION.contains(&kind) {
            None
        } else if kind::SIGNED.contains(&kind) {
            Some((number << unused) as i64 >> unused)
        } else {
            Some(i64::try_from(number).unwrap_or(i64::MAX))
        })
    }

    fn value(&mut self, key: &[u8], kind: u32) -> Result<Option<Value>, Fault> {
        match kind {
            kind::STRING => self.string().map(Value::Text).map(Some),
            kind::LIST => self.list(key),
            _ => {
                let Some(width) = width(kind) else { return unknown(key, kind) };
                let number = self.number(kind, width)?;
                Ok(number.map(|number| match kind {
                    kind::FLAG => Value::Flag(number != 0),
                    _ => Value::Number(number),
                }))
            }
        }
    }

    fn list(&mut self, key: &[u8]) -> Result<Option<Value>, Fault> {
        let kind = u32::from_le_bytes(self.bytes()?);
        let count = self.length()?;
        if count > MAX_VALUES {
            let key = String::from_utf8_lossy(key);
            return damage(format!("{key} has {count} values, and {MAX_VALUES} are allowed"));
        }
        if kind == kind::STRING {
            let texts: Result<_, Fault> = (0..count).map(|_| self.string()).collect();
            return texts.map(Value::Texts).map(Some);
        }
        let Some(width) = width(kind) else { return unknown(key, kind) };
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.extend(self.number(kind, width)?);
        }
        Ok((numbers.len() as u64 == count).then_some(Value::Numbers(numbers)))
    }

    /// Skips the value of the entry `key`, whose type is `kind`. Fails if the type is unknown or the file ends within
    /// the value.
    fn pass(&mut self, key: &[u8], kind: u32) -> Result<(), Fault> {
        match kind {
            kind::STRING => self.pass_string(),
            kind::LIST => {
                let kind = u32::from_le_bytes(self.bytes()?);
                let count = self.length()?;
                if kind == kind::STRING {
                    return (0..count).try_for_each(|_| self.pass_string());
                }
                let Some(width) = width(kind) else { return unknown(key, kind) };
                self.pass_bytes(count.saturating_mul(width as u64))
            }
            _ => match width(kind) {
                Some(width) => self.pass_bytes(width as u64),
                None => unknown(key, kind),
            },
        }
    }

    fn pass_string(&mut self) -> Result<(), Fault> {
        let length = self.length()?;
        self.pass_bytes(length)
    }

    fn pass_bytes(&mut self, count: u64) -> Result<(), Fault> {
        let passed = io::copy(&mut self.0.by_ref().take(count), &mut io::sink())?;
        if passed == count { Ok(()) } else { Err(ended()) }
    }
}

fn ended() -> Fault {
    io::Error::from(io::ErrorKind::UnexpectedEof).into()
}

/// Returns the error for a value of an unknown type. A list within a list is unknown, too: no program writes one, and
/// llama.cpp does not read any.
fn unknown<T>(key: &[u8], kind: u32) -> Result<T, Fault> {
    damage(format!("{} has a value of the unknown type {kind}", String::from_utf8_lossy(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that has some bytes, and fails if more are read.
    struct Only<'b>(&'b [u8]);

    impl Read for Only<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 if !buffer.is_empty() => Err(io::Error::other("read behind the metadata")),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn nothing_is_read_behind_the_metadata() {
        let lengths = [5u64, 2].map(u64::to_le_bytes).concat();
        let entries = [
            &b"\x01\0\0\0\0\0\0\0a\x08\0\0\0\x02\0\0\0\0\0\0\0hi"[..],
            b"\x01\0\0\0\0\0\0\0b\x01\0\0\0\xFE",
        ];
        let file = [&b"GGUF\x03\0\0\0"[..], &lengths, &entries.concat()].concat();
        let found = read(Only(&file), |_, _| true).expect("reads");
        let expected =
            [(b"a".to_vec(), Value::Text(b"hi".to_vec())), (b"b".to_vec(), Value::Number(-2))];
        assert_eq!(found, expected);
        assert_eq!(read(Only(&file), |_, _| false).expect("reads"), []);
        for cut in 0..file.len() {
            assert!(matches!(read(Only(&file[..cut]), |_, _| true), Err(Fault::Input(_))), "{cut}");
            assert!(
                matches!(read(&file[..cut], |_, _| cut % 2 == 0), Err(Fault::Damage(_))),
                "{cut}"
            );
        }
    }
}
