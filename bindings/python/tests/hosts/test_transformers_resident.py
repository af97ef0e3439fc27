"""transformers with masks and positions on an emulated device, beside the processor whose masks are the host's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, TOKENS, WIDTH, allowed_after, check_walks

import grammarc

torch = pytest.importorskip("torch", reason="torch is not installed: masks over its tensors are not tested")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: its processor is not tested")

from hosts import emulated  # noqa: E402
from tiny import PAD, tiny  # noqa: E402

from grammarc import cuda  # noqa: E402
from grammarc.hosts.transformers import GrammarLogitsProcessor, vocabulary  # noqa: E402
from grammarc.hosts.transformers_resident import ResidentLogitsProcessor  # noqa: E402


@pytest.fixture(scope="module")
def device() -> cuda.Device:
    return emulated.device()


def finite(row: Any) -> set[int]:
    return set(torch.isfinite(row).nonzero().flatten().tolist())


def step(held: Any, rows: list[list[int]], dtype: Any = torch.float32) -> list[set[int]]:
    scores = torch.zeros(len(rows), WIDTH, dtype=dtype)
    found = held(torch.tensor(rows), scores)
    assert torch.isfinite(scores).all(), "generate may hand out the scores that it gave"
    return [finite(row) for row in found]


class OfTransformers:
    def __init__(self, held: Any, dtype: Any) -> None:
        self.held, self.tokens, self.dtype = held, [PAD, PAD, 30], dtype
        held.reset()

    def allowed(self) -> set[int]:
        (found,) = step(self.held, [self.tokens], self.dtype)
        return found

    def push(self, token: int) -> None:
        self.tokens.append(token)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_walks(device: cuda.Device, dtype: Any) -> None:
    one = ResidentLogitsProcessor(GRAMMAR, end_tokens=ENDS, device=device)
    check_walks(lambda: OfTransformers(one, dtype))


def test_a_grammar_for_each_prompt(device: cuda.Device) -> None:
    other = ["cab", "cb"]
    held = ResidentLogitsProcessor([GRAMMAR, None, COMPILER.choice(other)], end_tokens=ENDS, device=device)
    everything = set(range(WIDTH))
    prompts = [[30], [30], [31], [31], [32], [32]]
    assert step(held, prompts) == [allowed_after([])] * 2 + [everything] * 2 + [allowed_after([], other)] * 2
    rows = [[30, 0], [30, 1], [31, 42], [31, 9], [32, 2], [32, 2]]
    expected = [allowed_after([0]), allowed_after([1])] + [everything] * 2 + [allowed_after([2], other)] * 2
    assert step(held, rows) == expected
    # The same call again takes no token.
    assert step(held, rows) == expected


def test_what_does_not_go_on_is_refused(device: cuda.Device) -> None:
    held = ResidentLogitsProcessor(GRAMMAR, end_tokens=ENDS, device=device)
    for rows in (
        # A beam that changed its place, drafts that go ahead, and drafts that are taken back.
        [[30, 1, 2], [30, 0, 1]],
        [[30, 0, 1, 2], [30, 1, 7, 7]],
    ):
        held.reset()
        step(held, [[30], [30]])
        step(held, [[30, 0], [30, 1]])
        with pytest.raises(ValueError, match="GrammarLogitsProcessor"):
            step(held, rows)
    held.reset()
    for row in ([30], [30, 0], [30, 0, 1]):
        step(held, [row])
    with pytest.raises(ValueError, match="GrammarLogitsProcessor"):
        step(held, [[30, 0]])
    held.reset()
    step(held, [[30], [31]])
    with pytest.raises(grammarc.TokenRefused, match="token 4 .* of row 0"):
        step(held, [[30, 4], [31, 0]])
    with pytest.raises(ValueError, match="2 rows of tokens for 3"):
        held(torch.zeros(2, 1, dtype=torch.int64), torch.zeros(3, WIDTH))
    with pytest.raises(ValueError, match="2 grammars cannot be shared among 3 rows"):
        step(ResidentLogitsProcessor([GRAMMAR] * 2, end_tokens=ENDS, device=device), [[1], [2], [3]])
    with pytest.raises(TypeError):
        ResidentLogitsProcessor([])


def test_generations_after_each_other(device: cuda.Device) -> None:
    held = ResidentLogitsProcessor(GRAMMAR, end_tokens=ENDS, device=device)
    assert step(held, [[30]]) == [allowed_after([])]
    assert step(held, [[30, 0]]) == [allowed_after([0])]
    assert step(held, [[31, 0]]) == [allowed_after([])]
    assert step(held, [[30], [30]]) == [allowed_after([])] * 2
    assert step(held, [[30, 2], [30, 0]]) == [allowed_after([2]), allowed_after([0])]
    assert step(held, [[30], [30]]) == [allowed_after([])] * 2


def test_what_the_device_leaves_to_the_host(device: cuda.Device) -> None:
    """Two readings of a text, and then as deep a nest as a device has no frames for: the host goes on, and the device where it can."""
    grammar = COMPILER.gbnf('root ::= "a" root "b" | "a" "c" | x "cc" | y "cb"\nx ::= "a" x | "a"\ny ::= "a" y | "a"')
    starts = (ResidentLogitsProcessor(grammar, end_tokens=ENDS, device=device), GrammarLogitsProcessor(grammar, end_tokens=ENDS))
    taken = []
    for text in ("a" * 50 + "c" + "b" * 49, "aac", "aaacc", "aaaacb"):
        tokens = [TOKENS.index(letter.encode()) for letter in text] + [ENDS[0]]
        for held in starts:
            held.reset()
        for at in range(len(tokens)):
            row = [[30, *tokens[:at]], [31, *tokens[:at]]]
            assert step(starts[0], row) == step(starts[1], row), (text, at)
            generation = starts[0]._generation
            taken.append(generation._taken[0])
    assert max(taken) > 0, "the host was needed"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"do_sample": True, "num_return_sequences": 4, "top_k": 3, "temperature": 2.0},
        {"output_scores": True, "output_logits": True, "return_dict_in_generate": True},
    ],
    ids=["greedy", "samples", "outputs"],
)
@pytest.mark.parametrize("in_place", [False, True])
def test_generate(device: cuda.Device, options: dict[str, Any], in_place: bool) -> None:
    """Token for token what the host's masks lead to."""
    if in_place and "output_logits" in options:
        pytest.skip("generate hands out what is written to")
    model = tiny()
    inputs = torch.tensor([[PAD, PAD, 30], [31, 32, 33]])
    grammars = [COMPILER.choice([text]) for text in TEXTS[:2]]
    outputs = []
    for held in (
        ResidentLogitsProcessor(grammars, model, device=device, in_place=in_place),
        GrammarLogitsProcessor(grammars, model),
    ):
        torch.manual_seed(3)
        output = model.generate(
            inputs, attention_mask=(inputs != PAD).long(), logits_processor=[held], max_new_tokens=12, **options
        )
        if not torch.is_tensor(output):
            assert all(torch.isfinite(logits).all() for logits in output.logits), "logits are those of the model"
            output = output.sequences
        outputs.append(output)
    assert torch.equal(*outputs)
    rows = outputs[0][:, inputs.shape[1] :].tolist()
    for at, row in enumerate(rows):
        end = next(index for index, token in enumerate(row) if token in ENDS)
        written = b"".join(GRAMMAR.vocabulary.token_bytes(token) for token in row[:end]).decode()
        assert written == TEXTS[at // (len(rows) // 2)]
        assert set(row[end + 1 :]) <= {PAD, *ENDS}


@pytest.mark.parametrize("options", [{"num_beams": 3}, {"prompt_lookup_num_tokens": 3}])
def test_generate_with_what_it_does_not_take(device: cuda.Device, options: dict[str, Any]) -> None:
    model = tiny()
    grammar = COMPILER.regex("[a-c]{9,12}")
    inputs = torch.tensor([[0, 1, 2, 0, 1, 2, 0]])
    with pytest.raises((ValueError, grammarc.TokenRefused), match="use grammarc.hosts.transformers.GrammarLogitsProcessor"):
        held = ResidentLogitsProcessor(grammar, model, device=device)
        model.generate(inputs, logits_processor=[held], max_new_tokens=12, **options)


@pytest.mark.skipif("GRAMMARC_SMOLLM2" not in os.environ, reason="GRAMMARC_SMOLLM2 names no model")
@pytest.mark.parametrize("options", [{}, {"do_sample": True, "temperature": 0.8}], ids=["greedy", "sampled"])
def test_generate_with_a_model(options: dict[str, Any]) -> None:
    """JSON of a schema, token for token what the host's masks lead to."""
    import json

    import jsonschema
    from schemas import SCHEMAS

    folder = Path(os.environ["GRAMMARC_SMOLLM2"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, padding_side="left")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    compiler = grammarc.Compiler(vocabulary(model, tokenizer))
    device = emulated.device(512 << 20)
    for name in ("person",):
        schema = SCHEMAS[name][1]
        grammar = compiler.json_schema(schema)
        inputs = tokenizer(["A thing as JSON:", "Tell me about it, as JSON please:"], return_tensors="pt", padding=True)
        outputs = []
        for held in (ResidentLogitsProcessor(grammar, model, device=device), GrammarLogitsProcessor(grammar, model)):
            torch.manual_seed(0)
            outputs.append(model.generate(**inputs, logits_processor=[held], max_new_tokens=90, **options))
        assert torch.equal(*outputs), name
        for text in tokenizer.batch_decode(outputs[0][:, inputs["input_ids"].shape[1] :], skip_special_tokens=True):
            jsonschema.Draft202012Validator(schema).validate(json.loads(text))


def test_without_a_device_it_says_so() -> None:
    held = ResidentLogitsProcessor(GRAMMAR, end_tokens=ENDS)
    if torch.cuda.is_available():
        pytest.skip("there is a device")
    with pytest.raises(grammarc.DeviceError):
        step(held, [[30]])
