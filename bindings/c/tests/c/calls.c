/* What a reader of calls promises: reasoning, text, and calls with their arguments as JSON, however the output was cut. */
#include "check.h"
#include "environment.h"

static const char TOOLS[] =
    "[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\",\"properties\":"
    "{\"city\":{\"type\":\"string\"},\"days\":{\"type\":\"integer\"}},\"required\":[\"city\",\"days\"],"
    "\"additionalProperties\":false}}}]";

static const char OUTPUT[] =
    "<think>Is it true?</think>A <tool: "
    "<tool_call><function=get_weather><parameter=city>\303\205le\"sund</parameter><parameter=days>3</parameter></function></tool_call>";
static const char ARGUMENTS[] = "{\"city\":\"\303\205le\\\"sund\",\"days\":3}";

static grammarc_vocabulary *vocabulary;
static grammarc_compiler *compiler;

/* What was read so far. */
struct read {
    char text[256], reasoning[256], arguments[256];
    unsigned calls;
};

static void take(struct read *read, const grammarc_part *parts, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        const grammarc_part *part = &parts[at];
        char *whole[] = {read->text, read->reasoning, NULL, read->arguments};
        CHECK(part->kind <= GRAMMARC_PART_ARGUMENTS);
        bool is_of_call = part->kind == GRAMMARC_PART_CALL || part->kind == GRAMMARC_PART_ARGUMENTS;
        CHECK(is_of_call == (part->call == 0) && is_of_call == (part->name != NULL));
        CHECK(!is_of_call || (part->name_length == 11 && memcmp(part->name, "get_weather", 11) == 0));
        if (part->kind == GRAMMARC_PART_CALL) {
            CHECK(part->length == 0);
            read->calls++;
        } else {
            CHECK(part->length > 0 && strlen(whole[part->kind]) + part->length < 256);
            strncat(whole[part->kind], part->text, part->length);
        }
    }
}

static grammarc_calls *reader_of(const grammarc_grammar *grammar)
{
    grammarc_calls *calls = NULL;
    STATUS(grammarc_calls_new(grammar, "mimo", 4, TOOLS, strlen(TOOLS), &calls, NULL), GRAMMARC_OK);
    return calls;
}

static void whole(const struct read *read)
{
    CHECK(strcmp(read->reasoning, "Is it true?") == 0 && strcmp(read->text, "A <tool: ") == 0);
    CHECK(read->calls == 1 && strcmp(read->arguments, ARGUMENTS) == 0);
}

static void texts_and_tokens(const grammarc_grammar *grammar)
{
    const grammarc_part *parts = NULL;
    size_t count = 0, length = strlen(OUTPUT);
    for (size_t run = 1; run <= length; run += run < 8 ? 1 : 37) {
        struct read read;
        memset(&read, 0, sizeof read);
        grammarc_calls *calls = reader_of(grammar);
        for (size_t at = 0; at < length; at += run) {
            size_t bytes = length - at < run ? length - at : run;
            STATUS(grammarc_calls_push_text(calls, (const uint8_t *)OUTPUT + at, bytes, &parts, &count), GRAMMARC_OK);
            take(&read, parts, count);
        }
        STATUS(grammarc_calls_finish(calls, &parts, &count), GRAMMARC_OK);
        take(&read, parts, count);
        CHECK(grammarc_calls_left(calls) == SIZE_MAX);
        whole(&read);
        STATUS(grammarc_calls_finish(calls, &parts, &count), GRAMMARC_OK);
        CHECK(count == 0);
        grammarc_calls_free(calls);
    }
    struct read read;
    memset(&read, 0, sizeof read);
    grammarc_calls *calls = reader_of(grammar);
    for (size_t at = 0; at < length; at++) {
        STATUS(grammarc_calls_push(calls, (uint8_t)OUTPUT[at], &parts, &count), GRAMMARC_OK);
        take(&read, parts, count);
    }
    STATUS(grammarc_calls_push(calls, EOS, &parts, &count), GRAMMARC_OK);
    take(&read, parts, count);
    whole(&read);
    grammarc_calls_free(calls);
}

/* Every output is read: from a wrong byte on it is text, and a call that was cut off is named. */
static void others(const grammarc_grammar *grammar)
{
    const grammarc_part *parts = NULL;
    size_t count = 0, half = strlen(OUTPUT) - 40;
    uint32_t incomplete = 99;
    struct read read;
    memset(&read, 0, sizeof read);
    grammarc_calls *calls = reader_of(grammar);
    STATUS(grammarc_calls_push_text(calls, (const uint8_t *)OUTPUT, half, &parts, &count), GRAMMARC_OK);
    take(&read, parts, count);
    STATUS(grammarc_calls_cut(calls, &parts, &count, &incomplete), GRAMMARC_OK);
    take(&read, parts, count);
    CHECK(incomplete == 0 && read.calls == 1 && strncmp(read.arguments, ARGUMENTS, strlen(read.arguments)) == 0);
    grammarc_calls_free(calls);

    memset(&read, 0, sizeof read);
    calls = reader_of(grammar);
    STATUS(grammarc_calls_push_text(calls, (const uint8_t *)"no", 2, &parts, &count), GRAMMARC_OK);
    take(&read, parts, count);
    CHECK(grammarc_calls_left(calls) == 0);
    STATUS(grammarc_calls_cut(calls, &parts, &count, &incomplete), GRAMMARC_OK);
    take(&read, parts, count);
    CHECK(incomplete == GRAMMARC_NO_CALL && strcmp(read.text, "no") == 0);
    grammarc_calls_free(calls);
}

static void wrong_arguments(const grammarc_grammar *grammar)
{
    grammarc_calls *calls = NULL;
    grammarc_error *error = NULL;
    STATUS(grammarc_calls_new(grammar, "frob", 4, NULL, 0, &calls, &error), GRAMMARC_ARGUMENT);
    CHECK(calls == NULL && error != NULL);
    grammarc_error_free(error);
    STATUS(grammarc_calls_new(grammar, NULL, 0, "{}", 2, &calls, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_calls_new(NULL, NULL, 0, NULL, 0, &calls, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_calls_push(NULL, 0, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_calls_push_text(NULL, NULL, 0, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_calls_finish(NULL, NULL, NULL), GRAMMARC_ARGUMENT);
    STATUS(grammarc_calls_cut(NULL, NULL, NULL, NULL), GRAMMARC_ARGUMENT);
    CHECK(grammarc_calls_left(NULL) == SIZE_MAX);
    grammarc_calls_free(NULL);

    /* Without a style, arguments are as they are written. */
    const grammarc_part *parts = NULL;
    size_t count = 0;
    STATUS(grammarc_calls_new(grammar, NULL, 0, NULL, 0, &calls, NULL), GRAMMARC_OK);
    struct read read;
    memset(&read, 0, sizeof read);
    STATUS(grammarc_calls_push_text(calls, (const uint8_t *)OUTPUT, strlen(OUTPUT), &parts, &count), GRAMMARC_OK);
    take(&read, parts, count);
    CHECK(strncmp(read.arguments, "<parameter=city>", 16) == 0);
    grammarc_calls_free(calls);
}

int main(void)
{
    vocabulary = vocabulary_of_bytes();
    compiler = compiler_for(vocabulary);
    grammarc_compiler_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.flags = GRAMMARC_WITHOUT_MASKS;
    grammarc_compiler *reader = NULL;
    STATUS(grammarc_compiler_new(vocabulary, &options, &reader, NULL), GRAMMARC_OK);
    char tag[1024];
    snprintf(tag, sizeof tag, "{\"type\":\"tools\",\"style\":\"mimo\",\"reasoning\":{\"open\":\"written\"},\"tools\":%s}", TOOLS);

    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_STRUCTURAL_TAG, tag);
    texts_and_tokens(grammar);
    others(grammar);
    wrong_arguments(grammar);
    grammarc_grammar_free(grammar);

    bool complete = true;
    grammar = compiled(reader, GRAMMARC_STRUCTURAL_TAG, tag);
    CHECK(!grammarc_grammar_is_complete(grammar));
    STATUS(grammarc_grammar_wait(grammar, 0, &complete, NULL), GRAMMARC_ARGUMENT);
    texts_and_tokens(grammar);
    grammarc_grammar_free(grammar);

    grammarc_compiler_free(reader);
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    nothing_was_read();
    puts("ok");
    return 0;
}
