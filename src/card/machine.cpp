// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/machine.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace dryfit {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kMagic = "dryfit-machine";
constexpr std::string_view kHint = "`dryfit run` writes this file; don't edit it.";

struct OrderName {
  AddressOrder order;
  std::string_view name;
};
constexpr OrderName kOrderNames[] = {
    {AddressOrder::chunk, "chunk"},
    {AddressOrder::ascending, "ascending"},
    {AddressOrder::descending, "descending"},
    {AddressOrder::recorded, "recorded"},
};

std::optional<AddressOrder> order_named(std::string_view name) {
  for (const auto& entry : kOrderNames) {
    if (entry.name == name) return entry.order;
  }
  return std::nullopt;
}

void append_line(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append(" ");
  for (const char c : value) text += (c == '\n' || c == '\r') ? ' ' : c;
  text += '\n';
}

std::string joined(std::initializer_list<std::uint64_t> numbers) {
  std::string text;
  for (const auto n : numbers) {
    if (!text.empty()) text += ' ';
    text += std::to_string(n);
  }
  return text;
}

void append_card(std::string& text, const Card& card) {
  append_line(text, "card", card.id);
  append_line(text, "name", card.name);
  append_line(text, "architecture", card.architecture);
  append_line(text, "capability",
              std::to_string(card.compute_capability.major) + ' ' + std::to_string(card.compute_capability.minor));
  append_line(text, "memory", joined({card.total_memory.count, card.context_memory.count, card.context_spread.count}));
  if (card.launch_memory > Bytes{}) append_line(text, "launch", joined({card.launch_memory.count}));
  if (card.held_by_others > Bytes{}) append_line(text, "held", joined({card.held_by_others.count}));
  if (!card.gpc_multiprocessors.empty()) {
    std::string gpcs;
    for (const int count : card.gpc_multiprocessors) gpcs += (gpcs.empty() ? "" : " ") + std::to_string(count);
    append_line(text, "gpcs", gpcs);
  }
  for (const auto& [number, value] : card.attributes) {
    append_line(text, "attribute", std::to_string(number) + ' ' + std::to_string(value));
  }
  text += "end\n";
}

/// The next word of `rest`, which loses it.
std::string_view take_word(std::string_view& rest) {
  const auto start = rest.find_first_not_of(' ');
  if (start == std::string_view::npos) return rest = {};
  rest.remove_prefix(start);
  const auto word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

template <class Number>
bool read_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

/// Reads exactly as many numbers as there are arguments, and nothing after them.
template <class... Numbers>
bool read_numbers(std::string_view rest, Numbers&... numbers) {
  return (read_number(take_word(rest), numbers) && ...) && take_word(rest).empty();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Machine> parse() {
    if (!next_line() || !read_header()) return failure();
    while (next_line()) {
      if (!read_line()) return failure();
    }
    if (card_) {
      fail("GPU '" + card_->id + "' has no 'end': the file was cut off");
      return failure();
    }
    return std::move(machine_);
  }

 private:
  bool next_line() {
    if (text_.empty()) return false;
    const auto end = text_.find('\n');
    line_ = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    ++line_number_;
    return true;
  }

  bool read_header() {
    int version = 0;
    auto rest = line_;
    if (take_word(rest) != kMagic || !read_numbers(rest, version) || version < 1) {
      return fail("not a machine file");
    }
    if (version > kVersion) {
      return fail("the machine file has format " + std::to_string(version) + ", but this driver reads format " +
                  std::to_string(kVersion) + " and older");
    }
    return true;
  }

  bool read_line() {
    auto rest = line_;
    const auto key = take_word(rest);
    if (key.empty()) return true;
    if (!rest.empty()) rest.remove_prefix(1);
    return card_ ? read_card_line(key, rest) : read_machine_line(key, rest);
  }

  bool read_machine_line(std::string_view key, std::string_view rest) {
    if (key == "driver") return read_numbers(rest, machine_.driver_version) || bad_value(key, rest);
    if (key == "addresses") {
      const auto order = order_named(rest);
      if (order) machine_.address_order = *order;
      return order.has_value() || bad_value(key, rest);
    }
    if (key == "segment") return read_segment(rest) || bad_value(key, rest);
    if (key == "card") {
      card_.emplace();
      card_->id = rest;
      return !rest.empty() || bad_value(key, rest);
    }
    return fail("'" + std::string(key) + "' is not a key of a machine");
  }

  bool read_segment(std::string_view rest) {
    RecordedSegment segment;
    if (!read_numbers(rest, segment.size.count, segment.address)) return false;
    machine_.recorded_segments.push_back(segment);
    return true;
  }

  bool read_card_line(std::string_view key, std::string_view rest) {
    Card& card = *card_;
    if (key == "name") return card.name = rest, true;
    if (key == "architecture") return card.architecture = rest, true;
    if (key == "capability") {
      auto& capability = card.compute_capability;
      return read_numbers(rest, capability.major, capability.minor) || bad_value(key, rest);
    }
    if (key == "memory") {
      return read_numbers(rest, card.total_memory.count, card.context_memory.count, card.context_spread.count) ||
             bad_value(key, rest);
    }
    if (key == "launch") return read_numbers(rest, card.launch_memory.count) || bad_value(key, rest);
    if (key == "held") return read_numbers(rest, card.held_by_others.count) || bad_value(key, rest);
    if (key == "gpcs") return read_gpcs(rest) || bad_value(key, rest);
    if (key == "attribute") return read_attribute(rest) || bad_value(key, rest);
    if (key == "end") return finish_card();
    return fail("'" + std::string(key) + "' is not a key of a GPU");
  }

  bool read_gpcs(std::string_view rest) {
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      int count = 0;
      if (!read_number(word, count) || count < 1) return false;
      card_->gpc_multiprocessors.push_back(count);
    }
    return true;
  }

  bool read_attribute(std::string_view rest) {
    int number = 0;
    int value = 0;
    if (!read_numbers(rest, number, value)) return false;
    card_->attributes[number] = value;
    return true;
  }

  bool finish_card() {
    if (card_->total_memory == Bytes{}) return fail("GPU '" + card_->id + "' has no memory");
    if (card_->held_by_others > card_->total_memory) return fail("GPU '" + card_->id + "' holds more than it has");
    if (card_->compute_capability.major < 1) return fail("GPU '" + card_->id + "' has no compute capability");
    machine_.cards.push_back(std::move(*card_));
    card_.reset();
    return true;
  }

  bool bad_value(std::string_view key, std::string_view value) {
    return fail("'" + std::string(key) + "' cannot be '" + std::string(value) + "'");
  }

  bool fail(std::string what) {
    what_ = std::move(what);
    return false;
  }

  Error failure() const {
    const auto what = what_.empty() ? std::string("the text is empty") : what_;
    return {"machine:" + std::to_string(line_number_) + ": " + what, std::string(kHint)};
  }

  std::string_view text_;
  std::string_view line_;
  int line_number_ = 0;
  std::optional<Card> card_;
  Machine machine_;
  std::string what_;
};

}  // namespace

std::string_view to_text(AddressOrder order) {
  for (const auto& entry : kOrderNames) {
    if (entry.order == order) return entry.name;
  }
  return kOrderNames[0].name;
}

std::string to_text(const Machine& machine) {
  std::string text;
  append_line(text, kMagic, std::to_string(kVersion));
  append_line(text, "driver", std::to_string(machine.driver_version));
  append_line(text, "addresses", to_text(machine.address_order));
  for (const auto& segment : machine.recorded_segments) {
    append_line(text, "segment", joined({segment.size.count, segment.address}));
  }
  for (const auto& card : machine.cards) append_card(text, card);
  return text;
}

Result<Machine> parse_machine(std::string_view text) { return Parser(text).parse(); }

}  // namespace dryfit
