"""The page in a real browser: every kind of verdict shows, filters work, and hostile answers get nothing done."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from measure.record.library import load
from measure.record.models import RunRecord
from measure.report import facts
from measure.report.family import family_sentences
from measure.report.page import RunShown, render_page
from measure.report.plots import bar_of, evidence
from tests.doubles.browser import Browser, started
from tests.doubles.records import examples, hostile, kinds
from tests.doubles.workplace import RULES, Workplace

SCREENSHOTS = "MEASURE_TEST_SCREENSHOTS"
"""Names a folder: screenshots of every kind, in both themes and at phone width, are left there to be looked at."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with started(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def records() -> dict[str, RunRecord]:
    return kinds()


@pytest.fixture(scope="module")
def everything(records: dict[str, RunRecord], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every kind of record."""
    return page(tmp_path_factory.mktemp("page"), *records.values())


def page(folder: Path, *records: RunRecord) -> Path:
    path = folder / "report.html"
    path.write_text(render_page(records), encoding="utf-8")
    return path


def test_every_kind_shows_in_its_own_word_sign_and_colour_in_both_themes(browser: Browser, everything: Path) -> None:
    for theme in ("light", "dark"):
        browser.open(everything, theme=theme)
        shown = browser.js(
            """return [...document.querySelectorAll('.chip')].map(chip => [
                [...chip.classList].find(name => name.startsWith('s-')), chip.querySelector('.sign').textContent,
                getComputedStyle(chip).color])"""
        )
        by_status = {tuple(one) for one in shown}
        statuses = {"s-difference", "s-zero-difference", "s-undecided", "s-invalid", "s-unmeasured", "s-band"}
        assert {status for status, _, _ in by_status} == statuses
        for place in (0, 1, 2):
            assert len({one[place] for one in by_status}) == len(statuses), by_status
        assert browser.logged() == []


def test_text_stands_out_from_its_ground_in_both_themes(browser: Browser, everything: Path) -> None:
    for theme in ("light", "dark"):
        browser.open(everything, theme=theme)
        ratios = browser.js(CONTRASTS)
        assert ratios
        assert min(ratio for _, ratio in ratios) >= 4.5, sorted(ratios, key=lambda one: one[1])[:5]


CONTRASTS = """
const light = text => {
  const parts = text.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
};
const ground = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$/.test(colour)) return colour;
  }
  return 'rgb(255, 255, 255)';
};
return [...document.querySelectorAll('.chip, .word, .soft, .meta, p, td, th, a, mark, summary, .state')].slice(0, 900)
  .filter(element => element.offsetParent && element.textContent.trim())
  .map(element => {
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
    return [element.className + ' ' + element.tagName, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
"""


def test_both_plots_are_drawn_in_the_colours_of_the_page(
    browser: Browser, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    path = page(tmp_path, records["restatement"])
    seen = set()
    for theme in ("light", "dark"):
        browser.open(path, theme=theme)
        assert browser.js("return document.querySelectorAll('.drawing svg').length") == 2
        seen.add(browser.js("return getComputedStyle(document.querySelector('[stroke=\"var(--difference)\"]')).stroke"))
        texts = browser.js("return [...document.querySelectorAll('.drawing svg text')].map(text => text.textContent)")
        assert {"tourist-tax", "Content", "Behavior"} <= {text.strip() for text in texts}
    assert len(seen) == 2


def test_answers_are_filtered_by_probe_outcome_and_reason(
    browser: Browser, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    browser.open(page(tmp_path, records["undecided"]))
    form = browser.driver.find_element(By.CSS_SELECTOR, "form.filter")
    output = form.find_element(By.TAG_NAME, "output")

    def visible() -> list[dict[str, str]]:
        found: list[dict[str, str]] = browser.js(
            "return [...document.querySelectorAll('.pair')].filter(pair => pair.offsetParent)"
            ".map(pair => ({...pair.dataset}))"
        )
        assert output.text == f"{len(found)} of 12 pairs"
        return found

    def choose(name: str, value: str) -> list[dict[str, str]]:
        Select(form.find_element(By.NAME, name)).select_by_value(value)
        return visible()

    assert len(visible()) == 12
    by_probe = choose("probe", "tourist-tax")
    assert {pair["probe"] for pair in by_probe} == {"tourist-tax"}
    both = choose("outcome", "hedged")
    assert 0 < len(both) < len(by_probe)
    assert all("hedged" in pair["outcome"].split() for pair in both)
    form.find_element(By.CSS_SELECTOR, "button").send_keys(Keys.ENTER)
    assert len(visible()) == 12
    failed = choose("reason", "rate-limit")
    assert failed
    assert all("rate-limit" in pair["reason"].split() for pair in failed)
    assert choose("reason", "*") == failed
    assert {pair["state"] for pair in choose("state", "differ")} <= {"differ"}
    assert browser.js("return !document.querySelector('.none').hidden") == (len(visible()) == 0)
    assert browser.logged() == []


def test_a_keyboard_reaches_everything_and_shows_where_it_is(browser: Browser, everything: Path) -> None:
    browser.open(everything)
    reached = []
    body = browser.driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    for _ in range(25):
        active = browser.driver.switch_to.active_element
        reached.append(active.tag_name)
        assert active.value_of_css_property("outline-style") != "none"
        active.send_keys(Keys.TAB)
    assert reached[0] == "a", "the first stop leads past what is repeated"
    browser.driver.find_element(By.CSS_SELECTOR, ".overview tbody a").send_keys(Keys.ENTER)
    target = browser.js("return document.querySelector(':target')?.id")
    assert target == browser.js("return document.querySelector('.run').id")


def test_what_the_judge_read_is_marked_where_it_read_it(browser: Browser, tmp_path: Path) -> None:
    record = next(record for record in examples() if record.plan and record.plan.condition.client == "claude")
    browser.open(page(tmp_path, record))
    for trial in record.trials:
        if trial.reading is None or trial.answer is None:
            continue
        words = browser.driver.find_element(By.CSS_SELECTOR, f"[aria-label='Answer of launch {trial.position}']")
        assert str(words.get_attribute("textContent")).strip() == trial.answer.strip()
        marks = [str(mark.get_attribute("textContent")) for mark in words.find_elements(By.CSS_SELECTOR, "mark.read")]
        assert "".join(marks) == "".join(trial.answer[span.start : span.end] for span in trial.reading.spans)


def test_hostile_text_runs_loads_and_restyles_nothing(
    browser: Browser, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    path = page(tmp_path, *(hostile(record) for record in records.values()))
    browser.open(path)
    assert browser.js("return window.pwned === undefined")
    assert browser.js("return document.querySelectorAll('script, style, meta[http-equiv]').length") == 3
    assert (
        browser.js("return document.querySelectorAll('img, iframe, base, object, embed, input, [onload]').length") == 0
    )
    links = "return [...document.querySelectorAll('a')].map(link => link.getAttribute('href'))"
    assert all(link.startswith("#") for link in browser.js(links))
    outside = "return [...document.querySelectorAll('.run')].every(run => run.parentElement.id === 'main')"
    assert browser.js(outside), "no answer closes what it stands in"
    assert browser.js("return getComputedStyle(document.querySelector('.run')).display") == "block"
    assert browser.asked_for() == [path.as_uri()]
    assert browser.logged() == []
    assert "\u202e" not in path.read_text(encoding="utf-8")
    assert browser.js("return document.documentElement.scrollWidth <= innerWidth"), "nothing stretches the page"


def test_a_tag_that_got_through_would_still_run_load_and_restyle_nothing(
    browser: Browser, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    path = page(tmp_path, records["redundant"])
    browser.open(path)
    browser.asked_for()
    browser.js(
        """const holder = document.createElement('div');
        holder.innerHTML = '<img src="http://127.0.0.1:9/x" onerror="window.pwned = 1"><b style="color: red">x</b>'
          + '<style>body { display: none }</style><a id=bad href="javascript:window.pwned=2">x</a>';
        document.body.append(holder);
        const script = document.createElement('script');
        script.textContent = 'window.pwned = 3';
        document.body.append(script);
        document.getElementById('bad').click();
        return new Promise(done => setTimeout(done, 50));"""
    )
    assert browser.js("return window.pwned === undefined")
    assert browser.js("return getComputedStyle(document.body).display") == "block"
    assert browser.js("return getComputedStyle(document.querySelector('b[style]')).color") != "rgb(255, 0, 0)"
    assert [url for url in browser.asked_for() if not url.startswith("data:")] == []
    assert browser.logged(), "the browser says what it refused"


def test_nothing_is_wider_than_a_phone(browser: Browser, everything: Path) -> None:
    browser.open(everything, width=360)
    assert browser.js("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [320, 700, 1000, 1280])
def test_no_table_of_the_findings_is_cut_and_no_word_of_it_broken(
    browser: Browser, everything: Path, width: int
) -> None:
    browser.open(everything, width=width)
    cut = browser.js(
        """return [...document.querySelectorAll('.overview .scroll, .card .scroll')]
            .filter(box => !box.querySelector('.costs') && box.scrollWidth > box.clientWidth)
            .map(box => box.textContent.trim().slice(0, 80))"""
    )
    assert cut == []
    broken = browser.js(
        """const broken = [];
        for (const bdi of document.querySelectorAll('.overview tbody bdi, .card tbody bdi')) {
          const node = bdi.firstChild;
          if (!node || bdi.closest('.changed')) continue;
          for (const piece of node.data.matchAll(/[\\w.:]+-?/g)) {
            const range = document.createRange();
            range.setStart(node, piece.index);
            range.setEnd(node, piece.index + piece[0].length);
            if (range.getClientRects().length > 1) broken.push(piece[0]);
          }
        }
        return broken"""
    )
    assert broken == []


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, ...]:
    """Three lines that were measured together; one of them is settled before the others."""
    place = Workplace(tmp_path_factory.mktemp("family") / "x")
    place.put_probes(3)
    (place.workspace / "CLAUDE.md").write_text(f"{RULES}- Rule <b>one</b>.\n")
    lines = [word for number in (3, 4, 6) for word in ("--drop", f"CLAUDE.md:{number}")]
    place.json(*place.arguments(*lines, "--max-rounds", "4", "--seed", "2"))
    return tuple(load(folder) for folder in place.folders())


def test_the_page_of_several_lines_shows_each_with_its_words_and_counts_a_launch_once(
    browser: Browser, family: tuple[RunRecord, ...], tmp_path: Path
) -> None:
    browser.open(page(tmp_path, *family))
    rows = browser.js(
        """return [...document.querySelectorAll('.overview tbody tr')].map(row => [
            row.querySelector('a').textContent, row.querySelector('.changed').textContent,
            row.querySelector('[data-label=launches]').textContent, row.querySelectorAll('.small svg').length])"""
    )
    assert rows[0][0].split() == ["drop", "CLAUDE.md:4"], "what changes conduct comes first"
    by_place = {tuple(row[0].split())[1]: row for row in rows}
    for record in family:
        assert record.plan is not None
        _, words, launches, drawn = by_place[record.plan.contrast.place]
        assert words == record.plan.contrast.before.strip()
        made, shared = record.spending.launches, record.spending.shared
        assert launches == (f"{made} + {shared} shared" if shared else str(made))
        assert drawn == 1
    assert any(record.spending.shared for record in family)
    total = browser.js("return document.querySelector('.overview tfoot [data-label=launches]').textContent")
    ids = {(trial.block, trial.member, trial.attempt) for record in family for trial in record.trials}
    assert int(total) == len(ids)
    sentences = browser.js("return document.querySelector('.overview .family').innerText")
    assert all(sentence in sentences for sentence in family_sentences(family))


def test_an_answer_that_several_lines_read_says_so(
    browser: Browser, family: tuple[RunRecord, ...], tmp_path: Path
) -> None:
    browser.open(page(tmp_path, *family))
    told = browser.js("return [...document.querySelectorAll('.launch .came')].map(came => came.textContent)")
    trials = [trial for record in family for trial in record.trials]
    assert len(told) == len(trials)
    for number in {trial.serves for trial in trials} - {1}:
        assert sum(f"shared by {number} lines" in one for one in told) == sum(t.serves == number for t in trials)
    assert sum("counted with run" in one for one in told) == sum(t.counted_in is not None for t in trials) > 0
    assert sum("shared by" in one for one in told) == sum(t.serves > 1 for t in trials)


def test_of_every_shift_one_pair_of_bounds_is_shown_and_it_is_the_one_drawn(records: dict[str, RunRecord]) -> None:
    for record in (*records.values(), *examples()):
        if record.result.status != "measured":
            continue
        decision = record.result.decision
        shown = RunShown(record, "r0")
        for probe in decision.probes:
            words = shown.left_open(probe)
            assert ("interval" in words) != ("not excluded" in words)
        for axis in decision.axes:
            bar = bar_of(axis.verdict, axis.effect, axis.excluded)
            if axis.verdict.status == "zero-difference":
                assert bar is not None
                margin = axis.verdict.excludes
                assert -margin <= bar.low <= bar.high <= margin, "a bar past the margin would deny the verdict"
            elif bar is not None:
                assert axis.effect is not None
                assert bar == axis.effect.interval


def test_where_both_curves_of_the_evidence_are_the_same_both_can_be_seen(records: dict[str, RunRecord]) -> None:
    """As before the first evidence for either: the one above has gaps through which the one below shows."""
    for record in records.values():
        curves = [tag for tag in re.findall(r"<path[^>]*>", evidence(record, "e")) if "difference)" in tag]
        for below, above in in_twos(curves):
            assert "var(--difference)" in below
            assert "stroke-dasharray" not in below
            assert "var(--zero-difference)" in above
            assert "stroke-dasharray" in above


def test_a_run_without_a_verdict_shows_how_the_launches_of_each_arm_ended(
    browser: Browser, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    record = next(one for one in records.values() if one.result.status == "unmeasured" and one.trials)
    browser.open(page(tmp_path, record))
    rows = browser.js(
        "return [...document.querySelectorAll('#r0-ended tbody tr')].map(row => [...row.cells].map(c => c.innerText))"
    )
    assert tuple(map(tuple, rows)) == facts.ended(record) != ()


def in_twos(of: list[str]) -> list[tuple[str, str]]:
    """In twos: a panel has two curves."""
    assert len(of) % 2 == 0
    return list(zip(of[::2], of[1::2], strict=True))


def test_paper_holds_what_the_screen_folds_away(
    browser: Browser, records: dict[str, RunRecord], tmp_path: Path
) -> None:
    browser.open(page(tmp_path, records["restatement"]))
    browser.js("dispatchEvent(new Event('beforeprint'))")
    assert browser.js("return [...document.querySelectorAll('details')].every(details => details.open)")
    browser.js("dispatchEvent(new Event('afterprint'))")
    assert browser.js("return [...document.querySelectorAll('details')].every(details => !details.open)")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.js("return getComputedStyle(document.querySelector('form.filter')).display") == "none"
    assert browser.js("return getComputedStyle(document.querySelector('.words')).overflowY") == "visible"
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.skipif(SCREENSHOTS not in os.environ, reason=f"for people: {SCREENSHOTS} names no folder")
def test_screenshots_for_people(browser: Browser, records: dict[str, RunRecord], tmp_path: Path) -> None:
    folder = Path(os.environ[SCREENSHOTS])
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"all": tuple(records.values()), "examples": tuple(examples())} | {
        name: (record,) for name, record in records.items()
    }
    for name, shown in pages.items():
        for theme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
            browser.open(page(tmp_path, *shown), theme=theme, width=width)
            browser.screenshot(folder / f"{name}-{theme}-{width}.png")
