# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser, on imagined jobs: what it shows is compared with what its data says, read without it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from payload import payloads, verdict  # noqa: E402

Open = Callable[..., Any]
Sample = Callable[[str], Path]

CARD = "a100-40gb"
OTHER_CARD = "rtx-4060-8gb"
LARGEST_FILE = 3_000_000


@pytest.mark.parametrize("kind", ["fits", "fails", "many"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_renders_all_its_parts_without_an_error(opened: Open, sample: Sample, kind: str, scheme: str) -> None:
    page = opened(sample(kind), gpu=CARD, color_scheme=scheme)
    assert page.tab.locator("#trouble").is_hidden()
    for part in ("verdict", "memory", "owners", "tensors", "segments", "cards", "compute", "conditions"):
        assert page.tab.locator(f"section#{part}").is_visible(), part
    painted = page.tab.evaluate(
        """() => { const c = document.getElementById("canvas");
                   const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
                   const colours = new Set();
                   for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
                   return colours.size; }"""
    )
    assert painted > 4  # categories


def test_a_page_asks_nobody_for_anything(opened: Open, sample: Sample) -> None:
    file = sample("fits")
    page = opened(file)
    page.tab.click("#zoom-step")
    page.settle()
    assert [url for url in page.requests if not url.startswith("data:")] == [file.as_uri()]


def test_text_of_the_job_is_never_markup(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    assert page.tab.locator("#injected").count() == 0
    assert page.text("#command") == 'python train.py </script><b id="injected">&'


def test_a_page_is_small(sample: Sample) -> None:
    assert sample("fits").stat().st_size < LARGEST_FILE
    assert sample("many").stat().st_size < LARGEST_FILE


@pytest.mark.parametrize("kind", ["fits", "many"])
def test_the_peak_marker_stands_at_the_fullest_event_and_in_its_step(opened: Open, sample: Sample, kind: str) -> None:
    page = opened(sample(kind), gpu=CARD)
    data = payloads(page.file)[CARD]
    peak = data.fullest()
    marker = page.tab.locator("#peak")
    assert int(marker.get_attribute("data-event")) == peak
    assert int(marker.get_attribute("data-step")) == data.step(peak)
    at = page.box("#peak")["x"]
    step = page.box(f'#ribbon .step[data-step="{data.step(peak)}"]')
    assert step["x"] - 1 <= at <= step["x"] + step["width"] + 1
    page.tab.click("#zoom-step")
    page.settle()
    (shown,) = page.tab.locator("#ribbon .step").all()
    assert int(shown.get_attribute("data-step")) == data.step(peak)


def test_a_failed_run_shows_the_moment_of_the_failure(opened: Open, sample: Sample) -> None:
    page = opened(sample("fails"))
    data = payloads(page.file)[CARD]
    assert "does not fit" in page.text("#verdict-title")
    assert "failed to allocate 786 MiB in step 3, forward, for GPT2LMHeadModel.lm_head at gpt/train.py:55" in page.text("#verdict-lead")
    assert page.text("#verdict-margin") == "at least 476 MiB short"
    assert int(page.tab.locator("#peak").get_attribute("data-event")) == data.head["peak"] == data.head["events"] - 1
    assert page.text("#peak").startswith("Failure")


def test_a_run_without_a_history_still_has_its_verdict(opened: Open, sample: Sample) -> None:
    page = opened(sample("unexplained"), gpu=CARD)
    assert "fits" in page.text("#verdict-title")
    for part in ("memory", "owners", "tensors", "segments"):
        assert page.tab.locator(f"section#{part}").is_hidden(), part
    assert page.tab.locator("#cards").is_visible()
    page.choose_gpu(OTHER_CARD, "4060")
    assert "does not fit" in page.text("#verdict-title")


def test_a_history_without_a_verdict_is_shown_by_line(opened: Open, sample: Sample) -> None:
    page = opened(sample("snapshot"))
    assert page.text("#verdict-title") == "2.17 GiB allocated at the peak"
    assert page.tab.locator('[data-view="line"]').get_attribute("aria-checked") == "true"
    assert frame(page, "gpt/train.py:88 main").count() == 1
    assert page.tab.locator("#cards").is_hidden()
    assert "the recording starts in the middle of the run" in page.text("#conditions")


def test_categories_are_those_of_the_data(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    sums = page.tab.evaluate("() => [...document.querySelectorAll('.category[data-category]')].map((e) => [e.dataset.category, e.children[2].textContent])")
    peak = data.fullest()
    for key, shown in sums:
        index = next(i for i, each in enumerate(data.head["categories"]) if each["key"] == key)
        size = sum(data.bytes[i] for i in data.living(peak) if data.category[i] == index)
        assert shown == page_bytes(size), key


def page_bytes(size: int) -> str:
    """As the page and the terminal write sizes."""
    if size >= 1 << 30:
        return f"{size / (1 << 30):.2f} GiB"
    if size >= 1 << 20:
        return f"{size / (1 << 20):.{0 if size >= 100 << 20 else 1}f} MiB"
    return f"{size / 1024:.1f} KiB" if size >= 1024 else f"{size} B" if size else "–"


def frame(page: Any, name: str) -> Any:
    return page.tab.locator(f'#flame .frame[aria-label^="{name},"]').first


def test_choosing_a_frame_shows_its_tensors_alone(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    living = data.living(data.fullest())
    frame(page, "wte").click()
    page.settle()
    modules = {text.split("\n")[0] for text in page.rows("Module")}
    assert modules == {"GPT2LMHeadModel.transformer.wte"}
    inside = [i for i in living if data.module_of(i) == "GPT2LMHeadModel.transformer.wte"]
    assert len(page.rows("Module")) == len(inside)
    assert page.text("#counted").startswith(f"{len(inside)} of {len(living)} tensors")
    page.tab.locator("#flame .frame.leaf", has_text="optimizer state").first.click()
    page.settle()
    assert {text.split("\n")[0].strip() for text in page.rows("What")} == {"optimizer state"}
    page.tab.click("#filters button")
    page.settle()
    assert page.text("#counted").startswith(f"{len(living)} tensors")


def test_lists_of_modules_fold_and_unfold(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    assert frame(page, "*").count() == 1
    for layer in ("ln_1", "0"):  # numbers of layers within a block stay
        assert frame(page, layer).count() == 1
    page.tab.click("#fold")
    page.settle()
    assert frame(page, "*").count() == 0
    frame(page, "3").click()
    page.settle()
    assert all(text.startswith("GPT2LMHeadModel.transformer.h.3.") for text in page.rows("Module"))


def test_by_line_the_frames_are_those_of_the_program(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    page.tab.click('[data-view="line"]')
    page.settle()
    assert frame(page, "gpt/train.py:88 main").count() == 1
    assert page.tab.locator("#flame .frame", has_text="_call_impl").count() == 0  # every module goes through it
    frame(page, "gpt/train.py:58 train").click()
    page.settle()
    assert {text.split("\n")[0] for text in page.rows("Line")} == {"gpt/train.py:58"}


def test_a_search_finds_modules_lines_operators_and_shapes(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    living = data.living(data.fullest())
    for word, column in (("c_fc", data.module), ("zeros_like", data.operator), ("50176", data.type)):
        page.tab.fill("#search", word)
        page.settle()
        hits = [i for i in living if word in data.head["names"][column[i]]]
        assert hits and f"in {len(hits)} tensor" in page.text("#found")
        assert page.text("#counted").startswith(f"{len(hits)} of ")
        assert page.tab.locator("#flame .frame.found").count() > 0
    page.tab.fill("#search", "no such thing")
    page.settle()
    assert page.text("#found") == "Nothing found"
    page.tab.press("#search", "Escape")
    page.settle()
    assert page.text("#found") == ""


def test_a_category_can_be_shown_alone(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    page.tab.click('[data-category="gradients"]')
    page.settle()
    assert {text.split("\n")[0].strip() for text in page.rows("What")} == {"gradients"}
    assert page.tab.locator('[data-category="gradients"]').get_attribute("aria-pressed") == "true"


def test_dragging_zooms_and_a_click_chooses_a_moment(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    box = page.box("#canvas")
    middle = box["y"] + box["height"] / 2
    page.tab.mouse.move(box["x"] + 200, middle)
    page.tab.mouse.down()
    page.tab.mouse.move(box["x"] + 320, middle, steps=4)
    page.tab.mouse.up()
    page.settle()
    assert page.tab.locator("#ribbon .step").count() < len({span["step"] for span in data.head["spans"]})
    page.tab.click("#zoom-all")
    page.settle()
    page.tab.mouse.click(box["x"] + 75, middle)
    page.settle()
    assert "at the chosen moment" in page.text("#tensors-title")
    assert page.tab.locator("#chosen").is_visible()
    page.tab.click("#to-peak")
    page.settle()
    assert "at the peak" in page.text("#tensors-title")


def test_the_chart_is_worked_by_keys(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    page.tab.focus("#canvas")
    for key in ("+", "+", "ArrowLeft", "ArrowLeft"):
        page.tab.keyboard.press(key)
    page.settle()
    assert page.tab.locator("#ribbon .step").count() == 1
    page.tab.keyboard.press("Enter")
    page.settle()
    assert "at the chosen moment" in page.text("#owners-title")
    page.tab.keyboard.press("0")
    page.tab.keyboard.press("p")
    page.settle()
    assert "at the peak" in page.text("#owners-title")
    assert page.tab.locator("#ribbon .step").count() == 4


def test_the_flame_graph_is_worked_by_keys(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    page.tab.focus('#flame [tabindex="0"]')
    focused = "() => document.activeElement.getAttribute('aria-label').split(',')[0]"
    assert page.tab.evaluate(focused) == "everything"
    for key, expected in (("ArrowDown", "GPT2LMHeadModel"), ("ArrowDown", "transformer"), ("ArrowDown", "h"), ("ArrowRight", "wte")):
        page.tab.keyboard.press(key)
        assert page.tab.evaluate(focused) == expected
    page.tab.keyboard.press("Enter")
    page.settle()
    assert page.tab.evaluate(focused) == "wte"
    assert {text.split("\n")[0] for text in page.rows("Module")} == {"GPT2LMHeadModel.transformer.wte"}
    page.tab.keyboard.press("Escape")
    page.settle()
    assert page.tab.evaluate(focused) == "transformer"
    page.tab.keyboard.press("/")
    assert page.tab.evaluate("() => document.activeElement.id") == "search"


def test_everything_that_takes_the_focus_has_a_name(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    session = page.tab.context.new_cdp_session(page.tab)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    focusable = [n for n in nodes if not n.get("ignored") and any(p["name"] == "focusable" for p in n.get("properties", ()))]
    nameless = [n["role"]["value"] for n in focusable if n["role"]["value"] != "RootWebArea" and not n.get("name", {}).get("value")]
    assert len(focusable) > 30
    assert nameless == []
    label = page.tab.locator("#canvas").get_attribute("aria-label")
    assert "Peak of 2.17 GiB in step 2, backward" in label


def test_the_chart_and_the_segments_are_tables_too(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    page.tab.click("#chart-table summary")
    page.tab.click("#segment-table summary")
    rows = page.tab.locator("#chart-table tbody tr")
    assert rows.count() == len(data.head["spans"])
    assert any("2.17 GiB" in text for text in rows.all_inner_texts())
    assert page.tab.locator("#segment-table tbody tr").count() == data.head["segmentCount"]


def test_another_card_is_another_chart(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    page.choose_gpu(OTHER_CARD, "4060")
    data = payloads(page.file)[OTHER_CARD]
    assert "does not fit" in page.text("#verdict-title")
    assert int(page.tab.locator("#peak").get_attribute("data-event")) == data.head["peak"]
    page.tab.keyboard.press("Escape")
    frame(page, "wte").click()
    page.settle()
    assert {text.split("\n")[0] for text in page.rows("Module")} == {"GPT2LMHeadModel.transformer.wte"}


def test_cards_stand_side_by_side(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    rows = page.tab.locator("#cards tbody tr:not(.reason)").all_inner_texts()
    assert len(rows) == 2
    failures_first = sorted(verdict(page.file)["results"], key=lambda result: result["verdict"] != "does-not-fit")
    for row, result in zip(rows, failures_first):
        assert result["card"] in row
        assert page_bytes(result["device_peak_bytes"]) in row


@pytest.mark.parametrize("kind", ["fits", "many"])
def test_on_a_phone_nothing_sticks_out_and_everything_works(opened: Open, sample: Sample, kind: str) -> None:
    page = opened(sample(kind), gpu=CARD, viewport={"width": 380, "height": 780}, has_touch=True, is_mobile=True)
    assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= 380
    small = page.tab.evaluate(
        """() => [...document.querySelectorAll("button, select, input")]
                   .filter((e) => e.offsetParent && !e.closest(".flame, .chart, thead") && e.getBoundingClientRect().height < 28)
                   .map((e) => e.id || e.textContent)"""
    )
    assert small == []
    frame(page, "wte").tap()
    page.settle()
    assert {text.split("\n")[0] for text in page.rows("Module")} == {"GPT2LMHeadModel.transformer.wte"}
    assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= 380


def luminance(colour: str) -> float:
    """Of "rgb(r, g, b)", as the WCAG defines it."""
    parts = [int(each) / 255 for each in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_both_schemes(opened: Open, sample: Sample, scheme: str) -> None:
    page = opened(sample("fails"), color_scheme=scheme)
    paper = page.tab.evaluate("() => getComputedStyle(document.querySelector('section')).backgroundColor")
    assert (luminance(paper) > 0.5) == (scheme == "light")
    for selector in ("h1", "#verdict-title .bad", "#verdict-lead", ".hint", "#moment", "#event", "#counted", "dt", "td", "#peak span"):
        ink = page.tab.evaluate("(s) => getComputedStyle(document.querySelector(s)).color", selector)
        assert contrast(ink, paper) >= 4.5, selector
    leaves = page.tab.evaluate(
        """() => [...document.querySelectorAll(".frame.leaf")].map((e) => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor])"""
    )
    assert all(contrast(ink, ground) >= 4.5 for ink, ground in leaves)


def test_the_scheme_can_be_chosen(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD, color_scheme="light")
    for expected in ("light", "dark", "light"):
        page.tab.click("#theme")
        page.settle()
        assert page.tab.evaluate("() => document.documentElement.dataset.theme") == expected


EIGHT = ["rtx-2060-6gb", "rtx-4060-8gb", "a100-40gb-mig-1g.5gb", "rtx-3080-10gb", "a100-40gb", "rtx-3060-12gb", "rtx-3090-24gb", "t4-16gb"]


def test_a_run_on_several_gpus_opens_with_all_of_them_failures_first(opened: Open, sample: Sample) -> None:
    page = opened(sample("eight"))
    assert page.box("#strip")["y"] < page.box("#verdict")["y"]
    buttons = page.tab.locator("#strip button")
    assert buttons.evaluate_all("(all) => all.map((each) => each.dataset.gpu)") == EIGHT
    signs = [text.split()[0] for text in buttons.all_inner_texts()]
    assert signs == ["✘", "✘", "?", "!", "✔", "✔", "✔", "✔"]
    assert "does not fit on rtx-2060-6gb" in page.text("#verdict-title")
    assert buttons.first.get_attribute("aria-pressed") == "true"
    page.choose_gpu("t4-16gb", "t4-16gb")
    assert page.text("#verdict-title") == "✔ fits on t4-16gb"
    assert [text.split()[1] for text in page.tab.locator('#strip [aria-pressed="true"]').all_inner_texts()] == ["t4-16gb"]


def test_the_strip_says_by_how_much(opened: Open, sample: Sample) -> None:
    page = opened(sample("eight"))
    by_gpu = {result["card"]: result for result in verdict(page.file)["results"]}
    needed = page_bytes(by_gpu["rtx-3080-10gb"]["device_peak_bytes"])  # of the smallest on which it ran

    def margin(gpu: str) -> str:
        return page.text(f'#strip [data-gpu="{gpu}"] .margin')

    assert margin("rtx-4060-8gb") == f"needs {needed}, has 2.05 GiB"
    assert margin("t4-16gb").startswith(f"{page_bytes(by_gpu['t4-16gb']['headroom_bytes'])} headroom")
    assert margin("rtx-3080-10gb").startswith("tight: ")
    assert margin("a100-40gb-mig-1g.5gb") == "cannot tell"
    widths = "(bar) => [...bar.querySelectorAll('span')].map((part) => parseFloat(part.style.width))"
    fits = page.tab.locator('#strip [data-gpu="t4-16gb"] .device-bar').evaluate(widths)
    assert abs(sum(fits) - 100 * by_gpu["t4-16gb"]["device_peak_bytes"] / by_gpu["t4-16gb"]["capacity_bytes"]) < 0.01
    fails = page.tab.locator('#strip [data-gpu="rtx-4060-8gb"] .device-bar')
    limit = fails.locator(".limit").evaluate("(mark) => parseFloat(mark.style.left)")
    assert abs(sum(fails.evaluate(widths)) - 100) < 0.01
    assert abs(limit - 100 * by_gpu["rtx-4060-8gb"]["capacity_bytes"] / by_gpu["rtx-3080-10gb"]["device_peak_bytes"]) < 0.01


def test_a_run_on_one_gpu_has_no_strip_and_no_comparison(opened: Open, sample: Sample) -> None:
    page = opened(sample("fails-first"))
    assert page.tab.locator("#strip").is_hidden()
    assert page.tab.locator("#cards").is_hidden()


def test_the_address_can_name_a_gpu(opened: Open, sample: Sample) -> None:
    assert "A100" in opened(sample("fits"), gpu=CARD).text("#verdict-title")
    assert "4060" in opened(sample("fits"), gpu="unknown").text("#verdict-title")


@pytest.mark.parametrize("kind", ["fits", "fails", "eight", "fails-loading"])
def test_the_first_screen_answers(opened: Open, sample: Sample, kind: str) -> None:
    """Whether it fits, by how much, what takes the room, what could be done."""
    page = opened(sample(kind))
    explained = kind != "eight"
    for part in ("#verdict-title", "#verdict-margin", "#device-bar", "#advice-first", *(["#owners-first"] if explained else [])):
        box = page.box(part)
        assert box and 0 < box["y"] and box["y"] + box["height"] <= 900, part
    assert len(page.tab.locator("#advice li").all()) >= 1


def test_the_largest_owners_are_those_of_the_data(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    sums: "dict[str, int]" = {}
    for i in data.living(data.fullest()):
        name = re.sub(r"\.h\.\d+\.", ".h.*.", data.module_of(i)) or "(no module)"
        sums[name] = sums.get(name, 0) + data.bytes[i]
    largest = sorted(sums.items(), key=lambda each: -each[1])[:4]
    rows = page.tab.locator("#owners-largest li").all_inner_texts()
    assert [row.split()[0] for row in rows] == [name for name, _ in largest]
    assert all(page_bytes(size) in row for row, (_, size) in zip(rows, largest))


def test_what_failed_crosses_the_end_of_the_memory(opened: Open, sample: Sample) -> None:
    page = opened(sample("fails-loading"))
    (result,) = verdict(page.file)["results"]
    limit = page.box("#device-bar .limit")
    failed = page.box("#device-bar .failed")
    assert failed["x"] < limit["x"] < failed["x"] + failed["width"]
    bar = page.box("#device-bar")
    scale = bar["width"] / (result["capacity_bytes"] - result["oom"]["device_free_bytes"] + result["oom"]["requested_bytes"])
    assert abs(failed["width"] - scale * result["oom"]["requested_bytes"]) < 3
    assert "failed request 786 MiB" in page.text("#device-key")


@pytest.mark.parametrize("kind", ["fails", "fails-first", "fails-loading"])
def test_the_chart_draws_the_failed_request_above_the_limit(opened: Open, sample: Sample, kind: str) -> None:
    page = opened(sample(kind))
    rows = page.tab.evaluate(
        """() => { const canvas = document.getElementById("canvas");
                   const style = getComputedStyle(document.documentElement).getPropertyValue("--bad").trim();
                   const bad = [1, 3, 5].map((at) => parseInt(style.slice(at, at + 2), 16));
                   const right = Math.round(document.getElementById("peak").getBoundingClientRect().left - canvas.getBoundingClientRect().left);
                   const data = canvas.getContext("2d").getImageData(right - 16, 0, 15, canvas.height).data;
                   const rows = [];
                   for (let y = 0; y < canvas.height; ++y) {
                     let found = 0;
                     for (let x = 0; x < 15; ++x) found += bad.every((value, k) => data[4 * (15 * y + x) + k] === value);
                     rows.push(found);
                   } return rows; }"""
    )
    marked = [y for y, found in enumerate(rows) if found > 0]
    label = page.tab.locator(".chart-labels .capacity").bounding_box()
    canvas = page.box("#canvas")
    limit = label["y"] + label["height"] - canvas["y"]  # the label stands on its line
    assert marked == list(range(marked[0], marked[-1] + 1))  # one block
    assert marked[0] < limit - 20 < limit < marked[-1]
    assert page.text(".chart-labels .failed") == "786 MiB failed"


def test_an_early_failure_is_zoomed_to(opened: Open, sample: Sample) -> None:
    steps = "(all) => all.map((each) => Number(each.dataset.step))"
    early = opened(sample("fails-first"))
    assert early.tab.locator("#ribbon .step").evaluate_all(steps) == [1]
    early.tab.click("#zoom-all")
    early.settle()
    assert early.tab.locator("#ribbon .step").evaluate_all(steps) == [0, 1]
    loading = opened(sample("fails-loading"))
    assert loading.tab.locator("#ribbon .step").evaluate_all(steps) == [0]
    assert loading.text("#moment") == "Failure, loading"
    later = opened(sample("fails"), gpu=CARD)
    assert later.tab.locator("#ribbon .step").evaluate_all(steps) == [0, 1, 2, 3]


@pytest.mark.parametrize("width", [390, 800, 1280])
@pytest.mark.parametrize("kind", ["fits", "fails", "fails-first", "fails-loading", "many"])
def test_labels_of_the_chart_do_not_collide(opened: Open, sample: Sample, kind: str, width: int) -> None:
    page = opened(sample(kind), viewport={"width": width, "height": 844})
    labels = page.tab.evaluate(
        """() => [...document.querySelectorAll(".chart-labels span, #peak span")]
                   .map((each) => [each.textContent, each.getBoundingClientRect()])
                   .map(([text, box]) => [text, box.left, box.top, box.right, box.bottom])"""
    )
    assert len(labels) >= 2
    chart = page.box("#chart")
    for text, left, _, right, _ in labels:
        assert chart["x"] <= left and right <= chart["x"] + chart["width"] + 1, text
    for at, (one, left, top, right, bottom) in enumerate(labels):
        for other, left2, top2, right2, bottom2 in labels[at + 1 :]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top, (one, other)
    cut = page.tab.locator("#ribbon span").evaluate_all("(all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)")
    assert cut == []


def test_tensors_that_are_alike_are_one_row(opened: Open, sample: Sample) -> None:
    page = opened(sample("fits"), gpu=CARD)
    data = payloads(page.file)[CARD]
    living = data.living(data.fullest())
    while page.tab.locator("#more").is_visible():
        page.tab.click("#more")
    grouped = page.tab.locator("#tensor-rows tr").count()
    assert grouped < len(living) / 4
    c_fc = [i for i in living if re.search(r"\.h\.\d+\.mlp\.c_fc$", data.module_of(i)) and data.head["names"][data.tensor[i]] == "weight"]
    row = page.tab.locator("#tensor-rows tr", has_text="h.*.mlp.c_fc").filter(has_text="parameters")
    assert row.count() == 1
    assert row.locator("td").first.inner_text().split("\n")[0] == page_bytes(sum(data.bytes[i] for i in c_fc))
    button = row.locator(".alike")
    assert button.inner_text() == f"{len(c_fc)} × {page_bytes(data.bytes[c_fc[0]])}"
    allocations = "(rows) => rows.map((row) => Number(row.dataset.allocation))"
    button.click()
    members = page.tab.locator("#tensor-rows .member")
    assert sorted(members.evaluate_all(allocations)) == sorted(c_fc)
    button.click()
    assert members.count() == 0
    for each in page.tab.locator(".alike").all():
        each.click()
    unfolded = page.tab.locator("#tensor-rows tr:not(:has(.alike))")
    assert sorted(unfolded.evaluate_all(allocations)) == sorted(living)  # each is in one row
    page.tab.click("#group")
    page.settle()
    assert page.tab.locator(".alike").count() == 0
    assert page.text("#counted").startswith(f"{len(living)} tensors")


@pytest.mark.parametrize("width", [640, 800, 1000, 1280])
def test_the_table_of_tensors_breaks_no_short_word(opened: Open, sample: Sample, width: int) -> None:
    page = opened(sample("fits"), gpu=CARD, viewport={"width": width, "height": 3000})
    lines = page.tab.evaluate(
        """() => [...document.querySelectorAll('#tensor-rows td:is([data-label="Line"], [data-label="Type"], [data-label="Size"])')]
                   .map((cell) => { const range = document.createRange(); range.selectNodeContents(cell.firstChild);
                                    return [cell.firstChild.textContent, new Set([...range.getClientRects()].map((box) => box.top)).size]; })"""
    )
    assert len(lines) >= 60
    assert {text for text, count in lines if count > 1} == set()
