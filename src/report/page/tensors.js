// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the largest tensors at the moment, of those that category, frame and search leave. A row is a tensor, or
// several that are alike and can be unfolded.

const FIRST_ROWS = 20;
const MORE_ROWS = 80;

class Tensors {
  constructor(state, paths) {
    this.state = state;
    this.paths = paths;
    this.alike = new Alike(state.run);
    this.rows = FIRST_ROWS;
    this.made = 0; // rows, without those of unfolded groups
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
    const order = this.order === "age" ? older : larger;
    this.groups = state.grouped
      ? this.alike.groups(this.found, order)
      : this.found.map((i) => ({ members: [i], bytes: run.bytes[i], first: i }));
    this.groups.sort((a, b) => (this.order === "age" ? 0 : b.bytes - a.bytes) || order(a.first, b.first));
    this.rows = FIRST_ROWS;
    this.made = 0;
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
    const added = this.groups.slice(this.made, this.rows);
    this.made += added.length;
    byId("tensor-rows").append(...added.map((group) => this.#groupRow(group)));
    const left = this.groups.length - this.rows;
    byId("more").hidden = left <= 0;
    byId("more").textContent = `Show ${Math.min(left, MORE_ROWS)} more of ${countText(left)}`;
  }

  /** A tensor, or what those of the group have in common. */
  #groupRow(group) {
    const { run } = this.state;
    const { members, first } = group;
    if (members.length === 1) return this.#row(first);
    const row = this.#row(first);
    const [size, , type, , module] = row.cells;
    size.replaceChildren(bytesText(group.bytes), this.#unfoldButton(row, group));
    const types = new Set(members.map((i) => run.type[i])).size;
    if (types > 1) type.append(element("span", { class: "sub" }, `and ${pluralText(types - 1, "other shape")}`));
    const modules = new Set(members.map((i) => run.module[i]));
    if (modules.size > 1) module.replaceChildren(...breakable(unnumbered(run.names[run.module[first]])));
    return row;
  }

  /** "12 × 9.0 MiB", which shows the twelve below the row and takes them away again. */
  #unfoldButton(row, { members }) {
    const [most, least] = [members[0], members.at(-1)].map((i) => bytesText(this.state.run.bytes[i]));
    const text = `${members.length} × ${most === least ? most : `about ${most}`}`;
    let shown = [];
    const button = element("button", { type: "button", class: "alike", "aria-expanded": "false" }, text);
    button.onclick = () => {
      for (const each of shown) each.remove();
      shown = shown.length > 0 ? [] : members.map((i) => this.#row(i));
      for (const each of shown) each.classList.add("member");
      row.after(...shown);
      button.setAttribute("aria-expanded", String(shown.length > 0));
    };
    return button;
  }

  #row(i) {
    const { run, timeline, moment } = this.state;
    const category = run.categories[run.category[i]];
    const { step, phase } = timeline.placeAt(run.born[i]);
    const line = run.lines[run.line[i]];
    const cell = (label, className, ...content) =>
      element("td", { role: "cell", "data-label": label, class: className }, ...content);
    const sub = (text) => (text ? element("span", { class: "sub" }, ...breakable(text)) : null);
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
      cell("Module", null, ...breakable(run.names[run.module[i]] || "–"), sub(run.inferred[i] ? "inferred" : "")),
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
    byId("owners-title").textContent = `Owners ${when}`;
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
