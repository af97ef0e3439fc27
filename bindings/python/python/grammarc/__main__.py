"""``python -m grammarc``: vocabularies and grammars to files, without a Rust toolchain.

The command ``grammarc`` of the package ``grammarc-cli`` does more: draws samples, judges texts, explains a schema.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from grammarc import (
    Compiler,
    Diagnostic,
    Grammar,
    GrammarcError,
    LimitError,
    SourceError,
    TextRefused,
    Vocabulary,
    __version__,
)
from grammarc.compiler import KINDS

SUFFIXES = {
    ".tag.json": "structural_tag",
    ".json": "json_schema",
    ".gbnf": "gbnf",
    ".ebnf": "ebnf",
    ".lark": "lark",
    ".regex": "regex",
    ".ts": "typescript",
}


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        return int(args.run(args))
    except (GrammarcError, OSError, ValueError) as error:
        findings = error.diagnostics if isinstance(error, (SourceError, LimitError)) else []
        show(findings or [str(error)])
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m grammarc", description=__doc__.splitlines()[0])
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    vocab = commands.add_parser("vocab", help="import a tokenizer, and write its vocabulary artifact")
    vocab.add_argument("tokenizer", help="tokenizer.json, .tiktoken, .model, tekken.json, .gguf, or a folder")
    vocab.add_argument("-o", "--output", help="the .gvocab to write [default: beside the tokenizer, by its name]")
    vocab.add_argument("--logit-width", type=int, help="length of the model's logit row")
    vocab.add_argument("--end-token", action="append", default=[], help="id or text; may be given several times")
    vocab.set_defaults(run=run_vocab)

    compile = commands.add_parser("compile", help="compile a source into a grammar artifact")
    compile.add_argument("source", type=Path, help=".json (JSON Schema), .gbnf, .ebnf, .lark, .regex, .tag.json or .ts")
    compile.add_argument("--vocab", required=True, help="the .gvocab, or a tokenizer")
    compile.add_argument("-o", "--output", type=Path, help="the .gmask to write [default: beside the source]")
    compile.add_argument("--kind", choices=KINDS)
    compile.add_argument("--options", type=json.loads, default={}, help="options of the front end, as JSON")
    compile.add_argument("--standalone", action="store_true", help="with the vocabulary in it")
    compile.set_defaults(run=run_compile)

    check = commands.add_parser("check", help="say whether a text is one of a grammar")
    check.add_argument("artifact", help="a .gmask")
    check.add_argument("text", type=Path, help="the text's file; - is standard input")
    check.add_argument("--vocab", help="the .gvocab, unless the artifact stands alone")
    check.set_defaults(run=run_check)

    inspect = commands.add_parser("inspect", help="say what is in an artifact, as JSON")
    inspect.add_argument("artifact", help="a .gmask or a .gvocab")
    inspect.add_argument("--vocab", help="the .gvocab, unless the artifact stands alone")
    inspect.set_defaults(run=run_inspect)
    return top


def run_vocab(args: argparse.Namespace) -> int:
    ends: list[int | str] = [int(one) if one.isdigit() else one for one in args.end_token]
    vocabulary = Vocabulary.from_file(
        args.tokenizer, logit_width=args.logit_width, end_tokens=ends or None
    )
    show(vocabulary.findings)
    output = args.output or str(Path(args.tokenizer).parent / f"{vocabulary.name}.gvocab")
    vocabulary.save(output)
    print(output)
    return 0


def run_compile(args: argparse.Namespace) -> int:
    known = (kind for suffix, kind in SUFFIXES.items() if args.source.name.endswith(suffix))
    kind: Any = args.kind or next(known, None)
    if kind is None:
        raise ValueError(f"the name of {args.source} does not say its language: give --kind")
    text = args.source.read_text(encoding="utf-8")
    source: Any = text
    if kind == "choice":
        source = json.loads(text)
    elif kind == "regex":
        source = text.removesuffix("\n")
    grammar = Compiler(Vocabulary.from_file(args.vocab)).compile(kind, source, **args.options)
    show(grammar.findings)
    output = args.output or args.source.with_suffix(".gmask")
    grammar.save(output, standalone=args.standalone)
    print(output)
    return 0


def run_check(args: argparse.Namespace) -> int:
    grammar = opened(args)
    text = sys.stdin.buffer.read() if str(args.text) == "-" else args.text.read_bytes()
    try:
        grammar.check(text)
    except TextRefused as refused:
        print(f"byte {refused.offset}: {refused}")
        return 1
    print("accepted")
    return 0


def run_inspect(args: argparse.Namespace) -> int:
    if args.artifact.endswith(".gvocab"):
        vocabulary = Vocabulary.open(args.artifact)
        facts: dict[str, Any] = {
            "name": vocabulary.name,
            "tokens": len(vocabulary),
            "logit_width": vocabulary.logit_width,
            "end_tokens": vocabulary.end_tokens,
            "fingerprint": vocabulary.fingerprint.hex(),
        }
    else:
        grammar = opened(args)
        facts = {
            "language": grammar.language,
            "vocabulary": grammar.vocabulary.name,
            "digest": grammar.digest.hex(),
            "bound": grammar.bound._asdict(),
            "report": [entry._asdict() for entry in grammar.report],
        }
    print(json.dumps(facts, indent=2))
    return 0


def opened(args: argparse.Namespace) -> Grammar:
    return Grammar.open(args.artifact, Vocabulary.open(args.vocab) if args.vocab else None)


def show(findings: list[Diagnostic] | list[str]) -> None:
    for one in findings:
        if isinstance(one, str):
            print(f"error: {one}", file=sys.stderr)
            continue
        place = f" at {one.pointer or 'the root'}" if one.pointer is not None else ""
        place = f" at bytes {one.span[0]} to {one.span[1]}" if not place and one.span else place
        print(f"{one.severity}{place}: {one.message} [{one.code}]", file=sys.stderr)
        if one.help:
            print(f"  help: {one.help}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
