// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Beside the chart: the categories with their bytes at the moment that is pointed at, else at the chosen one.

class Legend {
  constructor(state, colours) {
    this.state = state;
    this.colours = colours;
    this.rows = state.run.categories.map((category, index) => this.#row(category, index));
    this.rows.forEach((row, index) => (row.item.hidden = !state.timeline.everUsed[index]));
    this.sum = this.#plainRow("allocated", null);
    this.cached = this.#plainRow("cached, free", "c-cached");
    this.sum.item.classList.add("sum");
    // From the top of the stack downwards, as the chart has them.
    byId("categories").replaceChildren(...this.rows.map((row) => row.item).reverse(), this.sum.item, this.cached.item);
    this.show(null);
  }

  #row(category, index) {
    const value = element("span");
    const share = element("span", { class: "share" });
    const choose = () => this.state.change({ category: this.state.category === index ? null : index, frame: null });
    const dot = swatch(`var(--c-${category.key}, var(--c-unknown))`);
    const button = element(
      "button",
      { type: "button", class: "category", "aria-pressed": "false", onclick: choose },
      dot,
      element("span", {}, category.label),
      value,
      share,
    );
    button.dataset.category = category.key;
    return { item: element("li", {}, button), button, value, share };
  }

  #plainRow(label, colour) {
    const value = element("span");
    const dot = colour ? swatch(`var(--${colour})`) : element("span");
    const line = element("div", { class: "category" }, dot, element("span", {}, label), value, element("span"));
    return { item: element("li", { class: "plain" }, line), value };
  }

  /** At event `pointed`, or at the chosen moment where that is null. */
  show(pointed) {
    const { run, timeline, moment, atPeak } = this.state;
    const event = pointed ?? moment;
    const stack = timeline.stackAt(event);
    const total = timeline.total[event] ?? 0;
    const { step, phase } = timeline.placeAt(event);
    const what = pointed === null ? (atPeak ? `${run.peakWord}, ` : "Chosen, ") : "";
    byId("moment").textContent = `${what}${placeText(step, phase)}`;
    byId("event").textContent = this.#eventText(event);
    this.rows.forEach((row, c) => {
      row.value.textContent = stack[c] > 0 ? bytesText(stack[c]) : "–";
      row.share.textContent = shareText(stack[c], total);
      row.button.classList.toggle("empty", stack[c] === 0);
      row.button.setAttribute("aria-pressed", String(this.state.category === c));
    });
    this.sum.value.textContent = bytesText(total);
    const reserved = timeline.reservedAt(event);
    this.cached.item.hidden = reserved === null;
    if (reserved !== null) this.cached.value.textContent = bytesText(Math.max(0, reserved - total));
  }

  #eventText(event) {
    const { run, timeline } = this.state;
    const change = run.events > 0 ? timeline.changeAt(event) : 0;
    const number = `Event ${countText(event)}`;
    if (change === 0) return number;
    const i = Math.abs(change) - 1;
    const by = [run.names[run.operator[i]], lineText(run, run.line[i])].filter(Boolean).join(" at ");
    const verb = change > 0 ? "allocates" : "frees";
    return `${number} ${verb} ${bytesText(run.bytes[i])}${by ? ` · ${by}` : ""}`;
  }
}

/** "model.py:42"; empty where it is not known. */
function lineText(run, id) {
  const line = run.lines[id];
  return line ? `${shortPath(line.file)}:${line.line}` : "";
}

/** The chart in words: a row per phase. */
function fillChartTable(state) {
  const { run, timeline } = state;
  const used = run.categories.map((_, c) => c).filter((c) => timeline.everUsed[c]);
  const rows = run.spans.map((mark, i) => {
    const last = (i + 1 < run.spans.length ? run.spans[i + 1].at : run.events) - 1;
    if (last < mark.at) return null;
    const event = timeline.fullest(mark.at, last);
    const stack = timeline.stackAt(event);
    return [
      placeText(mark.step, mark.phase),
      countText(event),
      bytesText(timeline.total[event]),
      ...used.map((c) => (stack[c] ? bytesText(stack[c]) : "–")),
    ];
  });
  const head = [
    ["phase"],
    ["event", "number"],
    ["allocated", "number"],
    ...used.map((c) => [run.categories[c].label, "number"]),
  ];
  fillTable(byId("chart-table").querySelector("table"), head, rows.filter(Boolean));
}

/** One sentence for those who cannot see the chart. */
function chartLabel(state) {
  const { run, timeline } = state;
  const { step, phase } = timeline.placeAt(run.peak);
  const stack = timeline.stackAt(run.peak);
  const parts = run.categories
    .map((category, c) => ({ label: category.label, bytes: stack[c] }))
    .filter((each) => each.bytes > 0);
  parts.sort((a, b) => b.bytes - a.bytes);
  const largest = parts
    .slice(0, 4)
    .map((each) => `${each.label} ${bytesText(each.bytes)}`)
    .join(", ");
  return (
    `Memory over time, stacked by category, ${countText(run.events)} events. ${run.peakWord} of ` +
    `${bytesText(timeline.total[run.peak])} in ${placeText(step, phase)}: ${largest}. A table follows the chart.`
  );
}
