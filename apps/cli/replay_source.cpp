// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "replay_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "kept_runs.h"
#include "launch/run_directory.h"
#include "notice.h"
#include "own_environment.h"
#include "run_manifest.h"
#include "snapshot/reader.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargeFile = std::uintmax_t{100} << 20;
constexpr const char* kHistory = "history-";
constexpr std::string_view kProfile = "JSON as written by a profiler; a snapshot is a pickle file";
constexpr const char* kHint =
    "Keep a run with `dryfit run --save DIR`, or give a file written by torch.cuda.memory._dump_snapshot.";

/// A folder of one run, or the folders of its GPUs below it.
std::vector<launch::RunDirectory> runs_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> below;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) below.push_back(entry.path());
  }
  std::ranges::sort(below);
  std::vector<launch::RunDirectory> runs{launch::RunDirectory(folder)};
  for (const auto& each : below) runs.emplace_back(each);
  return runs;
}

/// What kind of file this is if it is not a snapshot, judged by its first bytes; "" if unknown.
std::string_view known_as(const fs::path& path) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"dryfit\r\n", "a Dryfit trace; the recording is the history-*.pickle file beside it"},
      {"\x1f\x8b", "compressed with gzip; unpack it first"},
      {"PK\x03\x04", "a zip archive as written by torch.save; a snapshot is written by _dump_snapshot"},
      {"{", kProfile}};
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  std::string beginning(8, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  for (const auto& [bytes, kind] : kKinds) {
    if (beginning.starts_with(bytes)) return kind;
  }
  return "";
}

std::string estimate_hint(const fs::path& profile) {
  const auto gpu = TypedLine::own().value_of("--gpu").value_or("rtx-4090");
  return did_you_mean(TypedLine({"estimate", "--gpu", gpu, profile.string()}));
}

std::optional<Machine> machine_beside(const fs::path& snapshot) {
  std::ifstream file(snapshot.parent_path() / "machine.txt");
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto machine = parse_machine(text);
  return machine ? std::optional(std::move(machine).value()) : std::nullopt;
}

bool is_of_dry_run(const fs::path& snapshot) { return snapshot.filename().string().starts_with(kHistory); }

Error unusable(const fs::path& trace, const std::string& why) {
  return {fmt::format("cannot tell: the trace '{}' is incomplete: {}", trace.string(), why), "Run the job again.",
          true};
}

/// history-<pid>.pickle and trace-<pid>.dryfit are of the same process, and so is trace-<pid>-2.dryfit, of the program
/// that took its place by exec: the last of them wrote the history. Other traces are of other processes of the run. Each
/// counts, so each must be there to its end.
Status read_traces_beside(ReplaySource& source) {
  const auto pid = source.file.stem().string().substr(std::string_view(kHistory).size());
  const auto own = "trace-" + pid;
  for (const auto& trace : launch::RunDirectory(source.file.parent_path()).traces()) {
    auto summary = analysis::summarise(trace);
    if (!summary) return unusable(trace, summary.error().what);
    if (!summary->complete) return unusable(trace, summary->incomplete_why);
    const auto name = trace.stem().string();
    if (name == own || name.starts_with(own + "-")) {
      source.process = std::move(summary).value();
    } else {
      source.others.push_back(std::move(summary).value());
    }
  }
  if (source.process || !source.machine) return {};
  return Error{
      fmt::format("cannot tell: the trace of process {} is missing in '{}'", pid, source.file.parent_path().string()),
      "Run the job again.", true};
}

/// How to name each of the recordings in `folder`, which the user typed as `typed`: by its GPU where that is enough.
std::string choices(const fs::path& typed, const fs::path& folder, const std::vector<fs::path>& recordings) {
  std::string names;
  for (const auto& each : recordings) {
    const auto beside = [&](const fs::path& other) { return other.parent_path() == each.parent_path(); };
    const bool is_alone = std::ranges::count_if(recordings, beside) == 1 && each.parent_path() != folder;
    const auto name = typed / (is_alone ? each.parent_path() : each).lexically_relative(folder);
    names += (names.empty() ? "" : ", ") + name.string();
  }
  return names;
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

Result<fs::path> find_snapshot(const fs::path& typed) {
  std::error_code error;
  auto path = typed;
  if (!fs::exists(path, error)) {
    const auto name = path.string();
    if (!name.starts_with("last")) return Error{"no such file or run: '" + name + "'", kHint};
    auto run = named_run(name, own_environment());
    if (!run) return run.error();
    path = *std::move(run);
  }
  if (!fs::is_directory(path, error)) return path;
  std::vector<fs::path> found;
  bool is_run = false;
  for (const auto& run : runs_in(path)) {
    const auto histories = run.histories();
    found.insert(found.end(), histories.begin(), histories.end());
    is_run |= fs::exists(run.machine_file(), error);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    if (const auto status = check_run(path); !status) return status.error();
    return Error{fmt::format("there is no memory history in '{}'", path.string()),
                 is_run ? "This run was made with --no-history. Run it again without that option." : kHint};
  }
  return Error{"'" + typed.string() + "' holds several recordings",
               "Name one of them: " + choices(typed, path, found) + "."};
}

Result<ReplaySource> read_source(const fs::path& file) {
  if (is_of_dry_run(file)) {
    if (const auto status = check_intact(file.parent_path()); !status) return status.error();
  }
  auto snapshot = snapshot::read_snapshot(file);
  if (!snapshot) {
    const auto kind = known_as(file);
    if (kind.empty()) return snapshot.error();
    return Error{fmt::format("{} is {}", file.string(), kind), kind == kProfile ? estimate_hint(file) : kHint};
  }
  ReplaySource source{.file = file, .snapshot = std::move(snapshot).value(), .machine = machine_beside(file)};
  if (is_of_dry_run(file)) {
    if (const auto status = read_traces_beside(source); !status) return status.error();
  }
  return source;
}

Result<ReplaySource> load_source(const fs::path& path) {
  const auto file = find_snapshot(path);
  if (!file) return file.error();
  std::error_code error;
  const auto size = fs::file_size(*file, error);
  std::optional<Notice> notice;
  if (!error && size > kLargeFile) notice.emplace(fmt::format("reading {} ({})", file->string(), to_text(Bytes{size})));
  return read_source(*file);
}

Result<int> chosen_device(const ReplaySource& source, const std::vector<int>& recorded, std::optional<int> requested) {
  if (recorded.empty()) {
    return Error{source.file.string() + ": it contains no recorded events",
                 "Call torch.cuda.memory._record_memory_history() before the part you want to record."};
  }
  if (requested && std::ranges::find(recorded, *requested) == recorded.end()) {
    return Error{source.file.string() + ": nothing was recorded for device " + std::to_string(*requested),
                 fmt::format("Give a recorded device: --device {}.", fmt::join(recorded, " or "))};
  }
  if (requested) return *requested;
  const auto reserved = [&](int device) {
    Bytes sum;
    for (const auto& segment : source.snapshot.segments) {
      if (segment.device == device) sum += segment.size;
    }
    return sum;
  };
  return *std::ranges::max_element(recorded, {}, reserved);
}

Result<whatif::Recording> prepared(const ReplaySource& source, int device, const std::string& given) {
  const auto known = source.torch();
  const auto assumed = given.empty() ? source.snapshot.oldest_torch : given;
  const auto torch = simulator::parse_torch_version(known.value_or(assumed));
  if (!torch) return torch.error();
  auto recording = whatif::prepare(source.snapshot, device, *torch);
  if (recording || known || !given.empty()) return recording;
  return whatif::prepare(source.snapshot, device, simulator::TorchVersion::newest());
}

}  // namespace dryfit::cli
