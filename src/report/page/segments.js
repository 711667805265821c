// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch held of the device at the peak, in one piece each, and which parts of it were in use.

const SEGMENT_HEIGHT = 14;
const SEGMENT_GAP = 3;
const MOST_ROWS = 120; // of the map; the table has the rest

const freeOf = (segment) => segment.blocks.reduce((sum, block) => sum + (block.allocation < 0 ? block.size : 0), 0);

class Segments {
  constructor(state, colours) {
    this.state = state;
    this.colours = colours;
    this.canvas = byId("segment-map");
    this.rows = this.#rows();
    this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.canvas.addEventListener("pointerleave", () => this.#say(""));
    this.drawSoon = oncePerFrame(() => this.draw());
    this.#figures();
    fillWhenOpened(byId("segment-table"), () => this.#table());
  }

  /** The largest segments first, packed into rows as long as the largest. */
  #rows() {
    const sorted = [...this.state.run.segments].sort((a, b) => b.size - a.size || freeOf(b) - freeOf(a));
    this.longest = sorted[0]?.size ?? 1;
    const rows = [];
    for (const segment of sorted) {
      let row = rows.at(-1);
      if (!row || row.used + segment.size > this.longest) rows.push((row = { used: 0, segments: [] }));
      row.segments.push({ segment, at: row.used });
      row.used += segment.size;
    }
    return rows.slice(0, MOST_ROWS);
  }

  #figures() {
    const { run } = this.state;
    const reserved = run.segments.reduce((sum, { size }) => sum + size, 0);
    const free = run.segments.reduce((sum, segment) => sum + freeOf(segment), 0);
    const holes = run.segments.flatMap(({ blocks }) => blocks).filter(({ allocation }) => allocation < 0);
    const largest = holes.reduce((most, { size }) => Math.max(most, size), 0);
    const empty = run.segments.filter((segment) => freeOf(segment) === segment.size);
    const emptyBytes = empty.reduce((sum, { size }) => sum + size, 0);
    const rounding = this.state.timeline
      .livingAt(run.peak)
      .reduce((sum, i) => sum + run.bytes[i] - run.requested[i], 0);
    const figures = [
      ["reserved", bytesText(reserved)],
      ["allocated", bytesText(reserved - free)],
      ["cached, free", bytesText(free)],
      ["in empty segments", bytesText(emptyBytes)],
      ["largest free block", bytesText(largest)],
      ["segments", countText(run.segments.length)],
      ["lost to rounding", bytesText(rounding)],
    ];
    byId("segments-figures").replaceChildren(
      ...figures.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    );
    byId("segments-lead").textContent =
      `At the ${run.peakWord.toLowerCase()} PyTorch held ${bytesText(reserved)} of the device, ` +
      `of which ${bytesText(free)} (${shareText(free, reserved) || "0 %"}) was free, ` +
      `in ${pluralText(holes.length, "hole")}. ` +
      "Tensors need contiguous space; empty segments can be released.";
    this.canvas.setAttribute(
      "aria-label",
      `Map of ${pluralText(run.segments.length, "segment")}: ` +
        `${bytesText(reserved - free)} in use, ${bytesText(free)} free. A table follows.`,
    );
  }

  #table() {
    const rows = [...this.state.run.segments].sort((a, b) => freeOf(b) - freeOf(a) || b.size - a.size).slice(0, 200);
    const kind = ({ small, expandable }) =>
      [small ? "small" : "large", expandable ? "expandable" : ""].filter(Boolean).join(", ");
    const largestHole = ({ blocks }) =>
      blocks.reduce((most, { size, allocation }) => (allocation < 0 ? Math.max(most, size) : most), 0);
    const head = [["size", "number"], ["free", "number"], ["largest free block", "number"], ["blocks", "number"], ["pool"]];
    fillTable(
      byId("segment-table").querySelector("table"),
      head,
      rows.map((segment) => [
        bytesText(segment.size),
        bytesText(freeOf(segment)),
        bytesText(largestHole(segment)),
        countText(segment.blocks.length),
        kind(segment),
      ]),
    );
  }

  draw() {
    this.canvas.style.height = `${this.rows.length * (SEGMENT_HEIGHT + SEGMENT_GAP)}px`;
    const { context, width } = preparedCanvas(this.canvas);
    const { run } = this.state;
    const colours = run.categories.map((category) => this.colours.category(category));
    const free = this.colours.get("c-cached");
    const scale = width / this.longest;
    this.rows.forEach((row, r) => {
      const y = r * (SEGMENT_HEIGHT + SEGMENT_GAP);
      for (const { segment, at } of row.segments) {
        let x = at * scale;
        const right = (at + segment.size) * scale - 1;
        context.fillStyle = free;
        context.fillRect(x, y, right - x, SEGMENT_HEIGHT);
        for (const { size, allocation } of segment.blocks) {
          const wide = Math.min(size * scale, right - x);
          if (allocation >= 0) {
            context.fillStyle = colours[run.category[allocation]];
            context.fillRect(x, y, wide > 2.5 ? wide - 0.5 : wide, SEGMENT_HEIGHT);
          }
          x += size * scale;
        }
      }
    });
  }

  #hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = this.rows[Math.floor((event.clientY - box.top) / (SEGMENT_HEIGHT + SEGMENT_GAP))];
    const place = ((event.clientX - box.left) / box.width) * this.longest;
    const found = row?.segments.find(({ segment, at }) => place >= at && place < at + segment.size);
    if (!found) return this.#say("");
    let end = found.at;
    const block = found.segment.blocks.find(({ size }) => (end += size) > place);
    this.#say(`${bytesText(found.segment.size)} segment: ${block ? this.#blockText(block) : ""}`);
  }

  #blockText({ size, allocation: i }) {
    const { run } = this.state;
    if (i < 0) return `${bytesText(size)} free`;
    const parts = [
      run.categories[run.category[i]].label,
      run.names[run.type[i]],
      run.names[run.module[i]],
      lineText(run, run.line[i]),
    ];
    return `${bytesText(size)} ${parts.filter(Boolean).join(" · ")}`;
  }

  #say(text) {
    byId("block").textContent = text;
  }
}
