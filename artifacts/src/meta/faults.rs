//! Errors of the archive, as errors of the artifact.

use rkyv::rancor;

use crate::error::Error;

/// Writing fails only where memory does, or where the archive is longer than 2 GiB.
pub(super) fn unwritable(error: rancor::Error) -> Error {
    Error::MetaEncode { detail: error.to_string() }
}

pub(super) fn unreadable(error: rancor::Error) -> Error {
    Error::Meta { detail: error.to_string() }
}
