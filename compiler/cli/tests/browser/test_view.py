"""The page of `grammarc view` in a real browser: by keyboard, wide and narrow, light and dark, with no request and nothing on the console.

Needs Chromium (Debian's `chromium`); without it the tests are skipped. GRAMMARC_COMMAND names the command. With GRAMMARC_SCREENSHOT=FILE
a picture is written.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
COMMAND = os.environ.get("GRAMMARC_COMMAND") or shutil.which("grammarc")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

PERSON = {
    "title": "</script><script>document.title = 'broken'</script>",
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["red", "green", "</script>"]}, "maxItems": 5},
        "friend": {"$ref": "#"},
    },
    "required": ["name"],
    "additionalProperties": False,
}
KEYS = {
    "type": "object",
    "properties": {name: {"type": "integer"} for name in ("one", "two", "three", "four", "five", "six", "seven")},
    "required": ["one", "two", "three", "four", "five", "six"],
    "additionalProperties": False,
}
GRAMMARS = {
    "person": (PERSON, []),
    "keys": (KEYS, ["--key-order", "any"]),
    "long": ({"type": "string", "minLength": 3, "maxLength": 6000, "pattern": "^[a-z]+(/[a-z]+)*$"}, []),
    "words": ({"enum": [f"{'abcdefghij'[n % 10]}{n * n * 7919 % 99991}" for n in range(4000)]}, []),
    "differ": ({"type": "array", "items": {"enum": [1, 12, 123]}, "uniqueItems": True, "minItems": 2}, []),
}
"""Schemas with flags, by name: with recursion, required keys in a register, a counter, a packed string set, and items that differ."""


def tokenizer() -> dict[str, object]:
    """A byte-level tokenizer with every byte, some words and an end token."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    names = {byte: chr(byte) for byte in own} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    texts = [bytes([byte]) for byte in range(256)] + [b'{"', b'":', b'": "', b'", "', b"true", b" hello", b"12", b"ab", b"12,"]
    vocabulary = {"".join(names[byte] for byte in text): at for at, text in enumerate(texts)}
    end = {"id": len(vocabulary), "content": "<|end|>", "special": True}
    model = {"type": "BPE", "vocab": vocabulary, "merges": []}
    return {"added_tokens": [end], "normalizer": None, "decoder": {"type": "ByteLevel"}, "model": model}


def run(folder: Path, *arguments: str) -> str:
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True, cwd=folder).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if COMMAND is None:
        pytest.skip("there is no grammarc: the page is not tested")
    folder = tmp_path_factory.mktemp("view")
    (folder / "tiny.json").write_text(json.dumps(tokenizer()))
    run(folder, "vocab", "tiny.json", "-o", "tiny.gvocab")
    for name, (schema, flags) in GRAMMARS.items():
        (folder / f"{name}.json").write_text(json.dumps(schema))
        run(folder, "compile", f"{name}.json", "--vocab", "tiny.gvocab", *flags)
        run(folder, "view", f"{name}.gmask")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: the page is not tested")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page, and what it asked for and said."""

    def __init__(self, browser: object, path: Path, **options: object) -> None:
        self.page = browser.new_page(**options)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.url = path.as_uri()
        self.page.goto(self.url)

    def close(self) -> None:
        assert [one for one in self.asked if one.split("#")[0] != self.url and not one.startswith("data:")] == []
        assert self.said == []
        self.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_automaton_is_walked_by_keyboard(browser: object, folder: Path, width: int, scheme: str) -> None:
    watched = Watched(browser, folder / "person.html", viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = watched.page
    assert page.title() == "person.json · grammarc"
    start = page.inner_text("#state-name")
    opened = start.split()[1]
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.type('{"name": "Ad')
    playwright.expect(page.locator("#reached")).to_contain_text("The text leads to state")
    assert page.inner_text("#state-name") != start
    page.fill("#text", "")
    # By the Tab key to the drawing, by arrows along an arc, and by Enter to the state there.
    page.evaluate(f"location.hash = {opened}")
    playwright.expect(page.locator("#state-name")).to_have_text(start)
    page.focus("#single")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('class')").startswith("node here")
    page.keyboard.press("ArrowRight")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("State ") and "shown" not in label
    page.keyboard.press("Enter")
    playwright.expect(page.locator("#state-name")).to_have_text(" ".join(label.split(",")[0].split()[:2]))
    assert "here" in page.evaluate("document.activeElement.getAttribute('class')"), "the focus stays in the drawing"
    page.go_back()
    playwright.expect(page.locator("#state-name")).to_have_text(start)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
    if width == 1280 and scheme == "light" and (picture := os.environ.get("GRAMMARC_SCREENSHOT")):
        page.fill("#text", '{"name": "Ada"')
        page.screenshot(path=picture)
    watched.close()


@pytest.mark.parametrize("name", GRAMMARS)
def test_texts_lead_where_the_grammar_says(browser: object, folder: Path, name: str) -> None:
    watched = Watched(browser, folder / f"{name}.html", viewport={"width": 1280, "height": 800})
    page, reached = watched.page, watched.page.locator("#reached")
    rng = random.Random(7)
    samples = run(folder, "sample", f"{name}.gmask", "--count", "4", "--max-tokens", "60", "--format", "json")
    for text in map(json.loads, samples.splitlines()):
        page.fill("#text", text)
        playwright.expect(reached).to_contain_text("It may end here.")
        for at in rng.sample(range(1, len(text)), min(4, len(text) - 1)):
            line = ["debug", "mask", f"{name}.gmask", "--after", text[:at], "--format", "json"]
            configurations = json.loads(run(folder, *line))["configurations"]
            page.fill("#text", text[:at])
            states = page.evaluate("[...document.querySelectorAll('#reached .to')].map((one) => Number(one.textContent.split(' ').pop()))")
            assert set(states) == {one["state"] for one in configurations}, text[:at]
        page.fill("#text", text[:1] + "\u0001")
        playwright.expect(reached).to_contain_text("is refused")
        assert page.inner_text("#reached mark") == "x01"
    watched.close()


def test_every_state_is_drawn_and_described(browser: object, folder: Path) -> None:
    watched = Watched(browser, folder / "person.html", viewport={"width": 1280, "height": 800})
    page = watched.page
    found = page.evaluate("""async () => {
        const ids = JSON.parse(document.getElementById('data').textContent).states.map((state) => state.id), wrong = [];
        for (const single of [false, true]) {
            if (single) document.getElementById('single').click();
            for (const id of ids) {
                location.hash = id;
                await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
                const drawn = document.querySelector('#graph .here')?.dataset.id, said = document.getElementById('state-name').textContent;
                const svg = document.querySelector('#graph svg');
                if (drawn !== String(id) || said !== `State ${id}` || svg.outerHTML.includes('NaN')) wrong.push([id, drawn, said]);
            }
            location.hash = '';
            await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
        }
        return { count: ids.length, wrong };
    }""")
    assert found["count"] > 50 and found["wrong"] == []
    watched.close()


def test_a_page_without_its_data_says_so(browser: object, folder: Path) -> None:
    text = (folder / "person.html").read_text()
    start = text.index('id="data">') + len('id="data">')
    broken = folder / "broken.html"
    broken.write_text(text[:start] + "{" + text[text.index("</script>", start) :])
    watched = Watched(browser, broken)
    playwright.expect(watched.page.locator("#broken")).to_contain_text("cannot be read")
    watched.close()
