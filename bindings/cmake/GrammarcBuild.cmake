# grammarc_build(NAME [MANIFEST file] [OUTPUT folder] [DENY what...] [THREADS n] [ALL])
#
# A target NAME that builds a folder of grammar artifacts from a manifest, by the command `grammarc build`, and does so
# again where the manifest, a source, a tokenizer or a schema of a registry has changed, or a file was added where a
# pattern of the manifest looks.
#
#   NAME      target; its property GRAMMARC_OUTPUT is the folder
#   MANIFEST  grammarc.toml of the current source folder, unless another is named
#   OUTPUT    folder NAME in the current binary folder, unless another is named
#   DENY      keywords that no source may have: approximate, narrower, unknown-format, unknown-keyword
#   THREADS   as many as there are processors, unless a number is given
#   ALL       the target is part of the default build
#
# The command is GRAMMARC_EXECUTABLE, or else the `grammarc` of the path. The generators of Ninja and of Makefiles are
# supported, and CMake 3.20 or later.

include_guard(GLOBAL)

find_program(GRAMMARC_EXECUTABLE grammarc DOC "The command grammarc")

function(grammarc_build NAME)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "ALL" "MANIFEST;OUTPUT;THREADS" "DENY")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "grammarc_build: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT GRAMMARC_EXECUTABLE)
        message(FATAL_ERROR "grammarc_build: there is no grammarc; set GRAMMARC_EXECUTABLE")
    endif()
    if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
        message(FATAL_ERROR "grammarc_build: ${CMAKE_GENERATOR} reads no depfiles; use Ninja or Makefiles")
    endif()
    if(NOT ARG_MANIFEST)
        set(ARG_MANIFEST grammarc.toml)
    endif()
    cmake_path(ABSOLUTE_PATH ARG_MANIFEST BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    if(NOT ARG_OUTPUT)
        set(ARG_OUTPUT "${NAME}")
    endif()
    cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)

    set(options "")
    foreach(what IN LISTS ARG_DENY)
        list(APPEND options --deny "${what}")
    endforeach()
    if(ARG_THREADS)
        list(APPEND options --threads "${ARG_THREADS}")
    endif()
    set(all "")
    if(ARG_ALL)
        set(all ALL)
    endif()

    set(index "${ARG_OUTPUT}/index.json")
    set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${NAME}.d")
    add_custom_command(
        OUTPUT "${index}"
        COMMAND "${GRAMMARC_EXECUTABLE}" build --manifest "${ARG_MANIFEST}" --output "${ARG_OUTPUT}" --depfile "${depfile}" ${options}
        DEPENDS "${ARG_MANIFEST}" "${GRAMMARC_EXECUTABLE}"
        DEPFILE "${depfile}"
        COMMENT "Compiling grammars of ${ARG_MANIFEST}"
        VERBATIM)
    add_custom_target("${NAME}" ${all} DEPENDS "${index}")
    set_target_properties("${NAME}" PROPERTIES GRAMMARC_OUTPUT "${ARG_OUTPUT}")
endfunction()
