/* What every binding promises of masks and positions, in C. */
#include "check.h"
#include "environment.h"

#include <math.h>
#include <pthread.h>

enum { ROW = 16, WIDE = 400, WIDE_ROW = (WIDE + 31) / 32 };

static const char SCHEMA[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"},\"n\":{\"type\":\"integer\",\"minimum\":0}},"
    "\"required\":[\"ok\",\"n\"],\"additionalProperties\":false}";

static grammarc_vocabulary *vocabulary;
static grammarc_compiler *compiler;

static void end_of_a_sequence(void)
{
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_CHOICE, "[\"red\", \"green\"]");
    grammarc_matcher *matcher = matcher_of(grammar, NULL);
    uint32_t words[ROW], before[ROW];
    bool restricts = false;

    STATUS(grammarc_matcher_fill(matcher, words, ROW, &restricts), GRAMMARC_OK);
    CHECK(restricts);
    CHECK(bits(words, ROW) == 4); /* r, g, re, red */
    CHECK(bit(words, 'r') && bit(words, 'g') && grammarc_matcher_allows(matcher, 'g'));

    accept_text(matcher, "red");
    CHECK(grammarc_matcher_is_accepting(matcher) && !grammarc_matcher_is_finished(matcher));
    STATUS(grammarc_matcher_fill(matcher, words, ROW, NULL), GRAMMARC_OK);
    CHECK(bits(words, ROW) == 2 && bit(words, EOS) && bit(words, EOT));

    /* A refusal changes nothing. */
    memcpy(before, words, sizeof words);
    size_t depth = grammarc_matcher_rollback_depth(matcher);
    const uint32_t bad[] = {'x', PAD, TOKENS, 1u << 20, (uint32_t)-1, (uint32_t)-2};
    for (size_t at = 0; at < sizeof bad / sizeof bad[0]; at++) {
        STATUS(grammarc_matcher_accept(matcher, bad[at]), GRAMMARC_REFUSED);
        CHECK(!grammarc_matcher_allows(matcher, bad[at]));
        STATUS(grammarc_matcher_fill(matcher, words, ROW, NULL), GRAMMARC_OK);
        CHECK(memcmp(words, before, sizeof words) == 0);
    }
    CHECK(grammarc_matcher_rollback_depth(matcher) == depth);

    /* Either end token ends it, what follows is refused, the mask stays the end set, and both can be taken back. */
    for (uint32_t end = EOS; end <= EOT; end++) {
        STATUS(grammarc_matcher_accept(matcher, end), GRAMMARC_OK);
        CHECK(grammarc_matcher_is_finished(matcher));
        STATUS(grammarc_matcher_accept(matcher, EOS), GRAMMARC_FINISHED);
        STATUS(grammarc_matcher_accept(matcher, 'r'), GRAMMARC_FINISHED);
        STATUS(grammarc_matcher_fill(matcher, words, ROW, &restricts), GRAMMARC_OK);
        CHECK(restricts && memcmp(words, before, sizeof words) == 0);
        STATUS(grammarc_matcher_rollback(matcher, 2), GRAMMARC_OK);
        CHECK(!grammarc_matcher_is_finished(matcher) && !grammarc_matcher_is_accepting(matcher));
        accept_text(matcher, "d");
    }
    STATUS(grammarc_matcher_rollback(matcher, depth + 1), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_rollback(matcher, depth), GRAMMARC_OK);
    STATUS(grammarc_matcher_rollback(matcher, 0), GRAMMARC_OK);
    CHECK(grammarc_matcher_rollback_depth(matcher) == 0);
    grammarc_matcher_free(matcher);

    /* Ends of the request, in place of the vocabulary's: one that is text, too. */
    uint32_t ends[] = {'!', EOT, '!'}, found[4];
    size_t needed = 0;
    grammarc_matcher_options options = matcher_options();
    options.end_tokens = ends;
    options.end_token_count = 3;
    matcher = matcher_of(grammar, &options);
    STATUS(grammarc_matcher_end_tokens(matcher, found, 4, &needed), GRAMMARC_OK);
    CHECK(needed == 2 && found[0] == '!' && found[1] == EOT);
    STATUS(grammarc_matcher_accept(matcher, BYTES + 10), GRAMMARC_OK); /* red */
    STATUS(grammarc_matcher_fill(matcher, words, ROW, NULL), GRAMMARC_OK);
    CHECK(bits(words, ROW) == 2 && bit(words, '!') && bit(words, EOT));
    STATUS(grammarc_matcher_accept(matcher, EOS), GRAMMARC_REFUSED);
    STATUS(grammarc_matcher_accept(matcher, '!'), GRAMMARC_OK);
    CHECK(grammarc_matcher_is_finished(matcher));
    grammarc_matcher_free(matcher);

    ends[0] = TOKENS;
    grammarc_error *error = NULL;
    STATUS(grammarc_matcher_new(grammar, &options, &matcher, &error), GRAMMARC_ARGUMENT);
    CHECK(matcher == NULL && grammarc_error_status(error) == GRAMMARC_ARGUMENT);
    grammarc_error_free(error);
    grammarc_grammar_free(grammar);
}

static void wide_rows(void)
{
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_REGEX, "(.|\\n)*");
    grammarc_matcher_options options = matcher_options();
    options.logit_width = WIDE;
    grammarc_matcher *matcher = matcher_of(grammar, &options);
    CHECK(grammarc_matcher_logit_width(matcher) == WIDE);
    uint32_t words[WIDE_ROW + 3];
    memset(words, 0xAA, sizeof words);
    bool restricts = false;
    STATUS(grammarc_matcher_fill(matcher, words, WIDE_ROW + 3, &restricts), GRAMMARC_OK);
    CHECK(restricts); /* the padding is forbidden */
    for (uint32_t token = TOKENS; token < 32 * (WIDE_ROW + 3); token++) {
        CHECK(!bit(words, token));
    }
    CHECK(bit(words, 'a') && bit(words, EOS) && bit(words, EOT) && !bit(words, PAD));
    STATUS(grammarc_matcher_accept(matcher, WIDE - 1), GRAMMARC_REFUSED);
    STATUS(grammarc_matcher_fill(matcher, words, WIDE_ROW - 1, NULL), GRAMMARC_BUFFER);
    STATUS(grammarc_matcher_fill(matcher, NULL, WIDE_ROW, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_fill(matcher, (uint32_t *)((char *)words + 1), WIDE_ROW, NULL), GRAMMARC_ARGUMENT);

    /* Logits of three types. */
    float full[WIDE + 1];
    uint16_t half[WIDE], brain[WIDE];
    for (size_t at = 0; at < WIDE; at++) {
        full[at] = 1.0f;
        half[at] = 0x3C00;
        brain[at] = 0x3F80;
    }
    STATUS(grammarc_matcher_apply(matcher, full, GRAMMARC_F32, WIDE), GRAMMARC_OK);
    STATUS(grammarc_matcher_apply(matcher, half, GRAMMARC_F16, WIDE), GRAMMARC_OK);
    STATUS(grammarc_matcher_apply(matcher, brain, GRAMMARC_BF16, WIDE), GRAMMARC_OK);
    for (uint32_t at = 0; at < WIDE; at++) {
        bool allowed = bit(words, at);
        CHECK((full[at] == 1.0f) == allowed && (half[at] == 0x3C00) == allowed && (brain[at] == 0x3F80) == allowed);
        CHECK(allowed || (full[at] < -3e38f && half[at] == 0xFC00 && brain[at] == 0xFF80));
    }
    STATUS(grammarc_matcher_apply(matcher, full, GRAMMARC_F32, WIDE - 1), GRAMMARC_BUFFER);
    STATUS(grammarc_matcher_apply(matcher, full, 3, WIDE), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_apply(matcher, (char *)full + 1, GRAMMARC_F32, WIDE), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_apply(matcher, NULL, GRAMMARC_F32, WIDE), GRAMMARC_ARGUMENT);

    /* The share of the softmax: all logits are equal, so it is a quotient of counts. */
    for (size_t at = 0; at < WIDE; at++) {
        full[at] = 1.0f;
        half[at] = 0x3C00;
        brain[at] = 0x3F80;
    }
    double expected = log((double)bits(words, WIDE_ROW) / WIDE), sum = 1.0 + log((double)WIDE);
    void *rows[] = {full, half, brain};
    for (uint32_t dtype = GRAMMARC_F32; dtype <= GRAMMARC_BF16; dtype++) {
        double mass = 1.0;
        STATUS(grammarc_matcher_log_mass(matcher, rows[dtype], dtype, WIDE, NAN, &mass), GRAMMARC_OK);
        CHECK(fabs(mass - expected) < 1e-5);
        mass = 1.0;
        STATUS(grammarc_matcher_log_mass(matcher, rows[dtype], dtype, WIDE, sum, &mass), GRAMMARC_OK);
        CHECK(fabs(mass - expected) < 1e-5);
    }
    double mass = 1.0;
    STATUS(grammarc_matcher_log_mass(matcher, full, GRAMMARC_F32, WIDE - 1, NAN, &mass), GRAMMARC_BUFFER);
    STATUS(grammarc_matcher_log_mass(matcher, full, GRAMMARC_F32, WIDE, INFINITY, &mass), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_log_mass(matcher, full, 3, WIDE, NAN, &mass), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_log_mass(matcher, NULL, GRAMMARC_F32, WIDE, NAN, &mass), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_log_mass(NULL, full, GRAMMARC_F32, WIDE, NAN, &mass), GRAMMARC_ARGUMENT);
    CHECK(mass == 1.0);
    STATUS(grammarc_matcher_log_mass(matcher, full, GRAMMARC_F32, WIDE, NAN, NULL), GRAMMARC_ARGUMENT);
    grammarc_matcher_free(matcher);

    options.logit_width = TOKENS - 1;
    STATUS(grammarc_matcher_new(grammar, &options, &matcher, NULL), GRAMMARC_ARGUMENT);
    grammarc_grammar_free(grammar);
}

static void drafts(void)
{
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_CHOICE, "[\"abcdef\", \"abcxyz\"]");
    grammarc_matcher *matcher = matcher_of(grammar, NULL);
    enum { DRAFTS = 5 };
    uint32_t mask[(DRAFTS + 2) * ROW], alone[ROW];
    for (size_t bad = 0; bad <= DRAFTS; bad++) {
        uint32_t tokens[DRAFTS] = {'a', 'b', 'c', 'd', 'e'};
        if (bad < DRAFTS) {
            tokens[bad] = bad % 2 == 0 ? (uint32_t)-1 : 'q';
        }
        size_t valid = 99, validated = 99;
        memset(mask, 0xAA, sizeof mask);
        STATUS(grammarc_fill_drafts(matcher, tokens, DRAFTS, mask, DRAFTS + 1, ROW, &valid), GRAMMARC_OK);
        STATUS(grammarc_matcher_validate(matcher, tokens, DRAFTS, &validated), GRAMMARC_OK);
        CHECK(valid == bad && validated == bad);
        CHECK(grammarc_matcher_rollback_depth(matcher) == 0);
        CHECK(mask[(DRAFTS + 1) * ROW] == 0xAAAAAAAA);
        /* Each row is that of the matcher once it is there; after the bad one they are copies. */
        for (size_t row = 0; row <= DRAFTS; row++) {
            if (row > 0 && row <= bad) {
                STATUS(grammarc_matcher_accept(matcher, tokens[row - 1]), GRAMMARC_OK);
            }
            STATUS(grammarc_matcher_fill(matcher, alone, ROW, NULL), GRAMMARC_OK);
            CHECK(memcmp(alone, mask + row * ROW, sizeof alone) == 0);
        }
        STATUS(grammarc_matcher_rollback(matcher, bad), GRAMMARC_OK);

        /* Of an output that is known: the same rows but the last, and the matcher moves. */
        uint32_t rows[DRAFTS * ROW];
        size_t replayed = 99;
        STATUS(grammarc_replay(matcher, tokens, DRAFTS, rows, DRAFTS, ROW, &replayed), GRAMMARC_OK);
        CHECK(replayed == bad && memcmp(rows, mask, sizeof rows) == 0);
        CHECK(grammarc_matcher_rollback_depth(matcher) == bad);
        STATUS(grammarc_matcher_rollback(matcher, bad), GRAMMARC_OK);

        size_t taken = 99;
        grammarc_status expected = bad < DRAFTS ? GRAMMARC_REFUSED : GRAMMARC_OK;
        STATUS(grammarc_matcher_accept_many(matcher, tokens, DRAFTS, &taken), expected);
        CHECK(taken == bad && grammarc_matcher_rollback_depth(matcher) == bad);
        STATUS(grammarc_matcher_reset(matcher), GRAMMARC_OK);
        CHECK(grammarc_matcher_rollback_depth(matcher) == 0);
    }
    STATUS(grammarc_fill_drafts(matcher, (const uint32_t *)mask, DRAFTS, mask, DRAFTS, ROW, NULL), GRAMMARC_BUFFER);
    STATUS(grammarc_fill_drafts(matcher, NULL, 0, mask, 1, ROW, NULL), GRAMMARC_OK);
    STATUS(grammarc_fill_drafts(matcher, NULL, 1, mask, 2, ROW, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_replay(matcher, (const uint32_t *)mask, DRAFTS, mask, DRAFTS - 1, ROW, NULL), GRAMMARC_BUFFER);
    STATUS(grammarc_replay(matcher, NULL, 0, NULL, 0, ROW, NULL), GRAMMARC_OK);
    STATUS(grammarc_replay(matcher, NULL, 1, mask, 2, ROW, NULL), GRAMMARC_ARGUMENT);

    /* Through the end: a row after an end token is the end set. */
    uint32_t ending[] = {'f', EOS, 'x'};
    size_t valid = 0;
    accept_text(matcher, "abcde");
    STATUS(grammarc_fill_drafts(matcher, ending, 3, mask, 4, ROW, &valid), GRAMMARC_OK);
    CHECK(valid == 2);
    for (size_t row = 1; row < 4; row++) {
        CHECK(bits(mask + row * ROW, ROW) == 2 && bit(mask + row * ROW, EOS) && bit(mask + row * ROW, EOT));
    }
    grammarc_matcher_free(matcher);
    grammarc_grammar_free(grammar);
}

static void forks_and_positions(void)
{
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA);
    grammarc_grammar *other = compiled(compiler, GRAMMARC_REGEX, "a*");
    grammarc_matcher *matcher = matcher_of(grammar, NULL), *fork = NULL;
    uint32_t one[ROW], two[ROW], run[64];
    uint8_t text[64], position[512];
    size_t needed = 0;

    accept_text(matcher, "{\"ok\"");
    STATUS(grammarc_matcher_fork(matcher, &fork), GRAMMARC_OK);
    accept_text(matcher, ":true");
    CHECK(grammarc_matcher_rollback_depth(fork) == 5 && grammarc_matcher_rollback_depth(matcher) == 10);
    STATUS(grammarc_matcher_rollback(fork, 5), GRAMMARC_OK);
    accept_text(fork, "{\"ok\":true");
    STATUS(grammarc_matcher_fill(matcher, one, ROW, NULL), GRAMMARC_OK);
    STATUS(grammarc_matcher_fill(fork, two, ROW, NULL), GRAMMARC_OK);
    CHECK(memcmp(one, two, sizeof one) == 0);

    /* A text is one step, whole or not at all. */
    STATUS(grammarc_matcher_reset(matcher), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept_text(matcher, "{\"ok\":trUe", 10, &needed), GRAMMARC_REFUSED);
    CHECK(needed == 8 && grammarc_matcher_rollback_depth(matcher) == 0);
    STATUS(grammarc_matcher_accept_text(matcher, "{\"ok\":true", 10, NULL), GRAMMARC_OK);
    STATUS(grammarc_matcher_fill(matcher, two, ROW, NULL), GRAMMARC_OK);
    CHECK(memcmp(one, two, sizeof one) == 0 && grammarc_matcher_rollback_depth(matcher) == 1);
    STATUS(grammarc_matcher_accept_text(matcher, NULL, 1, NULL), GRAMMARC_ARGUMENT);
    grammarc_matcher_free(matcher);

    /* A position is bytes, for any matcher of the grammar and none of another. */
    STATUS(grammarc_matcher_export(fork, NULL, 0, &needed), GRAMMARC_BUFFER);
    CHECK(needed > 0 && needed <= sizeof position);
    STATUS(grammarc_matcher_export(fork, position, needed - 1, &needed), GRAMMARC_BUFFER);
    STATUS(grammarc_matcher_export(fork, position, sizeof position, &needed), GRAMMARC_OK);
    matcher = matcher_of(grammar, NULL);
    STATUS(grammarc_matcher_import(matcher, position, needed), GRAMMARC_OK);
    CHECK(grammarc_matcher_rollback_depth(matcher) == 0);
    STATUS(grammarc_matcher_fill(matcher, two, ROW, NULL), GRAMMARC_OK);
    CHECK(memcmp(one, two, sizeof one) == 0);
    STATUS(grammarc_matcher_import(matcher, position, needed - 1), GRAMMARC_FORMAT);
    STATUS(grammarc_matcher_import(matcher, position, 0), GRAMMARC_FORMAT);
    STATUS(grammarc_matcher_import(matcher, NULL, 9), GRAMMARC_ARGUMENT);
    grammarc_matcher *stranger = matcher_of(other, NULL);
    STATUS(grammarc_matcher_import(stranger, position, needed), GRAMMARC_MISMATCH);
    grammarc_matcher_free(stranger);

    /* Runs. */
    accept_text(matcher, ",\"");
    STATUS(grammarc_matcher_forced_bytes(matcher, text, sizeof text, &needed), GRAMMARC_OK);
    CHECK(needed == 3 && memcmp(text, "n\":", 3) == 0);
    STATUS(grammarc_matcher_forced_tokens(matcher, run, 64, &needed), GRAMMARC_OK);
    CHECK(needed >= 1 && run[0] == 'n');
    STATUS(grammarc_matcher_allowed(matcher, run, 64, &needed), GRAMMARC_OK);
    CHECK(needed == 1 && run[0] == 'n');
    STATUS(grammarc_matcher_allowed(matcher, run, 0, &needed), GRAMMARC_BUFFER);
    STATUS(grammarc_matcher_allowed(matcher, NULL, 64, &needed), GRAMMARC_ARGUMENT);

    uint8_t why[1024];
    STATUS(grammarc_matcher_explain(matcher, 'x', why, sizeof why - 1, &needed), GRAMMARC_OK);
    why[needed] = 0;
    CHECK(strstr((const char *)why, "\"allowed\":false") != NULL && strstr((const char *)why, "\"byte\":120") != NULL);
    CHECK(strstr((const char *)why, "\"next\":[110]") != NULL);
    STATUS(grammarc_matcher_explain(matcher, 'x', why, 1, &needed), GRAMMARC_BUFFER);
    STATUS(grammarc_matcher_explain(matcher, 'x', NULL, sizeof why, &needed), GRAMMARC_ARGUMENT);

    STATUS(grammarc_matcher_ending(matcher, run, 64, &needed), GRAMMARC_OK);
    size_t taken = 0;
    STATUS(grammarc_matcher_accept_many(matcher, run, needed, &taken), GRAMMARC_OK);
    CHECK(taken == needed && grammarc_matcher_is_accepting(matcher));
    STATUS(grammarc_matcher_ending(matcher, NULL, 0, &needed), GRAMMARC_OK);
    CHECK(needed == 0);

    grammarc_matcher_free(fork);
    grammarc_matcher_free(matcher);
    grammarc_grammar_free(grammar);
    grammarc_grammar_free(other);
}

static void batches(void)
{
    enum { COUNT = 20, ROWS = 24 };
    grammarc_grammar *digits = compiled(compiler, GRAMMARC_REGEX, "[0-9]+");
    grammarc_grammar *object = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA);
    grammarc_matcher *matchers[COUNT];
    size_t rows[COUNT];
    static uint32_t mask[ROWS * ROW], alone[ROW];
    for (size_t at = 0; at < COUNT; at++) {
        matchers[at] = matcher_of(at % 2 == 0 ? digits : object, NULL);
        if (at % 3 == 0) {
            accept_text(matchers[at], at % 2 == 0 ? "7" : "{\"ok\"");
        }
        rows[at] = ROWS - 1 - at;
    }
    for (size_t threads = 0; threads <= 3; threads++) {
        for (uint32_t unlisted = GRAMMARC_KEEP; unlisted <= GRAMMARC_ALLOW_ALL; unlisted++) {
            memset(mask, 0xAA, sizeof mask);
            STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, unlisted, threads), GRAMMARC_OK);
            for (size_t at = 0; at < COUNT; at++) {
                STATUS(grammarc_matcher_fill(matchers[at], alone, ROW, NULL), GRAMMARC_OK);
                CHECK(memcmp(alone, mask + rows[at] * ROW, sizeof alone) == 0);
            }
            CHECK(mask[0] == (unlisted == GRAMMARC_KEEP ? 0xAAAAAAAA : 0xFFFFFFFF));
        }
    }
    STATUS(grammarc_fill_batch(matchers, NULL, COUNT, mask, ROWS, ROW, 0, 1), GRAMMARC_OK);
    STATUS(grammarc_matcher_fill(matchers[3], alone, ROW, NULL), GRAMMARC_OK);
    CHECK(memcmp(alone, mask + 3 * ROW, sizeof alone) == 0);

    static float logits[ROWS * TOKENS];
    for (size_t at = 0; at < ROWS * TOKENS; at++) {
        logits[at] = 0.5f;
    }
    STATUS(grammarc_apply_batch(matchers, rows, COUNT, logits, GRAMMARC_F32, ROWS, TOKENS, 2), GRAMMARC_OK);
    for (size_t at = 0; at < COUNT; at++) {
        STATUS(grammarc_matcher_fill(matchers[at], alone, ROW, NULL), GRAMMARC_OK);
        for (uint32_t token = 0; token < TOKENS; token++) {
            CHECK((logits[rows[at] * TOKENS + token] == 0.5f) == bit(alone, token));
        }
    }
    CHECK(logits[0] == 0.5f);
    STATUS(grammarc_apply_batch(matchers, rows, COUNT, logits, GRAMMARC_F32, ROWS, TOKENS - 1, 2), GRAMMARC_BUFFER);
    STATUS(grammarc_apply_batch(matchers, rows, COUNT, logits, 7, ROWS, TOKENS, 2), GRAMMARC_ARGUMENT);

    /* What does not fit is refused, nothing is written, and no matcher stays taken. */
    memset(mask, 0xAA, sizeof mask);
    grammarc_matcher *kept = matchers[4];
    matchers[4] = matchers[9];
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, 0, 2), GRAMMARC_ARGUMENT);
    matchers[4] = NULL;
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, 0, 2), GRAMMARC_ARGUMENT);
    matchers[4] = kept;
    rows[2] = rows[1];
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, 0, 2), GRAMMARC_ARGUMENT);
    rows[2] = ROWS;
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, 0, 2), GRAMMARC_BUFFER);
    rows[2] = ROWS - 3;
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, 2, 0, 2), GRAMMARC_BUFFER);
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, SIZE_MAX, ROW, 0, 2), GRAMMARC_ARGUMENT);
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, 2, 2), GRAMMARC_ARGUMENT);
    STATUS(grammarc_fill_batch(NULL, rows, COUNT, mask, ROWS, ROW, 0, 2), GRAMMARC_ARGUMENT);
    for (size_t at = 0; at < ROWS * ROW; at++) {
        CHECK(mask[at] == 0xAAAAAAAA);
    }
    STATUS(grammarc_fill_batch(NULL, NULL, 0, NULL, 0, 0, 0, 2), GRAMMARC_OK);
    STATUS(grammarc_fill_batch(matchers, rows, COUNT, mask, ROWS, ROW, 0, 2), GRAMMARC_OK);
    for (size_t at = 0; at < COUNT; at++) {
        grammarc_matcher_free(matchers[at]);
    }
    grammarc_grammar_free(digits);
    grammarc_grammar_free(object);
}

/* What a thread does with a grammar that all share, and with a matcher that another one wants as well. */
struct shared {
    const grammarc_grammar *grammar;
    grammarc_matcher *matcher;
    size_t refused;
};

static void *in_a_thread(void *given)
{
    struct shared *shared = given;
    for (int round = 0; round < 50; round++) {
        grammarc_matcher *own = matcher_of(shared->grammar, NULL);
        accept_text(own, "{\"ok\":true");
        grammarc_matcher_free(own);
        uint32_t words[ROW];
        grammarc_status status = grammarc_matcher_fill(shared->matcher, words, ROW, NULL);
        CHECK(status == GRAMMARC_OK || status == GRAMMARC_ARGUMENT);
        shared->refused += status == GRAMMARC_ARGUMENT;
        grammarc_grammar *same = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA);
        grammarc_grammar_free(same);
    }
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 4 };
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA);
    grammarc_matcher *matcher = matcher_of(grammar, NULL);
    pthread_t threads[THREADS];
    struct shared shared[THREADS];
    for (size_t at = 0; at < THREADS; at++) {
        shared[at] = (struct shared){grammar, matcher, 0};
        CHECK(pthread_create(&threads[at], NULL, in_a_thread, &shared[at]) == 0);
    }
    for (size_t at = 0; at < THREADS; at++) {
        CHECK(pthread_join(threads[at], NULL) == 0);
    }
    grammarc_matcher_free(matcher);
    grammarc_grammar_free(grammar);
}

int main(void)
{
    vocabulary = vocabulary_of_bytes();
    compiler = compiler_for(vocabulary);
    end_of_a_sequence();
    wide_rows();
    drafts();
    forks_and_positions();
    batches();
    threads();
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    nothing_was_read();
    puts("ok");
    return 0;
}
