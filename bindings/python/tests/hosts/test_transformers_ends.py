"""``prob_limit``, ``early_stop`` and ``overshoot`` in transformers' ``generate``, and values of types in one call."""

from __future__ import annotations

from typing import Any

import pytest
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, VOCABULARY

import grammarc

torch = pytest.importorskip("torch", reason="torch is not installed: its processors are not tested")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: its processors are not tested")
pydantic = pytest.importorskip("pydantic")

from tiny import PAD, tiny  # noqa: E402

from grammarc.hosts.transformers import GrammarLogitsProcessor  # noqa: E402

MODEL = tiny()
SOURCE = ("choice", TEXTS)
BEHIND = COMPILER.text_behind(SOURCE)
OPTIONS: dict[str, dict[str, Any]] = {
    "masses": {"masses": True},
    "first": {"early_stop": "first"},
    "overshoot": {"overshoot": BEHIND},
    "longest": {"overshoot": BEHIND, "early_stop": "longest"},
    "limit": {"prob_limit": 0.03},
    "patience": {"prob_limit": grammarc.ProbLimit(0.08, 2)},
    "limit, longest": {"overshoot": BEHIND, "early_stop": "longest", "prob_limit": 0.1},
}


def generated(held: Any, prompts: list[list[int]], **options: Any) -> Any:
    ids = torch.tensor(prompts)
    return MODEL.generate(ids, attention_mask=torch.ones_like(ids), logits_processor=[held], max_new_tokens=10, **options)


class Tokenizer:
    """Prompts of token ids, as text."""

    def __call__(self, prompt: str, add_special_tokens: bool = True) -> Any:
        return {"input_ids": [int(token) for token in prompt.split()]}


@pytest.mark.parametrize("name", OPTIONS)
def test_rows_of_a_batch_end_as_the_loop_of_rust_does(name: str) -> None:
    """Each row is what `generate` of this package writes behind its prompt."""
    held = GrammarLogitsProcessor(GRAMMAR, MODEL, **OPTIONS[name])
    prompts = [[30, 31], [32, 33], [9, 5], [0, 1]]
    generated(held, prompts, do_sample=False)
    found = held.outputs()
    ends = {key: value for key, value in OPTIONS[name].items() if key in ("prob_limit", "early_stop")}
    for prompt, output in zip(prompts, found, strict=True):
        assert output is not None
        expected = grammarc.generate(
            MODEL,
            Tokenizer(),
            SOURCE,
            " ".join(map(str, prompt)),
            compiler=COMPILER,
            temperature=0,
            max_tokens=10,
            forced="exact",
            end_tokens=ENDS,
            overshoot="overshoot" in OPTIONS[name],
            **ends,
        )
        assert (output.text, output.finish) == (expected.text, expected.finish)
        assert output.masses and all(0 <= mass <= 1 + 1e-9 for mass in output.masses)
        if output.finish != "length":
            assert output.text in TEXTS


def test_samples_and_several_generations() -> None:
    held = GrammarLogitsProcessor([GRAMMAR, None], MODEL, early_stop="first")
    for seed in range(5):
        torch.manual_seed(seed)
        generated(held, [[30, 31], [30, 32]], do_sample=True, temperature=3.0, num_return_sequences=2)
        first, second, third, fourth = held.outputs()
        assert first is not None and second is not None and third is None and fourth is None
        assert {first.text, second.text} <= set(TEXTS) and "abcabc" not in (first.text, second.text)


def test_a_choice_against_the_mask_raises() -> None:
    def other(input_ids: Any, scores: Any) -> Any:
        forced = torch.full_like(scores, -torch.inf)
        forced[:, 9] = 0
        return forced

    held = GrammarLogitsProcessor(GRAMMAR, MODEL, early_stop="first")
    ids = torch.tensor([[30]])
    with pytest.raises(grammarc.TokenRefused):
        MODEL.generate(ids, attention_mask=torch.ones_like(ids), logits_processor=[held, other], max_new_tokens=3)


@pytest.mark.parametrize("options", [{"num_beams": 2}, {"prompt_lookup_num_tokens": 3}, {"assistant_model": True}])
def test_rows_that_go_back_are_refused(options: dict[str, Any]) -> None:
    if "assistant_model" in options:
        options = {"assistant_model": tiny()}
    with pytest.raises(ValueError, match="num_beams=1"):
        generated(GrammarLogitsProcessor(GRAMMAR, MODEL, prob_limit=0.1), [[0, 1, 2, 0, 1, 2, 0]], **options)


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(ValueError, match="text_behind"):
        GrammarLogitsProcessor(GRAMMAR, MODEL, early_stop="longest")
    with pytest.raises(ValueError, match="drafts"):
        GrammarLogitsProcessor(GRAMMAR, MODEL, early_stop="first", drafts=True)
    with pytest.raises(ValueError, match="do not go with"):
        GrammarLogitsProcessor([GRAMMAR] * 3, MODEL, overshoot=[BEHIND] * 2)
    with pytest.raises(grammarc.GrammarcError, match="masses=True"):
        GrammarLogitsProcessor(GRAMMAR, MODEL).outputs()
    with pytest.raises(grammarc.GrammarcError, match="nothing was generated"):
        GrammarLogitsProcessor(GRAMMAR, MODEL, masses=True).outputs()


def test_a_loop_of_ones_own() -> None:
    """The last choice is in no call, so the loop hands it over."""
    held = GrammarLogitsProcessor(GRAMMAR, end_tokens=ENDS, masses=True)
    tokens = torch.tensor([[PAD, 30]])
    for token in (2, 0):
        held(tokens, torch.zeros(1, VOCABULARY.logit_width))
        tokens = torch.cat([tokens, torch.tensor([[token]])], dim=1)
    (before,) = held.outputs()
    (after,) = held.outputs(tokens)
    assert (before.text, after.text) == ("c", "ca") and after.finish == "length"
    assert after.masses == pytest.approx((4 / 43, 2 / 43), abs=0.08)


def test_a_value_in_one_call(tmp_path: Any) -> None:
    from test_tokenizer_objects import byte_level

    class Answer(pydantic.BaseModel):
        name: str = pydantic.Field(max_length=5)
        yes: bool

    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level(), eos_token="<|end|>", pad_token="<|turn|>")
    tokenizer.chat_template = "{% for message in messages %}<|turn|>{{ message['content'] }}{% endfor %}"
    model = tiny(width=len(tokenizer) + 5, ends=[tokenizer.eos_token_id], pad=tokenizer.pad_token_id)
    for prompt in ("An answer as JSON:", [{"role": "user", "content": "An answer?"}]):
        for forced in ("off", "canonical"):
            value = grammarc.generate_json(model, tokenizer, Answer, prompt, seed=1, forced=forced, on_length="close", max_tokens=60)
            assert isinstance(value, Answer)
    with pytest.raises(TypeError, match="tokenizer"):
        grammarc.generate_json(model, None, Answer, "?")
    with pytest.raises(ValueError, match="context"):
        grammarc.generate_json(model, tokenizer, Answer, "?", max_tokens=10**6)


def test_tokens_that_are_taken_back_are_forgotten() -> None:
    """A model that reads a sequence anew has the same logits as one that goes back."""
    from grammarc.hosts._transformers_model import HostModel

    held = HostModel(MODEL, Tokenizer())
    held.feed(0, [30, 31, 0, 1])
    back = held.feed(2, [2, 0])
    assert torch.allclose(back, HostModel(MODEL, Tokenizer()).feed(0, [30, 31, 2, 0]), atol=1e-5)

    class NoCrop:
        """A recurrent cache."""

    held._cache = NoCrop()
    assert torch.allclose(held.feed(3, [1]), HostModel(MODEL, Tokenizer()).feed(0, [30, 31, 2, 1]), atol=1e-5)
