//! The cache folder of the user in which downloaded models are stored.

use std::path::PathBuf;

/// Returns the folder `grammarc/models` below `XDG_CACHE_HOME`, `LOCALAPPDATA`, or `.cache` in
/// `HOME`, whichever is set first. `None` if none of these environment variables is set.
pub fn models_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA"));
    let cache = cache.or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("grammarc").join("models"))
}
