// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tensors a word finds: in their module, line, operator, or shape and type.

class Search {
  constructor(run) {
    this.run = run;
    this.names = run.names.map((text) => text.toLowerCase());
    this.lines = run.lines.map((line) => (line && !isPlumbing(line) ? frameText(line).toLowerCase() : ""));
    this.categories = run.categories.map(({ label }) => label.toLowerCase());
  }

  /** A test of an allocation's index; null for an empty search, which finds all. */
  matcher(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return null;
    const mask = (texts) => Uint8Array.from(texts, (each) => (each.includes(wanted) ? 1 : 0));
    const [names, categories, stacks] = [mask(this.names), mask(this.categories), this.#stacks(mask(this.lines))];
    const { module, operator, tensor, type, stack, category } = this.run;
    return (i) =>
      (names[module[i]] |
        names[operator[i]] |
        names[tensor[i]] |
        names[type[i]] |
        stacks[stack[i]] |
        categories[category[i]]) ===
      1;
  }

  /** Which stacks hold a line that was found. A caller stands before what it calls. */
  #stacks(lines) {
    const { frames } = this.run;
    const found = new Uint8Array(frames.length);
    for (let at = 1; at < frames.length; ++at) found[at] = lines[frames[at].line] | found[frames[at].caller];
    return found;
  }
}
