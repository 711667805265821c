// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "told.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace dryfit::cli {
namespace {

using Json = nlohmann::json;
using Seconds = Told::Seconds;

/// A backward pass takes about twice as long as the forward pass.
constexpr double kStepPerForward = 3;

void take_phase(Told& told, const std::string& name) {
  if (name == "forward" && told.steps == 0) told.step_begun = told.now;
  if (name == "backward" && !told.step_time) told.step_time = kStepPerForward * (told.now - told.step_begun);
  told.phase = name;
}

void take_step(Told& told, std::uint64_t completed) {
  told.steps = completed;
  told.step_time = told.now - told.step_begun;
  told.step_begun = told.now;
}

void take_note(Told& told, const std::string& key, const std::string& text) {
  if (key == "hooks.error") told.errors.push_back(text);
  if (key == "software.torch") told.torch = text;
  if (key == "profile.saving") told.saving = true;
}

void take(Told& told, const Json& line) {
  told.now = Seconds(line.value("seconds", 0.0));
  const auto what = line.value("what", "");
  if (what == "phase") take_phase(told, line.value("name", ""));
  if (what == "step") take_step(told, line.value("completed", std::uint64_t{0}));
  if (what == "note") take_note(told, line.value("key", ""), line.value("text", ""));
  if (what == "batch") told.full_batch = line.value("from", std::uint64_t{0});
}

}  // namespace

std::optional<Seconds> Told::left(std::optional<std::uint64_t> asked, Seconds at) const {
  if (!asked || !step_time || steps >= *asked) return std::nullopt;
  const auto whole = static_cast<double>(*asked - steps) * *step_time;
  return std::max(whole - (at - step_begun), Seconds(0));
}

Told understand_told(std::string_view lines) {
  Told told;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto line = Json::parse(lines.substr(0, end), nullptr, false);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!line.is_object()) continue;
    try {
      take(told, line);
    } catch (const Json::exception&) {
      continue;
    }
  }
  return told;
}

std::optional<ToldFile> furthest(const std::vector<std::filesystem::path>& files) {
  std::optional<ToldFile> best;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto told = understand_told(text);
    if (!best || told.steps > best->told.steps) best = ToldFile{path, std::move(told)};
  }
  return best;
}

}  // namespace dryfit::cli
