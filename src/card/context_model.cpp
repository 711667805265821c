// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/context_model.h"

#include <algorithm>
#include <cmath>

#include "card/attribute_names.h"

namespace dryfit {
namespace {

/// MiB = offset + slope * thousands (1024) of threads that can be resident.
struct Line {
  double offset;
  double slope;
};
constexpr Line kContext{24, 1.87};
constexpr Line kLaunch{-7.7, 0.35};

Bytes on(Line line, const Card& card) {
  const auto attribute = [&](std::string_view name) { return card.attribute(attribute_number(name).value()); };
  const double threads = static_cast<double>(attribute("multiprocessor_count")) *
                         static_cast<double>(attribute("max_threads_per_multiprocessor"));
  const double mebibytes = std::round(line.offset + line.slope * threads / 1024);
  return Bytes{static_cast<std::uint64_t>(std::max(0.0, mebibytes)) << 20};
}

}  // namespace

Bytes modelled_context_memory(const Card& card) { return on(kContext, card); }

Bytes modelled_launch_memory(const Card& card) { return on(kLaunch, card); }

}  // namespace dryfit
