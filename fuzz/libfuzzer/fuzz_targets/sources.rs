//! [`grammarc_fuzz::sources`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| grammarc_fuzz::sources::run(data));
