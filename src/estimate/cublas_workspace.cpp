// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/cublas_workspace.h"

#include <charconv>
#include <cstdint>

namespace dryfit::estimate {
namespace {

/// Takes ":<number>" from the front.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  if (text.empty() || text.front() != ':') return std::nullopt;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<Bytes> configured_workspace(std::string_view config) {
  if (config.empty()) return std::nullopt;
  Bytes total;
  while (!config.empty()) {
    const auto kibibytes = take_number(config);
    const auto count = kibibytes ? take_number(config) : std::nullopt;
    if (!count) return std::nullopt;
    total += Bytes{*kibibytes << 10} * *count;
  }
  return total;
}

Bytes memory_of_handle(std::string_view config, ComputeCapability chip, simulator::TorchVersion torch) {
  using namespace literals;
  if (const auto configured = configured_workspace(config))
    return configured->count < (1_MiB).count ? 0_B : *configured;
  if (chip.major < 9) return 8_MiB;
  return chip.major == 9 || torch.at_least(2, 12) ? 64_MiB : 32_MiB;
}

}  // namespace dryfit::estimate
