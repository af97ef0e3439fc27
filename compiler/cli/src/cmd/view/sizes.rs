//! The bytes of a grammar artifact that belong to each of its own rules.
//!
//! A rule has its record, the records of its states and their edges, and a share of each mask that
//! its states use. A mask is divided among the rules that use it, and a dense row among its masks.
//! Names, digests and the report belong to no rule.
//!
//! Cost: O(states, edges and follow entries), and a sort of the uses of masks.

use grammarc_artifacts::sections::masks::{
    FollowEntry, MaskRecord, NearBoundMask, NearBoundRecord,
};
use grammarc_artifacts::sections::network::{NONE, RuleRecord, StateRecord, TokenEdge, rule_flags};
use grammarc_artifacts::tables::Tables;

/// Returns the bytes of each own rule, in the order of their ids. Shares are rounded down.
pub(super) fn of_own_rules(own: &Tables<'_>) -> Vec<u64> {
    let mut uses: Vec<(u32, usize)> = Vec::new();
    let mut sizes: Vec<u64> = Vec::with_capacity(own.rules.len());
    for (number, rule) in own.rules.iter().enumerate() {
        let first = (rule.first_state - own.bases.states) as usize;
        let mut bytes = size_of::<RuleRecord>();
        for index in first..first + rule.state_count as usize {
            let (record, id) = (&own.states[index], own.bases.states + index as u32);
            let near = NearBoundRecord::of_state(own.near_bound, id);
            let near_masks = near.iter().flat_map(|record| {
                &own.near_bound_masks[record.first as usize..][..record.len as usize]
            });
            bytes += size_of::<StateRecord>()
                + size_of_val(own.byte_edges_of(index))
                + size_of_val(own.call_edges_of(index))
                + size_of_val(own.token_edges_of(index))
                + size_of_val(own.follows_of(index))
                + size_of_val(near)
                + near.iter().map(|record| record.len as usize).sum::<usize>()
                    * size_of::<NearBoundMask>();
            let follows = own.follows_of(index).iter().map(|entry: &FollowEntry| entry.mask);
            let edges = own.token_edges_of(index).iter().map(|edge: &TokenEdge| edge.tokens);
            let masks = follows.chain(edges).chain(near_masks.map(|mask| mask.base));
            uses.extend(masks.chain([record.base]).map(|mask| (mask, number)));
        }
        sizes.push(bytes as u64);
    }
    add_masks(own, uses, &mut sizes);
    add_packed_strings(own, &mut sizes);
    sizes
}

/// Adds to each rule its share of the masks that it uses. `uses` has pairs of a mask and a rule.
fn add_masks(own: &Tables<'_>, mut uses: Vec<(u32, usize)>, sizes: &mut [u64]) {
    let mut masks_of_row = vec![0_u64; own.row_count() as usize];
    let own_row = |mask: &MaskRecord| match mask.row {
        NONE => None,
        row => row.checked_sub(own.bases.rows).map(|row| row as usize),
    };
    own.masks.iter().filter_map(own_row).for_each(|row| masks_of_row[row] += 1);
    uses.retain(|&(mask, _)| mask != NONE && mask >= own.bases.masks);
    uses.sort_unstable();
    uses.dedup();
    for users in uses.chunk_by(|a, b| a.0 == b.0) {
        let mask = &own.masks[(users[0].0 - own.bases.masks) as usize];
        let lists = u64::from(mask.minus_len + mask.plus_len) * size_of::<u32>() as u64;
        let row = u64::from(own.row_words) * size_of::<u32>() as u64;
        let row = own_row(mask).map_or(0, |index| row / masks_of_row[index].max(1));
        let bytes = size_of::<MaskRecord>() as u64 + lists + row;
        users.iter().for_each(|&(_, rule)| sizes[rule] += bytes / users.len() as u64);
    }
}

/// Divides the nodes of the packed string sets among the rules that are such sets.
fn add_packed_strings(own: &Tables<'_>, sizes: &mut [u64]) {
    let is_packed = |rule: &&RuleRecord| rule.flags & rule_flags::PACKED_STRINGS != 0;
    let count = own.rules.iter().filter(is_packed).count() as u64;
    for (size, rule) in sizes.iter_mut().zip(own.rules) {
        if is_packed(&rule) {
            *size += own.packed_strings.len() as u64 / count;
        }
    }
}
