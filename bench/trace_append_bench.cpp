// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of writing the trace in the user's program: a pair of memory events, a counted launch, an interned name.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "trace/writer.h"

namespace dryfit::trace {
namespace {

/// A writer with an open file in a temporary folder, which is deleted with it.
class OpenTrace {
 public:
  OpenTrace() : folder_(make_folder()) { failed_ = bool(writer_.open((folder_ / "trace").c_str())); }
  ~OpenTrace() {
    writer_.close();
    std::filesystem::remove_all(folder_);
  }
  OpenTrace(const OpenTrace&) = delete;
  OpenTrace& operator=(const OpenTrace&) = delete;

  bool failed() const { return failed_; }
  Writer& writer() { return writer_; }

 private:
  static std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "trace-bench-XXXXXX").string();
    return mkdtemp(name.data()) ? name : std::string();
  }

  std::filesystem::path folder_;
  Writer writer_;
  bool failed_ = false;
};

void Allocate_and_release(benchmark::State& state) {
  OpenTrace trace;
  if (trace.failed()) return state.SkipWithError("cannot create a trace file");
  const NameId library = trace.writer().name("libcudart.so.12");
  for (auto _ : state) {
    trace.writer().allocate({0, Purpose::allocation, 0x7f0000000000, Bytes{2000000}, Bytes{2097152}, library});
    trace.writer().release({0, Purpose::allocation, 0x7f0000000000, Bytes{2097152}});
  }
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(Allocate_and_release)->Iterations(1'000'000);

void Count_a_launch(benchmark::State& state) {
  OpenTrace trace;
  if (trace.failed()) return state.SkipWithError("cannot create a trace file");
  const NameId kernel = trace.writer().name("gemm");
  const CounterHandle launches = trace.writer().kernel_loaded({KernelId{1}, ModuleId{1}, kernel, Bytes{4096}, 0});
  for (auto _ : state) launches.add();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Count_a_launch);

void Look_up_a_known_name(benchmark::State& state) {
  OpenTrace trace;
  if (trace.failed()) return state.SkipWithError("cannot create a trace file");
  for (auto _ : state) benchmark::DoNotOptimize(trace.writer().name("libcublasLt.so.12"));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Look_up_a_known_name);

}  // namespace
}  // namespace dryfit::trace
