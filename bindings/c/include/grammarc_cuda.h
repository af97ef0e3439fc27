/*
 * grammarc on CUDA devices: masks that are already where the logits are.
 *
 *     grammarc_cuda -> grammarc_cuda_grammar -> grammarc_cuda_slots, which the device advances
 *                                            -> grammarc_cuda_rows, for hosts that advance themselves
 *
 * The rules of grammarc.h hold. Besides:
 *
 * - Nothing of CUDA is needed to build a program with this header, and the driver is found when a device is opened.
 * - Streams are CUstream or cudaStream_t; NULL is the default one. Work is launched on them and not waited for.
 * - Pointers to memory of the device are the caller's word: as long and aligned as is said, until the work has ended.
 * - Space of a grammar that was freed is used again by later uploads, in the order of their stream.
 * - Functions that launch kernels may be called while a stream is captured: those that apply, fill, advance, draft and sample. Those
 *   that upload and write may not.
 *
 * Made by cbindgen from bindings/c/src: do not edit.
 */

#ifndef GRAMMARC_CUDA_H
#define GRAMMARC_CUDA_H

#include "grammarc.h"

/**
 * The device does not decide the token of a slot: the host takes it, and calls grammarc_cuda_slots_write().
 */
#define GRAMMARC_CUDA_WAITS_FOR_HOST 1

/**
 * The token of a slot was not allowed, and the position stayed.
 */
#define GRAMMARC_CUDA_REFUSED 2

/**
 * An end token was taken in a slot.
 */
#define GRAMMARC_CUDA_FINISHED 4

/**
 * A device, opened: its kernels loaded, and a pool for the tables of grammars.
 *
 * Any number of threads may use it at once. grammarc_cuda_free(), once; what was made of it lives on.
 */
typedef struct grammarc_cuda grammarc_cuda;

/**
 * A grammar on a device, with the end tokens of its matchers. Any number of threads may use it at once.
 */
typedef struct grammarc_cuda_grammar grammarc_cuda_grammar;

/**
 * Rows by number, for hosts that advance themselves. Of one thread at a time, as a matcher.
 */
typedef struct grammarc_cuda_rows grammarc_cuda_rows;

/**
 * Sequences on a device. Of one thread at a time, as a matcher.
 */
typedef struct grammarc_cuda_slots grammarc_cuda_slots;

/**
 * How a device is opened. Zero is the default of every field: set all bytes to zero and then `struct_size`.
 */
typedef struct grammarc_cuda_options {
    /**
     * `sizeof(grammarc_cuda_options)`.
     */
    size_t struct_size;
    /**
     * Path of the driver's library. NULL: where the system finds it by name.
     */
    const char *driver;
    /**
     * Length of the path.
     */
    size_t driver_length;
    /**
     * Bytes that tables may take, at most 16 GB; memory is taken as grammars come. Default: 4 GiB.
     */
    uint64_t pool_bytes;
    /**
     * Which device, as the driver counts them.
     */
    uint32_t ordinal;
    /**
     * Zero.
     */
    uint32_t reserved;
} grammarc_cuda_options;

/**
 * A matrix of logits on the device. Column c is token `first_token` + c, or token `column_tokens[c]`; a column whose token is none
 * of the vocabulary's is not allowed. Zero is the default of every field but `at`, `rows` and `columns`.
 */
typedef struct grammarc_cuda_logits {
    /**
     * `sizeof(grammarc_cuda_logits)`.
     */
    size_t struct_size;
    /**
     * The first logit, aligned for its type. Rows that are aligned to 16 bytes are written faster.
     */
    void *at;
    /**
     * Logits from one row to the next. Default: `columns`.
     */
    int64_t stride;
    /**
     * Rows.
     */
    uint32_t rows;
    /**
     * Logits of a row.
     */
    uint32_t columns;
    /**
     * One of `grammarc_dtype`.
     */
    uint32_t dtype;
    /**
     * Token of column 0, where the vocabulary is split over devices.
     */
    uint32_t first_token;
    /**
     * On the device, by row: the place or the number that the row belongs to, or -1 to leave it as it is. NULL: its own number.
     */
    const int32_t *numbers;
    /**
     * On the device, by column: its token, or a negative number for none. NULL: `first_token` + the column.
     */
    const int32_t *column_tokens;
} grammarc_cuda_logits;

/**
 * Tokens of sequences on the device.
 */
typedef struct grammarc_cuda_tokens {
    /**
     * `sizeof(grammarc_cuda_tokens)`.
     */
    size_t struct_size;
    /**
     * On the device, by sequence: its first token, or -1 for none.
     */
    const int32_t *tokens;
    /**
     * Tokens from one sequence to the next. Default: 1.
     */
    int64_t stride;
    /**
     * On the device, by sequence: its slot, or -1 for none. NULL: its own number.
     */
    const int32_t *slots;
    /**
     * Sequences.
     */
    uint32_t count;
    /**
     * Zero.
     */
    uint32_t reserved;
} grammarc_cuda_tokens;

/**
 * How tokens are sampled, by row of logits, on the device.
 */
typedef struct grammarc_cuda_sampling {
    /**
     * `sizeof(grammarc_cuda_sampling)`.
     */
    size_t struct_size;
    /**
     * Written: the token, or -1 where none is allowed, or the row is left out or waits for the host.
     */
    int32_t *tokens;
    /**
     * 0 for the greatest logit. NULL: 0 for all.
     */
    const float *temperatures;
    /**
     * Seeds. NULL: 0 for all.
     */
    const uint64_t *seeds;
    /**
     * A number that a seed is used with once, such as the number of the token. NULL: 0 for all.
     */
    const uint64_t *steps;
    /**
     * The slot in which the token is taken at once, or -1 for none. NULL: its own number. Without `advances`, not read.
     */
    const int32_t *slots;
    /**
     * Not zero: tokens are taken in their slots.
     */
    uint32_t advances;
    /**
     * Zero.
     */
    uint32_t reserved;
} grammarc_cuda_sampling;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a device in its primary context, the one that PyTorch and all others on the runtime interface use. GRAMMARC_IO where there
 * is no driver, or the driver or the device is too old: the message says what is missing. Some tens of milliseconds.
 */
grammarc_status grammarc_cuda_open(const struct grammarc_cuda_options *options,
                                   struct grammarc_cuda **out,
                                   grammarc_error **error);

/**
 * Bytes that tables take on the device, and bytes of its memory that the pool holds. Each place may be NULL.
 */
void grammarc_cuda_usage(const struct grammarc_cuda *device, uint64_t *used, uint64_t *held);

/**
 * Copies a grammar's tables to the device, and those of its vocabulary where they are not there. The end tokens are those of the
 * matcher, which does not move. The copy is on the stream, a `CUstream` or `cudaStream_t`; NULL is the default one.
 */
grammarc_status grammarc_cuda_upload(const struct grammarc_cuda *device,
                                     grammarc_matcher *matcher,
                                     void *stream,
                                     struct grammarc_cuda_grammar **out,
                                     grammarc_error **error);

/**
 * Places for some sequences, and for `drafts` draft tokens after each: place `slot * (drafts + 1) + j` is where a sequence is after j
 * of them. Slots are fixed: a captured graph may hold them.
 */
grammarc_status grammarc_cuda_slots_new(const struct grammarc_cuda *device,
                                        uint32_t slots,
                                        uint32_t drafts,
                                        void *stream,
                                        struct grammarc_cuda_slots **out,
                                        grammarc_error **error);

/**
 * Writes where a sequence is: at its beginning, after a rollback, or where the device waits for the host. GRAMMARC_MISMATCH where the
 * matcher follows another grammar, or ends with other tokens than the grammar was uploaded with.
 */
grammarc_status grammarc_cuda_slots_write(struct grammarc_cuda_slots *slots,
                                          uint32_t slot,
                                          const struct grammarc_cuda_grammar *grammar,
                                          grammarc_matcher *matcher,
                                          void *stream,
                                          grammarc_error **error);

/**
 * Lets a slot go: its rows allow everything from here on, and nothing advances it.
 */
grammarc_status grammarc_cuda_slots_release(struct grammarc_cuda_slots *slots,
                                            uint32_t slot,
                                            void *stream,
                                            grammarc_error **error);

/**
 * Writes negative infinity over the logits that are not allowed, and leaves the others as they are. The numbers of rows are places.
 */
grammarc_status grammarc_cuda_slots_apply(struct grammarc_cuda_slots *slots,
                                          const struct grammarc_cuda_logits *logits,
                                          void *stream,
                                          grammarc_error **error);

/**
 * Writes masks as `rows` rows of a bitmask on the device, of `words` words each and `stride` words apart, for hosts that apply it
 * themselves. `numbers` are places by row, as those of logits, or NULL.
 */
grammarc_status grammarc_cuda_slots_fill(struct grammarc_cuda_slots *slots,
                                         uint32_t *bitmask,
                                         uint32_t words,
                                         int64_t stride,
                                         uint32_t rows,
                                         const int32_t *numbers,
                                         void *stream,
                                         grammarc_error **error);

/**
 * Takes a token in each sequence's slot. `accepted`, on the device and by sequence, is the number of its drafts after which its token
 * comes; NULL: none.
 */
grammarc_status grammarc_cuda_slots_advance(struct grammarc_cuda_slots *slots,
                                            const struct grammarc_cuda_tokens *tokens,
                                            const int32_t *accepted,
                                            void *stream,
                                            grammarc_error **error);

/**
 * Makes the places after each of `drafts` draft tokens, up to the first that is not allowed: from there on rows are as that one's.
 * `allowed`, on the device and by sequence, receives how many are allowed; NULL where nobody asks.
 */
grammarc_status grammarc_cuda_slots_draft(struct grammarc_cuda_slots *slots,
                                          const struct grammarc_cuda_tokens *tokens,
                                          uint32_t drafts,
                                          int32_t *allowed,
                                          void *stream,
                                          grammarc_error **error);

/**
 * Samples an allowed token in each row of logits, and takes it in the row's slot where that is asked for. At most as many rows as there
 * are places.
 */
grammarc_status grammarc_cuda_slots_sample(struct grammarc_cuda_slots *slots,
                                           const struct grammarc_cuda_logits *logits,
                                           const struct grammarc_cuda_sampling *sampling,
                                           void *stream,
                                           grammarc_error **error);

/**
 * The address of the slots' statuses on the device: a word each, of GRAMMARC_CUDA_WAITS_FOR_HOST, GRAMMARC_CUDA_REFUSED and
 * GRAMMARC_CUDA_FINISHED, or 0. A host copies them with its tokens. NULL for NULL, and while another thread uses the slots.
 */
const uint32_t *grammarc_cuda_slots_status(const struct grammarc_cuda_slots *slots);

/**
 * A table of rows for a host that advances itself: it sends a number for each row of logits, and a row of 64 bytes once for many of
 * them.
 */
grammarc_status grammarc_cuda_rows_new(const struct grammarc_cuda *device,
                                       uint32_t rows,
                                       void *stream,
                                       struct grammarc_cuda_rows **out,
                                       grammarc_error **error);

/**
 * Begins a step: rows of earlier steps that are not asked for in it may be given up.
 */
grammarc_status grammarc_cuda_rows_begin(struct grammarc_cuda_rows *rows);

/**
 * The number of the row that a matcher allows, for the numbers of logits. GRAMMARC_LIMIT where all rows are in use in this step.
 */
grammarc_status grammarc_cuda_rows_number(struct grammarc_cuda_rows *rows,
                                          const struct grammarc_cuda_grammar *grammar,
                                          grammarc_matcher *matcher,
                                          void *stream,
                                          int32_t *number,
                                          grammarc_error **error);

/**
 * Copies the rows that are new to the device: before the work that names them.
 */
grammarc_status grammarc_cuda_rows_flush(struct grammarc_cuda_rows *rows,
                                         void *stream,
                                         grammarc_error **error);

/**
 * As grammarc_cuda_slots_apply(); the numbers of rows are those of grammarc_cuda_rows_number().
 */
grammarc_status grammarc_cuda_rows_apply(struct grammarc_cuda_rows *rows,
                                         const struct grammarc_cuda_logits *logits,
                                         void *stream,
                                         grammarc_error **error);

/**
 * Applies a host's bitmask on the device: rows of `words` words, `stride` words apart, that speak of `tokens` tokens; the others are not
 * allowed. The numbers of rows of logits are rows of the bitmask. GRAMMARC_BUFFER where a row is too short for the tokens.
 */
grammarc_status grammarc_cuda_apply_bitmask(const struct grammarc_cuda *device,
                                            const uint32_t *bitmask,
                                            uint32_t words,
                                            int64_t stride,
                                            uint32_t tokens,
                                            const struct grammarc_cuda_logits *logits,
                                            void *stream,
                                            grammarc_error **error);

/**
 * Frees a device. NULL is allowed.
 */
void grammarc_cuda_free(struct grammarc_cuda *device);

/**
 * Frees a grammar of a device; slots that follow it keep its tables. NULL is allowed.
 */
void grammarc_cuda_grammar_free(struct grammarc_cuda_grammar *grammar);

/**
 * Frees slots, which waits for the work that uses them. NULL is allowed.
 */
void grammarc_cuda_slots_free(struct grammarc_cuda_slots *slots);

/**
 * Frees a table of rows, which waits for the work that uses them. NULL is allowed.
 */
void grammarc_cuda_rows_free(struct grammarc_cuda_rows *rows);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GRAMMARC_CUDA_H */
