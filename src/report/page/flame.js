// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The flame graph, its root on top: a frame is a button whose width is its share of the bytes.

const NARROWEST_FRAME = 2; // pixels; what is narrower is left out, and its parent shows that something is

class Flame {
  constructor(state, paths) {
    this.state = state;
    this.paths = paths;
    this.place = byId("flame");
    this.place.addEventListener("keydown", (event) => this.#key(event));
    this.drawSoon = oncePerFrame(() => this.draw());
  }

  draw() {
    const { state } = this;
    const { run, category } = state;
    const tensors = category === null ? state.living : state.living.filter((i) => run.category[i] === category);
    this.root = flameTree(run, this.paths, state.view, tensors, state.matches);
    this.chosen = nodeOf(this.root, state.frame);
    this.search = state.search.trim().toLowerCase();
    const focused = this.place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.#layOut();
    if (focused !== null) this.#focus(focused);
  }

  #layOut() {
    const shown = this.chosen ?? this.root;
    const top = shown.category === null || !shown.parent ? shown : shown.parent; // a leaf is shown in its place
    const width = this.place.clientWidth;
    this.rowHeight = matchMedia("(max-width: 600px)").matches ? 28 : 22;
    this.frames = [];
    for (let above = top.parent; above; above = above.parent) this.#add(above, 0, width, "above");
    this.#addBelow(top, 0, width);
    this.frames.sort((a, b) => a.node.depth - b.node.depth || a.x - b.x);
    const deepest = this.frames.reduce((most, { node }) => Math.max(most, node.depth), 0);
    this.place.style.height = `${(deepest + 1) * this.rowHeight}px`;
    this.place.classList.toggle("searching", this.search !== "");
    this.place.setAttribute("aria-label", `Flame graph by ${this.state.view === "module" ? "module" : "source line"}`);
    this.place.replaceChildren(...this.frames.map((frame) => this.#button(frame)));
    const first = this.place.querySelector('[aria-selected="true"]') ?? this.place.firstElementChild;
    if (first) first.tabIndex = 0;
  }

  #add(node, x, width, kind) {
    this.frames.push({ node, x, width, kind });
  }

  #addBelow(node, x, width) {
    this.#add(node, x, width, "");
    let at = x;
    for (const child of node.largestFirst) {
      const share = (child.bytes / node.bytes) * width;
      if (share >= NARROWEST_FRAME) this.#addBelow(child, at, share);
      at += share;
    }
  }

  #button({ node, x, width, kind }) {
    const { run } = this.state;
    const leaf = node.category !== null;
    const name = node.parent ? node.name : "everything";
    const short = this.state.view === "line" ? name.replace(/^\S*\//, "") : name; // of a path the file
    const text = width < 26 ? "" : width > 120 ? `${short} · ${bytesText(node.bytes)}` : short;
    const classes = ["frame", kind, leaf ? "leaf" : "", node.depth % 2 ? "odd" : "", width < 12 ? "tight" : ""];
    if (this.search && (leaf ? node.found > 0 : node.parent && name.toLowerCase().includes(this.search)))
      classes.push("found");
    const colour = leaf ? `; background: var(--c-${run.categories[node.category].key}, var(--c-unknown))` : "";
    const share = shareText(node.bytes, this.root.bytes);
    const label = `${name}, ${bytesText(node.bytes)}, ${pluralText(node.tensors, "tensor")}, ${share}`;
    const style = `left: ${x}px; top: ${node.depth * this.rowHeight}px; width: ${Math.max(1, width)}px${colour}`;
    return element(
      "button",
      {
        type: "button",
        role: "treeitem",
        class: classes.filter(Boolean).join(" "),
        style,
        title: label,
        tabindex: -1,
        "aria-level": node.depth + 1,
        "aria-label": label,
        "data-key": node.key,
        "aria-selected": String(node === this.chosen),
        "aria-expanded": leaf ? null : "true",
        onclick: () => this.choose(node),
      },
      text,
    );
  }

  /** A second choice of the same frame goes back to its parent. */
  choose(node) {
    const next = node === this.chosen ? node.parent : node;
    this.state.change({ frame: next && next.parent ? next.key : null });
    this.#focus(next ? next.key : node.key);
  }

  #focus(key) {
    const buttons = [...this.place.children];
    const target = buttons.find((button) => button.dataset.key === key) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    target?.focus({ preventScroll: true });
  }

  #key(event) {
    const at = this.frames.findIndex(({ node }) => node.key === document.activeElement?.dataset.key);
    if (at < 0) return;
    const { node } = this.frames[at];
    const siblings = this.frames.filter((frame) => frame.node.depth === node.depth);
    const beside = (direction) => siblings[siblings.findIndex((frame) => frame.node === node) + direction]?.node;
    const targets = {
      ArrowUp: () => node.parent,
      ArrowDown: () => this.frames.find((frame) => frame.node.parent === node)?.node,
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
      Home: () => this.root,
      Escape: () => {
        if (this.chosen) this.choose(this.chosen);
        return null;
      },
    };
    if (!targets[event.key]) return;
    event.preventDefault();
    const target = targets[event.key]();
    if (target) this.#focus(target.key);
  }
}
