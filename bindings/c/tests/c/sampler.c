/*
 * The sampler for llama.cpp, driven as llama.cpp drives one, over the three structs of its header as they are in
 * llama-cpp-python 0.3.36. The table there has more places than are filled in: they have to be empty.
 */
#include "check.h"
#include "grammarc_llama.h"

#include <math.h>

typedef struct {
    int32_t id;
    float logit;
    float p;
} llama_token_data;

typedef struct {
    llama_token_data *data;
    size_t size;
    int64_t selected;
    bool sorted;
} llama_token_data_array;

struct llama_sampler_i {
    const char *(*name)(const struct llama_sampler *);
    void (*accept)(struct llama_sampler *, int32_t);
    void (*apply)(struct llama_sampler *, llama_token_data_array *);
    void (*reset)(struct llama_sampler *);
    struct llama_sampler *(*clone)(const struct llama_sampler *);
    void (*free)(struct llama_sampler *);
    void (*later[16])(void);
};

struct llama_sampler {
    struct llama_sampler_i *iface;
    void *ctx;
};

static int alive;

static struct llama_sampler *llama_sampler_init(struct llama_sampler_i *iface, void *context)
{
    struct llama_sampler *sampler = malloc(sizeof *sampler);
    CHECK(sampler != NULL);
    *sampler = (struct llama_sampler){iface, context};
    alive++;
    return sampler;
}

static struct llama_sampler *refuse(struct llama_sampler_i *iface, void *context)
{
    (void)iface;
    (void)context;
    return NULL;
}

static void llama_sampler_free(struct llama_sampler *sampler)
{
    sampler->iface->free(sampler);
    free(sampler);
    alive--;
}

/* All tokens, from the last to the first, so that a place is no id; and some that the vocabulary does not have. */
enum { CANDIDATES = TOKENS + 40 };
static llama_token_data candidates[CANDIDATES];

static llama_token_data_array all(void)
{
    for (int32_t at = 0; at < CANDIDATES; at++) {
        candidates[at] = (llama_token_data){CANDIDATES - 1 - at, 1.0f, 0.0f};
    }
    return (llama_token_data_array){candidates, CANDIDATES, -1, true};
}

static bool allowed(llama_token_data one)
{
    CHECK(one.logit == 1.0f || (isinf(one.logit) && one.logit < 0));
    return one.logit == 1.0f;
}

/* Whether exactly these two are allowed, by a list of all and by lists of one. */
static void only(struct llama_sampler *sampler, int32_t one, int32_t two)
{
    llama_token_data_array list = all();
    sampler->iface->apply(sampler, &list);
    CHECK(!list.sorted && list.size == CANDIDATES && list.selected == -1);
    for (size_t at = 0; at < CANDIDATES; at++) {
        int32_t id = candidates[at].id;
        CHECK(allowed(candidates[at]) == (id == one || id == two));
        llama_token_data single = {id, 1.0f, 0.0f};
        llama_token_data_array tested = {&single, 1, 0, false};
        sampler->iface->apply(sampler, &tested);
        CHECK(allowed(single) == (id == one || id == two));
    }
}

static void accept_all(struct llama_sampler *sampler, const char *text)
{
    for (; *text != 0; text++) {
        sampler->iface->accept(sampler, (uint8_t)*text);
    }
}

int main(void)
{
    grammarc_vocabulary *vocabulary = vocabulary_of_bytes();
    grammarc_compiler *compiler = compiler_for(vocabulary);
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_CHOICE, "[\"abc\", \"xyz\"]");
    grammarc_matcher *matcher = matcher_of(grammar, NULL);

    CHECK(grammarc_llama_sampler(NULL, matcher) == NULL);
    CHECK(grammarc_llama_sampler(llama_sampler_init, NULL) == NULL);
    CHECK(grammarc_llama_sampler(refuse, matcher) == NULL);
    struct llama_sampler *sampler = grammarc_llama_sampler(llama_sampler_init, matcher);
    CHECK(sampler != NULL && strcmp(sampler->iface->name(sampler), "grammarc") == 0);
    for (size_t at = 0; at < 16; at++) {
        CHECK(sampler->iface->later[at] == NULL);
    }
    grammarc_matcher_free(matcher);

    only(sampler, 'a', 'x');
    sampler->iface->accept(sampler, 'a');
    struct llama_sampler *clone = sampler->iface->clone(sampler);
    only(sampler, 'b', 'b');
    accept_all(sampler, "bc");
    only(sampler, EOS, EOT);
    only(clone, 'b', 'b');
    sampler->iface->accept(sampler, EOT);
    sampler->iface->accept(sampler, EOS);
    only(sampler, EOS, EOT);
    CHECK(grammarc_llama_sampler_status(sampler) == GRAMMARC_OK);
    CHECK(grammarc_matcher_is_finished(grammarc_llama_sampler_matcher(sampler)));
    sampler->iface->reset(sampler);
    only(sampler, 'a', 'x');

    /* A token that is not allowed: the sequence ends, and does not go on without a grammar. */
    clone->iface->accept(clone, 'q');
    only(clone, EOS, EOT);
    CHECK(grammarc_llama_sampler_status(clone) == GRAMMARC_REFUSED);
    struct llama_sampler *second = clone->iface->clone(clone);
    CHECK(grammarc_llama_sampler_status(second) == GRAMMARC_REFUSED);
    only(second, EOS, EOT);
    clone->iface->accept(clone, -1);
    clone->iface->reset(clone);
    CHECK(grammarc_llama_sampler_status(clone) == GRAMMARC_OK);
    only(clone, 'a', 'x');

    /* Lists that are empty, and samplers that are none of ours. */
    llama_token_data_array none = {NULL, 0, -1, true};
    clone->iface->apply(clone, &none);
    CHECK(none.sorted);
    struct llama_sampler_i other_table;
    memset(&other_table, 0, sizeof other_table);
    struct llama_sampler other = {&other_table, NULL};
    CHECK(grammarc_llama_sampler_status(&other) == GRAMMARC_ARGUMENT && grammarc_llama_sampler_matcher(&other) == NULL);
    CHECK(grammarc_llama_sampler_status(NULL) == GRAMMARC_ARGUMENT && grammarc_llama_sampler_matcher(NULL) == NULL);

    llama_sampler_free(second);
    llama_sampler_free(sampler);
    llama_sampler_free(clone);
    CHECK(alive == 0);
    grammarc_grammar_free(grammar);
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    puts("ok");
    return 0;
}
