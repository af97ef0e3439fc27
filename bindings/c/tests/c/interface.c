/* What the header says beside masks and positions: errors, files, structs of other versions, NULL, the order of freeing. */
#include "check.h"
#include "environment.h"

static const char SCHEMA[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"},\"n\":{\"type\":\"integer\",\"minimum\":0}},"
    "\"required\":[\"ok\",\"n\"],\"additionalProperties\":false}";

static grammarc_vocabulary *vocabulary;
static grammarc_compiler *compiler;

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
    STATUS(grammarc_compile(compiler, 1000, "{}", 2, NULL, 0, NULL, NULL, &grammar, NULL), GRAMMARC_ARGUMENT);

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

static void early(void)
{
    grammarc_compiler_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.flags = GRAMMARC_EARLY | GRAMMARC_NO_MEMORY_CACHE;
    grammarc_compiler *quick = NULL;
    STATUS(grammarc_compiler_new(vocabulary, &options, &quick, NULL), GRAMMARC_OK);
    grammarc_grammar *grammar = compiled(quick, GRAMMARC_JSON_SCHEMA, SCHEMA);
    grammarc_grammar *whole = compiled(compiler, GRAMMARC_JSON_SCHEMA, SCHEMA);
    CHECK(grammarc_grammar_is_complete(whole) && grammarc_grammar_is_complete(NULL));

    /* The masks are the same before and after they are there, and so are the bytes in the end. */
    grammarc_matcher *one = matcher_of(grammar, NULL), *other = matcher_of(whole, NULL);
    uint32_t rows[2][16];
    size_t words = (grammarc_matcher_logit_width(one) + 31) / 32;
    CHECK(words <= 16);
    bool complete = false;
    for (int round = 0; round < 2; round++) {
        STATUS(grammarc_matcher_fill(one, rows[0], words, NULL), GRAMMARC_OK);
        STATUS(grammarc_matcher_fill(other, rows[1], words, NULL), GRAMMARC_OK);
        CHECK(memcmp(rows[0], rows[1], words * sizeof rows[0][0]) == 0);
        STATUS(grammarc_grammar_wait(grammar, 0, &complete, NULL), GRAMMARC_OK);
        CHECK(complete && grammarc_grammar_is_complete(grammar));
        if (round == 0) {
            accept_text(one, "{\"ok\":");
            accept_text(other, "{\"ok\":");
        }
    }
    STATUS(grammarc_grammar_wait(whole, 1, NULL, NULL), GRAMMARC_OK);
    STATUS(grammarc_grammar_wait(NULL, 1, &complete, NULL), GRAMMARC_ARGUMENT);
    uint8_t digests[2][32];
    grammarc_grammar_digest(grammar, digests[0]);
    grammarc_grammar_digest(whole, digests[1]);
    CHECK(memcmp(digests[0], digests[1], 32) == 0);
    size_t length = 0;
    CHECK(grammarc_grammar_bytes(grammar, &length) != NULL && length > 0);

    options.flags = 8;
    grammarc_compiler *none = NULL;
    STATUS(grammarc_compiler_new(vocabulary, &options, &none, NULL), GRAMMARC_ARGUMENT);
    grammarc_matcher_free(one);
    grammarc_matcher_free(other);
    grammarc_grammar_free(grammar);
    grammarc_grammar_free(whole);
    grammarc_compiler_free(quick);
}

/* Bytes are accepted where the split into tokens is not known: within a token, too, where no token can continue. */
static void bytes_of_tokens(void)
{
    static const uint8_t text[] = "abc<end>", kinds[] = {GRAMMARC_TOKEN_TEXT, GRAMMARC_TOKEN_TEXT, GRAMMARC_TOKEN_SPECIAL};
    static const uint64_t offsets[] = {0, 2, 3, 8};
    static const uint32_t ends[] = {2};
    grammarc_vocabulary_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.end_tokens = ends;
    options.end_token_count = 1;
    grammarc_vocabulary *few = NULL;
    STATUS(grammarc_vocabulary_from_tokens(text, offsets, kinds, 3, &options, &few, NULL), GRAMMARC_OK);
    grammarc_compiler *own = compiler_for(few);
    grammarc_grammar *grammar = compiled(own, GRAMMARC_REGEX, "(ab)+c");
    grammarc_matcher *parts = matcher_of(grammar, NULL), *whole = matcher_of(grammar, NULL);
    uint32_t one, other;
    size_t offset = 99;

    /* A refusal says where, and changes nothing. */
    STATUS(grammarc_matcher_accept_bytes(parts, text, 0, &offset), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept_bytes(parts, (const uint8_t *)"abaXb", 5, &offset), GRAMMARC_REFUSED);
    CHECK(offset == 3 && grammarc_matcher_rollback_depth(parts) == 0);
    STATUS(grammarc_matcher_accept_bytes(parts, NULL, 1, &offset), GRAMMARC_ARGUMENT);
    STATUS(grammarc_matcher_accept_bytes(NULL, text, 1, &offset), GRAMMARC_ARGUMENT);

    /* A text may not end within a token, and bytes may. A token may follow the rest of another. */
    STATUS(grammarc_matcher_accept_text(parts, "aba", 3, &offset), GRAMMARC_REFUSED);
    CHECK(offset == 3);
    STATUS(grammarc_matcher_accept_bytes(parts, (const uint8_t *)"aba", 3, NULL), GRAMMARC_OK);
    CHECK(!grammarc_matcher_is_accepting(parts));
    STATUS(grammarc_matcher_accept_bytes(parts, (const uint8_t *)"b", 1, NULL), GRAMMARC_OK);
    for (int token = 0; token < 2; token++) {
        STATUS(grammarc_matcher_accept(whole, 0), GRAMMARC_OK);
    }
    STATUS(grammarc_matcher_fill(parts, &one, 1, NULL), GRAMMARC_OK);
    STATUS(grammarc_matcher_fill(whole, &other, 1, NULL), GRAMMARC_OK);
    CHECK(one == other && one == 3);
    CHECK(grammarc_matcher_rollback_depth(parts) == 2);
    STATUS(grammarc_matcher_rollback(parts, 1), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept_bytes(parts, (const uint8_t *)"bc", 2, NULL), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept(parts, 2), GRAMMARC_OK);
    STATUS(grammarc_matcher_accept_bytes(parts, (const uint8_t *)"a", 1, &offset), GRAMMARC_FINISHED);
    CHECK(offset == 0);

    grammarc_matcher_free(parts);
    grammarc_matcher_free(whole);
    grammarc_grammar_free(grammar);
    grammarc_compiler_free(own);
    grammarc_vocabulary_free(few);
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    vocabulary = vocabulary_of_bytes();
    compiler = compiler_for(vocabulary);
    structs_of_other_versions();
    errors_and_limits();
    files(arguments[1]);
    vocabularies();
    nothing_at_all();
    freed_in_any_order();
    early();
    bytes_of_tokens();
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    nothing_was_read();
    puts("ok");
    return 0;
}
