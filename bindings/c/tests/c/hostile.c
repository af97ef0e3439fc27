/* Sources that nobody means well with: each is answered with a status, in bounded time, and the compiler goes on. */
#include "check.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static grammarc_compiler *compiler;

static grammarc_status attempt(const char *name, uint32_t language, const char *source, size_t length)
{
    grammarc_limits limits;
    memset(&limits, 0, sizeof limits);
    limits.struct_size = sizeof limits;
    limits.timeout_ms = 2000;
    limits.memory = (size_t)256 << 20;
    grammarc_grammar *grammar = NULL;
    grammarc_error *error = NULL;
    double started = now();
    grammarc_status status = grammarc_compile(compiler, language, source, length, NULL, 0, &limits, NULL, &grammar, &error);
    double spent = now() - started;
    size_t message = 0;
    printf("%-24s %-20s %6.0f ms  %.90s\n", name, grammarc_status_name(status), spent * 1e3,
           error == NULL ? "" : grammarc_error_message(error, &message));
    CHECK(status != GRAMMARC_INTERNAL && status != GRAMMARC_ARGUMENT);
    CHECK((status == GRAMMARC_OK) == (grammar != NULL) && (status == GRAMMARC_OK) == (error == NULL));
    if (error != NULL) {
        CHECK(message > 0 && grammarc_error_json(error, &message)[0] == '[');
    }
    grammarc_error_free(error);
    grammarc_grammar_free(grammar);
    return status;
}

/* `count` times one text, `middle`, and `count` times another. */
static char *nested(const char *open, const char *middle, const char *close, size_t count, size_t *length)
{
    size_t a = strlen(open), b = strlen(middle), c = strlen(close);
    char *text = malloc((a + c) * count + b + 1);
    CHECK(text != NULL);
    char *at = text;
    for (size_t i = 0; i < count; i++, at += a) {
        memcpy(at, open, a);
    }
    memcpy(at, middle, b);
    at += b;
    for (size_t i = 0; i < count; i++, at += c) {
        memcpy(at, close, c);
    }
    *length = (size_t)(at - text);
    return text;
}

static void deep(const char *name, uint32_t language, const char *open, const char *middle, const char *close, size_t count)
{
    size_t length = 0;
    char *text = nested(open, middle, close, count, &length);
    attempt(name, language, text, length);
    free(text);
}

int main(int count, char **arguments)
{
    bool quick = count > 1 && strcmp(arguments[1], "quick") == 0;
    size_t depth = quick ? 2000 : 100000;
    grammarc_vocabulary *vocabulary = vocabulary_of_bytes();
    compiler = compiler_for(vocabulary);

    /* A NUL is a byte like any other. */
    CHECK(attempt("NUL in a regex", GRAMMARC_REGEX, "a\0b", 3) == GRAMMARC_OK);
    CHECK(attempt("NUL in GBNF", GRAMMARC_GBNF, "root ::= \"a\"\0", 13) == GRAMMARC_SOURCE);
    CHECK(attempt("NUL in a schema", GRAMMARC_JSON_SCHEMA, "{\"type\":\0\"string\"}", 18) == GRAMMARC_SOURCE);
    CHECK(attempt("nothing", GRAMMARC_JSON_SCHEMA, NULL, 0) == GRAMMARC_SOURCE);

    /* Not UTF-8: a stray byte, a surrogate, an end in the middle. */
    CHECK(attempt("a stray byte", GRAMMARC_REGEX, "a\xFFz", 3) == GRAMMARC_SOURCE);
    CHECK(attempt("a surrogate in bytes", GRAMMARC_JSON_SCHEMA, "{\"const\":\"\xED\xA0\x80\"}", 14) == GRAMMARC_SOURCE);
    CHECK(attempt("a cut character", GRAMMARC_GBNF, "root ::= \"\xE6\x97", 12) == GRAMMARC_SOURCE);
    const char surrogate[] = "{\"const\":\"\\ud800\"}";
    CHECK(attempt("a surrogate escaped", GRAMMARC_JSON_SCHEMA, surrogate, strlen(surrogate)) == GRAMMARC_SOURCE);
    const char pattern[] = "{\"type\":\"string\",\"pattern\":\"[\\\\ud800-\\\\udfff]\"}";
    attempt("surrogates in a pattern", GRAMMARC_JSON_SCHEMA, pattern, strlen(pattern));

    /* Deep. */
    deep("deep arrays", GRAMMARC_JSON_SCHEMA, "[", "", "]", depth);
    deep("deep items", GRAMMARC_JSON_SCHEMA, "{\"items\":", "{}", "}", depth);
    deep("deep not", GRAMMARC_JSON_SCHEMA, "{\"not\":", "{\"type\":\"null\"}", "}", depth);
    deep("deep groups", GRAMMARC_REGEX, "(", "a", ")", depth);
    deep("deep groups of GBNF", GRAMMARC_GBNF, "(", "\"a\"", ")", depth);
    deep("deep choices", GRAMMARC_CHOICE, "[", "\"a\"", "]", depth);

    /* Large by their numbers. */
    const char repeated[] = "((((a{1,1000}){1,1000}){1,1000}){1,1000}b){1,1000}";
    attempt("repetitions", GRAMMARC_REGEX, repeated, strlen(repeated));
    const char squares[] = "(x+x+)+y(x+x+)+z|(.*a){30}";
    attempt("ambiguous", GRAMMARC_REGEX, squares, strlen(squares));

    /* Large by their length. */
    size_t large = quick ? 1 << 20 : 64u << 20;
    char *text = malloc(large + 64);
    CHECK(text != NULL);
    strcpy(text, "{\"const\":\"");
    memset(text + 10, 'a', large);
    strcpy(text + 10 + large, "\"}");
    attempt("a long constant", GRAMMARC_JSON_SCHEMA, text, large + 12);
    memset(text, ' ', large);
    attempt("a long blank", GRAMMARC_JSON_SCHEMA, text, large);
    memset(text, 'a', large);
    CHECK(attempt("a long regex", GRAMMARC_REGEX, text, large) == GRAMMARC_LIMIT);
    free(text);

    /* It goes on. */
    grammarc_grammar *grammar = compiled(compiler, GRAMMARC_REGEX, "ab");
    grammarc_grammar_free(grammar);
    grammarc_compiler_free(compiler);
    grammarc_vocabulary_free(vocabulary);
    puts("ok");
    return 0;
}
