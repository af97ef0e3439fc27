//! Reads outputs of language models: reasoning, text, and tool calls with their arguments as JSON.
//!
//! ```text
//! tokens or text ─► splitter of the grammar ─► pieces ─► parts ─► arguments from tags to JSON ─► parts
//! ```
//!
//! The grammar that constrains an output also reads it, so nothing is searched by patterns. [`Calls`]
//! has all stages for one output.
//!
//! | file | content |
//! | --- | --- |
//! | [`calls`](Calls) | all stages for one output |
//! | [`pieces`](PieceReader) | pieces of the splitter become parts |
//! | [`arguments`] | arguments in tags become JSON |
//! | [`part`] | parts: texts in whole characters |
//!
//! Tests: `arguments/tests.rs`; `tests/tests/suite/reading.rs`.

pub mod arguments;
mod calls;
pub mod part;
mod pieces;

pub use self::arguments::TagArguments;
pub use self::calls::{Calls, UnknownStyle};
pub use self::part::Part;
pub use self::pieces::PieceReader;
