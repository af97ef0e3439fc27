//! Number sets against exact arithmetic that shares no code with them.

mod numerals;
mod oracle;
mod sets;
mod texts;
