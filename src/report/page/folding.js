// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Modules that differ only in a number, as one: h.0 and h.1 are h.*, encoder_layer_3 is encoder_layer_*.

class Folding {
  #containers = new Set();

  constructor(paths) {
    for (const path of paths) {
      for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1))
        this.#containers.add(path.slice(0, dot));
    }
  }

  /** The parts of a path. A number without modules below it tells layers of one block apart, and stays. */
  parts(path) {
    const parts = path.split(".");
    return parts.map((part, k) => {
      const isBlock = /(^|_)\d+$/.test(part) && this.#containers.has(parts.slice(0, k + 1).join("."));
      return isBlock ? part.replace(/\d+$/, "*") : part;
    });
  }
}
