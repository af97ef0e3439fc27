//! The kernels, compiled for the CPU, against the runtime.

mod advance;
mod cases;
mod emulator;
