//! Regions of the outputs of a tag: the rules that a splitter tells apart.
//!
//! A tag is a region whose own strings are markup: what stands around its content. Free text is one whose rule also reads
//! what ends it, beginnings of tags and the end of the tag around it; these are its markers.

use crate::free_text::Symbol;
use grammarc_grammar::ir::{Expr, MarkerPart, Region, RegionKind, RuleKind, TokenRef};
use grammarc_json_schema::document::NodeId;

use super::format::Mark;
use super::lower::Lowering;
use super::texts::Symbols;

impl Lowering<'_> {
    /// An expression as a region.
    pub(super) fn region(&mut self, region: Region, name: &str, expr: Expr, at: NodeId) -> Expr {
        let number = self.outer.builder.region(region);
        let rule = self.outer.builder.declare(name);
        let origin = self.origin(at);
        self.outer.builder.define_as(rule, expr, origin, RuleKind::Region(number));
        Expr::Call(rule)
    }

    /// Free text that these markers end.
    pub(super) fn free(&mut self, markers: Vec<Vec<MarkerPart>>, expr: Expr, at: NodeId) -> Expr {
        let region = Region { markers, ..Region::plain(self.text_kind) };
        self.region(region, "text", expr, at)
    }

    /// The content of an inner source as a region; nothing where there is none.
    pub(super) fn content(&mut self, kind: RegionKind, expr: Expr, at: NodeId) -> Expr {
        match expr {
            Expr::Never => Expr::Never,
            expr => self.region(Region::plain(kind), kind.name(), expr, at),
        }
    }
}

/// The region of a tag that begins so.
pub(super) fn tagged(begin: &Mark) -> Region {
    let label = match begin {
        Mark::Text(text) => text.text.clone(),
        Mark::Token(token) => match &token.token {
            TokenRef::Text(text) => text.clone(),
            TokenRef::Id(id) => id.to_string(),
        },
    };
    Region { label, ..Region::plain(RegionKind::Tag) }
}

/// Texts as markers, those that are not empty.
pub(super) fn markers(texts: &[Symbols]) -> Vec<Vec<MarkerPart>> {
    let written = texts.iter().flat_map(Symbols::written).filter(|symbols| !symbols.is_empty());
    let mut markers: Vec<Vec<MarkerPart>> = Vec::new();
    for symbols in written {
        let mut parts = Vec::new();
        for symbol in symbols {
            match (symbol, parts.last_mut()) {
                (Symbol::Byte(byte), Some(MarkerPart::Bytes(bytes))) => bytes.push(*byte),
                (Symbol::Byte(byte), _) => parts.push(MarkerPart::Bytes(vec![*byte])),
                (Symbol::Token(token), _) => parts.push(MarkerPart::Token(token.clone())),
            }
        }
        markers.push(parts);
    }
    markers
}
