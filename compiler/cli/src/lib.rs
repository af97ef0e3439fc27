//! What the `grammarc` binary is made of that other programs can use: random outputs of a compiled grammar, drawn by
//! its masks and brought to an end by the shortest text.

pub mod sample;
