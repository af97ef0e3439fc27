//! Internet addresses: IPv4 in four decimal parts (RFC 2673 section 3.2), and IPv6 as in RFC 4291 section 2.2.
//!
//! Both are written as in RFC 3986 section 3.2.2, which the URI formats share. A decimal part has no leading zero,
//! since some readers take such a part for octal.

use super::abnf::{digit, hexdig, one, text};
use grammarc_grammar::ir::{ByteSet, Expr};

/// Returns the IPv4 addresses: `IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet`.
pub(super) fn ipv4() -> Expr {
    let digit = || one(digit());
    let dec_octet = Expr::alt([
        digit(),
        Expr::seq([one(ByteSet::range(b'1', b'9')), digit()]),
        Expr::seq([text("1"), digit(), digit()]),
        Expr::seq([text("2"), one(ByteSet::range(b'0', b'4')), digit()]),
        Expr::seq([text("25"), one(ByteSet::range(b'0', b'5'))]),
    ]);
    let next = Expr::seq([text("."), dec_octet.clone()]);
    Expr::seq([dec_octet, next.repeat(3, Some(3))])
}

/// Returns the IPv6 addresses: `IPv6address`, where `::` denotes one or more groups of zeros.
pub(super) fn ipv6() -> Expr {
    ipv6_compressing(1)
}

/// Returns the IPv6 addresses in which `::` denotes at least `fewest` groups of zeros.
pub(super) fn ipv6_compressing(fewest: u32) -> Expr {
    let h16 = || one(hexdig()).repeat(1, Some(4));
    let most = 8 - fewest;
    // The groups before `::`, and the groups after it. An IPv4 address counts as two groups and comes last.
    let before = |count: u32| match count {
        0 => Expr::Empty,
        count => {
            Expr::seq([h16(), Expr::seq([text(":"), h16()]).repeat(count - 1, Some(count - 1))])
        }
    };
    let h16_colon = || Expr::seq([h16(), text(":")]);
    let after = |most: u32| {
        let hex = h16_colon().repeat(0, Some(most.saturating_sub(1)));
        let hex = if most == 0 { Expr::Empty } else { Expr::seq([hex, h16()]).optional() };
        match most.checked_sub(2) {
            Some(groups) => {
                Expr::alt([hex, Expr::seq([h16_colon().repeat(0, Some(groups)), ipv4()])])
            }
            None => hex,
        }
    };
    let ls32 = Expr::alt([Expr::seq([h16(), text(":"), h16()]), ipv4()]);
    let whole = Expr::seq([h16_colon().repeat(6, Some(6)), ls32]);
    let compressed =
        (0..=most).map(|count| Expr::seq([before(count), text("::"), after(most - count)]));
    Expr::alt(std::iter::once(whole).chain(compressed))
}
