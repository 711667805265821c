// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What was allocated after each event, by category. An event is one allocation or one free; "at event e" is after it.

const BLOCK = 64;

class Timeline {
  constructor(run) {
    this.run = run;
    this.categories = run.categories.length;
    this.#sortChanges();
    this.#walk();
    this.everUsed = run.categories.map((_, c) => run.category.includes(c));
    this.spanBegins = Uint32Array.from(run.spans, (span) => span.at);
  }

  /** The changes of event e stand in `changes` from first[e] on: an allocation, from 1; negative: its end. */
  #sortChanges() {
    const { born, died, events } = this.run;
    this.first = new Uint32Array(events + 1);
    for (let i = 0; i < born.length; ++i) {
      ++this.first[born[i] + 1];
      if (died[i] < events) ++this.first[died[i] + 1];
    }
    for (let e = 0; e < events; ++e) this.first[e + 1] += this.first[e];
    this.changes = new Int32Array(this.first[events]);
    const next = this.first.slice();
    for (let i = 0; i < born.length; ++i) {
      this.changes[next[born[i]]++] = i + 1;
      if (died[i] < events) this.changes[next[died[i]]++] = -(i + 1);
    }
  }

  /** Adds what event e changes to the bytes by category; the sum of it is returned. */
  #apply(e, stack) {
    const { bytes, category } = this.run;
    let sum = 0;
    for (let k = this.first[e]; k < this.first[e + 1]; ++k) {
      const change = this.changes[k];
      const i = Math.abs(change) - 1;
      const size = change > 0 ? bytes[i] : -bytes[i];
      stack[category[i]] += size;
      sum += size;
    }
    return sum;
  }

  /** The sum after each event; every BLOCK events all categories, and where in the block the sum is highest. */
  #walk() {
    const { events } = this.run;
    const blocks = Math.ceil(events / BLOCK);
    this.total = new Float64Array(events);
    this.before = new Float64Array(blocks * this.categories);
    this.highest = new Uint32Array(blocks);
    const now = new Float64Array(this.categories);
    let sum = 0;
    for (let e = 0; e < events; ++e) {
      const block = Math.floor(e / BLOCK);
      if (e % BLOCK === 0) {
        this.before.set(now, block * this.categories);
        this.highest[block] = e;
      }
      sum += this.#apply(e, now);
      this.total[e] = sum;
      if (sum > this.total[this.highest[block]]) this.highest[block] = e;
    }
  }

  /** Bytes by category at event e. */
  stackAt(e, out = new Float64Array(this.categories)) {
    const block = Math.floor(e / BLOCK);
    for (let c = 0; c < this.categories; ++c) out[c] = this.before[block * this.categories + c];
    for (let k = block * BLOCK; k <= e; ++k) this.#apply(k, out);
    return out;
  }

  /** The allocation that event e makes (positive, from 1) or ends (negative); 0: none, or several at once. */
  changeAt(e) {
    return this.first[e + 1] - this.first[e] === 1 ? this.changes[this.first[e]] : 0;
  }

  /** The fullest event of [first, last]. */
  fullest(first, last) {
    let best = first;
    for (let e = first + 1; e <= last; ++e) {
      const whole = e % BLOCK === 0 && e + BLOCK - 1 <= last;
      const candidate = whole ? this.highest[e / BLOCK] : e;
      if (this.total[candidate] > this.total[best]) best = candidate;
      if (whole) e += BLOCK - 1;
    }
    return best;
  }

  /** How many of the ascending `begins` are not after event e. */
  static #begun(begins, e) {
    let low = 0;
    let high = begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (begins[middle] <= e) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The step and phase of event e. */
  placeAt(e) {
    const begun = Timeline.#begun(this.spanBegins, e);
    return begun === 0 ? { at: 0, step: 0, phase: "load" } : this.run.spans[begun - 1];
  }

  /** What PyTorch had reserved at event e; null where that is not known. */
  reservedAt(e) {
    const begun = Timeline.#begun(this.run.reservedAt, e);
    return begun === 0 ? null : this.run.reserved[begun - 1];
  }

  /** The allocations that live at event e. */
  livingAt(e) {
    const { born, died } = this.run;
    const living = [];
    for (let i = 0; i < born.length && born[i] <= e; ++i) {
      if (died[i] > e) living.push(i);
    }
    return living;
  }
}
