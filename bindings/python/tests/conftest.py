"""Vocabularies that tests share: small ones, made up in code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Kernels in Triton run in its interpreter, which has to be said before Triton is imported. With 0 they run on a device.
os.environ.setdefault("TRITON_INTERPRET", "1")

import grammarc  # noqa: E402


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every third case of the kernels in Triton, whose interpreter is slow: types of logits stand next to each other, so all three are met.
    With GRAMMARC_FULL=1, all of them."""
    if os.environ.get("GRAMMARC_FULL") == "1":
        return
    cases: dict[str, int] = {}
    left_out = []
    for item in items:
        name, _, parameters = item.name.partition("[")
        if item.path.name == "test_triton_kernels.py" and parameters:
            cases[name] = cases.get(name, -1) + 1
            # The place within three moves on with each three, so that the types take turns.
            if cases[name] % 3 != cases[name] // 3 % 3:
                left_out.append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts find nothing that an earlier run left in the folder of $GRAMMARC_CACHE, where environments are kept too."""
    monkeypatch.delenv("GRAMMARC_CACHE", raising=False)


WORDS = ["the", "true", "false", "null", '{"', '":', '",', "},", "[1", " a", "\n\n", "é", "日", "123", "name"]
SPECIAL = ["<s>", "<end>", "<turn>", "<tool>"]


def byte_tokens() -> list[bytes]:
    """Every byte, some words, and special tokens behind them."""
    return [bytes([byte]) for byte in range(256)] + [word.encode() for word in WORDS] + [name.encode() for name in SPECIAL]


END, TURN = byte_tokens().index(b"<end>"), byte_tokens().index(b"<turn>")


@pytest.fixture(scope="session")
def vocabulary() -> grammarc.Vocabulary:
    tokens = byte_tokens()
    special = range(len(tokens) - len(SPECIAL), len(tokens))
    return grammarc.Vocabulary.from_tokens(
        tokens, special_ids=special, end_tokens=[END, TURN], logit_width=len(tokens) + 7
    )


@pytest.fixture(scope="session")
def compiler(vocabulary: grammarc.Vocabulary) -> grammarc.Compiler:
    return grammarc.Compiler(vocabulary)


@pytest.fixture(scope="session")
def data() -> Path:
    """Real tokenizers and schemas, where the machine has them."""
    folder = Path(os.environ.get("GRAMMARC_DATA") or Path(__file__).parents[4] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}; GRAMMARC_DATA names its place")
    return folder
