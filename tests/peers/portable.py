"""What engines do with each keyword of JSON Schema: `python portable.py` records it, `--check` compares it with the recording.

The answer of an engine for a probe of `portable_probes.py`:

    refused    the schema is refused
    enforced   all right texts are accepted, and no wrong one
    ignored    a wrong text is accepted
    narrower   a right text is refused
    wrong      both

`portable.json` has the probes in the order of their names. A probe without the `type` beside its keyword is recorded as NAME/untyped where
an engine's answer differs. `seen` has the texts that gave the answer, or the engine's reason.
`--only NAME` asks about single probes and prints the answers. The requirements are installed by `tests/python/environment.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
RECORDING = HERE / "portable.json"
INSIDE = "GRAMMARC_PORTABLE_ENVIRONMENT"

if __name__ == "__main__" and INSIDE not in os.environ:
    sys.path.insert(0, str(HERE.parent / "python"))
    from environment import environment

    python = str(environment(HERE / "portable-requirements.txt"))
    os.execve(python, [python, __file__, *sys.argv[1:]], os.environ | {INSIDE: "1", "PYTHONDONTWRITEBYTECODE": "1"})

import jsonschema  # noqa: E402

from portable_engines import NAMES, Engines, described, llama_folder  # noqa: E402
from portable_probes import PROBES, Probe, Text  # noqa: E402

SHOWN = 100
"""Characters of a reason or of a text in `seen`."""


def written(value: Any) -> str:
    return str(value) if isinstance(value, Text) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def is_instance(schema: Any, text: str) -> bool:
    """Whether the `jsonschema` package accepts a text, formats included. A text that is no JSON is no instance."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    # Python's expressions have no classes of Unicode. This one is the same set, except for some marks of letters.
    judged = json.loads(json.dumps(schema).replace("\\\\p{L}", "[^\\\\W\\\\d_]").replace("(?<x>", "(?P<x>"))
    kind.check_schema(judged)
    return bool(kind(judged, format_checker=kind.FORMAT_CHECKER).is_valid(value))


def mistakes(probe: Probe) -> Iterator[str]:
    """Texts whose place the `jsonschema` package does not agree with."""
    for value in probe.right:
        if not is_instance(probe.schema, written(value)):
            yield f"{probe.name}: {written(value)[:SHOWN]} is no instance"
    for value in probe.wrong:
        if is_instance(probe.schema, written(value)):
            yield f"{probe.name}: {written(value)[:SHOWN]} is an instance"


def untyped(probe: Probe) -> Probe | None:
    """The probe without `type` at the root, if it has other keywords and its texts stay right and wrong."""
    if not isinstance(probe.schema, dict) or "type" not in probe.schema or probe.keyword == "type":
        return None
    schema = {keyword: value for keyword, value in probe.schema.items() if keyword != "type"}
    other = probe._replace(name=f"{probe.name}/untyped", schema=schema)
    return other if probe.keyword in schema and not list(mistakes(other)) else None


def judged(answer: dict[str, Any], right: list[str], wrong: list[str]) -> tuple[str, dict[str, Any]]:
    """The answer in one word, and what it rests on."""
    if "refused" in answer:
        return "refused", {"reason": " ".join(answer["refused"].split())[:SHOWN]}
    accepts = answer["accepts"]
    refused = [text[:SHOWN] for text, accepted in zip(right, accepts) if not accepted]
    accepted = [text[:SHOWN] for text, accepted in zip(wrong, accepts[len(right) :]) if accepted]
    word = {(False, False): "enforced", (False, True): "ignored", (True, False): "narrower", (True, True): "wrong"}
    seen = {"refuses": refused} if refused else {}
    return word[bool(refused), bool(accepted)], seen | ({"accepts": accepted} if accepted else {})


def answered(name: str, probes: list[Probe]) -> list[tuple[str, dict[str, Any]]]:
    """What one engine answers."""
    found = []
    with Engines() as engines:
        for probe in probes:
            right, wrong = [written(value) for value in probe.right], [written(value) for value in probe.wrong]
            found.append(judged(engines.ask(name, probe.schema, right + wrong), right, wrong))
    return found


def row(probe: Probe, found: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    right, wrong = [written(value) for value in probe.right], [written(value) for value in probe.wrong]
    answers = {name: word for name, (word, _) in found.items()}
    seen = {name: why for name, (_, why) in found.items() if why}
    return {
        "name": probe.name,
        "keyword": probe.keyword,
        "schema": probe.schema,
        "right": right,
        "wrong": wrong,
        "answers": answers,
        "seen": seen,
    }


def recorded(probes: list[Probe]) -> dict[str, Any]:
    pairs = [(probe, untyped(probe)) for probe in probes]
    every = [one for pair in pairs for one in pair if one is not None]
    llama_folder()
    with ThreadPoolExecutor(len(NAMES)) as pool:
        answers = dict(zip(NAMES, pool.map(lambda name: answered(name, every), NAMES)))
    rows = {probe.name: row(probe, {name: answers[name][at] for name in NAMES}) for at, probe in enumerate(every)}
    for probe, other in pairs:
        if other is not None and rows[other.name]["answers"] == rows[probe.name]["answers"]:
            del rows[other.name]
    return {"engines": {name: described(name) for name in NAMES}, "probes": [rows[name] for name in sorted(rows)]}


def lines(recording: dict[str, Any]) -> str:
    """A recording as JSON with one probe a line."""
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in recording["probes"])
    return f'{{"engines": {json.dumps(recording["engines"], indent=1)},\n"probes": [\n{rows}\n]}}\n'


def differences(now: dict[str, Any], before: dict[str, Any]) -> Iterator[str]:
    if now["engines"] != before["engines"]:
        yield f"engines: {before['engines']} are now {now['engines']}"
    rows, others = ({row["name"]: row for row in recording["probes"]} for recording in (now, before))
    for name in sorted(rows.keys() | others.keys()):
        if name not in rows or name not in others:
            yield f"{name}: only in {'what is asked now' if name in rows else 'the recording'}"
            continue
        yield from (
            f"{name}: {field} is {others[name][field]}, now {rows[name][field]}"
            for field in rows[name]
            if rows[name][field] != others[name].get(field)
        )


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="compare with the recording and write nothing")
    arguments.add_argument("--only", action="append", metavar="NAME", help="ask about this probe alone and print the answers")
    options = arguments.parse_args()
    probes = [probe for probe in PROBES if not options.only or probe.name in options.only]
    wrong = [mistake for probe in probes for mistake in mistakes(probe)]
    if wrong:
        print("probes that the jsonschema package judges otherwise:", *wrong, sep="\n  ", file=sys.stderr)
        return 1
    now = recorded(probes)
    if options.only:
        print(lines(now), end="")
        return 0
    if not options.check:
        RECORDING.write_text(lines(now), encoding="utf-8")
        print(f"{len(now['probes'])} rows for {len(NAMES)} engines")
        return 0
    found = list(differences(now, json.loads(RECORDING.read_text(encoding="utf-8"))))
    print(*found, f"{len(now['probes'])} rows, {len(found)} differences", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
