// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "snapshot/pickle.h"
#include "snapshot/snapshot.h"

namespace dryfit::snapshot {

/// The entries of one dict by name. Each lookup scans the dict: meant for small or rare dicts.
class Fields {
 public:
  Fields(const Pickle& pickle, Value dict) : pickle_(pickle), dict_(dict) {}

  std::optional<Value> find(std::string_view name) const {
    std::optional<Value> found;
    pickle_.each_entry(dict_, [&](Value key, Value value) {
      if (pickle_.is(key, Kind::text) && pickle_.text(key) == name) found = value;
    });
    return found;
  }

  // Nothing if the entry is absent or of another kind.
  std::optional<std::int64_t> integer(std::string_view name) const {
    const auto found = find(name);
    if (!found || !pickle_.is(*found, Kind::integer)) return std::nullopt;
    return pickle_.integer(*found);
  }
  std::optional<double> real(std::string_view name) const {
    const auto found = find(name);
    if (!found || !pickle_.is(*found, Kind::real)) return std::nullopt;
    return pickle_.real(*found);
  }
  std::optional<bool> boolean(std::string_view name) const {
    const auto found = find(name);
    if (!found || !pickle_.is(*found, Kind::boolean)) return std::nullopt;
    return pickle_.boolean(*found);
  }
  std::string text(std::string_view name) const {
    const auto found = find(name);
    return found && pickle_.is(*found, Kind::text) ? std::string(pickle_.text(*found)) : std::string();
  }

  const Pickle& pickle() const { return pickle_; }

 private:
  const Pickle& pickle_;
  Value dict_;
};

/// A tuple of two integers; anything else is the default pool.
inline PoolId read_pool(const Pickle& pickle, std::optional<Value> value) {
  if (!value || !pickle.is(*value, Kind::tuple) || pickle.size(*value) != 2) return {};
  std::uint64_t numbers[2] = {};
  std::size_t i = 0;
  pickle.each(*value, [&](Value number) {
    if (pickle.is(number, Kind::integer)) numbers[i] = static_cast<std::uint64_t>(pickle.integer(number));
    ++i;
  });
  return {numbers[0], numbers[1]};
}

}  // namespace dryfit::snapshot
