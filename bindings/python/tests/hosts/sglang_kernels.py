"""A module ``sgl_kernel`` for processors, where SGLang's engine has no build: what the worker of n-grams calls, in plain loops."""

from __future__ import annotations

import importlib.machinery
import os
import sys
from types import ModuleType
from typing import Any


def reconstruct_indices_from_tree_mask(
    tree_mask: Any,
    seq_lens: Any,
    positions: Any,
    retrieve_index: Any,
    next_token: Any,
    next_sibling: Any,
    batch_size: int,
    nodes: int,
) -> None:
    """Positions and links of trees by the ancestors of their nodes."""
    mask = tree_mask.reshape(batch_size, nodes, nodes)
    for at in range(batch_size):
        above = [[int(other) for other in mask[at, node, :node].nonzero().flatten()] for node in range(nodes)]
        for node in range(nodes):
            positions[at * nodes + node] = int(seq_lens[at]) + len(above[node])
            retrieve_index[at, node] = at * nodes + node
            children = [later for later in range(node + 1, nodes) if above[later] and above[later][-1] == node]
            next_token[at, node] = children[0] if children else -1
            siblings = [
                later for later in range(node + 1, nodes) if above[node] and above[later][-1:] == above[node][-1:]
            ]
            next_sibling[at, node] = siblings[0] if siblings else -1


def verify_tree_greedy_cpu(
    predicts: Any,
    accept_index: Any,
    accept_token_num: Any,
    candidates: Any,
    retrive_index: Any,
    retrive_next_token: Any,
    retrive_next_sibling: Any,
    target_predict: Any,
) -> None:
    """The path that the target's choices lead along, and its choice behind the path."""
    for at in range(candidates.shape[0]):
        node, found = 0, 0
        accept_index[at, 0] = retrive_index[at, 0]
        while True:
            choice = target_predict[at, node]
            predicts[retrive_index[at, node]] = choice
            child = int(retrive_next_token[at, node])
            while child != -1 and candidates[at, child] != choice:
                child = int(retrive_next_sibling[at, child])
            if child == -1:
                break
            node, found = child, found + 1
            accept_index[at, found] = retrive_index[at, node]
        accept_token_num[at] = found


def assign_extend_cache_locs_cpu(
    req_pool_indices: Any, req_to_token: Any, starts: Any, ends: Any, places: Any, width: int
) -> None:
    """Places of the cache from starts to ends, one request behind the other."""
    parts = [req_to_token[row, start:end] for row, start, end in zip(req_pool_indices, starts, ends, strict=True)]
    found = [int(place) for part in parts for place in part]
    places[: len(found)] = places.new_tensor(found)


def fill_accept_out_cache_loc_cpu(accept_index: Any, places: Any, kept: Any) -> None:
    """Places of the nodes that are kept."""
    found = [int(places[node]) for node in accept_index.flatten() if node >= 0]
    kept[: len(found)] = kept.new_tensor(found)


def install() -> None:
    """Puts the module where SGLang imports it, and has SGLang run on processors. What the module does not have fails when it is called."""
    os.environ["SGLANG_USE_CPU_ENGINE"] = "1"

    class Kernels(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)

            def missing(*arguments: Any, **options: Any) -> Any:
                raise NotImplementedError(name)

            return missing

    functions = {name: value for name, value in globals().items() if callable(value) and name != "install"}
    for name in ("sgl_kernel", "sgl_kernel.speculative"):
        module = Kernels(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
        module.__path__ = []
        module.__dict__.update(functions)
        sys.modules[name] = module
