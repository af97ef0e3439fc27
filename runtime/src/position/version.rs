//! The version of the layout of [exported](crate::export) positions. It has its own file, since errors name it.

/// Version of the layout of exported positions. [`Matcher::import`](crate::Matcher::import) refuses all others.
pub const VERSION: u16 = 1;
