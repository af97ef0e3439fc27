//! Limits on the sources that clients send: their length, and the nesting of JSON.

use crate::app::App;
use crate::error::ApiError;

/// Fails if a source is longer than the limit. `path` is the field of the source, for the error.
pub(crate) fn limit(app: &App, path: &str, text: &str) -> Result<(), ApiError> {
    let most = app.options.limits.source_bytes;
    if text.len() > most {
        return Err(ApiError::too_large(format!(
            "it has {} bytes; at most {most} are read",
            text.len()
        ))
        .at(path));
    }
    Ok(())
}

/// Fails if a JSON source is longer or more deeply nested than the limits. `path` is the field of
/// the source, for the error.
pub(crate) fn limit_json(app: &App, path: &str, text: &str) -> Result<(), ApiError> {
    limit(app, path, text)?;
    let (depth, most) = (depth(text), app.options.limits.source_depth);
    if depth > most {
        let message = format!("it nests {depth} levels deep; at most {most} are read");
        return Err(ApiError::too_deep(message).at(path));
    }
    Ok(())
}

/// Returns the nesting of a JSON text, in levels of objects and arrays. Brackets within strings do
/// not count. Linear in the text.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => _ = bytes.next(),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
