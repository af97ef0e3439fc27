//! Cuts the decided input of an output into pieces.
//!
//! The text of a tag is markup, and the text of another region is its content. Free text is a region that also reads
//! the marker that ends it. So the end of free text is held back while it may begin a marker. When the region is left,
//! the longest marker at the end becomes markup of the tag that begins there, or of the enclosing tag. If a tag is
//! empty, free text continues after its marker. That marker is markup too.

use std::collections::VecDeque;

use grammarc_artifacts::{Region, RegionKind};

use super::markers::{Markers, ROOT, Symbol};
use super::scopes::{OUTSIDE, Scopes};

/// A piece of an output: bytes of one part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Kind of the region that read the piece. `None` for markup.
    pub kind: Option<RegionKind>,
    /// Number of the region in [`Splitter::regions`](super::Splitter::regions). For markup, the region of its tag.
    /// `None` outside tags.
    pub region: Option<u32>,
    /// Index of the enclosing call of a tool, from 0 in the order of the output. `None` outside calls.
    pub call: Option<u32>,
    /// Whether the piece begins a part of the output. If `false`, it continues the piece before it.
    pub begins: bool,
    /// Bytes of the output, with the texts of special tokens.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// Whether the piece belongs to the arguments of a call of a tool.
    pub fn is_arguments(&self) -> bool {
        self.call.is_some() && self.kind.is_some()
    }

    /// Returns the name of the piece's kind for messages and bindings: the name of the region's kind, or `markup`.
    pub fn kind_name(&self) -> &'static str {
        self.kind.map_or("markup", RegionKind::name)
    }
}

/// Cuts an output into pieces. Text that may begin a marker is held back until the next symbols decide. A symbol is a
/// byte or a special token.
#[derive(Debug)]
pub(super) struct Cutter {
    /// Scope of the newest symbol: the call of a region that read it.
    pub(super) scope: u32,
    /// Scope of the newest piece.
    pub(super) last: u32,
    /// Whether some piece was cut.
    has_begun: bool,
    /// Whether the next bytes begin a new piece even in the same scope. True after a marker in the midst of free text.
    is_apart: bool,
    /// Node of the markers' automaton after the symbols that are held back. [`ROOT`] if none is.
    node: u32,
    /// Symbols that are held back, each with the length of its text in bytes.
    held: VecDeque<(Symbol, usize)>,
    /// Bytes of the symbols that are held back.
    held_bytes: VecDeque<u8>,
    /// Pieces that were not returned yet.
    pub(super) pieces: Vec<Piece>,
}

/// The regions of a grammar, and for each region the automaton of its markers. `None` for a region that is not free
/// text.
#[derive(Clone, Copy)]
pub(super) struct Regions<'g> {
    pub(super) regions: &'g [Region],
    pub(super) markers: &'g [Option<Markers>],
}

impl<'g> Regions<'g> {
    /// Returns the markers of a scope's region. `None` if the region is not free text.
    fn markers_of(self, scopes: &Scopes, scope: u32) -> Option<&'g Markers> {
        self.markers[scopes.get(scope).region? as usize].as_ref()
    }
}

impl Cutter {
    pub(super) fn new() -> Self {
        Self {
            scope: OUTSIDE,
            last: OUTSIDE,
            has_begun: false,
            is_apart: false,
            node: ROOT,
            held: VecDeque::new(),
            held_bytes: VecDeque::new(),
            pieces: Vec::new(),
        }
    }

    /// Reads a symbol with its bytes in a scope. The bytes of a token come in several calls, and only the first has the
    /// symbol.
    pub(super) fn read(
        &mut self,
        regions: Regions<'_>,
        scopes: &mut Scopes,
        scope: u32,
        symbol: Option<Symbol>,
        bytes: &[u8],
    ) {
        if scope != self.scope {
            self.leave(regions, scopes, scope);
            self.scope = scope;
        }
        let Some(markers) = regions.markers_of(scopes, scope) else {
            return self.cut(regions, scopes, scope, bytes);
        };
        match (symbol, self.held.back_mut()) {
            (Some(symbol), _) => self.text(regions, scopes, markers, symbol, bytes),
            (None, Some((_, length))) => {
                *length += bytes.len();
                self.held_bytes.extend(bytes);
            }
            (None, None) => self.cut(regions, scopes, scope, bytes),
        }
    }

    /// Ends the output. Cuts the text that is held back into text and the longest marker at its end.
    pub(super) fn finish(&mut self, regions: Regions<'_>, scopes: &mut Scopes) {
        self.leave(regions, scopes, OUTSIDE);
        self.scope = OUTSIDE;
    }

    /// Drops the text that is held back: no piece will contain it.
    pub(super) fn drop_held(&mut self) {
        self.held.clear();
        self.held_bytes.clear();
        self.node = ROOT;
    }

    /// Leaves the current scope for the scope `to`. If the text that is held back ends with a marker, the marker
    /// becomes a piece of the tag that is entered or of the enclosing scope.
    fn leave(&mut self, regions: Regions<'_>, scopes: &mut Scopes, to: u32) {
        let Some(markers) = regions.markers_of(scopes, self.scope) else { return };
        let text = self.held.len() - markers.ends(self.node);
        self.cut_held(regions, scopes, self.scope, text);
        if !self.held.is_empty() {
            let around = scopes.get(self.scope).parent;
            let tag = scopes.within(self.scope, to).unwrap_or(around);
            self.cut_held(regions, scopes, tag, self.held.len());
        }
        self.node = ROOT;
    }

    /// Reads a symbol of free text. Cuts all text that is no longer the beginning of a marker.
    fn text(
        &mut self,
        regions: Regions<'_>,
        scopes: &mut Scopes,
        markers: &Markers,
        symbol: Symbol,
        bytes: &[u8],
    ) {
        // Symbols to read: those to read again after a marker in the midst of the text, and then the new one.
        let mut again: VecDeque<(Symbol, Vec<u8>)> = VecDeque::from([(symbol, bytes.to_vec())]);
        while let Some((symbol, bytes)) = again.pop_front() {
            if let Some(child) = markers.child(self.node, symbol) {
                self.node = child;
                self.held.push_back((symbol, bytes.len()));
                self.held_bytes.extend(bytes);
                continue;
            }
            let marker = markers.begins(self.node);
            if marker > 0 {
                self.cut_held(regions, scopes, OUTSIDE, marker);
                self.is_apart = true;
                self.node = ROOT;
                again.push_front((symbol, bytes));
                while let Some((symbol, length)) = self.held.pop_back() {
                    let at = self.held_bytes.len() - length;
                    again.push_front((symbol, self.held_bytes.split_off(at).into()));
                }
            } else if self.node == ROOT {
                self.cut(regions, scopes, self.scope, &bytes);
            } else {
                self.node = markers.suffix(self.node);
                let text = self.held.len() - markers.depth(self.node);
                self.cut_held(regions, scopes, self.scope, text);
                again.push_front((symbol, bytes));
            }
        }
    }

    /// Removes the first `symbols` symbols that are held back, and cuts their bytes into a piece of a scope.
    fn cut_held(&mut self, regions: Regions<'_>, scopes: &mut Scopes, scope: u32, symbols: usize) {
        let length: usize = self.held.drain(..symbols).map(|(_, length)| length).sum();
        let bytes: Vec<u8> = self.held_bytes.drain(..length).collect();
        self.cut(regions, scopes, scope, &bytes);
    }

    /// Adds bytes of a scope to the newest piece, or as a new piece if the scope has changed.
    fn cut(&mut self, regions: Regions<'_>, scopes: &mut Scopes, scope: u32, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let begins = !self.has_begun || self.is_apart || scope != self.last;
        (self.has_begun, self.is_apart, self.last) = (true, false, scope);
        if let Some(piece) = self.pieces.last_mut().filter(|_| !begins) {
            return piece.bytes.extend_from_slice(bytes);
        }
        let region = scopes.get(scope).region;
        let kind = region.map(|region| regions.regions[region as usize].kind);
        let kind = kind.filter(|kind| !kind.is_tag());
        let call = scopes.call_index(scope);
        self.pieces.push(Piece { kind, region, call, begins, bytes: bytes.to_vec() });
    }
}
