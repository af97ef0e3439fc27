//! Lists the members of a finite set of strings.

use super::lengths;
use grammarc_grammar::automata::Dfa;
use grammarc_grammar::ir::Counter;

/// Steps that a search may take between two members, for each state of the automaton and each character of the longest
/// member. Beyond, the search gives up and the set counts as infinite.
const STEPS: usize = 64;

/// Adds all texts of an automaton to `found` in code point order. Returns `None` if `found` would have more than
/// `limit` texts, or if the automaton has infinitely many.
pub(super) fn collect_all(dfa: &Dfa, limit: usize, found: &mut Vec<String>) -> Option<()> {
    if has_more_ways(dfa, limit) {
        return None;
    }
    let (_, longest) = lengths::of_states(dfa)[0];
    search(dfa, Counter { min: 0, max: None }, longest?, limit, found)
}

/// Returns whether a trimmed automaton has more than `limit` paths of some length from its start. Each path begins a
/// different text, so most automata with too many texts are detected after a few bytes. The automaton must be
/// acyclic, or the function may not return.
fn has_more_ways(dfa: &Dfa, limit: usize) -> bool {
    let (mut layer, mut next) = (vec![0u32], Vec::new());
    while !layer.is_empty() {
        for edge in layer.iter().flat_map(|&state| &dfa.states[state as usize].edges) {
            let bytes = (edge.hi - edge.lo + 1) as usize;
            if next.len() + bytes > limit {
                return true;
            }
            next.extend(std::iter::repeat_n(edge.target, bytes));
        }
        std::mem::swap(&mut layer, &mut next);
        next.clear();
    }
    false
}

/// Adds the texts of an automaton whose lengths in characters are within `bounds` to `found`, in code point order.
/// `most` is the largest possible length. Returns `None` if `found` would have more than `limit` texts, or if the
/// search gives up after [`STEPS`].
pub(super) fn search(
    dfa: &Dfa,
    bounds: Counter,
    most: u32,
    limit: usize,
    found: &mut Vec<String>,
) -> Option<()> {
    let Counter { min, max } = bounds;
    let rests = lengths::of_states(dfa);
    let patience = (most as usize).saturating_add(dfa.states.len()).saturating_mul(STEPS);
    let mut steps = patience;
    let mut text = Vec::new();
    // The path to the visited state. Each entry has the state, the number of characters before it, its next edge and
    // that edge's next byte.
    let mut path: Vec<(u32, u32, usize, u32)> = vec![(0, 0, 0, 0)];
    while let Some((state, length, at, byte)) = path.last_mut() {
        let (state, length) = (*state, *length);
        let record = &dfa.states[state as usize];
        if *at == 0 && *byte == 0 && record.accepting && min <= length {
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
        let too_long = max.is_some_and(|max| after.saturating_add(shortest) > max);
        let too_short = longest.is_some_and(|longest| after.saturating_add(longest) < min);
        if !too_long && !too_short {
            text.push(next as u8);
            path.push((edge.target, after, 0, 0));
        }
        steps = steps.checked_sub(1)?;
    }
    Some(())
}
