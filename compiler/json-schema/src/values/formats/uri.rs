//! URIs and references (RFC 3986 appendix A), and their international forms (RFC 3987 section 2.2).
//!
//! The two grammars differ only in the unreserved characters, so one set of rules serves both. Every IPv4 address is
//! also a registered name, so it needs no rule.

use super::abnf::{alpha, alphanumeric, digit, hexdig, one, set, text};
use super::ip::ipv6;
use grammarc_grammar::ir::Expr;

/// Returns the absolute URIs: `URI`.
pub(super) fn uri() -> Expr {
    Syntax { unicode: false }.absolute()
}

/// Returns the absolute and relative URIs: `URI-reference`.
pub(super) fn uri_reference() -> Expr {
    Syntax { unicode: false }.reference()
}

/// Returns the absolute IRIs (with Unicode characters): `IRI`.
pub(super) fn iri() -> Expr {
    Syntax { unicode: true }.absolute()
}

/// Returns the absolute and relative IRIs: `IRI-reference`.
pub(super) fn iri_reference() -> Expr {
    Syntax { unicode: true }.reference()
}

/// Returns the ranges of code points of the given planes of Unicode, without the last two of each plane, which are no
/// characters.
fn planes(planes: impl Iterator<Item = u32>) -> impl Iterator<Item = (char, char)> {
    planes.filter_map(|plane| {
        let first = if plane == 0xe { 0xe_1000 } else { plane << 16 };
        Some((char::from_u32(first)?, char::from_u32(plane << 16 | 0xfffd)?))
    })
}

/// Returns the non-ASCII characters that IRIs allow everywhere: `ucschar`.
pub(super) fn ucschar() -> Expr {
    let basic = [('\u{a0}', '\u{d7ff}'), ('\u{f900}', '\u{fdcf}'), ('\u{fdf0}', '\u{ffef}')];
    Expr::scalars(basic.into_iter().chain(planes(1..=0xe)))
}

/// Returns the private-use characters that IRIs allow in a query: `iprivate`.
pub(super) fn iprivate() -> Expr {
    Expr::scalars(std::iter::once(('\u{e000}', '\u{f8ff}')).chain(planes(0xf..=0x10)))
}

/// Returns a percent sign and two hexadecimal digits: `pct-encoded`.
pub(super) fn pct_encoded() -> Expr {
    Expr::seq([text("%"), one(hexdig()), one(hexdig())])
}

/// The grammar of URIs or of IRIs.
struct Syntax {
    /// Whether non-ASCII characters are allowed: the grammar of IRIs.
    unicode: bool,
}

impl Syntax {
    /// Returns the absolute URIs or IRIs.
    fn absolute(&self) -> Expr {
        let hier_part = Expr::alt([
            self.network_path(),
            self.path_absolute(),
            Expr::seq([self.segment_nz(), self.path_abempty()]),
            Expr::Empty,
        ]);
        Expr::seq([scheme(), text(":"), hier_part, self.query_and_fragment()])
    }

    /// Returns the absolute and relative URIs or IRIs.
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

    /// Returns an expression that matches one character of `unreserved / pct-encoded / sub-delims`, or one ASCII
    /// character of `more`.
    fn characters(&self, more: &str) -> Expr {
        let ascii = alphanumeric().union(set("-._~!$&'()*+,;=")).union(set(more));
        let beyond = if self.unicode { ucschar() } else { Expr::Never };
        Expr::alt([one(ascii), pct_encoded(), beyond])
    }

    /// Returns an expression that matches one character of a path segment: `pchar`.
    fn pchar(&self) -> Expr {
        self.characters(":@")
    }

    /// Returns an expression of the path segments of a URI that are not empty: `segment-nz`.
    fn segment_nz(&self) -> Expr {
        self.pchar().plus()
    }

    /// Returns an expression of any number of path segments of a URI, each after a slash: `path-abempty`.
    fn path_abempty(&self) -> Expr {
        Expr::seq([text("/"), self.pchar().star()]).star()
    }

    /// Returns an expression of the paths of a URI that begin with one slash: `path-absolute`.
    fn path_absolute(&self) -> Expr {
        let segments = Expr::seq([self.segment_nz(), self.path_abempty()]);
        Expr::seq([text("/"), segments.optional()])
    }

    /// Returns an expression of the end of a URI: an optional query and an optional fragment.
    fn query_and_fragment(&self) -> Expr {
        let private = if self.unicode { iprivate() } else { Expr::Never };
        let query = Expr::alt([self.characters(":@/?"), private]).star();
        let fragment = self.characters(":@/?").star();
        let query = Expr::seq([text("?"), query]).optional();
        Expr::seq([query, Expr::seq([text("#"), fragment]).optional()])
    }

    /// Returns an expression of the authority and the path of a URI: `"//" authority path-abempty`.
    fn network_path(&self) -> Expr {
        let userinfo = Expr::seq([self.characters(":").star(), text("@")]).optional();
        let host = Expr::alt([ip_literal(), self.characters("").star()]);
        let port = Expr::seq([text(":"), one(digit()).star()]).optional();
        Expr::seq([text("//"), userinfo, host, port, self.path_abempty()])
    }
}

/// Returns an expression of the part of a URI before the first colon: `scheme`.
fn scheme() -> Expr {
    Expr::seq([one(alpha()), one(alphanumeric().union(set("+-."))).star()])
}

/// Returns an IPv6 or later address in brackets: `IP-literal`.
fn ip_literal() -> Expr {
    let address = one(alphanumeric().union(set("-._~!$&'()*+,;=:"))).plus();
    let ip_vfuture = Expr::seq([one(set("vV")), one(hexdig()).plus(), text("."), address]);
    Expr::seq([text("["), Expr::alt([ipv6(), ip_vfuture]), text("]")])
}
