//! The folder of the user's cache for fetched models.

use std::path::PathBuf;

/// Returns the folder: below `XDG_CACHE_HOME`, `LOCALAPPDATA` or the home's `.cache`. `None` if no variable names
/// one.
pub fn models_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA"));
    let cache = cache.or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("grammarc").join("models"))
}
