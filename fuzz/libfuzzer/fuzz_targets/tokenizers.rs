//! [`grammarc_fuzz::tokenizers`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| grammarc_fuzz::tokenizers::run(data));
