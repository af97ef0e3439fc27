// Tokens picked under masks, without writing the masks into the logits: the greatest logit, or a draw from their softmax.
//
// One pass over the words of a row's mask, and over the logits of words with an allowed bit. A draw is the argmax of
// logit / temperature + G with G from the standard Gumbel distribution (E. J. Gumbel 1954; C. J. Maddison et al. 2014), so it
// needs no sum over the row and no second pass. G comes from a counter: Philox 4x32-10 (J. K. Salmon et al. 2011) of the seed,
// the step and the token, and a logarithm of our own whose operations are all rounded as IEEE 754 says, so that the same seed
// draws the same token on every device and on the CPU.
//
// Ties go to the least token: a candidate is the ordered logit above the complement of its token, and the greatest wins.
// Blocks of a row meet in a global maximum; the last of them writes the token and leaves the scratch as it found it.
#pragma once
#include "advance.cuh"
#include "apply.cuh"

// Rows whose masks are lists of fewer tokens are read by one block, token by token.
#define SPARSE 2048u

struct SampleParams {
    const u32* pool;
    const Row* rows;
    Logits logits;
    u64* best;      // by row of logits: 0, and 0 again afterwards
    u32* blocks;    // likewise
    i32* tokens;    // by row of logits, the token; -1 where none is allowed, the mask is pending or the row is left out
    const float* temperatures;  // by row of logits, 0 for the greatest; or null: 0 for all
    const u64* seeds;           // by row of logits; or null: 0 for all
    const u64* steps;           // by row of logits, a number that a seed is used with once; or null: 0 for all
    u32 advances;               // whether the token is taken in the row's slot, in `advance`
    AdvanceParams advance;
};

// A number of 16 bits as a float, exactly: see runtime/src/apply/formats.rs.
__device__ inline float half_value(u32 bits) {
    u32 magnitude = (bits & 0x7fff) << 13;
    float scaled = __fmul_rn(__uint_as_float(magnitude), __uint_as_float(0x77800000u));
    u32 special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
    return __uint_as_float(__float_as_uint(scaled) | special | (bits & 0x8000) << 16);
}

__device__ inline float half_or_brain(u32 bits, u32 dtype) {
    return dtype == 1 ? half_value(bits) : __uint_as_float(bits << 16);
}

__device__ inline float logit_value(const u8* at, u32 dtype) {
    return dtype == 0 ? *(const float*)at : half_or_brain(*(const u16*)at, dtype);
}

// A number of 64 bits that orders candidates: a NaN below all numbers, equal logits by token, and 0 for none.
__device__ inline u64 candidate(float value, u32 token) {
    u32 bits = __float_as_uint(__fadd_rn(value, 0.0f));
    u32 ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
    if (value != value) ordered = 0;
    return (u64)ordered << 32 | (u32)~token;
}

struct Four {
    u32 words[4];
};

// Philox 4x32-10.
__device__ inline Four philox(Four counter, u64 key) {
    u32 low = (u32)key;
    u32 high = (u32)(key >> 32);
    for (u32 round = 0; round < 10; round++) {
        u32 first = __umulhi(0xd2511f53u, counter.words[0]);
        u32 second = __umulhi(0xcd9e8d57u, counter.words[2]);
        Four next = {{second ^ counter.words[1] ^ low, 0xcd9e8d57u * counter.words[2],
                      first ^ counter.words[3] ^ high, 0xd2511f53u * counter.words[0]}};
        counter = next;
        low += 0x9e3779b9u;
        high += 0xbb67ae85u;
    }
    return counter;
}

// The natural logarithm of a positive normal number, within two units in the last place: the exponent, and a polynomial of
// degree 11 on the mantissa in 0.707..1.414.
__device__ inline float logarithm(float value) {
    u32 bits = __float_as_uint(value) - 0x3f3504f3u;
    i32 exponent = (i32)bits >> 23;
    float t = __fadd_rn(__uint_as_float((bits & 0x7fffff) + 0x3f3504f3u), -1.0f);
    float sum = 0.0714975372f;
    sum = __fmaf_rn(sum, t, -0.115712009f);
    sum = __fmaf_rn(sum, t, 0.116615109f);
    sum = __fmaf_rn(sum, t, -0.124110505f);
    sum = __fmaf_rn(sum, t, 0.142499372f);
    sum = __fmaf_rn(sum, t, -0.166684806f);
    sum = __fmaf_rn(sum, t, 0.200007081f);
    sum = __fmaf_rn(sum, t, -0.249999896f);
    sum = __fmaf_rn(sum, t, 0.333333313f);
    float square = __fmul_rn(t, t);
    float small = __fmaf_rn(__fmul_rn(square, t), sum, __fmul_rn(square, -0.5f));
    return __fmaf_rn((float)exponent, 0.693147182f, __fadd_rn(t, small));
}

// A number from the standard Gumbel distribution: -ln(E), where E is exponential, -ln(1 - v) for v in 0..1. Both logarithms
// are precise where the result is large, since v is then small.
__device__ inline float gumbel(u32 random) {
    // 24 significant bits, the least of them a half: exact, never 0 and never 1.
    float v = random < 0x800000u ? __fmul_rn(__fadd_rn((float)random, 0.5f), 2.3283064365386963e-10f)
                                 : __fmul_rn(__fadd_rn((float)(random >> 9), 0.5f), 1.1920928955078125e-7f);
    float exponential;
    if (v < 0.0625f) {
        float sum = 0.166666667f;
        sum = __fmaf_rn(sum, v, 0.2f);
        sum = __fmaf_rn(sum, v, 0.25f);
        sum = __fmaf_rn(sum, v, 0.333333333f);
        sum = __fmaf_rn(sum, v, 0.5f);
        sum = __fmaf_rn(sum, v, 1.0f);
        exponential = __fmul_rn(sum, v);
    } else {
        exponential = -logarithm(__fadd_rn(1.0f, -v));
    }
    return -logarithm(exponential);
}

// How a row's logits are scored.
struct Draw {
    bool random;
    float scale;
    u64 seed;
    u64 step;
};

// The random number of a token. Four words of tokens share a counter, so that a lane makes four numbers at once.
__device__ inline Four randoms(const Draw& draw, u32 token) {
    Four counter = {{(token / 128) * 32 + token % 32, 0, (u32)draw.step, (u32)(draw.step >> 32)}};
    return philox(counter, draw.seed);
}

__device__ inline u64 score(const Draw& draw, float logit, u32 token, const Four& four) {
    if (!draw.random) return candidate(logit, token);
    return candidate(__fmaf_rn(logit, draw.scale, gumbel(four.words[token / 32 % 4])), token);
}

__device__ inline u64 greatest_of_warp(u64 best) {
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
        u32 low = __shfl_sync(ALL, (u32)best, lane_id() ^ distance);
        u32 high = __shfl_sync(ALL, (u32)(best >> 32), lane_id() ^ distance);
        u64 other = (u64)high << 32 | low;
        if (other > best) best = other;
    }
    return best;
}

// The best of a chunk of columns, by the lane.
__device__ inline u64 best_of_chunk(const Logits& logits, const Draw& draw, u32 at, u32 from, u32 columns, u32 word) {
    u32 begin = lane_id() * 32;
    if (begin + 32 > columns) word &= begin >= columns ? 0 : ALL >> (begin + 32 - columns);
    u32 bytes = logits.dtype == 0 ? 4 : 2;
    const u8* row = logit_at(logits, at, from);
    u64 best = 0;
    if (!draw.random && columns == CHUNK && !logits.tokens && ((u64)row & 15) == 0) {
        u32 group = 16 / bytes;
        u32 every = (1u << group) - 1;
        for (u32 round = 0; round < CHUNK / (group * WARP); round++) {
            u32 column = (round * WARP + lane_id()) * group;
            u32 allowed = __shfl_sync(ALL, word, column / 32) >> (column % 32) & every;
            if (allowed == 0) continue;
            Sixteen sixteen = *(const Sixteen*)(row + (u64)column * bytes);
            for (u32 one = 0; one < group; one++) {
                if (!(allowed >> one & 1)) continue;
                u32 bits = bytes == 4 ? sixteen.words[one] : sixteen.words[one / 2] >> (one % 2 * 16) & 0xffff;
                float value = bytes == 4 ? __uint_as_float(bits) : half_or_brain(bits, logits.dtype);
                u64 found = candidate(value, logits.first + from + column + one);
                if (found > best) best = found;
            }
        }
        return best;
    }
    u32 made = NONE;  // the counter that `four` comes from
    Four four = {{0, 0, 0, 0}};
    for (u32 round = 0; round < WARP; round++) {
        u32 allowed = __shfl_sync(ALL, word, round);
        if (!(allowed >> lane_id() & 1)) continue;
        u32 column = round * 32 + lane_id();
        u32 token = logits.tokens ? (u32)logits.tokens[from + column] : logits.first + from + column;
        u32 counter = (token / 128) * 32 + token % 32;
        if (draw.random && counter != made) {
            four = randoms(draw, token);
            made = counter;
        }
        u64 found = score(draw, logit_value(row + (u64)column * bytes, logits.dtype), token, four);
        if (found > best) best = found;
    }
    return best;
}

// Whether a row's masks are lists of few tokens.
__device__ inline bool is_sparse(const u32* pool, const Row* row) {
    u32 total = row->ends_len;
    u32 parts = row->kind & 0xff;
    for (u32 part = 0; part < parts; part++) {
        const Mask* mask = (const Mask*)(pool + row->parts[part]);
        if (mask->row != NONE) return false;
        total += mask->count;
    }
    return total < SPARSE;
}

// The best of a list of tokens, by the thread of a block.
__device__ inline u64 best_of_list(const Logits& logits, const Draw& draw, u32 at, List list, u64 best) {
    u32 bytes = logits.dtype == 0 ? 4 : 2;
    for (u32 place = threadIdx.x; place < list.len; place += blockDim.x) {
        u32 token = list.tokens[place];
        if (token < logits.first || token - logits.first >= logits.columns) continue;
        u32 column = token - logits.first;
        const u8* logit = logit_at(logits, at, 0) + (u64)column * bytes;
        Four four = {{0, 0, 0, 0}};
        if (draw.random) four = randoms(draw, token);
        u64 found = score(draw, logit_value(logit, logits.dtype), token, four);
        if (found > best) best = found;
    }
    return best;
}

// Grid: x chunks of 8,192 columns, y rows. Block: 256. Four blocks to a multiprocessor, as many as without the call of `take`, which
// would take more registers if it might.
extern "C" __global__ void __launch_bounds__(256, 4) grammarc_sample(SampleParams params) {
    __shared__ u32 rooms[WARPS][WARP];
    __shared__ u64 bests[WARPS];
    u32 warp = threadIdx.x / WARP;
    const Logits& logits = params.logits;
    u32 from = (blockIdx.x * WARPS + warp) * CHUNK;
    for (u32 at = blockIdx.y; at < logits.rows; at += gridDim.y) {
        i32 mapped = logits.map ? logits.map[at] : (i32)at;
        const Row* row = params.rows + (mapped < 0 ? 0 : mapped);
        if (mapped < 0 || row->kind & ROW_PENDING) {
            if (blockIdx.x == 0 && threadIdx.x == 0) params.tokens[at] = -1;
            continue;
        }
        Draw draw = {false, 0.0f, params.seeds ? params.seeds[at] : 0, params.steps ? params.steps[at] : 0};
        float temperature = params.temperatures ? params.temperatures[at] : 0.0f;
        if (temperature > 0.0f) {
            draw.random = true;
            draw.scale = __fdiv_rn(1.0f, temperature);
        }
        bool masked = row->kind != 0;
        bool sparse = masked && !logits.tokens && is_sparse(params.pool, row);
        if (sparse && blockIdx.x > 0) continue;
        u64 best = 0;
        if (sparse) {
            u32 parts = row->kind & 0xff;
#pragma unroll 1
            for (u32 part = 0; part <= parts; part++) {
                best = best_of_list(logits, draw, at, added(params.pool, row, part), best);
            }
        } else if (from < logits.columns) {
            u32 columns = logits.columns - from < CHUNK ? logits.columns - from : CHUNK;
            u32 word = ALL;
            if (masked) {
                word = column_word(logits, from, columns, [&](u32 token) {
                    return row_has(params.pool, row, token);
                }, [&](u32 first) {
                    return row_word(params.pool, row, first, rooms[warp]);
                });
            }
            best = best_of_chunk(logits, draw, at, from, columns, word);
        }
        best = greatest_of_warp(best);
        if (lane_id() == 0) bests[warp] = best;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (u32 other = 1; other < WARPS; other++) {
                if (bests[other] > best) best = bests[other];
            }
            u32 blocks = sparse ? 1 : gridDim.x;
            if (blocks > 1) {
                atomicMax(&params.best[at], best);
                __threadfence();
                bool last = atomicAdd(&params.blocks[at], 1u) == blocks - 1;
                best = last ? atomicExch(&params.best[at], 0ull) : 0;
                if (last) params.blocks[at] = 0;
                blocks = last ? 1 : 0;
            }
            if (blocks == 1) {
                i32 token = best == 0 ? -1 : (i32) ~(u32)best;
                params.tokens[at] = token;
                if (params.advances) {
                    const AdvanceParams& advance = params.advance;
                    i32 slot = advance.slots ? advance.slots[at] : (i32)at;
                    u32 accepted = advance.accepted ? advance.accepted[at] : 0;
                    if (slot >= 0) advance_slot(advance, slot, token, accepted);
                }
            }
        }
        __syncthreads();
    }
}
