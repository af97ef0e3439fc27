//! Mail addresses: RFC 5321 section 4.1.2, and their international form, RFC 6531.
//!
//! A local part (before the `@`) has at most 64 bytes (section 4.5.3.1.1). This takes two states for each byte, one in
//! the dotted and one in the quoted form. The first label of a domain may have the full length, and the other labels
//! have 61 characters together. `IPv6` is the only registered tag of address literals other than IPv4.

use super::abnf::{alphanumeric, any_case, one, separated, set, text};
use super::hostname::{self, at_most};
use super::idn_hostname;
use super::ip::{ipv4, ipv6_compressing};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Most bytes of the local part of a mail address, before the `@`: the limit of RFC 5321.
const MAX_LOCAL: u32 = 64;
/// Number of leading labels (parts between dots) of a mail address's ASCII domain that may have 63 characters. The
/// other labels have 61 together.
const FIRST_LABELS: u32 = 1;
/// Number of leading labels (parts between dots) of an international mail domain that may have 63 characters or be in
/// Unicode.
const FIRST_IDN_LABELS: u32 = 2;

/// Returns the mail addresses: `Mailbox = Local-part "@" ( Domain / address-literal )`.
pub(super) fn email() -> Expr {
    mailbox(&Expr::Never, hostname::name(FIRST_LABELS))
}

/// Returns the international mail addresses: `Mailbox` as RFC 6531 section 3.3 extends it.
pub(super) fn idn_email() -> Expr {
    let utf8_non_ascii = Expr::scalars([('\u{80}', char::MAX)]);
    mailbox(&utf8_non_ascii, idn_hostname::name(FIRST_IDN_LABELS, &text(".")))
}

/// Returns the mail addresses with the characters of `beyond` as non-ASCII characters of the local part, and the
/// domains of `domain`.
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

/// Returns the IP addresses in brackets that may follow the `@` of a mail address: `"[" ( IPv4-address-literal /
/// IPv6-address-literal ) "]"`. The RFC lets decimal parts begin with zeros. Programs disagree about such parts (some
/// read octal), so they are rejected here.
fn address_literal() -> Expr {
    // An address has at most six groups beside `::`.
    let ipv6 = Expr::seq([any_case("IPv6:"), ipv6_compressing(2)]);
    Expr::seq([text("["), Expr::alt([ipv4(), ipv6]), text("]")])
}
