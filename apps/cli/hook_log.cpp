// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "hook_log.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace dryfit::cli {
namespace {

using Json = nlohmann::json;
using Seconds = HookLog::Seconds;

/// A backward pass takes about twice as long as the forward pass.
constexpr double kStepPerForward = 3;

void take_phase(HookLog& log, const std::string& name) {
  if (name == "forward" && log.steps == 0) log.step_begun = log.now;
  if (name == "backward" && !log.step_time) log.step_time = kStepPerForward * (log.now - log.step_begun);
  log.phase = name;
}

void take_step(HookLog& log, std::uint64_t completed) {
  log.steps = completed;
  log.step_time = log.now - log.step_begun;
  log.step_begun = log.now;
}

void take_note(HookLog& log, const std::string& key, const std::string& text) {
  if (key == "hooks.error") log.errors.push_back(text);
  if (key == "software.torch") log.torch = text;
  if (key == "profile.saving") log.saving = true;
}

void take(HookLog& log, const Json& line) {
  log.now = Seconds(line.value("seconds", 0.0));
  const auto what = line.value("what", "");
  if (what == "phase") take_phase(log, line.value("name", ""));
  if (what == "step") take_step(log, line.value("completed", std::uint64_t{0}));
  if (what == "note") take_note(log, line.value("key", ""), line.value("text", ""));
  if (what == "batch") log.full_batch = line.value("from", std::uint64_t{0});
}

}  // namespace

std::optional<Seconds> HookLog::left(std::optional<std::uint64_t> wanted, Seconds at) const {
  if (!wanted || !step_time || steps >= *wanted) return std::nullopt;
  const auto whole = static_cast<double>(*wanted - steps) * *step_time;
  return std::max(whole - (at - step_begun), Seconds(0));
}

HookLog parse_hook_log(std::string_view lines) {
  HookLog log;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto line = Json::parse(lines.substr(0, end), nullptr, false);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line.is_object()) continue;
    try {
      take(log, line);
    } catch (const Json::exception&) {
      continue;
    }
  }
  return log;
}

std::optional<HookLogFile> furthest(const std::vector<std::filesystem::path>& files) {
  std::optional<HookLogFile> best;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto log = parse_hook_log(text);
    if (!best || log.steps > best->log.steps) best = HookLogFile{path, std::move(log)};
  }
  return best;
}

}  // namespace dryfit::cli
