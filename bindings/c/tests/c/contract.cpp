// The header in C++17: handles in smart pointers, threads that share a grammar, an error that becomes an exception.
#include "grammarc.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

template <auto Free> struct Freed {
    template <typename T> void operator()(T *handle) const { Free(handle); }
};
using Vocabulary = std::unique_ptr<grammarc_vocabulary, Freed<grammarc_vocabulary_free>>;
using Compiler = std::unique_ptr<grammarc_compiler, Freed<grammarc_compiler_free>>;
using Grammar = std::unique_ptr<grammarc_grammar, Freed<grammarc_grammar_free>>;
using Matcher = std::unique_ptr<grammarc_matcher, Freed<grammarc_matcher_free>>;
using Error = std::unique_ptr<grammarc_error, Freed<grammarc_error_free>>;

struct Failure : std::runtime_error {
    grammarc_status status;
    std::string json;
    explicit Failure(Error error)
        : std::runtime_error(grammarc_error_message(error.get(), nullptr)), status(grammarc_error_status(error.get()))
    {
        std::size_t length = 0;
        const char *text = grammarc_error_json(error.get(), &length);
        json.assign(text, length);
    }
};

// What a function makes, or an exception.
template <typename Handle, typename Call> Handle made(Call call)
{
    typename Handle::pointer out = nullptr;
    grammarc_error *error = nullptr;
    if (call(&out, &error) != GRAMMARC_OK) {
        throw Failure(Error(error));
    }
    return Handle(out);
}

void check(bool holds, const char *what)
{
    if (!holds) {
        throw std::logic_error(what);
    }
}

Grammar compile(const Compiler &compiler, std::uint32_t language, std::string_view source)
{
    return made<Grammar>([&](grammarc_grammar **out, grammarc_error **error) {
        return grammarc_compile(compiler.get(), language, source.data(), source.size(), nullptr, 0, nullptr, nullptr, out, error);
    });
}

Matcher matcher(const Grammar &grammar)
{
    return made<Matcher>([&](grammarc_matcher **out, grammarc_error **error) {
        return grammarc_matcher_new(grammar.get(), nullptr, out, error);
    });
}

void run()
{
    std::string data;
    std::vector<std::uint64_t> offsets{0};
    for (int byte = 0; byte < 256; byte++) {
        data.push_back(static_cast<char>(byte));
        offsets.push_back(data.size());
    }
    data += "<end>";
    offsets.push_back(data.size());
    std::vector<std::uint8_t> kinds(257, GRAMMARC_TOKEN_TEXT);
    kinds.back() = GRAMMARC_TOKEN_SPECIAL;
    const std::uint32_t end = 256;
    grammarc_vocabulary_options options{};
    options.struct_size = sizeof options;
    options.end_tokens = &end;
    options.end_token_count = 1;
    auto vocabulary = made<Vocabulary>([&](grammarc_vocabulary **out, grammarc_error **error) {
        return grammarc_vocabulary_from_tokens(reinterpret_cast<const std::uint8_t *>(data.data()), offsets.data(), kinds.data(),
                                               kinds.size(), &options, out, error);
    });
    auto compiler = made<Compiler>([&](grammarc_compiler **out, grammarc_error **error) {
        return grammarc_compiler_new(vocabulary.get(), nullptr, out, error);
    });
    vocabulary.reset();

    try {
        compile(compiler, GRAMMARC_GBNF, "root ::= missing");
        check(false, "a rule that is not there compiles");
    } catch (const Failure &failure) {
        check(failure.status == GRAMMARC_SOURCE, "it is the source's fault");
        check(failure.json.find("missing") != std::string::npos, failure.json.c_str());
    }

    auto grammar = compile(compiler, GRAMMARC_JSON_SCHEMA, R"({"type":"array","items":{"type":"boolean"},"maxItems":3})");
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; thread++) {
        threads.emplace_back([&] {
            auto own = matcher(grammar);
            for (char byte : std::string_view("[true, false]")) {
                if (grammarc_matcher_accept(own.get(), static_cast<unsigned char>(byte)) != GRAMMARC_OK) {
                    return;
                }
            }
            std::array<std::uint32_t, 9> words{};
            bool restricts = false;
            if (grammarc_matcher_fill(own.get(), words.data(), words.size(), &restricts) == GRAMMARC_OK && restricts &&
                words[8] == 1 && grammarc_matcher_accept(own.get(), end) == GRAMMARC_OK &&
                grammarc_matcher_accept(own.get(), end) == GRAMMARC_FINISHED) {
                done++;
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    check(done == 4, "every thread ends");

    std::vector<Matcher> sequences;
    std::vector<grammarc_matcher *> handles;
    for (int at = 0; at < 12; at++) {
        sequences.push_back(matcher(grammar));
        handles.push_back(sequences.back().get());
    }
    std::vector<std::uint32_t> mask(12 * 9);
    check(grammarc_fill_batch(handles.data(), nullptr, handles.size(), mask.data(), 12, 9, GRAMMARC_KEEP, 2) == GRAMMARC_OK,
          "a batch is filled");
    for (std::size_t row = 0; row < 12; row++) {
        check(mask[row * 9 + '[' / 32] >> ('[' % 32) & 1, "a row allows the bracket");
    }
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    std::puts("ok");
}
