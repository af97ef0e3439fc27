//! The regions of a grammar, as an artifact stores them: the tokens in their markers are those of the vocabulary. A
//! region is a part of an output that one source of a composition constrains.

use grammarc_artifacts::{Marker, MarkerPart, Region};

use crate::ir;
use crate::network::Lexicon;

/// Returns the regions of a grammar with their markers resolved for a vocabulary.
pub(super) fn of(regions: &[ir::Region], lexicon: &dyn Lexicon) -> Vec<Region> {
    let region = |region: &ir::Region| Region {
        kind: region.kind,
        label: region.label.clone(),
        markers: region.markers.iter().flat_map(|parts| markers(parts, lexicon)).collect(),
    };
    regions.iter().map(region).collect()
}

/// Returns all markers that a marker with token texts denotes: one for each choice of tokens, as one text may denote
/// several. Returns none if a text denotes no token. Texts name few tokens, so the result is short.
fn markers(parts: &[ir::MarkerPart], lexicon: &dyn Lexicon) -> Vec<Marker> {
    let mut all = vec![Marker::new()];
    for part in parts {
        let choices: Vec<MarkerPart> = match part {
            ir::MarkerPart::Bytes(bytes) => vec![MarkerPart::Bytes(bytes.clone())],
            ir::MarkerPart::Token(token) => {
                lexicon.resolve(token).into_iter().map(MarkerPart::Token).collect()
            }
        };
        let longer = |marker: &Marker| {
            let marker = marker.clone();
            choices.iter().map(move |part| {
                let mut longer = marker.clone();
                longer.push(part.clone());
                longer
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
