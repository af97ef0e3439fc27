"""Entry points of the wheel, which hosts call in every process. They do nothing unless the host was asked for grammarc, and
import nothing but the standard library until then."""

from __future__ import annotations

import os


def vllm() -> None:
    """``vllm.general_plugins``: puts grammarc into vLLM where ``GRAMMARC_VLLM=1``."""
    if os.environ.get("GRAMMARC_VLLM", "") not in ("", "0"):
        from grammarc.hosts.vllm import install

        install()


def sglang() -> None:
    """``sglang.srt.plugins``: makes ``--grammar-backend grammarc`` and ``--speculative-algorithm GRAMMARC`` known to SGLang."""
    from grammarc.hosts import sglang, sglang_drafts

    sglang.register()
    sglang_drafts.register()
