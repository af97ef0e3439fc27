//! The longest chain of follow entries: part of the printed bound on the work of a step.

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

/// Length of the longest chain of follow entries, or a return state of a chain that can go on for ever.
pub(super) fn longest_chain(
    own: &TablesData,
    shared: Tables<'_>,
    classes: usize,
) -> Result<u32, u32> {
    // Links of each class: the return state that takes it on, and the class it becomes.
    let mut links: Vec<Vec<(u32, u32)>> = vec![Vec::new(); classes];
    for tables in [shared, own.as_tables()] {
        for index in 0..tables.state_count() as usize {
            for entry in tables.follows_of(index) {
                links[entry.class as usize].push((tables.bases.states + index as u32, entry.next));
            }
        }
    }
    const OPEN: u32 = u32::MAX;
    let mut longest: Vec<Option<u32>> = vec![None; classes];
    for root in 0..classes as u32 {
        let mut stack = vec![(root, 0)];
        while let Some((class, at)) = stack.pop() {
            let links = &links[class as usize];
            if at == 0 {
                if longest[class as usize].is_some() {
                    continue;
                }
                longest[class as usize] = Some(OPEN);
            }
            let next = links.iter().enumerate().skip(at).find(|(_, (_, next))| {
                *next != NONE && !matches!(longest[*next as usize], Some(length) if length != OPEN)
            });
            match next {
                Some((_, &(ret, next))) if longest[next as usize] == Some(OPEN) => return Err(ret),
                Some((index, &(_, next))) => stack.extend([(class, index + 1), (next, 0)]),
                None => {
                    let length = |&(_, next): &(u32, u32)| match next {
                        NONE => 1,
                        next => 1 + longest[next as usize].unwrap_or(0),
                    };
                    longest[class as usize] = Some(links.iter().map(length).max().unwrap_or(0));
                }
            }
        }
    }
    Ok(longest.into_iter().flatten().max().unwrap_or(0))
}
