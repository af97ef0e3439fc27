"""LangChain's parsers of grammarc behind a model that nothing holds to a schema: repair, and records one a line, also while they come.

    pip install langchain-openai "grammarc[langchain]"
    grammarc serve --model smollm2 &                 # or any other server of OpenAI's protocol
    python langchain_parsers.py [URL]
"""

import sys

from grammarc.langchain import JsonlParser, RepairParser
from langchain_core.exceptions import OutputParserException
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
model = ChatOpenAI(base_url=url + "/v1", api_key="none", model="model", temperature=0, max_tokens=100)

# The values of a stream grow, and the last is the whole one. A text without JSON has none.
prompt = ChatPromptTemplate.from_messages([("system", "{form}"), ("user", "Tell me of {who}.")])
parser = RepairParser()
chain = prompt.partial(form=parser.get_format_instructions()) | model | parser
print("values:", len(list(chain.stream({"who": "Ada Lovelace"}))))
try:
    print("value:", chain.invoke({"who": "Ada Lovelace"}))
except OutputParserException as error:
    print("refused:", str(error).splitlines()[0])

# Records one a line.
lines = JsonlParser()
chain = prompt.partial(form=lines.get_format_instructions()) | model | lines
print("items:", len(chain.invoke({"who": "three composers"})))
