"""Choices of ``generate`` against the mask: none is returned, in any mode, and what merely looks like one is let through.

A hostile processor behind the grammar's overrides its mask. What comes back is read by the texts, not by a matcher.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, WIDTH, allowed_after

import grammarc

torch = pytest.importorskip("torch", reason="torch is not installed: its processors are not tested")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: its processors are not tested")

from hosts import emulated  # noqa: E402
from tiny import PAD, tiny  # noqa: E402

from grammarc.hosts.transformers import GrammarLogitsProcessor  # noqa: E402
from grammarc.hosts.transformers_resident import ResidentLogitsProcessor  # noqa: E402

MODEL = tiny()
OTHER = ["cab", "cb"]
EQUAL, PAIR = [[30, 31], [30, 31]], [[30, 31], [32, 33]]
SAMPLED: dict[str, Any] = {"do_sample": True, "temperature": 3.0}


class Mode:
    """A way to generate: prompts, the texts of each, options of ``generate``."""

    def __init__(self, prompts: list[list[int]], texts: list[list[str] | None] | None = None, **options: Any) -> None:
        self.prompts, self.options = prompts, options
        self.texts = [TEXTS] * len(prompts) if texts is None else texts
        self.mixed = texts is not None

    def grammars(self) -> Any:
        if not self.mixed:
            return GRAMMAR
        return [None if one is None else COMPILER.choice(one) for one in self.texts]

    def generate(self, processors: list[Any], **options: Any) -> list[list[int]]:
        """What was generated in each row."""
        if self.options.get("assistant_model"):
            options["assistant_model"] = tiny()
        prompts = torch.tensor(self.prompts)
        given = {"max_new_tokens": 12, **self.options, **options}
        output = MODEL.generate(prompts, attention_mask=torch.ones_like(prompts), logits_processor=processors, **given)
        return [row[prompts.shape[1] :].tolist() for row in output]

    def wrong(self, rows: list[list[int]]) -> list[list[int]]:
        """The rows that are no texts, and no beginnings of texts."""
        each = len(rows) // len(self.texts)
        return [row for at, row in enumerate(rows) if (texts := self.texts[at // each]) is not None and not is_text(row, texts)]


def is_text(row: list[int], texts: list[str]) -> bool:
    """Whether a row is one of the texts and what ends it, or the beginning of one; padding may follow."""
    for at, token in enumerate(row):
        if token in ENDS:
            return token in allowed_after(row[:at], texts) and set(row[at + 1 :]) <= {PAD, *ENDS}
        if token == PAD:
            return set(row[at:]) == {PAD}
        if token not in allowed_after(row[:at], texts):
            return False
    return True


MODES = {
    "greedy": Mode([[30]]),
    "greedy, equal prompts": Mode(EQUAL),
    "samples": Mode([[30]], num_return_sequences=2, **SAMPLED),
    "samples, equal prompts": Mode(EQUAL, num_return_sequences=2, **SAMPLED),
    "beams": Mode([[30]], num_beams=3),
    "beams, all of them": Mode(EQUAL, num_beams=4, num_return_sequences=4),
    "sampled beams": Mode(PAIR, num_beams=3, num_return_sequences=2, **SAMPLED),
    "assisted": Mode([[0, 1, 2, 0, 1, 2, 0]], assistant_model=True),
    "sampled, assisted": Mode([[0, 1, 2, 0, 1, 2, 0]], assistant_model=True, **SAMPLED),
    "prompt lookup": Mode([[0, 1, 2, 0, 1, 2, 0]], prompt_lookup_num_tokens=3),
    "mixed grammars": Mode([*EQUAL, [34, 35]], [TEXTS, None, OTHER], num_return_sequences=2, **SAMPLED),
    "mixed grammars, beams": Mode([*EQUAL, [34, 35]], [TEXTS, None, OTHER], num_beams=3, num_return_sequences=3),
}


def forces(token: int, call: int) -> Callable[[Any, Any], Any]:
    """A processor that leaves one token at its n-th call."""
    calls = itertools.count()

    def force(input_ids: Any, scores: Any) -> Any:
        if next(calls) != call:
            return scores
        forced = torch.full_like(scores, -torch.inf)
        forced[:, token] = 0
        return forced

    return force


def levels(input_ids: Any, scores: Any) -> Any:
    """A processor that makes all scores equal."""
    return torch.zeros_like(scores)


def replaces(seed: int) -> Callable[[Any, Any], Any]:
    """A processor that has scores of its own."""
    torch_seed = torch.Generator().manual_seed(seed)
    return lambda input_ids, scores: torch.randn(scores.shape, generator=torch_seed)


def hostile() -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
    """Processors that override masks, by name."""
    pick = random.Random(3)
    yield "levels", levels
    for seed in range(4):
        yield f"replaces {seed}", replaces(seed)
    for call in range(4):
        yield f"ends at {call}", forces(ENDS[0], call)
        for token in pick.sample([*range(7), 9, 20, WIDTH - 1], 2):
            yield f"{token} at {call}", forces(token, call)


def test_no_choice_against_a_mask_is_returned() -> None:
    """No run of any mode with a hostile processor behind returns a text that is none of its grammar's."""
    outcomes: Counter[tuple[str, str]] = Counter()
    runs = ((name, mode, override) for name, mode in MODES.items() for _, override in hostile())
    for seed, (name, mode, override) in enumerate(runs):
        torch.manual_seed(seed)
        held = GrammarLogitsProcessor(mode.grammars(), MODEL)
        try:
            rows = mode.generate([held, override])
        except grammarc.TokenRefused:
            outcomes[name, "refused"] += 1
            continue
        outcomes[name, "free" if mode.wrong(rows) else "held"] += 1
    said = ", ".join(f"{mode}: {count} {outcome}" for (mode, outcome), count in sorted(outcomes.items()))
    print(f"{outcomes.total()} runs: {said}")
    assert outcomes.total() >= 200
    assert not any(outcome == "free" for _, outcome in outcomes), said
    assert all(outcomes[mode, "refused"] >= 5 for mode in MODES), said


@pytest.mark.parametrize("name", MODES)
def test_nothing_is_refused_without_a_hostile_processor(name: str) -> None:
    mode = MODES[name]
    for seed in range(5):
        torch.manual_seed(seed)
        rows = mode.generate([GrammarLogitsProcessor(mode.grammars(), MODEL)])
        assert mode.wrong(rows) == []
        # Texts are shorter than the bound.
        assert mode.mixed or all(set(row) & {*ENDS, PAD} for row in rows)


@pytest.mark.parametrize("name", ["greedy", "greedy, equal prompts", "samples", "samples, equal prompts", "mixed grammars"])
def test_positions_on_a_device(name: str) -> None:
    mode, device, outcomes = MODES[name], emulated.device(), Counter[str]()
    for _, override in [("none", None), *hostile()]:
        held = ResidentLogitsProcessor(mode.grammars(), MODEL, device=device)
        try:
            rows = mode.generate([held] if override is None else [held, override])
        except grammarc.TokenRefused:
            assert override is not None
            outcomes["refused"] += 1
            continue
        assert mode.wrong(rows) == []
    assert outcomes["refused"] >= 5


@pytest.mark.parametrize("name", ["beams", "assisted", "prompt lookup"])
def test_positions_on_a_device_know_beams_and_drafts(name: str) -> None:
    held = ResidentLogitsProcessor(GRAMMAR, MODEL, device=emulated.device())
    with pytest.raises(ValueError, match="GrammarLogitsProcessor"):
        MODES[name].generate([held])


@pytest.mark.parametrize("kind", [GrammarLogitsProcessor, ResidentLogitsProcessor])
def test_continuous_batching_is_refused(kind: Any) -> None:
    held = kind(GRAMMAR, MODEL)
    with pytest.raises(ValueError, match="continuous batching"):
        MODEL.generate_batch([[30, 31]], logits_processor=[held], max_new_tokens=4)
    # Where a processor gets into its list by another way.
    from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessorList

    with pytest.raises(ValueError, match="continuous batching"):
        ContinuousBatchingLogitsProcessorList(transformers.LogitsProcessorList([held]))


def test_a_row_that_the_host_ended_is_padding() -> None:
    """A stopping criterion of one's own ends a row within its text, and ``generate`` pads it."""

    class After(transformers.StoppingCriteria):  # type: ignore[misc,unused-ignore]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            return (input_ids[:, 1:] == 0).any(dim=1)

    mode = Mode([[30], [31]], [["aab"], ["cab"]])
    for held in (GrammarLogitsProcessor(mode.grammars(), MODEL), ResidentLogitsProcessor(mode.grammars(), MODEL, device=emulated.device())):
        rows = mode.generate([held, forces(0, 0)][:1], stopping_criteria=[After()])
        assert mode.wrong(rows) == []


def test_a_loop_that_asks_no_criteria_is_refused_at_its_next_call() -> None:
    """A model may have a loop of its own under the name of that of transformers."""

    def _sample(held: Any, stopping_criteria: Any) -> list[list[int]]:
        input_ids = torch.tensor([[30], [30]])
        for _ in range(3):
            chosen = levels(input_ids, held(input_ids, torch.zeros(2, WIDTH))).argmax(dim=1) + 4
            input_ids = torch.cat([input_ids, chosen[:, None]], dim=1)
        rows: list[list[int]] = input_ids.tolist()
        return rows

    with pytest.raises(grammarc.TokenRefused, match="token 4 was chosen as number 0"):
        _sample(GrammarLogitsProcessor(GRAMMAR, MODEL), transformers.StoppingCriteriaList())


def test_generations_are_known_by_their_loops() -> None:
    """A prompt that is an earlier sequence with one token more, and one processor in two generations at once."""
    held = GrammarLogitsProcessor(GRAMMAR, MODEL)
    mode = Mode([[30]])
    (first,) = mode.generate([held], max_new_tokens=1)
    again = Mode([[30, *first]]).generate([held])
    assert again == Mode([[30, *first]]).generate([GrammarLogitsProcessor(GRAMMAR, MODEL)])
    inner: list[list[int]] = []

    def nested(input_ids: Any, scores: Any) -> Any:
        inner.extend(mode.generate([held]))
        return scores

    assert mode.generate([held, nested]) == mode.generate([held])
    assert inner and mode.wrong(inner) == []


@pytest.mark.parametrize("kind", [GrammarLogitsProcessor, ResidentLogitsProcessor])
def test_another_models_grammar_is_refused(kind: Any) -> None:
    from tokenizers import Tokenizer, decoders, models

    tokens = [bytes([byte]) for byte in range(256)]
    other = grammarc.Compiler(grammarc.Vocabulary.from_tokens(tokens)).choice(["a"])
    with pytest.raises(ValueError, match=f"have {WIDTH} logits.*is 256"):
        kind(other, MODEL)
    with pytest.raises(ValueError, match=f"have {WIDTH} logits.*is 256"):
        MODEL.generate(torch.tensor([[30]]), logits_processor=[kind(other, end_tokens=ENDS)], max_new_tokens=2)
    with pytest.raises(grammarc.VocabularyMismatch, match="several vocabularies"):
        kind([GRAMMAR, other], end_tokens=ENDS)
    inner = Tokenizer(models.BPE(vocab={"a": 0, "c": 1}, merges=[]))
    inner.decoder = decoders.ByteLevel()
    small = grammarc.Vocabulary.from_tokens([b"a", b"b"], logit_width=WIDTH, end_tokens=[1])
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner)
    with pytest.raises(grammarc.VocabularyMismatch, match="token 1 is b'c' of the tokenizer, and b'b'"):
        kind(grammarc.Compiler(small).choice(["a"]), MODEL, tokenizer=tokenizer)
    with pytest.raises(grammarc.VocabularyMismatch, match="2 tokens"):
        kind(GRAMMAR, MODEL, tokenizer=tokenizer)


@pytest.mark.parametrize("kind", [GrammarLogitsProcessor, ResidentLogitsProcessor])
@pytest.mark.parametrize("options", [{}, SAMPLED, {"num_beams": 2}])
def test_an_empty_row_is_named(kind: Any, options: dict[str, Any]) -> None:
    """``min_new_tokens`` beyond the grammar forbids its end, and nothing else is left."""
    if kind is ResidentLogitsProcessor and "num_beams" in options:
        pytest.skip("positions on a device know no beams")
    mode = Mode([[30], [31]], [["b"], ["abcabc"]], **options)
    more = {} if kind is GrammarLogitsProcessor else {"device": emulated.device()}
    with pytest.raises(grammarc.GrammarcError, match=r"no token is left in row 0: .*min_new_tokens") as raised:
        mode.generate([kind(mode.grammars(), MODEL, **more)], min_new_tokens=5)
    assert not isinstance(raised.value, grammarc.TokenRefused)


def test_a_beam_may_run_out_where_another_goes_on() -> None:
    mode = Mode([[30]], [["a", "abcabcab"]], num_beams=2)
    (row,) = mode.generate([GrammarLogitsProcessor(mode.grammars(), MODEL)], min_new_tokens=3)
    assert mode.wrong([row]) == [] and len([token for token in row if token not in (*ENDS, PAD)]) >= 3
