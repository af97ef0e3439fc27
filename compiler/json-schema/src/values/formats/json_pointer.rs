//! JSON pointers (RFC 6901 section 3) and relative JSON pointers (draft-handrews-relative-json-pointer-01).

use super::abnf::{any_char_but, digit, one, set, text};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Returns the JSON pointers: `json-pointer = *( "/" reference-token )`.
pub(super) fn json_pointer() -> Expr {
    let escaped = Expr::seq([text("~"), one(set("01"))]);
    let reference_token = Expr::alt([any_char_but("/~"), escaped]).star();
    Expr::seq([text("/"), reference_token]).star()
}

/// Returns the relative JSON pointers: `relative-json-pointer = non-negative-integer ( json-pointer / "#" )`.
pub(super) fn relative_json_pointer() -> Expr {
    let positive = Expr::seq([one(ByteSet::range(b'1', b'9')), one(digit()).star()]);
    let non_negative_integer = Expr::alt([text("0"), positive]);
    Expr::seq([non_negative_integer, Expr::alt([json_pointer(), text("#")])])
}
