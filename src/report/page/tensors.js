// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the largest tensors at the moment, of those that category, frame and search leave.

const FIRST_ROWS = 20;
const MORE_ROWS = 80;

class Tensors {
  constructor(state, paths) {
    this.state = state;
    this.paths = paths;
    this.rows = FIRST_ROWS;
    this.order = "size";
    this.#head();
    byId("more").onclick = () => {
      this.rows += MORE_ROWS;
      this.#fill();
    };
  }

  #head() {
    const sortable = (key, label) =>
      element("button", { type: "button", onclick: () => this.#sortBy(key), "data-order": key }, label);
    const heads = [
      ["size", "Size"],
      [null, "What"],
      [null, "Shape and type"],
      ["age", "Age"],
      [null, "Module"],
      [null, "Line"],
    ];
    const cells = heads.map(([key, label]) =>
      element(
        "th",
        { role: "columnheader", scope: "col", class: key === "size" ? "number" : null },
        key ? sortable(key, label) : label,
      ),
    );
    byId("tensor-head").replaceChildren(...cells);
    this.#showOrder();
  }

  #sortBy(key) {
    this.order = key;
    this.#showOrder();
    this.draw();
  }

  #showOrder() {
    for (const button of byId("tensor-head").querySelectorAll("button")) {
      const chosen = button.dataset.order === this.order;
      if (chosen) button.parentElement.setAttribute("aria-sort", "descending");
      else button.parentElement.removeAttribute("aria-sort");
      button.textContent = button.textContent.replace(" ↓", "") + (chosen ? " ↓" : "");
    }
  }

  draw() {
    const { state } = this;
    const { run, matches } = state;
    const inFrame = this.#frameTest();
    this.found = state.living.filter(
      (i) =>
        (state.category === null || run.category[i] === state.category) &&
        (!inFrame || inFrame(i)) &&
        (!matches || matches(i)),
    );
    const older = (a, b) => run.born[a] - run.born[b];
    const larger = (a, b) => run.bytes[b] - run.bytes[a] || older(a, b);
    this.found.sort(this.order === "age" ? older : larger);
    this.rows = FIRST_ROWS;
    byId("tensor-rows").replaceChildren();
    this.#fill();
    this.#say();
    this.#showFilters();
  }

  /** Whether an allocation lies in the chosen frame; null: none is chosen. */
  #frameTest() {
    const { run, frame, view } = this.state;
    if (frame === null) return null;
    const [path, category] = JSON.parse(frame);
    const owners = run[OWNERS[view]];
    const known = new Map(); // of an owner whether it lies in the frame
    const lies = (id) => {
      const own = this.paths.of(view, id);
      return path.every((name, k) => own[k] === name) && (category === null || own.length === path.length);
    };
    return (i) => {
      if (!known.has(owners[i])) known.set(owners[i], lies(owners[i]));
      return known.get(owners[i]) && (category === null || run.category[i] === category);
    };
  }

  /** Adds the rows that are not there yet; those that are stay as they are. */
  #fill() {
    const body = byId("tensor-rows");
    body.append(...this.found.slice(body.childElementCount, this.rows).map((i) => this.#row(i)));
    const left = this.found.length - this.rows;
    byId("more").hidden = left <= 0;
    byId("more").textContent = `Show ${Math.min(left, MORE_ROWS)} more of ${countText(left)}`;
  }

  #row(i) {
    const { run, timeline, moment } = this.state;
    const category = run.categories[run.category[i]];
    const { step, phase } = timeline.placeAt(run.born[i]);
    const line = run.lines[run.line[i]];
    const cell = (label, className, ...content) =>
      element("td", { role: "cell", "data-label": label, class: className }, ...content);
    const sub = (text) => (text ? element("span", { class: "sub" }, text) : null);
    return element(
      "tr",
      { role: "row", "data-allocation": i },
      cell("Size", "number", bytesText(run.bytes[i])),
      cell(
        "What",
        null,
        swatch(`var(--c-${category.key}, var(--c-unknown))`),
        category.label,
        sub(run.names[run.operator[i]]),
      ),
      cell("Type", null, this.#typeText(i), sub(run.names[run.tensor[i]])),
      cell("Age", null, pluralText(moment - run.born[i], "event"), sub(`since ${placeText(step, phase)}`)),
      cell("Module", null, run.names[run.module[i]] || "–", sub(run.inferred[i] ? "inferred" : "")),
      cell("Line", null, lineText(run, run.line[i]) || "–", sub(line?.function)),
    );
  }

  #typeText(i) {
    const { run } = this.state;
    return run.names[run.type[i]] || `${countText(run.requested[i])} bytes`;
  }

  #say() {
    const { run, timeline, moment, living, atPeak } = this.state;
    const bytes = this.found.reduce((sum, i) => sum + run.bytes[i], 0);
    const when = atPeak ? "at the " + run.peakWord.toLowerCase() : "at the chosen moment";
    const all = this.found.length === living.length;
    byId("tensors-title").textContent = `Largest tensors ${when}`;
    byId("owners-title").textContent = `Who holds it ${when}`;
    const text = `${pluralText(living.length, "tensor")}, ${bytesText(bytes)}`;
    const share = shareText(bytes, timeline.total[moment]) || "0 %";
    byId("counted").textContent = all ? text : `${countText(this.found.length)} of ${text} (${share})`;
  }

  #showFilters() {
    const { state } = this;
    const chip = (text, cleared) =>
      element(
        "li",
        {},
        element(
          "button",
          { type: "button", "aria-label": `Remove the filter ${text}`, onclick: () => state.change(cleared) },
          `${text} ✕`,
        ),
      );
    const chips = [];
    if (!state.atPeak) chips.push(chip("chosen moment", { moment: state.run.peak }));
    if (state.category !== null) chips.push(chip(state.run.categories[state.category].label, { category: null }));
    if (state.frame !== null) chips.push(chip(this.#frameText(), { frame: null }));
    if (state.search.trim() !== "") chips.push(chip(`“${state.search.trim()}”`, { search: "" }));
    byId("filters").replaceChildren(...chips);
  }

  #frameText() {
    const [path, category] = JSON.parse(this.state.frame);
    const name = this.state.view === "module" ? path.join(".") : (path.at(-1) ?? "");
    return category === null ? name : `${name}: ${this.state.run.categories[category].label}`;
  }
}
