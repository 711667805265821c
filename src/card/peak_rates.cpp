// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/peak_rates.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "card/attribute_names.h"
#include "card/attribute_numbers.h"

namespace dryfit {
namespace {

/// Operations of a multiprocessor in a clock; 0: its tensor cores do not do it.
struct PerClock {
  ComputeCapability capability;
  double fp32, tf32, fp16, bf16;
};

constexpr std::array<PerClock, 8> kPerClock{{{{7, 0}, 128, 0, 1024, 0},
                                             {{7, 5}, 128, 0, 1024, 0},
                                             {{8, 0}, 128, 1024, 2048, 2048},
                                             {{8, 6}, 256, 512, 1024, 1024},
                                             {{8, 9}, 256, 512, 1024, 1024},
                                             {{9, 0}, 256, 2048, 4096, 4096},
                                             {{10, 0}, 256, 4096, 8192, 8192},
                                             {{12, 0}, 256, 512, 1024, 1024}}};

constexpr ComputeCapability kHopper{9, 0};
constexpr double kHopperTensorClock = 0.924;

bool halves_tensor_cores(const Card& card) {
  const std::string_view name = card.name;
  return name.find("GeForce") != name.npos || name.ends_with(" L40") || name.ends_with(" A10G");
}

double tensor_share(const Card& card) {
  if (card.compute_capability == kHopper) return kHopperTensorClock;
  return halves_tensor_cores(card) ? 0.5 : 1;
}

Status check(const Card& card) {
  for (const int number : {kClockRate, kMultiprocessorCount, kMemoryClockRate, kGlobalMemoryBusWidth}) {
    if (card.attribute(number) > 0) continue;
    return Error{"the GPU '" + card.id + "' has no '" + std::string(attribute_name(number)) + "'",
                 "Add it to the GPU file (docs/cards.md)."};
  }
  return {};
}

}  // namespace

Result<PeakRates> peak_rates_of(const Card& card) {
  if (auto status = check(card); !status) return status.error();
  const auto known = std::ranges::find(kPerClock, card.compute_capability, &PerClock::capability);
  if (known == kPerClock.end()) {
    const auto [major, minor] = card.compute_capability;
    return Error{"the compute rates of GPUs with compute capability " + std::to_string(major) + "." +
                     std::to_string(minor) + " are unknown",
                 "Choose another GPU."};
  }
  const double clocks = 1e3 * card.attribute(kClockRate) * card.attribute(kMultiprocessorCount);
  const double fp32 = clocks * known->fp32;
  const auto tensor = [&](double per_clock) { return std::max(fp32, clocks * per_clock * tensor_share(card)); };
  const double transfers = 2e3 * card.attribute(kMemoryClockRate);
  return PeakRates{.fp32_flops = fp32,
                   .tf32_flops = tensor(known->tf32),
                   .fp16_flops = tensor(known->fp16),
                   .bf16_flops = tensor(known->bf16),
                   .bytes = transfers * card.attribute(kGlobalMemoryBusWidth) / 8};
}

}  // namespace dryfit
