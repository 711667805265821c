// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// A self-contained page with plots: for each contender that is shown, predicted against actual, errors over the actual
// amount, a histogram of the errors, and the groups with the largest errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string>

#include "evaluate/findings.h"
#include "predictor/median.h"

namespace dryfit::evaluate {
namespace {

using predictor::Contender;
using predictor::kAllMetrics;

constexpr double kWidth = 420;
constexpr double kHeight = 320;
constexpr double kLeft = 52;
constexpr double kRight = 410;
constexpr double kTop = 10;
constexpr double kBottom = 280;
constexpr double kMostMissed = 0.7;  ///< a logarithm: errors of more than a factor of 2 are drawn at the edge
constexpr int kBars = 28;
constexpr std::size_t kShownGroups = 25;

__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

/// A linear map from amounts to places in a plot.
struct Axis {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;

  double at(double value) const { return from + (std::clamp(value, low, high) - low) / (high - low) * (to - from); }
};

/// The logarithms of all amounts, with some room on both sides.
Axis amounts(const Findings& findings, double from, double to) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const auto& example : findings.data.examples) {
    low = std::min(low, std::log(example.truth));
    high = std::max(high, std::log(example.truth));
  }
  const double room = std::max(0.05 * (high - low), 0.05);
  return {low - room, high + room, from, to};
}

std::string svg_start(const std::string& title) {
  return formatted("<figure><svg viewBox='0 0 %g %g' role='img' aria-label='", kWidth, kHeight) + escaped(title) +
         "'>" + formatted("<path class='axis' d='M%g %gV%gH%g'/>", kLeft, kTop, kBottom, kRight);
}

std::string svg_end(const std::string& title) {
  return "</svg><figcaption>" + escaped(title) + "</figcaption></figure>\n";
}

std::string tick(double x, double y, const char* anchor, const std::string& text) {
  return formatted("<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor) + escaped(text) + "</text>";
}

/// The numbers 1, 2 and 5 times a power of ten that lie on the axis.
std::vector<double> round_amounts(const Axis& axis) {
  std::vector<double> amounts;
  for (int power = -6; power <= 12; ++power) {
    for (const double times : {1.0, 2.0, 5.0}) {
      const double amount = times * std::pow(10, power);
      if (axis.low <= std::log(amount) && std::log(amount) <= axis.high) amounts.push_back(amount);
    }
  }
  return amounts;
}

std::string amount_ticks(const Findings& findings, const Axis& x) {
  const double unit = findings.data.quantity.per_published;
  const auto in_published = Axis{x.low - std::log(unit), x.high - std::log(unit), x.from, x.to};
  std::string text;
  for (const double amount : round_amounts(in_published)) {
    text += tick(in_published.at(std::log(amount)), kBottom + 16, "middle", formatted("%g", amount));
  }
  return text + tick(kRight, kBottom + 32, "end", "actual, " + findings.data.quantity.published_unit);
}

std::string dot(double x, double y) { return formatted("<circle cx='%.1f' cy='%.1f' r='2'/>", x, y); }

std::string scatter(const Findings& findings, const Contender& contender) {
  const std::string title = "predicted against actual";
  const auto x = amounts(findings, kLeft, kRight);
  const auto y = amounts(findings, kBottom, kTop);
  const double unit = findings.data.quantity.per_published;
  std::string text = svg_start(title) + amount_ticks(findings, x);
  const auto y_published = Axis{y.low - std::log(unit), y.high - std::log(unit), y.from, y.to};
  for (const double amount : round_amounts(y_published)) {
    text += tick(kLeft - 6, y_published.at(std::log(amount)) + 4, "end", formatted("%g", amount));
  }
  text += formatted("<path class='guide' d='M%g %gL%g %g'/>", kLeft, kBottom, kRight, kTop);
  for (std::size_t i = 0; i < findings.data.examples.size(); ++i) {
    text += dot(x.at(std::log(findings.data.examples[i].truth)), y.at(std::log(contender.predicted[i])));
  }
  return text + svg_end(title);
}

std::string percent(double logarithm) { return formatted("%+.0f %%", 100 * std::expm1(logarithm)); }

constexpr std::array kMissTicks{-0.693, -0.223, 0.0, 0.182, 0.693};

std::string residuals(const Findings& findings, const Contender& contender) {
  const std::string title = "predicted above or below actual";
  const auto x = amounts(findings, kLeft, kRight);
  const Axis y{-kMostMissed, kMostMissed, kBottom, kTop};
  std::string text = svg_start(title) + amount_ticks(findings, x);
  for (const double miss : kMissTicks) text += tick(kLeft - 6, y.at(miss) + 4, "end", percent(miss));
  text += formatted("<path class='guide' d='M%g %gH%g'/>", kLeft, y.at(0), kRight);
  for (std::size_t i = 0; i < findings.data.examples.size(); ++i) {
    const double truth = findings.data.examples[i].truth;
    text += dot(x.at(std::log(truth)), y.at(std::log(contender.predicted[i] / truth)));
  }
  return text + svg_end(title);
}

std::string histogram(const Findings& findings, const Contender& contender) {
  const std::string title = "histogram of errors; the outermost bars include all larger errors";
  std::array<std::size_t, kBars> counts{};
  for (std::size_t i = 0; i < findings.data.examples.size(); ++i) {
    const double miss = std::log(contender.predicted[i] / findings.data.examples[i].truth);
    const double place = (std::clamp(miss, -kMostMissed, kMostMissed) + kMostMissed) / (2 * kMostMissed) * kBars;
    ++counts[static_cast<std::size_t>(std::clamp(place, 0.0, kBars - 1.0))];
  }
  const Axis x{-kMostMissed, kMostMissed, kLeft, kRight};
  const Axis y{0, static_cast<double>(*std::ranges::max_element(counts)), kBottom, kTop};
  std::string text = svg_start(title);
  for (const double miss : kMissTicks) text += tick(x.at(miss), kBottom + 16, "middle", percent(miss));
  text += tick(kLeft - 6, kTop + 10, "end", std::to_string(*std::ranges::max_element(counts)));
  const double width = (kRight - kLeft) / kBars;
  for (int bar = 0; bar < kBars; ++bar) {
    const double top = y.at(static_cast<double>(counts[static_cast<std::size_t>(bar)]));
    text += formatted("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>", kLeft + bar * width + 1, top, width - 2,
                      kBottom - top);
  }
  return text + svg_end(title);
}

struct GroupErrors {
  std::string name;
  std::size_t examples = 0;
  double median = 0;
  double worst = 0;
};

std::vector<GroupErrors> errors_by_group(const Findings& findings, const Contender& contender) {
  std::map<std::string, std::vector<double>> errors;
  for (std::size_t i = 0; i < findings.data.examples.size(); ++i) {
    const auto& example = findings.data.examples[i];
    errors[example.group].push_back(std::abs(contender.predicted[i] / example.truth - 1));
  }
  std::vector<GroupErrors> groups;
  for (const auto& [name, of] : errors) {
    groups.push_back({name, of.size(), predictor::median(of), *std::ranges::max_element(of)});
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &GroupErrors::median);
  return groups;
}

std::string group_table(const Findings& findings, const Contender& contender) {
  const auto groups = errors_by_group(findings, contender);
  const auto shown = std::min(groups.size(), kShownGroups);
  std::string text = "<table><caption>" + escaped(findings.data.group_kind) + " with the largest median error" +
                     formatted(" (%zu of %zu)", shown, groups.size()) +
                     "</caption><tr><th>group<th>examples<th>median error<th>worst<th></tr>\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& group = groups[i];
    text +=
        "<tr><td>" + escaped(group.name) +
        formatted("<td class='n'>%zu<td class='n'>%.1f %%<td class='n'>%.0f %%<td><span style='width:%.0fpx'></span>",
                  group.examples, 100 * group.median, 100 * group.worst, 160 * std::min(group.median, 1.0)) +
        "</tr>\n";
  }
  return text + "</table>\n";
}

std::string score_table(const Findings& findings) {
  std::string text = "<table><caption>all scores</caption><tr><th>";
  for (const auto metric : kAllMetrics) text += "<th>" + std::string(to_text(metric));
  text += "</tr>\n";
  for (const auto& contender : findings.contenders) {
    const auto scores = predictor::score(findings.data, contender);
    text += "<tr><td>" + escaped(contender.name);
    for (const auto metric : kAllMetrics) text += formatted("<td class='n'>%.4g", scores[metric]);
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

constexpr const char* kStyle = R"(<style>
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #8a929b; --dot: #1f6feb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #7d8590; --dot: #58a6ff; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 1.5rem auto;
       max-width: 84rem; padding: 0 1rem; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; flex: 1 1 20rem; max-width: 34rem; }
svg { width: 100%; height: auto; }
svg text { font-size: 11px; fill: var(--faint); }
.axis { fill: none; stroke: var(--faint); } .guide { fill: none; stroke: var(--ink); stroke-dasharray: 4 3; }
circle { fill: var(--dot); fill-opacity: .35; } rect { fill: var(--dot); }
table { border-collapse: collapse; margin: 1rem 0; } caption { text-align: left; font-weight: 600; }
td, th { padding: .1rem .6rem .1rem 0; text-align: left; } .n { text-align: right; font-variant-numeric: tabular-nums; }
td span { display: inline-block; height: .7em; background: var(--dot); }
</style>
)";

}  // namespace

std::string page_of(const Findings& findings, const std::vector<const Contender*>& shown) {
  const std::string title = findings.data.title + ": " + findings.folds + ", " + findings.features;
  std::string text =
      "<!doctype html>\n<html lang='en'>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n<title>" +
      escaped(title) + "</title>\n" + kStyle + "<h1>" + escaped(title) + "</h1>\n<p>" +
      formatted("%zu examples of %zu ", findings.data.examples.size(), findings.group_count()) +
      escaped(findings.data.group_kind) + ", each predicted without its fold.</p>\n";
  for (const auto* contender : shown) {
    text += "<h2>" + escaped(contender->name) + "</h2>\n<div class='plots'>\n" + scatter(findings, *contender) +
            residuals(findings, *contender) + histogram(findings, *contender) + "</div>\n" +
            group_table(findings, *contender);
  }
  return text + "<h2>All</h2>\n" + score_table(findings) + "</html>\n";
}

}  // namespace dryfit::evaluate
