// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "site_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/table.h"

namespace dryfit::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;
using predictor::BoundQuality;
using predictor::GroupAssessment;
using report::Cell;

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

std::string coverage_text(const BoundQuality& quality) { return quality.jobs == 0 ? "" : percent(quality.coverage()); }

std::string over_text(const BoundQuality& quality) {
  return quality.finished == 0 ? "" : percent(quality.over_allocation);
}

std::vector<Cell> heading() {
  using enum report::Align;
  std::vector<Cell> cells{{"card"},         {"family"},
                          {"jobs", right},  {"covered before", right},
                          {"after", right}, {"over-allocated before", right},
                          {"after", right}, {"bound", right}};
  for (auto& cell : cells) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  return cells;
}

std::vector<Cell> row(const GroupAssessment& group, bool is_all) {
  using enum report::Align;
  std::vector<Cell> cells{{is_all ? "all" : group.group.card},
                          {group.group.family},
                          {std::to_string(group.before.jobs), right},
                          {coverage_text(group.before), right},
                          {coverage_text(group.after), right},
                          {over_text(group.before), right},
                          {over_text(group.after), right}};
  if (!is_all) cells.push_back({fmt::format("{:+.1f} %", 100 * std::expm1(group.shift)), right});
  return cells;
}

std::string name_of(const GroupAssessment& group, bool is_all) {
  if (is_all) return "all jobs";
  return group.group.card + (group.group.family.empty() ? "" : ", " + group.group.family);
}

std::string drift_text(const GroupAssessment& group, bool is_all, double coverage) {
  if (!group.recent.is_drift()) return "";
  return fmt::format("drift, {}: {} of the latest {} jobs exceeded a bound that {} should (chance {:.2g})\n",
                     name_of(group, is_all), group.recent.exceeded, group.recent.jobs, percent(1 - coverage),
                     group.recent.chance);
}

OrderedJson quality_json(const BoundQuality& quality) {
  return {{"jobs", quality.jobs},
          {"covered", quality.covered},
          {"coverage", quality.jobs == 0 ? OrderedJson() : OrderedJson(quality.coverage())},
          {"over_allocation", quality.finished == 0 ? OrderedJson() : OrderedJson(quality.over_allocation)}};
}

OrderedJson group_json(const GroupAssessment& group) {
  return {{"card", group.group.card},
          {"family", group.group.family},
          {"bound_factor", std::exp(group.shift)},
          {"before", quality_json(group.before)},
          {"after", quality_json(group.after)},
          {"recent",
           {{"jobs", group.recent.jobs},
            {"exceeded", group.recent.exceeded},
            {"chance", group.recent.chance},
            {"drift", group.recent.is_drift()}}}};
}

}  // namespace

std::string site_text(const SiteReport& report, const report::Style& style) {
  std::vector<std::vector<Cell>> rows{heading()};
  for (const auto& group : report.assessment.groups) rows.push_back(row(group, false));
  rows.push_back(row(report.assessment.all, true));
  auto text =
      fmt::format("bounds of {}, from {} records in {}\n\n", percent(report.coverage), report.records, report.history);
  text += report::aligned(rows, style);
  text += "\n";
  text += drift_text(report.assessment.all, true, report.coverage);
  for (const auto& group : report.assessment.groups) text += drift_text(group, false, report.coverage);
  for (const auto& [why, count] : report.left_out) text += fmt::format("left out, {}: {}\n", why, count);
  return text + "written: " + report.calibration + "\n";
}

std::string site_json(const SiteReport& report, std::string_view version) {
  OrderedJson groups = OrderedJson::array();
  for (const auto& group : report.assessment.groups) groups.push_back(group_json(group));
  auto all = group_json(report.assessment.all);
  for (const char* key : {"card", "family", "bound_factor"}) all.erase(key);
  const OrderedJson json{
      {"dryfit", version},           {"history", report.history},  {"calibration", report.calibration},
      {"coverage", report.coverage}, {"records", report.records},  {"left_out", report.left_out},
      {"all", std::move(all)},       {"groups", std::move(groups)}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace dryfit::cli
