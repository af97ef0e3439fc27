/*
 * grammarc: grammars compiled to token masks.
 *
 *     grammarc_vocabulary -> grammarc_compiler -> grammarc_grammar -> grammarc_matcher, grammarc_splitter
 *
 * Rules that hold for every function:
 *
 * - Threads. What a type says: vocabularies, compilers, grammars and cancel flags may be used by any number of threads at
 *   once; a matcher, a splitter or an error by one at a time, which need not always be the same.
 * - Ownership. A handle is given back to the _free function of its type and to nothing else; memory of this library is never
 *   for free(). What a call reads is copied or done with when it returns: nothing of the caller's is kept. Handles are counted
 *   where there is a _retain function, and hold what they need, so the order in which they are freed does not matter.
 * - Texts and arrays are a pointer and a length. Texts need no NUL at their end, and a NUL within one is a byte like any other.
 *   A pointer may be NULL where the length is 0. Texts are UTF-8; paths are what the system has.
 * - NULL where a handle is expected is refused (GRAMMARC_ARGUMENT), or answered as the function says.
 * - Outputs may be NULL where the caller does not want to know, but for the place of a handle.
 * - Errors. Every call that can fail returns a grammarc_status. Those that have the parameter `error` say more there. Nothing
 *   is kept by thread.
 * - A defect of this library is caught at its border and answered with GRAMMARC_INTERNAL. Memory that runs out ends the
 *   process.
 * - Nothing is printed, no variable of the environment is read, no signal is touched. A process that is forked may go on with
 *   what it has.
 * - Structs of options begin with their size, so that they can grow: set all bytes to zero and `struct_size` to their size.
 *   What a caller of an older version does not have is zero, and zero is the default of every field.
 *
 * The library stays loaded once it is loaded. Unless something else is said, calls take time in proportion to what they read
 * and write.
 *
 * Made by cbindgen from bindings/c/src: do not edit.
 */

#ifndef GRAMMARC_H
#define GRAMMARC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Number of this interface. A program that was compiled with another number must not use the library: compare it with
 * grammarc_abi_version().
 */
#define GRAMMARC_ABI_VERSION 1

/**
 * Read a file into memory instead of mapping it. A file that is cut short while it is mapped ends the process; so use this
 * for files that others may write in place, on network shares for example.
 */
#define GRAMMARC_NO_MMAP 1

/**
 * Keep no grammars in memory: for hosts that keep them themselves.
 */
#define GRAMMARC_NO_MEMORY_CACHE 1

/**
 * Give a grammar as soon as its automata are there, while a thread computes its masks: see grammarc_grammar_wait(). Until then a
 * mask is found when it is asked for, with the same bits, in microseconds to some tens of milliseconds.
 */
#define GRAMMARC_EARLY 2

/**
 * Write the vocabulary into the file, so that it can be opened without one.
 */
#define GRAMMARC_STANDALONE 1

/**
 * The call of a piece that is in none.
 */
#define GRAMMARC_NO_CALL UINT32_MAX

/**
 * The result of a call. Negative numbers are failures; the others say what happened.
 *
 * A call that fails changes nothing: a matcher is where it was, outputs are not written (but for handles, which are set to
 * NULL, and errors).
 */
enum grammarc_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Done.
     */
    GRAMMARC_OK = 0,
    /**
     * The grammar does not allow the token or text. The matcher did not move.
     */
    GRAMMARC_REFUSED = 1,
    /**
     * The sequence has ended, and nothing may follow. The matcher did not move.
     */
    GRAMMARC_FINISHED = 2,
    /**
     * An argument makes no sense: NULL where that is not allowed, an unknown number, more to take back than there is, a
     * matcher or splitter that another thread is using, a matcher that is listed twice.
     */
    GRAMMARC_ARGUMENT = -1,
    /**
     * The source has errors. The diagnostics of the error say which and where.
     */
    GRAMMARC_SOURCE = -2,
    /**
     * A limit on size was met.
     */
    GRAMMARC_LIMIT = -3,
    /**
     * The time was up. Nothing was remembered: the same request may succeed with more.
     */
    GRAMMARC_TIMEOUT = -4,
    /**
     * The compilation was cancelled.
     */
    GRAMMARC_CANCELLED = -5,
    /**
     * A file was not read or written.
     */
    GRAMMARC_IO = -6,
    /**
     * A file or a text is not what it should be: damaged, cut short, of another format or version.
     */
    GRAMMARC_FORMAT = -7,
    /**
     * An artifact or a position belongs to another vocabulary or grammar.
     */
    GRAMMARC_MISMATCH = -8,
    /**
     * A buffer is too small, or a row does not have the logit width.
     */
    GRAMMARC_BUFFER = -9,
    /**
     * A defect of this library was caught. The matcher or splitter that it happened to answers every call but those that reset
     * and free it with this status.
     */
    GRAMMARC_INTERNAL = -10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_status grammarc_status;
#else
typedef int32_t grammarc_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kind of a token.
 */
enum grammarc_token_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Text: its bytes are what it adds to the output.
     */
    GRAMMARC_TOKEN_TEXT = 0,
    /**
     * A control token: its bytes are its name, and it is allowed by its id alone.
     */
    GRAMMARC_TOKEN_SPECIAL = 1,
    /**
     * An id that no mask allows.
     */
    GRAMMARC_TOKEN_UNUSED = 2,
    /**
     * In lists of tokens: a token that was added to the tokenizer and is not flagged special. It is text, unless its name is
     * that of a control marker, such as `<think>` or `[INST]`.
     */
    GRAMMARC_TOKEN_ADDED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_token_kind grammarc_token_kind;
#else
typedef uint8_t grammarc_token_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Formats of tokenizers.
 */
enum grammarc_tokenizer_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Told by the first bytes.
     */
    GRAMMARC_FORMAT_DETECT = 0,
    /**
     * `tokenizer.json` of Hugging Face's tokenizers.
     */
    GRAMMARC_FORMAT_TOKENIZER_JSON = 1,
    /**
     * Ranks of tiktoken: lines of base64 and rank. The special tokens are those of the options.
     */
    GRAMMARC_FORMAT_TIKTOKEN = 2,
    /**
     * A GGUF model, of which everything before the tensors is enough.
     */
    GRAMMARC_FORMAT_GGUF = 3,
    /**
     * A SentencePiece model, `tokenizer.model`.
     */
    GRAMMARC_FORMAT_SENTENCEPIECE = 4,
    /**
     * `tekken.json` of mistral-common.
     */
    GRAMMARC_FORMAT_TEKKEN = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_tokenizer_format grammarc_tokenizer_format;
#else
typedef uint32_t grammarc_tokenizer_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Files that stand beside a tokenizer in a model's folder.
 */
enum grammarc_companion
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * `tokenizer_config.json`.
     */
    GRAMMARC_TOKENIZER_CONFIG = 0,
    /**
     * `added_tokens.json`.
     */
    GRAMMARC_ADDED_TOKENS = 1,
    /**
     * `generation_config.json`.
     */
    GRAMMARC_GENERATION_CONFIG = 2,
    /**
     * `config.json`.
     */
    GRAMMARC_MODEL_CONFIG = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_companion grammarc_companion;
#else
typedef uint32_t grammarc_companion;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Languages of sources.
 */
enum grammarc_language
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * JSON Schema, drafts 4 to 2020-12.
     */
    GRAMMARC_JSON_SCHEMA = 0,
    /**
     * GBNF, the notation of llama.cpp.
     */
    GRAMMARC_GBNF = 1,
    /**
     * A regular expression that the whole text matches.
     */
    GRAMMARC_REGEX = 2,
    /**
     * A JSON array of texts, of which the output is one.
     */
    GRAMMARC_CHOICE = 3,
    /**
     * A structural tag: free text in which tags lead to schemas, grammars and patterns.
     */
    GRAMMARC_STRUCTURAL_TAG = 4,
    /**
     * XGrammar's EBNF.
     */
    GRAMMARC_EBNF = 5,
    /**
     * Lark, as llguidance and XGrammar have it.
     */
    GRAMMARC_LARK = 6,
    /**
     * A JSON object with a text, of which the output is a part.
     */
    GRAMMARC_SUBSTRING = 7,
    /**
     * Declarations of types in TypeScript, of the JSON texts of their values.
     */
    GRAMMARC_TYPESCRIPT = 8,
    /**
     * The name of a built-in grammar: json, json-object, json-array, jsonl, csv or xml.
     */
    GRAMMARC_BUILTIN = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_language grammarc_language;
#else
typedef uint32_t grammarc_language;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Types of logits.
 */
enum grammarc_dtype
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * `float`.
     */
    GRAMMARC_F32 = 0,
    /**
     * IEEE 754 binary16.
     */
    GRAMMARC_F16 = 1,
    /**
     * The upper half of a `float`.
     */
    GRAMMARC_BF16 = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_dtype grammarc_dtype;
#else
typedef uint32_t grammarc_dtype;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The treatment of the rows of a mask that no matcher is listed for.
 */
enum grammarc_unlisted
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * They stay as they are.
     */
    GRAMMARC_KEEP = 0,
    /**
     * They allow every token: all bits become one.
     */
    GRAMMARC_ALLOW_ALL = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_unlisted grammarc_unlisted;
#else
typedef uint32_t grammarc_unlisted;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kind of a piece of an output.
 */
enum grammarc_piece_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Beginnings and ends of tags, separators, constant texts; everything, where the source has no parts to tell apart.
     */
    GRAMMARC_PIECE_MARKUP = 0,
    /**
     * Free text.
     */
    GRAMMARC_PIECE_TEXT = 1,
    /**
     * Free text that is the model's reasoning.
     */
    GRAMMARC_PIECE_REASONING = 2,
    /**
     * A JSON value.
     */
    GRAMMARC_PIECE_JSON = 3,
    /**
     * A value written as tags.
     */
    GRAMMARC_PIECE_XML = 4,
    /**
     * A text of an inner grammar.
     */
    GRAMMARC_PIECE_GRAMMAR = 5,
    /**
     * A text that a pattern matches.
     */
    GRAMMARC_PIECE_PATTERN = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_piece_kind grammarc_piece_kind;
#else
typedef uint32_t grammarc_piece_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A flag that ends compilations.
 *
 * Any number of threads may use it at once. Counted: grammarc_cancel_retain() and grammarc_cancel_free().
 */
typedef struct grammarc_cancel_flag grammarc_cancel_flag;

/**
 * A compiler for one vocabulary, with a cache of what it has compiled.
 *
 * Any number of threads may use it at once; those that ask for the same at once have it compiled once. Keep one for each
 * vocabulary. Counted: grammarc_compiler_retain() and grammarc_compiler_free(). Its threads are its own; a process that
 * is forked may go on using it.
 */
typedef struct grammarc_compiler grammarc_compiler;

/**
 * Why a call failed. Owned by who receives it; of one thread at a time.
 *
 * If a function has the parameter `error`, it may be NULL. Otherwise `*error` need not hold anything before the call;
 * after it, it is NULL if the call did not fail, and else an error that grammarc_error_free() takes back.
 */
typedef struct grammarc_error grammarc_error;

/**
 * A compiled grammar with all its token masks.
 *
 * Immutable: any number of threads may use it at once. Counted: grammarc_grammar_retain() and grammarc_grammar_free().
 * Matchers hold their own, and it holds its vocabulary.
 */
typedef struct grammarc_grammar grammarc_grammar;

/**
 * One sequence under one grammar: which tokens may come next, and what was accepted so far.
 *
 * Of one thread at a time; it may move between threads. A call while another thread is in one with the same matcher returns
 * GRAMMARC_ARGUMENT. Not counted: grammarc_matcher_free(), once, when no thread uses it.
 */
typedef struct grammarc_matcher grammarc_matcher;

/**
 * Splits one output of a grammar as it comes: reasoning, text, calls of tools with their names and arguments.
 *
 * A piece is handed out once it is certain. The bytes of all pieces in a row are the output, and how it was cut into tokens
 * changes nothing but where pieces of one part end. Of one thread at a time; it may move between threads. A call while another
 * thread is in one with the same splitter returns GRAMMARC_ARGUMENT. Not counted: grammarc_splitter_free(), once, when no
 * thread uses it.
 */
typedef struct grammarc_splitter grammarc_splitter;

/**
 * The tokens of one tokenizer, and the masks that all its grammars share.
 *
 * Immutable: any number of threads may use it at once. Counted: who gets one from a function that makes it, or from
 * grammarc_vocabulary_retain(), calls grammarc_vocabulary_free() once. Compilers and grammars hold their own.
 */
typedef struct grammarc_vocabulary grammarc_vocabulary;

/**
 * A text by pointer and length. It needs no NUL at its end and may have some in it.
 */
typedef struct grammarc_text {
    /**
     * Its first byte. May be NULL where the length is 0.
     */
    const char *data;
    /**
     * Its bytes.
     */
    size_t length;
} grammarc_text;

/**
 * A special token by name and id.
 */
typedef struct grammarc_special_token {
    /**
     * Its name.
     */
    struct grammarc_text name;
    /**
     * Its id.
     */
    uint32_t id;
} grammarc_special_token;

/**
 * The content of a file beside a tokenizer.
 */
typedef struct grammarc_companion_text {
    /**
     * Which: one of `grammarc_companion`.
     */
    uint32_t companion;
    /**
     * Its JSON.
     */
    struct grammarc_text json;
} grammarc_companion_text;

/**
 * Facts that a host knows of a vocabulary beyond its files. Zero is the default of every field: set all bytes to zero
 * and then `struct_size`.
 */
typedef struct grammarc_vocabulary_options {
    /**
     * `sizeof(grammarc_vocabulary_options)`.
     */
    size_t struct_size;
    /**
     * Length of the model's logit row. Default: what the files say, else the number of tokens.
     */
    uint32_t logit_width;
    /**
     * Zero.
     */
    uint32_t reserved;
    /**
     * The name by which people know it. Default: that of the file.
     */
    struct grammarc_text name;
    /**
     * Ids that end a sequence, in place of those that the files name. Matchers can be given others. NULL: those of the files.
     */
    const uint32_t *end_tokens;
    /**
     * Number of these.
     */
    size_t end_token_count;
    /**
     * Ids that are text although they look special.
     */
    const uint32_t *text_ids;
    /**
     * Number of these.
     */
    size_t text_id_count;
    /**
     * Ids that are special although they look like text.
     */
    const uint32_t *special_ids;
    /**
     * Number of these.
     */
    size_t special_id_count;
    /**
     * Ids that no mask may allow.
     */
    const uint32_t *unused_ids;
    /**
     * Number of these.
     */
    size_t unused_id_count;
    /**
     * More special tokens, where the tokenizer's file lists none.
     */
    const struct grammarc_special_token *special_tokens;
    /**
     * Number of these.
     */
    size_t special_token_count;
    /**
     * The texts of files that stand beside the tokenizer.
     */
    const struct grammarc_companion_text *companions;
    /**
     * Number of these.
     */
    size_t companion_count;
} grammarc_vocabulary_options;

/**
 * The limits of one compilation. Zero is the default of every field: set all bytes to zero and then `struct_size`.
 */
typedef struct grammarc_limits {
    /**
     * `sizeof(grammarc_limits)`.
     */
    size_t struct_size;
    /**
     * Wall time in milliseconds. Default: no limit.
     */
    uint64_t timeout_ms;
    /**
     * Bytes of tables and automata. Default: 1 GiB.
     */
    size_t memory;
    /**
     * States of the grammar.
     */
    size_t states;
    /**
     * Rules of the grammar.
     */
    size_t rules;
    /**
     * Pairs of a return state and an exit class.
     */
    size_t pairs;
} grammarc_limits;

/**
 * The settings of a compiler. Zero is the default of every field: set all bytes to zero and then `struct_size`.
 */
typedef struct grammarc_compiler_options {
    /**
     * `sizeof(grammarc_compiler_options)`.
     */
    size_t struct_size;
    /**
     * Threads of a compilation, the one that asks among them. Default: as many as there are processors.
     */
    uint32_t threads;
    /**
     * GRAMMARC_NO_MEMORY_CACHE and GRAMMARC_EARLY, or'ed.
     */
    uint32_t flags;
    /**
     * Limits of compilations that name none of their own. May be NULL.
     */
    const struct grammarc_limits *limits;
    /**
     * Most grammars that are kept opened in memory. Default: 256.
     */
    size_t memory_entries;
    /**
     * Most bytes of these together. Default: 1 GiB.
     */
    size_t memory_bytes;
    /**
     * A folder for what was compiled, which is made where it does not exist. Any number of processes may share one. Default:
     * none.
     */
    struct grammarc_text folder;
    /**
     * Most bytes of its files together. Default: 4 GiB.
     */
    uint64_t folder_bytes;
    /**
     * Folders that `grammarc build` made, which are looked into first and never written.
     */
    const struct grammarc_text *artifacts;
    /**
     * Number of these.
     */
    size_t artifact_count;
} grammarc_compiler_options;

/**
 * The settings of one matcher that a host may choose. Zero is the default of every field: set all bytes to zero and
 * then `struct_size`.
 */
typedef struct grammarc_matcher_options {
    /**
     * `sizeof(grammarc_matcher_options)`.
     */
    size_t struct_size;
    /**
     * The tokens that end the sequence, in any order. NULL: those of the vocabulary. Not NULL and none: no token ends it.
     */
    const uint32_t *end_tokens;
    /**
     * Number of these.
     */
    size_t end_token_count;
    /**
     * Length of the host's logit row, at least the vocabulary's; ids between the two are never allowed. Default: the
     * vocabulary's.
     */
    uint32_t logit_width;
    /**
     * Zero.
     */
    uint32_t reserved;
    /**
     * How many tokens can be taken back. Default: 1024.
     */
    size_t rollback_window;
    /**
     * How many configurations may be alive at once. Default: 65536.
     */
    size_t max_configurations;
    /**
     * How deep the sequence may nest. Default: 16777216.
     */
    size_t max_frames;
} grammarc_matcher_options;

/**
 * A piece of an output. Its pointers are of the splitter: `bytes` until the next call that moves it, `name` as long as it lives.
 */
typedef struct grammarc_piece {
    /**
     * The output: its bytes, and the texts of special tokens. Pieces need not end with a whole character.
     */
    const uint8_t *bytes;
    /**
     * Number of these, never 0.
     */
    size_t length;
    /**
     * The name of the tool that is called there, without a NUL after it. NULL outside calls.
     */
    const char *name;
    /**
     * Its length.
     */
    size_t name_length;
    /**
     * The index of the call that it is in, or is markup of. GRAMMARC_NO_CALL outside calls.
     */
    uint32_t call;
    /**
     * One of `grammarc_piece_kind`. Of the arguments of a call is what has a call and is no markup.
     */
    uint32_t kind;
    /**
     * Whether a part of the output begins with it; else it goes on with the piece before.
     */
    bool begins;
} grammarc_piece;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The name of a status, such as `GRAMMARC_OK`; `unknown` for a number that is none. Never NULL, not to be freed.
 */
const char *grammarc_status_name(int32_t status);

/**
 * The status that the call returned. GRAMMARC_OK for NULL.
 */
grammarc_status grammarc_error_status(const struct grammarc_error *error);

/**
 * The message, for people: UTF-8 with a NUL after it, which `length` does not count and which the message may also have in
 * it. Lives as long as the error. NULL for NULL; `length` may be NULL.
 */
const char *grammarc_error_message(const struct grammarc_error *error,
                                   size_t *length);

/**
 * All diagnostics, for programs: a JSON array of objects with `code`, `severity` and `message`, and where there are such,
 * `help`, `pointer` (into a JSON source), `line`, `column`, `span` (bytes) and `related`. As grammarc_error_message()
 * otherwise.
 */
const char *grammarc_error_json(const struct grammarc_error *error,
                                size_t *length);

/**
 * Takes an error back. NULL is allowed.
 */
void grammarc_error_free(struct grammarc_error *error);

/**
 * Number of the library's interface: GRAMMARC_ABI_VERSION of the header that it belongs to.
 */
uint32_t grammarc_abi_version(void);

/**
 * Version of the library, such as `0.1.0`. Not to be freed.
 */
const char *grammarc_version(void);

/**
 * Opens a `.gvocab` file. `flags`: 0 or GRAMMARC_NO_MMAP. Some milliseconds.
 */
grammarc_status grammarc_vocabulary_open(const char *path,
                                         size_t length,
                                         uint32_t flags,
                                         struct grammarc_vocabulary **out,
                                         struct grammarc_error **error);

/**
 * A vocabulary from the bytes of a `.gvocab` file, which are copied.
 */
grammarc_status grammarc_vocabulary_from_bytes(const uint8_t *bytes,
                                               size_t length,
                                               struct grammarc_vocabulary **out,
                                               struct grammarc_error **error);

/**
 * Writes the `.gvocab` file, whole or not at all.
 */
grammarc_status grammarc_vocabulary_write(const struct grammarc_vocabulary *vocabulary,
                                          const char *path,
                                          size_t length,
                                          struct grammarc_error **error);

/**
 * The bytes of the `.gvocab` file. Live as long as the vocabulary. NULL for NULL.
 */
const uint8_t *grammarc_vocabulary_bytes(const struct grammarc_vocabulary *vocabulary, size_t *length);

/**
 * One more holder. Returns the vocabulary.
 */
struct grammarc_vocabulary *grammarc_vocabulary_retain(const struct grammarc_vocabulary *vocabulary);

/**
 * One holder less; the last one frees it. NULL is allowed.
 */
void grammarc_vocabulary_free(struct grammarc_vocabulary *vocabulary);

/**
 * Length of the model's logit row. 0 for NULL.
 */
uint32_t grammarc_vocabulary_logit_width(const struct grammarc_vocabulary *vocabulary);

/**
 * Number of ids, from 0 on. 0 for NULL.
 */
uint32_t grammarc_vocabulary_token_count(const struct grammarc_vocabulary *vocabulary);

/**
 * The name by which people know it: UTF-8 with a NUL after it. Lives as long as the vocabulary. NULL for NULL.
 */
const char *grammarc_vocabulary_name(const struct grammarc_vocabulary *vocabulary,
                                     size_t *length);

/**
 * The ids that end a sequence unless a matcher is given others, ascending. Live as long as the vocabulary.
 */
const uint32_t *grammarc_vocabulary_end_tokens(const struct grammarc_vocabulary *vocabulary, size_t *count);

/**
 * The bytes of a token; for a special token, its name. Live as long as the vocabulary. NULL for an id that is none.
 */
const uint8_t *grammarc_vocabulary_token(const struct grammarc_vocabulary *vocabulary,
                                         uint32_t id,
                                         size_t *length);

/**
 * The kind of a token. GRAMMARC_TOKEN_UNUSED for an id that is none.
 */
grammarc_token_kind grammarc_vocabulary_token_kind(const struct grammarc_vocabulary *vocabulary, uint32_t id);

/**
 * Identity of the vocabulary, 32 bytes: token bytes and kinds by id, end tokens, logit width. Artifacts of one fingerprint
 * fit each other. Does nothing for NULL.
 */
void grammarc_vocabulary_fingerprint(const struct grammarc_vocabulary *vocabulary,
                                     uint8_t *fingerprint);

/**
 * The decisions and warnings of the tokenizer's import, as grammarc_error_json() has them. Lives as long as the
 * vocabulary. NULL for NULL.
 */
const char *grammarc_vocabulary_findings_json(const struct grammarc_vocabulary *vocabulary,
                                              size_t *length);

/**
 * Makes a vocabulary of a tokenizer in memory. `format` is one of `grammarc_tokenizer_format`; `options` may be NULL. A second
 * for a large tokenizer: keep the result with grammarc_vocabulary_write().
 */
grammarc_status grammarc_vocabulary_import(uint32_t format,
                                           const uint8_t *bytes,
                                           size_t length,
                                           const struct grammarc_vocabulary_options *options,
                                           struct grammarc_vocabulary **out,
                                           struct grammarc_error **error);

/**
 * Makes a vocabulary of a tokenizer's file or of a model's folder. Files beside the tokenizer that name end tokens and the
 * logit width are read as well. `options` may be NULL.
 */
grammarc_status grammarc_vocabulary_import_file(const char *path,
                                                size_t length,
                                                const struct grammarc_vocabulary_options *options,
                                                struct grammarc_vocabulary **out,
                                                struct grammarc_error **error);

/**
 * Makes a vocabulary of tokens. Those of id `i` are the bytes of `data` from `offsets[i]` up to `offsets[i + 1]`: `offsets` has
 * `count + 1` numbers, none less than the one before. `kinds` has one of `grammarc_token_kind` for each id, or is NULL: then
 * every token is text. A token without bytes is an unused id. `options` may be NULL; name the end tokens there.
 */
grammarc_status grammarc_vocabulary_from_tokens(const uint8_t *data,
                                                const uint64_t *offsets,
                                                const uint8_t *kinds,
                                                size_t count,
                                                const struct grammarc_vocabulary_options *options,
                                                struct grammarc_vocabulary **out,
                                                struct grammarc_error **error);

/**
 * Makes a compiler. `options` may be NULL.
 */
grammarc_status grammarc_compiler_new(const struct grammarc_vocabulary *vocabulary,
                                      const struct grammarc_compiler_options *options,
                                      struct grammarc_compiler **out,
                                      struct grammarc_error **error);

/**
 * One more holder. Returns the compiler.
 */
struct grammarc_compiler *grammarc_compiler_retain(const struct grammarc_compiler *compiler);

/**
 * One holder less; the last one frees it. NULL is allowed.
 */
void grammarc_compiler_free(struct grammarc_compiler *compiler);

/**
 * The grammar of a source: one that was compiled before, or a new one.
 *
 * `language` is one of `grammarc_language`. `source` is UTF-8. `options` is a JSON object with options of the language by name
 * (`docs/c.md` lists them), or nothing. `limits` and `cancel` may be NULL.
 *
 * From well below a millisecond for what was compiled before, over a millisecond for a usual schema, to as long as the limits
 * let it. After grammarc_cancel() it returns GRAMMARC_CANCELLED within some milliseconds.
 */
grammarc_status grammarc_compile(const struct grammarc_compiler *compiler,
                                 uint32_t language,
                                 const char *source,
                                 size_t source_length,
                                 const char *options,
                                 size_t options_length,
                                 const struct grammarc_limits *limits,
                                 const struct grammarc_cancel_flag *cancel,
                                 struct grammarc_grammar **out,
                                 struct grammarc_error **error);

/**
 * Counters since the compiler was made, as a JSON object of numbers: how requests ended (`compiled`, `memory_hits`,
 * `layer_hits`, `folder_hits`, `shared`, `refused`, `refused_from_memory`, `timeouts`, `cancelled`, `out_of_memory`), and
 * `not_kept`, `evicted_from_memory`, `evicted_from_folder`, `bytes_written`; `compile_times` and `request_times` are
 * `{"buckets": [[seconds, count], ...], "count": N, "sum": seconds}` with counts that include those of smaller bounds.
 *
 * The text is copied to `buffer`, without a NUL; `*needed` is its length. GRAMMARC_BUFFER where `capacity` is less: 1024
 * bytes are always enough.
 */
grammarc_status grammarc_compiler_stats_json(const struct grammarc_compiler *compiler,
                                             char *buffer,
                                             size_t capacity,
                                             size_t *needed);

/**
 * Makes a flag. Never NULL.
 */
struct grammarc_cancel_flag *grammarc_cancel_new(void);

/**
 * Ends all compilations that were given the flag, now and from now on. NULL is allowed.
 */
void grammarc_cancel(struct grammarc_cancel_flag *cancel);

/**
 * One more holder. Returns the flag.
 */
struct grammarc_cancel_flag *grammarc_cancel_retain(const struct grammarc_cancel_flag *cancel);

/**
 * One holder less; the last one frees it. NULL is allowed. A compilation that was given it holds it itself.
 */
void grammarc_cancel_free(struct grammarc_cancel_flag *cancel);

/**
 * Opens a `.gmask` file: with the vocabulary that it was compiled for, or with NULL where it has one in it. `flags`: 0 or
 * GRAMMARC_NO_MMAP. GRAMMARC_MISMATCH for another vocabulary's. Milliseconds at most, the file being checked as a whole.
 */
grammarc_status grammarc_grammar_open(const char *path,
                                      size_t length,
                                      const struct grammarc_vocabulary *vocabulary,
                                      uint32_t flags,
                                      struct grammarc_grammar **out,
                                      struct grammarc_error **error);

/**
 * A grammar from the bytes of a `.gmask` file, which are copied. As grammarc_grammar_open() otherwise.
 */
grammarc_status grammarc_grammar_from_bytes(const uint8_t *bytes,
                                            size_t length,
                                            const struct grammarc_vocabulary *vocabulary,
                                            struct grammarc_grammar **out,
                                            struct grammarc_error **error);

/**
 * Whether all masks are there. A grammar of a compiler with GRAMMARC_EARLY is used before they are. True for NULL.
 */
bool grammarc_grammar_is_complete(const struct grammarc_grammar *grammar);

/**
 * Waits until all masks are there, for so many milliseconds at most, or as long as it takes where they are 0; `*complete`, which
 * may be NULL, says whether they are. An error says why they will not come: the grammar goes on then, with masks that take
 * longer. Any number of threads may wait at once.
 */
grammarc_status grammarc_grammar_wait(const struct grammarc_grammar *grammar,
                                      uint64_t timeout_ms,
                                      bool *complete,
                                      struct grammarc_error **error);

/**
 * Writes the `.gmask` file, whole or not at all. `flags`: 0 or GRAMMARC_STANDALONE. Waits for the masks of a grammar that is not
 * complete.
 */
grammarc_status grammarc_grammar_write(const struct grammarc_grammar *grammar,
                                       const char *path,
                                       size_t length,
                                       uint32_t flags,
                                       struct grammarc_error **error);

/**
 * The bytes of the `.gmask` file, for whose masks it waits. Live as long as the grammar. NULL for NULL, and where the masks will
 * not come.
 */
const uint8_t *grammarc_grammar_bytes(const struct grammarc_grammar *grammar,
                                      size_t *length);

/**
 * One more holder. Returns the grammar.
 */
struct grammarc_grammar *grammarc_grammar_retain(const struct grammarc_grammar *grammar);

/**
 * One holder less; the last one frees it. NULL is allowed.
 */
void grammarc_grammar_free(struct grammarc_grammar *grammar);

/**
 * The vocabulary that it was compiled for: one more holder of it, for grammarc_vocabulary_free(). NULL for NULL.
 */
struct grammarc_vocabulary *grammarc_grammar_vocabulary(const struct grammarc_grammar *grammar);

/**
 * Checksum of the artifact, 32 bytes, for whose masks it waits: equal for equal grammars of one vocabulary. Does nothing for NULL,
 * and where the masks will not come.
 */
void grammarc_grammar_digest(const struct grammarc_grammar *grammar,
                             uint8_t *digest);

/**
 * The verdict on each keyword of the source, and the bounds on the work of a step: a JSON object with `language`,
 * `bytes`, `keywords` (a list of `pointer`, `keyword`, `verdict`, which is `exact`, `annotation`, `approximate` or
 * `narrower`, and where there is one, `reason`) and `bound` (`longest_chain`, `most_configurations`, `state_bytes`;
 * null where it grows). Lives as long as the grammar. NULL for NULL.
 */
const char *grammarc_grammar_report_json(const struct grammarc_grammar *grammar,
                                         size_t *length);

/**
 * The findings of the compilation, as grammarc_error_json() has them; an empty array for a grammar that was
 * opened. Lives as long as the grammar. NULL for NULL.
 */
const char *grammarc_grammar_findings_json(const struct grammarc_grammar *grammar, size_t *length);

/**
 * Whether a whole text is one of the grammar. GRAMMARC_REFUSED where it is not; `*offset`, which may be NULL, is then that of the
 * first byte that is wrong, or `length` where more has to follow. Linear in the text.
 */
grammarc_status grammarc_grammar_check(const struct grammarc_grammar *grammar,
                                       const char *text,
                                       size_t length,
                                       size_t *offset);

/**
 * A matcher at the start of a sequence. `options` may be NULL. Below a microsecond.
 */
grammarc_status grammarc_matcher_new(const struct grammarc_grammar *grammar,
                                     const struct grammarc_matcher_options *options,
                                     struct grammarc_matcher **out,
                                     struct grammarc_error **error);

/**
 * Frees a matcher. NULL is allowed.
 */
void grammarc_matcher_free(struct grammarc_matcher *matcher);

/**
 * A second matcher at the same position, with the same options and the same tokens to take back. `*out` is NULL where it
 * fails. O(1): the sequence is shared until one of the two moves on, and copied then.
 */
grammarc_status grammarc_matcher_fork(const struct grammarc_matcher *matcher,
                                      struct grammarc_matcher **out);

/**
 * Goes back to the start of a sequence and forgets what was accepted; a matcher that answered GRAMMARC_INTERNAL is whole again.
 */
grammarc_status grammarc_matcher_reset(struct grammarc_matcher *matcher);

/**
 * Writes the mask of the next token to a row of `count` words: bit `t % 32` of word `t / 32` says whether token `t` is
 * allowed. Words past the logit width become zero; GRAMMARC_BUFFER where there are fewer than it needs.
 *
 * `*restricts`, which may be NULL, says whether any token within the logit width is forbidden: if not, the mask need not be
 * applied. At the end of a sequence exactly the end tokens are allowed. O(count), nothing is allocated.
 */
grammarc_status grammarc_matcher_fill(struct grammarc_matcher *matcher,
                                      uint32_t *words,
                                      size_t count,
                                      bool *restricts);

/**
 * Sets the logits of all tokens that are not allowed to negative infinity. `logits` has `count` numbers of `dtype`, one of
 * `grammarc_dtype`; GRAMMARC_BUFFER where that is not the logit width. O(count), nothing is allocated.
 */
grammarc_status grammarc_matcher_apply(struct grammarc_matcher *matcher,
                                       void *logits,
                                       uint32_t dtype,
                                       size_t count);

/**
 * Whether a token is allowed next. False for any id that is none, and for NULL.
 */
bool grammarc_matcher_allows(const struct grammarc_matcher *matcher, uint32_t token);

/**
 * Whether the sequence may end here: an end token would be accepted. False for NULL.
 */
bool grammarc_matcher_is_accepting(const struct grammarc_matcher *matcher);

/**
 * Whether the sequence is over: an end token was accepted, or the matcher has no end tokens and nothing may follow. False
 * for NULL.
 */
bool grammarc_matcher_is_finished(const struct grammarc_matcher *matcher);

/**
 * How many tokens can be taken back now. 0 for NULL.
 */
size_t grammarc_matcher_rollback_depth(const struct grammarc_matcher *matcher);

/**
 * Length of the host's logit row. 0 for NULL.
 */
uint32_t grammarc_matcher_logit_width(const struct grammarc_matcher *matcher);

/**
 * Accepts a token: GRAMMARC_OK, or GRAMMARC_REFUSED, GRAMMARC_FINISHED or GRAMMARC_LIMIT, after which the matcher is where it
 * was. An id that is none, such as -1 as an unsigned number, is refused.
 */
grammarc_status grammarc_matcher_accept(struct grammarc_matcher *matcher,
                                        uint32_t token);

/**
 * Accepts tokens up to the first that is not allowed, whose status it returns. `*taken`, which may be NULL, is how many it
 * accepted: these are kept.
 */
grammarc_status grammarc_matcher_accept_many(struct grammarc_matcher *matcher,
                                             const uint32_t *tokens,
                                             size_t count,
                                             size_t *taken);

/**
 * Accepts a text of `length` bytes, however it would be cut into tokens: one token for grammarc_matcher_rollback().
 *
 * GRAMMARC_REFUSED, GRAMMARC_FINISHED or GRAMMARC_LIMIT leave the matcher where it was. `*offset`, which may be NULL, is then that of
 * the first byte that is not allowed, or `length` where no token may follow the text. O(length).
 */
grammarc_status grammarc_matcher_accept_text(struct grammarc_matcher *matcher,
                                             const char *text,
                                             size_t length,
                                             size_t *offset);

/**
 * How many of the tokens could be accepted one after the other: `*taken`. The matcher does not move.
 */
grammarc_status grammarc_matcher_validate(struct grammarc_matcher *matcher,
                                          const uint32_t *tokens,
                                          size_t count,
                                          size_t *taken);

/**
 * Takes back the last `tokens` tokens, an end token included. GRAMMARC_ARGUMENT where there are fewer to take back: see
 * grammarc_matcher_rollback_depth(). O(1).
 */
grammarc_status grammarc_matcher_rollback(struct grammarc_matcher *matcher,
                                          size_t tokens);

/**
 * The tokens that end the sequence, ascending. As grammarc_matcher_forced_tokens() otherwise.
 */
grammarc_status grammarc_matcher_end_tokens(const struct grammarc_matcher *matcher,
                                            uint32_t *buffer,
                                            size_t capacity,
                                            size_t *needed);

/**
 * The tokens that are allowed next, ascending. As grammarc_matcher_forced_tokens() otherwise.
 */
grammarc_status grammarc_matcher_allowed(struct grammarc_matcher *matcher,
                                         uint32_t *buffer,
                                         size_t capacity,
                                         size_t *needed);

/**
 * The longest run of tokens in which each is the only one allowed. The matcher does not move.
 *
 * `*needed`, which may be NULL, is how many there are; GRAMMARC_BUFFER where `capacity` is less, and nothing is written then.
 * `buffer` may be NULL where `capacity` is 0.
 */
grammarc_status grammarc_matcher_forced_tokens(struct grammarc_matcher *matcher,
                                               uint32_t *buffer,
                                               size_t capacity,
                                               size_t *needed);

/**
 * The longest run of bytes with which every continuation begins. As grammarc_matcher_forced_tokens() otherwise.
 */
grammarc_status grammarc_matcher_forced_bytes(struct grammarc_matcher *matcher,
                                              uint8_t *buffer,
                                              size_t capacity,
                                              size_t *needed);

/**
 * The tokens of a shortest text from here to where the sequence may end, without an end token: for a host whose budget of
 * tokens runs out. GRAMMARC_LIMIT where none was found. As grammarc_matcher_forced_tokens() otherwise; microseconds for usual
 * grammars.
 */
grammarc_status grammarc_matcher_ending(struct grammarc_matcher *matcher,
                                        uint32_t *buffer,
                                        size_t capacity,
                                        size_t *needed);

/**
 * The position as plain bytes, for grammarc_matcher_import() by any matcher of the same grammar, in this process or another.
 * As grammarc_matcher_forced_tokens() otherwise.
 */
grammarc_status grammarc_matcher_export(const struct grammarc_matcher *matcher,
                                        uint8_t *buffer,
                                        size_t capacity,
                                        size_t *needed);

/**
 * Goes to a position that was exported, with nothing to take back. GRAMMARC_MISMATCH for that of another grammar,
 * GRAMMARC_FORMAT for bytes that are none, GRAMMARC_LIMIT for one that is larger than this matcher may hold.
 */
grammarc_status grammarc_matcher_import(struct grammarc_matcher *matcher,
                                        const uint8_t *bytes,
                                        size_t length);

/**
 * Writes the masks of matchers to rows of a bitmask of `mask_rows` rows of `row_words` words each, as grammarc_matcher_fill()
 * does for one. The matchers may be of different grammars.
 *
 * `rows` has the row of each of the `count` matchers, in any order; where it is NULL, they have the first rows in order.
 * `unlisted`, one of `grammarc_unlisted`, says what becomes of the other rows. With `threads` above 1 the work is shared among as
 * many threads of the library's own; with 0 or 1 the calling thread does it.
 *
 * GRAMMARC_ARGUMENT where a matcher or a row is listed twice, or another thread uses a matcher; GRAMMARC_BUFFER where a row
 * is not there or too short. Then nothing was written.
 */
grammarc_status grammarc_fill_batch(struct grammarc_matcher *const *matchers,
                                    const size_t *rows,
                                    size_t count,
                                    uint32_t *mask,
                                    size_t mask_rows,
                                    size_t row_words,
                                    uint32_t unlisted,
                                    size_t threads);

/**
 * Applies the masks of matchers to rows of logits, of `logit_rows` rows of `row_length` numbers of `dtype` each, as
 * grammarc_matcher_apply() does for one. Rows that no matcher is listed for stay as they are. As grammarc_fill_batch()
 * otherwise.
 */
grammarc_status grammarc_apply_batch(struct grammarc_matcher *const *matchers,
                                     const size_t *rows,
                                     size_t count,
                                     void *logits,
                                     uint32_t dtype,
                                     size_t logit_rows,
                                     size_t row_length,
                                     size_t threads);

/**
 * Masks for speculative decoding: row 0 of the bitmask gets the mask of the next token, and one row after each of the `count`
 * draft tokens that is allowed; the rows that are left get a copy of the last one. `*valid`, which may be NULL, is how many
 * drafts are allowed. The matcher does not move.
 *
 * GRAMMARC_BUFFER where there are not `count + 1` rows, or they are too short; nothing was written then.
 */
grammarc_status grammarc_fill_drafts(struct grammarc_matcher *matcher,
                                     const uint32_t *drafts,
                                     size_t count,
                                     uint32_t *mask,
                                     size_t mask_rows,
                                     size_t row_words,
                                     size_t *valid);

/**
 * A splitter at the start of an output.
 */
grammarc_status grammarc_splitter_new(const struct grammarc_grammar *grammar,
                                      struct grammarc_splitter **out,
                                      struct grammarc_error **error);

/**
 * Frees a splitter with its pieces. NULL is allowed.
 */
void grammarc_splitter_free(struct grammarc_splitter *splitter);

/**
 * Goes back to the start of an output and forgets what was read; a splitter that answered GRAMMARC_INTERNAL is whole again.
 */
grammarc_status grammarc_splitter_reset(struct grammarc_splitter *splitter);

/**
 * Reads a token: `*pieces` are the `*count` pieces that are certain now, of the splitter and until the next call that moves it;
 * either place may be NULL. An end token of the vocabulary that the grammar does not take finishes the output where it may end.
 *
 * GRAMMARC_REFUSED, GRAMMARC_FINISHED or GRAMMARC_LIMIT where the token is not allowed; the splitter is then as it was, and so are
 * the pieces of before.
 */
grammarc_status grammarc_splitter_push(struct grammarc_splitter *splitter,
                                       uint32_t token,
                                       const struct grammarc_piece **pieces,
                                       size_t *count);

/**
 * Reads bytes, as grammarc_splitter_push() reads a token. Special tokens are no bytes.
 *
 * GRAMMARC_REFUSED or GRAMMARC_LIMIT at a byte that is not allowed, whose offset `*offset` is then; it may be NULL. The bytes
 * before it were read, and their pieces come with the next ones.
 */
grammarc_status grammarc_splitter_push_bytes(struct grammarc_splitter *splitter,
                                             const uint8_t *bytes,
                                             size_t length,
                                             const struct grammarc_piece **pieces,
                                             size_t *count,
                                             size_t *offset);

/**
 * Ends the output and hands out the last pieces, as grammarc_splitter_push() does: also where the output was cut off, as
 * grammarc_splitter_is_accepting() would have told.
 */
grammarc_status grammarc_splitter_finish(struct grammarc_splitter *splitter,
                                         const struct grammarc_piece **pieces,
                                         size_t *count);

/**
 * How many calls there were so far. 0 for NULL.
 */
size_t grammarc_splitter_call_count(const struct grammarc_splitter *splitter);

/**
 * The name of the tool of a call, without a NUL after it: lives as long as the splitter. NULL where there was no such call.
 */
const char *grammarc_splitter_call_name(const struct grammarc_splitter *splitter,
                                        size_t call,
                                        size_t *length);

/**
 * Whether the output may end here. False for NULL.
 */
bool grammarc_splitter_is_accepting(const struct grammarc_splitter *splitter);

/**
 * Whether the output has ended. False for NULL.
 */
bool grammarc_splitter_is_finished(const struct grammarc_splitter *splitter);

/**
 * The name of a kind of piece, such as `text`; `unknown` for a number that is none. Never NULL, not to be freed.
 */
const char *grammarc_piece_kind_name(uint32_t kind);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GRAMMARC_H */
