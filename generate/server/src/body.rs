//! The body of a request, and requests that no endpoint takes: errors that come before one are JSON as well.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;

use crate::error::ApiError;

/// The whole body, as long as it may be.
pub(crate) struct Body(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Bytes::from_request(request, state).await {
            Ok(bytes) => Ok(Self(bytes)),
            Err(BytesRejection::FailedToBufferBody(error))
                if error.status() == StatusCode::PAYLOAD_TOO_LARGE =>
            {
                Err(ApiError::too_large("the body is longer than may be sent"))
            }
            Err(error) => Err(ApiError::request(format!("the body did not come: {error}"))),
        }
    }
}

/// The error of a path that there is not.
pub(crate) async fn no_path() -> ApiError {
    ApiError::path("there is no such path; `/v1/chat/completions` is one")
}

/// The error of a method that a path has not.
pub(crate) async fn no_method() -> ApiError {
    ApiError::method("the path is not served by this method")
}
