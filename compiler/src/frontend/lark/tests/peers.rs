//! The cases of llguidance's `parser/tests/test_lark.rs` and of XGrammar's `tests/python/test_lark.py`.

use super::try_lower;
use crate::frontend::peer_cases::hold;

#[test]
fn cases_of_peers() {
    let peers = [
        ("llguidance", include_str!("llguidance.json")),
        ("xgrammar", include_str!("xgrammar.json")),
    ];
    hold(&peers, include_str!("exceptions.json"), try_lower);
}
