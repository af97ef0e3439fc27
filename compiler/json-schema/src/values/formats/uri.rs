//! URIs and references, RFC 3986 appendix A, and their international forms, RFC 3987 section 2.2.
//!
//! The two grammars differ only in the unreserved characters, so one set of rules serves both. Every IPv4 address is
//! also a registered name, so it needs no rule.

use super::abnf::{alpha, alphanumeric, digit, hexdig, one, set, text};
use super::ip::ipv6;
use grammarc_grammar::ir::Expr;

/// `URI`.
pub(super) fn uri() -> Expr {
    Syntax { unicode: false }.absolute()
}

/// `URI-reference`.
pub(super) fn uri_reference() -> Expr {
    Syntax { unicode: false }.reference()
}

/// `IRI`.
pub(super) fn iri() -> Expr {
    Syntax { unicode: true }.absolute()
}

/// `IRI-reference`.
pub(super) fn iri_reference() -> Expr {
    Syntax { unicode: true }.reference()
}

/// Planes of Unicode without their last two code points, which are no characters.
fn planes(planes: impl Iterator<Item = u32>) -> impl Iterator<Item = (char, char)> {
    planes.filter_map(|plane| {
        let first = if plane == 0xe { 0xe_1000 } else { plane << 16 };
        Some((char::from_u32(first)?, char::from_u32(plane << 16 | 0xfffd)?))
    })
}

/// `ucschar`.
pub(super) fn ucschar() -> Expr {
    let basic = [('\u{a0}', '\u{d7ff}'), ('\u{f900}', '\u{fdcf}'), ('\u{fdf0}', '\u{ffef}')];
    Expr::scalars(basic.into_iter().chain(planes(1..=0xe)))
}

/// `iprivate`.
pub(super) fn iprivate() -> Expr {
    Expr::scalars(std::iter::once(('\u{e000}', '\u{f8ff}')).chain(planes(0xf..=0x10)))
}

/// `pct-encoded`.
pub(super) fn pct_encoded() -> Expr {
    Expr::seq([text("%"), one(hexdig()), one(hexdig())])
}

/// The rules, for URIs or IRIs.
struct Syntax {
    unicode: bool,
}

impl Syntax {
    fn absolute(&self) -> Expr {
        let hier_part = Expr::alt([
            self.network_path(),
            self.path_absolute(),
            Expr::seq([self.segment_nz(), self.path_abempty()]),
            Expr::Empty,
        ]);
        Expr::seq([scheme(), text(":"), hier_part, self.query_and_fragment()])
    }

    fn reference(&self) -> Expr {
        let segment_nz_nc = self.characters("@").plus();
        let relative_part = Expr::alt([
            self.network_path(),
            self.path_absolute(),
            Expr::seq([segment_nz_nc, self.path_abempty()]),
            Expr::Empty,
        ]);
        Expr::alt([self.absolute(), Expr::seq([relative_part, self.query_and_fragment()])])
    }

    /// `unreserved / pct-encoded / sub-delims` and these.
    fn characters(&self, more: &str) -> Expr {
        let ascii = alphanumeric().union(set("-._~!$&'()*+,;=")).union(set(more));
        let beyond = if self.unicode { ucschar() } else { Expr::Never };
        Expr::alt([one(ascii), pct_encoded(), beyond])
    }

    fn pchar(&self) -> Expr {
        self.characters(":@")
    }

    fn segment_nz(&self) -> Expr {
        self.pchar().plus()
    }

    fn path_abempty(&self) -> Expr {
        Expr::seq([text("/"), self.pchar().star()]).star()
    }

    fn path_absolute(&self) -> Expr {
        let segments = Expr::seq([self.segment_nz(), self.path_abempty()]);
        Expr::seq([text("/"), segments.optional()])
    }

    fn query_and_fragment(&self) -> Expr {
        let private = if self.unicode { iprivate() } else { Expr::Never };
        let query = Expr::alt([self.characters(":@/?"), private]).star();
        let fragment = self.characters(":@/?").star();
        let query = Expr::seq([text("?"), query]).optional();
        Expr::seq([query, Expr::seq([text("#"), fragment]).optional()])
    }

    /// `"//" authority path-abempty`.
    fn network_path(&self) -> Expr {
        let userinfo = Expr::seq([self.characters(":").star(), text("@")]).optional();
        let host = Expr::alt([ip_literal(), self.characters("").star()]);
        let port = Expr::seq([text(":"), one(digit()).star()]).optional();
        Expr::seq([text("//"), userinfo, host, port, self.path_abempty()])
    }
}

fn scheme() -> Expr {
    Expr::seq([one(alpha()), one(alphanumeric().union(set("+-."))).star()])
}

fn ip_literal() -> Expr {
    let address = one(alphanumeric().union(set("-._~!$&'()*+,;=:"))).plus();
    let ip_vfuture = Expr::seq([one(set("vV")), one(hexdig()).plus(), text("."), address]);
    Expr::seq([text("["), Expr::alt([ipv6(), ip_vfuture]), text("]")])
}
