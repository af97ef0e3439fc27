//! Regions of a grammar with the tokens of a vocabulary in their markers.

use grammarc_artifacts::{Marker, MarkerPart, Region};

use crate::ir;
use crate::network::Lexicon;

/// The regions as the artifact has them.
pub(super) fn of(regions: &[ir::Region], lexicon: &dyn Lexicon) -> Vec<Region> {
    let region = |region: &ir::Region| Region {
        kind: region.kind,
        label: region.label.clone(),
        markers: region.markers.iter().flat_map(|parts| markers(parts, lexicon)).collect(),
    };
    regions.iter().map(region).collect()
}

/// Expands the token texts of a marker: one text may denote several tokens. Texts name few tokens, so the results are
/// few.
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
