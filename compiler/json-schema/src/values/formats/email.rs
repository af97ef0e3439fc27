//! Mailboxes, RFC 5321 section 4.1.2, and their international form, RFC 6531.
//!
//! A local part has at most 64 bytes (section 4.5.3.1.1), which costs two states a byte for the dotted and for the
//! quoted form. Of a domain, the first label is of full length and the others have 61 characters together.
//! `IPv6` is the only tag that is registered for other address literals.

use super::abnf::{alphanumeric, any_case, one, separated, set, text};
use super::hostname::{self, at_most};
use super::idn_hostname;
use super::ip::{ipv4, ipv6_compressing};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Most bytes of a local part.
const MAX_LOCAL: u32 = 64;
/// Labels of a domain that may have 63 characters.
const FIRST_LABELS: u32 = 1;
/// Labels of a domain beyond ASCII that may, and may be in Unicode.
const FIRST_IDN_LABELS: u32 = 2;

/// `Mailbox = Local-part "@" ( Domain / address-literal )`.
pub(super) fn email() -> Expr {
    mailbox(&Expr::Never, hostname::name(FIRST_LABELS))
}

/// `Mailbox` as RFC 6531 section 3.3 extends it.
pub(super) fn idn_email() -> Expr {
    let utf8_non_ascii = Expr::scalars([('\u{80}', char::MAX)]);
    mailbox(&utf8_non_ascii, idn_hostname::name(FIRST_IDN_LABELS, &text(".")))
}

/// A mailbox with these characters beyond ASCII in its local part, and these domains.
fn mailbox(beyond: &Expr, domain: Expr) -> Expr {
    let atext = Expr::alt([one(alphanumeric().union(set("!#$%&'*+-/=?^_`{|}~"))), beyond.clone()]);
    let dot_string = separated(atext.plus(), text("."));
    let qtext = one(ByteSet::range(b' ', b'~').minus(set("\"\\")));
    let quoted_pair = Expr::seq([text("\\"), one(ByteSet::range(b' ', b'~'))]);
    let qcontent = Expr::alt([qtext, quoted_pair, beyond.clone()]);
    let quoted_string = Expr::seq([text("\""), qcontent.star(), text("\"")]);
    let local_part = at_most(MAX_LOCAL, Expr::alt([dot_string, quoted_string]));
    Expr::seq([local_part, text("@"), Expr::alt([domain, address_literal()])])
}

/// `"[" ( IPv4-address-literal / IPv6-address-literal ) "]"`. The grammar lets decimal parts begin with zeros, which
/// readers disagree about, so these do not.
fn address_literal() -> Expr {
    // Six groups at most beside `::`.
    let ipv6 = Expr::seq([any_case("IPv6:"), ipv6_compressing(2)]);
    Expr::seq([text("["), Expr::alt([ipv4(), ipv6]), text("]")])
}
