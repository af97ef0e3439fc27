"""Hosts over torch: transformers, Dynamo, and the masks that go to other devices."""

from __future__ import annotations

from typing import Any

import pytest
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, WIDTH, allowed_after, check_walks, walk

import grammarc

torch = pytest.importorskip("torch", reason="torch is not installed: masks over its tensors are not tested")

from grammarc.hosts import _torch  # noqa: E402
from grammarc.hosts.dynamo import GrammarProcessor  # noqa: E402

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
PAD = 40


def finite(row: Any) -> set[int]:
    assert not torch.isnan(row).any()
    return set(torch.isfinite(row).nonzero().flatten().tolist())


# Masks over tensors


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float64])
def test_both_ways_to_write_a_mask_agree(dtype: Any) -> None:
    """Rows that grammarc writes, and words that become booleans on a device, the processor as a stand-in for it."""
    positions = [GRAMMAR.matcher(end_tokens=ENDS, logit_width=WIDTH) for _ in range(3)]
    assert positions[1].accept_many([0, 1, 2]) == 3
    logits = torch.randn(5, WIDTH).to(dtype)
    rows = [4, 0, 2]
    more = {"closed": [3], "also": [(3, 31), (3, 32), (0, PAD), (3, 7)]}
    written = logits.clone()
    _torch.apply(written, positions, rows, **more)
    carried = logits.clone()
    _torch.apply_words(carried, _torch.words(carried.shape, positions, rows, **more))
    assert torch.equal(written, carried)
    assert finite(written[4]) == allowed_after([])
    assert finite(written[0]) == allowed_after([0, 1, 2]) | {PAD}
    assert finite(written[1]) == set(range(WIDTH))
    assert finite(written[3]) == {7, 31, 32}
    stays = torch.isfinite(written)
    assert torch.equal(written[stays], logits[stays])


def test_strided_logits_are_written_in_place() -> None:
    table = torch.zeros(2, WIDTH, 3)
    logits = table[:, :, 1]
    assert not logits.is_contiguous()
    _torch.apply(logits, [GRAMMAR.matcher(end_tokens=ENDS, logit_width=WIDTH)], [1])
    assert finite(table[1, :, 1]) == allowed_after([])
    assert torch.isfinite(table[:, :, [0, 2]]).all() and torch.isfinite(table[0]).all()


def test_one_position_for_several_rows() -> None:
    position = GRAMMAR.matcher(end_tokens=ENDS, logit_width=WIDTH)
    logits = torch.zeros(3, WIDTH)
    _torch.apply(logits, [position] * 3, [0, 1, 2])
    assert [finite(row) for row in logits] == [allowed_after([])] * 3


# Dynamo


class OfDynamo:
    def __init__(self, processor: Any, prompt: list[int], dtype: Any = torch.float32) -> None:
        self.processor, self.tokens, self.dtype = processor, list(prompt), dtype

    def allowed(self) -> set[int]:
        logits = torch.zeros(1, 1, WIDTH, dtype=self.dtype)
        assert self.processor(self.tokens, logits[0, 0, :]) is None
        return finite(logits[0, 0])

    def push(self, token: int) -> None:
        self.tokens.append(token)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dynamo_walks(dtype: Any) -> None:
    check_walks(lambda: OfDynamo(GrammarProcessor(GRAMMAR, end_tokens=ENDS), [30, 31], dtype))
    # Adapters that hand over what was generated alone.
    check_walks(lambda: OfDynamo(GrammarProcessor(GRAMMAR, end_tokens=ENDS), [], dtype))


def test_dynamo_failures_leave_the_end_alone() -> None:
    """Its adapters log an exception and sample from the logits as they are."""
    driver = OfDynamo(GrammarProcessor(GRAMMAR, end_tokens=ENDS), [30])
    driver.allowed()
    driver.push(4)
    logits = torch.zeros(WIDTH)
    with pytest.raises(grammarc.TokenRefused):
        driver.processor(driver.tokens, logits)
    assert finite(logits) == set(ENDS)
    for shape in ((2, WIDTH), (3,)):
        logits = torch.zeros(shape)
        with pytest.raises(ValueError):
            GrammarProcessor(GRAMMAR, end_tokens=ENDS)([1], logits)
        assert finite(logits.flatten()[: shape[-1]]) <= set(ENDS)


def test_dynamo_names_an_empty_row_and_ends_it() -> None:
    """``min_tokens`` forbids the end before the mask does the rest."""
    held = GrammarProcessor(COMPILER.choice(["b"]), end_tokens=ENDS)
    driver = OfDynamo(held, [30])
    driver.allowed()
    driver.push(1)
    logits = torch.zeros(WIDTH)
    logits[list(ENDS)] = -torch.inf
    with pytest.raises(grammarc.GrammarcError, match="no token is left"):
        held(driver.tokens, logits)
    assert finite(logits) == set(ENDS)


# transformers

transformers = pytest.importorskip("transformers", reason="transformers is not installed: its processor is not tested")

from tiny import tiny  # noqa: E402

from grammarc.hosts.transformers import GrammarLogitsProcessor, vocabulary  # noqa: E402


def processor(grammar: Any = GRAMMAR, **more: Any) -> Any:
    return GrammarLogitsProcessor(grammar, end_tokens=ENDS, **more)


class OfTransformers:
    """A generation of one row, with a prompt that is padded in front."""

    def __init__(self, held: Any, dtype: Any = torch.float32) -> None:
        self.held, self.tokens, self.dtype = held, [[PAD, PAD, 30]], dtype

    def allowed(self) -> set[int]:
        scores = torch.zeros(1, WIDTH, dtype=self.dtype)
        found = self.held(torch.tensor(self.tokens), scores)
        assert found.dtype == self.dtype
        assert torch.isfinite(scores).all(), "generate may hand out the scores that it gave"
        return finite(found[0])

    def push(self, token: int) -> None:
        self.tokens[0].append(token)


@pytest.mark.parametrize("dtype", DTYPES)
def test_transformers_walks(dtype: Any) -> None:
    check_walks(lambda: OfTransformers(processor(), dtype))
    one = processor()
    check_walks(lambda: OfTransformers(one, dtype))


def step(held: Any, rows: list[list[int]]) -> list[set[int]]:
    return [finite(row) for row in held(torch.tensor(rows), torch.zeros(len(rows), WIDTH))]


def test_transformers_rows_that_end_at_different_times() -> None:
    """Ragged prompts, padded in front; finished rows are padded behind and may have end tokens and padding."""
    held = processor(pad_token=PAD)
    prompts = [[PAD, PAD, 30], [PAD, 31, 32], [33, 34, 35]]
    walks = [walk(seed) for seed in (1, 2, 3)]
    for at in range(max(map(len, walks)) + 2):
        rows = [(tokens + [PAD] * 9)[:at] for tokens in walks]
        seen = step(held, [prompt + row for prompt, row in zip(prompts, rows, strict=True)])
        for row, tokens, mask in zip(rows, walks, seen, strict=True):
            assert mask == (allowed_after(row) if at < len(tokens) else {*ENDS, PAD})


def test_transformers_beams_change_places() -> None:
    """In a loop of one's own, beams that were not allowed are as drafts are."""
    held = processor(drafts=True)
    prompts = [[30, 31]] * 3 + [[32, 33]] * 3
    beams: list[list[list[int]]] = [
        [[]] * 6,
        [[0], [5], [2], [1], [0], [0]],
        [[0, 1], [0, 6], [5, 5], [0, 6], [0, 1], [1, 7]],
        # One beam goes on twice, another not at all; one took a token that its mask forbade, and is led to its end.
        [[0, 1, 2], [0, 6, 1], [0, 6, 0], [1, 7, 7], [0, 1, 2], [0, 1, 7]],
        [[0, 1, 2, 5], [0, 1, 2, 7], [0, 6, 0, 0], [1, 7, 7, 8], [0, 1, 2, 3], [0, 1, 7, 7]],
    ]
    for rows in beams:
        seen = step(held, [prompt + row for prompt, row in zip(prompts, rows, strict=True)])
        for row, mask in zip(rows, seen, strict=True):
            assert mask == (allowed_after(row) if is_allowed(row) else set(ENDS)), row


def is_allowed(tokens: list[int]) -> bool:
    return all(
        token in allowed_after(tokens[:at]) or set(tokens[:at]) & set(ENDS) for at, token in enumerate(tokens)
    )


def test_transformers_a_grammar_for_each_prompt() -> None:
    other = ["cab", "cb"]
    held = processor([GRAMMAR, None, COMPILER.choice(other)])
    prompts = [[30], [30], [31], [31], [32], [32]]
    assert step(held, prompts) == [allowed_after([])] * 2 + [set(range(WIDTH))] * 2 + [allowed_after([], other)] * 2
    seen = step(held, [[30, 0], [30, 1], [31, 42], [31, 9], [32, 2], [32, 2]])
    assert seen == [allowed_after([0]), allowed_after([1])] + [set(range(WIDTH))] * 2 + [allowed_after([2], other)] * 2


def test_transformers_refuses_what_it_cannot_hold() -> None:
    held = processor()
    step(held, [[30], [31]])
    with pytest.raises(grammarc.TokenRefused):
        step(held, [[30, 4], [31, 0]])
    with pytest.raises(ValueError, match="2 rows of tokens for 3"):
        held(torch.zeros(2, 1, dtype=torch.int64), torch.zeros(3, WIDTH))
    with pytest.raises(ValueError, match="2 grammars cannot be shared among 3 rows"):
        step(processor([GRAMMAR, GRAMMAR]), [[1], [2], [3]])
    with pytest.raises(ValueError, match="logit width"):
        processor()(torch.zeros(1, 1, dtype=torch.int64), torch.zeros(1, 5))
    for bad in ([], "grammar", [GRAMMAR, "grammar"]):
        with pytest.raises(TypeError):
            processor(bad)


def test_transformers_drafts() -> None:
    """Drafts are tried far beyond what is allowed, and taken back."""
    held = processor(drafts=True)
    chosen: list[int] = []
    for token in walk(11):
        for drafted in ([], [2], [2, 2], [2, 2, 9]):
            row = chosen + drafted
            assert step(held, [[30, *row]]) == [allowed_after(row) if is_allowed(row) else set(ENDS)]
        chosen.append(token)


def test_transformers_generations_after_each_other() -> None:
    held = processor()
    assert step(held, [[30]]) == [allowed_after([])]
    assert step(held, [[30, 0]]) == [allowed_after([0])]
    # A chat that goes on; more rows; the same prompt anew; a shorter one.
    assert step(held, [[30, 0, 1, 33, 34]]) == [allowed_after([])]
    assert step(held, [[30, 0, 1, 33, 34, 5]]) == [allowed_after([5])]
    assert step(held, [[30], [30]]) == [allowed_after([])] * 2
    assert step(held, [[30, 2], [30, 0]]) == [allowed_after([2]), allowed_after([0])]
    assert step(held, [[30], [30]]) == [allowed_after([])] * 2
    held.reset()
    assert step(held, [[30, 2], [30, 0]]) == [allowed_after([])] * 2


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"do_sample": True, "num_return_sequences": 4, "top_k": 3, "temperature": 2.0},
        {"num_beams": 4, "num_return_sequences": 4},
        {"num_beams": 3, "do_sample": True},
        {"output_scores": True, "output_logits": True, "return_dict_in_generate": True},
    ],
    ids=["greedy", "samples", "beams", "sampled-beams", "outputs"],
)
def test_transformers_generate(options: dict[str, Any]) -> None:
    model = tiny()
    grammars = [COMPILER.choice([text]) for text in TEXTS[:2]]
    inputs = torch.tensor([[PAD, PAD, 30], [31, 32, 33]])
    held = GrammarLogitsProcessor(grammars, model)
    output = model.generate(
        inputs, attention_mask=(inputs != PAD).long(), logits_processor=[held], max_new_tokens=12, **options
    )
    if not torch.is_tensor(output):
        assert all(torch.isfinite(logits).all() for logits in output.logits), "logits are those of the model"
        output = output.sequences
    rows = output[:, inputs.shape[1] :].tolist()
    each = len(rows) // 2
    for at, row in enumerate(rows):
        end = next(index for index, token in enumerate(row) if token in ENDS)
        written = b"".join(GRAMMAR.vocabulary.token_bytes(token) for token in row[:end]).decode()
        assert written == TEXTS[at // each]
        assert set(row[end + 1 :]) <= {PAD, *ENDS}


def test_transformers_generate_with_drafts() -> None:
    model = tiny()
    inputs = torch.tensor([[0, 1, 2, 0, 1, 2, 0]])
    free = model.generate(inputs, logits_processor=[GrammarLogitsProcessor(GRAMMAR, model)], max_new_tokens=12)
    for options in ({"prompt_lookup_num_tokens": 3}, {"assistant_model": tiny()}):
        held = GrammarLogitsProcessor(GRAMMAR, model, drafts=True)
        assert torch.equal(model.generate(inputs, logits_processor=[held], max_new_tokens=12, **options), free)


def test_transformers_vocabulary() -> None:
    from tokenizers import Tokenizer, decoders, models

    inner = Tokenizer(models.BPE(vocab={"a": 0, "b": 1, "Ġc": 2}, merges=[]))
    inner.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>")
    model = tiny()
    model.generation_config.eos_token_id = [2, 3, WIDTH - 1]
    found = vocabulary(model, tokenizer)
    assert found.logit_width == WIDTH
    # The last is no token of the tokenizer: it ends sequences of a processor, and is not in the vocabulary.
    assert found.end_tokens == (2, 3)
    grammar = grammarc.Compiler(found).choice(["a"])
    held = GrammarLogitsProcessor(grammar, model)
    assert step(held, [[1]]) == [{0}]
    assert step(held, [[1, 0]]) == [{2, 3, WIDTH - 1}]
    assert [found.token_bytes(id) for id in range(4)] == [b"a", b"b", b" c", b"<end>"]
    with pytest.raises(grammarc.SourceError, match="vocab_size"):
        vocabulary(object(), tokenizer)
