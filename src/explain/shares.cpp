// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/shares.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace dryfit::explain {
namespace {

constexpr std::size_t kWhole = ~std::size_t{0};

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "encoder_layer_11" without its number; 0 where it has none.
std::size_t length_before_number(std::string_view part) {
  const auto last = part.find_last_not_of("0123456789");
  const bool has_number = last != std::string_view::npos && last + 1 < part.size() && part[last] == '_';
  return has_number ? last + 1 : 0;
}

/// A number becomes `*` where it distinguishes blocks; at the end of a path it distinguishes the layers of a block.
std::string generalised(std::string_view part, bool is_last) {
  if (is_number(part)) return is_last ? std::string(part) : "*";
  const auto length = length_before_number(part);
  return length == 0 ? std::string(part) : std::string(part.substr(0, length)) + "*";
}

/// At most `depth` parts of a path; with `all`, numbers stay as they are.
std::string shortened(std::string_view path, std::size_t depth, bool all) {
  std::string result;
  for (std::size_t part = 0; part < depth && !path.empty(); ++part) {
    const auto dot = path.find('.');
    const bool is_last = dot == std::string_view::npos;
    if (part > 0) result += '.';
    result += all ? std::string(path.substr(0, dot)) : generalised(path.substr(0, dot), is_last);
    path.remove_prefix(is_last ? path.size() : dot + 1);
  }
  return result;
}

std::string group_of(const Explanation& explanation, const Allocation& allocation, const ShareOptions& options) {
  switch (options.by) {
    case By::category:
      return std::string(to_text(allocation.category));
    case By::module:
      return shortened(explanation.name(allocation.module), options.depth.value_or(kWhole), options.each);
    case By::line:
      return line_text(explanation, allocation.line);
    case By::op:
      return explanation.name(allocation.op);
  }
  return "";
}

}  // namespace

std::optional<By> parse_by(std::string_view text) {
  for (const auto by : {By::category, By::module, By::line, By::op}) {
    if (to_text(by) == text) return by;
  }
  return std::nullopt;
}

std::string_view to_text(By by) {
  constexpr std::string_view kTexts[] = {"category", "module", "line", "operator"};
  return kTexts[static_cast<std::size_t>(by)];
}

Category Share::main() const {
  return static_cast<Category>(std::ranges::max_element(categories) - categories.begin());
}

std::vector<Share> shares_of(const Explanation& explanation, const ShareOptions& options) {
  std::map<std::string, Share> groups;
  std::map<std::string, std::set<NameId>> modules;
  for (const auto& allocation : explanation.allocations) {
    if (!at_peak(explanation, allocation)) continue;
    const auto name = group_of(explanation, allocation, options);
    auto& share = groups[name];
    share.name = name;
    share.bytes += allocation.bytes;
    share.requested += allocation.requested;
    share.allocations += 1;
    share.categories[static_cast<std::size_t>(allocation.category)] += allocation.bytes;
    if (options.by == By::module) modules[name].insert(allocation.module);
  }
  std::vector<Share> result;
  for (auto& [name, share] : groups) {
    if (options.by == By::module) share.modules = modules[name].size();
    result.push_back(std::move(share));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &Share::bytes);
  return result;
}

std::string pattern_of(std::string_view module) { return shortened(module, kWhole, false); }

std::string line_text(const Explanation& explanation, LineId line) {
  if (line == kNone) return "";
  const auto& [file, number, function, is_library] = explanation.lines[line];
  std::string_view path = explanation.name(file);
  if (const auto slash = path.rfind('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path) + ":" + std::to_string(number) + " " + explanation.name(function);
}

}  // namespace dryfit::explain
