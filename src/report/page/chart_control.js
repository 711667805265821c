// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Mouse, touch and keys of the chart.

const CLICK_DISTANCE = 4; // a pointer that moved less was a click

class ChartControl {
  constructor(chart, state, hover) {
    this.chart = chart;
    this.state = state;
    this.hover = hover; // called with an event that is pointed at, or null
    this.#pointer();
    this.#overview();
    this.#buttons();
    chart.canvas.addEventListener("keydown", (event) => this.#key(event));
    chart.canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** Shows [first, last] of the events, kept within what there is. */
  show(first, last) {
    const { events } = this.state.run;
    const length = Math.min(events, Math.max(Math.min(SMALLEST_RANGE, events), Math.round(last - first)));
    const start = Math.round(Math.min(Math.max(0, first), events - length));
    this.state.change({ range: [start, start + length] });
  }

  zoom(factor, around) {
    const [first, last] = this.state.range;
    this.show(around - (around - first) * factor, around + (last - around) * factor);
  }

  pan(share) {
    const [first, last] = this.state.range;
    this.show(first + (last - first) * share, last + (last - first) * share);
  }

  /** The step of the peak, with a little of its surroundings. */
  showPeakStep() {
    const { run } = this.state;
    const at = run.steps.findLastIndex((mark) => mark.at <= run.peak);
    const first = at < 0 ? 0 : run.steps[at].at;
    const last = at + 1 < run.steps.length ? run.steps[at + 1].at : run.events;
    this.show(first, last);
  }

  toPeak() {
    const { run, range } = this.state;
    this.state.change({ moment: run.peak });
    const length = range[1] - range[0];
    if (run.peak < range[0] || run.peak >= range[1]) this.show(run.peak - length / 2, run.peak + length / 2);
  }

  #point(event) {
    if (this.chart.hovered === event) return;
    this.chart.hovered = event;
    this.hover(event);
    this.chart.drawMarksSoon();
  }

  #pointer() {
    const { canvas } = this.chart;
    const brush = byId("brush");
    let from = null;
    const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
    const showBrush = (to) => {
      brush.hidden = from === null || Math.abs(to - from) < CLICK_DISTANCE;
      brush.style.left = `${Math.min(from, to)}px`;
      brush.style.width = `${Math.abs(to - from)}px`;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = x(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.#point(this.chart.shownAt(x(event)));
      if (from !== null) showBrush(x(event));
    });
    canvas.addEventListener("pointerup", (event) => {
      if (from === null) return;
      const to = x(event);
      const [left, right] = [Math.min(from, to), Math.max(from, to)];
      if (right - left < CLICK_DISTANCE) this.state.change({ moment: this.chart.shownAt(to) });
      else this.show(this.chart.eventAt(left), this.chart.eventAt(right));
      from = null;
      brush.hidden = true;
    });
    const leave = () => {
      from = null;
      brush.hidden = true;
      this.#point(null);
    };
    canvas.addEventListener("pointercancel", leave);
    canvas.addEventListener("pointerleave", leave);
    canvas.addEventListener("blur", () => this.#point(null));
  }

  #overview() {
    const overview = byId("overview");
    const go = (event) => {
      if (!(event.buttons & 1)) return;
      const { left, right } = this.chart.plot;
      const share = (event.clientX - overview.getBoundingClientRect().left - left) / (right - left);
      const length = this.state.range[1] - this.state.range[0];
      this.show(share * this.state.run.events - length / 2, share * this.state.run.events + length / 2);
    };
    overview.addEventListener("pointerdown", (event) => {
      overview.setPointerCapture(event.pointerId);
      go(event);
    });
    overview.addEventListener("pointermove", go);
  }

  #buttons() {
    const { run } = this.state;
    const middle = () => (this.state.range[0] + this.state.range[1]) / 2;
    const around = () => (this.#inRange(this.state.moment) ? this.state.moment : middle());
    byId("zoom-step").textContent = `${run.peakWord} step`;
    byId("to-peak").textContent = run.peakWord;
    byId("zoom-in").onclick = () => this.zoom(0.5, around());
    byId("zoom-out").onclick = () => this.zoom(2, around());
    byId("zoom-all").onclick = () => this.show(0, run.events);
    byId("zoom-step").onclick = () => this.showPeakStep();
    byId("to-peak").onclick = byId("peak").onclick = () => this.toPeak();
  }

  #inRange(event) {
    return event >= this.state.range[0] && event < this.state.range[1];
  }

  #wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const x = event.clientX - this.chart.canvas.getBoundingClientRect().left;
      this.zoom(Math.exp(event.deltaY / 300), this.chart.eventAt(x));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / 1500);
    }
  }

  /** The cursor goes from column to column, so that a key press is a visible move at any zoom. */
  #step(direction) {
    const { left, right } = this.chart.plot;
    const [first, last] = this.state.range;
    const stride = Math.max(1, Math.round(((last - first) / (right - left)) * 4));
    const from = this.chart.hovered ?? this.state.moment;
    const event = Math.min(Math.max(0, from + direction * stride), this.state.run.events - 1);
    this.#point(event);
    if (!this.#inRange(event)) this.pan(direction * 0.25);
  }

  #key(event) {
    const middle = this.chart.hovered ?? this.state.moment;
    const actions = {
      ArrowLeft: () => (event.shiftKey ? this.pan(-0.2) : this.#step(-1)),
      ArrowRight: () => (event.shiftKey ? this.pan(0.2) : this.#step(1)),
      "+": () => this.zoom(0.5, middle),
      "=": () => this.zoom(0.5, middle),
      "-": () => this.zoom(2, middle),
      0: () => this.show(0, this.state.run.events),
      Home: () => this.show(0, this.state.range[1] - this.state.range[0]),
      End: () => this.show(this.state.run.events, this.state.run.events + this.state.range[1] - this.state.range[0]),
      p: () => this.toPeak(),
      P: () => this.toPeak(),
      Enter: () => this.state.change({ moment: middle }),
      Escape: () => this.#point(null),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
