// The words that the kernels read and write: one pool of 32-bit words for all tables, and the records of the hosts' slots.
//
// Every table is an array of words in the pool and is named by its first word's number, its offset. Offsets, unlike
// addresses, are the same on every device, fit in 32 bits (a pool has at most 16 GB), and let a pool grow in place.
// ../README.md is the specification; src/layout.rs has the same numbers, and a test holds the two together.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

// The absence of an offset, a state or a class.
#define NONE 0xffffffffu

// Half of a grammar's tables: the vocabulary's shared rules, or its own. Offsets, but for `counted_len`.
struct Half {
    u32 states;       // 3 words a state: bytes lo and hi and flags, the move on lo..=hi, the row of moves
    u32 classes;      // 256 bytes: the class of each byte
    u32 rows;         // moves by byte class
    u32 calls;        // 3 words a call: first state, return state, register
    u32 counted;      // 3 words a counted state, ascending by index: index, count exit, flags
    u32 counted_len;  // number of counted states
    u32 heads;        // 4 words a state: base mask, exit class, first link, flags; one more closes the last
    u32 links;        // 3 words a follow entry, ascending by class for each state: class, mask, next class
};

// One grammar.
struct Grammar {
    u32 first_own;    // id of the first state of `own`; those before it are of `shared`
    u32 start;        // start state
    u32 ends;         // end tokens, ascending
    u32 ends_len;
    u32 edge_tokens;  // words of the set of tokens that token edges carry, or NONE
    u32 texts;        // 2 words a token: see `Text` in advance.cuh
    u32 text_count;   // number of tokens
    u32 long_texts;   // bytes of the tokens of more than 7 bytes
    Half shared;
    Half own;
};

// One mask: (row without minus) with plus. Lists are ascending token ids.
struct Mask {
    u32 row;  // words of a dense row, or NONE
    u32 minus;
    u32 minus_len;
    u32 plus;
    u32 plus_len;
    u32 count;      // number of tokens
    u32 full;       // one bit for each 32 words of the row: all of them are ones; or NONE
    u32 row_words;  // words of a dense row
};

#define ROW_PARTS 13u
#define ROW_MASKED 0x100u   // there is a mask; without it the row of logits is left as it is
#define ROW_PENDING 0x200u  // the host has not said yet what is allowed; the row of logits is left as it is

// What one row of logits allows: the union of some masks, and end tokens. All zero: everything.
struct Row {
    u32 kind;  // number of parts, ROW_MASKED, ROW_PENDING
    u32 ends;
    u32 ends_len;  // 0 where the sequence may not end
    u32 parts[ROW_PARTS];
};

#define FRAMES 32u

#define STATUS_HOST 1u      // the position is the host's to find: see ../README.md
#define STATUS_REFUSED 2u   // a token was not allowed; the position stayed
#define STATUS_FINISHED 4u  // an end token was taken

// One configuration with its stack, the lowest frame first.
struct Position {
    u32 grammar;  // offset of the Grammar, or NONE for a slot without
    u32 state;
    u32 count;  // register of the activation
    u32 depth;  // number of frames
    u32 finals; // bit i: the return state of frame i is final
    u32 rests;  // bit i: whole tokens continue from the return state of frame i
    u32 status;
    u32 unused;
    u32 ret[FRAMES];
    u32 counts[FRAMES];
};

// A row of logits in memory, and which columns it has.
struct Logits {
    u8* at;
    i64 stride;        // elements from one row to the next
    u32 columns;       // elements of a row
    u32 dtype;         // 0: f32, 1: f16, 2: bf16
    u32 first;         // token of column 0, where the vocabulary is split over devices
    u32 rows;
    const i32* map;    // by row, the number of its Row or bitmask row, -1 to leave it as it is; or null: its own number
    const i32* tokens; // by column, its token, for drafting vocabularies; or null
};
