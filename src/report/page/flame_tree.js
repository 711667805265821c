// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Living tensors as a tree: the parts of a module's path, or the frames of a call stack, and below them categories.

/** Frames that every call goes through, and that say nothing about the program. */
const PLUMBING = /\/(site|dist)-packages\/torch\/|\/lib\/python3[^/]*\/(?!(site|dist)-packages\/)|^<frozen /;

const isPlumbing = ({ file }) => PLUMBING.test(file);

/** "gpt/train.py:55 train". */
const frameText = ({ file, line, function: name }) => `${shortPath(file)}:${line}${name ? ` ${name}` : ""}`;

const OWNERS = { module: "module", line: "stack" }; // the column of an allocation by which a view divides

/** The way from the root to an owner, outermost first; the same list for the same id. */
class Paths {
  constructor(run) {
    this.run = run;
    this.folding = new Folding([...new Set(run.module)].map((id) => run.names[id]));
    this.fold(true);
  }

  /** Whether the numbered modules of a list are one: h.0 and h.1 as h.*. */
  fold(folded) {
    this.folded = folded;
    this.kept = { module: new Map(), line: new Map() };
  }

  of(view, id) {
    const kept = this.kept[view];
    if (!kept.has(id)) kept.set(id, view === "module" ? this.#modulePath(id) : this.#stackPath(id));
    return kept.get(id);
  }

  #modulePath(id) {
    const path = this.run.names[id];
    if (!path) return ["(no module)"];
    return this.folded ? this.folding.parts(path) : path.split(".");
  }

  #stackPath(id) {
    const { frames, lines } = this.run;
    const path = [];
    for (let at = id; at !== 0; at = frames[at].caller) path.push(lines[frames[at].line]);
    const own = path.filter((line) => !isPlumbing(line));
    const shown = (own.length > 0 ? own : path).reverse();
    return shown.length > 0 ? shown.map(frameText) : ["(no line)"];
  }
}

const NAME_ORDER = new Intl.Collator("en", { numeric: true });

class FlameNode {
  constructor(name, parent, category = null) {
    this.name = name;
    this.parent = parent;
    this.category = category; // of a leaf; else null
    this.depth = parent ? parent.depth + 1 : 0;
    this.children = new Map();
    this.bytes = 0;
    this.tensors = 0;
    this.found = 0; // bytes of tensors that the search found
  }

  child(key, name, category = null) {
    if (!this.children.has(key)) this.children.set(key, new FlameNode(name, this, category));
    return this.children.get(key);
  }

  get largestFirst() {
    this.sorted ??= [...this.children.values()].sort((a, b) => b.bytes - a.bytes || NAME_ORDER.compare(a.name, b.name));
    return this.sorted;
  }

  /** The names from below the root to here; a leaf's category is not one of them. */
  get path() {
    const names = [];
    for (let node = this; node.parent; node = node.parent) {
      if (node.category === null) names.push(node.name);
    }
    return names.reverse();
  }

  get key() {
    return JSON.stringify([this.path, this.category]);
  }
}

/** The tree of `tensors` (indices of allocations); `isFound` says which of them the search found. */
function flameTree(run, paths, view, tensors, isFound) {
  const sums = new Map(); // owner and category → [bytes, tensors, found]
  const owners = run[OWNERS[view]];
  for (const i of tensors) {
    const key = owners[i] * 64 + run.category[i];
    let sum = sums.get(key);
    if (!sum) sums.set(key, (sum = [0, 0, 0]));
    sum[0] += run.bytes[i];
    sum[1] += 1;
    if (isFound && isFound(i)) sum[2] += run.bytes[i];
  }
  const root = new FlameNode("all", null);
  for (const [key, sum] of sums) {
    const category = key % 64;
    let node = root;
    addTo(node, sum);
    for (const name of paths.of(view, Math.floor(key / 64))) addTo((node = node.child(name, name)), sum);
    addTo(node.child(`\u0000${category}`, run.categories[category].label, category), sum);
  }
  return root;
}

function addTo(node, [bytes, tensors, found]) {
  node.bytes += bytes;
  node.tensors += tensors;
  node.found += found;
}

/** The node with that key, or null. */
function nodeOf(root, key) {
  if (key === null) return null;
  const [path, category] = JSON.parse(key);
  let node = root;
  for (const name of path) {
    node = node.children.get(name);
    if (!node) return null;
  }
  return category === null ? node : (node.children.get(`\u0000${category}`) ?? null);
}
