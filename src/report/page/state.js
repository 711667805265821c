// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What is being looked at. Parts of the page read it, change it through `change`, and hear of changes.

class State {
  #listeners = [];

  constructor(run, timeline) {
    this.run = run;
    this.timeline = timeline;
    this.moment = run.peak; // the event whose living tensors are shown
    this.range = [0, Math.max(1, run.events)]; // of events, in the chart
    this.category = null; // shown alone
    this.view = run.hasMarks ? "module" : "line"; // of the flame graph; without marks no module is known
    this.folded = true; // lists of modules, in the flame graph
    this.grouped = true; // tensors that are alike, in the table
    this.frame = null; // of the flame graph, shown alone
    this.search = "";
    this.living = timeline.livingAt(this.moment);
  }

  listen(keys, listener) {
    this.#listeners.push({ keys: new Set(keys), listener });
  }

  change(changes) {
    const changed = Object.keys(changes).filter((key) => this[key] !== changes[key]);
    Object.assign(this, changes);
    if (changed.includes("moment")) this.living = this.timeline.livingAt(this.moment);
    for (const { keys, listener } of this.#listeners) {
      if (changed.some((key) => keys.has(key))) listener();
    }
  }

  get atPeak() {
    return this.moment === this.run.peak;
  }
}
