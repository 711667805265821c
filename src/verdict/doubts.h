// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "card/card.h"
#include "verdict/device_total.h"
#include "verdict/verdict.h"

namespace dryfit::verdict {

/// Why a run does not answer the question, and what the user can do about it.
struct Doubt {
  std::string reason;  ///< one clause without a full stop, shown after "cannot tell"
  std::string hint;    ///< a sentence with its full stop
};

/// What is known when doubts are considered.
struct Case {
  const Card& card;
  const RunFacts& facts;
  std::span<const DeviceTotal> devices;
  std::uint64_t steps = 0;  ///< most optimizer steps that one process completed
};

/// The first doubt that applies to a run that did not end because device memory ran out; nullopt: it fits.
/// Causes come before their effects: a CPU-only PyTorch is named rather than the exception it led to.
std::optional<Doubt> first_doubt(const Case& run);

}  // namespace dryfit::verdict
