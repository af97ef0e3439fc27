"""A model of transformers with some thousand numbers, whose choices mean nothing."""

from __future__ import annotations

from typing import Any

import torch
import transformers
from letters import ENDS, WIDTH

PAD = 40
"""A token that no grammar of the letters allows."""


def tiny(width: int = WIDTH, ends: Any = ENDS, pad: int = PAD, size: int = 16, layers: int = 1) -> Any:
    """The model, the same at each call. Rows of logits have `width` numbers, the states between layers `size`."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=width,
        hidden_size=size,
        intermediate_size=size,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        bos_token_id=30,
        eos_token_id=list(ends),
        pad_token_id=pad,
    )
    return transformers.LlamaForCausalLM(config)
