//! Answers to questions about schemas, as data that serializes to JSON. The command, the bindings and the server share it.

pub(crate) mod difference;
pub(crate) mod tools;
pub(crate) mod witnessed;
