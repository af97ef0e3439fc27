"""The page in a real browser: a schema is tried by keyboard, on a wide and on a narrow screen, with no request elsewhere.

Needs Chromium (Debian's `chromium`); without it the test is skipped. With GRAMMARC_SCREENSHOT=FILE it writes a picture.
"""

from __future__ import annotations

import json
import os
import shutil

import pytest

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> object:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: the page is not tested")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [1200, 360])
def test_a_schema_is_tried_by_keyboard(browser: object, url: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(url + "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "kind"
    page.keyboard.press("Tab")
    page.keyboard.press("Control+Enter")
    playwright.expect(page.locator("#status")).to_contain_text("ended by", timeout=60_000)
    person = json.loads(page.inner_text("#tokens"))
    assert list(person) == ["name", "born", "fields"]
    assert page.locator("#tokens .forced").count() > 3
    title = page.locator("#tokens span").first.get_attribute("title")
    assert "The grammar keeps" in title and "%" in title
    assert page.locator("#tokens span").first.evaluate("span => span.style.getPropertyValue('--kept')").endswith("%")
    page.focus("#tokens")
    page.keyboard.press("End")
    assert page.inner_text("#chances").startswith('"') and "%" in page.inner_text("#chances")
    page.click("#report")
    page.wait_for_selector("#details table")
    assert "additionalProperties" in page.inner_text("#details")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page scrolls sideways"
    if width == 1200 and (picture := os.environ.get("GRAMMARC_SCREENSHOT")):
        page.screenshot(path=picture, full_page=True)
    page.fill("#source", '{"type": "nothing"}')
    page.click("#run")
    playwright.expect(page.locator("#error")).to_contain_text("/type")
    assert page.inner_text("#error").count("nothing") == 1, "an error is shown once"
    page.fill("#source", '{"type": ')
    page.click("#run")
    playwright.expect(page.locator("#error")).to_contain_text("The schema is no JSON")
    page.fill("#source", "")
    page.reload()
    for kind in ("regex", "gbnf", "lark", "", "json-schema"):
        before = page.input_value("#source")
        page.select_option("#kind", kind)
        assert page.input_value("#source") != before, f"there is an example of {kind}"
    page.fill("#source", "mine")
    page.select_option("#kind", "regex")
    assert page.input_value("#source") == "mine"
    # The bytes of a character are spread over three tokens.
    page.evaluate("""clear(); [[230], [151], [165, 97]].forEach((bytes) => add({ bytes, logprob: -1, top_logprobs: [] }))""")
    assert page.inner_text("#tokens") == "日a" and page.inner_text("#tokens").count("\ufffd") == 0
    assert page.locator("#tokens span").get_attribute("title").count("36.8 %") == 3
    assert all(one.startswith((url, "data:")) for one in asked), asked
    # The browser itself says that a request was refused; nothing else may be said.
    assert [one for one in said if "400" not in one] == []
    page.close()
