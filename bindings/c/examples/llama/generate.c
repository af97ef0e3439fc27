/*
 * Generates with llama.cpp under a grammar: generate MODEL.gguf SCHEMAS COUNT [SEED]
 *
 * SCHEMAS has a JSON Schema on each line. For each, COUNT texts are generated, and written to the standard output as lines of the
 * schema's number, a tab and the text, in which NUL bytes and line breaks cannot stand. Beside each, as many tokens are drawn
 * without a grammar, so that the two times that are printed at the end are of the same work under the same load.
 */
#include "grammarc_llama.h"
#include "llama.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONTEXT = 2048, BUDGET = 160, MOST_ENDS = 64 };

static struct llama_model *model;
static struct llama_context *context;
static const struct llama_vocab *vocab;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why == NULL ? "failed" : why);
    exit(1);
}

static void check(grammarc_status status, const char *what, grammarc_error *error)
{
    if (status != GRAMMARC_OK) {
        die(what, error == NULL ? grammarc_status_name(status) : grammarc_error_message(error, NULL));
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void quiet(enum ggml_log_level level, const char *text, void *data)
{
    (void)data;
    if (level == GGML_LOG_LEVEL_ERROR) {
        fputs(text, stderr);
    }
}

/* The chain of samplers: the grammar comes first, where there is one. */
static struct llama_sampler *chain_of(struct llama_sampler *grammar, uint32_t seed)
{
    struct llama_sampler *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    if (grammar != NULL) {
        llama_sampler_chain_add(chain, grammar);
    }
    llama_sampler_chain_add(chain, llama_sampler_init_temp(0.8f));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
    return chain;
}

static void decode(llama_token *tokens, int32_t count)
{
    if (llama_decode(context, llama_batch_get_one(tokens, count)) != 0) {
        die("llama_decode", NULL);
    }
}

static void write_token(llama_token token)
{
    char piece[512];
    int32_t length = llama_token_to_piece(vocab, token, piece, sizeof piece, 0, false);
    if (length > 0) {
        fwrite(piece, 1, (size_t)length, stdout);
    }
}

/* Draws tokens after a prompt, up to `most`, or up to an end token where there is a grammar. Returns how many. */
static int draw(llama_token *prompt, int32_t length, struct llama_sampler *chain, struct llama_sampler *grammar, int most, double *seconds)
{
    /* The context holds the prompt already, but for its last token. */
    llama_memory_seq_rm(llama_get_memory(context), 0, length - 1, -1);
    decode(prompt + length - 1, 1);
    double started = now();
    int drawn = 0;
    while (drawn < most) {
        llama_token token = llama_sampler_sample(chain, context, -1);
        drawn++;
        if (grammar != NULL) {
            if (llama_vocab_is_eog(vocab, token)) {
                break;
            }
            write_token(token);
        }
        decode(&token, 1);
    }
    *seconds += now() - started;
    if (grammar != NULL) {
        check(grammarc_llama_sampler_status(grammar), "the sampler", NULL);
        const grammarc_matcher *matcher = grammarc_llama_sampler_matcher(grammar);
        if (!grammarc_matcher_is_finished(matcher)) {
            /* The budget is spent: the shortest text to a valid end is known. */
            grammarc_matcher *closing = NULL;
            uint32_t tokens[256];
            size_t count = 0;
            check(grammarc_matcher_fork(matcher, &closing), "the fork", NULL);
            check(grammarc_matcher_ending(closing, tokens, 256, &count), "the ending", NULL);
            for (size_t at = 0; at < count; at++) {
                write_token((llama_token)tokens[at]);
            }
            grammarc_matcher_free(closing);
        }
    }
    return drawn;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        die("generate", "MODEL.gguf SCHEMAS COUNT [SEED]");
    }
    const char *path = arguments[1];
    int generations = atoi(arguments[3]);
    uint32_t seed = count > 4 ? (uint32_t)atoi(arguments[4]) : 1;
    FILE *schemas = fopen(arguments[2], "r");
    if (schemas == NULL) {
        die(arguments[2], "cannot be read");
    }

    llama_log_set(quiet, NULL);
    llama_backend_init();
    model = llama_model_load_from_file(path, llama_model_default_params());
    if (model == NULL) {
        die(path, "is no model");
    }
    struct llama_context_params settings = llama_context_default_params();
    settings.n_ctx = CONTEXT;
    settings.n_batch = CONTEXT;
    settings.n_threads = settings.n_threads_batch = 1;
    context = llama_init_from_model(model, settings);
    vocab = llama_model_get_vocab(model);
    if (context == NULL) {
        die(path, "makes no context");
    }

    grammarc_error *error = NULL;
    grammarc_vocabulary *vocabulary = NULL;
    grammarc_compiler *compiler = NULL;
    double started = now();
    check(grammarc_vocabulary_import_file(path, strlen(path), NULL, &vocabulary, &error), path, error);
    fprintf(stderr, "vocabulary: %u tokens in %.0f ms\n", grammarc_vocabulary_token_count(vocabulary), (now() - started) * 1e3);
    check(grammarc_compiler_new(vocabulary, NULL, &compiler, &error), "the compiler", error);

    uint32_t ends[MOST_ENDS];
    grammarc_matcher_options options = {.struct_size = sizeof options, .end_tokens = ends};
    options.logit_width = (uint32_t)llama_vocab_n_tokens(vocab);
    for (llama_token id = 0; id < llama_vocab_n_tokens(vocab) && options.end_token_count < MOST_ENDS; id++) {
        if (llama_vocab_is_eog(vocab, id)) {
            ends[options.end_token_count++] = (uint32_t)id;
        }
    }

    static char line[1 << 16], prompt[1 << 17];
    static llama_token tokens[CONTEXT];
    long drawn_all = 0;
    double with = 0, without = 0;
    for (int number = 0; fgets(line, sizeof line, schemas) != NULL; number++) {
        line[strcspn(line, "\n")] = 0;
        grammarc_grammar *grammar = NULL;
        grammarc_matcher *matcher = NULL;
        started = now();
        check(grammarc_compile(compiler, GRAMMARC_JSON_SCHEMA, line, strlen(line), NULL, 0, NULL, NULL, &grammar, &error), line, error);
        fprintf(stderr, "schema %d: %.1f ms\n", number, (now() - started) * 1e3);
        check(grammarc_matcher_new(grammar, &options, &matcher, &error), "the matcher", error);

        int length = snprintf(prompt, sizeof prompt,
                              "<|im_start|>user\nWrite a JSON document that this schema describes: %s<|im_end|>\n<|im_start|>assistant\n", line);
        int32_t prompt_tokens = llama_tokenize(vocab, prompt, length, tokens, CONTEXT - BUDGET, false, true);
        if (prompt_tokens < 0) {
            die(line, "is too long for the context");
        }
        llama_memory_clear(llama_get_memory(context), true);
        decode(tokens, prompt_tokens - 1);
        for (int generation = 0; generation < generations; generation++) {
            struct llama_sampler *sampler = grammarc_llama_sampler(llama_sampler_init, matcher);
            struct llama_sampler *chain = chain_of(sampler, seed + (uint32_t)generation);
            struct llama_sampler *free_chain = chain_of(NULL, seed + (uint32_t)generation);
            printf("%d\t", number);
            int drawn = draw(tokens, prompt_tokens, chain, sampler, BUDGET, &with);
            putchar('\n');
            draw(tokens, prompt_tokens, free_chain, NULL, drawn, &without);
            drawn_all += drawn;
            llama_sampler_free(chain);
            llama_sampler_free(free_chain);
        }
        grammarc_matcher_free(matcher);
        grammarc_grammar_free(grammar);
    }
    fprintf(stderr, "%ld tokens: %.1f a second with grammars, %.1f without\n", drawn_all, (double)drawn_all / with, (double)drawn_all / without);

    fclose(schemas);
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    llama_free(context);
    llama_model_free(model);
    llama_backend_free();
    return 0;
}
