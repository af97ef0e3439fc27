#!/bin/sh
# A chat with a schema, a choice, and a grammar that is compiled once and named by its id, by curl.
#
#     grammarc serve --model smollm2 &
#     sh chat.sh [URL]
set -eu
url=${1:-http://127.0.0.1:8080}

ask() { curl --silent --show-error --fail-with-body "$url$1" --header 'content-type: application/json' --data "$2"; echo; }

ask /v1/chat/completions '{
  "model": "model", "temperature": 0, "max_tokens": 80,
  "messages": [{"role": "user", "content": "Tell me of Ada Lovelace."}],
  "response_format": {"type": "json_schema", "json_schema": {"name": "person", "strict": true, "schema": {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 30}, "born": {"type": "integer", "minimum": 1000, "maximum": 2025}},
    "required": ["name", "born"],
    "additionalProperties": false}}}
}'

ask /v1/chat/completions '{
  "model": "model", "temperature": 0,
  "messages": [{"role": "user", "content": "Is the sun a star?"}],
  "structured_outputs": {"choice": ["yes", "no"]}
}'

compiled=$(ask /v1/grammars '{"language": "regex", "source": "[A-Z][a-z]{2,11}"}')
echo "$compiled"
id=$(echo "$compiled" | sed 's/.*"id": *"\([^"]*\)".*/\1/')
ask /v1/chat/completions "{
  \"model\": \"model\", \"temperature\": 0,
  \"messages\": [{\"role\": \"user\", \"content\": \"What is the capital of France?\"}],
  \"grammar_id\": \"$id\"
}"
