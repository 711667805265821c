// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   simulator_bench [trace.tsv ...]
//
// How many events per second the simulator handles on one core: generated training and traces of the allocator oracle,
// repeated; and one trace of ten million events. The best of several rounds counts.
#include <malloc.h>

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "memory_events.h"
#include "simulator/caching_allocator.h"

namespace dryfit::bench {
namespace {

using simulator::BlockId;
using simulator::CachingAllocator;

void replay(CachingAllocator& allocator, const MemoryEvents& list, std::vector<BlockId>& blocks) {
  for (const MemoryEvent& event : list.events) {
    if (event.size > 0) {
      const auto allocation = allocator.malloc(Bytes{event.size});
      DRYFIT_CHECK(allocation);
      blocks[event.slot] = allocation.block;
    } else {
      allocator.free(blocks[event.slot]);
    }
  }
}

/// The seconds that several repetitions of the events take on a fresh allocator.
double time_of(const MemoryEvents& list, std::uint64_t repetitions) {
  CachingAllocator allocator({.version = {2, 6, 0}});
  std::vector<BlockId> blocks(list.slots);
  const double start = processor_seconds();
  for (std::uint64_t i = 0; i < repetitions; ++i) replay(allocator, list, blocks);
  return processor_seconds() - start;
}

void measure(const MemoryEvents& list) {
  const std::uint64_t repetitions = 2'000'000 / list.events.size() + 1;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) best = std::min(best, time_of(list, repetitions));
  const double events = static_cast<double>(list.events.size() * repetitions);
  std::printf("%-40s %8zu events  %6.1f million events/s\n", list.name.c_str(), list.events.size(),
              events / best / 1e6);
}

void measure_ten_million() {
  MemoryEvents list = training_events(48, 1600, 1024, 1);
  const std::size_t one_step = list.events.size();
  list = training_events(48, 1600, 1024, static_cast<int>(10'000'000 / one_step * 3 / 2));
  list.events.resize(std::min<std::size_t>(list.events.size(), 10'000'000));
  std::printf("%zu events in one trace: %.2f s\n", list.events.size(), time_of(list, 1));
}

/// Host memory of the simulator per live block, for growing numbers of blocks: it should stay constant.
void measure_memory() {
  for (const std::uint64_t live : {10'000, 100'000, 1'000'000}) {
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    CachingAllocator allocator({.version = {2, 6, 0}});
    for (std::uint64_t i = 0; i < live; ++i) allocator.malloc(Bytes{i % 5000 * 700 + 1});
    const std::size_t used = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    std::printf("%8llu live blocks: %zu bytes each\n", static_cast<unsigned long long>(live), used / live);
  }
}

}  // namespace
}  // namespace dryfit::bench

int main(int argc, char** argv) {
  using namespace dryfit::bench;
  measure(training_events(12, 768, 512, 3));
  measure(training_events(48, 1600, 1024, 3));
  for (int i = 1; i < argc; ++i) measure(oracle_events(argv[i]));
  measure_ten_million();
  measure_memory();
}
