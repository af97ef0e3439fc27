"""Tables in Markdown, and the CPU time of a process, for the scripts beside this one."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any


def table(head: list[str], rows: list[list[Any]]) -> None:
    print("| " + " | ".join(head) + " |\n| --- |" + " --: |" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(f"{cell:.3g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell for cell in row) + " |")
    print()


def spent_by(pid: int | None) -> float:
    """CPU seconds of a process so far; of a server elsewhere, the clock."""
    if pid is None:
        return time.perf_counter()
    user, system = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
