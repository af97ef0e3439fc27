/* Loads the library, uses it, lets it go, and does all of that once more: threads of a compiler may still be about to end. */
#include "grammarc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_UP(name)                                                                                        \
    do {                                                                                                     \
        void *found_ = dlsym(library, #name);                                                                \
        if (found_ == NULL) {                                                                                \
            fprintf(stderr, "no %s\n", #name);                                                               \
            exit(1);                                                                                         \
        }                                                                                                    \
        memcpy(&name##_, &found_, sizeof found_);                                                            \
    } while (0)

static void once(const char *path)
{
    __typeof__(grammarc_vocabulary_from_tokens) *grammarc_vocabulary_from_tokens_;
    __typeof__(grammarc_compiler_new) *grammarc_compiler_new_;
    __typeof__(grammarc_compile) *grammarc_compile_;
    __typeof__(grammarc_matcher_new) *grammarc_matcher_new_;
    __typeof__(grammarc_matcher_accept) *grammarc_matcher_accept_;
    __typeof__(grammarc_matcher_free) *grammarc_matcher_free_;
    __typeof__(grammarc_grammar_free) *grammarc_grammar_free_;
    __typeof__(grammarc_compiler_free) *grammarc_compiler_free_;
    __typeof__(grammarc_vocabulary_free) *grammarc_vocabulary_free_;

    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    LOOK_UP(grammarc_vocabulary_from_tokens);
    LOOK_UP(grammarc_compiler_new);
    LOOK_UP(grammarc_compile);
    LOOK_UP(grammarc_matcher_new);
    LOOK_UP(grammarc_matcher_accept);
    LOOK_UP(grammarc_matcher_free);
    LOOK_UP(grammarc_grammar_free);
    LOOK_UP(grammarc_compiler_free);
    LOOK_UP(grammarc_vocabulary_free);

    static uint8_t data[256];
    static uint64_t offsets[257];
    for (size_t at = 0; at < 256; at++) {
        data[at] = (uint8_t)at;
        offsets[at + 1] = at + 1;
    }
    grammarc_vocabulary *vocabulary;
    grammarc_compiler *compiler;
    grammarc_grammar *grammar;
    grammarc_matcher *matcher;
    const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"enum\":[1,2,3]}}}}";
    if (grammarc_vocabulary_from_tokens_(data, offsets, NULL, 256, NULL, &vocabulary, NULL) != GRAMMARC_OK ||
        grammarc_compiler_new_(vocabulary, NULL, &compiler, NULL) != GRAMMARC_OK ||
        grammarc_compile_(compiler, GRAMMARC_JSON_SCHEMA, schema, strlen(schema), NULL, 0, NULL, NULL, &grammar, NULL) != GRAMMARC_OK ||
        grammarc_matcher_new_(grammar, NULL, &matcher, NULL) != GRAMMARC_OK ||
        grammarc_matcher_accept_(matcher, '{') != GRAMMARC_OK) {
        fprintf(stderr, "a call failed\n");
        exit(1);
    }
    grammarc_matcher_free_(matcher);
    grammarc_grammar_free_(grammar);
    grammarc_compiler_free_(compiler);
    grammarc_vocabulary_free_(vocabulary);
    if (dlclose(library) != 0) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
}

int main(int count, char **arguments)
{
    if (count != 2) {
        return 1;
    }
    once(arguments[1]);
    once(arguments[1]);
    puts("ok");
    return 0;
}
