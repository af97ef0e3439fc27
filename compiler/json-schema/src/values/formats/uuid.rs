//! UUIDs: RFC 4122 section 3. All versions and variants are accepted, since the grammar does not distinguish them.

use super::abnf::{hexdig, one, text};
use grammarc_grammar::ir::Expr;

/// Returns the UUIDs: `UUID = 4hexOctet "-" 2hexOctet "-" 2hexOctet "-" 2hexOctet "-" 6hexOctet`.
pub(super) fn uuid() -> Expr {
    let group = |digits: u32| one(hexdig()).repeat(digits, Some(digits));
    let short = || Expr::seq([text("-"), group(4)]);
    Expr::seq([group(8), short(), short(), short(), text("-"), group(12)])
}
