/* A server's loop over the wrapper: a "model" that likes every token alike draws what the mask leaves. */
#include "structured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 257, END = 256, WORDS = (TOKENS + 31) / 32 };

int main(void)
{
    static uint8_t data[256 + 5], kinds[TOKENS];
    static uint64_t offsets[TOKENS + 1];
    for (size_t id = 0; id < 256; id++) {
        data[id] = (uint8_t)id;
        offsets[id + 1] = id + 1;
    }
    memcpy(data + END, "<end>", 5);
    offsets[TOKENS] = offsets[END] + 5;
    kinds[END] = GRAMMARC_TOKEN_SPECIAL;
    const uint32_t end = END;

    structured_error *error = NULL;
    structured_engine *engine = structured_engine_new(data, offsets, kinds, TOKENS, TOKENS, &end, 1, &error);
    const char schema[] = "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"maxLength\":8},"
                          "\"degrees\":{\"type\":\"integer\",\"minimum\":-40,\"maximum\":50}},"
                          "\"required\":[\"city\",\"degrees\"],\"additionalProperties\":false}";
    structured_matcher *matcher = engine == NULL ? NULL : structured_matcher_new(engine, schema, strlen(schema), &error);
    if (matcher == NULL) {
        fprintf(stderr, "%s\n", structured_error_text(error));
        structured_error_free(error);
        structured_engine_free(engine);
        return 1;
    }

    char text[256] = "";
    size_t length = 0;
    uint32_t words[WORDS];
    bool needs_apply;
    srand(7);
    while (!structured_terminated(matcher) && length < sizeof text - 1) {
        if (!structured_fill(matcher, words, WORDS, &needs_apply)) {
            return 1;
        }
        int32_t token;
        do {
            token = rand() % TOKENS;
        } while (needs_apply && !(words[token / 32] >> (token % 32) & 1));
        /* A draft that is taken back, as speculative decoding does. */
        if (!structured_accept(matcher, token) || !structured_rollback(matcher, 1) || !structured_accept(matcher, token)) {
            return 1;
        }
        if (token != END) {
            text[length++] = (char)token;
        }
    }
    printf("%s\n", text);
    structured_matcher_free(matcher);
    structured_engine_free(engine);
    return 0;
}
