//! Conversion of archive errors to errors of the artifact.

use rkyv::rancor;

use crate::error::Error;

/// Returns the error of an archive that could not be written, because memory ran out or it is longer than 2 GiB.
pub(super) fn unwritable(error: rancor::Error) -> Error {
    Error::MetaEncode { detail: error.to_string() }
}

/// Returns the error of an archive whose content is invalid.
pub(super) fn invalid(detail: &str) -> Error {
    Error::Meta { detail: detail.to_owned() }
}

pub(super) fn unreadable(error: rancor::Error) -> Error {
    Error::Meta { detail: error.to_string() }
}
