// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of the lines in the chart. Each takes the first of its places where it covers no other, or isn't shown.

const LABEL_HEIGHT = 16;
const CHART_TOP = 38; // the ribbon's height

function placeLabels(chart) {
  const holder = byId("chart-labels");
  holder.replaceChildren();
  const taken = [...document.querySelectorAll("#peak:not([hidden]) span")].map((mark) => boxIn(holder, mark));
  const failed = chart.failedBox();
  if (failed) taken.push(failed);
  for (const { texts, kind, places, line } of labelsOf(chart)) {
    texts.some((text) => placeLabel(holder, chart, { text, kind, places }, taken));
    if (line) taken.push(line);
  }
}

/** False, and no label, where there is no room for it. */
function placeLabel(holder, chart, { text, kind, places }, taken) {
  const label = element("span", { class: kind }, text);
  holder.append(label);
  const box = firstFree(places(label.offsetWidth), label.offsetWidth, chart.plot, taken);
  if (!box) {
    label.remove();
    return false;
  }
  label.style.left = `${box.left}px`;
  label.style.top = `${CHART_TOP + box.top}px`;
  taken.push(box);
  return true;
}

/**
 * What is named, most important first: `texts` from long to short; `places` gives left and top for a width; other
 * labels keep off the `line`.
 */
function* labelsOf(chart) {
  const { run, timeline } = chart.state;
  const { left, right } = chart.plot;
  const failed = chart.failedBox();
  if (failed) {
    const texts = [`${bytesText(chart.failed)} failed`, "failed"];
    const beside = (width) => [
      { left: failed.left - width - 3, top: failed.top },
      { left: failed.right + 3, top: failed.top },
    ];
    yield { texts, kind: "failed", places: beside };
  }
  if (chart.showsCapacity) {
    const texts = ["memory available to PyTorch", "available"];
    const y = chart.yOf(chart.capacity);
    const line = { left, right, top: y - 1, bottom: y + 1 };
    yield { texts, kind: "capacity", places: (width) => alongLine(chart, () => y, width), line };
  }
  if (run.reserved.length > 0) {
    const y = (x) => chart.yOf(timeline.reservedAt(chart.eventAt(Math.min(Math.max(x, left), right - 1))) ?? 0);
    const texts = ["reserved by PyTorch", "reserved"];
    yield { texts, kind: "reserved", places: (width) => alongLine(chart, y, width) };
  }
}

/** Above the line, then below it, at its ends and between. */
function alongLine(chart, y, width) {
  const { left, right } = chart.plot;
  const room = right - left - width - 10;
  const places = [];
  for (const below of [0, 1]) {
    for (const share of [1, 0, 0.5, 0.75, 0.25]) {
      const x = left + 5 + share * room;
      const ends = [y(x), y(x + width)];
      places.push({ left: x, top: below ? Math.max(...ends) + 2 : Math.min(...ends) - LABEL_HEIGHT - 1 });
    }
  }
  return places;
}

function firstFree(places, width, plot, taken) {
  const boxes = places.map(({ left, top }) => ({ left, top, right: left + width, bottom: top + LABEL_HEIGHT }));
  const isInside = (box) =>
    box.left >= plot.left && box.right <= plot.right + 1 && box.top >= -2 && box.bottom <= plot.bottom;
  const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return boxes.find((box) => isInside(box) && !taken.some((other) => overlaps(box, other)));
}

/** The place of a mark in the coordinates of the plot. */
function boxIn(holder, mark) {
  const { left, top } = holder.parentElement.getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  return {
    left: box.left - left,
    right: box.right - left,
    top: box.top - top - CHART_TOP,
    bottom: box.bottom - top - CHART_TOP,
  };
}
