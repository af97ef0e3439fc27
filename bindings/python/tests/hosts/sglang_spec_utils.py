"""SGLang's module ``spec_utils`` for tests: the functions that fill the rows of trees, with the parameters of 0.5.23."""

from __future__ import annotations

from typing import Any


def traverse_tree(
    retrieve_next_token: Any,
    retrieve_next_sibling: Any,
    draft_tokens: Any,
    grammar: Any,
    allocate_token_bitmask: Any,
    vocab_size: int | None = None,
) -> None:
    """Fills the row of each node by steps of the grammar. Rows that are not filled stay as they are."""

    def below(node: int) -> None:
        if grammar.is_terminated():
            return
        grammar.fill_vocab_mask(allocate_token_bitmask, node)
        child = int(retrieve_next_token[node])
        while child != -1:
            token = int(draft_tokens[child])
            if int(allocate_token_bitmask[node][token // 32]) >> token % 32 & 1:
                grammar.accept_token(token)
                below(child)
                grammar.rollback(1)
            child = int(retrieve_next_sibling[child])

    below(0)


def generate_token_bitmask(
    reqs: Any, retrieve_next_token_cpu: Any, retrieve_next_sibling_cpu: Any, draft_tokens_cpu: Any, vocab_size: int
) -> tuple[Any, Any]:
    """The rows of a batch, and one of its grammars."""
    rows, grammar, nodes = None, None, draft_tokens_cpu.shape[-1]
    for at, request in enumerate(reqs):
        if request.grammar is not None:
            grammar = request.grammar
            if rows is None:
                rows = grammar.allocate_vocab_mask(
                    vocab_size=vocab_size, batch_size=draft_tokens_cpu.numel(), device="cpu"
                )
            traverse_tree(
                retrieve_next_token_cpu[at],
                retrieve_next_sibling_cpu[at],
                draft_tokens_cpu[at],
                grammar,
                rows[at * nodes : (at + 1) * nodes],
                vocab_size=vocab_size,
            )
    return rows, grammar
