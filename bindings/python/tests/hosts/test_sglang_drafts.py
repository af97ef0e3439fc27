"""SGLang's algorithm ``GRAMMARC``: its registration, the trees that it drafts, and their rows."""

from __future__ import annotations

import random
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import contract
import numpy as np
import pytest
from hosts import sglang_modules, sglang_speculation

torch = pytest.importorskip("torch", reason="torch is not installed: drafts of SGLang are not tested")

from grammarc.hosts import _sglang_trees, sglang, sglang_drafts  # noqa: E402
from grammarc.hosts._serving import HostMismatch  # noqa: E402

SPELL = contract.spelled


@pytest.fixture(params=sglang_speculation.each())
def speculation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``spec_info`` and ``spec_utils``, the latter with what the plug-in installs."""
    info, utils = sglang_speculation.each()[request.param]
    if request.param == "stubs":
        monkeypatch.setitem(sys.modules, "sglang", ModuleType("sglang"))
        monkeypatch.setitem(sys.modules, "sglang.srt.speculative.spec_info", info)
        common = SimpleNamespace(is_pin_memory_available=lambda: False)
        monkeypatch.setitem(sys.modules, "sglang.srt.utils.common", common)
    stepping = utils.traverse_tree
    monkeypatch.setattr(utils, "traverse_tree", stepping)
    _sglang_trees.probe(utils)
    _sglang_trees.install(utils, sglang.Request, sglang._counters)
    installed = utils.traverse_tree
    _sglang_trees.install(utils, sglang.Request, sglang._counters)
    assert utils.traverse_tree is installed is not stepping
    return SimpleNamespace(info=info, utils=utils, stepping=stepping)


def backend(tokenizer: Any = None) -> Any:
    made = sglang.backend_class(sglang_modules.stubs())
    return made(tokenizer or contract.EncodingTokenizer(), contract.WIDTH, set(contract.ENDS))


def request(grammar: Any, written: str = "", ngrams: Any = ()) -> Any:
    """A request that has written something, and what n-grams find behind it."""
    tokens = SPELL(written)
    for token in tokens if grammar is not None else ():
        grammar.accept_token(token)
    return SimpleNamespace(
        rid="r", grammar=grammar, output_ids=tokens, origin_input_ids_unpadded=SPELL("a prompt:"), ngrams=list(ngrams)
    )


def drafted(requests: list[Any], nodes: int = 8, width: int = 4, tokenizer: Any = None) -> list[tuple[list[int], Any]]:
    """The nodes of each request: tokens, and matrices of ancestors."""
    target = SimpleNamespace(tokenizer=tokenizer or contract.EncodingTokenizer())
    options = sglang_speculation.options(speculative_num_draft_tokens=nodes, speculative_eagle_topk=width)
    made = sglang_drafts.worker_class(sglang_speculation.NGRAMWorker)(options, 0, 0, target)
    tokens, ancestors = made._prepare_draft_tokens(sglang_speculation.ScheduleBatch(requests))
    return list(zip(tokens.reshape(-1, nodes).tolist(), ancestors.reshape(-1, nodes, nodes), strict=True))


def paths(drafts: tuple[list[int], Any]) -> list[list[int]]:
    """The tokens on the way to each node but the root. Checks that ancestors come first, and that siblings differ."""
    tokens, ancestors = drafts
    assert (np.triu(ancestors, 1) == 0).all() and (np.diag(ancestors) == 1).all() and (ancestors[:, 0] == 1).all()
    found = [[tokens[at] for at in np.flatnonzero(row)[1:]] for row in ancestors[1:]]
    for node, row in enumerate(ancestors[1:], 1):
        parent = np.flatnonzero(row)[-2]
        assert (ancestors[parent, :node] == row[:node]).all()
    assert len({tuple(path) for path in found}) == len(found)
    return found


def texts(drafts: tuple[list[int], Any]) -> list[str]:
    """The texts of the paths to nodes, without the chain of the root's token that fills what is left."""
    found = [contract.text_of(path).decode() for path in paths(drafts)]
    rest = chr(drafts[0][0])
    while found and found[-1].endswith(rest):
        found.pop()
    return found


def test_registration(speculation: Any) -> None:
    known = speculation.info.SpeculativeAlgorithm
    sglang_drafts.register()
    sglang_drafts.register()
    made = known.from_string("GRAMMARC")
    assert made.name == "GRAMMARC" and made.supports_overlap
    for question in ("is_ngram", "is_eagle", "has_draft_kv"):
        assert getattr(made, question)() == getattr(known.NGRAM, question)()
    assert made.is_ngram() and not made.has_draft_kv()


def test_options_are_those_of_n_grams(speculation: Any) -> None:
    sglang_drafts.register()
    made = speculation.info.SpeculativeAlgorithm.from_string("GRAMMARC")
    options = sglang_speculation.options()
    made.handle_server_args(options)
    assert options.speculative_eagle_topk == 4 and options.speculative_num_draft_tokens == 12
    assert options.max_running_requests == 48 and options.enable_mixed_chunk is False
    assert not hasattr(options, "_resolved_overrides")
    with pytest.raises(ValueError, match="only supports"):
        made.handle_server_args(sglang_speculation.options(device="npu"))
    with pytest.raises(ValueError, match="needs --grammar-backend grammarc"):
        made.handle_server_args(sglang_speculation.options(grammar_backend="xgrammar"))


@pytest.mark.parametrize("missing", ["NGRAM", "register", "CustomSpecAlgo"])
def test_other_registries_are_left_alone(missing: str, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    info = sglang_speculation.registry()
    known = {name: getattr(info.SpeculativeAlgorithm, name) for name in ("NGRAM", "register", "from_string")}
    other = {name: value for name, value in {**vars(info), **known}.items() if name != missing}
    algorithms = SimpleNamespace(**{name: other[name] for name in known if name in other})
    module = SimpleNamespace(**{**other, "SpeculativeAlgorithm": algorithms})
    monkeypatch.setitem(sys.modules, "sglang", ModuleType("sglang"))
    monkeypatch.setitem(sys.modules, "sglang.srt.speculative.spec_info", module)
    sglang_drafts.register()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "GRAMMARC is not available" in caplog.text
    with pytest.raises(ValueError, match="Unknown"):
        info.SpeculativeAlgorithm.from_string("GRAMMARC")


def test_other_workers_are_refused() -> None:
    sglang_drafts.probe_worker(sglang_speculation.NGRAMWorker, sglang_speculation.ScheduleBatch)
    with pytest.raises(HostMismatch, match="grammar_needs_sync"):
        sglang_drafts.probe_worker(sglang_speculation.NGRAMWorker, object)
    with pytest.raises(HostMismatch, match="_prepare_draft_tokens"):
        sglang_drafts.probe_worker(object, sglang_speculation.ScheduleBatch)
    utils = SimpleNamespace(traverse_tree=lambda tree, grammar: None)
    with pytest.raises(HostMismatch, match="traverse_tree"):
        _sglang_trees.probe(utils)


@pytest.mark.parametrize(
    ("pattern", "written", "ngrams", "nodes", "width", "expected"),
    [
        # What is forced, as far as there is room.
        (
            "hello world(s)?!",
            "hel",
            "",
            10,
            4,
            ["l", "lo", "lo ", "lo w", "lo wo", "lo wor", "lo worl", "lo world", "lo world!"],
        ),
        ("hello world", "hel", "", 4, 4, ["l", "lo", "lo "]),
        ("hello world", "hel", "", 1, 4, []),
        # A branch for each token where few are allowed, and none where there are more.
        ("x(ab|cd)", "x", "", 8, 2, ["a", "c", "ab", "ab<end>", "ab<turn>", "cd", "cd<end>"]),
        ("x[abc]", "x", "", 6, 2, []),
        # Chains where the width is one: neither branches, nor n-grams that leave the chain.
        ("x(ab|cd)", "x", "", 6, 1, []),
        ("xyz[a-f]{4}", "x", "yzab", 7, 1, ["y", "yz", "yza", "yzab"]),
        ("xyz[a-f]{4}", "x", "ab", 7, 1, ["y", "yz"]),
        # N-grams go on where the grammar forces nothing more, or beside it.
        ("xyz[a-f]{4}", "x", "yzab", 7, 4, ["y", "yz", "yza", "yzab"]),
        ("x[a-f]{4}", "x", "abcd", 7, 4, ["a", "ab", "abc", "abcd"]),
        ("xyz[a-f]{4}", "x", "ab", 7, 4, ["y", "yz", "a", "ab"]),
        ("xyz[a-f]{4}", "x", "ab", 4, 4, ["y", "yz", "a"]),
    ],
)
def test_trees(pattern: str, written: str, ngrams: str, nodes: int, width: int, expected: list[str]) -> None:
    asked = request(backend().dispatch_regex(pattern), written, SPELL(ngrams))
    (found,) = drafted([asked], nodes, width)
    assert texts(found)[: len(expected)] == expected
    assert all(text == "\0" for text in texts(found)[len(expected) :]), "nothing but the n-grams' padding, once"
    assert found[0][0] == SPELL(written)[-1] and len(found[0]) == nodes
    if width == 1:
        assert (found[1] == np.tril(np.ones((nodes, nodes)))).all()
    # The request has not moved.
    assert asked.grammar._matcher.rollback_depth == len(written)


def test_drafts_are_counted() -> None:
    before = sglang.stats()["drafts"]
    drafted([request(backend().dispatch_regex("hello"), "h", SPELL("ello"))], 4)
    assert sglang.stats()["drafts"] - before == 3


def test_others_have_the_drafts_of_n_grams() -> None:
    made = backend()
    finished = made.dispatch_regex("a")
    finished.accept_token(SPELL("a")[0])
    finished.accept_token(contract.END)
    finished_request = request(None, "a", SPELL("xyz"))
    finished_request.grammar = finished
    theirs = request(None, "a", SPELL("xyz"))
    theirs.grammar = SimpleNamespace()
    requests = [request(None, "a", SPELL("xyz")), theirs, finished_request, request(made.dispatch_regex("ab+"), "a")]
    plain = sglang_speculation.ScheduleBatch([request(None, "a", SPELL("xyz"))])
    options = sglang_speculation.options(speculative_num_draft_tokens=6, speculative_eagle_topk=4)
    tokens, ancestors = sglang_speculation.NGRAMWorker(options, 0, 0, None)._prepare_draft_tokens(plain)
    for found in drafted(requests, 6)[:3]:
        assert found[0] == tokens.tolist() and (found[1].reshape(-1) == ancestors).all()
    # In a batch that SGLang does not wait for, grammars are behind.
    late = sglang_speculation.ScheduleBatch([request(made.dispatch_regex("abc"), "a", SPELL("x"))])
    late.has_grammar = False
    worker = sglang_drafts.worker_class(sglang_speculation.NGRAMWorker)(options, 0, 0, None)
    assert worker._prepare_draft_tokens(late)[0].tolist() == [*SPELL("ax"), 0, 0, 0, 0]


class Wrapper:
    """SGLang's wrapper for models that reason."""

    def __init__(self, grammar: Any, has_ended: bool) -> None:
        self.grammar, self.has_ended = grammar, has_ended

    def _is_generation(self) -> bool:
        return self.has_ended


@pytest.mark.parametrize("has_ended", [True, False])
def test_the_grammar_drafts_behind_the_reasoning(has_ended: bool) -> None:
    asked = request(backend().dispatch_regex("hello"), "h", SPELL("xy"))
    asked.grammar = Wrapper(asked.grammar, has_ended)
    (found,) = drafted([asked], 4)
    assert contract.text_of(found[0]) == (b"hell" if has_ended else b"hxy\0")


def test_a_failing_tokenizer_costs_drafts_alone(caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = contract.EncodingTokenizer()
    made = backend(tokenizer)
    target = SimpleNamespace(tokenizer=tokenizer)
    options = sglang_speculation.options(speculative_num_draft_tokens=4, speculative_eagle_topk=1)
    worker = sglang_drafts.worker_class(sglang_speculation.NGRAMWorker)(options, 0, 0, target)
    # More than one token begins what follows, so the tokenizer is asked.
    asked = request(made.dispatch_regex("the true"), "the ", SPELL("tru"))
    batch = sglang_speculation.ScheduleBatch([asked])
    assert contract.text_of(worker._prepare_draft_tokens(batch)[0].tolist()) == b" tru"
    tokenizer.failing = True
    other = request(made.dispatch_regex("some true"), "some ", SPELL("tx"))
    batch = sglang_speculation.ScheduleBatch([other])
    for _ in range(2):
        assert worker._prepare_draft_tokens(batch)[0].tolist() == SPELL(" tx ")
    assert len([record for record in caplog.records if "drafted" in record.message]) == 1


@pytest.mark.parametrize("tokenizer", [contract.Tokenizer(), None])
def test_tokenizers_that_cannot_spell_draft_nothing(tokenizer: Any) -> None:
    target = SimpleNamespace(tokenizer=tokenizer)
    options = sglang_speculation.options(speculative_num_draft_tokens=4, speculative_eagle_topk=1)
    worker = sglang_drafts.worker_class(sglang_speculation.NGRAMWorker)(options, 0, 0, target)
    asked = request(backend().dispatch_regex("hello"), "h", SPELL("ex"))
    tokens, _ = worker._prepare_draft_tokens(sglang_speculation.ScheduleBatch([asked]))
    assert tokens.tolist() == SPELL("hexh")


def random_tree(pick: random.Random, grammar: Any, nodes: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """Tokens and links of a tree: most tokens are allowed behind their parents, some are not."""
    tokens, parents, forks = [0], [-1], [grammar._matcher.fork()]
    while len(tokens) < nodes:
        parent = pick.randrange(len(tokens))
        allowed = forks[parent].allowed() if forks[parent] is not None and not forks[parent].is_finished else []
        token = pick.choice(allowed) if allowed and pick.random() < 0.8 else pick.randrange(contract.WIDTH)
        if any(above == parent and known == token for known, above in zip(tokens, parents, strict=True)):
            continue
        fork = forks[parent].fork() if token in allowed else None
        if fork is not None:
            fork.accept(token)
        tokens, parents, forks = [*tokens, token], [*parents, parent], [*forks, fork]
    first, sibling = [-1] * nodes, [-1] * nodes
    for node in reversed(range(1, nodes)):
        sibling[node], first[parents[node]] = first[parents[node]], node
    return tokens, parents, first, sibling


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_those_of_single_steps(speculation: Any, seed: int) -> None:
    """For each node that verification can reach, against SGLang's steps from node to node."""
    pick, nodes = random.Random(seed), 14
    made = backend()
    grammars = [made.dispatch_regex(pattern) for pattern in ("(ab|cd){1,4}", '"[a-z]{0,3}"', "a", contract.PATTERN)]
    trees = [random_tree(pick, grammar, nodes) for grammar in grammars]
    requests = [SimpleNamespace(grammar=grammar) for grammar in [*grammars, None]]
    trees.append(trees[0])
    links = [torch.tensor([tree[part] for tree in trees]) for part in (2, 3, 0)]
    before = sglang.stats()
    rows, _ = speculation.utils.generate_token_bitmask(requests, *links, contract.WIDTH)
    after = sglang.stats()
    assert after["trees"] - before["trees"] == len(grammars) and after["accepts"] == before["accepts"]
    compared = 0
    for at, (grammar, (tokens, parents, *_)) in enumerate(zip(grammars, trees, strict=False)):
        stepped = grammar.allocate_vocab_mask(contract.WIDTH, nodes, "cpu")
        speculation.stepping(links[0][at], links[1][at], links[2][at], grammar, stepped, vocab_size=contract.WIDTH)
        reached = [True]
        for node in range(1, nodes):
            token, parent = tokens[node], parents[node]
            is_allowed = bool(int(stepped[parent][token // 32]) >> token % 32 & 1)
            reached.append(reached[parent] and tokens[parent] not in contract.ENDS and is_allowed)
        mine = rows[at * nodes : (at + 1) * nodes]
        assert torch.equal(mine[reached], stepped[reached])
        compared += sum(reached)
        assert grammar._matcher.rollback_depth == 0
    assert compared > len(grammars) * 2
    assert (rows[len(grammars) * nodes :] == -1).all(), "a request without a grammar"


def links_of(ancestors: Any) -> tuple[list[int], list[int]]:
    """First children and next siblings by the ancestors of nodes."""
    nodes = len(ancestors)
    above = [int(np.flatnonzero(row[:node])[-1]) if node else -1 for node, row in enumerate(ancestors)]
    first, sibling = [-1] * nodes, [-1] * nodes
    for node in reversed(range(1, nodes)):
        sibling[node], first[above[node]] = first[above[node]], node
    return first, sibling


def choice(row: Any, tokens: list[int]) -> int:
    """What a model without meaning likes best among the tokens of a row, by the last three tokens."""
    likes = np.random.default_rng([0, *tokens[-3:]]).random(contract.WIDTH)
    return max(contract.tokens_of(row.numpy()) & set(range(contract.WIDTH)), key=lambda token: likes[token])


@pytest.mark.parametrize(("nodes", "width"), [(2, 1), (8, 1), (8, 4), (24, 16)])
@pytest.mark.parametrize(
    "pattern", ["hello (big |small )?world(, and (so on|hello)){1,3}!", '(\\{"name": "[a-c]{2,9}"\\} ){3}']
)
def test_outputs_are_those_without_drafts(speculation: Any, pattern: str, nodes: int, width: int) -> None:
    made = backend()
    plain = made.dispatch_regex(pattern)
    expected: list[int] = SPELL("?")
    while not plain.is_terminated():
        row = plain.allocate_vocab_mask(contract.WIDTH, 1, "cpu")
        plain.fill_vocab_mask(row, 0)
        expected.append(choice(row[0], expected))
        plain.accept_token(expected[-1])
    asked, steps = request(None, "?"), 0
    asked.grammar = made.dispatch_regex(pattern)
    while not asked.grammar.is_terminated():
        # What n-grams would find: the output goes on as it did before, which is right now and then.
        asked.ngrams = asked.output_ids[:3]
        ((tokens, ancestors),) = drafted([asked], nodes, width)
        first, sibling = links_of(ancestors)
        rows, _ = speculation.utils.generate_token_bitmask(
            [asked], torch.tensor([first]), torch.tensor([sibling]), torch.tensor([tokens]), contract.WIDTH
        )
        node = 0
        while node != -1 and not asked.grammar.is_terminated():
            token = choice(rows[node], asked.output_ids)
            asked.grammar.accept_token(token)
            asked.output_ids.append(token)
            node = first[node]
            while node != -1 and tokens[node] != token:
                node = sibling[node]
        steps += 1
    assert asked.output_ids == expected
    assert steps < len(expected) - 1, "some draft was right"


def test_rows_of_others_are_filled_by_steps(speculation: Any) -> None:
    class Other:
        """A grammar of another engine: it allows everything, and says what it was asked."""

        calls: list[Any] = []

        def accept_token(self, token: int) -> None:
            self.calls.append(token)

        def is_terminated(self) -> bool:
            return False

        def fill_vocab_mask(self, rows: Any, at: int) -> None:
            self.calls.append(("fill", at))

        def rollback(self, count: int) -> None:
            self.calls.append(("back", count))

    chain = torch.tensor([1, 2, -1]), torch.tensor([-1, -1, -1]), torch.tensor([5, 6, 7])
    rows = contract.rows(3)
    speculation.utils.traverse_tree(*chain, Other(), torch.from_numpy(rows), vocab_size=contract.WIDTH)
    assert Other.calls == [("fill", 0), 6, ("fill", 1), 7, ("fill", 2), ("back", 1), ("back", 1)]
    # A request that has ended keeps its rows.
    grammar = backend().dispatch_regex("a")
    for token in (SPELL("a")[0], contract.END):
        grammar.accept_token(token)
    speculation.utils.traverse_tree(*chain, grammar, torch.from_numpy(rows), vocab_size=contract.WIDTH)
    assert (rows == -1).all()


@pytest.mark.parametrize(
    ("first", "sibling", "parents"),
    [
        ([1, 2, -1], [-1, -1, -1], [-1, 0]),
        ([1, -1, -1], [-1, 2, -1], [-1, -1]),
        ([-1], [-1], []),
        # A link to an earlier node, a node with two parents, one with none, a circle.
        ([2, -1, 1], [-1, -1, -1], None),
        ([1, 2, -1], [-1, 2, -1], None),
        ([1, -1, -1], [-1, -1, -1], None),
        ([1, -1, -1], [-1, 1, -1], None),
    ],
)
def test_parents_by_links(first: list[int], sibling: list[int], parents: list[int] | None) -> None:
    assert _sglang_trees.linked(first, sibling) == parents
