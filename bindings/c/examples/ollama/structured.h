/*
 * The shape in which a server such as Ollama wraps a grammar engine: a dynamic library of ten functions, which it loads and
 * whose absence it reports. Each is one line over grammarc.
 *
 * Functions that make something return NULL on failure, and the reason in `error`, which structured_error_free() takes back.
 */
#ifndef STRUCTURED_H
#define STRUCTURED_H

#include "grammarc.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef grammarc_compiler structured_engine;
typedef grammarc_matcher structured_matcher;
typedef grammarc_error structured_error;

/* An engine for the tokens of a model: those of id `i` are the bytes of `data` from `offsets[i]` up to `offsets[i + 1]`. */
structured_engine *structured_engine_new(const uint8_t *data, const uint64_t *offsets, const uint8_t *kinds, size_t count,
                                         uint32_t logit_width, const uint32_t *ends, size_t end_count, structured_error **error);
void structured_engine_free(structured_engine *engine);

/* A matcher for a JSON Schema. */
structured_matcher *structured_matcher_new(const structured_engine *engine, const char *schema, size_t length, structured_error **error);
void structured_matcher_free(structured_matcher *matcher);

/* Writes the mask of the next token, and whether it has to be applied. */
bool structured_fill(structured_matcher *matcher, uint32_t *words, size_t count, bool *needs_apply);
/* Whether the token was allowed; the matcher moves only then. */
bool structured_accept(structured_matcher *matcher, int32_t token);
bool structured_rollback(structured_matcher *matcher, size_t tokens);
bool structured_terminated(const structured_matcher *matcher);

const char *structured_error_text(const structured_error *error);
void structured_error_free(structured_error *error);

#ifdef __cplusplus
}
#endif

#endif
