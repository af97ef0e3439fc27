"""Verdicts of MaskForge on whole texts: the official JSON Schema suite of draft 2020-12, without its remotes.

    python benches/peers/suite.py FOLDER          # draft2020-12 of the suite

A text is handed over byte by byte, by a vocabulary of the 256 bytes. It is accepted where the session is not dead and may end.
"""

import json
import sys
from importlib import metadata
from pathlib import Path

import maskforge

END = 256


def accepts(grammar, text):
    session = grammar.start_session()
    for byte in text.encode():
        try:
            session.advance(byte)
        except maskforge.MaskforgeError:
            return False
        if session.is_dead:
            return False
    return session.is_accepting


def main():
    (folder,) = sys.argv[1:]
    tokens = [bytes([byte]) for byte in range(END)] + [None]
    vocabulary = maskforge.Vocabulary.from_id_ordered_tokens(tokens, eos_token_id=END, logits_vocab_size=END + 1)
    compiler = maskforge.Compiler()
    counts = dict.fromkeys(("tests", "right", "accepted although invalid", "refused although valid", "of schemas that are refused"), 0)
    for file in sorted(Path(folder).glob("*.json")):
        for group in json.loads(file.read_text(encoding="utf-8")):
            try:
                grammar = compiler.compile(json.dumps(group["schema"])).bind(vocabulary)
            except maskforge.MaskforgeError:
                grammar = None
            for test in group["tests"]:
                counts["tests"] += 1
                if grammar is None:
                    counts["of schemas that are refused"] += 1
                    continue
                text = json.dumps(test["data"], ensure_ascii=False, separators=(",", ":"))
                verdict = accepts(grammar, text)
                if verdict == test["valid"]:
                    counts["right"] += 1
                else:
                    counts["accepted although invalid" if verdict else "refused although valid"] += 1
    if not counts["tests"]:
        sys.exit(f"there is no test in {folder}")
    print(f"MaskForge {metadata.version('maskforge')}")
    for what, count in counts.items():
        print(f"{count:6,} {what}")


if __name__ == "__main__":
    main()
