// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "observe_record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "history/history.h"
#include "history/record_json.h"
#include "history_place.h"
#include "own_environment.h"
#include "resources.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGiveOutput = "Give the output of a tool that measured the job, or - for standard input.";

Result<std::string> content_of(const fs::path& path) {
  if (path == "-") return std::string{std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || fs::is_directory(path, ignored)) return Error{"cannot read '" + path.string() + "'", kGiveOutput};
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::string json_text(const Tally& tally) {
  using Ordered = nlohmann::ordered_json;
  Ordered records = Ordered::array();
  for (const auto& record : tally.imported.records) records.push_back(Ordered::parse(history::to_line(record)));
  const Ordered json{{"dryfit", DRYFIT_VERSION},
                     {"history", tally.history.string()},
                     {"new", tally.added},
                     {"there_before", tally.imported.records.size() - tally.added},
                     {"left_out", tally.imported.left_out},
                     {"records", std::move(records)}};
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string plain_text(const Tally& tally) {
  const auto known = tally.imported.records.size() - tally.added;
  auto text = fmt::format("recorded {} job{}{} in {}\n", tally.added, tally.added == 1 ? "" : "s",
                          known > 0 ? fmt::format(" ({} already there)", known) : "", tally.history.string());
  for (const auto& [why, count] : tally.imported.left_out) text += fmt::format("skipped {}: {}\n", count, why);
  return text;
}

}  // namespace

Status read_into(std::string& text, const fs::path& path) {
  if (path.empty()) return {};
  auto content = content_of(path);
  if (!content) return content.error();
  text = std::move(content).value();
  if (text.empty()) return Error{"'" + path.string() + "' is empty", kGiveOutput};
  return {};
}

Defaults own_defaults(const launch::Environment& environment) {
  Defaults defaults{.job_id = std::string(launch::value_of(environment, "SLURM_JOB_ID").value_or("")),
                    .name = std::string(launch::value_of(environment, "SLURM_JOB_NAME").value_or("")),
                    .host = {},
                    .now = std::time(nullptr)};
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) defaults.host = name.data();
  return defaults;
}

Result<Surroundings> surroundings(ObserveOptions& options) {
  auto environment = own_environment();
  auto place = history_file(options.history, environment);
  if (!place) return place.error();
  const auto resources = find_resources();
  if (!resources) return resources.error();
  auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return catalogue.error();
  for (auto [text, path] : {std::pair(&options.remarks.job, &options.job_file),
                            std::pair(&options.remarks.prediction, &options.prediction_file)}) {
    if (const auto status = read_into(*text, *path); !status) return status.error();
  }
  return Surroundings{std::move(environment), std::move(place).value(), std::move(catalogue).value()};
}

Result<std::string> recorded(Tally tally, bool json) {
  auto history = history::History::open(tally.history);
  if (!history) return history.error();
  const auto added = history->add(tally.imported.records);
  if (!added) return added.error();
  tally.added = *added;
  return json ? json_text(tally) : plain_text(tally);
}

}  // namespace dryfit::cli
