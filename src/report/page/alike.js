// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are alike: of one kind, made by one operator at one line, in modules that differ only in a number, and
// of nearly the same size. They make one row of the table.

const NEARLY = 0.95; // of the largest of a group

/** "h.0.attn" and "h.11.attn" are "h.*.attn"; "layers.3" is "layers.*". */
const unnumbered = (path) => path.replace(/\d+(?=\.|$)/g, "*");

class Alike {
  #modules = new Map(); // id of a module's name → a number for all that differ only in numbers
  #unnumbered = new Map();

  constructor(run) {
    this.run = run;
  }

  /** The groups of `tensors`, each with the largest first; `order` compares two tensors. */
  groups(tensors, order) {
    const { bytes } = this.run;
    const sorted = [...tensors].sort((a, b) => bytes[b] - bytes[a] || a - b);
    const groups = [];
    const open = new Map(); // key → the group of that key to which the next smaller may belong
    for (const i of sorted) {
      const key = this.#key(i);
      let group = open.get(key);
      if (!group || bytes[i] < NEARLY * bytes[group.members[0]]) {
        group = { members: [], bytes: 0, first: i };
        open.set(key, group);
        groups.push(group);
      }
      group.members.push(i);
      group.bytes += bytes[i];
      if (order(i, group.first) < 0) group.first = i;
    }
    return groups;
  }

  #key(i) {
    const { category, operator, tensor, line } = this.run;
    return `${category[i]},${operator[i]},${tensor[i]},${line[i]},${this.#moduleKey(i)}`;
  }

  #moduleKey(i) {
    const { module, names } = this.run;
    const id = module[i];
    if (!this.#modules.has(id)) {
      const name = unnumbered(names[id]);
      if (!this.#unnumbered.has(name)) this.#unnumbered.set(name, this.#unnumbered.size);
      this.#modules.set(id, this.#unnumbered.get(name));
    }
    return this.#modules.get(id);
  }
}
