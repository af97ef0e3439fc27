//! The body of a request, and the errors of unknown paths and methods, as JSON.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;

use crate::app::App;
use crate::connections::Connection;
use crate::error::ApiError;

/// The whole body, within its limits of length and time. The connection counts as served from the end of the body on.
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

/// Returns the error of an unknown path.
pub(crate) async fn no_path() -> ApiError {
    ApiError::path("there is no such path; `/v1/chat/completions` is one")
}

/// Returns the error of a method that a path does not support.
pub(crate) async fn no_method() -> ApiError {
    ApiError::method("the path is not served by this method")
}
