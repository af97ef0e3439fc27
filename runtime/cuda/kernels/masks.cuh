// Words of a row's mask, 32 of them for each warp.
//
// A chunk is 1,024 tokens: one word for each lane, so that the words of a dense row are one access of 128 bytes and the
// votes of a warp speak of a whole chunk. Lists are few and short: the entries that fall into the chunk are found by a
// search in 32 parts, two rounds for a list of a thousand, and are set or cleared in shared memory.
#pragma once
#include "layout.cuh"

#define CHUNK 1024u
#define WARP 32u
#define WARPS 8u
#define ALL 0xffffffffu

__device__ inline u32 lane_id() { return threadIdx.x % WARP; }

// The number of entries of an ascending list that are less than `key`. All lanes of a warp call it with the same list.
__device__ inline u32 warp_lower_bound(const u32* list, u32 len, u32 key) {
    u32 from = 0;
    while (len > 0) {
        // The answer is from..=from + len; each lane asks for the first of a group.
        u32 step = (len + WARP - 1) / WARP;
        u32 at = lane_id() * step;
        u32 less = at < len && list[from + at] < key;
        u32 groups = __popc(__ballot_sync(ALL, less));
        if (groups == 0) break;
        u32 before = (groups - 1) * step;
        u32 left = len - before;
        from += before + 1;
        len = (left < step ? left : step) - 1;
    }
    return from;
}

// A word of the chunk that begins at word `first`, with the entries of a list set, or cleared.
__device__ inline u32 with_list(const u32* list, u32 len, u32 first, u32 word, bool set, u32* room) {
    if (len == 0) return word;
    u32 from = first * 32;
    u32 begin = warp_lower_bound(list, len, from);
    u32 end = begin + warp_lower_bound(list + begin, len - begin, from + CHUNK);
    if (begin == end) return word;
    room[lane_id()] = word;
    __syncwarp();
    for (u32 at = begin + lane_id(); at < end; at += WARP) {
        u32 token = list[at] - from;
        u32 bit = 1u << (token % 32);
        if (set) {
            atomicOr(&room[token / 32], bit);
        } else {
            atomicAnd(&room[token / 32], ~bit);
        }
    }
    __syncwarp();
    word = room[lane_id()];
    __syncwarp();
    return word;
}

// The lane's word of a row's mask, in the chunk that begins at word `first`. `room` is 32 words for the warp.
__device__ inline u32 row_word(const u32* pool, const Row* row, u32 first, u32* room) {
    u32 at = first + lane_id();
    u32 union_of_parts = 0;
    u32 parts = row->kind & 0xff;
    for (u32 part = 0; part < parts; part++) {
        const Mask* mask = (const Mask*)(pool + row->parts[part]);
        u32 word = 0;
        if (mask->row != NONE) {
            // Most of a wide mask is ones, and a bit says so of 32 words.
            u32 chunk = first / WARP;
            bool full = mask->full != NONE && first % WARP == 0 && first < mask->row_words &&
                        (pool[mask->full + chunk / 32] >> (chunk % 32) & 1);
            if (full) {
                word = ALL;
            } else if (at < mask->row_words) {
                word = pool[mask->row + at];
            }
            word = with_list(pool + mask->minus, mask->minus_len, first, word, false, room);
        }
        word = with_list(pool + mask->plus, mask->plus_len, first, word, true, room);
        union_of_parts |= word;
    }
    return with_list(pool + row->ends, row->ends_len, first, union_of_parts, true, room);
}

// Whether an ascending list has a token.
__device__ inline bool list_has(const u32* list, u32 len, u32 token) {
    u32 from = 0;
    while (len > 0) {
        u32 half = len / 2;
        if (list[from + half] < token) {
            from += half + 1;
            len -= half + 1;
        } else {
            len = half;
        }
    }
    return list[from] == token;
}

__device__ inline bool has(const u32* list, u32 len, u32 token) {
    return len > 0 && list[len - 1] >= token && list_has(list, len, token);
}

// Whether a row allows a token, asked by one thread.
__device__ inline bool row_has(const u32* pool, const Row* row, u32 token) {
    u32 parts = row->kind & 0xff;
    for (u32 part = 0; part < parts; part++) {
        const Mask* mask = (const Mask*)(pool + row->parts[part]);
        bool in_row = mask->row != NONE && token / 32 < mask->row_words &&
                      (pool[mask->row + token / 32] >> (token % 32) & 1);
        if (in_row ? !has(pool + mask->minus, mask->minus_len, token)
                   : has(pool + mask->plus, mask->plus_len, token)) {
            return true;
        }
    }
    return has(pool + row->ends, row->ends_len, token);
}
