//! Reads the position of a matcher (its configurations and stack frames) from the bytes that the
//! matcher exports.
//!
//! The layout of these bytes is documented in `grammarc_runtime::export`.

use grammarc_runtime::Matcher;

/// Length in bytes of the header before the frames. Its last eight bytes are the number of frames
/// and the number of configurations.
const HEADER: usize = 32;
/// Length in bytes of the record of one frame or one configuration.
const RECORD: usize = 12;

/// One stack frame: a pending call of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// State that the call returns to when the called rule has ended.
    pub ret: u32,
    /// Countdown (repetitions left) of the calling rule, restored on the return.
    pub count: u32,
    /// The next frame towards the bottom of the stack, as its index in [`Position::frames`] plus 1.
    /// 0 if there is none.
    pub parent: u32,
}

/// One parse of the input so far: a state, its countdown, and its call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Number of the state in the network.
    pub state: u32,
    /// Countdown (repetitions left) of the rule that the state belongs to.
    pub count: u32,
    /// Top frame of the stack, as its index in [`Position::frames`] plus 1. 0 if the stack is
    /// empty.
    pub frame: u32,
}

/// The configurations (parses) of a matcher, and the frames of their stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The frames. A frame comes after its parent.
    pub frames: Vec<Frame>,
    /// The configurations. Empty if the sequence is finished.
    pub configurations: Vec<Configuration>,
}

impl Position {
    /// Reads the position of a matcher. O(configurations + frames).
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

    /// Returns the stack of a configuration from the top: for each frame, its return state and
    /// countdown.
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
