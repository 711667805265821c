// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory over time: a stack of categories. A column of pixels shows the fullest event that falls into it, so that no
// peak is lost however many events there are; drawing takes time in proportion to the width, not to the events.

const CHART_BOTTOM = 28; // below the plot: the axis of events
const CHART_LEFT = 62;
const CHART_RIGHT = 8;
const SMALLEST_RANGE = 20;
const FAILED_WIDTH = 16;

/** Round numbers up to `highest`, some four of them, in powers of two of the unit. */
function ticksUpTo(highest) {
  let step = 1024;
  while (highest / step > 5) step *= 2;
  const ticks = [];
  for (let value = 0; value <= highest; value += step) ticks.push(value);
  return ticks;
}

/** A canvas as fine as the screen, cleared, with its size in CSS pixels. */
function preparedCanvas(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const fine = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * fine) || canvas.height !== Math.round(height * fine)) {
    canvas.width = Math.round(width * fine);
    canvas.height = Math.round(height * fine);
  }
  const context = canvas.getContext("2d");
  context.setTransform(fine, 0, 0, fine, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

class Chart {
  constructor(state, colours, { capacity, failed }) {
    this.state = state;
    this.colours = colours;
    this.capacity = capacity; // what PyTorch can have of the GPU; null: unknown
    this.failed = state.run.failure ? failed : null; // bytes of the request that failed
    this.canvas = byId("canvas");
    this.highest = this.#highest();
    this.hovered = null;
    this.#measure();
    this.drawSoon = oncePerFrame(() => this.draw());
    this.drawMarksSoon = oncePerFrame(() => placeMarks(this));
  }

  #highest() {
    const { run, timeline } = this.state;
    let highest = timeline.total[run.peak] ?? 0;
    for (const reserved of run.reserved) highest = Math.max(highest, reserved);
    if (this.failed !== null) highest = Math.max(highest, run.peakReserved + this.failed);
    const near = this.capacity !== null && this.capacity < highest * 1.6;
    return (near ? Math.max(highest, this.capacity) : highest) * 1.06 || 1;
  }

  /** To ask the browser for a size is dear, so it is done once per drawing. */
  #measure() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.plot = { left: CHART_LEFT, right: width - CHART_RIGHT, top: 4, bottom: height - CHART_BOTTOM };
  }

  yOf(bytes) {
    return this.plot.bottom - (bytes / this.highest) * (this.plot.bottom - this.plot.top);
  }

  xOf(event) {
    const { left, right } = this.plot;
    const [first, last] = this.state.range;
    return left + ((event - first) / (last - first)) * (right - left);
  }

  eventAt(x) {
    const { left, right } = this.plot;
    const [first, last] = this.state.range;
    const event = Math.floor(first + ((x - left) / (right - left)) * (last - first));
    return Math.min(Math.max(event, 0), this.state.run.events - 1);
  }

  /** The fullest event under a pixel: what the column shows. */
  shownAt(x) {
    const first = this.eventAt(Math.floor(x));
    const last = Math.max(first, this.eventAt(Math.floor(x) + 1) - 1);
    return this.state.timeline.fullest(first, last);
  }

  draw() {
    const { context, width, height } = preparedCanvas(this.canvas);
    this.#measure();
    this.#drawGrid(context, width);
    this.#drawStack(context);
    this.#drawReserved(context);
    this.#drawFailed(context);
    this.#drawCapacity(context, width);
    this.#drawEvents(context, height);
    placeMarks(this);
    placeLabels(this);
    drawRibbon(this);
    drawOverview(this);
  }

  #drawGrid(context, width) {
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of ticksUpTo(this.highest)) {
      const y = Math.round(this.yOf(tick)) + 0.5;
      context.strokeStyle = this.colours.get("line");
      context.beginPath();
      context.moveTo(CHART_LEFT, y);
      context.lineTo(width - CHART_RIGHT, y);
      context.stroke();
      context.fillStyle = this.colours.get("soft");
      context.fillText(bytesText(tick).replace(".00", "").replace(".0 ", " "), CHART_LEFT - 6, y);
    }
  }

  /** The stack of each column, as sums from below: sums[c * columns + x]. */
  #columns() {
    const { timeline } = this.state;
    const { left, right } = this.plot;
    const columns = Math.max(1, Math.floor(right - left));
    const sums = new Float64Array(columns * timeline.categories);
    const stack = new Float64Array(timeline.categories);
    for (let x = 0; x < columns; ++x) {
      timeline.stackAt(this.shownAt(left + x), stack);
      let sum = 0;
      for (let c = 0; c < timeline.categories; ++c) {
        sum += stack[c];
        sums[c * columns + x] = sum;
      }
    }
    return { columns, sums };
  }

  #drawStack(context) {
    const { run } = this.state;
    if (run.events === 0) return;
    const { columns, sums } = this.#columns();
    for (let c = run.categories.length - 1; c >= 0; --c) {
      const alone = this.state.category;
      context.globalAlpha = alone === null || alone === c ? 1 : 0.22;
      context.fillStyle = this.colours.category(run.categories[c]);
      this.#fillBetween(
        context,
        columns,
        c === 0 ? null : sums.subarray((c - 1) * columns, c * columns),
        sums.subarray(c * columns, (c + 1) * columns),
      );
    }
    context.globalAlpha = 1;
  }

  /** The area between two lines of columns, where there is any. */
  #fillBetween(context, columns, below, above) {
    const bottom = (x) => this.yOf(below === null ? 0 : below[x]);
    context.beginPath();
    for (let x = 0; x < columns; ++x) {
      if (below !== null && above[x] <= below[x]) continue;
      const first = x;
      context.moveTo(CHART_LEFT + x, bottom(x));
      for (; x < columns && (below === null || above[x] > below[x]); ++x) {
        context.lineTo(CHART_LEFT + x, this.yOf(above[x]));
        context.lineTo(CHART_LEFT + x + 1, this.yOf(above[x]));
      }
      for (let back = x - 1; back >= first; --back) {
        context.lineTo(CHART_LEFT + back + 1, bottom(back));
        context.lineTo(CHART_LEFT + back, bottom(back));
      }
      context.closePath();
    }
    context.fill();
  }

  #drawReserved(context) {
    const { timeline, run } = this.state;
    if (run.reserved.length === 0) return;
    const { left, right } = this.plot;
    context.strokeStyle = this.colours.get("ink");
    context.lineWidth = 1.25;
    context.beginPath();
    for (let x = left; x < right; ++x) {
      const y = this.yOf(timeline.reservedAt(this.eventAt(x)) ?? 0);
      if (x === left) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
    context.lineWidth = 1;
  }

  /** Where the request that failed would have gone: on top of what was reserved, at the left of the failure. */
  failedBox() {
    const { run } = this.state;
    const right = this.failed === null ? -1 : this.xOf(run.peak + 0.5);
    if (right < this.plot.left || right > this.plot.right + 1) return null;
    const left = Math.max(this.plot.left, right - FAILED_WIDTH);
    return { left, right, top: this.yOf(run.peakReserved + this.failed), bottom: this.yOf(run.peakReserved) };
  }

  #drawFailed(context) {
    const box = this.failedBox();
    if (!box) return;
    const { left, right, top, bottom } = box;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.fillStyle = this.colours.get("card");
    context.fill();
    context.clip();
    context.strokeStyle = this.colours.get("bad");
    context.lineWidth = 3;
    for (let y = top - FAILED_WIDTH; y < bottom + FAILED_WIDTH; y += 7) {
      context.beginPath();
      context.moveTo(left, y + FAILED_WIDTH);
      context.lineTo(right, y);
      context.stroke();
    }
    context.restore();
    context.strokeStyle = this.colours.get("bad");
    context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  }

  /** Whether the end of the GPU's memory is in the picture. */
  get showsCapacity() {
    return this.capacity !== null && this.capacity <= this.highest;
  }

  #drawCapacity(context, width) {
    if (!this.showsCapacity) return;
    const y = Math.round(this.yOf(this.capacity)) + 0.5;
    context.strokeStyle = this.colours.get("bad");
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(CHART_LEFT, y);
    context.lineTo(width - CHART_RIGHT, y);
    context.stroke();
    context.setLineDash([]);
  }

  #drawEvents(context, height) {
    const [first, last] = this.state.range;
    const { left, right } = this.plot;
    context.fillStyle = this.colours.get("soft");
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.fillText(countText(first), left, height - 10);
    context.textAlign = "right";
    context.fillText(countText(last), right, height - 10);
    context.textAlign = "center";
    const axis = right - left < 420 ? "events" : "allocations and frees, in order";
    context.fillText(axis, (left + right) / 2, height - 10);
    this.#drawSteps(context);
  }

  /** A line where a step begins, unless they are too many to be lines. */
  #drawSteps(context) {
    const { left, right } = this.plot;
    const inside = this.state.run.steps
      .map(({ at }) => Math.round(this.xOf(at)) + 0.5)
      .filter((x) => x > left && x < right);
    if (inside.length > (right - left) / 40) return;
    for (const x of inside) {
      context.strokeStyle = this.colours.get("line-strong");
      context.setLineDash([2, 3]);
      context.beginPath();
      context.moveTo(x, this.plot.top);
      context.lineTo(x, this.plot.bottom);
      context.stroke();
      context.setLineDash([]);
    }
  }
}
