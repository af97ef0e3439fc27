//! The records shared by host and device, word by word as in `kernels/layout.cuh` and the kernels' parameters.
//!
//! `README.md` beside this crate describes them. A test compares sizes and fields with the C++ ones.

use bytemuck::{Pod, Zeroable};

/// The absence of an offset, a state or a class.
pub(crate) const NONE: u32 = u32::MAX;
/// Most parts of a row.
pub(crate) const ROW_PARTS: usize = 13;
/// Most frames of a position.
pub(crate) const FRAMES: usize = 32;
/// The row has a mask.
pub(crate) const ROW_MASKED: u32 = 0x100;
/// The device does not decide a position.
pub(crate) const STATUS_HOST: u32 = 1;
/// A token was not allowed.
pub(crate) const STATUS_REFUSED: u32 = 2;
/// An end token was taken.
pub(crate) const STATUS_FINISHED: u32 = 4;
/// Words of a grammar record.
pub(crate) const GRAMMAR_WORDS: u32 = 24;
/// Words of a half.
pub(crate) const HALF_WORDS: usize = 8;
/// Words of a mask record.
pub(crate) const MASK_WORDS: u32 = 8;

/// One half of a grammar's tables: see `struct Half`.
pub(crate) type Half = [u32; HALF_WORDS];

/// The tokens that one row of logits allows: see `struct Row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Row {
    pub(crate) kind: u32,
    pub(crate) ends: u32,
    pub(crate) ends_len: u32,
    pub(crate) parts: [u32; ROW_PARTS],
}

/// One configuration with its stack: see `struct Position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Position {
    pub(crate) grammar: u32,
    pub(crate) state: u32,
    pub(crate) count: u32,
    pub(crate) depth: u32,
    pub(crate) finals: u32,
    pub(crate) rests: u32,
    pub(crate) status: u32,
    pub(crate) unused: u32,
    pub(crate) ret: [u32; FRAMES],
    pub(crate) counts: [u32; FRAMES],
}

/// See `struct Logits`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LogitsParams {
    pub(crate) at: u64,
    pub(crate) stride: i64,
    pub(crate) columns: u32,
    pub(crate) dtype: u32,
    pub(crate) first: u32,
    pub(crate) rows: u32,
    pub(crate) map: u64,
    pub(crate) tokens: u64,
}

/// See `struct ApplyParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ApplyParams {
    pub(crate) pool: u64,
    pub(crate) rows: u64,
    pub(crate) logits: LogitsParams,
}

/// See `struct BitmaskParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BitmaskParams {
    pub(crate) bitmask: u64,
    pub(crate) stride: i64,
    pub(crate) words: u32,
    pub(crate) tokens: u32,
    pub(crate) logits: LogitsParams,
}

/// See `struct FillParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FillParams {
    pub(crate) pool: u64,
    pub(crate) rows: u64,
    pub(crate) bitmask: u64,
    pub(crate) stride: i64,
    pub(crate) words: u32,
    pub(crate) count: u32,
    pub(crate) map: u64,
}

/// See `struct AdvanceParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct AdvanceParams {
    pub(crate) pool: u64,
    pub(crate) positions: u64,
    pub(crate) rows: u64,
    pub(crate) status: u64,
    pub(crate) places: u32,
    pub(crate) count: u32,
    pub(crate) slots: u64,
    pub(crate) tokens: u64,
    pub(crate) token_stride: i64,
    pub(crate) accepted: u64,
    pub(crate) drafts: u32,
    pub(crate) pad: u32,
    pub(crate) allowed: u64,
}

/// See `struct SampleParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SampleParams {
    pub(crate) pool: u64,
    pub(crate) rows: u64,
    pub(crate) logits: LogitsParams,
    pub(crate) best: u64,
    pub(crate) blocks: u64,
    pub(crate) tokens: u64,
    pub(crate) temperatures: u64,
    pub(crate) seeds: u64,
    pub(crate) steps: u64,
    pub(crate) advances: u32,
    pub(crate) pad: u32,
    pub(crate) advance: AdvanceParams,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::mem::offset_of;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// Sizes and offsets in Rust equal those that a C++ compiler finds in the kernels' sources.
    #[test]
    fn records_are_those_of_the_kernels() {
        let mut source =
            String::from("#include \"cuemu.h\"\n#include <cstddef>\n#include \"grammarc.cu\"\n");
        macro_rules! same {
            ($($rust:ident = $cpp:ident { $($field:ident = $place:literal),* $(,)? })*) => {$(
                let (name, size) = (stringify!($cpp), size_of::<$rust>());
                writeln!(source, "static_assert(sizeof({name}) == {size});").unwrap();
                $(
                    let (field, at) = ($place, offset_of!($rust, $field));
                    writeln!(source, "static_assert(offsetof({name}, {field}) == {at});").unwrap();
                )*
            )*};
        }
        same! {
            Row = Row { kind = "kind", ends = "ends", ends_len = "ends_len", parts = "parts" }
            Position = Position {
                grammar = "grammar", state = "state", count = "count", depth = "depth", finals = "finals", rests = "rests",
                status = "status", ret = "ret", counts = "counts",
            }
            LogitsParams = Logits {
                at = "at", stride = "stride", columns = "columns", dtype = "dtype", first = "first", rows = "rows", map = "map",
                tokens = "tokens",
            }
            ApplyParams = ApplyParams { pool = "pool", rows = "rows", logits = "logits" }
            BitmaskParams = BitmaskParams {
                bitmask = "bitmask", stride = "bitmask_stride", words = "words", tokens = "tokens", logits = "logits",
            }
            FillParams = FillParams {
                pool = "pool", rows = "rows", bitmask = "bitmask", stride = "stride", words = "words", count = "count",
                map = "map",
            }
            AdvanceParams = AdvanceParams {
                pool = "pool", positions = "positions", rows = "rows", status = "status", places = "places", count = "count",
                slots = "slots", tokens = "tokens", token_stride = "token_stride", accepted = "accepted", drafts = "drafts",
                allowed = "allowed",
            }
            SampleParams = SampleParams {
                pool = "pool", rows = "rows", logits = "logits", best = "best", blocks = "blocks", tokens = "tokens",
                temperatures = "temperatures", seeds = "seeds", steps = "steps", advances = "advances", advance = "advance",
            }
        }
        let words = [
            ("Grammar", GRAMMAR_WORDS as usize),
            ("Half", HALF_WORDS),
            ("Mask", MASK_WORDS as usize),
        ];
        for (name, words) in words {
            writeln!(source, "static_assert(sizeof({name}) == 4 * {words});").unwrap();
        }
        for (name, value) in [
            ("STATUS_HOST", STATUS_HOST),
            ("STATUS_REFUSED", STATUS_REFUSED),
            ("STATUS_FINISHED", STATUS_FINISHED),
        ] {
            writeln!(source, "static_assert({name} == {value});").unwrap();
        }
        let most = format!(
            "static_assert(ROW_PARTS == {ROW_PARTS} && FRAMES == {FRAMES} && ROW_MASKED == {ROW_MASKED});"
        );
        source.push_str(&most);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("layout.cpp");
        grammarc_artifacts::write::replace(&file, source.as_bytes()).unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new("g++");
        command
            .args(["-std=c++20", "-w", "-fsyntax-only", "-I"])
            .arg(here.join("emulator"))
            .arg("-I");
        let output = command.arg(here.join("kernels")).arg(&file).output().expect("a C++ compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
