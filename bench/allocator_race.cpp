// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// The same events through PyTorch's real allocator and through ours, interleaved in one run; built and started by
// bench/allocator_race, under the stand-in driver.
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "memory_events.h"
#include "simulator/caching_allocator.h"

namespace dryfit::bench {
namespace {

namespace torch_allocator = c10::cuda::CUDACachingAllocator;

constexpr int kRounds = 9;

std::uint64_t repetitions_of(const MemoryEvents& list) { return 1'000'000 / list.events.size() + 1; }

double time_of_pytorch(const MemoryEvents& list) {
  std::vector<void*> pointers(list.slots);
  torch_allocator::emptyCache();
  const double start = processor_seconds();
  for (std::uint64_t i = 0; i < repetitions_of(list); ++i) {
    for (const MemoryEvent& event : list.events) {
      if (event.size > 0) {
        pointers[event.slot] = torch_allocator::raw_alloc_with_stream(event.size, nullptr);
      } else {
        torch_allocator::raw_delete(pointers[event.slot]);
      }
    }
  }
  return processor_seconds() - start;
}

double time_of_ours(const MemoryEvents& list) {
  simulator::CachingAllocator allocator({.version = {2, 6, 0}});
  std::vector<simulator::BlockId> blocks(list.slots);
  const double start = processor_seconds();
  for (std::uint64_t i = 0; i < repetitions_of(list); ++i) {
    for (const MemoryEvent& event : list.events) {
      if (event.size > 0) {
        blocks[event.slot] = allocator.malloc(Bytes{event.size}).block;
      } else {
        allocator.free(blocks[event.slot]);
      }
    }
  }
  return processor_seconds() - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

/// Prints events per second for both and their ratio, as medians over the rounds.
void race(const MemoryEvents& list) {
  std::vector<double> pytorch, ours, ratio;
  for (int round = 0; round < kRounds; ++round) {
    pytorch.push_back(time_of_pytorch(list));
    ours.push_back(time_of_ours(list));
    ratio.push_back(pytorch.back() / ours.back());
  }
  const double events = static_cast<double>(list.events.size() * repetitions_of(list)) / 1e6;
  std::printf("%-40s PyTorch %5.1f, Dryfit %5.1f million events/s: %.1f times as fast\n", list.name.c_str(),
              events / median(pytorch), events / median(ours), median(ratio));
}

}  // namespace
}  // namespace dryfit::bench

int main(int argc, char** argv) {
  using namespace dryfit::bench;
  c10::cuda::CUDACachingAllocator::init(1);
  race(training_events(12, 768, 512, 3));
  race(training_events(48, 1600, 1024, 3));
  for (int i = 1; i < argc; ++i) race(oracle_events(argv[i]));
}
