"""XGrammar's drafts: `GrammarMatcher.find_jump_forward_tokens`, under XGrammar's own tags of tools.

Its tags allow any whitespace in JSON. For a comparison with `spaced`, each schema of arguments as JSON becomes XGrammar's grammar of
the schema without free whitespace, which writes `, ` and `: ` as `json.dumps`. Arguments as tags stay as they are, because a tag
has no such option for them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))

from engine_xgrammar import xgrammar  # noqa: E402

NAMES = {name: name for name in ("llama", "qwen_3", "qwen_3_coder", "glm_4_7", "deepseek_v3_1")}
"""XGrammar's names of styles. It has no tag for the others."""

Matcher = Any


class Follower:
    """A matcher of XGrammar for `follow`."""

    def __init__(self, compiled: Any) -> None:
        self.matcher = xgrammar.GrammarMatcher(compiled)

    def accept_many(self, tokens: Sequence[int]) -> int:
        for at, token in enumerate(tokens):
            if not self.matcher.accept_token(token):
                return at
        return len(tokens)


def spaced(node: Any) -> Any:
    """A tag in which schemas of JSON texts are grammars without free whitespace."""
    if isinstance(node, list):
        return [spaced(one) for one in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "json_schema" and node.get("style", "json") == "json":
        grammar = xgrammar.Grammar.from_json_schema(node["json_schema"], any_whitespace=False, strict_mode=True)
        return {"type": "grammar", "grammar": str(grammar)}
    return {key: spaced(one) for key, one in node.items()}


class Compiler:
    """XGrammar's compiler for one vocabulary."""

    def __init__(self, tokens: list[bytes], width: int, ends: Sequence[int]) -> None:
        info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, vocab_size=width, stop_token_ids=list(ends))
        # A jump needs no masks, so they are made when asked for.
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=True, enable_dynamic_compilation=True)

    def tools(self, style: str, tools: list[dict[str, Any]]) -> Any:
        """The compiled tag of a list of tools, of which at least one is called."""
        strict = [{**tool, "function": {**tool["function"], "strict": True}} for tool in tools]
        tag = xgrammar.get_model_structural_tag(NAMES[style], tools=strict, tool_choice="required", reasoning="disabled")
        return self.compiler.compile_structural_tag(spaced(tag.model_dump(mode="json", by_alias=True, exclude_none=True)))


def jump(follower: Follower, before: list[int]) -> list[int]:
    """The tokens that XGrammar adds without the model."""
    return list(follower.matcher.find_jump_forward_tokens())
