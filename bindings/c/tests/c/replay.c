/*
 * Does in C what a stream of numbers says was done in Rust, and compares: statuses, positions, and every word of every mask.
 *
 * The stream is of 32-bit numbers as this machine has them; src/traces.rs of grammarc-tests writes it.
 */
#include "check.h"

enum operation { END, CASE, TRACE, ACCEPT, ROLLBACK, RESET, FORK, POSITION, DRAFTS, VALIDATE, FORCED, STATE };

enum { MOST = 1 << 16 };

static uint32_t numbers[MOST], found[MOST];
static uint8_t *bytes;
static unsigned long traces, steps;

static uint32_t number(void)
{
    uint32_t value;
    CHECK(fread(&value, sizeof value, 1, stdin) == 1);
    return value;
}

static size_t list(void)
{
    size_t count = number();
    CHECK(count < MOST && fread(numbers, sizeof *numbers, count, stdin) == count);
    return count;
}

static size_t blob(void)
{
    size_t length = number();
    bytes = realloc(bytes, length + 1);
    CHECK(bytes != NULL && fread(bytes, 1, length, stdin) == length);
    return length;
}

static grammarc_grammar *new_case(void)
{
    grammarc_vocabulary *vocabulary = NULL;
    grammarc_grammar *grammar = NULL;
    size_t length = blob();
    STATUS(grammarc_vocabulary_from_bytes(bytes, length, &vocabulary, NULL), GRAMMARC_OK);
    length = blob();
    STATUS(grammarc_grammar_from_bytes(bytes, length, vocabulary, &grammar, NULL), GRAMMARC_OK);
    grammarc_vocabulary_free(vocabulary);
    return grammar;
}

static grammarc_matcher *new_trace(const grammarc_grammar *grammar)
{
    grammarc_matcher_options options = matcher_options();
    options.logit_width = number();
    options.rollback_window = number();
    options.end_token_count = list();
    options.end_tokens = numbers;
    return matcher_of(grammar, &options);
}

static void state(grammarc_matcher *matcher)
{
    uint32_t flags = number();
    size_t depth = number(), count = list();
    bool restricts = false;
    STATUS(grammarc_matcher_fill(matcher, found, count, &restricts), GRAMMARC_OK);
    CHECK(memcmp(found, numbers, count * sizeof *found) == 0);
    CHECK(restricts == (flags & 1));
    CHECK(grammarc_matcher_is_accepting(matcher) == ((flags >> 1) & 1));
    CHECK(grammarc_matcher_is_finished(matcher) == ((flags >> 2) & 1));
    CHECK(grammarc_matcher_rollback_depth(matcher) == depth);
    steps++;
}

int main(void)
{
    grammarc_grammar *grammar = NULL;
    grammarc_matcher *matcher = NULL, *other = NULL;
    size_t count, length, valid;
    for (;;) {
        switch (number()) {
        case END:
            grammarc_matcher_free(matcher);
            grammarc_grammar_free(grammar);
            free(bytes);
            printf("%lu traces, %lu steps\n", traces, steps);
            return 0;
        case CASE:
            grammarc_grammar_free(grammar);
            grammar = new_case();
            break;
        case TRACE:
            grammarc_matcher_free(matcher);
            matcher = new_trace(grammar);
            traces++;
            break;
        case ACCEPT: {
            uint32_t token = number();
            STATUS(grammarc_matcher_accept(matcher, token), (int32_t)number());
            break;
        }
        case ROLLBACK:
            count = number();
            STATUS(grammarc_matcher_rollback(matcher, count), (int32_t)number());
            break;
        case RESET:
            STATUS(grammarc_matcher_reset(matcher), GRAMMARC_OK);
            break;
        case FORK:
            STATUS(grammarc_matcher_fork(matcher, &other), GRAMMARC_OK);
            grammarc_matcher_free(matcher);
            matcher = other;
            break;
        case POSITION: {
            length = blob();
            uint8_t *position = malloc(length + 1);
            CHECK(position != NULL);
            STATUS(grammarc_matcher_export(matcher, position, length, &valid), GRAMMARC_OK);
            CHECK(valid == length && memcmp(position, bytes, length) == 0);
            STATUS(grammarc_matcher_import(matcher, position, length), GRAMMARC_OK);
            free(position);
            break;
        }
        case DRAFTS: {
            uint32_t drafts[64];
            count = list();
            CHECK(count <= 64);
            memcpy(drafts, numbers, count * sizeof *drafts);
            size_t expected = number(), words = list();
            STATUS(grammarc_fill_drafts(matcher, drafts, count, found, count + 1, words / (count + 1), &valid), GRAMMARC_OK);
            CHECK(valid == expected && memcmp(found, numbers, words * sizeof *found) == 0);
            break;
        }
        case VALIDATE:
            count = list();
            STATUS(grammarc_matcher_validate(matcher, numbers, count, &valid), GRAMMARC_OK);
            CHECK(valid == number());
            break;
        case FORCED:
            count = list();
            STATUS(grammarc_matcher_forced_tokens(matcher, found, MOST, &valid), GRAMMARC_OK);
            CHECK(valid == count && memcmp(found, numbers, count * sizeof *found) == 0);
            break;
        case STATE:
            state(matcher);
            break;
        default:
            CHECK(!"a known operation");
        }
    }
}
