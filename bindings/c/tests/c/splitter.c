/* What a splitter promises: the pieces in a row are the output, each with what it is, however the output was cut. */
#include "check.h"
#include "environment.h"

#include <pthread.h>

static const char TOOLS[] =
    "{\"type\":\"tools\",\"style\":\"mimo\",\"reasoning\":{\"open\":\"written\"},\"tools\":["
    "{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\",\"properties\":"
    "{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"],\"additionalProperties\":false}}},"
    "{\"type\":\"function\",\"function\":{\"name\":\"now\",\"parameters\":{\"type\":\"object\",\"additionalProperties\":false}}}"
    "]}";

/* The parts of an output, and what they are. */
static const struct {
    const char *text, *kind, *name;
    uint32_t call;
} PARTS[] = {
    {"<think>", "markup", NULL, GRAMMARC_NO_CALL},
    {"Is it true?", "reasoning", NULL, GRAMMARC_NO_CALL},
    {"</think>", "markup", NULL, GRAMMARC_NO_CALL},
    {"A <tool: ", "text", NULL, GRAMMARC_NO_CALL},
    {"<tool_call><function=get_weather>", "markup", "get_weather", 0},
    {"<parameter=city>\303\205lesund</parameter>", "xml", "get_weather", 0},
    {"</function></tool_call>", "markup", "get_weather", 0},
    {" and <t", "text", NULL, GRAMMARC_NO_CALL},
};
enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static grammarc_vocabulary *vocabulary;
static grammarc_compiler *compiler;

/* What was handed out so far. */
struct read {
    char text[512];
    size_t length, part, within, begins;
};

/* Pieces are what the parts say, none is empty, and `begins` is said at the first of a part. */
static void take(struct read *read, const grammarc_piece *pieces, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        const grammarc_piece *piece = &pieces[at];
        CHECK(piece->length > 0 && read->length + piece->length < sizeof read->text);
        memcpy(read->text + read->length, piece->bytes, piece->length);
        read->length += piece->length;
        CHECK(read->part < PART_COUNT && piece->begins == (read->within == 0));
        CHECK(strcmp(grammarc_piece_kind_name(piece->kind), PARTS[read->part].kind) == 0);
        CHECK(piece->call == PARTS[read->part].call);
        const char *name = PARTS[read->part].name;
        CHECK((piece->name == NULL) == (name == NULL) && piece->name_length == (name == NULL ? 0 : strlen(name)));
        CHECK(name == NULL || memcmp(piece->name, name, piece->name_length) == 0);
        CHECK(memcmp(PARTS[read->part].text + read->within, piece->bytes, piece->length) == 0);
        read->within += piece->length;
        if (read->within == strlen(PARTS[read->part].text)) {
            read->within = 0;
            read->part++;
        }
    }
}

static size_t output(char *text)
{
    text[0] = 0;
    for (size_t at = 0; at < PART_COUNT; at++) {
        strcat(text, PARTS[at].text);
    }
    return strlen(text);
}

static grammarc_splitter *splitter_of(const grammarc_grammar *grammar)
{
    grammarc_splitter *splitter = NULL;
    STATUS(grammarc_splitter_new(grammar, &splitter, NULL), GRAMMARC_OK);
    return splitter;
}

static void ends(grammarc_splitter *splitter, struct read *read, const char *text)
{
    const grammarc_piece *pieces = NULL;
    size_t count = 99, length = 0;
    CHECK(grammarc_splitter_is_accepting(splitter) && !grammarc_splitter_is_finished(splitter));
    STATUS(grammarc_splitter_finish(splitter, &pieces, &count), GRAMMARC_OK);
    take(read, pieces, count);
    CHECK(read->part == PART_COUNT && read->length == strlen(text) && memcmp(read->text, text, read->length) == 0);
    CHECK(!grammarc_splitter_is_accepting(splitter) && grammarc_splitter_is_finished(splitter));
    STATUS(grammarc_splitter_push(splitter, 'a', NULL, NULL), GRAMMARC_FINISHED);
    STATUS(grammarc_splitter_finish(splitter, &pieces, &count), GRAMMARC_OK);
    CHECK(count == 0 && grammarc_splitter_call_count(splitter) == 1);
    const char *name = grammarc_splitter_call_name(splitter, 0, &length);
    CHECK(length == 11 && memcmp(name, "get_weather", length) == 0);
    CHECK(grammarc_splitter_call_name(splitter, 1, &length) == NULL && length == 11);
}

static void tokens_and_bytes(const grammarc_grammar *grammar)
{
    char text[512];
    size_t length = output(text);
    const grammarc_piece *pieces = NULL;
    size_t count = 0;
    grammarc_splitter *splitter = splitter_of(grammar);

    /* One token for each byte, but for a word. */
    struct read read;
    memset(&read, 0, sizeof read);
    for (size_t at = 0; at < length; at++) {
        bool is_word = strncmp(text + at, "true", 4) == 0;
        STATUS(grammarc_splitter_push(splitter, is_word ? BYTES : (uint8_t)text[at], &pieces, &count), GRAMMARC_OK);
        take(&read, pieces, count);
        at += is_word ? 3 : 0;
    }
    ends(splitter, &read, text);

    /* Bytes, in runs of any length. */
    for (size_t run = 1; run <= length; run += run < 8 ? 1 : 37) {
        STATUS(grammarc_splitter_reset(splitter), GRAMMARC_OK);
        CHECK(!grammarc_splitter_is_finished(splitter) && grammarc_splitter_call_count(splitter) == 0);
        memset(&read, 0, sizeof read);
        for (size_t at = 0; at < length; at += run) {
            size_t bytes = length - at < run ? length - at : run;
            STATUS(grammarc_splitter_push_bytes(splitter, (const uint8_t *)text + at, bytes, &pieces, &count, NULL), GRAMMARC_OK);
            take(&read, pieces, count);
        }
        ends(splitter, &read, text);
    }

    /* An end token finishes it, with what was held back. */
    STATUS(grammarc_splitter_reset(splitter), GRAMMARC_OK);
    memset(&read, 0, sizeof read);
    STATUS(grammarc_splitter_push_text(splitter, (const uint8_t *)text, length, &pieces, &count, NULL), GRAMMARC_OK);
    take(&read, pieces, count);
    CHECK(read.length == length - 2);
    STATUS(grammarc_splitter_push(splitter, EOS, &pieces, &count), GRAMMARC_OK);
    take(&read, pieces, count);
    CHECK(read.length == length && grammarc_splitter_is_finished(splitter));
    grammarc_splitter_free(splitter);
}

static void refusals(const grammarc_grammar *grammar)
{
    grammarc_splitter *splitter = splitter_of(grammar);
    const grammarc_piece *pieces = NULL;
    size_t count = 0, offset = 99;
    STATUS(grammarc_splitter_push(splitter, 'x', &pieces, &count), GRAMMARC_REFUSED);
    STATUS(grammarc_splitter_push(splitter, EOS, &pieces, &count), GRAMMARC_REFUSED);
    STATUS(grammarc_splitter_push(splitter, TOKENS, &pieces, &count), GRAMMARC_REFUSED);
    STATUS(grammarc_splitter_push(splitter, (uint32_t)-1, &pieces, &count), GRAMMARC_REFUSED);
    CHECK(pieces == NULL && count == 0);

    /* A refusal leaves the pieces of before, and what was read. */
    STATUS(grammarc_splitter_push(splitter, '<', &pieces, &count), GRAMMARC_OK);
    CHECK(count == 1 && pieces[0].length == 1 && pieces[0].kind == GRAMMARC_PIECE_MARKUP && pieces[0].begins);
    STATUS(grammarc_splitter_push(splitter, PAD, NULL, NULL), GRAMMARC_REFUSED);
    CHECK(pieces[0].bytes[0] == '<');
    STATUS(grammarc_splitter_push_bytes(splitter, (const uint8_t *)"thinX", 5, &pieces, &count, &offset), GRAMMARC_REFUSED);
    CHECK(offset == 4);
    STATUS(grammarc_splitter_push_bytes(splitter, (const uint8_t *)"k>so", 4, &pieces, &count, &offset), GRAMMARC_OK);
    CHECK(count == 2 && pieces[0].length == 6 && memcmp(pieces[0].bytes, "think>", 6) == 0 && !pieces[0].begins);
    CHECK(pieces[1].kind == GRAMMARC_PIECE_REASONING && pieces[1].length == 2 && pieces[1].begins);

    /* An output that was cut off: what is held back is of the part that it stands in. */
    STATUS(grammarc_splitter_push_bytes(splitter, (const uint8_t *)"</th", 4, &pieces, &count, NULL), GRAMMARC_OK);
    CHECK(count == 0 && !grammarc_splitter_is_accepting(splitter));
    STATUS(grammarc_splitter_finish(splitter, &pieces, &count), GRAMMARC_OK);
    CHECK(count == 1 && pieces[0].kind == GRAMMARC_PIECE_REASONING && pieces[0].length == 4 && !pieces[0].begins);
    STATUS(grammarc_splitter_push_bytes(splitter, (const uint8_t *)"x", 1, NULL, NULL, &offset), GRAMMARC_REFUSED);
    CHECK(offset == 0);
    grammarc_splitter_free(splitter);
}

static void nothing_at_all(const grammarc_grammar *grammar)
{
    grammarc_splitter *splitter = splitter_of(grammar);
    const grammarc_piece *pieces = NULL;
    size_t count = 99;
    STATUS(grammarc_splitter_push_bytes(splitter, NULL, 0, &pieces, &count, NULL), GRAMMARC_OK);
    CHECK(count == 0);
    STATUS(grammarc_splitter_push_bytes(splitter, NULL, 1, &pieces, &count, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_splitter_push(NULL, 'a', &pieces, &count), GRAMMARC_ARGUMENT);
    STATUS(grammarc_splitter_push_bytes(NULL, NULL, 0, &pieces, &count, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_splitter_finish(NULL, &pieces, &count), GRAMMARC_ARGUMENT);
    STATUS(grammarc_splitter_reset(NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_splitter_new(grammar, NULL, NULL), GRAMMARC_ARGUMENT);
    CHECK(!grammarc_splitter_is_accepting(NULL) && !grammarc_splitter_is_finished(NULL));
    CHECK(grammarc_splitter_call_count(NULL) == 0 && grammarc_splitter_call_name(NULL, 0, NULL) == NULL);
    CHECK(strcmp(grammarc_piece_kind_name(99), "unknown") == 0);
    grammarc_splitter_free(NULL);
    grammarc_splitter_free(splitter);
    grammarc_error *error = NULL;
    STATUS(grammarc_splitter_new(NULL, &splitter, &error), GRAMMARC_ARGUMENT);
    CHECK(splitter == NULL && grammarc_error_status(error) == GRAMMARC_ARGUMENT);
    grammarc_error_free(error);

    /* A source without parts: all is markup. */
    grammarc_grammar *other = compiled(compiler, GRAMMARC_GBNF, "root ::= \"a\"+");
    splitter = splitter_of(other);
    grammarc_grammar_free(other); /* the splitter holds its own */
    STATUS(grammarc_splitter_push_bytes(splitter, (const uint8_t *)"aa", 2, &pieces, &count, NULL), GRAMMARC_OK);
    CHECK(count == 1 && pieces[0].kind == GRAMMARC_PIECE_MARKUP && pieces[0].call == GRAMMARC_NO_CALL);
    CHECK(grammarc_splitter_is_accepting(splitter));
    grammarc_splitter_free(splitter);
}

static void *in_a_thread(void *argument)
{
    grammarc_splitter *splitter = argument;
    size_t taken = 0;
    while (taken < 500) {
        grammarc_status status = grammarc_splitter_push(splitter, 'a', NULL, NULL);
        CHECK(status == GRAMMARC_OK || status == GRAMMARC_ARGUMENT);
        taken += status == GRAMMARC_OK;
    }
    return NULL;
}

/* A call beside another is refused, and none is lost. */
static void threads(void)
{
    enum { THREADS = 4 };
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_GBNF, "root ::= \"a\"{2000} \"b\"");
    grammarc_splitter *splitter = splitter_of(grammar);
    pthread_t threads[THREADS];
    for (size_t at = 0; at < THREADS; at++) {
        CHECK(pthread_create(&threads[at], NULL, in_a_thread, splitter) == 0);
    }
    for (size_t at = 0; at < THREADS; at++) {
        CHECK(pthread_join(threads[at], NULL) == 0);
    }
    STATUS(grammarc_splitter_push(splitter, 'a', NULL, NULL), GRAMMARC_REFUSED);
    STATUS(grammarc_splitter_push(splitter, 'b', NULL, NULL), GRAMMARC_OK);
    grammarc_splitter_free(splitter);
    grammarc_grammar_free(grammar);
}

int main(void)
{
    vocabulary = vocabulary_of_bytes();
    compiler = compiler_for(vocabulary);
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_STRUCTURAL_TAG, TOOLS);
    tokens_and_bytes(grammar);
    refusals(grammar);
    nothing_at_all(grammar);
    threads();
    grammarc_grammar_free(grammar);
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    nothing_was_read();
    puts("ok");
    return 0;
}
