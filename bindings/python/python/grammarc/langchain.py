"""LangChain: parsers for what a model wrote without a grammar, whole or while it comes.

>>> from grammarc.langchain import JsonlParser, RepairParser
>>> RepairParser().parse("Sure! {'name': 'Ada', 'born': 1815,}")
{'name': 'Ada', 'born': 1815}
>>> list((RepairParser()).transform(['{"name": "A', 'da", "bo', 'rn": 1815}']))
[{'name': 'A'}, {'name': 'Ada'}, {'name': 'Ada', 'born': 1815}]
>>> JsonlParser().parse('{"a": 1}\\n{"a": 2}\\n{"a": ')
[{'a': 1}, {'a': 2}]

Behind a model that ``grammarc serve`` holds to a schema nothing is left to repair; there ``ChatOpenAI.with_structured_output`` does
(docs/frameworks.md). The parsers are for models of other servers.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from grammarc._errors import GrammarcError
from grammarc.jsonl import Jsonl, parse_jsonl
from grammarc.repair import RepairError, SchemaLike, repair
from grammarc.schema import is_type, to_text, value_of

try:
    import jsonpatch  # type: ignore[import-untyped,unused-ignore]
    from langchain_core.exceptions import OutputParserException  # type: ignore[import-not-found,unused-ignore]
    from langchain_core.output_parsers import (  # type: ignore[import-not-found,unused-ignore]
        BaseCumulativeTransformOutputParser,
    )
    from langchain_core.outputs import Generation  # type: ignore[import-not-found,unused-ignore]
except ImportError as error:
    raise ImportError("grammarc.langchain needs langchain-core: pip install 'grammarc[langchain]'") from error

__all__ = ["JsonlParser", "RepairParser"]

_log = logging.getLogger("grammarc")


class _Parser(BaseCumulativeTransformOutputParser[Any]):  # type: ignore[misc,unused-ignore]
    """What the parsers share. With ``diff``, streams yield JSON patches."""

    schema_: Any = None
    """A JSON Schema, or a type: values are then instances of it."""

    strict: bool = False

    def __init__(self, schema: SchemaLike = None, **options: Any) -> None:
        super().__init__(**{"schema_": schema, **options})

    def parse(self, text: str) -> Any:
        """The value of a whole text. Raises ``OutputParserException``."""
        return self.parse_result([Generation(text=text)])

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """The value of what a model wrote; with ``partial``, what is certain of it so far, or ``None``. Raises ``OutputParserException``."""
        text = result[0].text
        if partial:
            return self._partial(text)
        try:
            return self._whole(text)
        except (GrammarcError, ValueError) as error:
            # Refusals of pydantic are ValueErrors.
            raise OutputParserException(str(error), llm_output=text) from error

    def _partial(self, text: str) -> Any:
        raise NotImplementedError

    def _whole(self, text: str) -> Any:
        raise NotImplementedError

    def _diff(self, prev: Any, next: Any) -> Any:
        return jsonpatch.make_patch(prev, next).patch

    def _value(self, value: Any) -> Any:
        """A value as an instance of the type, where the schema is one."""
        if self.schema_ is None or not is_type(self.schema_):
            return value
        return value_of(self.schema_, json.dumps(value))


class RepairParser(_Parser):
    """The value of a text that is nearly JSON: see :func:`grammarc.repair.repair`.

    ``RepairParser(schema)`` repairs guided by a JSON Schema or a type. ``strict`` takes the repairs that :func:`grammarc.repair.repair` takes in strict use.
    In a stream, a value appears with its first parts and grows. Of a type, it appears as soon as it is an instance.
    """

    coerce: bool = False

    def get_format_instructions(self) -> str:
        """What a prompt says of the answer's form."""
        if self.schema_ is None:
            return "Answer with JSON alone."
        return f"Answer with JSON alone, an instance of this JSON Schema:\n{to_text(self.schema_)}"

    def _whole(self, text: str) -> Any:
        found = repair(text, self.schema_, strict=self.strict, coerce=self.coerce)
        if found.edits:
            _log.info("an answer was repaired by %d edits", len(found.edits))
        return self._value(found.value)

    def _partial(self, text: str) -> Any:
        # Without the schema, since a value that is not whole yet is no instance.
        try:
            value = repair(text, cut=True).value
            return self._value(value)
        except (RepairError, ValueError):
            return None

    @property
    def _type(self) -> str:
        return "grammarc_repair"


class JsonlParser(_Parser):
    """The items of a text with one JSON value a line: see :func:`grammarc.jsonl.parse_jsonl`.

    Lines that are no items are logged. With ``strict`` they raise, as a last line does that was cut off. ``repair`` repairs lines where that
    is certain. In a stream, the list grows by each item whose line is whole.
    """

    repair: bool = False
    coerce: bool = False

    def get_format_instructions(self) -> str:
        """What a prompt says of the answer's form."""
        if self.schema_ is None:
            return "Answer with lines of JSON alone: one value a line."
        return f"Answer with lines of JSON alone. Each line is an instance of this JSON Schema:\n{to_text(self.schema_)}"

    def _whole(self, text: str) -> Any:
        found = self._found(text)
        for line in found.skipped:
            _log.warning("line %d of an answer is left out: %s", line.line, line.reason)
        if self.strict and (found.skipped or found.truncated):
            reasons = [f"line {line.line}: {line.reason}" for line in found.skipped]
            raise ValueError("; ".join(reasons) or "the last line was cut off")
        return [self._value(item) for item in found.items]

    def _partial(self, text: str) -> Any:
        return [self._value(item) for item in self._found(text[: text.rfind("\n") + 1]).items] or None

    def _found(self, text: str) -> Jsonl:
        return parse_jsonl(text, self.schema_, repair=self.repair, coerce=self.coerce)

    @property
    def _type(self) -> str:
        return "grammarc_jsonl"
