/*
 * grammarc: grammars compiled to token masks.
 *
 *     grammarc_vocabulary -> grammarc_compiler -> grammarc_grammar -> grammarc_matcher, grammarc_splitter, grammarc_calls
 *
 * Rules that hold for every function:
 *
 * - Threads. Any number of threads may use a vocabulary, compiler, grammar or cancel flag at once. One thread at a time may use
 *   a matcher, a splitter, a reader of calls or an error, and the thread may change between calls.
 * - Ownership. Free a handle with the _free function of its type; never pass memory of this library to free(). Texts, arrays and
 *   structs of the caller are read or copied during the call, and not kept. Types with a _retain function are reference-counted.
 *   Handles keep alive what they depend on, so free them in any order.
 * - Texts and arrays are a pointer and a length. Lengths of texts are in bytes; NUL is an ordinary byte, and no final NUL is
 *   needed. A pointer may be NULL if the length is 0. Texts are UTF-8, and paths have the encoding of the system.
 * - A NULL handle is refused with GRAMMARC_ARGUMENT, or treated as the function's comment says.
 * - Out parameters may be NULL if you do not need the value, except for the place of a new handle.
 * - Errors. Every call that can fail returns a grammarc_status. Functions with the parameter `error` also return the details.
 *   There is no state for each thread, such as a last error.
 * - A bug of this library is caught and reported as GRAMMARC_INTERNAL. Out of memory ends the process.
 * - Nothing is printed, no environment variable is read, and no signal handler is installed. After a fork, both processes may
 *   use all handles.
 * - Structs of options begin with their size, so that later versions can add fields. Set all bytes to zero, the default of every
 *   field, and then `struct_size` to the size of the struct.
 *
 * The library stays loaded once it is loaded. Unless a comment says otherwise, the time of a call is linear in its input and
 * output.
 *
 * Made by cbindgen from bindings/c/src: do not edit.
 */

#ifndef GRAMMARC_H
#define GRAMMARC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Version of the binary interface. A program must not use a library with another version: compare this number with
 * grammarc_abi_version().
 */
#define GRAMMARC_ABI_VERSION 1

/**
 * Flag: read the file into memory instead of mapping it. Truncating a mapped file crashes the process, so set this flag for
 * files that others may overwrite in place, for example on network shares.
 */
#define GRAMMARC_NO_MMAP 1

/**
 * Flag: cache no grammars in memory, for hosts with their own cache.
 */
#define GRAMMARC_NO_MEMORY_CACHE 1

/**
 * Flag: return a grammar as soon as its automata are built, while a thread computes its masks. Until then, each mask is
 * computed on request, with the same bits, in microseconds to some tens of milliseconds. See grammarc_grammar_wait().
 */
#define GRAMMARC_EARLY 2

/**
 * Flag: compute no masks. Such grammars are for readers of outputs, grammarc_calls and grammarc_splitter, and are ready in
 * about a millisecond. They are not cached, and grammarc_grammar_wait() returns GRAMMARC_ARGUMENT.
 */
#define GRAMMARC_WITHOUT_MASKS 4

/**
 * Flag: include the vocabulary in the file, so that the file can be opened alone.
 */
#define GRAMMARC_STANDALONE 1

/**
 * The value of `grammarc_piece.call` outside of calls.
 */
#define GRAMMARC_NO_CALL UINT32_MAX

/**
 * The result of a call. Zero is success, positive numbers are outcomes, and negative numbers are failures.
 *
 * A failed call changes nothing: a matcher stays at its position, and outputs are not written. The exceptions are handles,
 * which are set to NULL, errors, and outputs that the function's comment names.
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
     * The grammar does not allow the token or text. The matcher stays at its position.
     */
    GRAMMARC_REFUSED = 1,
    /**
     * The sequence has ended, and nothing may follow. The matcher stays at its position.
     */
    GRAMMARC_FINISHED = 2,
    /**
     * An argument is invalid: a forbidden NULL, an unknown number, or a rollback beyond the kept history. Also a matcher or
     * splitter in use by another thread, and a matcher listed twice.
     */
    GRAMMARC_ARGUMENT = -1,
    /**
     * The source has errors. The diagnostics of the error list them with their positions.
     */
    GRAMMARC_SOURCE = -2,
    /**
     * A limit on size was exceeded.
     */
    GRAMMARC_LIMIT = -3,
    /**
     * The time limit was exceeded. The failure is not cached: the same request may succeed with more time.
     */
    GRAMMARC_TIMEOUT = -4,
    /**
     * The compilation was cancelled.
     */
    GRAMMARC_CANCELLED = -5,
    /**
     * A file could not be read or written.
     */
    GRAMMARC_IO = -6,
    /**
     * A file or a text is damaged, truncated, or of another format or version.
     */
    GRAMMARC_FORMAT = -7,
    /**
     * An artifact or a position belongs to another vocabulary or grammar.
     */
    GRAMMARC_MISMATCH = -8,
    /**
     * A buffer is too small, or the length of a row differs from the logit width.
     */
    GRAMMARC_BUFFER = -9,
    /**
     * A bug of this library was caught. The affected matcher or splitter returns this status from every call until it is
     * reset or freed.
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
     * Text: the token adds its bytes to the output.
     */
    GRAMMARC_TOKEN_TEXT = 0,
    /**
     * A control token. Its bytes are its name, which never matches text.
     */
    GRAMMARC_TOKEN_SPECIAL = 1,
    /**
     * An unused id. No mask allows it.
     */
    GRAMMARC_TOKEN_UNUSED = 2,
    /**
     * A token that was added to the tokenizer without the flag `special`; valid only in grammarc_vocabulary_from_tokens().
     * The token counts as text, unless it looks like a control marker, such as `<think>` or `[INST]`.
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
 * The format of a tokenizer.
 */
enum grammarc_tokenizer_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Detected from the first bytes.
     */
    GRAMMARC_FORMAT_DETECT = 0,
    /**
     * `tokenizer.json` of Hugging Face's tokenizers.
     */
    GRAMMARC_FORMAT_TOKENIZER_JSON = 1,
    /**
     * Ranks of tiktoken: lines of base64 and rank. Special tokens are given in the options.
     */
    GRAMMARC_FORMAT_TIKTOKEN = 2,
    /**
     * A GGUF model. The bytes before the tensors are enough.
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
 * A file beside the tokenizer in a model's folder.
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
 * The language of a source.
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
     * A regular expression, matched against the whole output.
     */
    GRAMMARC_REGEX = 2,
    /**
     * A JSON array of strings. The output is one of them.
     */
    GRAMMARC_CHOICE = 3,
    /**
     * A structural tag: free text with tags that contain schemas, grammars and patterns.
     */
    GRAMMARC_STRUCTURAL_TAG = 4,
    /**
     * XGrammar's EBNF.
     */
    GRAMMARC_EBNF = 5,
    /**
     * Lark, in the dialects of llguidance and XGrammar.
     */
    GRAMMARC_LARK = 6,
    /**
     * A JSON object with a text. The output is a substring of the text.
     */
    GRAMMARC_SUBSTRING = 7,
    /**
     * TypeScript type declarations. The output is the JSON text of a value of the type.
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
 * The element type of logits.
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
 * The treatment of mask rows without a listed matcher.
 */
enum grammarc_unlisted
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The rows stay unchanged.
     */
    GRAMMARC_KEEP = 0,
    /**
     * The rows allow every token: all bits become 1.
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
     * Beginnings and ends of tags, separators and constant texts. If the source distinguishes no parts, the whole output.
     */
    GRAMMARC_PIECE_MARKUP = 0,
    /**
     * Free text.
     */
    GRAMMARC_PIECE_TEXT = 1,
    /**
     * The model's reasoning, as free text.
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
     * A text under an inner grammar.
     */
    GRAMMARC_PIECE_GRAMMAR = 5,
    /**
     * A text that matches a pattern.
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
 * The kind of a part of an output.
 */
enum grammarc_part_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Text of the output.
     */
    GRAMMARC_PART_TEXT = 0,
    /**
     * Text of the reasoning.
     */
    GRAMMARC_PART_REASONING = 1,
    /**
     * The start of a tool call, without a text.
     */
    GRAMMARC_PART_CALL = 2,
    /**
     * Text of the arguments of a tool call, as JSON.
     */
    GRAMMARC_PART_ARGUMENTS = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum grammarc_part_kind grammarc_part_kind;
#else
typedef uint32_t grammarc_part_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Reads one output of a grammar: reasoning, text, and tool calls with their arguments as JSON.
 *
 * Any output is read. From the first byte on that the grammar does not allow, all is text: see grammarc_calls_left(). The
 * arguments of a complete call, concatenated, are one JSON value. How the output is divided into tokens or texts only changes
 * where parts are divided.
 *
 * Any thread may use it, one at a time. A concurrent call with the same reader returns GRAMMARC_ARGUMENT. Not counted: free it
 * once with grammarc_calls_free(), when no thread uses it.
 */
typedef struct grammarc_calls grammarc_calls;

/**
 * A flag that cancels compilations.
 *
 * Any number of threads may use it at once. Counted: grammarc_cancel_retain() and grammarc_cancel_free().
 */
typedef struct grammarc_cancel_flag grammarc_cancel_flag;

/**
 * A compiler for one vocabulary, with a cache of compiled grammars. Keep one compiler for each vocabulary.
 *
 * Any number of threads may use it at once. Concurrent equal requests are compiled once. Counted: grammarc_compiler_retain()
 * and grammarc_compiler_free(). A compiler starts its own threads, and works after a fork in both processes.
 */
typedef struct grammarc_compiler grammarc_compiler;

/**
 * The reason of a failed call. The receiver owns it, and one thread at a time may use it.
 *
 * A parameter `error` may be NULL. Otherwise the call writes `*error`: NULL on success, and an error on failure. Free the
 * error with grammarc_error_free(). The value of `*error` before the call is ignored.
 */
typedef struct grammarc_error grammarc_error;

/**
 * A compiled grammar with all its token masks.
 *
 * Immutable: any number of threads may use it at once. Counted: grammarc_grammar_retain() and grammarc_grammar_free().
 * Matchers keep their grammar alive, and a grammar keeps its vocabulary alive.
 */
typedef struct grammarc_grammar grammarc_grammar;

/**
 * The position of one sequence in a grammar, with its history for rollback.
 *
 * Any thread may use it, one at a time. A concurrent call with the same matcher returns GRAMMARC_ARGUMENT. Not counted: free
 * it once with grammarc_matcher_free(), when no thread uses it.
 */
typedef struct grammarc_matcher grammarc_matcher;

/**
 * Splits one output of a grammar during its generation: reasoning, text, and tool calls with their names and arguments.
 *
 * A piece is returned as soon as its kind is certain. All pieces concatenated are the output. The split into tokens
 * changes only the boundaries of pieces within one part.
 *
 * Any thread may use it, one at a time. A concurrent call with the same splitter returns GRAMMARC_ARGUMENT. Not counted:
 * free it once with grammarc_splitter_free(), when no thread uses it.
 */
typedef struct grammarc_splitter grammarc_splitter;

/**
 * The tokens of one tokenizer, and the masks that all its grammars share.
 *
 * Immutable: any number of threads may use it at once. Counted: free each reference that you get, or add with
 * grammarc_vocabulary_retain(), with grammarc_vocabulary_free(). Compilers and grammars keep their vocabulary alive.
 */
typedef struct grammarc_vocabulary grammarc_vocabulary;

/**
 * A text by pointer and length. NUL is an ordinary byte, and no final NUL is needed.
 */
typedef struct grammarc_text {
    /**
     * First byte. May be NULL if the length is 0.
     */
    const char *data;
    /**
     * Length in bytes.
     */
    size_t length;
} grammarc_text;

/**
 * A special token by name and id.
 */
typedef struct grammarc_special_token {
    /**
     * Name.
     */
    struct grammarc_text name;
    /**
     * Id.
     */
    uint32_t id;
} grammarc_special_token;

/**
 * The content of a file beside a tokenizer.
 */
typedef struct grammarc_companion_text {
    /**
     * The file, one of `grammarc_companion`.
     */
    uint32_t companion;
    /**
     * The content of the file, JSON.
     */
    struct grammarc_text json;
} grammarc_companion_text;

/**
 * Facts about a vocabulary that its files do not contain. Set all bytes to zero, the default of every field, and then
 * `struct_size`.
 */
typedef struct grammarc_vocabulary_options {
    /**
     * `sizeof(grammarc_vocabulary_options)`.
     */
    size_t struct_size;
    /**
     * Length of the model's logit row, in tokens. Default: the length in the files, else the number of tokens.
     */
    uint32_t logit_width;
    /**
     * Must be zero.
     */
    uint32_t reserved;
    /**
     * Name for people. Default: the name of the file.
     */
    struct grammarc_text name;
    /**
     * Ids that end a sequence, in place of the files' own. A matcher may have others. NULL: the ids in the files.
     */
    const uint32_t *end_tokens;
    /**
     * Length of `end_tokens`.
     */
    size_t end_token_count;
    /**
     * Ids that are text although they look special.
     */
    const uint32_t *text_ids;
    /**
     * Length of `text_ids`.
     */
    size_t text_id_count;
    /**
     * Ids that are special although they look like text.
     */
    const uint32_t *special_ids;
    /**
     * Length of `special_ids`.
     */
    size_t special_id_count;
    /**
     * Ids that no mask may allow.
     */
    const uint32_t *unused_ids;
    /**
     * Length of `unused_ids`.
     */
    size_t unused_id_count;
    /**
     * Additional special tokens, for tokenizer files without a list of them.
     */
    const struct grammarc_special_token *special_tokens;
    /**
     * Length of `special_tokens`.
     */
    size_t special_token_count;
    /**
     * The files beside the tokenizer.
     */
    const struct grammarc_companion_text *companions;
    /**
     * Length of `companions`.
     */
    size_t companion_count;
} grammarc_vocabulary_options;

/**
 * The limits of one compilation. Set all bytes to zero, the default of every field, and then `struct_size`.
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
     * Size of tables and automata in bytes. Default: 1 GiB.
     */
    size_t memory;
    /**
     * Number of states of the grammar.
     */
    size_t states;
    /**
     * Number of rules of the grammar.
     */
    size_t rules;
    /**
     * Number of pairs of a return state and an exit class.
     */
    size_t pairs;
} grammarc_limits;

/**
 * The settings of a compiler. Set all bytes to zero, the default of every field, and then `struct_size`.
 */
typedef struct grammarc_compiler_options {
    /**
     * `sizeof(grammarc_compiler_options)`.
     */
    size_t struct_size;
    /**
     * Number of threads of a compilation, including the caller's. Default: the number of processors.
     */
    uint32_t threads;
    /**
     * Bitwise or of GRAMMARC_NO_MEMORY_CACHE, GRAMMARC_EARLY and GRAMMARC_WITHOUT_MASKS.
     */
    uint32_t flags;
    /**
     * Default limits of each compilation. May be NULL.
     */
    const struct grammarc_limits *limits;
    /**
     * Maximum number of grammars in the memory cache. Default: 256.
     */
    size_t memory_entries;
    /**
     * Maximum size of the memory cache in bytes. Default: 1 GiB.
     */
    size_t memory_bytes;
    /**
     * Path of a folder that caches compiled grammars. A missing folder is created, and processes may share one. Default:
     * none.
     */
    struct grammarc_text folder;
    /**
     * Maximum size of the folder's files in bytes. Default: 4 GiB.
     */
    uint64_t folder_bytes;
    /**
     * Paths of output folders of `grammarc build`. They are searched first, and never written.
     */
    const struct grammarc_text *artifacts;
    /**
     * Length of `artifacts`.
     */
    size_t artifact_count;
} grammarc_compiler_options;

/**
 * The settings of a matcher. Set all bytes to zero, the default of every field, and then `struct_size`.
 */
typedef struct grammarc_matcher_options {
    /**
     * `sizeof(grammarc_matcher_options)`.
     */
    size_t struct_size;
    /**
     * The ids that end the sequence, in any order. NULL: the vocabulary's end tokens. Not NULL with count 0: no token ends
     * it.
     */
    const uint32_t *end_tokens;
    /**
     * Length of `end_tokens`.
     */
    size_t end_token_count;
    /**
     * Length of the host's logit row, in tokens, at least the vocabulary's. The additional ids are never allowed. Default:
     * the vocabulary's.
     */
    uint32_t logit_width;
    /**
     * Must be zero.
     */
    uint32_t reserved;
    /**
     * Maximum number of tokens to roll back. Default: 1024.
     */
    size_t rollback_window;
    /**
     * Maximum number of simultaneous configurations. Default: 65536.
     */
    size_t max_configurations;
    /**
     * Maximum nesting depth of the sequence. Default: 16777216.
     */
    size_t max_frames;
} grammarc_matcher_options;

/**
 * A piece of an output. The splitter owns its memory: `bytes` is valid until the next call that moves the splitter, and
 * `name` as long as the splitter lives.
 */
typedef struct grammarc_piece {
    /**
     * The bytes of the output, including the texts of special tokens. A piece may end inside a UTF-8 character.
     */
    const uint8_t *bytes;
    /**
     * Length of `bytes`, never 0.
     */
    size_t length;
    /**
     * The name of the called tool, without a final NUL. NULL outside of calls.
     */
    const char *name;
    /**
     * Length of `name` in bytes.
     */
    size_t name_length;
    /**
     * The index of the tool call around the piece, from 0. GRAMMARC_NO_CALL outside of calls.
     */
    uint32_t call;
    /**
     * One of `grammarc_piece_kind`. Within a call, pieces other than markup are its arguments.
     */
    uint32_t kind;
    /**
     * Whether the piece begins a part of the output. Otherwise it continues the previous piece.
     */
    bool begins;
} grammarc_piece;

/**
 * A part of an output, or the continuation of the part before it. The reader owns its memory: `text` is valid until the next
 * call that moves the reader, and `name` as long as the reader lives.
 */
typedef struct grammarc_part {
    /**
     * The text to append, whole characters without a final NUL.
     */
    const char *text;
    /**
     * Length of `text` in bytes.
     */
    size_t length;
    /**
     * The name of the called tool, without a final NUL. NULL outside of calls.
     */
    const char *name;
    /**
     * Length of `name` in bytes.
     */
    size_t name_length;
    /**
     * The index of the tool call, from 0. GRAMMARC_NO_CALL outside of calls.
     */
    uint32_t call;
    /**
     * One of `grammarc_part_kind`.
     */
    uint32_t kind;
} grammarc_part;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the name of a status, such as `GRAMMARC_OK`, or `unknown` for another number. Static text, never NULL.
 */
const char *grammarc_status_name(int32_t status);

/**
 * Returns the status of the failed call. GRAMMARC_OK for NULL.
 */
grammarc_status grammarc_error_status(const struct grammarc_error *error);

/**
 * Returns the message for people, in UTF-8. The text ends with a NUL, and may also contain some.
 *
 * `*length` is its length in bytes without the final NUL; `length` may be NULL. The text lives as long as the error. NULL
 * for NULL.
 */
const char *grammarc_error_message(const struct grammarc_error *error,
                                   size_t *length);

/**
 * Returns all diagnostics for programs: a JSON array of objects with `code`, `severity` and `message`.
 *
 * Optional members are `help`, `pointer` (into a JSON source), `line`, `column`, `span` (in bytes) and `related`. Length and
 * lifetime are those of grammarc_error_message().
 */
const char *grammarc_error_json(const struct grammarc_error *error,
                                size_t *length);

/**
 * Frees an error. NULL is allowed.
 */
void grammarc_error_free(struct grammarc_error *error);

/**
 * Returns the version of the library's binary interface: GRAMMARC_ABI_VERSION of its own header.
 */
uint32_t grammarc_abi_version(void);

/**
 * Returns the version of the library, such as `0.1.0`. Static text, never NULL.
 */
const char *grammarc_version(void);

/**
 * Opens a `.gvocab` file. `flags` is 0 or GRAMMARC_NO_MMAP. Takes some milliseconds.
 */
grammarc_status grammarc_vocabulary_open(const char *path,
                                         size_t length,
                                         uint32_t flags,
                                         struct grammarc_vocabulary **out,
                                         struct grammarc_error **error);

/**
 * Opens a vocabulary from the content of a `.gvocab` file. The bytes are copied.
 */
grammarc_status grammarc_vocabulary_from_bytes(const uint8_t *bytes,
                                               size_t length,
                                               struct grammarc_vocabulary **out,
                                               struct grammarc_error **error);

/**
 * Writes a `.gvocab` file atomically: an existing file is replaced completely, or stays as it is.
 */
grammarc_status grammarc_vocabulary_write(const struct grammarc_vocabulary *vocabulary,
                                          const char *path,
                                          size_t length,
                                          struct grammarc_error **error);

/**
 * Returns the content of the `.gvocab` file. The bytes live as long as the vocabulary. NULL for NULL.
 */
const uint8_t *grammarc_vocabulary_bytes(const struct grammarc_vocabulary *vocabulary, size_t *length);

/**
 * Adds a reference, and returns the vocabulary. NULL for NULL.
 */
struct grammarc_vocabulary *grammarc_vocabulary_retain(const struct grammarc_vocabulary *vocabulary);

/**
 * Removes a reference; the last one frees the vocabulary. NULL is allowed.
 */
void grammarc_vocabulary_free(struct grammarc_vocabulary *vocabulary);

/**
 * Returns the length of the model's logit row, in tokens. 0 for NULL.
 */
uint32_t grammarc_vocabulary_logit_width(const struct grammarc_vocabulary *vocabulary);

/**
 * Returns the number of token ids, which begin at 0. 0 for NULL.
 */
uint32_t grammarc_vocabulary_token_count(const struct grammarc_vocabulary *vocabulary);

/**
 * Returns the name for people, in UTF-8 with a final NUL. The text lives as long as the vocabulary. NULL for NULL.
 */
const char *grammarc_vocabulary_name(const struct grammarc_vocabulary *vocabulary,
                                     size_t *length);

/**
 * Returns the ids that end a sequence by default, ascending. A matcher may have others. The array lives as long as the
 * vocabulary. NULL for NULL.
 */
const uint32_t *grammarc_vocabulary_end_tokens(const struct grammarc_vocabulary *vocabulary,
                                               size_t *count);

/**
 * Returns the bytes of a token; for a special token, its name. The bytes live as long as the vocabulary. NULL for an unknown
 * id, and for NULL.
 */
const uint8_t *grammarc_vocabulary_token(const struct grammarc_vocabulary *vocabulary,
                                         uint32_t id,
                                         size_t *length);

/**
 * Returns the kind of a token. GRAMMARC_TOKEN_UNUSED for an unknown id, and for NULL.
 */
grammarc_token_kind grammarc_vocabulary_token_kind(const struct grammarc_vocabulary *vocabulary, uint32_t id);

/**
 * Writes the fingerprint of the vocabulary to `fingerprint`, which has space for 32 bytes. Writes nothing for NULL.
 *
 * The fingerprint is a hash of the bytes and kinds of all tokens, the end tokens and the logit width. Grammars fit every
 * vocabulary with the fingerprint of their own.
 */
void grammarc_vocabulary_fingerprint(const struct grammarc_vocabulary *vocabulary,
                                     uint8_t *fingerprint);

/**
 * Returns the decisions and warnings of the tokenizer's import, in the format of grammarc_error_json(). The text lives as
 * long as the vocabulary. NULL for NULL.
 */
const char *grammarc_vocabulary_findings_json(const struct grammarc_vocabulary *vocabulary,
                                              size_t *length);

/**
 * Builds a vocabulary from the content of a tokenizer's file. `format` is one of `grammarc_tokenizer_format`; `options`
 * may be NULL. Takes about a second for a large tokenizer, so save the result with grammarc_vocabulary_write().
 */
grammarc_status grammarc_vocabulary_import(uint32_t format,
                                           const uint8_t *bytes,
                                           size_t length,
                                           const struct grammarc_vocabulary_options *options,
                                           struct grammarc_vocabulary **out,
                                           struct grammarc_error **error);

/**
 * Builds a vocabulary from a tokenizer's file or a model's folder, as grammarc_vocabulary_import() does. The files beside
 * the tokenizer are read as well, for end tokens and the logit width. `path` is UTF-8. `options` may be NULL.
 */
grammarc_status grammarc_vocabulary_import_file(const char *path,
                                                size_t length,
                                                const struct grammarc_vocabulary_options *options,
                                                struct grammarc_vocabulary **out,
                                                struct grammarc_error **error);

/**
 * Builds a vocabulary from a list of `count` tokens.
 *
 * Token `i` has the bytes `data[offsets[i]]` up to, but not including, `data[offsets[i + 1]]`. `offsets` has `count + 1`
 * numbers in non-decreasing order. `kinds` has `count` numbers, each one of `grammarc_token_kind`; if it is NULL, every
 * token is text. A token without bytes is an unused id. `options` may be NULL; its `end_tokens` are the ids that end a
 * sequence.
 */
grammarc_status grammarc_vocabulary_from_tokens(const uint8_t *data,
                                                const uint64_t *offsets,
                                                const uint8_t *kinds,
                                                size_t count,
                                                const struct grammarc_vocabulary_options *options,
                                                struct grammarc_vocabulary **out,
                                                struct grammarc_error **error);

/**
 * Makes a compiler for a vocabulary. `options` may be NULL.
 */
grammarc_status grammarc_compiler_new(const struct grammarc_vocabulary *vocabulary,
                                      const struct grammarc_compiler_options *options,
                                      struct grammarc_compiler **out,
                                      struct grammarc_error **error);

/**
 * Adds a reference, and returns the compiler. NULL for NULL.
 */
struct grammarc_compiler *grammarc_compiler_retain(const struct grammarc_compiler *compiler);

/**
 * Removes a reference; the last one frees the compiler. NULL is allowed.
 */
void grammarc_compiler_free(struct grammarc_compiler *compiler);

/**
 * Compiles a source to a grammar, or returns the cached grammar of an equal request.
 *
 * `language` is one of `grammarc_language`. `source` is UTF-8. `options` is a JSON object with options of the language, listed
 * in `docs/c.md`; length 0 selects the defaults. `limits` and `cancel` may be NULL.
 *
 * Takes well below a millisecond for a cached grammar, and about a millisecond for a usual schema; the maximum is set by the
 * limits. After grammarc_cancel(), returns GRAMMARC_CANCELLED within some milliseconds.
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
 * Writes the compiler's counters since its creation to `buffer`, as a JSON object.
 *
 * The outcomes of requests are counted in `compiled`, `memory_hits`, `layer_hits`, `folder_hits`, `shared`, `refused`,
 * `refused_from_memory`, `timeouts`, `cancelled` and `out_of_memory`. Other counters are `not_kept`, `evicted_from_memory`,
 * `evicted_from_folder` and `bytes_written`. The histograms `compile_times` and `request_times` have the form
 * `{"buckets": [[seconds, count], ...], "count": N, "sum": seconds}`; the count of a bucket includes all smaller buckets.
 *
 * The text has no final NUL, and `*needed` is its length in bytes. GRAMMARC_BUFFER if `capacity` is less; 1024 bytes are
 * always enough.
 */
grammarc_status grammarc_compiler_stats_json(const struct grammarc_compiler *compiler,
                                             char *buffer,
                                             size_t capacity,
                                             size_t *needed);

/**
 * Makes a flag that is not set. Never NULL.
 */
struct grammarc_cancel_flag *grammarc_cancel_new(void);

/**
 * Sets a flag, which cannot be undone: all compilations with the flag are cancelled, running and future ones. NULL is
 * allowed.
 */
void grammarc_cancel(struct grammarc_cancel_flag *cancel);

/**
 * Adds a reference, and returns the flag. NULL for NULL.
 */
struct grammarc_cancel_flag *grammarc_cancel_retain(const struct grammarc_cancel_flag *cancel);

/**
 * Removes a reference; the last one frees the flag. NULL is allowed. A running compilation keeps its flag alive.
 */
void grammarc_cancel_free(struct grammarc_cancel_flag *cancel);

/**
 * Opens a `.gmask` file.
 *
 * `vocabulary` is the vocabulary of the compilation, or NULL if the file includes its vocabulary. `flags` is 0 or
 * GRAMMARC_NO_MMAP. GRAMMARC_MISMATCH if the file belongs to another vocabulary. The whole file is verified, which takes
 * milliseconds at most.
 */
grammarc_status grammarc_grammar_open(const char *path,
                                      size_t length,
                                      const struct grammarc_vocabulary *vocabulary,
                                      uint32_t flags,
                                      struct grammarc_grammar **out,
                                      struct grammarc_error **error);

/**
 * Opens a grammar from the content of a `.gmask` file, as grammarc_grammar_open() does. The bytes are copied.
 */
grammarc_status grammarc_grammar_from_bytes(const uint8_t *bytes,
                                            size_t length,
                                            const struct grammarc_vocabulary *vocabulary,
                                            struct grammarc_grammar **out,
                                            struct grammarc_error **error);

/**
 * Whether all masks are computed. Only a grammar of a compiler with GRAMMARC_EARLY can be incomplete. True for NULL.
 */
bool grammarc_grammar_is_complete(const struct grammarc_grammar *grammar);

/**
 * Waits until all masks are computed, at most `timeout_ms` milliseconds; 0 means no limit.
 *
 * `*complete` is whether they are; `complete` may be NULL. If their computation has failed, the call fails with its error, and
 * the grammar stays usable with slower masks. Any number of threads may wait at once.
 */
grammarc_status grammarc_grammar_wait(const struct grammarc_grammar *grammar,
                                      uint64_t timeout_ms,
                                      bool *complete,
                                      struct grammarc_error **error);

/**
 * Writes a `.gmask` file atomically: an existing file is replaced completely, or stays as it is. `flags` is 0 or
 * GRAMMARC_STANDALONE. Waits for the masks of an incomplete grammar.
 */
grammarc_status grammarc_grammar_write(const struct grammarc_grammar *grammar,
                                       const char *path,
                                       size_t length,
                                       uint32_t flags,
                                       struct grammarc_error **error);

/**
 * Returns the content of the `.gmask` file, and waits for the masks of an incomplete grammar. The bytes live as long as the
 * grammar. NULL for NULL, and if the computation of the masks has failed.
 */
const uint8_t *grammarc_grammar_bytes(const struct grammarc_grammar *grammar,
                                      size_t *length);

/**
 * Adds a reference, and returns the grammar. NULL for NULL.
 */
struct grammarc_grammar *grammarc_grammar_retain(const struct grammarc_grammar *grammar);

/**
 * Removes a reference; the last one frees the grammar. NULL is allowed.
 */
void grammarc_grammar_free(struct grammarc_grammar *grammar);

/**
 * Returns the grammar's vocabulary, as a new reference: free it with grammarc_vocabulary_free(). NULL for NULL.
 */
struct grammarc_vocabulary *grammarc_grammar_vocabulary(const struct grammarc_grammar *grammar);

/**
 * Writes the checksum of the artifact to `digest`, which has space for 32 bytes. Equal grammars of one vocabulary have equal
 * checksums.
 *
 * Waits for the masks of an incomplete grammar. Writes nothing for NULL, and if the computation of the masks has failed.
 */
void grammarc_grammar_digest(const struct grammarc_grammar *grammar,
                             uint8_t *digest);

/**
 * Returns a report on the source and the grammar: a JSON object with `language`, `bytes`, `keywords` and `bound`.
 *
 * `keywords` lists objects with `pointer`, `keyword`, `verdict` and an optional `reason`. A verdict is `exact`, `annotation`,
 * `approximate` or `narrower`. `bound` limits the work of a step: `longest_chain` and `most_configurations`, each null if it is
 * unbounded, and `state_bytes`. The text lives as long as the grammar. NULL for NULL.
 */
const char *grammarc_grammar_report_json(const struct grammarc_grammar *grammar,
                                         size_t *length);

/**
 * Returns the findings of the compilation, in the format of grammarc_error_json(). An opened grammar has an empty array. The
 * text lives as long as the grammar. NULL for NULL.
 */
const char *grammarc_grammar_findings_json(const struct grammarc_grammar *grammar,
                                           size_t *length);

/**
 * Checks whether a complete text matches the grammar.
 *
 * GRAMMARC_REFUSED if it does not, and GRAMMARC_LIMIT if it exceeds the default limits of a matcher. `*offset` is then the
 * offset of the offending byte, or `length` if the text is incomplete; `offset` may be NULL. O(length).
 */
grammarc_status grammarc_grammar_check(const struct grammarc_grammar *grammar,
                                       const char *text,
                                       size_t length,
                                       size_t *offset);

/**
 * Makes a matcher at the start of a sequence. `options` may be NULL. Takes less than a microsecond.
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
 * Makes a second matcher at the same position, with the same options and the same history for rollback.
 *
 * `*out` is NULL on failure. O(1): the two share their state, which is copied when one of them moves.
 */
grammarc_status grammarc_matcher_fork(const struct grammarc_matcher *matcher, struct grammarc_matcher **out);

/**
 * Returns the matcher to the start of a sequence, with an empty history. A matcher that failed with GRAMMARC_INTERNAL
 * becomes usable again.
 */
grammarc_status grammarc_matcher_reset(struct grammarc_matcher *matcher);

/**
 * Writes the mask of the next token to `count` words. Bit `t % 32` of word `t / 32` is 1 if token `t` is allowed.
 *
 * Words beyond the logit width become zero; GRAMMARC_BUFFER if `count` is below `logit_width / 32`, rounded up.
 * `*restricts` is whether any token within the logit width is forbidden, so a mask without restrictions need not be
 * applied; `restricts` may be NULL. After the end of a sequence, exactly the end tokens are allowed. O(count), without
 * allocation.
 */
grammarc_status grammarc_matcher_fill(struct grammarc_matcher *matcher,
                                      uint32_t *words,
                                      size_t count,
                                      bool *restricts);

/**
 * Sets the logits of all forbidden tokens to negative infinity. `logits` has `count` elements of type `dtype`, one of
 * `grammarc_dtype`. GRAMMARC_BUFFER if `count` is not the logit width. O(count), without allocation.
 */
grammarc_status grammarc_matcher_apply(struct grammarc_matcher *matcher,
                                       void *logits,
                                       uint32_t dtype,
                                       size_t count);

/**
 * Writes to `*mass` the logarithm of the share of the softmax that is allowed: 0 if nothing is forbidden, negative infinity
 * if no allowed token has a share. `logits` has `count` elements of type `dtype`, as for grammarc_matcher_apply(), and does
 * not change. The logits are the model's, before any mask.
 *
 * `log_sum` is the log-sum-exp of the row, or NAN if unknown. With it, only the logits of the allowed or of the forbidden
 * tokens are read, whichever are fewer. The error is below 1e-5 for rows of up to 262144 logits. GRAMMARC_BUFFER if `count`
 * is not the logit width, GRAMMARC_ARGUMENT if `log_sum` is infinite. O(count), without allocation.
 */
grammarc_status grammarc_matcher_log_mass(struct grammarc_matcher *matcher,
                                          const void *logits,
                                          uint32_t dtype,
                                          size_t count,
                                          double log_sum,
                                          double *mass);

/**
 * Whether a token is allowed next. False for an unknown id, and for NULL.
 */
bool grammarc_matcher_allows(const struct grammarc_matcher *matcher, uint32_t token);

/**
 * Whether the sequence may end at this position, so that an end token is accepted. False for NULL.
 */
bool grammarc_matcher_is_accepting(const struct grammarc_matcher *matcher);

/**
 * Whether the sequence has ended: an end token was accepted, or the matcher has no end tokens and nothing may follow.
 * False for NULL.
 */
bool grammarc_matcher_is_finished(const struct grammarc_matcher *matcher);

/**
 * Returns the number of tokens that can be rolled back now. 0 for NULL.
 */
size_t grammarc_matcher_rollback_depth(const struct grammarc_matcher *matcher);

/**
 * Returns the length of the host's logit row, in tokens. 0 for NULL.
 */
uint32_t grammarc_matcher_logit_width(const struct grammarc_matcher *matcher);

/**
 * Accepts a token. GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the matcher at its position. An unknown
 * id, such as -1 converted to `uint32_t`, is refused.
 */
grammarc_status grammarc_matcher_accept(struct grammarc_matcher *matcher,
                                        uint32_t token);

/**
 * Accepts `count` tokens, up to the first refused one, and returns its status. The tokens before it stay accepted, and
 * `*taken` is their number. `taken` may be NULL.
 */
grammarc_status grammarc_matcher_accept_many(struct grammarc_matcher *matcher,
                                             const uint32_t *tokens,
                                             size_t count,
                                             size_t *taken);

/**
 * Accepts a text of `length` bytes, independent of its split into tokens. The text counts as one token for
 * grammarc_matcher_rollback().
 *
 * GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the matcher at its position. `*offset` is then the offset
 * of the first refused byte, or `length` if no token can follow the text, or 0 except for GRAMMARC_REFUSED. `offset` may be
 * NULL. O(length).
 */
grammarc_status grammarc_matcher_accept_text(struct grammarc_matcher *matcher,
                                             const char *text,
                                             size_t length,
                                             size_t *offset);

/**
 * Accepts `length` bytes, which may be a part of a token, of several tokens, or of a UTF-8 character. The bytes count as
 * one token for grammarc_matcher_rollback().
 *
 * Unlike the text of grammarc_matcher_accept_text(), the bytes may end inside a token. Masks and exported positions have a
 * meaning only after the bytes of whole tokens. Special tokens cannot be written as bytes.
 *
 * GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the matcher at its position. `*offset` is then the offset
 * of the first refused byte, or 0 except for GRAMMARC_REFUSED. `offset` may be NULL. O(length).
 */
grammarc_status grammarc_matcher_accept_bytes(struct grammarc_matcher *matcher,
                                              const uint8_t *bytes,
                                              size_t length,
                                              size_t *offset);

/**
 * Writes to `*taken` the number of leading tokens that would be accepted in sequence. The matcher does not move.
 */
grammarc_status grammarc_matcher_validate(struct grammarc_matcher *matcher,
                                          const uint32_t *tokens,
                                          size_t count,
                                          size_t *taken);

/**
 * Rolls back the last `tokens` tokens; end tokens count as well. GRAMMARC_ARGUMENT if `tokens` exceeds
 * grammarc_matcher_rollback_depth(). O(1).
 */
grammarc_status grammarc_matcher_rollback(struct grammarc_matcher *matcher, size_t tokens);

/**
 * Writes the tokens that end the sequence, ascending. `buffer` works as in grammarc_matcher_forced_tokens().
 */
grammarc_status grammarc_matcher_end_tokens(const struct grammarc_matcher *matcher,
                                            uint32_t *buffer,
                                            size_t capacity,
                                            size_t *needed);

/**
 * Writes the tokens that are allowed next, ascending. `buffer` works as in grammarc_matcher_forced_tokens().
 */
grammarc_status grammarc_matcher_allowed(struct grammarc_matcher *matcher,
                                         uint32_t *buffer,
                                         size_t capacity,
                                         size_t *needed);

/**
 * Writes the longest run of forced tokens: at each step, exactly one token is allowed. The matcher does not move.
 *
 * `buffer` has space for `capacity` elements, and may be NULL if `capacity` is 0. `*needed` is the length of the run; `needed`
 * may be NULL. GRAMMARC_BUFFER if `capacity` is less, and then nothing is written to `buffer`.
 */
grammarc_status grammarc_matcher_forced_tokens(struct grammarc_matcher *matcher,
                                               uint32_t *buffer,
                                               size_t capacity,
                                               size_t *needed);

/**
 * Writes the longest common prefix of all continuations, in bytes. The matcher does not move. `buffer` works as in
 * grammarc_matcher_forced_tokens().
 */
grammarc_status grammarc_matcher_forced_bytes(struct grammarc_matcher *matcher,
                                              uint8_t *buffer,
                                              size_t capacity,
                                              size_t *needed);

/**
 * Writes the tokens of a shortest text after which the sequence may end, without an end token. Hosts use it near the end of
 * their token budget. The matcher does not move.
 *
 * `buffer` works as in grammarc_matcher_forced_tokens(). GRAMMARC_LIMIT if no such text was found. Takes microseconds for usual
 * grammars.
 */
grammarc_status grammarc_matcher_ending(struct grammarc_matcher *matcher,
                                        uint32_t *buffer,
                                        size_t capacity,
                                        size_t *needed);

/**
 * Writes why a token is allowed or refused, as a JSON object: `allowed`; `accepted`, the number of its bytes that are allowed;
 * `byte`, the refused byte or null; `places`, JSON pointers to the schemas that say what comes there; `rules`, names of rules;
 * `next`, the bytes that may come; `may_end`; and `completion`, the shortest text to an end, or null. It has no text of an
 * output. The matcher does not move.
 *
 * `buffer` works as in grammarc_matcher_forced_tokens(); the text has no terminating zero. Takes some microseconds.
 */
grammarc_status grammarc_matcher_explain(struct grammarc_matcher *matcher,
                                         uint32_t token,
                                         uint8_t *buffer,
                                         size_t capacity,
                                         size_t *needed);

/**
 * Writes the position as bytes. Any matcher of the same grammar can read them with grammarc_matcher_import(), also in
 * another process. `buffer` works as in grammarc_matcher_forced_tokens().
 */
grammarc_status grammarc_matcher_export(const struct grammarc_matcher *matcher,
                                        uint8_t *buffer,
                                        size_t capacity,
                                        size_t *needed);

/**
 * Moves to an exported position, with an empty history. GRAMMARC_MISMATCH for a position of another grammar, GRAMMARC_FORMAT
 * for invalid bytes, and GRAMMARC_LIMIT for a position beyond this matcher's limits.
 */
grammarc_status grammarc_matcher_import(struct grammarc_matcher *matcher,
                                        const uint8_t *bytes,
                                        size_t length);

/**
 * Writes the masks of `count` matchers to rows of a bitmask, as grammarc_matcher_fill() does for one. The matchers may have
 * different grammars.
 *
 * The bitmask has `mask_rows` rows of `row_words` words each, without gaps. `rows[i]` is the row of matcher `i`; if `rows`
 * is NULL, matcher `i` has row `i`. `unlisted`, one of `grammarc_unlisted`, selects the treatment of the other rows. Up to
 * `threads` threads of the library share the work; with 0 or 1, the calling thread does it.
 *
 * GRAMMARC_ARGUMENT if a matcher or a row is listed twice, or another thread uses a matcher. GRAMMARC_BUFFER if a row is
 * missing or too short. On failure nothing is written.
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
 * Applies the masks of `count` matchers to rows of logits, as grammarc_matcher_apply() does for one.
 *
 * The logits have `logit_rows` rows of `row_length` elements of type `dtype` each, without gaps. Rows without a listed
 * matcher stay unchanged. `rows`, `threads` and the failures are those of grammarc_fill_batch().
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
 * Writes the masks for speculative decoding of `count` draft tokens. The matcher does not move.
 *
 * The bitmask has `mask_rows` rows of `row_words` words each, without gaps. Row 0 is the mask of the next token, and row
 * `i + 1` is the mask after draft token `i`. From the first refused draft token on, rows are copies of the last computed
 * row. `*valid` is the number of leading draft tokens that are allowed; `valid` may be NULL.
 *
 * GRAMMARC_BUFFER if there are fewer than `count + 1` rows, or they are too short. On failure nothing is written.
 */
grammarc_status grammarc_fill_drafts(struct grammarc_matcher *matcher,
                                     const uint32_t *drafts,
                                     size_t count,
                                     uint32_t *mask,
                                     size_t mask_rows,
                                     size_t row_words,
                                     size_t *valid);

/**
 * Accepts the `count` tokens of a known output, and writes the mask that each was drawn from.
 *
 * The bitmask has `mask_rows` rows of `row_words` words each, without gaps. Row `i` is the mask before token `i`. From the
 * first refused token on, rows are copies of the last computed row. `*taken` is the number of accepted tokens; `taken` may
 * be NULL.
 *
 * GRAMMARC_BUFFER if there are fewer than `count` rows, or they are too short. On failure nothing is written, and the
 * matcher does not move.
 */
grammarc_status grammarc_replay(struct grammarc_matcher *matcher,
                                const uint32_t *tokens,
                                size_t count,
                                uint32_t *mask,
                                size_t mask_rows,
                                size_t row_words,
                                size_t *taken);

/**
 * Makes a splitter at the start of an output.
 */
grammarc_status grammarc_splitter_new(const struct grammarc_grammar *grammar,
                                      struct grammarc_splitter **out,
                                      struct grammarc_error **error);

/**
 * Frees a splitter and its pieces. NULL is allowed.
 */
void grammarc_splitter_free(struct grammarc_splitter *splitter);

/**
 * Returns the splitter to the start of an output. A splitter that failed with GRAMMARC_INTERNAL becomes usable again.
 */
grammarc_status grammarc_splitter_reset(struct grammarc_splitter *splitter);

/**
 * Reads a token, and returns the pieces that are now certain.
 *
 * `*pieces` points to `*count` pieces, valid until the next call that moves the splitter. `pieces` and `count` may be NULL. An end
 * token of the vocabulary finishes the output if the output may end, unless the grammar contains the token itself.
 *
 * GRAMMARC_REFUSED, GRAMMARC_FINISHED and GRAMMARC_LIMIT leave the splitter and its pieces unchanged.
 */
grammarc_status grammarc_splitter_push(struct grammarc_splitter *splitter,
                                       uint32_t token,
                                       const struct grammarc_piece **pieces,
                                       size_t *count);

/**
 * Reads `length` bytes, as grammarc_splitter_push() reads a token. Special tokens cannot be written as bytes.
 *
 * On GRAMMARC_REFUSED and GRAMMARC_LIMIT, `*offset` is the offset of the refused byte; `offset` may be NULL. The bytes
 * before it were read, and their pieces are returned by the next call.
 */
grammarc_status grammarc_splitter_push_bytes(struct grammarc_splitter *splitter,
                                             const uint8_t *bytes,
                                             size_t length,
                                             const struct grammarc_piece **pieces,
                                             size_t *count,
                                             size_t *offset);

/**
 * Reads `length` bytes of text in which special tokens are spelled, for hosts that have no tokens, as
 * grammarc_splitter_push_bytes() reads bytes. Where the grammar reads a special token, its text may be that token, or bytes
 * that the grammar takes there. The text may be cut anywhere, within a special token too.
 */
grammarc_status grammarc_splitter_push_text(struct grammarc_splitter *splitter,
                                            const uint8_t *text,
                                            size_t length,
                                            const struct grammarc_piece **pieces,
                                            size_t *count,
                                            size_t *offset);

/**
 * Ends the output and returns the last pieces, as grammarc_splitter_push() does. The output may be incomplete: check
 * grammarc_splitter_is_accepting() first.
 */
grammarc_status grammarc_splitter_finish(struct grammarc_splitter *splitter,
                                         const struct grammarc_piece **pieces,
                                         size_t *count);

/**
 * Returns the number of tool calls so far. 0 for NULL.
 */
size_t grammarc_splitter_call_count(const struct grammarc_splitter *splitter);

/**
 * Returns the tool name of the call with an index, without a final NUL. `*length` is its length in bytes; `length` may be
 * NULL. The name lives as long as the splitter. NULL for an unknown call, and for NULL.
 */
const char *grammarc_splitter_call_name(const struct grammarc_splitter *splitter,
                                        size_t call,
                                        size_t *length);

/**
 * Whether the output may end at this position. False for NULL.
 */
bool grammarc_splitter_is_accepting(const struct grammarc_splitter *splitter);

/**
 * Whether the output has ended. False for NULL.
 */
bool grammarc_splitter_is_finished(const struct grammarc_splitter *splitter);

/**
 * Returns the name of a piece's kind, such as `text`, or `unknown` for another number. Static text, never NULL.
 */
const char *grammarc_piece_kind_name(uint32_t kind);

/**
 * Makes a reader at the start of an output.
 *
 * `style` is the style of the tool calls in the request, such as `qwen_3_coder`; length 0 returns arguments as they are
 * written. `tools` is a JSON array of the request's tools, as in OpenAI's protocol; length 0 means none.
 */
grammarc_status grammarc_calls_new(const struct grammarc_grammar *grammar,
                                   const char *style,
                                   size_t style_length,
                                   const char *tools,
                                   size_t tools_length,
                                   struct grammarc_calls **out,
                                   struct grammarc_error **error);

/**
 * Frees a reader and its parts. NULL is allowed.
 */
void grammarc_calls_free(struct grammarc_calls *calls);

/**
 * Reads a token, and returns the parts that are now certain.
 *
 * `*parts` points to `*count` parts, valid until the next call that moves the reader. `parts` and `count` may be NULL. An end
 * token of the vocabulary ends the output, unless the grammar contains the token itself.
 */
grammarc_status grammarc_calls_push(struct grammarc_calls *calls,
                                    uint32_t token,
                                    const struct grammarc_part **parts,
                                    size_t *count);

/**
 * Reads `length` bytes of text in which special tokens are spelled, and returns the parts that are now certain, as
 * grammarc_calls_push() does. The text may be cut anywhere.
 */
grammarc_status grammarc_calls_push_text(struct grammarc_calls *calls,
                                         const uint8_t *text,
                                         size_t length,
                                         const struct grammarc_part **parts,
                                         size_t *count);

/**
 * Ends the output and returns the last parts, as grammarc_calls_push() does. If the output ends within a call, the arguments
 * of this call are incomplete.
 */
grammarc_status grammarc_calls_finish(struct grammarc_calls *calls,
                                      const struct grammarc_part **parts,
                                      size_t *count);

/**
 * Ends an output that was cut off, as grammarc_calls_finish() does, without text that may begin a tag. `*incomplete` is the
 * index of the incomplete call, or GRAMMARC_NO_CALL; `incomplete` may be NULL.
 */
grammarc_status grammarc_calls_cut(struct grammarc_calls *calls,
                                   const struct grammarc_part **parts,
                                   size_t *count,
                                   uint32_t *incomplete);

/**
 * Returns the offset in bytes from which on the output is not of the grammar. SIZE_MAX while it is, and for NULL.
 */
size_t grammarc_calls_left(const struct grammarc_calls *calls);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GRAMMARC_H */
