/* The interface for devices, over the emulated driver whose path is the first argument: memory of the device is memory of the process. */
#include "grammarc_cuda.h"

#include "check.h"

#include <math.h>

enum { SLOTS = 3, DRAFTS = 2, PLACES = SLOTS * (DRAFTS + 1) };

static grammarc_cuda_logits logits_at(float *at, uint32_t rows, const int32_t *numbers)
{
    grammarc_cuda_logits logits;
    memset(&logits, 0, sizeof logits);
    memset(at, 0, rows * TOKENS * sizeof *at);
    logits.struct_size = sizeof logits;
    logits.at = at;
    logits.rows = rows;
    logits.columns = TOKENS;
    logits.dtype = GRAMMARC_F32;
    logits.numbers = numbers;
    return logits;
}

/* A row is masked as the matcher says. */
static void masked(const float *row, grammarc_matcher *matcher)
{
    uint32_t words[(TOKENS + 31) / 32];
    STATUS(grammarc_matcher_fill(matcher, words, sizeof words / sizeof *words, NULL), GRAMMARC_OK);
    for (uint32_t token = 0; token < TOKENS; token++) {
        CHECK((row[token] == 0) == ((words[token / 32] >> (token % 32) & 1) != 0));
        CHECK(row[token] == 0 || (isinf(row[token]) && row[token] < 0));
    }
}

static void refusals(const char *driver, const grammarc_cuda *device, grammarc_matcher *matcher)
{
    grammarc_error *error = NULL;
    grammarc_cuda *none = NULL;
    grammarc_cuda_options options;
    memset(&options, 0, sizeof options);
    STATUS(grammarc_cuda_open(&options, &none, NULL), GRAMMARC_ARGUMENT);
    options.struct_size = sizeof options;
    options.driver = "/no/such/driver.so";
    options.driver_length = strlen(options.driver);
    STATUS(grammarc_cuda_open(&options, &none, &error), GRAMMARC_IO);
    CHECK(none == NULL && strstr(grammarc_error_message(error, NULL), "no CUDA driver was found") != NULL);
    grammarc_error_free(error);
    options.driver = driver;
    options.driver_length = strlen(driver);
    options.ordinal = 7;
    STATUS(grammarc_cuda_open(&options, &none, NULL), GRAMMARC_ARGUMENT);

    grammarc_cuda_slots *slots = NULL;
    STATUS(grammarc_cuda_slots_new(NULL, 1, 0, NULL, &slots, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_cuda_slots_new(device, 1, 0, NULL, &slots, NULL), GRAMMARC_OK);
    STATUS(grammarc_cuda_slots_write(slots, 0, NULL, matcher, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_cuda_slots_apply(slots, NULL, NULL, NULL), GRAMMARC_ARGUMENT);
    float row[TOKENS];
    grammarc_cuda_logits logits = logits_at(row, 1, NULL);
    logits.dtype = 9;
    STATUS(grammarc_cuda_slots_apply(slots, &logits, NULL, NULL), GRAMMARC_ARGUMENT);
    CHECK(grammarc_cuda_slots_status(NULL) == NULL);
    grammarc_cuda_slots_free(slots);
    grammarc_cuda_free(NULL);
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    grammarc_vocabulary *vocabulary = vocabulary_of_bytes();
    grammarc_compiler *compiler = compiler_for(vocabulary);
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_GBNF, "root ::= \"(\" root \")\" | \"x\" | \"red\"");
    grammarc_grammar *other = compiled(compiler, GRAMMARC_GBNF, "root ::= [a-z]+");
    grammarc_matcher *matchers[SLOTS], *foreign = NULL;
    for (int at = 0; at < SLOTS; at++) matchers[at] = matcher_of(grammar, NULL);
    foreign = matcher_of(other, NULL);

    grammarc_cuda_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.driver = arguments[1];
    options.driver_length = strlen(arguments[1]);
    options.pool_bytes = 64 << 20;
    grammarc_cuda *device = NULL;
    STATUS(grammarc_cuda_open(&options, &device, NULL), GRAMMARC_OK);
    refusals(arguments[1], device, matchers[0]);

    grammarc_cuda_grammar *resident = NULL;
    STATUS(grammarc_cuda_upload(device, matchers[0], NULL, &resident, NULL), GRAMMARC_OK);
    uint64_t used = 0, held = 0;
    grammarc_cuda_usage(device, &used, &held);
    CHECK(used > 0 && held >= used);

    grammarc_cuda_slots *slots = NULL;
    STATUS(grammarc_cuda_slots_new(device, SLOTS, DRAFTS, NULL, &slots, NULL), GRAMMARC_OK);
    STATUS(grammarc_cuda_slots_write(slots, 0, resident, foreign, NULL, NULL), GRAMMARC_MISMATCH);
    STATUS(grammarc_cuda_slots_write(slots, SLOTS, resident, matchers[0], NULL, NULL), GRAMMARC_ARGUMENT);
    for (int at = 0; at < SLOTS; at++) {
        STATUS(grammarc_cuda_slots_write(slots, at, resident, matchers[at], NULL, NULL), GRAMMARC_OK);
    }

    /* Tokens are taken on the device: allowed, not allowed, none. */
    int32_t taken[SLOTS] = {'(', 'q', -1};
    grammarc_cuda_tokens tokens;
    memset(&tokens, 0, sizeof tokens);
    tokens.struct_size = sizeof tokens;
    tokens.tokens = taken;
    tokens.count = SLOTS;
    STATUS(grammarc_cuda_slots_advance(slots, &tokens, NULL, NULL, NULL), GRAMMARC_OK);
    const uint32_t *status = grammarc_cuda_slots_status(slots);
    CHECK(status[0] == 0 && status[1] == GRAMMARC_CUDA_REFUSED && status[2] == 0);
    STATUS(grammarc_matcher_accept(matchers[0], '('), GRAMMARC_OK);
    static float rows[PLACES * TOKENS];
    int32_t places[SLOTS] = {0, DRAFTS + 1, 2 * (DRAFTS + 1)};
    grammarc_cuda_logits logits = logits_at(rows, SLOTS, places);
    STATUS(grammarc_cuda_slots_apply(slots, &logits, NULL, NULL), GRAMMARC_OK);
    for (int at = 0; at < SLOTS; at++) masked(rows + at * TOKENS, matchers[at]);

    /* Drafts, of which one is not allowed, and the token after the accepted one. */
    int32_t drafts[DRAFTS] = {'(', '?'}, allowed = -1, accepted = 1, next = 'x';
    tokens.tokens = drafts;
    tokens.stride = DRAFTS;
    tokens.count = 1;
    STATUS(grammarc_cuda_slots_draft(slots, &tokens, DRAFTS + 1, &allowed, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_cuda_slots_draft(slots, &tokens, DRAFTS, &allowed, NULL, NULL), GRAMMARC_OK);
    CHECK(allowed == 1);
    tokens.tokens = &next;
    STATUS(grammarc_cuda_slots_advance(slots, &tokens, &accepted, NULL, NULL), GRAMMARC_OK);
    CHECK(status[0] == 0);
    STATUS(grammarc_matcher_accept(matchers[0], '('), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept(matchers[0], 'x'), GRAMMARC_OK);
    uint32_t bitmask[(TOKENS + 31) / 32], expected[(TOKENS + 31) / 32];
    uint32_t words = sizeof bitmask / sizeof *bitmask;
    STATUS(grammarc_cuda_slots_fill(slots, bitmask, words, words, 1, places, NULL, NULL), GRAMMARC_OK);
    STATUS(grammarc_matcher_fill(matchers[0], expected, words, NULL), GRAMMARC_OK);
    CHECK(memcmp(bitmask, expected, sizeof bitmask) == 0);

    /* A bitmask of the host's. */
    logits = logits_at(rows, 1, NULL);
    STATUS(grammarc_cuda_apply_bitmask(device, bitmask, words, words, TOKENS + 32, &logits, NULL, NULL), GRAMMARC_BUFFER);
    STATUS(grammarc_cuda_apply_bitmask(device, bitmask, words, words, TOKENS, &logits, NULL, NULL), GRAMMARC_OK);
    masked(rows, matchers[0]);

    /* A sample that is taken at once: only ")" can come, and then, and then the end. */
    int32_t sampled = -1, slot = 0;
    grammarc_cuda_sampling sampling;
    memset(&sampling, 0, sizeof sampling);
    sampling.struct_size = sizeof sampling;
    sampling.tokens = &sampled;
    sampling.slots = &slot;
    sampling.advances = 1;
    for (int at = 0; at < 3; at++) {
        logits = logits_at(rows, 1, places);
        STATUS(grammarc_cuda_slots_sample(slots, &logits, &sampling, NULL, NULL), GRAMMARC_OK);
        CHECK(sampled == (at < 2 ? ')' : EOS));
    }
    CHECK(status[0] == GRAMMARC_CUDA_FINISHED);
    STATUS(grammarc_cuda_slots_release(slots, 0, NULL, NULL), GRAMMARC_OK);
    logits = logits_at(rows, 1, places);
    STATUS(grammarc_cuda_slots_apply(slots, &logits, NULL, NULL), GRAMMARC_OK);
    for (int token = 0; token < TOKENS; token++) CHECK(rows[token] == 0);

    /* Rows by number, for a host that advances itself. */
    grammarc_cuda_rows *table = NULL;
    STATUS(grammarc_cuda_rows_new(device, 2, NULL, &table, NULL), GRAMMARC_OK);
    STATUS(grammarc_cuda_rows_begin(table), GRAMMARC_OK);
    int32_t numbers[2] = {-1, -1};
    STATUS(grammarc_cuda_rows_number(table, resident, matchers[0], NULL, &numbers[0], NULL), GRAMMARC_OK);
    STATUS(grammarc_cuda_rows_number(table, resident, matchers[1], NULL, &numbers[1], NULL), GRAMMARC_OK);
    STATUS(grammarc_cuda_rows_number(table, resident, foreign, NULL, &numbers[1], NULL), GRAMMARC_MISMATCH);
    STATUS(grammarc_cuda_rows_flush(table, NULL, NULL), GRAMMARC_OK);
    logits = logits_at(rows, 2, numbers);
    STATUS(grammarc_cuda_rows_apply(table, &logits, NULL, NULL), GRAMMARC_OK);
    masked(rows, matchers[0]);
    masked(rows + TOKENS, matchers[1]);

    grammarc_cuda_rows_free(table);
    grammarc_cuda_slots_free(slots);
    grammarc_cuda_grammar_free(resident);
    grammarc_cuda_free(device);
    for (int at = 0; at < SLOTS; at++) grammarc_matcher_free(matchers[at]);
    grammarc_matcher_free(foreign);
    grammarc_grammar_free(grammar);
    grammarc_grammar_free(other);
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    puts("ok");
    return 0;
}
