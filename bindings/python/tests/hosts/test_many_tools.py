"""A request of 25 tools, of which one does not compile, as vLLM and SGLang send it: the masks of the other 24 are those of a request
without it.

Runs on stubs and on the hosts' own modules where ``vllm_modules`` and ``sglang_modules`` find them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import contract
import numpy as np
import pytest
from hosts import contract_sglang, contract_vllm, sglang_modules, vllm_modules

from grammarc.hosts import sglang, vllm

HOSTILE = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a|b)\\1$"}, "n": {"type": "integer"}}, "required": ["n"]}


def tool(number: int) -> dict[str, Any]:
    members = {"n": {"type": "integer", "minimum": number}, "s": {"type": "string", "maxLength": number + 1}}
    parameters = {"type": "object", "properties": members, "required": ["n"], "additionalProperties": False}
    return {"name": f"tool_{number}", "parameters": parameters}


def request(hostile: bool) -> str:
    tools = [tool(number) for number in range(24)]
    if hostile:
        tools.insert(12, {"name": "hostile", "parameters": HOSTILE})
    return json.dumps({"type": "tools", "style": "qwen_3", "tools": tools})


def of_vllm(modules: Any, source: str) -> contract.Sequence:
    made = vllm.backend_class(modules.backend_types, modules.backend_xgrammar, modules.utils)
    backend = made(vllm_modules.config(), contract.Tokenizer(), contract.WIDTH)
    return contract_vllm.Vllm(modules, "STRUCTURAL_TAG", source, backend)


def of_sglang(name: str, source: str) -> contract.Sequence:
    made = sglang.backend_class(sglang_modules.each()[name])
    backend = made(contract.Tokenizer(), contract.WIDTH, set(contract.ENDS))
    return contract_sglang.Sglang(name, "structural_tag", source, backend.dispatch_structural_tag(source))


HOSTS: dict[str, Callable[[str], contract.Sequence]] = {
    **{f"vllm {name}": functools.partial(of_vllm, modules) for name, modules in vllm_modules.each().items()},
    **{f"sglang {name}": functools.partial(of_sglang, name) for name in sglang_modules.each()},
}


def begun(name: str) -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": '


def rows(host: contract.Sequence, name: str, arguments: str) -> list[np.ndarray]:
    """The masks along the arguments of a call."""
    contract.walk(host, contract.spelled(begun(name)))
    found = []
    for token in contract.spelled(arguments):
        found.append(host.row().copy())
        assert host.accept(token)
    return found


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("word", ["loosen", "exclude"])
def test_the_other_masks_are_as_without_the_refused_tool(monkeypatch: pytest.MonkeyPatch, host: str, word: str) -> None:
    monkeypatch.setenv("GRAMMARC_ON_REFUSED", word)
    made = HOSTS[host]
    for number in (0, 11, 12, 23):
        arguments = json.dumps({"n": number + 3, "s": "x" * (number + 1)})
        name = f"tool_{number}"
        with_it, without = rows(made(request(True)), name, arguments), rows(made(request(False)), name, arguments)
        assert len(with_it) == len(arguments)
        assert all((one == other).all() for one, other in zip(with_it, without, strict=True))
    hostile = made(request(True))
    tokens = contract.spelled(begun("hostile"))
    taken = [hostile.accept(token) for token in tokens[: tokens.index(contract.spelled("h")[0]) + 1]]
    # A tool that is left out cannot be called.
    assert all(taken) == (word == "loosen")


@pytest.mark.parametrize("host", HOSTS)
def test_what_compiles_of_the_refused_tool_is_enforced(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("GRAMMARC_ON_REFUSED", "loosen")
    sequence = HOSTS[host](request(True))
    contract.walk(sequence, contract.spelled(begun("hostile") + '{"a": "cc", "n": 1'))
    for wrong in ("x", '"'):
        assert not sequence.accept(contract.spelled(wrong)[0])
