/* See structured.h. */
#include "structured.h"

structured_engine *structured_engine_new(const uint8_t *data, const uint64_t *offsets, const uint8_t *kinds, size_t count,
                                         uint32_t logit_width, const uint32_t *ends, size_t end_count, structured_error **error)
{
    grammarc_vocabulary_options options = {.struct_size = sizeof options, .logit_width = logit_width, .end_tokens = ends, .end_token_count = end_count};
    grammarc_vocabulary *vocabulary = NULL;
    grammarc_compiler *compiler = NULL;
    if (grammarc_vocabulary_from_tokens(data, offsets, kinds, count, &options, &vocabulary, error) == GRAMMARC_OK) {
        grammarc_compiler_new(vocabulary, NULL, &compiler, error);
    }
    grammarc_vocabulary_free(vocabulary);
    return compiler;
}

void structured_engine_free(structured_engine *engine)
{
    grammarc_compiler_free(engine);
}

structured_matcher *structured_matcher_new(const structured_engine *engine, const char *schema, size_t length, structured_error **error)
{
    grammarc_grammar *grammar = NULL;
    grammarc_matcher *matcher = NULL;
    if (grammarc_compile(engine, GRAMMARC_JSON_SCHEMA, schema, length, NULL, 0, NULL, NULL, &grammar, error) == GRAMMARC_OK) {
        grammarc_matcher_new(grammar, NULL, &matcher, error);
    }
    grammarc_grammar_free(grammar);
    return matcher;
}

void structured_matcher_free(structured_matcher *matcher)
{
    grammarc_matcher_free(matcher);
}

bool structured_fill(structured_matcher *matcher, uint32_t *words, size_t count, bool *needs_apply)
{
    return grammarc_matcher_fill(matcher, words, count, needs_apply) == GRAMMARC_OK;
}

bool structured_accept(structured_matcher *matcher, int32_t token)
{
    return grammarc_matcher_accept(matcher, (uint32_t)token) == GRAMMARC_OK;
}

bool structured_rollback(structured_matcher *matcher, size_t tokens)
{
    return grammarc_matcher_rollback(matcher, tokens) == GRAMMARC_OK;
}

bool structured_terminated(const structured_matcher *matcher)
{
    return grammarc_matcher_is_finished(matcher);
}

const char *structured_error_text(const structured_error *error)
{
    return grammarc_error_message(error, NULL);
}

void structured_error_free(structured_error *error)
{
    grammarc_error_free(error);
}
