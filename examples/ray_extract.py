"""Records out of many documents with Ray Data: one mapped artifact for all workers of a node, JSON Lines out, resumable.

    pip install "ray[data]" grammarc httpx
    python ray_extract.py                                                   # 10,000 made-up documents, answers drawn by the grammar
    python ray_extract.py documents.jsonl records.jsonl --workers 2         # documents as {"id": …, "text": …}, one a line
    python ray_extract.py … --engine server --url http://127.0.0.1:8080     # a model of `grammarc serve`, or of vLLM's server
    GRAMMARC_VLLM=1 python ray_extract.py … --engine vllm --model FOLDER    # a model in each worker

The grammar is compiled once and is in the work folder, with its vocabulary; workers map the files, so that a further worker on the
node takes next to no memory for them. (With a server, the server has them.) `scripted` draws tokens evenly among those that are allowed: it shows
what the pipeline costs without a model. A run that was ended goes on where it was; a worker that is killed is started again by
Ray, and its batch is done anew. What was counted is printed at the end, and is in `report.json` of the work folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grammarc
import numpy
import ray
from extraction import GRAMMAR, PROMPT, Parts, ids, row, write_documents

VOCABULARY, ARTIFACT = "vocabulary.gvocab", "records.gmask"


class Scripted:
    """Answers that the grammar draws itself, by the document's id: the same whenever it is asked again."""

    def __init__(self, options: argparse.Namespace) -> None:
        vocabulary = grammarc.Vocabulary.open(options.work / VOCABULARY)
        self.grammar = grammarc.Grammar.open(options.work / ARTIFACT, vocabulary)
        self.end_tokens = set(vocabulary.end_tokens)
        self.mask = numpy.zeros((1, -(-vocabulary.logit_width // 32)), dtype=numpy.int32)
        self.broken = options.broken

    def answers(self, documents: list[tuple[str, str]]) -> list[str]:
        return [self.answer(document) for document, _ in documents]

    def answer(self, document: str) -> str:
        drawn, matcher, text = random.Random(document), self.grammar.matcher(), bytearray()
        while not matcher.is_finished:
            matcher.fill(self.mask)
            allowed = numpy.flatnonzero(numpy.unpackbits(self.mask.view(numpy.uint8), bitorder="little"))
            token = int(drawn.choice(allowed))
            matcher.accept(token)
            if token not in self.end_tokens:
                text += self.grammar.vocabulary.token_bytes(token)
        lines = text.decode()
        return lines if drawn.random() >= self.broken else "no record\n" + lines


class FromServer:
    """Answers of a server in OpenAI's protocol that knows `structured_outputs`: `grammarc serve`, vLLM."""

    def __init__(self, options: argparse.Namespace) -> None:
        from grammarc.client import Client

        self.client = Client(options.url, model=options.model or "model")
        self.threads = ThreadPoolExecutor(options.requests)
        self.fields = {"max_tokens": options.max_tokens, "temperature": 0, "structured_outputs": {"grammar": GRAMMAR}}

    def answers(self, documents: list[tuple[str, str]]) -> list[str]:
        return list(self.threads.map(lambda document: self.client.chat(PROMPT.format(text=document[1]), **self.fields).text, documents))


class InWorker:
    """Answers of vLLM in the worker, whose grammars are grammarc's; the folder of its cache is one for all workers."""

    def __init__(self, options: argparse.Namespace) -> None:
        os.environ["GRAMMARC_CACHE"] = str(options.work / "cache")
        from vllm import LLM, SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        self.llm = LLM(options.model, max_model_len=1024, enforce_eager=True, structured_outputs_config={"backend": "xgrammar"})
        structured = StructuredOutputsParams(grammar=GRAMMAR)
        self.sampling = SamplingParams(temperature=0, max_tokens=options.max_tokens, structured_outputs=structured)

    def answers(self, documents: list[tuple[str, str]]) -> list[str]:
        chats = [[{"role": "user", "content": PROMPT.format(text=text)}] for _, text in documents]
        return [answer.outputs[0].text for answer in self.llm.chat(chats, self.sampling, use_tqdm=False)]


ENGINES = {"scripted": Scripted, "server": FromServer, "vllm": InWorker}


class Extractor:
    """A worker: documents in, a finished part and its counts out."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.engine = ENGINES[options.engine](options)
        self.parts = Parts(options.work / "parts")
        self.work = options.work

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[int]]:
        documents = list(zip(map(str, batch["id"]), map(str, batch["text"])))
        answers = self.engine.answers(documents)
        self.parts.write([row(document, answer) for (document, _), answer in zip(documents, answers)])
        mapped, private = memory_of(self.work)
        return {"worker": [os.getpid()], "documents": [len(documents)], "mapped_kib": [mapped], "private_kib": [private]}


def memory_of(work: Path) -> tuple[int, int]:
    """What this process holds of the mapped artifacts, in KiB: its share (PSS), and what is its own alone. Linux says it; else 0."""
    share = own = 0
    inside = False
    try:
        lines = Path("/proc/self/smaps").read_text().splitlines()
    except OSError:
        return 0, 0
    for line in lines:
        name, _, rest = line.partition(":")
        if "-" in line.split(" ", 1)[0]:
            inside = str(work) in line
        elif inside and name == "Pss":
            share += int(rest.split()[0])
        elif inside and name in ("Private_Clean", "Private_Dirty"):
            own += int(rest.split()[0])
    return share, own


def compile_artifact(options: argparse.Namespace) -> None:
    """Writes the vocabulary and the grammar that workers map."""
    if options.tokenizer:
        vocabulary = grammarc.Vocabulary.from_file(options.tokenizer)
    else:
        vocabulary = grammarc.Vocabulary.from_tokens([*(bytes([byte]) for byte in range(256)), b"<end>"], special_ids=[256], end_tokens=[256])
    vocabulary.save(options.work / VOCABULARY)
    grammarc.Compiler(vocabulary).gbnf(GRAMMAR).save(options.work / ARTIFACT)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="?", type=Path, help="documents, one JSON object a line; made up where none are given")
    parser.add_argument("output", nargs="?", type=Path, default=Path("records.jsonl"))
    parser.add_argument("--work", type=Path, default=Path("ray_extract.work"), help="a folder that all workers see: artifacts and finished parts")
    parser.add_argument("--make", type=int, default=10_000, metavar="N", help="how many documents to make up")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64, help="documents of a batch, the least that is done again")
    parser.add_argument("--engine", choices=ENGINES, default="scripted")
    parser.add_argument("--tokenizer", type=Path, help="of the scripted engine: a tokenizer or a model's file; bytes where none is given")
    parser.add_argument("--broken", type=float, default=0.0, help="of the scripted engine: share of answers with a line that is no record")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="of the server")
    parser.add_argument("--requests", type=int, default=8, help="requests that a worker has under way at a server")
    parser.add_argument("--model", help="name or folder of the model")
    parser.add_argument("--max-tokens", type=int, default=160)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    options.work = options.work.resolve()
    parts = Parts(options.work / "parts")
    if options.documents is None:
        options.documents = options.work / "documents.jsonl"
        write_documents(options.documents, options.make)
    if options.engine == "scripted":
        compile_artifact(options)
    done = parts.done()
    if done:
        print(f"{len(done)} documents are done already", file=sys.stderr)

    if os.environ.get("RAY_ADDRESS"):
        # A cluster: its nodes get the module beside this file. They need the package, and have to see the work folder.
        ray.init(runtime_env={"working_dir": str(Path(__file__).parent), "excludes": ["*/"]})
    else:
        ray.init("local", num_cpus=max(os.cpu_count() or 1, options.workers + 1), include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    asked = ray.data.read_json(str(options.documents), lines=True, override_num_blocks=1).filter(lambda document: document["id"] not in done)
    extracted = asked.repartition(target_num_rows_per_block=options.batch).map_batches(
        Extractor,
        fn_constructor_args=[options],
        batch_size=options.batch,
        compute=ray.data.ActorPoolStrategy(size=options.workers),
    )
    workers: dict[int, dict[str, Any]] = {}
    count = first = 0
    began = time.monotonic()
    for batch in extracted.iter_rows():
        if not workers:
            began, first = time.monotonic(), batch["documents"]
        workers[batch["worker"]] = {"mapped_kib": batch["mapped_kib"], "private_kib": batch["private_kib"]}
        count += batch["documents"]
        # In one piece with its end: Ray logs to the same place from other threads.
        sys.stderr.write(json.dumps({"done": count, "worker": batch["worker"]}) + "\n")
        sys.stderr.flush()
    seconds = time.monotonic() - began
    counts = parts.merge(ids(options.documents), options.output)
    # From the first batch on, so that starting Ray and loading a model do not count.
    rate = {"asked": count, "seconds": round(seconds, 2), "documents_per_second": round((count - first) / seconds, 1)}
    ray.shutdown()
    report = json.dumps({**counts, **rate, "workers": list(workers.values())})
    (options.work / "report.json").write_text(report + "\n")
    print(report)


if __name__ == "__main__":
    main()
