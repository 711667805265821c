// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/grown_inputs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "estimate/growth.h"

namespace dryfit::estimate {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Values = std::vector<const OrderedJson*>;

class GrowingInputs {
 public:
  GrowingInputs(std::span<const std::uint64_t> batches, std::uint64_t batch) : batches_(batches), batch_(batch) {}

  /// The value that takes the place of these; none: one of its numbers does not grow as it should.
  std::optional<OrderedJson> grown_value(const Values& values) const {
    const auto& first = *values.front();
    const auto equal = [&](const OrderedJson* value) { return *value == first; };
    if (std::ranges::all_of(values, equal)) return first;
    if (first.is_number_integer()) return grown_number(values);
    if (first.is_array()) return grown_list(values);
    return std::nullopt;
  }

  /// Of a number as text, or a list of them: "[4, 512]". Kept as it is where it cannot grow.
  OrderedJson grown_text(const Values& values) const {
    Values parsed;
    std::vector<OrderedJson> kept;
    kept.reserve(values.size());
    for (const auto* value : values) {
      if (!value->is_string()) return *values.front();
      kept.push_back(OrderedJson::parse(value->get_ref<const std::string&>(), nullptr, false));
      parsed.push_back(&kept.back());
    }
    const auto found = grown_value(parsed);
    return found && !found->is_discarded() ? spaced(*found) : *values.front();
  }

 private:
  std::optional<OrderedJson> grown_number(const Values& values) const {
    std::vector<std::int64_t> numbers;
    for (const auto* value : values) {
      if (!value->is_number_integer()) return std::nullopt;
      numbers.push_back(value->get<std::int64_t>());
    }
    const auto found = grown(numbers, batches_, batch_);
    return found ? std::optional<OrderedJson>(found->value) : std::nullopt;
  }

  std::optional<OrderedJson> grown_list(const Values& values) const {
    OrderedJson list = OrderedJson::array();
    for (std::size_t i = 0; i < values.front()->size(); ++i) {
      Values each;
      for (const auto* value : values) {
        if (!value->is_array() || value->size() != values.front()->size()) return std::nullopt;
        each.push_back(&(*value)[i]);
      }
      auto found = grown_value(each);
      if (!found) return std::nullopt;
      list.push_back(*std::move(found));
    }
    return list;
  }

  /// As the profiler writes lists.
  static OrderedJson spaced(const OrderedJson& value) {
    auto text = value.dump();
    for (auto comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 2)) {
      text.insert(comma + 1, " ");
    }
    return text;
  }

  std::span<const std::uint64_t> batches_;
  std::uint64_t batch_;
};

std::optional<OrderedJson> grown_member(const GrowingInputs& inputs, const std::string& key, const Values& values) {
  if (key != "Concrete Inputs") return inputs.grown_value(values);
  OrderedJson list = *values.front();
  if (!std::ranges::all_of(
          values, [&](const OrderedJson* value) { return value->is_array() && value->size() == list.size(); })) {
    return list;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    Values each;
    for (const auto* value : values) each.push_back(&(*value)[i]);
    list[i] = inputs.grown_text(each);
  }
  return list;
}

}  // namespace

std::optional<std::string> grown_inputs(std::span<const std::string_view> texts, std::span<const std::uint64_t> batches,
                                        std::uint64_t batch) {
  if (std::ranges::all_of(texts, [&](std::string_view text) { return text == texts.front(); })) {
    return std::string(texts.front());
  }
  std::vector<OrderedJson> parsed;
  for (const auto text : texts) parsed.push_back(OrderedJson::parse(text, nullptr, false));
  if (!std::ranges::all_of(parsed, &OrderedJson::is_object)) return std::nullopt;
  const GrowingInputs inputs(batches, batch);
  OrderedJson result = OrderedJson::object();
  for (const auto& [key, value] : parsed.front().items()) {
    Values values;
    for (const auto& each : parsed) {
      if (!each.contains(key)) return std::nullopt;
      values.push_back(&each[key]);
    }
    auto found = grown_member(inputs, key, values);
    if (!found) return std::nullopt;
    result[key] = *std::move(found);
  }
  return result.dump();
}

}  // namespace dryfit::estimate
