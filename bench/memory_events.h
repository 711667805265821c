// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace dryfit::bench {

/// The processor time of this thread, in seconds: less affected by other processes than wall-clock time.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// One allocator call: a malloc of `size` bytes into a slot or, with size 0, the free of that slot.
struct MemoryEvent {
  std::uint32_t slot;
  std::uint64_t size;
};

/// Events that leave nothing allocated, so that they can be repeated, and the number of slots they use.
struct MemoryEvents {
  std::string name;
  std::vector<MemoryEvent> events;
  std::uint32_t slots = 0;
};

/// Frees everything that is still allocated.
inline void free_the_rest(MemoryEvents& list) {
  std::vector<bool> live(list.slots);
  for (const MemoryEvent& event : list.events) live[event.slot] = event.size > 0;
  for (std::uint32_t slot = 0; slot < list.slots; ++slot) {
    if (live[slot]) list.events.push_back({slot, 0});
  }
}

/// Training of a transformer as its allocator sees it: weights, then steps of forward (kept and temporary activations),
/// backward (gradients, scratch) and an optimizer with state that remains after the first step.
inline MemoryEvents training_events(std::uint32_t layers, std::uint64_t width, std::uint64_t tokens, int steps) {
  MemoryEvents list{.name = "generated training, " + std::to_string(layers) + " layers"};
  const auto make = [&](std::uint64_t size) {
    list.events.push_back({list.slots, size});
    return list.slots++;
  };
  const auto drop = [&](std::uint32_t slot) { list.events.push_back({slot, 0}); };
  const std::uint64_t weights[] = {width * 4, width * width * 12, width * 12, width * width * 4, width * width * 16};
  const std::uint64_t activations[] = {tokens * width * 4,  tokens * 4,          tokens * width * 12,
                                       tokens * tokens * 4, tokens * width * 16, tokens * width * 4};
  std::vector<std::uint32_t> state;
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    for (const std::uint64_t size : weights) make(size);
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      for (const std::uint64_t size : activations) {
        const std::uint32_t passing = make(size / 2);
        kept.push_back(make(size));
        drop(passing);
      }
    }
    std::vector<std::uint32_t> gradients;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      for (std::size_t i = 0; i < std::size(activations); ++i) {
        const std::uint32_t gradient = make(activations[std::size(activations) - 1 - i]);
        const std::uint32_t scratch = make(tokens * 512 + 1000);
        drop(scratch);
        drop(kept.back());
        kept.pop_back();
        drop(gradient);
      }
      for (const std::uint64_t size : weights) gradients.push_back(make(size));
    }
    for (const std::uint64_t size : weights) {
      for (std::uint32_t layer = 0; layer < layers && step == 0; ++layer) state.push_back(make(2 * size));
    }
    for (const std::uint32_t gradient : gradients) {
      const std::uint32_t scratch = make(width * 64);
      drop(scratch);
      drop(gradient);
    }
  }
  free_the_rest(list);
  return list;
}

/// The mallocs and frees of an oracle trace, on one stream; empty if the file cannot be read.
inline MemoryEvents oracle_events(const std::string& path) {
  MemoryEvents list{.name = path.substr(path.rfind('/') + 1)};
  std::unordered_map<std::uint64_t, std::uint32_t> slots;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string op;
    std::uint64_t id = 0;
    std::uint64_t size = 0;
    words >> op >> id >> size;
    if (op == "a" && size > 0) {
      list.events.push_back({slots[id] = list.slots++, size});
    } else if (op == "f" && slots.count(id) > 0) {
      list.events.push_back({slots[id], 0});
      slots.erase(id);
    }
  }
  free_the_rest(list);
  return list;
}

}  // namespace dryfit::bench
