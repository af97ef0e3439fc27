// Masks over logits: negative infinity where a token is not allowed, and nothing else is written.
//
// A warp takes a chunk of 1,024 columns of one row. Where all of it is allowed it ends after a vote and no logit is touched;
// else it stores 16 bytes for a lane: as they come where none of their tokens is allowed, and blended with what was there where
// some are, which is twice as fast as single stores. An allowed logit keeps its bits, so a NaN stays.
#pragma once
#include "masks.cuh"

struct alignas(16) Sixteen {
    u32 words[4];
};

__device__ inline u32 infinity(u32 dtype) { return dtype == 0 ? 0xff800000u : dtype == 1 ? 0xfc00fc00u : 0xff80ff80u; }

// The lane's word of the tokens of 32 columns: column from + 32 * lane + i has bit i. `word_at(first)` is the lane's word of the chunk of
// tokens that begins at word `first`; where the first token is no multiple of 32, two neighbouring words are shifted together. Where each
// column names its token, `allows(token)` is asked for each instead.
template <class Allows, class WordAt>
__device__ inline u32 column_word(const Logits& logits, u32 from, u32 columns, Allows allows, WordAt word_at) {
    if (logits.tokens) {
        // The lanes ask for neighbouring columns, so that their tokens are one access.
        u32 word = 0;
#pragma unroll 1
        for (u32 lane = 0; lane < WARP; lane++) {
            u32 column = lane * 32 + lane_id();
            i32 token = column < columns ? logits.tokens[from + column] : -1;
            u32 bits = __ballot_sync(ALL, token >= 0 && allows((u32)token));
            if (lane == lane_id()) word = bits;
        }
        return word;
    }
    u32 first_token = logits.first + from;
    u32 shift = first_token % 32;
    // One call for both words, since it is long.
    u32 word = 0;
    u32 after = 0;
    u32 first = first_token / 32;
    u32 end = first + (shift == 0 ? 1 : WARP + 1);
#pragma unroll 1
    for (; first < end; first += WARP) {
        word = after;
        after = word_at(first);
    }
    if (shift == 0) return after;
    u32 next = __shfl_sync(ALL, word, (lane_id() + 1) % WARP);
    u32 last = __shfl_sync(ALL, after, 0);
    if (lane_id() == WARP - 1) next = last;
    return word >> shift | next << (32 - shift);
}

// Four words of logits with negative infinity where the lane's bits are clear: `group` logits, one bit for each.
__device__ inline Sixteen blended(Sixteen logits, u32 allowed, u32 value, u32 dtype) {
    for (u32 word = 0; word < 4; word++) {
        u32 kept = 0;
        if (dtype == 0) {
            kept = allowed >> word & 1 ? ALL : 0;
        } else {
            kept = (allowed >> (2 * word) & 1 ? 0xffffu : 0) | (allowed >> (2 * word + 1) & 1 ? 0xffff0000u : 0);
        }
        logits.words[word] = (logits.words[word] & kept) | (value & ~kept);
    }
    return logits;
}

// Writes over a chunk of `columns` logits at `at`, of which bit c % 32 of lane c / 32's word says whether column c is allowed.
__device__ inline void write_over(u8* at, u32 dtype, u32 columns, u32 word) {
    u32 lane = lane_id();
    // Columns past the end are as if allowed.
    u32 begin = lane * 32;
    if (begin + 32 > columns) word |= begin >= columns ? ALL : ALL << (columns - begin);
    if (__all_sync(ALL, word == ALL)) return;
    u32 value = infinity(dtype);
    u32 bytes = dtype == 0 ? 4 : 2;
    if (columns != CHUNK || ((u64)at & 15) != 0) {
#pragma unroll 1
        for (u32 round = 0; round < WARP; round++) {
            u32 column = round * WARP + lane;
            if (__shfl_sync(ALL, word, round) >> lane & 1) continue;
            if (dtype == 0) {
                ((u32*)at)[column] = value;
            } else {
                ((u16*)at)[column] = (u16)value;
            }
        }
        return;
    }
    Sixteen* places = (Sixteen*)at;
    Sixteen nothing = {{value, value, value, value}};
    u32 group = 16 / bytes;  // logits of a place
    u32 rounds = CHUNK / (group * WARP);
    if (__all_sync(ALL, word == 0)) {
        for (u32 round = 0; round < rounds; round++) places[round * WARP + lane] = nothing;
        return;
    }
    u32 every = (1u << group) - 1;
    for (u32 round = 0; round < rounds; round++) {
        u32 place = round * WARP + lane;
        u32 allowed = __shfl_sync(ALL, word, place * group / 32) >> (place * group % 32) & every;
        if (allowed == 0) {
            places[place] = nothing;
        } else if (allowed != every) {
            places[place] = blended(places[place], allowed, value, dtype);
        }
    }
}

// The bytes of a row of logits from a column on.
__device__ inline u8* logit_at(const Logits& logits, u32 row, u32 column) {
    i64 element = (i64)row * logits.stride + column;
    return logits.at + element * (logits.dtype == 0 ? 4 : 2);
}

// Shows each chunk of a row that the warp has to do with: `word_of(from, columns)` is the lane's word, and is asked for one chunk ahead of
// `use(from, columns, word)`, so that its loads are under way meanwhile. Each is called from one place, since both are long.
template <class WordOf, class Use>
__device__ inline void over_chunks(const Logits& logits, WordOf word_of, Use use) {
    u32 next = (blockIdx.x * WARPS + threadIdx.x / WARP) * CHUNK;
    u32 step = gridDim.x * WARPS * CHUNK;
    u32 from = 0;
    u32 columns = 0;  // none yet
    u32 word = 0;
#pragma unroll 1
    while (true) {
        u32 next_columns = 0;
        u32 next_word = 0;
        if (next < logits.columns) {
            next_columns = logits.columns - next < CHUNK ? logits.columns - next : CHUNK;
            next_word = word_of(next, next_columns);
        }
        if (columns > 0) use(from, columns, word);
        if (next_columns == 0) return;
        from = next;
        columns = next_columns;
        word = next_word;
        next = from + step < from ? ALL : from + step;
    }
}

struct ApplyParams {
    const u32* pool;
    const Row* rows;
    Logits logits;
};

// Grid: x warps of columns by 8, y rows; a warp takes every so many chunks. Block: 256.
extern "C" __global__ void grammarc_apply(ApplyParams params) {
    __shared__ u32 rooms[WARPS][WARP];
    u32* room = rooms[threadIdx.x / WARP];
    const Logits& logits = params.logits;
    for (u32 at = blockIdx.y; at < logits.rows; at += gridDim.y) {
        i32 mapped = logits.map ? logits.map[at] : (i32)at;
        if (mapped < 0) continue;
        const Row* row = params.rows + mapped;
        if (row->kind == 0 || row->kind & ROW_PENDING) continue;
        over_chunks(logits, [&](u32 from, u32 columns) {
            return column_word(logits, from, columns, [&](u32 token) {
                return row_has(params.pool, row, token);
            }, [&](u32 first) {
                return row_word(params.pool, row, first, room);
            });
        }, [&](u32 from, u32 columns, u32 word) {
            write_over(logit_at(logits, at, from), logits.dtype, columns, word);
        });
    }
}

struct BitmaskParams {
    const u32* bitmask;  // rows of `words` words, `bitmask_stride` apart; bit t % 32 of word t / 32 is token t
    i64 bitmask_stride;
    u32 words;
    u32 tokens;  // tokens that the bitmask speaks of; the others are not allowed
    Logits logits;
};

// As grammarc_apply, with a host's bitmask.
extern "C" __global__ void grammarc_apply_bitmask(BitmaskParams params) {
    const Logits& logits = params.logits;
    for (u32 at = blockIdx.y; at < logits.rows; at += gridDim.y) {
        i32 mapped = logits.map ? logits.map[at] : (i32)at;
        if (mapped < 0) continue;
        const u32* row = params.bitmask + mapped * params.bitmask_stride;
        over_chunks(logits, [&](u32 from, u32 columns) {
            return column_word(logits, from, columns, [&](u32 token) {
                return token < params.tokens && (row[token / 32] >> (token % 32) & 1);
            }, [&](u32 first) {
                u32 place = first + lane_id();
                u32 found = place < params.words ? row[place] : 0;
                u32 begin = place * 32;
                if (begin >= params.tokens) return 0u;
                return begin + 32 > params.tokens ? found & (ALL >> (begin + 32 - params.tokens)) : found;
            });
        }, [&](u32 from, u32 columns, u32 word) {
            write_over(logit_at(logits, at, from), logits.dtype, columns, word);
        });
    }
}

struct FillParams {
    const u32* pool;
    const Row* rows;
    u32* bitmask;  // rows of `words` words, `stride` apart
    i64 stride;
    u32 words;
    u32 count;       // rows
    const i32* map;  // by bitmask row, the number of its Row, -1 to leave it as it is; or null
};

// Writes masks as a host's bitmask. A row without a mask, or whose mask is pending, allows all. Grid and block as above.
extern "C" __global__ void grammarc_fill(FillParams params) {
    __shared__ u32 rooms[WARPS][WARP];
    u32* room = rooms[threadIdx.x / WARP];
    u32 first = (blockIdx.x * WARPS + threadIdx.x / WARP) * WARP;
    if (first >= params.words) return;
    for (u32 at = blockIdx.y; at < params.count; at += gridDim.y) {
        i32 mapped = params.map ? params.map[at] : (i32)at;
        if (mapped < 0) continue;
        const Row* row = params.rows + mapped;
        bool free = row->kind == 0 || row->kind & ROW_PENDING;
        u32 word = free ? ALL : row_word(params.pool, row, first, room);
        u32 place = first + lane_id();
        if (place < params.words) params.bitmask[at * params.stride + place] = word;
    }
}
