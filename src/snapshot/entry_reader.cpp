// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/entry_reader.h"

#include <iterator>
#include <string_view>

#include "snapshot/fields.h"

namespace dryfit::snapshot {
namespace {

// In the order of Field.
constexpr std::string_view kFieldNames[] = {"action", "addr",    "device_free",     "size",         "stream", "time_us",
                                            "frames", "pool_id", "compile_context", "user_metadata"};

}  // namespace

EntryReader::Field EntryReader::field_of(Value key) {
  const auto [known, is_new] = fields_.try_emplace(key.bits(), Field::other);
  if (is_new && pickle_.is(key, Kind::text)) {
    const auto text = pickle_.text(key);
    for (std::size_t i = 0; i < std::size(kFieldNames); ++i) {
      if (text == kFieldNames[i]) known->second = static_cast<Field>(i);
    }
    met_ |= 1u << static_cast<unsigned>(known->second);
  }
  return known->second;
}

std::optional<Action> EntryReader::action_of(Value text) {
  const auto [known, is_new] = actions_.try_emplace(text.bits());
  if (is_new && pickle_.is(text, Kind::text)) known->second = parse_action(pickle_.text(text));
  return known->second;
}

std::optional<Entry> EntryReader::read(Value value) {
  if (!pickle_.is(value, Kind::dict)) {
    diagnostics_.add("snapshot.unusable_entry");
    return std::nullopt;
  }
  if (budget_.exhausted() || !budget_.spend(pickle_.size(value))) return std::nullopt;
  Entry entry;
  std::optional<Action> action;
  bool has_address = false;
  bool has_size = false;
  const auto number = [&](Value field, bool& has) {
    has = pickle_.is(field, Kind::integer) && pickle_.integer(field) >= 0;
    return has ? static_cast<std::uint64_t>(pickle_.integer(field)) : 0;
  };
  pickle_.each_entry(value, [&](Value key, Value field) {
    bool ignored = false;
    switch (field_of(key)) {
      case Field::action:
        action = action_of(field);
        break;
      case Field::addr:
      case Field::device_free:
        entry.address = number(field, has_address);
        break;
      case Field::size:
        entry.size = Bytes{number(field, has_size)};
        break;
      case Field::stream:
        entry.stream = number(field, ignored);
        break;
      case Field::time_us:
        entry.time_us = static_cast<std::int64_t>(number(field, ignored));
        break;
      case Field::frames:
        entry.stack = stacks_.stack_of(field);
        break;
      case Field::pool_id:
        entry.pool = read_pool(pickle_, field);
        break;
      case Field::compile_context:
      case Field::user_metadata:
      case Field::other:
        break;
    }
  });
  if (!action) {
    diagnostics_.add("snapshot.unknown_action");
    return std::nullopt;
  }
  entry.action = *action;
  const bool needs_numbers = entry.action != Action::snapshot && entry.action != Action::annotate;
  if (needs_numbers && (!has_address || !has_size)) {
    diagnostics_.add("snapshot.unusable_entry");
    return std::nullopt;
  }
  return entry;
}

const char* EntryReader::oldest_torch() const {
  const auto met = [&](Field field) { return (met_ & 1u << static_cast<unsigned>(field)) != 0; };
  if (met(Field::user_metadata)) return "2.10";
  if (met(Field::pool_id) || met(Field::compile_context)) return "2.8";
  return met(Field::time_us) ? "2.2" : nullptr;
}

}  // namespace dryfit::snapshot
