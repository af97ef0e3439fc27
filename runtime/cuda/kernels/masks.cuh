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

// Tokens of a list, ascending.
struct List {
    const u32* tokens;
    u32 len;
};

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
__device__ inline u32 with_list(List list, u32 first, u32 word, bool set, u32* room) {
    if (list.len == 0) return word;
    u32 from = first * 32;
    u32 at = warp_lower_bound(list.tokens, list.len, from) + lane_id();
    u32 token = at < list.len ? list.tokens[at] : NONE;
    if (__ballot_sync(ALL, token - from < CHUNK) == 0) return word;
    room[lane_id()] = word;
    __syncwarp();
#pragma unroll 1
    while (token - from < CHUNK) {
        u32* place = &room[(token - from) / 32];
        u32 bit = 1u << (token % 32);
        if (set) {
            atomicOr(place, bit);
        } else {
            atomicAnd(place, ~bit);
        }
        at += WARP;
        token = at < list.len ? list.tokens[at] : NONE;
    }
    __syncwarp();
    word = room[lane_id()];
    __syncwarp();
    return word;
}

// What a row adds as a list: the tokens of a part, by its number, and after the parts its end tokens.
__device__ inline List added(const u32* pool, const Row* row, u32 number) {
    if (number == (row->kind & 0xff)) return List{pool + row->ends, row->ends_len};
    const Mask* mask = (const Mask*)(pool + row->parts[number]);
    return List{pool + mask->plus, mask->plus_len};
}

// The lane's word of a mask's dense row, without the tokens that the mask leaves out.
__device__ inline u32 dense_word(const u32* pool, const Mask* mask, u32 first, u32* room) {
    if (mask->row == NONE) return 0;
    u32 at = first + lane_id();
    u32 word = 0;
    // Most of a wide mask is ones, and a bit says so of 32 words.
    u32 chunk = first / WARP;
    bool full = mask->full != NONE && first % WARP == 0 && first < mask->row_words &&
                (pool[mask->full + chunk / 32] >> (chunk % 32) & 1);
    if (full) {
        word = ALL;
    } else if (at < mask->row_words) {
        word = pool[mask->row + at];
    }
    return with_list(List{pool + mask->minus, mask->minus_len}, first, word, false, room);
}

// The lane's word of a row's mask, in the chunk that begins at word `first`. `room` is 32 words for the warp.
__device__ inline u32 row_word(const u32* pool, const Row* row, u32 first, u32* room) {
    u32 found = 0;
    u32 parts = row->kind & 0xff;
#pragma unroll 1
    for (u32 part = 0; part <= parts; part++) {
        u32 word = part < parts ? dense_word(pool, (const Mask*)(pool + row->parts[part]), first, room) : 0;
        found |= with_list(added(pool, row, part), first, word, true, room);
    }
    return found;
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
#pragma unroll 1
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
