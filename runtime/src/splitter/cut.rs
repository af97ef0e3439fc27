//! Pieces of an output, from its decided input.
//!
//! The text of a tag is markup, and the text of another region is its content. Free text also reads the marker that ends it.
//! So the end of free text is held back while it may begin a marker. When the region is left, the longest marker at the end
//! becomes markup of the tag that begins there, or of the enclosing one. If a tag is empty, free text continues after its
//! marker. That marker is markup too.

use std::collections::VecDeque;

use grammarc_artifacts::{Region, RegionKind};

use super::markers::{Markers, ROOT, Symbol};
use super::scopes::{OUTSIDE, Scopes};

/// A piece of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The kind of the region. `None` for markup.
    pub kind: Option<RegionKind>,
    /// The number of the region in [`Splitter::regions`](super::Splitter::regions). For markup, the region of its tag. `None`
    /// outside tags.
    pub region: Option<u32>,
    /// The index of the enclosing call. `None` outside calls.
    pub call: Option<u32>,
    /// Whether the piece begins a part of the output. Otherwise it continues the piece before.
    pub begins: bool,
    /// The bytes of the output, with the texts of special tokens.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// Whether the piece belongs to the arguments of a call.
    pub fn is_arguments(&self) -> bool {
        self.call.is_some() && self.kind.is_some()
    }

    /// The name of the piece's kind for messages and bindings: the name of the region's kind, or `markup`.
    pub fn kind_name(&self) -> &'static str {
        self.kind.map_or("markup", RegionKind::name)
    }
}

/// Cuts an output into pieces. Text that may begin a marker is held back until the next symbols decide.
#[derive(Debug)]
pub(super) struct Cutter {
    /// The scope of the newest symbol.
    pub(super) scope: u32,
    /// The scope of the newest piece.
    pub(super) last: u32,
    /// Whether there was a piece.
    has_begun: bool,
    /// Whether the newest piece was a marker after which the text continues: the next bytes begin a new piece.
    is_apart: bool,
    /// State of the markers' automaton after the symbols that are held back.
    node: u32,
    /// Symbols that are held back, with the lengths of their texts.
    held: VecDeque<(Symbol, usize)>,
    held_bytes: VecDeque<u8>,
    /// The pieces that were not returned yet.
    pub(super) pieces: Vec<Piece>,
}

/// The regions of a grammar, with the markers of each.
#[derive(Clone, Copy)]
pub(super) struct Regions<'g> {
    pub(super) regions: &'g [Region],
    pub(super) markers: &'g [Option<Markers>],
}

impl<'g> Regions<'g> {
    /// The markers of a scope's region. `None` if the region is not free text.
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

    /// Reads a symbol and its bytes in a scope. For a token, only the first call has the symbol.
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

    /// Ends the output: cuts the text that is held back into a marker or text.
    pub(super) fn finish(&mut self, regions: Regions<'_>, scopes: &mut Scopes) {
        self.leave(regions, scopes, OUTSIDE);
        self.scope = OUTSIDE;
    }

    /// Drops the text that is held back.
    pub(super) fn drop_held(&mut self) {
        self.held.clear();
        self.held_bytes.clear();
        self.node = ROOT;
    }

    /// Leaves the scope for another. If the text that is held back ends with a marker, the marker becomes a piece of the tag.
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

    /// Reads a symbol of free text.
    fn text(
        &mut self,
        regions: Regions<'_>,
        scopes: &mut Scopes,
        markers: &Markers,
        symbol: Symbol,
        bytes: &[u8],
    ) {
        // Symbols to read again after a marker in the midst of the text, and then the new one.
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

    /// Cuts the first `symbols` that are held back into a piece of a scope.
    fn cut_held(&mut self, regions: Regions<'_>, scopes: &mut Scopes, scope: u32, symbols: usize) {
        let length: usize = self.held.drain(..symbols).map(|(_, length)| length).sum();
        let bytes: Vec<u8> = self.held_bytes.drain(..length).collect();
        self.cut(regions, scopes, scope, &bytes);
    }

    /// Adds bytes of a scope to the pieces.
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
