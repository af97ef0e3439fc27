//! The names of macros, which no rule need define.

/// Names of macros.
const MACROS: [&str; 6] =
    ["Regex", "Substring", "Token", "ExcludeToken", "TagDispatch", "TokenTagDispatch"];

/// Whether a name is a macro's.
pub(super) fn is_macro(name: &str) -> bool {
    MACROS.contains(&name)
}
