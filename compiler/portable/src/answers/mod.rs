//! Answers to questions about schemas, as data that serializes to JSON. The command line, the bindings and the server
//! share this data.

pub(crate) mod difference;
pub(crate) mod tools;
pub(crate) mod witnessed;
