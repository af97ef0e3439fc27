"""The head of a result: the machine, the commit and the versions. The same facts head the tables of the other benches."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

BENCHES = Path(__file__).resolve().parents[1]


def version(package: str) -> str | None:
    """The installed version of a package."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def head(build: str, *packages: str) -> dict[str, Any]:
    """The head. `build` is the profile of grammarc's wheel: the tables show times of `release` alone."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=BENCHES, capture_output=True, text=True, check=False)
    return {
        "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
        "machine": f"{models[0] if models else platform.machine()}, {os.cpu_count()} threads",
        "load before": " ".join(f"{one:.2f}" for one in os.getloadavg()),
        "commit": commit.stdout.strip() or "unknown",
        "build": build,
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
    }


def write(file: Path, result: dict[str, Any]) -> None:
    """Writes a result in lines, one for each row of a table, so that a new run is a small difference."""
    rows = result["rows"]
    lead = {key: value for key, value in result.items() if key != "rows"}
    text = json.dumps(lead, indent=1, ensure_ascii=False)[:-2]
    body = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    file.write_text(f'{text},\n "rows": [\n{body}\n ]\n}}\n', encoding="utf-8")


def percentile(values: list[float], share: float) -> float:
    """The value at a share of the sorted values, from 0 to 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
