// Prints what llama.cpp's own converter makes of schemas: one schema a line in, one line of JSON out.
//
// A line of stderr with the number of the schema stands before the converter's warnings on it. The converter may crash, so the
// caller starts the program again behind the schema that crashed it.

#include "json-schema-to-grammar.h"

#include <cstdio>
#include <iostream>
#include <string>

int main() {
    std::string line;
    for (size_t number = 0; std::getline(std::cin, line); number++) {
        fprintf(stderr, "#%zu\n", number);
        common_json result = common_json::object();
        try {
            result["grammar"] = json_schema_to_grammar(common_json::parse(line), /* force_gbnf = */ true);
        } catch (const std::exception & error) {
            result["error"] = error.what();
        }
        std::cout << result.dump() << std::endl;
    }
    return 0;
}
