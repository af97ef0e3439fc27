//! Names types that are not supported, and what to write instead.

use oxc_ast::ast::TSType;

/// Returns the name of an unsupported type, and the help for the error.
pub(super) fn refusal(node: &TSType<'_>) -> (&'static str, &'static str) {
    match node {
        TSType::TSUndefinedKeyword(_) | TSType::TSVoidKeyword(_) => (
            "`undefined`",
            "a key that may be left out is written `key?: T`; elsewhere write `null`",
        ),
        TSType::TSBigIntKeyword(_) => {
            ("`bigint`", "write `number`, with the tag `@asType integer`")
        }
        TSType::TSSymbolKeyword(_) => ("`symbol`", "leave the member out"),
        TSType::TSConditionalType(_) => ("a conditional type", "write the resulting type"),
        TSType::TSMappedType(_) => {
            ("a mapped type", "write the members, or `Record`, `Partial`, `Pick` or `Omit`")
        }
        TSType::TSFunctionType(_) | TSType::TSConstructorType(_) => {
            ("a function", "leave the member out")
        }
        TSType::TSTypeQuery(_) => ("`typeof`", "write the type of the value"),
        TSType::TSImportType(_) => ("an imported type", "put its declaration into this source"),
        TSType::TSThisType(_) => ("`this`", "write the name of the type"),
        TSType::TSInferType(_) | TSType::TSTypePredicate(_) => {
            ("this type", "write the resulting type")
        }
        _ => ("this type", "write it by other types"),
    }
}
