//! The codes of TypeScript diagnostics. They are stable: tools may match on them.

/// Error: the source is not TypeScript, is longer than 4 GiB, or cannot be parsed for lack of a
/// thread.
pub const SYNTAX: &str = "typescript::syntax";
/// Error: the source is nested deeper than a limit, or a type contains itself without an end.
pub const NESTED_TOO_DEEP: &str = "typescript::nested-too-deep";
/// Error: a slash outside comments and strings, which would be a division or a regular expression.
pub const SLASH: &str = "typescript::slash";
/// Error: the source declares no type, or none of the name that is asked for.
pub const MISSING_ROOT: &str = "typescript::missing-root";
/// Error: the source declares several types, exports none, and no name is asked for.
pub const AMBIGUOUS_ROOT: &str = "typescript::ambiguous-root";
/// Note: which of several types was chosen as the root.
pub const ROOT: &str = "typescript::root";
/// Error: the name of a type that is not declared.
pub const UNKNOWN_TYPE: &str = "typescript::unknown-type";
/// Error: a type that is imported from another file.
pub const IMPORTED: &str = "typescript::imported";
/// Error: two declarations of one name that cannot be merged.
pub const DUPLICATE: &str = "typescript::duplicate-declaration";
/// Error: a type without JSON values, or one that only TypeScript's checker could resolve.
pub const UNSUPPORTED: &str = "typescript::unsupported-type";
/// Error: a wrong number of type arguments.
pub const ARGUMENTS: &str = "typescript::type-arguments";
/// Error: a key that an object type or enumeration does not have.
pub const UNKNOWN_KEY: &str = "typescript::unknown-key";
/// Error: a member of an enumeration whose value is not a constant.
pub const ENUM_VALUE: &str = "typescript::enum-value";
/// Error: a type that refers to itself without an object or array in between, or a generic type
/// with too many instances.
pub const CIRCLE: &str = "typescript::circular-type";
/// Error: a documentation tag with a bad value.
pub const TAG: &str = "typescript::tag";
/// Warning: a documentation tag that resembles a known one.
pub const UNKNOWN_TAG: &str = "typescript::unknown-tag";
/// Error: a type with more than 256 alternatives of objects.
pub const TOO_MANY: &str = "typescript::too-many-alternatives";
