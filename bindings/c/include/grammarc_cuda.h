/*
 * grammarc on CUDA devices: masks are computed and applied where the logits are.
 *
 *     grammarc_cuda -> grammarc_cuda_grammar -> grammarc_cuda_slots: the device advances the sequences
 *                                            -> grammarc_cuda_rows: the host advances the sequences
 *
 * The rules of grammarc.h hold, and these:
 *
 * - Building a program with this header needs nothing of CUDA. The driver is loaded when a device is opened.
 * - A `stream` is a CUstream or cudaStream_t; NULL is the default stream. Functions launch work on the stream, and do not wait.
 * - Device pointers are not checked. The memory must be as long and aligned as the comment says, until the work has ended.
 * - Memory of a freed grammar is reused by later uploads, in the order of their stream.
 * - A stream may be captured during calls that apply, fill, advance, draft and sample, but not during uploads and writes.
 *
 * Made by cbindgen from bindings/c/src: do not edit.
 */

#ifndef GRAMMARC_CUDA_H
#define GRAMMARC_CUDA_H

#include "grammarc.h"

/**
 * Status bit: the device cannot process the token of a slot. The host accepts the token with its matcher, and calls
 * grammarc_cuda_slots_write().
 */
#define GRAMMARC_CUDA_WAITS_FOR_HOST 1

/**
 * Status bit: the token of a slot was refused, and the slot kept its position.
 */
#define GRAMMARC_CUDA_REFUSED 2

/**
 * Status bit: an end token was accepted in a slot.
 */
#define GRAMMARC_CUDA_FINISHED 4

/**
 * An opened device, with loaded kernels and a memory pool for the tables of grammars.
 *
 * Any number of threads may use it at once. Free it once with grammarc_cuda_free(); objects made from it stay valid.
 */
typedef struct grammarc_cuda grammarc_cuda;

/**
 * A grammar on a device, for matchers with one set of end tokens. Any number of threads may use it at once. Free it once
 * with grammarc_cuda_grammar_free().
 */
typedef struct grammarc_cuda_grammar grammarc_cuda_grammar;

/**
 * A table of numbered mask rows, for hosts that advance their own matchers. Any thread may use it, one at a time. Free it
 * once with grammarc_cuda_rows_free().
 */
typedef struct grammarc_cuda_rows grammarc_cuda_rows;

/**
 * Positions of sequences on a device, which advances them. Any thread may use them, one at a time. Free them once with
 * grammarc_cuda_slots_free().
 */
typedef struct grammarc_cuda_slots grammarc_cuda_slots;

/**
 * The settings of a device. Set all bytes to zero, the default of every field, and then `struct_size`.
 */
typedef struct grammarc_cuda_options {
    /**
     * `sizeof(grammarc_cuda_options)`.
     */
    size_t struct_size;
    /**
     * Path of the driver's library. NULL: the library that the system finds by name.
     */
    const char *driver;
    /**
     * Length of `driver` in bytes.
     */
    size_t driver_length;
    /**
     * Maximum size of all tables in bytes, at most 16 GB. Memory is allocated as grammars are uploaded. Default: 4 GiB.
     */
    uint64_t pool_bytes;
    /**
     * Index of the device in the driver's list.
     */
    uint32_t ordinal;
    /**
     * Must be zero.
     */
    uint32_t reserved;
} grammarc_cuda_options;

/**
 * A matrix of logits on the device. Column `c` is token `first_token + c`, or token `column_tokens[c]`. Columns without a
 * token of the vocabulary are forbidden. Zero is the default of every field but `at`, `rows` and `columns`.
 */
typedef struct grammarc_cuda_logits {
    /**
     * `sizeof(grammarc_cuda_logits)`.
     */
    size_t struct_size;
    /**
     * Device address of the first logit, aligned to its type. Rows aligned to 16 bytes are written faster.
     */
    void *at;
    /**
     * Distance between the starts of two rows, in logits. Default: `columns`.
     */
    int64_t stride;
    /**
     * Number of rows.
     */
    uint32_t rows;
    /**
     * Number of logits in a row.
     */
    uint32_t columns;
    /**
     * Type of a logit, one of `grammarc_dtype`.
     */
    uint32_t dtype;
    /**
     * Token of column 0, for a vocabulary that is split over devices.
     */
    uint32_t first_token;
    /**
     * On the device: the mask of each row, or -1 to leave the row unchanged. The called function defines the numbers.
     * NULL: row `i` has number `i`.
     */
    const int32_t *numbers;
    /**
     * On the device: the token of each column, negative for none. NULL: column `c` is token `first_token + c`.
     */
    const int32_t *column_tokens;
} grammarc_cuda_logits;

/**
 * The tokens of sequences on the device.
 */
typedef struct grammarc_cuda_tokens {
    /**
     * `sizeof(grammarc_cuda_tokens)`.
     */
    size_t struct_size;
    /**
     * On the device: the first token of each sequence, or -1 for none.
     */
    const int32_t *tokens;
    /**
     * Distance between the first tokens of two sequences, in tokens. Default: 1.
     */
    int64_t stride;
    /**
     * On the device: the slot of each sequence, or -1 for none. NULL: sequence `i` has slot `i`.
     */
    const int32_t *slots;
    /**
     * Number of sequences.
     */
    uint32_t count;
    /**
     * Must be zero.
     */
    uint32_t reserved;
} grammarc_cuda_tokens;

/**
 * The settings of sampling. All arrays are on the device, with one element for each row of logits.
 */
typedef struct grammarc_cuda_sampling {
    /**
     * `sizeof(grammarc_cuda_sampling)`.
     */
    size_t struct_size;
    /**
     * Output: the sampled token. -1 if no token is allowed, the row is left out, or the slot waits for the host.
     */
    int32_t *tokens;
    /**
     * Temperatures; 0 selects the greatest logit. NULL: 0 for all rows.
     */
    const float *temperatures;
    /**
     * Seeds. NULL: 0 for all rows.
     */
    const uint64_t *seeds;
    /**
     * Numbers that occur once for each seed, such as the index of the token. NULL: 0 for all rows.
     */
    const uint64_t *steps;
    /**
     * The slots to advance, -1 for none. NULL: row `i` has slot `i`. Read only with `advances`.
     */
    const int32_t *slots;
    /**
     * Whether the slots are advanced by their tokens, zero or nonzero.
     */
    uint32_t advances;
    /**
     * Must be zero.
     */
    uint32_t reserved;
} grammarc_cuda_sampling;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a device in its primary context, which PyTorch and all programs on the CUDA runtime use as well. `options` may be
 * NULL.
 *
 * GRAMMARC_IO if there is no driver, or if the driver or the device is too old; the message names the missing part. Takes
 * some tens of milliseconds.
 */
grammarc_status grammarc_cuda_open(const struct grammarc_cuda_options *options,
                                   struct grammarc_cuda **out,
                                   grammarc_error **error);

/**
 * Writes the bytes of device memory in use by tables, and the bytes allocated by the pool. `used` and `held` may be NULL.
 * Both are 0 for NULL.
 */
void grammarc_cuda_usage(const struct grammarc_cuda *device,
                         uint64_t *used,
                         uint64_t *held);

/**
 * Uploads the tables of a matcher's grammar to the device, and of its vocabulary unless they are there already.
 *
 * The matcher determines the end tokens, and does not move. The copy runs on `stream`, a `CUstream` or `cudaStream_t`;
 * NULL is the default stream.
 */
grammarc_status grammarc_cuda_upload(const struct grammarc_cuda *device,
                                     grammarc_matcher *matcher,
                                     void *stream,
                                     struct grammarc_cuda_grammar **out,
                                     grammarc_error **error);

/**
 * Makes `slots` slots, each for one sequence and up to `drafts` draft tokens.
 *
 * A slot has `drafts + 1` positions. Position `slot * (drafts + 1) + j` is the sequence after `j` draft tokens. The memory
 * of slots never moves, so a captured graph may refer to them.
 */
grammarc_status grammarc_cuda_slots_new(const struct grammarc_cuda *device,
                                        uint32_t slots,
                                        uint32_t drafts,
                                        void *stream,
                                        struct grammarc_cuda_slots **out,
                                        grammarc_error **error);

/**
 * Writes the position of a matcher to a slot: at the start of a sequence, after a rollback, and after
 * GRAMMARC_CUDA_WAITS_FOR_HOST. GRAMMARC_MISMATCH if the matcher has another grammar or other end tokens than `grammar`.
 */
grammarc_status grammarc_cuda_slots_write(struct grammarc_cuda_slots *slots,
                                          uint32_t slot,
                                          const struct grammarc_cuda_grammar *grammar,
                                          grammarc_matcher *matcher,
                                          void *stream,
                                          grammarc_error **error);

/**
 * Releases a slot. From then on its rows allow every token, and tokens do not advance it.
 */
grammarc_status grammarc_cuda_slots_release(struct grammarc_cuda_slots *slots,
                                            uint32_t slot,
                                            void *stream,
                                            grammarc_error **error);

/**
 * Sets the logits of forbidden tokens to negative infinity. The `numbers` of the logits are positions.
 */
grammarc_status grammarc_cuda_slots_apply(struct grammarc_cuda_slots *slots,
                                          const struct grammarc_cuda_logits *logits,
                                          void *stream,
                                          grammarc_error **error);

/**
 * Writes masks to `rows` rows of a bitmask on the device, for hosts with their own kernels.
 *
 * Each row has `words` words, and begins `stride` words after the previous row. `numbers`, on the device, has the position
 * of each row, or -1 to leave the row unchanged. NULL: row `i` is position `i`.
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
 * Advances each sequence's slot by one token. `accepted`, on the device, has the number of accepted draft tokens before
 * the token, by sequence. NULL: none.
 */
grammarc_status grammarc_cuda_slots_advance(struct grammarc_cuda_slots *slots,
                                            const struct grammarc_cuda_tokens *tokens,
                                            const int32_t *accepted,
                                            void *stream,
                                            grammarc_error **error);

/**
 * Computes the positions after each of `drafts` draft tokens, up to the first refused one. Later rows repeat the last row.
 *
 * `allowed`, on the device, receives the number of leading allowed draft tokens, by sequence. NULL: not written.
 * GRAMMARC_ARGUMENT if `drafts` exceeds the drafts of the slots.
 */
grammarc_status grammarc_cuda_slots_draft(struct grammarc_cuda_slots *slots,
                                          const struct grammarc_cuda_tokens *tokens,
                                          uint32_t drafts,
                                          int32_t *allowed,
                                          void *stream,
                                          grammarc_error **error);

/**
 * Samples an allowed token for each row of logits. With `sampling->advances`, the row's slot is advanced by the token.
 * GRAMMARC_ARGUMENT if there are more rows than positions.
 */
grammarc_status grammarc_cuda_slots_sample(struct grammarc_cuda_slots *slots,
                                           const struct grammarc_cuda_logits *logits,
                                           const struct grammarc_cuda_sampling *sampling,
                                           void *stream,
                                           grammarc_error **error);

/**
 * Returns the device address of the slots' statuses, one word for each slot, for the host to copy together with its tokens.
 *
 * A status is 0, or a bitwise or of GRAMMARC_CUDA_WAITS_FOR_HOST, GRAMMARC_CUDA_REFUSED and GRAMMARC_CUDA_FINISHED. NULL
 * for NULL, and while another thread uses the slots.
 */
const uint32_t *grammarc_cuda_slots_status(const struct grammarc_cuda_slots *slots);

/**
 * Makes a table of `rows` mask rows, for a host that advances its own matchers. For each row of logits the host sends a
 * number. Each row of the table, 64 bytes, is sent once for all its uses.
 */
grammarc_status grammarc_cuda_rows_new(const struct grammarc_cuda *device,
                                       uint32_t rows,
                                       void *stream,
                                       struct grammarc_cuda_rows **out,
                                       grammarc_error **error);

/**
 * Begins a step. From then on, rows of earlier steps may be replaced, unless they are requested again.
 */
grammarc_status grammarc_cuda_rows_begin(struct grammarc_cuda_rows *rows);

/**
 * Writes the number of the row with a matcher's mask to `*number`, for the `numbers` of logits. GRAMMARC_LIMIT if all rows
 * are in use in this step.
 */
grammarc_status grammarc_cuda_rows_number(struct grammarc_cuda_rows *rows,
                                          const struct grammarc_cuda_grammar *grammar,
                                          grammarc_matcher *matcher,
                                          void *stream,
                                          int32_t *number,
                                          grammarc_error **error);

/**
 * Copies new rows to the device. Call it before the kernels that refer to the rows.
 */
grammarc_status grammarc_cuda_rows_flush(struct grammarc_cuda_rows *rows,
                                         void *stream,
                                         grammarc_error **error);

/**
 * Sets the logits of forbidden tokens to negative infinity. The `numbers` of the logits come from
 * grammarc_cuda_rows_number().
 */
grammarc_status grammarc_cuda_rows_apply(struct grammarc_cuda_rows *rows,
                                         const struct grammarc_cuda_logits *logits,
                                         void *stream,
                                         grammarc_error **error);

/**
 * Applies a bitmask on the device, whose rows are computed by the host.
 *
 * Each row has `words` words for `tokens` tokens, and begins `stride` words after the previous row. Tokens beyond `tokens`
 * are forbidden. The `numbers` of the logits are rows of the bitmask. GRAMMARC_BUFFER if a row is too short for the
 * tokens.
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
 * Frees a grammar on a device. Slots with the grammar keep its tables alive. NULL is allowed.
 */
void grammarc_cuda_grammar_free(struct grammarc_cuda_grammar *grammar);

/**
 * Frees slots. Waits for the kernels that use them. NULL is allowed.
 */
void grammarc_cuda_slots_free(struct grammarc_cuda_slots *slots);

/**
 * Frees a table of rows. Waits for the kernels that use it. NULL is allowed.
 */
void grammarc_cuda_rows_free(struct grammarc_cuda_rows *rows);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GRAMMARC_CUDA_H */
