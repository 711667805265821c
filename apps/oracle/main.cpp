// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   dryfit-oracle DIR               compare the simulator with an unpacked allocator oracle
//   dryfit-oracle --snapshots DIR   compare it with text traces of memory snapshots (.txt, .txt.xz)
//
// Exit code 0: no mismatch (with --snapshots: every file could be read); 1: mismatches; 2: wrong usage or unreadable.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "oracle_trace.h"
#include "recording_replay.h"
#include "rounding_table.h"
#include "trace_replay.h"

namespace dryfit::oracle {
namespace {

namespace fs = std::filesystem;

/// The files of a folder with one of these endings, sorted by name; none if there is no such folder.
std::vector<fs::path> files_in(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (std::any_of(endings.begin(), endings.end(), [&](const auto& ending) { return name.ends_with(ending); })) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Totals {
  std::uint64_t traces = 0;
  std::uint64_t operations = 0;
  std::uint64_t mismatches = 0;
  bool unreadable = false;
};

/// One line per file, with the first mismatch, if any.
void report(const std::string& name, const Result<Comparison>& result, Totals& totals) {
  if (!result) {
    std::printf("%s: %s\n", name.c_str(), result.error().what.c_str());
    totals.unreadable = true;
    ++totals.mismatches;
    return;
  }
  totals.mismatches += result->mismatches;
  if (result->first) {
    std::printf("%s: %llu mismatches, the first at %s\n", name.c_str(),
                static_cast<unsigned long long>(result->mismatches), to_text(*result->first).c_str());
  } else {
    std::printf("%s: ok\n", name.c_str());
  }
}

void report_trace(const std::string& name, const Result<Comparison>& result, Totals& totals) {
  ++totals.traces;
  if (result) totals.operations += result->operations;
  report(name, result, totals);
}

Result<Comparison> compare_trace(const fs::path& path) {
  const auto trace = read_oracle_trace(path);
  if (!trace) return trace.error();
  return replay_trace(**trace, (*trace)->version);
}

/// The version of "42_name.2.9.tsv" is in its name.
Result<Comparison> compare_old_trace(const fs::path& path) {
  const auto trace = read_oracle_trace(path);
  if (!trace) return trace.error();
  const std::string name = path.stem();
  const auto version = simulator::parse_torch_version(name.substr(name.find('.') + 1));
  return replay_trace(**trace, version ? *version : (*trace)->version);
}

Result<Comparison> compare_recording(const fs::path& path) {
  const auto recording = read_recording(path);
  if (!recording) return recording.error();
  return replay_recording(*recording);
}

int compare_oracle(const fs::path& folder) {
  Totals totals;
  for (const fs::path& path : files_in(folder, {".tsv"})) {
    if (path.filename() != "rounding.tsv") report_trace(path.filename(), compare_trace(path), totals);
  }
  for (const fs::path& path : files_in(folder / "old", {".tsv"})) {
    report_trace("old" / path.filename(), compare_old_trace(path), totals);
  }
  for (const fs::path& path : files_in(folder / "real", {".txt", ".txt.xz"})) {
    report_trace("real" / path.filename(), compare_recording(path), totals);
  }
  if (fs::exists(folder / "rounding.tsv")) {
    report("rounding.tsv", compare_rounding_table(folder / "rounding.tsv"), totals);
  }
  std::printf("%llu traces, %llu operations, %llu mismatches\n", static_cast<unsigned long long>(totals.traces),
              static_cast<unsigned long long>(totals.operations), static_cast<unsigned long long>(totals.mismatches));
  if (totals.traces == 0) return 2;
  return totals.mismatches == 0 ? 0 : 1;
}

int compare_snapshots(const fs::path& folder) {
  Totals totals;
  std::uint64_t exact = 0;
  for (const fs::path& path : files_in(folder, {".txt", ".txt.xz"})) {
    const auto result = compare_recording(path);
    report_trace(path.filename(), result, totals);
    if (result && !result->first) ++exact;
  }
  std::printf("%llu of %llu traces exact\n", static_cast<unsigned long long>(exact),
              static_cast<unsigned long long>(totals.traces));
  return totals.unreadable || totals.traces == 0 ? 2 : 0;
}

}  // namespace
}  // namespace dryfit::oracle

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && !arguments[0].starts_with("-")) return dryfit::oracle::compare_oracle(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "--snapshots") return dryfit::oracle::compare_snapshots(arguments[1]);
  std::fprintf(stderr, "usage: dryfit-oracle DIR | dryfit-oracle --snapshots DIR\n");
  return 2;
}
