"""grammarc, by the program `masks` of the benches, for draws alone."""

import json
import os
import subprocess

import numpy


class Engine:
    name = "grammarc"
    settings = "natural text, keys in the schema's order"
    any_order = False

    def __init__(self, vocabulary):
        self.version = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],
            cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True, check=True,
        ).stdout.strip()
        self.program = os.environ.get("GRAMMARC_MASKS", "target/dist/masks")
        self.vocabulary = vocabulary
        self.process = None
        self.approximate = []

    def compile(self, schema):
        if self.process is None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen([self.program], stdin=pipe, stdout=pipe, text=True)
            tokens = [text.hex() for text in self.vocabulary.tokens]
            self._ask({"vocabulary": {"tokens": tokens, "end_token": self.vocabulary.end_tokens[0]}})
        request = {"schema": json.loads(schema), "any_order": self.any_order}
        self.approximate = self._ask({"compile": request})["approximate"]

    def matcher(self, _grammar):
        self._read("start")

    def mask(self, _matcher):
        """The mask came with the last answer."""

    def accept(self, _matcher, token):
        self._read({"accept": token})
        return True

    def _read(self, request):
        mask = bytes.fromhex(self._ask(request)["mask"])[::-1]
        self.words = numpy.frombuffer(mask, dtype=numpy.uint32)

    def _ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer


class AnyOrder(Engine):
    settings = "natural text, keys in any order"
    any_order = True
