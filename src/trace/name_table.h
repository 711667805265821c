// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/events.h"

namespace dryfit::trace {

/// Texts by id and ids by text. Ids count up from 1; 0 is the empty text. Not thread-safe.
class NameTable {
 public:
  std::optional<NameId> find(std::string_view text) const {
    if (text.empty()) return NameId{0};
    const auto found = ids_.find(text);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

  /// `text` must be new. Throws std::bad_alloc and then leaves the table unchanged.
  NameId add(std::string_view text) {
    const std::string& kept = texts_.emplace_back(text);
    const NameId id{static_cast<std::uint32_t>(texts_.size())};
    try {
      ids_.emplace(kept, id);
    } catch (...) {
      texts_.pop_back();
      throw;
    }
    return id;
  }

  /// In the order of their ids, from 1. The texts keep their addresses for the life of the table.
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, NameId> ids_;
};

}  // namespace dryfit::trace
