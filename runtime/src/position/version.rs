//! The version of the layout of [exported](crate::export) positions. A file of its own, since errors name it.

/// Version of the layout. [`Matcher::import`](crate::Matcher::import) refuses all others.
pub const VERSION: u16 = 1;
