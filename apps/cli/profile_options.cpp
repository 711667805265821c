// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "profile_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string_view>

#include "command_options.h"
#include "duration.h"

namespace dryfit::cli {
namespace {

constexpr std::string_view kPlace = "{batch}";
constexpr std::string_view kShrunk = "batch=";

bool has_place(const std::string& word) { return word.find(kPlace) != std::string::npos; }

std::optional<std::uint64_t> parse_batch(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

Status check_output(const std::filesystem::path& output) {
  const auto name = output.filename().string();
  if (name.ends_with(".json") || name.ends_with(".json.gz")) return {};
  return Error{"'" + output.string() + "' is not a file name for a trace",
               "Give -o a name that ends in .json.gz or .json."};
}

}  // namespace

void TypedProfileOptions::declare(CLI::App& app) {
  app.add_option("--steps", steps, "Number of optimizer steps to run, or all")
      ->type_name("N|all")
      ->capture_default_str();
  app.add_option("--shrink", shrink,
                 "Small batches to profile at, for jobs too large for the CPU; set through {batch} in the command "
                 "or the program's DataLoader")
      ->type_name("batch=4,8");
  app.add_option("-o,--output", output, "Trace to write")->type_name("FILE")->capture_default_str();
  app.add_option("--timeout", timeout, "Time limit: 90, 5m, 2h (default: none)")->type_name("TIME");
  app.add_flag("--keep-writes", keep_writes, "Let the program change files; by default, what it writes is discarded");
  app.add_flag("--json", json, "Print the result as JSON; the program's output goes to stderr");
}

Result<ProfileOptions> TypedProfileOptions::parse(std::vector<std::string> command) const {
  if (command.empty()) return no_command(TypedLine::own());
  ProfileOptions result;
  result.command = std::move(command);
  result.output = output;
  result.json = json;
  result.keep_writes = keep_writes;
  if (const auto status = parse_steps(steps, result.steps); !status) return status.error();
  if (const auto status = check_output(result.output); !status) return status.error();
  if (!shrink.empty()) {
    auto batches = parse_shrink(shrink);
    if (!batches) return batches.error();
    result.batches = std::move(batches).value();
  } else if (std::ranges::any_of(result.command, has_place)) {
    return Error{"the command contains {batch}, but there is no --shrink",
                 "Give the batches, for example --shrink batch=4,8."};
  }
  if (!timeout.empty()) {
    const auto duration = parse_duration(timeout);
    if (!duration) return duration.error();
    result.timeout = *duration;
  }
  return result;
}

Result<std::vector<std::uint64_t>> parse_shrink(const std::string& text) {
  const Error wrong{"'" + text + "' is not a list of batches to shrink to",
                    "Give two batches or more, for example --shrink batch=4,8."};
  if (!text.starts_with(kShrunk)) return wrong;
  std::vector<std::uint64_t> batches;
  for (std::string_view rest = std::string_view(text).substr(kShrunk.size()); !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    const auto batch = parse_batch(rest.substr(0, end));
    if (!batch) return wrong;
    batches.push_back(*batch);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::ranges::sort(batches);
  if (batches.size() < 2 || std::ranges::adjacent_find(batches) != batches.end()) return wrong;
  return batches;
}

std::vector<std::string> command_for(const std::vector<std::string>& command, std::uint64_t batch) {
  auto words = command;
  for (auto& word : words) {
    for (auto at = word.find(kPlace); at != std::string::npos; at = word.find(kPlace, at)) {
      word.replace(at, kPlace.size(), std::to_string(batch));
    }
  }
  return words;
}

std::filesystem::path output_for(const std::filesystem::path& output, std::uint64_t batch) {
  auto name = output.filename().string();
  name.insert(name.rfind(".json"), ".batch-" + std::to_string(batch));
  return output.parent_path() / name;
}

}  // namespace dryfit::cli
