//! Grammars that requests name by the digest of an artifact, which the server finds in its folders.

use grammarc_compiler::cache::Digest;
use grammarc_generate::Grammar;
use grammarc_runtime::Grammar as Compiled;

use crate::app::App;
use crate::error::ApiError;

/// Returns the grammar of the artifact with a digest in hexadecimal digits. `field` is the request's
/// field that names it.
///
/// # Errors
///
/// The text is no digest, there is no such artifact, or it cannot be opened for the model's
/// vocabulary.
pub(crate) fn grammar(app: &App, field: &str, digest: &str) -> Result<Grammar, ApiError> {
    let wrong = |message: String| ApiError::field(field, message);
    let Ok(digest) = digest.parse::<Digest>() else {
        return Err(wrong("a digest has 64 hexadecimal digits".to_owned()));
    };
    // Ids of grammars from `/v1/grammars` have no colon.
    let id = format!("artifact:{digest}");
    if let Some(grammar) = app.kept(&id) {
        return Ok(grammar);
    }
    let Some(found) = app.artifacts.find(digest.0) else {
        return Err(wrong("the server has no artifact with this digest".to_owned()));
    };
    let compiled = Compiled::open(&found.path, app.backend.vocabulary());
    let grammar = Grammar::artifact(compiled.map_err(|error| wrong(error.to_string()))?);
    app.keep(id, grammar.clone());
    Ok(grammar)
}
