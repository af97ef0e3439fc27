//! The codes of TypeScript diagnostics. Stable: tools may match on them.

/// Not TypeScript.
pub const SYNTAX: &str = "typescript::syntax";
/// Nested deeper than the limit.
pub const NESTED_TOO_DEEP: &str = "typescript::nested-too-deep";
/// A slash outside of comments and strings.
pub const SLASH: &str = "typescript::slash";
/// There is no declaration to start from, or none of the name that is asked for.
pub const MISSING_ROOT: &str = "typescript::missing-root";
/// Several declarations without an export.
pub const AMBIGUOUS_ROOT: &str = "typescript::ambiguous-root";
/// The declaration that was taken of several.
pub const ROOT: &str = "typescript::root";
/// A type that no declaration has the name of.
pub const UNKNOWN_TYPE: &str = "typescript::unknown-type";
/// A type that is imported from elsewhere.
pub const IMPORTED: &str = "typescript::imported";
/// Two declarations of one name.
pub const DUPLICATE: &str = "typescript::duplicate-declaration";
/// A type without JSON values, or one that needs TypeScript's checker.
pub const UNSUPPORTED: &str = "typescript::unsupported-type";
/// Another number of type arguments than the declaration has parameters.
pub const ARGUMENTS: &str = "typescript::type-arguments";
/// A key that an object does not have.
pub const UNKNOWN_KEY: &str = "typescript::unknown-key";
/// A member of an enumeration without a constant value.
pub const ENUM_VALUE: &str = "typescript::enum-value";
/// A type that is within itself with nothing around it, or has too many instances.
pub const CIRCLE: &str = "typescript::circular-type";
/// A tag with a bad value.
pub const TAG: &str = "typescript::tag";
/// A tag that is nearly one.
pub const UNKNOWN_TAG: &str = "typescript::unknown-tag";
/// Too many alternatives of objects.
pub const TOO_MANY: &str = "typescript::too-many-alternatives";
