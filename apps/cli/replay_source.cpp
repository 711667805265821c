// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "replay_source.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "launch/run_directory.h"
#include "snapshot/reader.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHistory = "history-";
constexpr const char* kHint =
    "Keep a run with `dryfit run --save DIR`, or give a file of torch.cuda.memory._dump_snapshot.";

/// The histories in a folder, or in the folders of cards below it.
std::vector<fs::path> histories_in(const fs::path& folder) {
  auto found = launch::RunDirectory(folder).histories();
  if (!found.empty()) return found;
  std::error_code error;
  std::vector<fs::path> cards;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) cards.push_back(entry.path());
  }
  std::ranges::sort(cards);
  for (const auto& card : cards) {
    const auto histories = launch::RunDirectory(card).histories();
    found.insert(found.end(), histories.begin(), histories.end());
  }
  return found;
}

std::optional<Machine> machine_beside(const fs::path& snapshot) {
  std::ifstream file(snapshot.parent_path() / "machine.txt");
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto machine = parse_machine(text);
  return machine ? std::optional(std::move(machine).value()) : std::nullopt;
}

/// history-<pid>.pickle and trace-<pid>.dryfit tell about the same process; other traces about the others of its run.
void read_traces_beside(ReplaySource& source) {
  const auto stem = source.file.stem().string();
  if (!stem.starts_with(kHistory)) return;
  const auto own = "trace-" + stem.substr(std::string(kHistory).size()) + ".dryfit";
  for (const auto& trace : launch::RunDirectory(source.file.parent_path()).traces()) {
    auto summary = analysis::summarise(trace);
    if (!summary) continue;
    if (trace.filename() == own) {
      source.process = std::move(summary).value();
    } else {
      source.others.push_back(std::move(summary).value());
    }
  }
}

const analysis::DeviceSummary* find_device(const analysis::ProcessSummary& process, int device) {
  const auto found =
      std::ranges::find(process.devices, static_cast<std::uint32_t>(device), &analysis::DeviceSummary::ordinal);
  return found == process.devices.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string> ReplaySource::torch() const {
  if (!process) return std::nullopt;
  const auto found = process->notes.find("software.torch");
  return found == process->notes.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Bytes> ReplaySource::libraries(int device) const {
  const auto* found = process ? find_device(*process, device) : nullptr;
  if (!found) return std::nullopt;
  return found->peak_libraries + found->peak_code;
}

whatif::Others ReplaySource::others_on(int device) const {
  whatif::Others result;
  for (const auto& other : others) {
    const auto* found = find_device(other, device);
    if (!found || found->peak.count == 0) continue;
    ++result.processes;
    result.peaks += found->peak;
  }
  return result;
}

const Card* ReplaySource::card(int device) const {
  const auto index = static_cast<std::size_t>(device);
  return machine && index < machine->cards.size() ? &machine->cards[index] : nullptr;
}

Result<fs::path> find_snapshot(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) return Error{"there is no '" + path.string() + "'", kHint};
    return path;
  }
  const auto found = histories_in(path);
  if (found.size() == 1) return found.front();
  if (found.empty()) return Error{"there is no memory history in '" + path.string() + "'", kHint};
  std::string names;
  for (const auto& history : found) names += (names.empty() ? "" : ", ") + history.string();
  return Error{"'" + path.string() + "' holds several recordings", "Name one of them: " + names};
}

Result<ReplaySource> read_source(const fs::path& file) {
  auto snapshot = snapshot::read_snapshot(file);
  if (!snapshot) return snapshot.error();
  ReplaySource source{.file = file, .snapshot = std::move(snapshot).value(), .machine = machine_beside(file)};
  read_traces_beside(source);
  return source;
}

}  // namespace dryfit::cli
