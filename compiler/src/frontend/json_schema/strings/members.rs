//! The members of a finite set, one by one.

use super::Band;
use super::lengths;

/// Steps between two members after which the search gives up, by state of the automaton and character of a member.
const STEPS: usize = 64;

/// Adds the strings of a band in code point order; none where there would be more than `limit` in all.
pub(super) fn collect(band: &Band, limit: usize, found: &mut Vec<String>) -> Option<()> {
    let most = band.max.into_iter().chain(band.language.longest()).min()?;
    let dfa = band.language.dfa();
    let rests = lengths::of_states(dfa);
    let patience = (most as usize).saturating_add(dfa.states.len()).saturating_mul(STEPS);
    let mut steps = patience;
    let mut text = Vec::new();
    // The way to the state being visited, each step with the edge, and the byte of it, to take next.
    let mut path: Vec<(u32, u32, usize, u32)> = vec![(0, 0, 0, 0)];
    while let Some((state, length, at, byte)) = path.last_mut() {
        let (state, length) = (*state, *length);
        let record = &dfa.states[state as usize];
        if *at == 0 && *byte == 0 && record.accepting && band.min <= length {
            if found.len() == limit {
                return None;
            }
            found.push(String::from_utf8(text.clone()).ok()?);
            steps = patience;
        }
        let Some(edge) = record.edges.get(*at) else {
            path.pop();
            text.pop();
            continue;
        };
        let next = (*byte).max(edge.lo);
        if next == edge.hi {
            (*at, *byte) = (*at + 1, 1);
        } else {
            *byte = next + 1;
        }
        let after = length + u32::from(lengths::begins(edge));
        let (shortest, longest) = rests[edge.target as usize];
        let too_long = band.max.is_some_and(|max| after.saturating_add(shortest) > max);
        let too_short = longest.is_some_and(|longest| after.saturating_add(longest) < band.min);
        if !too_long && !too_short {
            text.push(next as u8);
            path.push((edge.target, after, 0, 0));
        }
        steps = steps.checked_sub(1)?;
    }
    Some(())
}
