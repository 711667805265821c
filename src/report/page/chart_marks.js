// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands over, above and below the chart: marks of moments, the ribbon of steps and phases, the overview.

const RIBBON_LETTER = 6.6; // pixels, of the ribbon's font

/** Puts a mark at an event, its text on the side where there is room; null hides it. */
function placeMark(chart, mark, event, text) {
  const { left, right } = chart.plot;
  const x = event === null ? -1 : chart.xOf(event + 0.5);
  mark.hidden = x < left || x > right;
  if (mark.hidden) return;
  mark.style.left = `${x}px`;
  mark.classList.toggle("left", x > (left + right) / 2);
  if (text) mark.querySelector("span").textContent = text;
}

function placeMarks(chart) {
  const { run, timeline, moment, atPeak } = chart.state;
  const { step, phase } = timeline.placeAt(run.peak);
  const peak = byId("peak");
  const size = bytesText(timeline.total[run.peak]);
  placeMark(chart, peak, run.peak, `${run.peakWord} ${size}`);
  peak.dataset.step = step;
  peak.dataset.event = run.peak;
  peak.setAttribute("aria-label", `${run.peakWord}: ${size} allocated in ${placeText(step, phase)}`);
  placeMark(chart, byId("chosen"), atPeak ? null : moment, "");
  placeMark(
    chart,
    byId("cursor"),
    chart.hovered,
    chart.hovered === null ? "" : bytesText(timeline.total[chart.hovered]),
  );
}

function drawRibbon(chart) {
  const { steps, spans } = chart.state.run;
  byId("ribbon").replaceChildren(...bands(chart, steps, "step"), ...bands(chart, spans, "phase"));
}

/** One element for each step or phase that is at least a pixel wide. */
function* bands(chart, marks, kind) {
  const { left, right } = chart.plot;
  for (let i = 0; i < marks.length; ++i) {
    const from = Math.max(left, chart.xOf(marks[i].at));
    const to = Math.min(right, chart.xOf(i + 1 < marks.length ? marks[i + 1].at : chart.state.run.events));
    if (to - from < 1) continue;
    const { step, phase } = marks[i];
    const text = kind === "step" ? (step === 0 ? "loading" : `step ${step}`) : phase;
    const isWide = to - from > text.length * RIBBON_LETTER + 6;
    const shown = isWide ? text : to - from > 14 && kind === "step" && step > 0 ? step : "";
    const style = `left: ${from}px; width: ${to - from}px`;
    yield element(
      "span",
      { class: kind === "step" ? "step" : `phase ${phase}`, "data-step": step, style, title: text },
      shown,
    );
  }
}

/** The whole run, and which part of it the chart shows. */
function drawOverview(chart) {
  const { context, width, height } = preparedCanvas(byId("overview"));
  const {
    colours,
    state: { run, timeline, range },
    plot: { left, right },
  } = chart;
  const columns = Math.max(1, Math.floor(right - left));
  const highest = timeline.total[run.peak] || 1;
  context.fillStyle = colours.get("line-strong");
  for (let x = 0; x < columns; ++x) {
    const first = Math.floor((x / columns) * run.events);
    const last = Math.max(first, Math.floor(((x + 1) / columns) * run.events) - 1);
    const tall = (timeline.total[timeline.fullest(first, last)] / highest) * (height - 2);
    context.fillRect(left + x, height - tall, 1, tall);
  }
  const edge = (event) => left + (event / run.events) * columns;
  context.fillStyle = colours.get("card");
  context.globalAlpha = 0.72;
  context.fillRect(0, 0, edge(range[0]), height);
  context.fillRect(edge(range[1]), 0, width, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.get("accent");
  context.strokeRect(edge(range[0]) + 0.5, 0.5, Math.max(2, edge(range[1]) - edge(range[0]) - 1), height - 1);
}
