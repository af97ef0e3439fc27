"""Artifacts by digest: ``Grammar.digest`` names a grammar wherever its file lies.

The digest, and the vocabulary that a grammar belongs to, are in the first bytes of a file (``artifacts/README.md``), so folders are
looked through without opening their artifacts.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from grammarc._errors import ArtifactError, VocabularyMismatch
from grammarc._native import Grammar, Vocabulary
from grammarc._pickle import open_grammar, open_vocabulary

PathLike = str | os.PathLike[str]

DIGEST_BYTES = 32
"""Length of a digest."""

_MAGIC = b"\x89grammarc\r\n\x1a\n\0\0\0"
_HEADER = 136
"""Bytes of a header up to those that are reserved."""


class NoDigest(ValueError):
    """What was given for a digest is none."""


class _Header(NamedTuple):
    """What a file says of itself."""

    digest: bytes
    vocabulary: bytes
    """The fingerprint of the vocabulary, and the digest of its shared tables."""


def _header(path: Path) -> _Header | None:
    """The header of an artifact; None for any other file."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError:
        return None
    if len(head) < _HEADER or not head.startswith(_MAGIC):
        return None
    return _Header(head[16:48], head[72:136])


class ArtifactFolders:
    """Folders of artifacts, which are found by their digests.

    The folders of ``grammarc build``, caches of a :class:`Compiler`, or any others, with their subfolders. They are looked
    through at first, and again for a digest that is not known, but not sooner than ``seconds`` after the last time. Any thread may ask.
    """

    def __init__(self, folders: Iterable[PathLike], *, seconds: float = 10.0) -> None:
        self.folders = [Path(folder) for folder in folders]
        self._seconds = seconds
        self._lock = threading.Lock()
        self._looked = float("-inf")
        self._grammars: dict[bytes, Path] = {}
        self._vocabularies: dict[bytes, Path] = {}

    def find(self, digest: bytes | str) -> Path:
        """The file of the artifact with a digest, as bytes or in hexadecimal digits.

        Raises ``ValueError`` for what is no digest, and :class:`ArtifactError` where there is no such artifact.
        """
        wanted = digest_of(digest)
        path = self._find(wanted)
        if path is None:
            where = ", ".join(map(str, self.folders)) or "no folder"
            raise ArtifactError(f"there is no artifact {wanted.hex()} in {where}")
        return path

    def open(self, digest: bytes | str, vocabulary: Vocabulary | None = None) -> Grammar:
        """The grammar with a digest, as bytes or in hexadecimal digits. Its file is opened once for all calls of a process.

        Without a vocabulary, the one beside it is taken: a ``.gvocab`` in the folders. Raises as :meth:`find`, and
        :class:`VocabularyMismatch` where it is of another vocabulary.
        """
        path, wanted = self.find(digest), digest_of(digest)
        header = _header(path)
        of = header.vocabulary if header is not None else b""
        if vocabulary is None:
            beside = self._vocabularies.get(of)
            vocabulary = open_vocabulary(str(beside), of[:DIGEST_BYTES]) if beside is not None else None
        elif vocabulary.fingerprint != of[:DIGEST_BYTES]:
            raise VocabularyMismatch(f"the artifact {wanted.hex()} was compiled for another vocabulary")
        return open_grammar(str(path), wanted, vocabulary)

    def _find(self, digest: bytes) -> Path | None:
        """The file with a digest, wherever it is now."""
        with self._lock:
            known = self._known(digest)
            if known is None and time.monotonic() - self._looked >= self._seconds:
                self._look()
                known = self._known(digest)
            return known

    def _known(self, digest: bytes) -> Path | None:
        """The file with a digest as of the last look, if it is still there."""
        path = self._grammars.get(digest)
        header = _header(path) if path is not None else None
        return path if header is not None and header.digest == digest else None

    def _look(self) -> None:
        """Looks through the folders."""
        self._grammars.clear()
        self._vocabularies.clear()
        for path in self._files():
            header = _header(path)
            if header is None:
                continue
            if path.suffix == ".gmask":
                self._grammars.setdefault(header.digest, path)
            else:
                self._vocabularies.setdefault(header.vocabulary, path)
        self._looked = time.monotonic()

    def _files(self) -> Iterator[Path]:
        """The files of artifacts, in the order of their folders and names."""
        for folder in self.folders:
            for inside, below, names in os.walk(folder):
                below.sort()
                yield from (Path(inside, name) for name in sorted(names) if name.endswith((".gmask", ".gvocab")))


def listed_folders() -> list[str]:
    """The folders of ``GRAMMARC_ARTIFACTS``."""
    listed = os.environ.get("GRAMMARC_ARTIFACTS", "")
    return [folder for folder in listed.split(os.pathsep) if folder]


def digest_of(given: bytes | str) -> bytes:
    """A digest from bytes or hexadecimal digits. Raises :class:`NoDigest`."""
    try:
        digest = bytes.fromhex(given) if isinstance(given, str) else bytes(given)
    except ValueError:
        digest = b""
    if len(digest) != DIGEST_BYTES:
        raise NoDigest(f"a digest has {DIGEST_BYTES} bytes, or twice as many hexadecimal digits, and not {given!r:.80}")
    return digest


def open_artifact(
    digest: bytes | str, folders: Iterable[PathLike] | None = None, *, vocabulary: Vocabulary | None = None
) -> Grammar:
    """The grammar whose artifact has this digest (``Grammar.digest``), found in folders and their subfolders.

    The folders are those of ``GRAMMARC_ARTIFACTS`` where none are given. Without a vocabulary, the one beside the artifact is taken.
    Raises as :meth:`ArtifactFolders.open`. To look up many, keep an :class:`ArtifactFolders`.
    """
    if folders is None:
        folders = listed_folders()
    return ArtifactFolders(folders).open(digest, vocabulary)
