/* What the test programs share: a check that names its place, and a vocabulary of single bytes, words and special tokens. */
#ifndef CHECK_H
#define CHECK_H

#include "grammarc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* A status, by name where it is another. */
#define STATUS(call, expected)                                                                               \
    do {                                                                                                     \
        grammarc_status status_ = (call);                                                                    \
        if (status_ != (expected)) {                                                                         \
            fprintf(stderr, "%s:%d: %s is %s\n", __FILE__, __LINE__, #call, grammarc_status_name(status_));  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static const char *const WORDS[] = {"true", "false", "null", "{\"", "\":", "\": ", ", \"", "\"}", "}", "re", "red", "ed"};

enum {
    BYTES = 256,
    WORD_COUNT = sizeof(WORDS) / sizeof(WORDS[0]),
    PAD = BYTES + WORD_COUNT,
    EOS,
    EOT,
    TOKENS
};

/* A vocabulary of all bytes, WORDS, a special token, and two that end a sequence. */
static inline grammarc_vocabulary *vocabulary_of_bytes(void)
{
    static const char *const names[] = {"<pad>", "<eos>", "<eot>"};
    uint8_t data[1024], kinds[TOKENS];
    uint64_t offsets[TOKENS + 1];
    uint32_t ends[] = {EOT, EOS};
    size_t used = 0;
    for (size_t id = 0; id < TOKENS; id++) {
        offsets[id] = used;
        kinds[id] = id < PAD ? GRAMMARC_TOKEN_TEXT : GRAMMARC_TOKEN_SPECIAL;
        if (id < BYTES) {
            data[used++] = (uint8_t)id;
            continue;
        }
        const char *text = id < PAD ? WORDS[id - BYTES] : names[id - PAD];
        memcpy(data + used, text, strlen(text));
        used += strlen(text);
    }
    offsets[TOKENS] = used;

    grammarc_vocabulary_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.end_tokens = ends;
    options.end_token_count = 2;
    options.name.data = "bytes";
    options.name.length = 5;

    grammarc_vocabulary *vocabulary = NULL;
    grammarc_error *error = NULL;
    grammarc_status status = grammarc_vocabulary_from_tokens(data, offsets, kinds, TOKENS, &options, &vocabulary, &error);
    if (status != GRAMMARC_OK) {
        fprintf(stderr, "the vocabulary: %s\n", grammarc_error_message(error, NULL));
        exit(1);
    }
    return vocabulary;
}

static inline grammarc_compiler *compiler_for(const grammarc_vocabulary *vocabulary)
{
    grammarc_compiler_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.threads = 2;
    grammarc_compiler *compiler = NULL;
    STATUS(grammarc_compiler_new(vocabulary, &options, &compiler, NULL), GRAMMARC_OK);
    return compiler;
}

static inline grammarc_grammar *compiled(const grammarc_compiler *compiler, uint32_t language, const char *source)
{
    grammarc_grammar *grammar = NULL;
    grammarc_error *error = NULL;
    grammarc_status status =
        grammarc_compile(compiler, language, source, strlen(source), NULL, 0, NULL, NULL, &grammar, &error);
    if (status != GRAMMARC_OK) {
        fprintf(stderr, "%s: %s\n", source, grammarc_error_message(error, NULL));
        exit(1);
    }
    CHECK(error == NULL);
    return grammar;
}

static inline grammarc_matcher *matcher_of(const grammarc_grammar *grammar, const grammarc_matcher_options *options)
{
    grammarc_matcher *matcher = NULL;
    STATUS(grammarc_matcher_new(grammar, options, &matcher, NULL), GRAMMARC_OK);
    return matcher;
}

static inline grammarc_matcher_options matcher_options(void)
{
    grammarc_matcher_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

/* Accepts the bytes of a text, one token each. */
static inline void accept_text(grammarc_matcher *matcher, const char *text)
{
    for (; *text != 0; text++) {
        STATUS(grammarc_matcher_accept(matcher, (uint8_t)*text), GRAMMARC_OK);
    }
}

static inline bool bit(const uint32_t *words, uint32_t token)
{
    return words[token / 32] >> (token % 32) & 1;
}

/* How many bits are set. */
static inline size_t bits(const uint32_t *words, size_t count)
{
    size_t found = 0;
    for (size_t at = 0; at < count * 32; at++) {
        found += bit(words, (uint32_t)at);
    }
    return found;
}

#endif
