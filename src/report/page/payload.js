// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens what Note [Page payload] in src/report/page_payload.h closes: base64 of deflate of a length, a head in JSON and
// columns of whole numbers.

async function inflated(base64) {
  const packed = Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads whole numbers of any length, seven bits a byte, the lowest first. */
class NumberReader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  next() {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  /** Fills `column`; with `sums`, each value is added to the one before. */
  fill(column, sums = false) {
    let before = 0;
    for (let i = 0; i < column.length; ++i) {
      const value = this.next();
      before = sums ? before + value : value;
      column[i] = before;
    }
    return column;
  }
}

/** What was explained of one card's run, as typed arrays and lists; the index of an allocation is its place in all. */
async function openPayload(base64) {
  const bytes = await inflated(base64);
  const headLength = new DataView(bytes.buffer).getUint32(0, true);
  const run = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headLength)));
  const reader = new NumberReader(bytes, 4 + headLength);
  const column = (Kind, count, sums) => reader.fill(new Kind(count), sums);
  readAllocations(run, column);
  readFrames(run, column);
  run.reservedAt = column(Uint32Array, run.reservedChanges, true);
  run.reserved = column(Float64Array, run.reservedChanges);
  run.segments = readSegments(run, column);
  run.steps = run.spans.filter(({ step }, i) => i === 0 || run.spans[i - 1].step !== step);
  return run;
}

function readAllocations(run, column) {
  const n = run.allocations;
  run.born = column(Uint32Array, n, true);
  run.died = column(Uint32Array, n).map((lived, i) => (lived === 0 ? run.events : run.born[i] + lived));
  run.bytes = column(Float64Array, n);
  run.requested = column(Float64Array, n).map((padding, i) => run.bytes[i] - padding);
  for (const key of ["category", "inferred"]) run[key] = column(Uint8Array, n);
  for (const key of ["module", "operator", "tensor", "type", "line", "stack"]) run[key] = column(Uint32Array, n);
}

/** Lines and call stacks. A frame knows its caller; the index of both lists is from 1, 0 is none. */
function readFrames(run, column) {
  const files = column(Uint32Array, run.lineCount);
  const numbers = column(Uint32Array, run.lineCount);
  const functions = column(Uint32Array, run.lineCount);
  run.lines = [null];
  for (let i = 0; i < run.lineCount; ++i) {
    run.lines.push({ file: run.names[files[i]], line: numbers[i], function: run.names[functions[i]] });
  }
  const callers = column(Uint32Array, run.frameCount);
  const lines = column(Uint32Array, run.frameCount);
  run.frames = [null];
  for (let i = 0; i < run.frameCount; ++i) run.frames.push({ caller: callers[i], line: lines[i] });
  addLonelyFrames(run);
}

/** Where a line is known and no stack (autograd's own threads have none), the line is the stack. */
function addLonelyFrames(run) {
  const added = new Map();
  run.line.forEach((line, i) => {
    if (line === 0 || run.stack[i] !== 0) return;
    if (!added.has(line)) added.set(line, run.frames.push({ caller: 0, line }) - 1);
    run.stack[i] = added.get(line);
  });
}

function readSegments(run, column) {
  const sizes = column(Float64Array, run.segmentCount);
  const kinds = column(Uint8Array, run.segmentCount);
  const counts = column(Uint32Array, run.segmentCount);
  const blocks = counts.reduce((sum, count) => sum + count, 0);
  const blockSizes = column(Float64Array, blocks);
  const owners = column(Uint32Array, blocks);
  let at = 0;
  return Array.from(sizes, (size, i) => {
    const first = at;
    at += counts[i];
    const ofBlock = (blockSize, k) => ({ size: blockSize, allocation: owners[first + k] - 1 }); // -1: free
    return {
      size,
      small: (kinds[i] & 1) !== 0,
      expandable: (kinds[i] & 2) !== 0,
      blocks: Array.from(blockSizes.subarray(first, at), ofBlock),
    };
  });
}
