"""Draws texts from the masks of each engine, by chance alone, and counts those that end badly. One table.

    cargo build --profile dist -p grammarc-benches --bin masks
    python benches/peers/draws.py

Each probe of `probes.json` is compiled by each engine over the same small vocabulary, and texts are drawn by the same code:
a token of the mask, then the next mask, until the token of the end. The choice is by a fixed seed. It leans to the end and to
closing brackets and quotes, so that texts are short, and takes white space only where nothing else is allowed, since not every
engine has a form of text without it. Masks that are exact lead every such walk to a valid text:

- dead: the mask was empty before an end, or allowed white space alone for as long as anyone asked, or allowed a token that
  was then refused;
- invalid: the end was allowed, and the text is no JSON or the `jsonschema` package finds it invalid, with `format` asserted;
- unfinished: no end within a number of tokens. That is no fault of a mask.

A text that repeats a key is judged by its last value, as Python reads it, and counted too. An engine that refuses a schema, or
takes too long, has no draws of it. For grammarc, `said` marks a probe with a keyword that its report calls approximate; the
exit code is 1 where a draw of it is dead, or is invalid and nothing is said.
"""

import argparse
import importlib
import json
import multiprocessing
import random
import sys
from collections import Counter
from importlib import metadata
from pathlib import Path

import numpy
from jsonschema import Draft202012Validator

ENGINES = {
    "grammarc": ("engine_grammarc", "Engine"),
    "grammarc-any-order": ("engine_grammarc", "AnyOrder"),
    "maskforge": ("engine_maskforge", "Engine"),
    "llguidance": ("engine_llguidance", "Engine"),
    "xgrammar": ("engine_xgrammar", "Engine"),
    "outlines-core": ("engine_outlines", "Engine"),
}
TOKENS = 120
SECONDS = 120
END = 0.25
CLOSE = 0.35
# White space in a row, where a mask allowed nothing else, after which a walk is dead.
ENDLESS = 32
FAULTS = ("dead", "invalid")


class Vocabulary:
    """Single bytes, what stands between the values of a JSON text, short words and numbers, and a token that ends a text."""

    def __init__(self, bytes_up_to):
        pieces = ['{"', '":', '":"', '","', ',"', '"}', '"]', '"}]', "}]", "]}", "}}", "},{", '["', "[{", "[[", "[]", "{}"]
        words = "true false null red green blue kind ab abc cab yy of date xx".split()
        numbers = [str(number) for number in range(100)] + [f"-{number}" for number in range(1, 25)]
        dates = [f"20{year}-" for year in range(20, 30)] + [f"-{month:02}" for month in range(1, 13)]
        letters = [one + other for one in "abcxyz" for other in "abcxyz"]
        texts = pieces + words + numbers + dates + letters
        texts += [f'"{word}"' for word in "a b c d n s v x yy of kind red green blue".split()]
        texts += [f'"{word}":' for word in "a b c d n s v x y z of kind".split()]
        longer = (text.encode() for text in texts)
        single = [bytes([byte]) for byte in range(bytes_up_to)]
        texts = list(dict.fromkeys([*single, *longer]))
        self.tokens = [*texts, b""]
        self.end_tokens = [len(texts)]
        self.logit_width = len(self.tokens)
        self.closing = {token for token, text in enumerate(texts) if not text.strip(b'"}]')}
        self.space = {token for token, text in enumerate(texts) if not text.strip(b" \t\r\n")}


def draw(engine, grammar, vocabulary, chance):
    """How a walk ended, and its bytes."""
    end = vocabulary.end_tokens[0]
    matcher = engine.matcher(grammar)
    text, spaces = b"", 0
    for _ in range(TOKENS):
        engine.mask(matcher)
        bits = numpy.unpackbits(engine.words.reshape(-1).view(numpy.uint8), bitorder="little")
        allowed = bits[: vocabulary.logit_width].nonzero()[0].tolist()
        if allowed == [end] or end in allowed and chance.random() < END:
            return "ended", text
        texts = [token for token in allowed if token != end]
        plain = [token for token in texts if token not in vocabulary.space]
        closing = [token for token in plain if token in vocabulary.closing]
        spaces = 0 if plain or end in allowed else spaces + 1
        if not texts or spaces > ENDLESS:
            return "dead", text
        token = chance.choice(closing if closing and chance.random() < CLOSE else plain or texts)
        if not engine.accept(matcher, token):
            return "dead", text + vocabulary.tokens[token]
        text += vocabulary.tokens[token]
    return "unfinished", text


def judge(text, validator):
    """Whether a text is a valid instance, and whether it repeats a key."""
    repeats = []

    def members(pairs):
        repeats.extend([True] * (len(pairs) > len(dict(pairs))))
        return dict(pairs)

    try:
        value = json.loads(text.decode(), object_pairs_hook=members)
    except ValueError:
        return False, False
    return validator.is_valid(value), bool(repeats)


def probe(engine, name, schema, vocabulary, count):
    """Ends of all draws of a probe, and one text of each fault."""
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    try:
        grammar = engine.compile(json.dumps(schema))
        engine.matcher(grammar)
    except Exception as error:
        return {"refused": str(error)[:200]}
    ends, examples = Counter(), {}
    for number in range(count):
        end, text = draw(engine, grammar, vocabulary, random.Random(f"{name} {number}"))
        if end == "ended":
            valid, repeats = judge(text, validator)
            end = "valid" if valid else "invalid"
            ends["repeats"] += repeats
        ends[end] += 1
        examples.setdefault(end, repr(text)[1:])
    faults = {end: examples[end] for end in FAULTS if end in examples}
    return {"ends": ends, "faults": faults, "said": getattr(engine, "approximate", [])}


def child(pipe, *arguments):
    try:
        pipe.send(probe(*arguments))
    except Exception as error:
        pipe.send({"failed": f"{type(error).__name__}: {error}"[:200]})


def isolated(*arguments):
    """The same in a process of its own, under a limit on time."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(sender, *arguments))
    process.start()
    sender.close()
    try:
        late = {"failed": f"over {SECONDS} s"}
        answer = receiver.recv() if receiver.poll(SECONDS) else late
    except EOFError:
        answer = {"failed": "the process ended"}
    process.kill()
    process.join()
    return answer


def cell(answer):
    if "refused" in answer:
        return "refused"
    if "failed" in answer:
        return "failed"
    ends = answer["ends"]
    parts = [f"{ends[end]} {end}" for end in (*FAULTS, "unfinished") if ends[end]]
    return ", ".join(parts or ["all valid"]) + (" (said)" if answer["said"] else "")


def is_fault(answer):
    """Whether an engine with a report did what it does not say."""
    ends = answer.get("ends", {})
    return "failed" in answer or ends.get("dead", 0) > 0 or ends.get("invalid", 0) > 0 and not answer["said"]


def total(answers):
    ends = sum((Counter(answer.get("ends", {})) for answer in answers), Counter())
    drawn = sum(ends[end] for end in (*FAULTS, "unfinished", "valid"))
    out = sum("ends" not in answer for answer in answers)
    return (
        f"{drawn}: {ends['dead']} dead, {ends['invalid']} invalid, {ends['unfinished']} unfinished, "
        f"{ends['repeats']} repeat a key; {out} refused"
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("engines", nargs="*", help=f"of {', '.join(ENGINES)} [default: all]")
    arguments.add_argument("--count", type=int, default=200, help="draws of each probe")
    arguments.add_argument("--ascii", action="store_true", help="no token of a single byte above 127")
    given = arguments.parse_args()
    unknown = set(given.engines) - set(ENGINES)
    if unknown:
        arguments.error(f"no such engine: {', '.join(sorted(unknown))}")
    folder = Path(__file__).parent
    probes = json.loads((folder / "probes.json").read_text(encoding="utf-8"))
    vocabulary = Vocabulary(128 if given.ascii else 256)
    columns = {}
    for name in given.engines or ENGINES:
        module, kind = ENGINES[name]
        engine = getattr(importlib.import_module(module), kind)(vocabulary)
        answers = [isolated(engine, key, schema, vocabulary, given.count) for key, schema in probes.items()]
        columns[name] = (engine, answers)
        for key, answer in zip(probes, answers):
            for what in ("refused", "failed", "said", "faults"):
                if answer.get(what):
                    print(f"{name}, {key}: {what}: {answer[what]}", file=sys.stderr)
    print(f"{given.count} draws of each probe; {len(vocabulary.tokens)} tokens; jsonschema {metadata.version('jsonschema')}\n")
    for engine, _ in columns.values():
        print(f"- {engine.name} {engine.version}: {engine.settings}")
    print("\n| probe |" + "".join(f" {name} |" for name in columns))
    print("| --- |" + " --- |" * len(columns))
    for row, key in enumerate(probes):
        print(f"| {key} |" + "".join(f" {cell(answers[row])} |" for _, answers in columns.values()))
    print("| all |" + "".join(f" {total(answers)} |" for _, answers in columns.values()))
    reported = (answer for engine, answers in columns.values() if hasattr(engine, "approximate") for answer in answers)
    sys.exit(int(any(is_fault(answer) for answer in reported)))


if __name__ == "__main__":
    main()
