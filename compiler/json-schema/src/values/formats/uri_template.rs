//! URI templates of any level: RFC 6570 section 2, with erratum 6937 (an apostrophe is a literal).

use super::abnf::{alphanumeric, digit, one, separated, set, text};
use super::uri::{iprivate, pct_encoded, ucschar};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Returns the URI templates: `URI-Template = *( literals / expression )`.
pub(super) fn uri_template() -> Expr {
    let ascii = ByteSet::range(0x21, 0x7e).minus(set("\"%<>\\^`{|}"));
    let literals = Expr::alt([one(ascii), ucschar(), iprivate(), pct_encoded()]);

    // The grammar has the operators in use and those reserved for later versions.
    let operator = one(set("+#./;?&=,!@|")).optional();
    let expression = Expr::seq([text("{"), operator, separated(varspec(), text(",")), text("}")]);
    Expr::alt([literals, expression]).star()
}

/// Returns a variable with an optional modifier: `varspec`.
fn varspec() -> Expr {
    let varchar = || Expr::alt([one(alphanumeric().union(set("_"))), pct_encoded()]);
    let varname = Expr::seq([varchar(), Expr::seq([text(".").optional(), varchar()]).star()]);
    let max_length = Expr::seq([one(ByteSet::range(b'1', b'9')), one(digit()).repeat(0, Some(3))]);
    let modifier_level4 = Expr::alt([Expr::seq([text(":"), max_length]), text("*")]);
    Expr::seq([varname, modifier_level4.optional()])
}
