// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace dryfit {

/// Problems that did not stop us, counted by a stable name ("driver.unimplemented.cuTexRefCreate"). They travel with
/// the result and are shown in the report. Ordered by name, so that output is the same every time.
class Diagnostics {
 public:
  void add(std::string_view name, std::uint64_t count = 1) {
    if (count > 0) counts_[std::string(name)] += count;
  }
  void merge(const Diagnostics& other) {
    for (const auto& [name, count] : other.counts_) counts_[name] += count;
  }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  bool empty() const { return counts_.empty(); }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace dryfit
