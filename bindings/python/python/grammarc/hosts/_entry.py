"""Entry points of the wheel, which hosts call in every process. They do nothing unless the host was asked for grammarc, and
import nothing but the standard library until then."""

from __future__ import annotations

import os


def vllm() -> None:
    """``vllm.general_plugins``: puts grammarc into vLLM where ``GRAMMARC_VLLM=1``, and registers its parsers."""
    if os.environ.get("GRAMMARC_VLLM", "") not in ("", "0"):
        from grammarc.hosts.vllm import install
        from grammarc.hosts.vllm_calls import register

        install()
        register()


def sglang() -> None:
    """``sglang.srt.plugins``: makes ``--grammar-backend grammarc``, ``--speculative-algorithm GRAMMARC`` and the parsers of tool calls
    known to SGLang."""
    from grammarc.hosts import sglang, sglang_calls, sglang_drafts

    sglang.register()
    sglang_calls.register()
    sglang_drafts.register()
