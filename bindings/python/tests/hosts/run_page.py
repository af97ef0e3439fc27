"""Runs the Python blocks of a page of ``docs/hosts``, in one go: ``python run_page.py PAGE [NAME=VALUE...]``.

Not part of CI: it needs what the page needs. Names that a page leaves open (``MODEL``, ``FOLDER``) are given as texts; ``FILE=...``
takes the place of the only ``.gguf`` file that a page names.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path


def main(page: str, given: list[str]) -> None:
    text = Path(page).read_text(encoding="utf-8")
    names = dict(one.split("=", 1) for one in given)
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    if "FILE" in names:
        code = re.sub(r'"[^"]*\.gguf"', repr(names.pop("FILE")), code)
    exec(compile(code, page, "exec"), {"__name__": "__main__", **names})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
