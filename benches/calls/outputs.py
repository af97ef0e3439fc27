"""Writes the outputs that parsers read: `outputs.py FILE.json [--each 200]`.

For each style, half of the outputs are gold answers of the leaderboard, half are hostile calls. Every second output has prose before
its calls, if the style can have it. An output is cut by Qwen 3's tokenizer, with the style's markers as control tokens, into pieces of 1,
of 1 to 5 and of 1 to 20 tokens. One file serves all hosts, because each needs an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

import data
import hostile
import render
import tokens
from tokenizers import Tokenizer

SIZES = (1, 5, 20)
TAGS = ("qwen_3_coder", "glm_4_5", "glm_4_7", "deepseek_v3_2", "minimax")
"""Styles that write strings without quotes."""


def written(style: str, answer: data.Answer, prose: str, tokenizer: Tokenizer, rng: random.Random) -> dict[str, Any]:
    text = render.output(style, answer.calls, prose)
    cut = {str(most): [[piece.tokens, piece.text] for piece in tokens.pieces(tokenizer, text, most, rng)] for most in SIZES}
    calls = [{"name": call.name, "arguments": call.arguments} for call in answer.calls]
    return {"style": style, "id": answer.id, "tools": answer.tools, "prose": prose, "calls": calls, "text": text, "pieces": cut}


def outputs(style: str, each: int, gold: list[data.Answer], model: tokens.Model) -> list[dict[str, Any]]:
    # A string as a seed gives the same numbers in every process.
    rng = random.Random(f"calls of {style}")
    form = render.FORMS[style]
    tokenizer = tokens.with_markers(model.tokenizer, form.markers)
    drawn = hostile.Calls(rng, form.markers, has_tags=style in TAGS)
    answers = rng.sample(gold, each // 2) + [drawn.answer(number) for number in range(each - each // 2)]
    made = []
    for number, answer in enumerate(answers):
        prose = rng.choice(hostile.PROSE) if number % 2 and form.behind_text is not None else ""
        made.append(written(style, answer, prose, tokenizer, rng))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--each", type=int, default=200)
    arguments = parser.parse_args()
    scenarios = render.check()
    known = tokens.models([])
    if "qwen3" not in known:
        raise SystemExit("SKIPPED: no tokenizer of Qwen 3 in GRAMMARC_DATA")
    loaded = data.load(4)
    all_outputs = [one for style in render.FORMS for one in outputs(style, arguments.each, loaded.answers, known["qwen3"])]
    result = {"answers": loaded.facts(4), "markers": {style: form.markers for style, form in render.FORMS.items()}, "outputs": all_outputs}
    arguments.file.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    print(f"{len(all_outputs)} outputs of {len(render.FORMS)} styles; {scenarios} scenarios are as chat templates write them", file=sys.stderr)


if __name__ == "__main__":
    main()
