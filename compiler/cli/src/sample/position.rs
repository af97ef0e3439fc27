//! A matcher's position as its configurations and frames, read from the bytes that it exports.
//!
//! The layout is the one that `grammarc_runtime::export` documents.

use grammarc_runtime::Matcher;

/// Bytes before the frames; the last eight are the numbers of frames and of configurations.
const HEADER: usize = 32;
/// Bytes of a frame or a configuration.
const RECORD: usize = 12;

/// One frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// State that the rule above returns to.
    pub ret: u32,
    /// Countdown of the activation that it returns to.
    pub count: u32,
    /// The frame below: one more than its index, or 0 for the bottom.
    pub parent: u32,
}

/// One reading of the input so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// State of the network.
    pub state: u32,
    /// Countdown of its activation.
    pub count: u32,
    /// Top frame: one more than its index, or 0 for the bottom.
    pub frame: u32,
}

/// The configurations of a matcher, and the frames of their stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The frames; a parent comes before its children.
    pub frames: Vec<Frame>,
    /// The configurations. Empty in a finished sequence.
    pub configurations: Vec<Configuration>,
}

impl Position {
    /// The position of a matcher. O(configurations and frames).
    pub fn of(matcher: &Matcher) -> Self {
        let bytes = matcher.export();
        let mut records = bytes.get(HEADER..).unwrap_or_default().chunks_exact(RECORD).map(record);
        let [frames, configurations] =
            [HEADER - 8, HEADER - 4].map(|at| bytes.get(at..at + 4).map_or(0, number) as usize);
        let frames = records.by_ref().take(frames);
        let frames = frames.map(|[ret, count, parent]| Frame { ret, count, parent }).collect();
        let configurations = records
            .take(configurations)
            .map(|[state, count, frame]| Configuration { state, count, frame });
        Self { configurations: configurations.collect(), frames }
    }

    /// The return states and countdowns below a configuration, from the top.
    pub fn stack(&self, configuration: Configuration) -> impl Iterator<Item = (u32, u32)> {
        let mut at = configuration.frame;
        std::iter::from_fn(move || {
            let frame = self.frames.get((at as usize).checked_sub(1)?)?;
            at = frame.parent;
            Some((frame.ret, frame.count))
        })
    }
}

fn record(bytes: &[u8]) -> [u32; 3] {
    std::array::from_fn(|at| number(&bytes[at * 4..]))
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
