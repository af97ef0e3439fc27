"""Artifacts by digest: ``Grammar.digest`` names a grammar wherever its file lies.

The digest, and the vocabulary that a grammar belongs to, are in the first bytes of a file (``artifacts/README.md``), so folders are
looked through without opening their artifacts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from grammarc._errors import ArtifactError, VocabularyMismatch
from grammarc._native import Folders, Grammar, Vocabulary
from grammarc._pickle import open_grammar, open_vocabulary

PathLike = str | os.PathLike[str]

DIGEST_BYTES = 32
"""Length of a digest."""


class NoDigest(ValueError):
    """What was given for a digest is none."""


class ArtifactFolders:
    """Folders of artifacts, which are found by their digests.

    The folders of ``grammarc build``, caches of a :class:`Compiler`, or any others, with their subfolders. They are looked
    through at first, and again for a digest that is not known, but not sooner than ``seconds`` after the last time. Any thread may ask.
    """

    def __init__(self, folders: Iterable[PathLike], *, seconds: float = 10.0) -> None:
        self.folders = [Path(folder) for folder in folders]
        self._found = Folders(self.folders, seconds)

    def find(self, digest: bytes | str) -> Path:
        """The file of the artifact with a digest, as bytes or in hexadecimal digits.

        Raises ``ValueError`` for what is no digest, and :class:`ArtifactError` where there is no such artifact.
        """
        path, _, _ = self._find(digest_of(digest))
        return path

    def open(self, digest: bytes | str, vocabulary: Vocabulary | None = None) -> Grammar:
        """The grammar with a digest, as bytes or in hexadecimal digits. Its file is opened once for all calls of a process.

        Without a vocabulary, the one beside it is taken: a ``.gvocab`` in the folders. Raises as :meth:`find`, and
        :class:`VocabularyMismatch` where it is of another vocabulary.
        """
        wanted = digest_of(digest)
        path, of, beside = self._find(wanted)
        if vocabulary is None:
            vocabulary = open_vocabulary(str(beside), of) if beside is not None else None
        elif vocabulary.fingerprint != of:
            raise VocabularyMismatch(f"the artifact {wanted.hex()} was compiled for another vocabulary")
        return open_grammar(str(path), wanted, vocabulary)

    def _find(self, wanted: bytes) -> tuple[Path, bytes, Path | None]:
        """The file with a digest, the fingerprint of its vocabulary, and a file of that."""
        found = self._found.find(wanted)
        if found is None:
            where = ", ".join(map(str, self.folders)) or "no folder"
            raise ArtifactError(f"there is no artifact {wanted.hex()} in {where}")
        return found


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
