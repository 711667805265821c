// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   limits_bench [snapshot.pickle ...]
//
// The processor time that a scan of caps takes (src/whatif/limits.h): for the recordings given, else for a generated
// training of GPT-2's size. With --check, more than half a second is a failure.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "memory_events.h"
#include "snapshot/reader.h"
#include "whatif/limits.h"

namespace dryfit::bench {
namespace {

constexpr double kAllowed = 0.5;

/// A recording and what it refers to.
struct Subject {
  std::string name;
  snapshot::Snapshot snapshot;
  whatif::Recording recording;
};

void generate(Subject& subject) {
  const auto list = training_events(12, 768, 8 * 1024, 3);
  subject.name = list.name;
  subject.recording.torch = {2, 6, 0};
  subject.recording.slots = list.slots;
  for (const auto& event : list.events) {
    using Kind = whatif::Operation::Kind;
    subject.recording.operations.push_back({.kind = event.size > 0 ? Kind::malloc : Kind::free,
                                            .slot = event.slot,
                                            .entry = static_cast<std::uint32_t>(subject.recording.operations.size()),
                                            .size = {event.size}});
  }
}

bool read(Subject& subject, const char* file) {
  subject.name = file;
  auto snapshot = snapshot::read_snapshot(file);
  if (!snapshot) return false;
  subject.snapshot = std::move(snapshot).value();
  const auto devices = whatif::recorded_devices(subject.snapshot);
  if (devices.empty()) return false;
  auto recording = whatif::prepare(subject.snapshot, devices.front(), {2, 6, 0});
  if (!recording) return false;
  subject.recording = std::move(recording).value();
  return true;
}

/// Both depths; the shallow one is part of every verdict.
bool measure(const Subject& subject) {
  const whatif::Conditions conditions{.torch = subject.recording.torch, .config = subject.recording.config};
  bool is_quick = true;
  for (const bool beyond : {false, true}) {
    const double start = processor_seconds();
    const auto scan = whatif::scan_caps(subject.recording, conditions, {.beyond_least = beyond});
    const double seconds = processor_seconds() - start;
    if (!scan) {
      std::printf("%s: %s\n", subject.name.c_str(), scan.error().what.c_str());
      return false;
    }
    std::printf("%-8s %6.3f s, %5zu replays of %zu operations, comfortable %s, least %s%s\n",
                beyond ? "curve" : "least", seconds, scan->bands.size(), subject.recording.operations.size(),
                to_text(scan->comfortable).c_str(), to_text(scan->least).c_str(),
                scan->least_is_exact ? "" : " or less");
    if (!beyond) is_quick = seconds <= kAllowed;
  }
  return is_quick;
}

int run(int argc, char** argv) {
  const bool checks = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  bool all_quick = true;
  const int first = checks ? 2 : 1;
  for (int i = first; i < std::max(argc, first + 1); ++i) {
    Subject subject;
    if (i < argc) {
      if (!read(subject, argv[i])) {
        std::fprintf(stderr, "%s: not a recording\n", argv[i]);
        return 2;
      }
    } else {
      generate(subject);
    }
    std::printf("%s\n", subject.name.c_str());
    all_quick &= measure(subject);
  }
  return checks && !all_quick ? 1 : 0;
}

}  // namespace
}  // namespace dryfit::bench

int main(int argc, char** argv) { return dryfit::bench::run(argc, argv); }
