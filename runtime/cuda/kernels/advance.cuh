// Positions advanced by tokens, one thread a sequence.
//
// This is the runtime's way through a token while there is one configuration and nothing to choose (runtime/src/step/run.rs),
// with the stack in the position itself. Whatever it does not decide it leaves to the host and says so: a byte that can be
// read in several ways, a token that a token edge carries, more frames than there is room for, more masks than a Row names.
// Such a position keeps what it was, its status has STATUS_HOST, and its Row is pending until the host has written both.
#pragma once
#include "masks.cuh"

// Flags of a state, in its first word from bit 16 on.
#define FINAL 1u
#define POP_ONLY 2u
#define RESTS 4u
#define ABSORBING 8u
#define HAS_ROW 16u
#define COUNTED 32u
#define LOOPS 64u
#define STEP 128u

// Flags of a counted state.
#define CLEARS 16u
#define CLEARED 8u

// Kinds of moves, in the three highest bits; the others are an index.
#define MOVE_REFUSED 0u
#define MOVE_GO 1u
#define MOVE_ARRIVE 2u
#define MOVE_CALL 3u
#define MOVE_INDEX 0x1fffffffu

// A token's text in two words: the length, PLAIN_TEXT and up to 7 bytes; or LONG_TEXT, PLAIN_TEXT and 24 bits of length,
// and then the number of its first byte among the long ones.
#define PLAIN_TEXT 0x80u
#define LONG_TEXT 0x7fu

struct Text {
    const u8* bytes;
    u32 len;
    bool plain;
};

__device__ inline Text text_of(const u32* pool, const Grammar* grammar, u32 token) {
    Text text = {(const u8*)pool, 0, false};
    if (token >= grammar->text_count) return text;
    const u32* words = pool + grammar->texts + 2 * token;
    u32 head = words[0];
    text.plain = head & PLAIN_TEXT;
    u32 len = head & LONG_TEXT;
    if (len == LONG_TEXT) {
        text.len = head >> 8;
        text.bytes = (const u8*)(pool + grammar->long_texts) + words[1];
    } else {
        text.len = len;
        text.bytes = (const u8*)words + 1;
    }
    return text;
}

// One half of the tables, and the id of its first state. What a byte asks of it is kept here, and is loaded once.
struct Home {
    const Half* half;
    u32 base;
    u32 states;
    u32 classes;
    u32 rows;
};

__device__ inline Home home_of(const Grammar* grammar, u32 state) {
    bool own = state >= grammar->first_own;
    const Half* half = own ? &grammar->own : &grammar->shared;
    return Home{half, own ? grammar->first_own : 0, half->states, half->classes, half->rows};
}

__device__ inline const u32* state_words(const u32* pool, Home home, u32 state) {
    return pool + home.states + 3 * (state - home.base);
}

__device__ inline u32 flags_of(const u32* pool, const Grammar* grammar, u32 state) {
    return state_words(pool, home_of(grammar, state), state)[0] >> 16;
}

// What a byte does in a state.
__device__ inline u32 move_on(const u32* pool, Home home, const u32* state, u32 byte) {
    u32 word = state[0];
    if ((word & 0xff) <= byte && byte <= (word >> 8 & 0xff)) return state[1];
    if (!(word >> 16 & HAS_ROW)) return 0;
    const u8* classes = (const u8*)(pool + home.classes);
    return pool[home.rows + state[2] + classes[byte]];
}

// Arrival at a state by a transition: the register is lowered, and at zero leads elsewhere.
__device__ inline void enter(const u32* pool, const Grammar* grammar, u32* state, u32* count) {
    Home home = home_of(grammar, *state);
    if (!(state_words(pool, home, *state)[0] >> 16 & COUNTED)) return;
    u32 index = *state - home.base;
    const u32* counted = pool + home.half->counted;
    u32 from = 0;
    u32 len = home.half->counted_len;
    while (len > 0) {
        u32 half = len / 2;
        if (counted[3 * (from + half)] < index) {
            from += half + 1;
            len -= half + 1;
        } else {
            len = half;
        }
    }
    if (from == home.half->counted_len || counted[3 * from] != index) return;
    const u32* found = counted + 3 * from;
    u32 flags = found[2];
    u32 lowered = *count == 0 ? 0 : *count - 1;
    if (flags & CLEARS) lowered = *count & ~(1u << (flags >> CLEARED & 31));
    if (lowered == 0) *state = found[1];
    *count = lowered;
}

// A configuration whose stack is at hand.
struct Stack {
    u32 ret[FRAMES];
    u32 counts[FRAMES];
};

struct At {
    u32 state;
    u32 count;
    u32 depth;
    u32 finals;
    u32 rests;
};

__device__ inline void pop(At* at, const Stack* stack) {
    at->depth -= 1;
    at->state = stack->ret[at->depth];
    at->count = stack->counts[at->depth];
}

__device__ inline u32 below(u32 depth) { return depth >= 32 ? ALL : (1u << depth) - 1; }

// Whether some state that the stack may return to takes a byte, or may.
__device__ inline bool takes_below(const u32* pool, const Grammar* grammar, const At* at, const Stack* stack, u32 byte) {
    for (u32 depth = at->depth; depth > 0; depth--) {
        u32 state = stack->ret[depth - 1];
        Home home = home_of(grammar, state);
        if (move_on(pool, home, state_words(pool, home, state), byte) != 0) return true;
        if (!(at->finals >> (depth - 1) & 1)) return false;
    }
    return false;
}

// Enters a callee: its frame is the caller's own for a tail call, and the parent itself where another frame of an absorbing
// state would change nothing. False where there is no room for a frame.
__device__ inline bool call(const u32* pool, const Grammar* grammar, Home home, u32 index, At* at, Stack* stack) {
    const u32* words = pool + home.half->calls + 3 * index;
    if (words[1] != NONE) {
        u32 ret = words[1];
        u32 count = at->count;
        enter(pool, grammar, &ret, &count);
        u32 flags = flags_of(pool, grammar, ret);
        u32 top = at->depth - 1;
        bool absorbed = (flags & ABSORBING) && at->depth > 0 && stack->ret[top] == ret && stack->counts[top] == count;
        if (!absorbed) {
            if (at->depth == FRAMES) return false;
            stack->ret[at->depth] = ret;
            stack->counts[at->depth] = count;
            u32 bit = 1u << at->depth;
            at->finals = flags & FINAL ? at->finals | bit : at->finals & ~bit;
            at->rests = flags & RESTS ? at->rests | bit : at->rests & ~bit;
            at->depth += 1;
        }
    }
    at->state = words[0];
    at->count = words[2];
    return true;
}

#define RUN_READ 0u
#define RUN_REFUSED 1u
#define RUN_OPEN 2u

// Follows bytes from a configuration.
__device__ inline u32 run(const u32* pool, const Grammar* grammar, const u8* bytes, u32 len, At* at, Stack* stack) {
    u32 read = 0;
    u32 first_own = grammar->first_own;
    Home home = home_of(grammar, at->state);
    while (read < len) {
        u32 byte = bytes[read];
        if ((at->state >= first_own) != (home.half == &grammar->own)) home = home_of(grammar, at->state);
        const u32* state = state_words(pool, home, at->state);
        u32 word = state[0];
        u32 next = move_on(pool, home, state, byte);
        bool steps = word >> 16 & STEP && (word & 0xff) <= byte && byte <= (word >> 8 & 0xff);
        if (!steps && word >> 16 & FINAL && at->depth > 0) {
            if (next == 0) {
                pop(at, stack);
                continue;
            }
            if (takes_below(pool, grammar, at, stack, byte)) return RUN_OPEN;
        }
        u32 index = next & MOVE_INDEX;
        switch (next >> 29) {
            case MOVE_REFUSED:
                return RUN_REFUSED;
            case MOVE_GO:
                at->state = home.base + index;
                read += 1;
                break;
            case MOVE_CALL:
                if (!call(pool, grammar, home, index, at, stack)) return RUN_OPEN;
                break;
            case MOVE_ARRIVE:
                at->state = home.base + index;
                enter(pool, grammar, &at->state, &at->count);
                while (at->depth > 0 && flags_of(pool, grammar, at->state) & POP_ONLY) pop(at, stack);
                read += 1;
                break;
            default:
                return RUN_OPEN;
        }
    }
    return RUN_READ;
}

__device__ inline bool accepting(const u32* pool, const Grammar* grammar, const At* at) {
    u32 all = below(at->depth);
    return flags_of(pool, grammar, at->state) & FINAL && (at->finals & all) == all;
}

// The link of a state for an exit class, or null.
__device__ inline const u32* link_of(const u32* pool, const Grammar* grammar, u32 state, u32 exit_class) {
    Home home = home_of(grammar, state);
    const u32* head = pool + home.half->heads + 4 * (state - home.base);
    const u32* links = pool + home.half->links;
    u32 from = head[2];
    u32 end = head[6];
    while (from < end) {
        u32 middle = from + (end - from) / 2;
        u32 found = links[3 * middle];
        if (found == exit_class) return links + 3 * middle;
        if (found < exit_class) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    return 0;
}

// Adds a mask to a row; false where there is no room.
__device__ inline bool add_part(Row* row, u32* parts, u32 mask) {
    if (mask == NONE) return true;
    for (u32 at = 0; at < *parts; at++) {
        if (row->parts[at] == mask) return true;
    }
    if (*parts == ROW_PARTS) return false;
    row->parts[*parts] = mask;
    *parts += 1;
    return true;
}

// Writes what a position allows: the base mask of its state, and down its stack the follow mask of each return state, for as
// long as a token can leave the rule above it. False where there are more masks than a row names.
__device__ inline bool write_row(const u32* pool, const Grammar* grammar, const At* at, const Stack* stack, Row* row) {
    Home home = home_of(grammar, at->state);
    const u32* head = pool + home.half->heads + 4 * (at->state - home.base);
    u32 parts = 0;
    bool fits = add_part(row, &parts, head[0]);
    u32 exit_class = head[1];
    u32 depth = at->depth;
    while (fits && exit_class != NONE && depth > 0) {
        depth -= 1;
        const u32* link = link_of(pool, grammar, stack->ret[depth], exit_class);
        if (!link) break;
        fits = add_part(row, &parts, link[1]);
        exit_class = link[2];
    }
    bool ends = accepting(pool, grammar, at);
    row->ends = grammar->ends;
    row->ends_len = ends ? grammar->ends_len : 0;
    row->kind = fits ? ROW_MASKED | parts : ROW_MASKED | ROW_PENDING;
    return fits;
}

// Reads one token from `from`, and writes the position and the row after it to `to` and `row`; returns the status. A refused
// token leaves the position as it was, and the row is the one of that position. `from` may be `to`.
// One function for the three kernels that advance: it is a fifth of the PTX, and a call is little beside a token.
__device__ __noinline__ u32 take(const u32* pool, const Position* from, u32 token, Position* to, Row* row) {
    const Grammar* grammar = (const Grammar*)(pool + from->grammar);
    At at = {from->state, from->count, from->depth, from->finals, from->rests};
    Stack stack;
    for (u32 frame = 0; frame < at.depth; frame++) {
        stack.ret[frame] = from->ret[frame];
        stack.counts[frame] = from->counts[frame];
    }
    u32 status = from->status & ~STATUS_REFUSED;
    bool edge = grammar->edge_tokens != NONE && token < grammar->text_count &&
                (pool[grammar->edge_tokens + token / 32] >> (token % 32) & 1);
    if (status == 0 && edge) status = STATUS_HOST;
    if (status == 0) {
        Text text = text_of(pool, grammar, token);
        At before = at;
        u32 ran = RUN_READ;
        if (!(text.plain && flags_of(pool, grammar, at.state) & LOOPS)) {
            ran = text.len == 0 ? RUN_REFUSED : run(pool, grammar, text.bytes, text.len, &at, &stack);
        }
        if (ran == RUN_READ) {
            u32 all = below(at.depth);
            if (!(flags_of(pool, grammar, at.state) & RESTS && (at.rests & all) == all)) ran = RUN_REFUSED;
        }
        if (ran == RUN_OPEN) status = STATUS_HOST;
        if (ran == RUN_REFUSED) {
            bool end = has(pool + grammar->ends, grammar->ends_len, token);
            status = end && accepting(pool, grammar, &before) ? STATUS_FINISHED : STATUS_REFUSED;
        }
        if (ran != RUN_READ) {
            // The stack may have been written over, and the position is what it was.
            at = before;
            for (u32 frame = 0; frame < at.depth; frame++) {
                stack.ret[frame] = from->ret[frame];
                stack.counts[frame] = from->counts[frame];
            }
        }
    } else if (status == STATUS_FINISHED) {
        status |= STATUS_REFUSED;
    }
    Row made;
    made.ends = grammar->ends;
    made.ends_len = 0;
    if (status & STATUS_FINISHED) {
        made.ends_len = grammar->ends_len;
        made.kind = ROW_MASKED;
    } else if (status & STATUS_HOST) {
        made.kind = ROW_MASKED | ROW_PENDING;
    } else if (!write_row(pool, grammar, &at, &stack, &made)) {
        status |= STATUS_HOST;
    }
    for (u32 part = 0; part < (made.kind & 0xff); part++) row->parts[part] = made.parts[part];
    row->ends = made.ends;
    row->ends_len = made.ends_len;
    row->kind = made.kind;
    for (u32 frame = 0; frame < at.depth; frame++) {
        to->ret[frame] = stack.ret[frame];
        to->counts[frame] = stack.counts[frame];
    }
    to->grammar = from->grammar;
    to->state = at.state;
    to->count = at.count;
    to->depth = at.depth;
    to->finals = at.finals;
    to->rests = at.rests;
    to->status = status;
    return status;
}

struct AdvanceParams {
    const u32* pool;
    Position* positions;  // `places` for each slot: the newest, and one after each draft
    Row* rows;            // likewise
    u32* status;          // by slot
    u32 places;
    u32 count;            // sequences
    const i32* slots;     // by sequence, its slot, -1 for none; or null: its own number
    const i32* tokens;    // by sequence, its token, -1 for none; `token_stride` apart
    i64 token_stride;
    const i32* accepted;  // by sequence, the number of drafts that were accepted, after which the token comes; or null: none
    u32 drafts;           // grammarc_draft: drafts of each sequence, less than `places`
    i32* allowed;         // grammarc_draft: by sequence, the number of drafts that are allowed; or null
};

// Takes one token in a slot, after as many drafts as were accepted.
__device__ inline void advance_slot(const AdvanceParams& params, u32 slot, i32 token, u32 accepted) {
    u64 base = (u64)slot * params.places;
    Position* to = params.positions + base;
    if (token < 0 || to->grammar == NONE || accepted >= params.places) return;
    const Position* from = to + accepted;
    if (accepted > 0 && from->status & STATUS_REFUSED) {
        // More drafts than are allowed: the position stays, and is lost where the host has to find the one of a draft.
        to->status |= from->status;
        if (to->status & STATUS_HOST) params.rows[base].kind = ROW_MASKED | ROW_PENDING;
        params.status[slot] = to->status;
        return;
    }
    params.status[slot] = take(params.pool, from, token, to, params.rows + base);
}

// Grid: x chunks of 64 sequences. Block: 64.
extern "C" __global__ void grammarc_advance(AdvanceParams params) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= params.count) return;
    i32 slot = params.slots ? params.slots[at] : (i32)at;
    if (slot < 0) return;
    u32 accepted = params.accepted ? params.accepted[at] : 0;
    advance_slot(params, slot, params.tokens[at * params.token_stride], accepted);
}

// Positions and rows after each draft of a sequence, up to the first that is not allowed: from there on its status says so and
// the rows are as that one's. Grid and block as above.
extern "C" __global__ void grammarc_draft(AdvanceParams params) {
    u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= params.count) return;
    i32 slot = params.slots ? params.slots[at] : (i32)at;
    if (slot < 0) return;
    u64 base = (u64)slot * params.places;
    Position* positions = params.positions + base;
    if (positions->grammar == NONE) return;
    u32 allowed = 0;
    for (u32 draft = 0; draft < params.drafts; draft++) {
        i32 token = params.tokens[at * params.token_stride + draft];
        bool open = allowed == draft && !(positions[draft].status & STATUS_HOST);
        Position* from = positions + draft;
        Position* to = from + 1;
        Row* row = params.rows + base + draft;
        if (open && token >= 0) {
            u32 status = take(params.pool, from, token, to, row + 1);
            if (!(status & (STATUS_REFUSED | STATUS_HOST))) allowed += 1;
        } else {
            *(row + 1) = *row;
            to->grammar = from->grammar;
            to->depth = 0;
            to->status = (from->status & STATUS_HOST) | STATUS_REFUSED;
        }
    }
    if (params.allowed) params.allowed[at] = allowed;
}
