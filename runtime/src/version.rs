//! Version of the layout of [exported](crate::export) positions.

/// Version of the layout.
pub const VERSION: u16 = 1;
