"""examples/ray_extract.py with a real Ray: a worker that is killed loses and doubles nothing, and workers share what they map.

Needs an environment with Ray, which it makes from the package index (ray_requirements.txt); without one the tests are skipped. With
GRAMMARC_FULL=1 the driver is killed too, and outputs are compared with those of a run that nothing disturbed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import grammarc

ROOT = Path(os.environ.get("GRAMMARC_ROOT") or Path(__file__).parents[3])
TESTS = Path(__file__).parent
FULL = os.environ.get("GRAMMARC_FULL") == "1"

DOCUMENTS = 600
"""Documents of a run: ten batches and more, so that there is something to be done when one is killed."""


@pytest.fixture(scope="module")
def python() -> Path:
    sys.path.insert(0, str(ROOT / "tests" / "python"))
    from environment import environment

    try:
        return environment(TESTS / "ray_requirements.txt")
    except SystemExit:
        if FULL:
            raise
        pytest.skip("no environment with Ray could be made: the tests of Ray are skipped")


class Run:
    """A run of the example, whose progress is read as it goes."""

    def __init__(self, python: Path, folder: Path, *options: object) -> None:
        alone = folder / "package"
        alone.mkdir(exist_ok=True)
        if not (alone / "grammarc").exists():
            (alone / "grammarc").symlink_to(Path(grammarc.__file__).parent)
        script = ROOT / "examples" / "ray_extract.py"
        line = [python, script, "--work", folder / "work", "--make", DOCUMENTS, "--batch", 20, *options]
        variables = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        self.process = subprocess.Popen(
            list(map(str, line)),
            cwd=folder,
            env=variables | {"PYTHONPATH": str(alone), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.said: list[str] = []
        self.report = folder / "work" / "report.json"

    def progress(self) -> dict[str, int] | None:
        """The next line of progress; none at the end."""
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith('{"done"'):
                return json.loads(line)
        return None

    def counts(self) -> dict:
        """Goes on to the end."""
        while self.progress():
            pass
        assert self.process.wait(60) == 0, "".join(self.said[-30:])
        return json.loads(self.report.read_text())


def lines_of(path: Path) -> list[dict]:
    """The values of a file's lines."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def parts_of(folder: Path) -> list[str]:
    """The documents of all finished parts."""
    return [row["document"] for path in (folder / "work" / "parts").glob("*.jsonl") for row in lines_of(path)]


@pytest.fixture(scope="module")
def disturbed(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two workers, of which one is killed while it works."""
    folder = tmp_path_factory.mktemp("killed")
    run = Run(python, folder, "--workers", 2, "--broken", 0.25)
    first = run.progress()
    assert first, "".join(run.said)
    os.kill(first["worker"], signal.SIGKILL)
    run.counts()
    return folder


def test_a_killed_worker_loses_and_doubles_nothing(disturbed: Path) -> None:
    counts = json.loads((disturbed / "work" / "report.json").read_text())
    assert counts["documents"] == DOCUMENTS and counts["missing"] == 0 and counts["doubled"] == 0
    wanted = [document["id"] for document in lines_of(disturbed / "work" / "documents.jsonl")]
    assert sorted(parts_of(disturbed)) == sorted(wanted)
    records = lines_of(disturbed / "records.jsonl")
    assert len(records) == counts["records"] >= DOCUMENTS
    assert list(dict.fromkeys(record["document"] for record in records)) == wanted
    assert all(set(record) == {"document", "name", "event", "year"} and 1000 <= record["year"] <= 2100 for record in records)
    # A line in each fourth answer is no record; nothing else is passed over.
    assert 0.15 * DOCUMENTS < counts["skipped_lines"] < 0.35 * DOCUMENTS
    assert len(counts["workers"]) >= 2


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux says what a process maps")
def test_workers_share_what_they_map(disturbed: Path) -> None:
    workers = json.loads((disturbed / "work" / "report.json").read_text())["workers"]
    assert all(worker["mapped_kib"] > 0 for worker in workers)
    # One that worked beside another has none of the artifact's pages to itself.
    assert min(worker["private_kib"] for worker in workers) == 0


@pytest.mark.skipif(not FULL, reason="the long form")
def test_a_run_that_is_ended_continues_with_the_same_result(disturbed: Path, python: Path, tmp_path: Path) -> None:
    run = Run(python, tmp_path, "--workers", 2, "--broken", 0.25)
    for _ in range(3):
        assert run.progress(), "".join(run.said)
    os.killpg(run.process.pid, signal.SIGKILL)
    run.process.wait()
    before = len(set(parts_of(tmp_path)))
    assert 0 < before < DOCUMENTS
    assert not (tmp_path / "records.jsonl").exists()
    counts = Run(python, tmp_path, "--workers", 1, "--broken", 0.25).counts()
    assert counts["asked"] <= DOCUMENTS - before
    assert counts["documents"] == DOCUMENTS and counts["missing"] == 0 and counts["doubled"] == 0
    whole = tmp_path / "whole"
    whole.mkdir()
    assert Run(python, whole, "--workers", 1, "--broken", 0.25).counts()["asked"] == DOCUMENTS
    for folder in (disturbed, tmp_path):
        assert (folder / "records.jsonl").read_bytes() == (whole / "records.jsonl").read_bytes()
