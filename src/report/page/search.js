// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Which tensors a word finds: in their module, line, operator, or shape and type.

class Search {
  constructor(run, paths) {
    this.run = run;
    this.names = run.names.map((text) => text.toLowerCase());
    this.stacks = run.frames.map((_, id) => paths.of("line", id).join(" ").toLowerCase());
    this.categories = run.categories.map(({ label }) => label.toLowerCase());
  }

  /** A test of an allocation's index; null for an empty search, which finds all. */
  matcher(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return null;
    const mask = (texts) => Uint8Array.from(texts, (each) => (each.includes(wanted) ? 1 : 0));
    const [names, stacks, categories] = [mask(this.names), mask(this.stacks), mask(this.categories)];
    const { module, operator, tensor, type, stack, category } = this.run;
    return (i) =>
      (names[module[i]] | names[operator[i]] | names[tensor[i]] | names[type[i]] | stacks[stack[i]] | categories[category[i]]) === 1;
  }
}
