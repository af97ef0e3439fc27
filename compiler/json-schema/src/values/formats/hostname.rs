//! Host names in ASCII: RFC 1123 section 2.1, with labels of at most 63 characters and names of at most 253.
//!
//! Both limits together would need a state for every pair of a position in the name and a position in the label, about
//! 30,000. Instead the first three labels may have 63 characters each, and the other labels 61 together, dots included.
//! This never exceeds 253, and takes about one state for each position in the name.
//!
//! A label with hyphens at positions 3 and 4 is reserved (RFC 5890 section 2.3.1). Labels that begin with `xn--`
//! encode characters beyond ASCII. Validating one requires decoding, so they are rejected too.

use super::abnf::{alphanumeric, compiled, one, separated, set, text};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Most characters of one label (part between dots) of a host name: the limit of the DNS.
const MAX_LABEL: u32 = 63;
/// Most characters of all labels (parts between dots) after the leading long ones, with the dots between them: 253
/// minus three labels of full length and their dots.
const MAX_REST: u32 = 61;
/// Number of leading labels (parts between dots) of a host name that may have the full length of 63 characters.
const FIRST_LABELS: u32 = 3;

/// Returns the host names in ASCII.
pub(super) fn hostname() -> Expr {
    name(FIRST_LABELS)
}

/// Returns the host names in ASCII whose first `first_labels` labels (parts between dots) may have the full length.
pub(super) fn name(first_labels: u32) -> Expr {
    (0..first_labels)
        .fold(rest(), |rest, _| Expr::seq([label(), Expr::seq([text("."), rest]).optional()]))
}

/// Returns the labels of a host name after the leading ones, with dots between: at most [`MAX_REST`] characters
/// together.
pub(super) fn rest() -> Expr {
    // Double hyphens are rejected anywhere in these labels, because a check of positions 3 and 4 would have to count
    // from the start of each label.
    let hyphen = || text("-");
    let short = separated(one(alphanumeric()).plus(), hyphen());
    at_most(MAX_REST, separated(short, text(".")))
}

/// Returns the labels of host names: at most [`MAX_LABEL`] letters, digits and hyphens, without hyphens at either end
/// or at positions 3 and 4.
pub(super) fn label() -> Expr {
    let let_dig = || one(alphanumeric());
    let ldh = || one(ldh());
    let shape = Expr::seq([let_dig(), Expr::seq([ldh().star(), let_dig()]).optional()]);
    let reserved = Expr::seq([ldh(), ldh(), text("--"), ldh().star()]);
    let label = Expr::And(vec![shape, Expr::Not(Box::new(reserved))]);
    compiled(&at_most(MAX_LABEL, label))
}

/// Returns the letters, digits and the hyphen: `LDH`.
fn ldh() -> ByteSet {
    alphanumeric().union(set("-"))
}

/// Returns the strings of `expr` that have at most `bytes` bytes.
pub(super) fn at_most(bytes: u32, expr: Expr) -> Expr {
    let any = Expr::bytes(ByteSet::FULL).repeat(0, Some(bytes));
    Expr::And(vec![expr, any])
}
