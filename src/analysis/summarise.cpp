// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay.h"
#include "analysis/run_summary.h"
#include "trace/reader.h"

namespace dryfit::analysis {
namespace {

std::string sentence_for(trace::Incomplete reason) {
  switch (reason) {
    case trace::Incomplete::no:
      return "";
    case trace::Incomplete::disk_full:
      return "the disk is full";
    case trace::Incomplete::file_size_limit:
      return "a limit on the size of files was reached (ulimit -f)";
    case trace::Incomplete::address_space:
      return "a limit on address space was reached (ulimit -v)";
    case trace::Incomplete::input_output:
      return "its file could not be extended";
    case trace::Incomplete::out_of_memory:
      return "the program had no host memory left for it";
  }
  return "it stopped for an unknown reason";
}

}  // namespace

Result<ProcessSummary> summarise(const std::filesystem::path& trace) {
  auto reader = trace::Reader::open(trace.string());
  if (!reader) return reader.error();
  Replay replay;
  std::uint64_t last_event = 0;
  while (const auto event = reader->next()) {
    replay.apply(*event);
    last_event = event->time;
  }

  ProcessSummary summary = replay.summary();
  const auto& capture = reader->capture();
  summary.pid = static_cast<std::uint32_t>(capture.pid);
  summary.began = capture.start_monotonic;
  summary.last_event = capture.start_monotonic + last_event;
  summary.diagnostics.merge(reader->diagnostics());
  summary.incomplete_why = reader->damage().empty() ? sentence_for(capture.incomplete) : reader->damage();
  summary.complete = summary.incomplete_why.empty();
  return summary;
}

}  // namespace dryfit::analysis
