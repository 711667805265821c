// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the trace processor of the Perfetto UI outside of a browser.
//
//   node trace_processor.js <folder of the UI> <file with requests>
//
// Requests and replies (stdout) are TraceProcessorRpcStream messages. The UI starts the processor as a worker that
// loads its WebAssembly by a synchronous request; this gives it the few things that a worker has.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, requests] = process.argv.slice(2);

class FileRequest {
  open(_method, url) {
    this.url = url;
  }
  send() {
    const bytes = fs.readFileSync(path.join(folder, path.basename(this.url)));
    this.response = new Uint8Array(bytes).buffer;
    this.status = 200;
  }
}

const quiet = () => {};
const worker = {
  console: { log: quiet, warn: quiet, error: quiet },
  location: { href: "http://worker/engine_bundle.js" },
  crypto: globalThis.crypto,
  WorkerGlobalScope: function () {},
  XMLHttpRequest: FileRequest,
  importScripts: quiet,
  clearTimeout,
  performance,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
};
worker.self = worker;
const context = vm.createContext(worker);
vm.runInContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), context);

const port = { postMessage: (reply) => fs.writeSync(1, Buffer.from(reply)) };
worker.onmessage({ data: port });
// The processor is ready when the promises of its start have been kept.
setTimeout(() => {
  const input = fs.readFileSync(requests);
  const bytes = vm.runInContext(`new Uint8Array(${input.length})`, context);
  bytes.set(input);
  port.onmessage({ data: bytes });
}, 0);
