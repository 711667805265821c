// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/diagnostics.h"
#include "snapshot/budget.h"
#include "snapshot/pickle.h"
#include "snapshot/snapshot.h"
#include "snapshot/stack_table.h"

namespace dryfit::snapshot {

/// Reads trace entries. There are millions of them with the same few keys, each written once and referred to
/// afterwards, so the text of a key is looked up once.
class EntryReader {
 public:
  EntryReader(const Pickle& pickle, StackTable& stacks, Budget& budget, Diagnostics& diagnostics)
      : pickle_(pickle), stacks_(stacks), budget_(budget), diagnostics_(diagnostics) {}

  /// None if the entry is not usable (counted) or the budget is exhausted.
  std::optional<Entry> read(Value value);

  /// The first release of PyTorch that writes all the keys found; null: any.
  const char* oldest_torch() const;

 private:
  enum class Field : std::uint8_t {
    action,
    addr,
    device_free,
    size,
    stream,
    time_us,
    frames,
    pool_id,
    compile_context,
    user_metadata,
    other
  };

  Field field_of(Value key);
  std::optional<Action> action_of(Value text);

  const Pickle& pickle_;
  StackTable& stacks_;
  Budget& budget_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::uint64_t, Field> fields_;                   ///< by the bits of the key
  std::unordered_map<std::uint64_t, std::optional<Action>> actions_;  ///< by the bits of the text
  std::uint32_t met_ = 0;                                             ///< one bit per Field
};

}  // namespace dryfit::snapshot
