/*
 * What every binding promises of masks and positions, in C.
 *
 * It has a getenv() of its own, so that it sees whether the library reads a variable of the environment.
 */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static char variables[1024];

char *getenv(const char *name)
{
    strncat(variables, name, sizeof variables - strlen(variables) - 2);
    strcat(variables, " ");
    return NULL;
}

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

static void structs_of_other_versions(void)
{
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_REGEX, "a*");
    grammarc_matcher *matcher = NULL;
    grammarc_error *error = NULL;
    struct {
        grammarc_matcher_options now;
        uint64_t later;
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.now.struct_size = sizeof newer;
    STATUS(grammarc_matcher_new(grammar, &newer.now, &matcher, NULL), GRAMMARC_OK);
    grammarc_matcher_free(matcher);
    newer.later = 1;
    STATUS(grammarc_matcher_new(grammar, &newer.now, &matcher, &error), GRAMMARC_ARGUMENT);
    CHECK(matcher == NULL && strstr(grammarc_error_message(error, NULL), "does not know") != NULL);
    grammarc_error_free(error);

    /* An older caller knows the end tokens and nothing after: what lies behind them is not read. */
    uint32_t end = 'z';
    grammarc_matcher_options older;
    memset(&older, 0xFF, sizeof older);
    older.struct_size = offsetof(grammarc_matcher_options, logit_width);
    older.end_tokens = &end;
    older.end_token_count = 1;
    STATUS(grammarc_matcher_new(grammar, &older, &matcher, NULL), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept(matcher, 'z'), GRAMMARC_OK);
    grammarc_matcher_free(matcher);

    grammarc_matcher_options unset;
    memset(&unset, 0, sizeof unset);
    STATUS(grammarc_matcher_new(grammar, &unset, &matcher, &error), GRAMMARC_ARGUMENT);
    CHECK(strstr(grammarc_error_message(error, NULL), "struct_size") != NULL);
    grammarc_error_free(error);
    grammarc_grammar_free(grammar);
}

static void errors_and_limits(void)
{
    grammarc_grammar *grammar = (grammarc_grammar *)&compiler;
    grammarc_error *error = NULL;
    const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"strin\"}}}";
    STATUS(grammarc_compile(compiler, GRAMMARC_JSON_SCHEMA, schema, strlen(schema), NULL, 0, NULL, NULL, &grammar, &error),
           GRAMMARC_SOURCE);
    CHECK(grammar == NULL && grammarc_error_status(error) == GRAMMARC_SOURCE);
    size_t length = 0;
    const char *json = grammarc_error_json(error, &length);
    CHECK(json[length] == 0 && strstr(json, "\"pointer\":\"/properties/a/type\"") != NULL);
    CHECK(strstr(json, "\"span\":[") != NULL && strstr(json, "\"severity\":\"error\"") != NULL);
    grammarc_error_free(error);

    const char bad_option[] = "{\"whitespce\":\"any\"}";
    STATUS(grammarc_compile(compiler, GRAMMARC_JSON_SCHEMA, "{}", 2, bad_option, strlen(bad_option), NULL, NULL, &grammar, NULL),
           GRAMMARC_ARGUMENT);
    const char option[] = "{\"whitespace\":\"compact\",\"key-order\":\"schema\"}";
    STATUS(grammarc_compile(compiler, GRAMMARC_JSON_SCHEMA, "{}", 2, option, strlen(option), NULL, NULL, &grammar, NULL),
           GRAMMARC_OK);
    grammarc_grammar_free(grammar);
    STATUS(grammarc_compile(compiler, 4, "{}", 2, NULL, 0, NULL, NULL, &grammar, NULL), GRAMMARC_ARGUMENT);

    /* A limit, and a flag that was set before. */
    grammarc_limits limits;
    memset(&limits, 0, sizeof limits);
    limits.struct_size = sizeof limits;
    limits.states = 3;
    STATUS(grammarc_compile(compiler, GRAMMARC_REGEX, "(ab|cd|ef){9}x", 14, NULL, 0, &limits, NULL, &grammar, NULL),
           GRAMMARC_LIMIT);
    grammarc_cancel_flag *flag = grammarc_cancel_new();
    CHECK(grammarc_cancel_retain(flag) == flag);
    grammarc_cancel_free(flag);
    grammarc_cancel(flag);
    STATUS(grammarc_compile(compiler, GRAMMARC_REGEX, "(gh|ij){9}", 10, NULL, 0, NULL, flag, &grammar, NULL),
           GRAMMARC_CANCELLED);
    grammarc_cancel_free(flag);

    char stats[1024];
    STATUS(grammarc_compiler_stats_json(compiler, stats, sizeof stats, &length), GRAMMARC_OK);
    CHECK(length < sizeof stats);
    stats[length] = 0;
    CHECK(strstr(stats, "\"cancelled\":1") != NULL);
    STATUS(grammarc_compiler_stats_json(compiler, stats, 10, &length), GRAMMARC_BUFFER);

    size_t offset = 99;
    grammar = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA);
    STATUS(grammarc_grammar_check(grammar, "{\"ok\":true, \"n\":5}", 18, &offset), GRAMMARC_OK);
    STATUS(grammarc_grammar_check(grammar, "{\"ok\":null}", 11, &offset), GRAMMARC_REFUSED);
    CHECK(offset == 6);
    STATUS(grammarc_grammar_check(grammar, "{\"ok\":true", 10, &offset), GRAMMARC_REFUSED);
    CHECK(offset == 10);
    const char *report = grammarc_grammar_report_json(grammar, &length);
    CHECK(report[length] == 0 && strstr(report, "\"verdict\":\"exact\"") != NULL && strstr(report, "\"bound\":") != NULL);
    CHECK(report == grammarc_grammar_report_json(grammar, NULL));
    CHECK(strcmp(grammarc_grammar_findings_json(grammar, NULL), "[]") == 0);
    grammarc_grammar_free(grammar);
}

static void files(const char *folder)
{
    char path[4096];
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA), *opened = NULL;
    grammarc_vocabulary *again = NULL;
    uint8_t one[32], two[32];

    int end = snprintf(path, sizeof path, "%s/v.gvocab", folder);
    STATUS(grammarc_vocabulary_write(vocabulary, path, (size_t)end, NULL), GRAMMARC_OK);
    for (uint32_t flags = 0; flags <= GRAMMARC_NO_MMAP; flags++) {
        STATUS(grammarc_vocabulary_open(path, (size_t)end, flags, &again, NULL), GRAMMARC_OK);
        grammarc_vocabulary_fingerprint(vocabulary, one);
        grammarc_vocabulary_fingerprint(again, two);
        CHECK(memcmp(one, two, 32) == 0);
        grammarc_vocabulary_free(again);
    }
    STATUS(grammarc_vocabulary_open(path, (size_t)end, 8, &again, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_open(path, (size_t)end - 1, 0, &again, NULL), GRAMMARC_IO);
    STATUS(grammarc_vocabulary_open("a\0b", 3, 0, &again, NULL), GRAMMARC_IO);
    STATUS(grammarc_vocabulary_open(NULL, 0, 0, &again, NULL), GRAMMARC_ARGUMENT);
    size_t length = 0;
    const uint8_t *bytes = grammarc_vocabulary_bytes(vocabulary, &length);
    STATUS(grammarc_vocabulary_from_bytes(bytes, length, &again, NULL), GRAMMARC_OK);
    STATUS(grammarc_vocabulary_write(again, "/nowhere/at/all", 15, NULL), GRAMMARC_IO);

    end = snprintf(path, sizeof path, "%s/g.gmask", folder);
    STATUS(grammarc_grammar_write(grammar, path, (size_t)end, 0, NULL), GRAMMARC_OK);
    STATUS(grammarc_grammar_open(path, (size_t)end, again, 0, &opened, NULL), GRAMMARC_OK);
    grammarc_vocabulary_free(again);
    grammarc_grammar_digest(grammar, one);
    grammarc_grammar_digest(opened, two);
    CHECK(memcmp(one, two, 32) == 0);
    grammarc_grammar_free(opened);
    grammarc_error *error = NULL;
    STATUS(grammarc_grammar_open(path, (size_t)end, NULL, 0, &opened, &error), GRAMMARC_FORMAT);
    CHECK(strlen(grammarc_error_message(error, NULL)) > 10);
    grammarc_error_free(error);

    STATUS(grammarc_grammar_write(grammar, path, (size_t)end, GRAMMARC_STANDALONE, NULL), GRAMMARC_OK);
    STATUS(grammarc_grammar_open(path, (size_t)end, NULL, GRAMMARC_NO_MMAP, &opened, NULL), GRAMMARC_OK);
    again = grammarc_grammar_vocabulary(opened);
    CHECK(grammarc_vocabulary_token_count(again) == TOKENS);
    grammarc_grammar_free(opened);

    /* Of another vocabulary, damaged, cut short. */
    const uint8_t ab[] = "ab";
    const uint64_t offsets[] = {0, 1, 2};
    grammarc_vocabulary *small = NULL;
    STATUS(grammarc_vocabulary_from_tokens(ab, offsets, NULL, 2, NULL, &small, NULL), GRAMMARC_OK);
    bytes = grammarc_grammar_bytes(grammar, &length);
    STATUS(grammarc_grammar_from_bytes(bytes, length, small, &opened, NULL), GRAMMARC_MISMATCH);
    uint8_t *damaged = malloc(length);
    CHECK(damaged != NULL);
    memcpy(damaged, bytes, length);
    damaged[length / 2] ^= 1;
    STATUS(grammarc_grammar_from_bytes(damaged, length, again, &opened, NULL), GRAMMARC_FORMAT);
    STATUS(grammarc_grammar_from_bytes(bytes, length / 2, again, &opened, NULL), GRAMMARC_FORMAT);
    STATUS(grammarc_grammar_from_bytes(NULL, 0, again, &opened, NULL), GRAMMARC_FORMAT);
    free(damaged);
    grammarc_vocabulary_free(small);
    grammarc_vocabulary_free(again);
    grammarc_grammar_free(grammar);
}

static void vocabularies(void)
{
    size_t length = 0;
    CHECK(grammarc_vocabulary_logit_width(vocabulary) == TOKENS && grammarc_vocabulary_token_count(vocabulary) == TOKENS);
    CHECK(strcmp(grammarc_vocabulary_name(vocabulary, &length), "bytes") == 0 && length == 5);
    const uint32_t *ends = grammarc_vocabulary_end_tokens(vocabulary, &length);
    CHECK(length == 2 && ends[0] == EOS && ends[1] == EOT);
    CHECK(memcmp(grammarc_vocabulary_token(vocabulary, BYTES, &length), "true", 4) == 0 && length == 4);
    CHECK(grammarc_vocabulary_token(vocabulary, TOKENS, &length) == NULL);
    CHECK(grammarc_vocabulary_token_kind(vocabulary, PAD) == GRAMMARC_TOKEN_SPECIAL);
    CHECK(grammarc_vocabulary_token_kind(vocabulary, 5) == GRAMMARC_TOKEN_TEXT);
    CHECK(grammarc_vocabulary_token_kind(vocabulary, (uint32_t)-1) == GRAMMARC_TOKEN_UNUSED);
    CHECK(grammarc_vocabulary_findings_json(vocabulary, &length)[length] == 0);

    grammarc_vocabulary *none = NULL;
    const uint8_t data[] = "abc";
    const uint64_t down[] = {0, 2, 1};
    const uint64_t huge[] = {0, 1, UINT64_MAX};
    const uint8_t kinds[] = {0, 9};
    const uint64_t good[] = {0, 1, 3};
    STATUS(grammarc_vocabulary_from_tokens(data, down, NULL, 2, NULL, &none, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_from_tokens(data, huge, NULL, 2, NULL, &none, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_from_tokens(data, good, kinds, 2, NULL, &none, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_from_tokens(data, NULL, NULL, 2, NULL, &none, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_from_tokens(data, good, NULL, SIZE_MAX, NULL, &none, NULL), GRAMMARC_ARGUMENT);
    CHECK(none == NULL);
    grammarc_error *error = NULL;
    STATUS(grammarc_vocabulary_from_tokens(NULL, good, NULL, 0, NULL, &none, &error), GRAMMARC_FORMAT);
    grammarc_error_free(error);

    /* Ranks of tiktoken, with a special token that the options name. */
    const char ranks[] = "YQ== 0\nYg== 1\n";
    grammarc_special_token special = {{"<end>", 5}, 2};
    uint32_t end = 2;
    grammarc_vocabulary_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.special_tokens = &special;
    options.special_token_count = 1;
    options.end_tokens = &end;
    options.end_token_count = 1;
    options.logit_width = 64;
    for (uint32_t format = GRAMMARC_FORMAT_DETECT; format <= GRAMMARC_FORMAT_TEKKEN; format++) {
        grammarc_status expected = format == GRAMMARC_FORMAT_DETECT || format == GRAMMARC_FORMAT_TIKTOKEN ? GRAMMARC_OK : GRAMMARC_FORMAT;
        STATUS(grammarc_vocabulary_import(format, (const uint8_t *)ranks, strlen(ranks), &options, &none, NULL), expected);
        CHECK(expected != GRAMMARC_OK || (grammarc_vocabulary_token_count(none) == 3 && grammarc_vocabulary_logit_width(none) == 64));
        grammarc_vocabulary_free(none);
    }
    STATUS(grammarc_vocabulary_import(6, (const uint8_t *)ranks, strlen(ranks), &options, &none, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_import_file("/nowhere", 8, NULL, &none, NULL), GRAMMARC_IO);
}

static void nothing_at_all(void)
{
    grammarc_vocabulary *v = NULL;
    grammarc_compiler *c = NULL;
    grammarc_grammar *g = NULL;
    grammarc_matcher *m = NULL;
    grammarc_error *error = NULL;
    size_t number = 0;
    STATUS(grammarc_vocabulary_open("x", 1, 0, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_compiler_new(NULL, NULL, &c, &error), GRAMMARC_ARGUMENT);
    CHECK(strstr(grammarc_error_message(error, NULL), "NULL") != NULL);
    grammarc_error_free(error);
    STATUS(grammarc_compile(NULL, 0, "{}", 2, NULL, 0, NULL, NULL, &g, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_compile(compiler, 0, NULL, 2, NULL, 0, NULL, NULL, &g, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_compile(compiler, 0, "{}", 2, NULL, 0, NULL, NULL, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_new(NULL, NULL, &m, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_fork(NULL, &m), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_accept(NULL, 0), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_reset(NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_forced_tokens(NULL, NULL, 0, &number), GRAMMARC_ARGUMENT);
    STATUS(grammarc_vocabulary_write(NULL, "x", 1, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_grammar_check(NULL, "x", 1, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_compiler_stats_json(NULL, NULL, 0, NULL), GRAMMARC_ARGUMENT);
    CHECK(!grammarc_matcher_allows(NULL, 0) && !grammarc_matcher_is_accepting(NULL) && !grammarc_matcher_is_finished(NULL));
    CHECK(grammarc_matcher_rollback_depth(NULL) == 0 && grammarc_matcher_logit_width(NULL) == 0);
    CHECK(grammarc_vocabulary_logit_width(NULL) == 0 && grammarc_vocabulary_name(NULL, &number) == NULL);
    CHECK(grammarc_grammar_report_json(NULL, NULL) == NULL && grammarc_grammar_vocabulary(NULL) == NULL);
    CHECK(grammarc_error_message(NULL, NULL) == NULL && grammarc_error_status(NULL) == GRAMMARC_OK);
    CHECK(grammarc_vocabulary_retain(NULL) == NULL && grammarc_grammar_retain(NULL) == NULL);
    grammarc_cancel(NULL);
    grammarc_cancel_free(NULL);
    grammarc_error_free(NULL);
    grammarc_matcher_free(m);
    grammarc_grammar_free(g);
    grammarc_compiler_free(c);
    grammarc_vocabulary_free(v);
    CHECK(grammarc_abi_version() == GRAMMARC_ABI_VERSION && strlen(grammarc_version()) >= 5);
    CHECK(strcmp(grammarc_status_name(-9), "GRAMMARC_BUFFER") == 0 && strcmp(grammarc_status_name(77), "unknown") == 0);
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

static void freed_in_any_order(void)
{
    grammarc_vocabulary *own = vocabulary_of_bytes();
    grammarc_compiler *compiler_ = compiler_for(own);
    CHECK(grammarc_vocabulary_retain(own) == own);
    grammarc_vocabulary_free(own);
    grammarc_vocabulary_free(own);
    grammarc_grammar *grammar = compiled(compiler_, GRAMMARC_GBNF, "root ::= \"a\" root | \"b\"");
    grammarc_compiler_free(compiler_);
    grammarc_matcher *matcher = matcher_of(grammar, NULL);
    grammarc_grammar_free(grammar);
    accept_text(matcher, "aab");
    STATUS(grammarc_matcher_accept(matcher, EOT), GRAMMARC_OK);
    grammarc_matcher_free(matcher);
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    vocabulary = vocabulary_of_bytes();
    compiler = compiler_for(vocabulary);
    end_of_a_sequence();
    wide_rows();
    drafts();
    forks_and_positions();
    batches();
    structs_of_other_versions();
    errors_and_limits();
    files(arguments[1]);
    vocabularies();
    nothing_at_all();
    threads();
    freed_in_any_order();
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    if (variables[0] != 0) {
        fprintf(stderr, "variables of the environment were read: %s\n", variables);
        return 1;
    }
    puts("ok");
    return 0;
}
