//! The body of a request, and the JSON errors for unknown paths and methods.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;

use crate::app::App;
use crate::connections::Connection;
use crate::error::ApiError;

/// The complete body of a request. Reading fails if the body exceeds its limits on length or time.
/// When it was read, the connection counts as served.
pub(crate) struct Body(pub(crate) Bytes);

impl FromRequest<Arc<App>> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let connection = request.extensions().get::<Connection>().cloned();
        let most = app.options.limits.body_time;
        let Ok(read) = tokio::time::timeout(most, Bytes::from_request(request, app)).await else {
            let message = format!("the body did not come within {} seconds", most.as_secs_f32());
            return Err(ApiError::slow(message));
        };
        match read {
            Ok(bytes) => {
                connection.inspect(|connection| connection.set_served(true));
                Ok(Self(bytes))
            }
            Err(BytesRejection::FailedToBufferBody(error))
                if error.status() == StatusCode::PAYLOAD_TOO_LARGE =>
            {
                Err(ApiError::too_large("the body is longer than may be sent"))
            }
            Err(error) => Err(ApiError::request(format!("the body did not come: {error}"))),
        }
    }
}

/// Returns the error for an unknown path.
pub(crate) async fn no_path() -> ApiError {
    ApiError::path("there is no such path; `/v1/chat/completions` is one")
}

/// Returns the error for a method that a path does not support.
pub(crate) async fn no_method() -> ApiError {
    ApiError::method("the path is not served by this method")
}
