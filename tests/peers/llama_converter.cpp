// Asks llama.cpp's own converter and grammar parser: `portable_engines.py` compiles this file beside llama.cpp's sources.
//
// Each line of the input is {"schema": S, "texts": [T, ...]} or {"grammar": G, "texts": [T, ...]}.
// Each line of the output is {"refused": reason} or {"accepts": [bool, ...]}.

#include "ggml.h"
#include "json-schema-to-grammar.h"
#include "json.h"
#include "llama-grammar.h"
#include "llama-vocab.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>


// The parser reports its reasons to the log or to standard error. The last one is kept for the answer.
static std::string last_logged;

void llama_log_internal(ggml_log_level, const char * format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    last_logged = text;
}

// Two functions of parts that are not compiled. Grammars here name no tokens, so nothing calls the first.
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const {
    return 0;
}

extern "C" void ggml_abort(const char *, int, const char * format, ...) {
    fprintf(stderr, "llama.cpp aborts: %s\n", format);
    abort();
}

// Helpers that llama.cpp keeps in a file with many dependencies.
std::string string_join(const std::vector<std::string> & values, const std::string & separator) {
    std::string joined;
    for (size_t i = 0; i < values.size(); i++) {
        joined += (i ? separator : "") + values[i];
    }
    return joined;
}

std::vector<std::string> string_split(const std::string & text, const std::string & delimiter) {
    std::vector<std::string> parts;
    size_t start = 0;
    for (size_t end; (end = text.find(delimiter, start)) != std::string::npos; start = end + delimiter.size()) {
        parts.push_back(text.substr(start, end - start));
    }
    parts.push_back(text.substr(start));
    return parts;
}

std::string string_repeat(const std::string & text, size_t count) {
    std::string repeated;
    while (count--) {
        repeated += text;
    }
    return repeated;
}

static bool accepts(const std::string & gbnf, const std::string & text) {
    auto * grammar = llama_grammar_init_impl(nullptr, gbnf.c_str(), "root", false, nullptr, 0, nullptr, 0);
    if (!grammar) {
        throw std::runtime_error("the grammar is refused: " + last_logged);
    }
    bool accepted = true;
    try {
        llama_grammar_accept_str(*grammar, text);
        accepted = false;
        for (const auto & stack : llama_grammar_get_stacks(grammar)) {
            accepted |= stack.empty();
        }
    } catch (const std::runtime_error &) {
        accepted = false;
    }
    llama_grammar_free_impl(grammar);
    return accepted;
}

int main() {
    std::string line;
    while (std::getline(std::cin, line)) {
        auto answer = common_json::object();
        try {
            const auto request = common_json::parse(line);
            const auto gbnf = request.contains("grammar") ? request.at("grammar").get<std::string>() : json_schema_to_grammar(request.at("schema"), true);
            accepts(gbnf, "");
            auto accepted = common_json::array();
            for (const auto & text : request.at("texts")) {
                accepted.push_back(accepts(gbnf, text.get<std::string>()));
            }
            answer["accepts"] = accepted;
        } catch (const std::exception & error) {
            answer["refused"] = std::string(error.what());
        }
        std::cout << answer.dump() << std::endl;
    }
}
