//! The kernels, compiled for the CPU, against the runtime.

mod advance;
mod apply;
mod cases;
mod emulator;
mod pool;
mod ptx;
mod sample;
mod sanitized;
