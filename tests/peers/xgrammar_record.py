"""A plugin of pytest that writes down what XGrammar's own tests ask of XGrammar, and what it answers.

    pytest -p xgrammar_record --xgrammar-cases cases.jsonl XGRAMMAR/tests/python/test_structural_tag_converter.py ...

``XGRAMMAR_TOKENIZER`` is the folder of a tokenizer in place of those that the tests would load from the network.

Each line is a source with its kind and options, and either a text with whether XGrammar accepts it, or that it refuses the source.
``replay.py`` asks grammarc the same. Nothing of the tests is kept in the project: they are run where they are.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
import transformers
import xgrammar as xgr
import xgrammar.testing

SOURCES: dict[int, tuple[Any, dict[str, Any]]] = {}
CASES: list[dict[str, Any]] = []
CURRENT = ""


def plain(value: Any) -> Any:
    """A value that JSON can write."""
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return plain(value.model_dump(mode="json", by_alias=True))
    if hasattr(value, "model_json_schema"):
        return value.model_json_schema()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def remember(name: str) -> None:
    original = getattr(xgr.Grammar, name)

    def wrapped(*args: Any, **options: Any) -> Any:
        source = {"kind": name.removeprefix("from_"), "args": plain(args), "options": {key: plain(one) for key, one in options.items() if key != "tokenizer_info"}}
        try:
            json.dumps(source)
        except (TypeError, ValueError):
            return original(*args, **options)
        try:
            grammar = original(*args, **options)
        except Exception as error:
            CASES.append({"test": CURRENT, **source, "refused": str(error)[:300]})
            raise
        SOURCES[id(grammar)] = (grammar, source)
        return grammar

    setattr(xgr.Grammar, name, staticmethod(wrapped))


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--xgrammar-cases", required=True)


def pytest_configure(config: Any) -> None:
    if folder := os.environ.get("XGRAMMAR_TOKENIZER"):
        load = transformers.AutoTokenizer.from_pretrained
        transformers.AutoTokenizer.from_pretrained = lambda *_, **__: load(folder)
    for name in ("from_structural_tag", "from_ebnf", "from_lark", "from_regex", "from_json_schema"):
        remember(name)
    accepts = xgrammar.testing._is_grammar_accept_string

    def wrapped(grammar: Any, text: Any, **options: Any) -> bool:
        accepted = accepts(grammar, text, **options)
        known = SOURCES.get(id(grammar))
        if isinstance(grammar, str):
            known = (grammar, {"kind": "ebnf", "args": [grammar], "options": {}})
        if known is not None and isinstance(text, str) and not options.get("require_termination") is False:
            CASES.append({"test": CURRENT, **known[1], "text": text, "accepted": bool(accepted)})
        return accepted

    xgrammar.testing._is_grammar_accept_string = wrapped
    accept_string, compile_grammar = xgr.GrammarMatcher.accept_string, xgr.GrammarCompiler.compile_grammar
    create = xgr.GrammarMatcher.__init__

    def compiled(self: Any, grammar: Any, **options: Any) -> Any:
        result = compile_grammar(self, grammar, **options)
        if id(grammar) in SOURCES:
            SOURCES[id(result)] = (result, SOURCES[id(grammar)][1])
        return result

    def init(self: Any, grammar: Any, *args: Any, **options: Any) -> None:
        create(self, grammar, *args, **options)
        self.recorded = (SOURCES.get(id(grammar)), "")

    def accept(self: Any, text: Any, **options: Any) -> bool:
        accepted = accept_string(self, text, **options)
        known, before = getattr(self, "recorded", (None, None))
        if known is not None and before is not None:
            whole = before + text if isinstance(text, str) else None
            self.recorded = (known, whole if accepted else None)
            if whole is not None:
                CASES.append({"test": CURRENT, **known[1], "text": whole, "begins": bool(accepted)})
        return accepted

    xgr.GrammarCompiler.compile_grammar = compiled
    xgr.GrammarMatcher.__init__ = init
    xgr.GrammarMatcher.accept_string = accept


def pytest_runtest_setup(item: Any) -> None:
    global CURRENT
    CURRENT = item.nodeid.rsplit("/", 1)[-1]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: Any) -> None:
    with open(config.getoption("--xgrammar-cases"), "w", encoding="utf-8") as out:
        for case in CASES:
            try:
                out.write(json.dumps(case, ensure_ascii=False) + "\n")
            except (UnicodeEncodeError, TypeError):
                continue
