"""Threads, processes, pickles, files."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from test_matcher import SCHEMA, walk

import grammarc


def test_files_come_back(vocabulary: grammarc.Vocabulary, compiler: grammarc.Compiler, tmp_path: Path) -> None:
    grammar = compiler.json_schema(SCHEMA)
    vocabulary.save(tmp_path / "v.gvocab")
    grammar.save(tmp_path / "g.gmask")
    grammar.save(tmp_path / "alone.gmask", standalone=True)
    for mmap in (True, False):
        opened = grammarc.Vocabulary.open(tmp_path / "v.gvocab", mmap=mmap)
        assert opened == vocabulary and hash(opened) == hash(vocabulary)
        assert grammarc.Grammar.open(tmp_path / "g.gmask", opened, mmap=mmap) == grammar
        alone = grammarc.Grammar.open(str(tmp_path / "alone.gmask"), mmap=mmap)
        assert alone.vocabulary == vocabulary
        assert alone.matcher().allowed() == grammar.matcher().allowed()
    assert grammarc.Grammar.from_bytes(grammar.to_bytes(), vocabulary) == grammar
    assert grammarc.Grammar.from_bytes(grammar.to_bytes(standalone=True)).matcher().allowed()
    with pytest.raises(FileNotFoundError):
        grammarc.Grammar.open(tmp_path / "no.gmask", vocabulary)
    with pytest.raises(grammarc.ArtifactError):
        grammarc.Vocabulary.open(tmp_path / "g.gmask")
    (tmp_path / "cut.gmask").write_bytes((tmp_path / "g.gmask").read_bytes()[:-1])
    with pytest.raises(grammarc.ArtifactError, match="truncated"):
        grammarc.Grammar.open(tmp_path / "cut.gmask", vocabulary)
    other = grammarc.Vocabulary.from_tokens([b"a", b"b"], end_tokens=[])
    with pytest.raises(grammarc.VocabularyMismatch, match="differ first at token 0"):
        grammarc.Grammar.open(tmp_path / "g.gmask", other)


def test_pickles_come_back(vocabulary: grammarc.Vocabulary, compiler: grammarc.Compiler, tmp_path: Path) -> None:
    grammar = compiler.json_schema(SCHEMA)
    for one in (vocabulary, grammar):
        assert pickle.loads(pickle.dumps(one)) == one
    vocabulary.save(tmp_path / "v.gvocab")
    opened = grammarc.Vocabulary.open(tmp_path / "v.gvocab")
    grammar.save(tmp_path / "g.gmask")
    filed = grammarc.Grammar.open(tmp_path / "g.gmask", opened)
    text = pickle.dumps(filed)
    assert len(text) < 300 + 2 * len(str(tmp_path)), len(text)
    assert pickle.loads(text) == grammar
    matcher = filed.matcher(logit_width=filed.vocabulary.logit_width + 5)
    walk(matcher, random.Random(3), 6)
    for other in (pickle.loads(pickle.dumps(matcher)), copy.copy(matcher), copy.deepcopy(matcher)):
        assert other.allowed() == matcher.allowed() and other.logit_width == matcher.logit_width
    grammar.save(tmp_path / "g.gmask", standalone=True)
    with pytest.raises(grammarc.ArtifactError):
        fresh = text.replace(b"g.gmask", b"h.gmask")
        (tmp_path / "h.gmask").write_bytes((tmp_path / "v.gvocab").read_bytes())
        pickle.loads(fresh)


def child(compiler: grammarc.Compiler, queue: multiprocessing.Queue) -> None:
    grammar = compiler.json_schema(SCHEMA | {"title": "child"})
    matchers = [grammar.matcher() for _ in range(20)]
    mask = np.zeros((20, -(-matchers[0].logit_width // 32)), dtype=np.int32)
    grammarc.fill_batch(matchers, mask, threads=2)
    queue.put(mask[0].tobytes())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_goes_on(vocabulary: grammarc.Vocabulary) -> None:
    compiler = grammarc.Compiler(vocabulary, threads=2)
    matchers = [compiler.json_schema(SCHEMA).matcher() for _ in range(20)]
    mask = np.zeros((20, -(-matchers[0].logit_width // 32)), dtype=np.int32)
    grammarc.fill_batch(matchers, mask, threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(compiler, queue))
    process.start()
    assert queue.get(timeout=60) == mask[0].tobytes()
    process.join(60)
    assert process.exitcode == 0


def test_threads_share_everything(compiler: grammarc.Compiler) -> None:
    grammar = compiler.json_schema(SCHEMA)
    shared = grammar.matcher()

    def work(seed: int) -> int:
        rng = random.Random(seed)
        own = grammar.matcher()
        tokens = walk(own, rng, 20)
        again = grammar.matcher()
        assert again.accept_many(tokens) == len(tokens)
        assert again.export() == own.export()
        shared.fork().allowed()
        shared.try_accept(rng.randrange(256))
        shared.reset()
        return len(tokens)

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(work, range(200))) > 200


def test_batches_do_not_wait_for_each_other(compiler: grammarc.Compiler) -> None:
    matchers = [compiler.choice(["a", "b"]).matcher() for _ in range(12)]
    columns = -(-matchers[0].logit_width // 32)

    def work(order: list[grammarc.Matcher]) -> None:
        mask = np.zeros((len(order), columns), dtype=np.int32)
        for _ in range(200):
            grammarc.fill_batch(order, mask, threads=2)

    threads = [threading.Thread(target=work, args=(order,)) for order in (matchers, matchers[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "two batches wait for each other"
