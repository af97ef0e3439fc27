"""Records out of many documents as a batch job of vLLM, whose structured outputs are grammarc's: JSON Lines out, resumable.

    pip install vllm grammarc
    python vllm_batch.py --model FOLDER                                     # made-up documents
    python vllm_batch.py documents.jsonl records.jsonl --model FOLDER       # documents as {"id": …, "text": …}, one a line

The plug-in is installed by this file, in the process of the engine, so that its counters can be printed. A run that was ended goes on
where it was: each batch becomes one file at once. What was counted is printed at the end, and is in `report.json` of the work
folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

os.environ["GRAMMARC_VLLM"] = "1"
# The engine in this process: its grammars are here, and so are their counters.
os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")

from extraction import GRAMMAR, PROMPT, Parts, ids, row, write_documents  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="?", type=Path, help="documents, one JSON object a line; made up where none are given")
    parser.add_argument("output", nargs="?", type=Path, default=Path("records.jsonl"))
    parser.add_argument("--model", required=True, help="name or folder of the model")
    parser.add_argument("--work", type=Path, default=Path("vllm_batch.work"), help="a folder of finished parts and compiled grammars")
    parser.add_argument("--make", type=int, default=10_000, metavar="N", help="how many documents to make up")
    parser.add_argument("--batch", type=int, default=256, help="documents that the engine has at once, the most that is done again")
    parser.add_argument("--max-tokens", type=int, default=160)
    parser.add_argument("--temperature", type=float, default=0.0)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    options.work = options.work.resolve()
    parts = Parts(options.work / "parts")
    if options.documents is None:
        options.documents = options.work / "documents.jsonl"
        write_documents(options.documents, options.make)
    # A run that goes on, or another process, takes the grammar from here.
    os.environ.setdefault("GRAMMARC_CACHE", str(options.work / "cache"))

    from grammarc.hosts import vllm as plugin
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    done = parts.done()
    with options.documents.open(encoding="utf-8") as file:
        documents = [document for line in file if line.strip() and (document := json.loads(line))["id"] not in done]
    print(f"{len(done)} documents are done already, {len(documents)} are asked for", file=sys.stderr)

    llm = LLM(options.model, max_model_len=1024, enforce_eager=True, structured_outputs_config={"backend": "xgrammar"})
    structured = StructuredOutputsParams(grammar=GRAMMAR)
    sampling = SamplingParams(temperature=options.temperature, seed=0, max_tokens=options.max_tokens, structured_outputs=structured)
    began, tokens = time.monotonic(), 0
    for at in range(0, len(documents), options.batch):
        batch = documents[at : at + options.batch]
        chats = [[{"role": "user", "content": PROMPT.format(text=document["text"])}] for document in batch]
        answers = llm.chat(chats, sampling, use_tqdm=False)
        tokens += sum(len(answer.outputs[0].token_ids) for answer in answers)
        parts.write([row(document["id"], answer.outputs[0].text) for document, answer in zip(batch, answers)])
        print(json.dumps({"done": at + len(batch)}), file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    counts = parts.merge(ids(options.documents), options.output)
    stats = plugin.stats()
    rate = {"asked": len(documents), "tokens": tokens, "seconds": round(seconds, 1), "documents_per_second": round(len(documents) / seconds, 2)}
    engine = {name: stats[name] for name in ("requests", "delegated", "refused_tokens", "compiled", "folder_hits") if name in stats}
    report = json.dumps({**counts, **rate, "grammarc": engine})
    (options.work / "report.json").write_text(report + "\n")
    print(report)


if __name__ == "__main__":
    main()
