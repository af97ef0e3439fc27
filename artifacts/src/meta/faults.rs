//! Archives read with the errors of the artifact. They have no shared pointers, so the reader keeps no table of those.

use rkyv::api::low::{self, LowDeserializer, LowValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::{Archive, Deserialize, Portable, rancor};

use crate::error::Error;

/// Returns the error of an archive that could not be written, because memory ran out or it is longer than 2 GiB.
pub(super) fn unwritable(error: rancor::Error) -> Error {
    Error::MetaEncode { detail: error.to_string() }
}

/// Returns the error of an archive whose content is invalid.
pub(super) fn invalid(detail: &str) -> Error {
    Error::Meta { detail: detail.to_owned() }
}

/// Returns the checked root of an archive. O(length).
pub(super) fn checked<T>(bytes: &[u8]) -> Result<&T, Error>
where
    T: Portable + for<'a> CheckBytes<LowValidator<'a, rancor::Error>>,
{
    low::access(bytes).map_err(unreadable)
}

/// Returns a copy of an archived value.
pub(super) fn owned<T: Archive>(archived: &T::Archived) -> Result<T, Error>
where
    T::Archived: Deserialize<T, LowDeserializer<rancor::Error>>,
{
    low::deserialize(archived).map_err(unreadable)
}

fn unreadable(error: rancor::Error) -> Error {
    Error::Meta { detail: error.to_string() }
}
